"""Random fields: fractal noise, blobs and waves, the stuff that grounds are textured with."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]


def fractal(rng: np.random.Generator, size: tuple[int, int], cell_px: float, octaves: int = 3) -> Field:
    """(h, w) of smooth noise, mean about 0, deviation 1: octaves from `cell_px` down, each half as strong."""
    height, width = size
    total = np.zeros(size, np.float32)
    power = 0.0
    for octave in range(octaves):
        cell = max(cell_px / 2**octave, 1.0)
        rows, columns = int(height / cell) + 3, int(width / cell) + 3
        if cell <= 1.5:
            grid = rng.standard_normal(size, np.float32)
        else:
            coarse = rng.standard_normal((rows, columns), np.float32)
            stretched = cv2.resize(
                coarse, (int(columns * cell), int(rows * cell)), interpolation=cv2.INTER_CUBIC
            )
            grid = np.asarray(stretched[:height, :width], np.float32)
        weight = 0.5**octave
        total += weight * grid
        power += weight**2 * 0.6
    return total / np.float32(np.sqrt(power))


def grain(rng: np.random.Generator, size: tuple[int, int], blur_px: float) -> Field:
    """(h, w) of noise that is alike over `blur_px`, mean 0, deviation 1."""
    white = rng.standard_normal(size, np.float32)
    if blur_px < 0.4:
        return white
    soft = cv2.GaussianBlur(white, (0, 0), blur_px)
    return np.asarray(soft * np.float32(2.0 * np.sqrt(np.pi) * blur_px), np.float32)


def waves(rng: np.random.Generator, size: tuple[int, int], length_px: float) -> Field:
    """(h, w) of crests across one direction, broken by noise, deviation about 1."""
    height, width = size
    angle = rng.uniform(0, np.pi)
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    along = (columns * np.cos(angle) + rows * np.sin(angle)) * np.float32(2 * np.pi / max(length_px, 2.0))
    bent = along + 1.5 * fractal(rng, size, max(length_px * 4, 8.0), 2)
    return np.asarray(np.sin(bent) * np.float32(1.4), np.float32)
