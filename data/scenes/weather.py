"""What lies between the ground and the sensor: clouds with their shadows, and haze."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from data.scenes.noise import fractal

Image = NDArray[np.float32]
Map = NDArray[np.float32]
CLOUD = (0.62, 0.61, 0.60, 0.60, 0.42, 0.32)
"""Reflectance of a thick cloud, blue to short-wave infrared."""
AIR = (0.30, 0.24, 0.19, 0.12, 0.05, 0.02)
"""Light that haze adds where nothing comes through, by the wavelengths of the same bands."""


def clouded(image: Image, share: float, rng: np.random.Generator) -> tuple[Image, Map]:
    """The image under clouds that hide about `share` of it, and (h, w) the share of the ground's light that
    comes through."""
    size = (image.shape[0], image.shape[1])
    if share <= 0:
        return image, np.ones(size, np.float32)
    field = fractal(rng, size, max(size) * rng.uniform(0.2, 0.5), 5)
    level = float(np.quantile(field, 1 - min(share, 0.999)))
    thick = np.clip((field - level) / np.float32(0.5) + 0.25, 0, 1)
    through = np.asarray(1 - thick * rng.uniform(0.9, 1.0), np.float32)
    shift = rng.integers(-max(size) // 8, max(size) // 8 + 1, 2)
    cast = np.roll(through, shift, (0, 1))
    lit = image * (0.45 + 0.55 * cast)[..., None]
    puff = 1 + 0.12 * fractal(rng, size, max(size) / 12, 3)
    white = np.array(CLOUD[: image.shape[2]], np.float32) * puff[..., None]
    return np.asarray(lit * through[..., None] + white * (1 - through)[..., None], np.float32), through


def hazed(image: Image, strength: float, rng: np.random.Generator) -> tuple[Image, Map]:
    """Koschmieder's law: what comes through of the ground plus the air's own light; `strength` is the mean
    share lost."""
    size = (image.shape[0], image.shape[1])
    if strength <= 0:
        return image, np.ones(size, np.float32)
    uneven = fractal(rng, size, max(size) * 0.5, 2)
    through = np.asarray(np.clip(1 - strength * (1 + 0.3 * uneven), 0.1, 1), np.float32)
    air = np.array((0.55, 0.55, 0.54, 0.45, 0.25, 0.15)[: image.shape[2]], np.float32)
    return np.asarray(image * through[..., None] + air * (1 - through)[..., None], np.float32), through


def blurred(image: Image, sigma_px: float) -> Image:
    """The sensor's and the air's blur."""
    if sigma_px < 0.2:
        return image
    return np.asarray(cv2.GaussianBlur(image, (0, 0), sigma_px), np.float32).reshape(image.shape)
