"""From reflectance to numbers: tone, colour cast, noise, compression."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.float32]


@dataclass(frozen=True)
class Tone:
    """How reflectance becomes 8 bits: gain and power, a cast and an offset for blue, green and red."""

    gain: float
    power: float
    cast: tuple[float, float, float]
    offset: tuple[float, float, float]
    saturation: float


PLAIN = Tone(1.9, 0.75, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), 1.0)


def random_tone(rng: np.random.Generator) -> Tone:
    """A tone as image providers differ."""
    cast = np.exp(rng.normal(0, 0.09, 3)).tolist()
    offset = (rng.uniform(-0.04, 0.1) + rng.normal(0, 0.02, 3)).tolist()
    return Tone(
        float(rng.uniform(1.2, 2.8)),
        float(rng.uniform(0.55, 1.0)),
        (cast[0], cast[1], cast[2]),
        (offset[0], offset[1], offset[2]),
        float(rng.choice([0.0, rng.uniform(0.4, 1.0), rng.uniform(0.9, 1.5)], p=[0.05, 0.35, 0.6])),
    )


def eight_bit(image: Image, tone: Tone) -> NDArray[np.uint8]:
    """(h, w, 3) blue, green, red reflectance as (h, w, 3) blue, green, red of 8 bits."""
    bright = np.power(np.clip(image * np.float32(tone.gain), 0, 1), np.float32(tone.power))
    bright = bright * np.array(tone.cast, np.float32) + np.array(tone.offset, np.float32)
    if tone.saturation != 1.0:
        grey = bright.mean(axis=2, keepdims=True)
        bright = grey + (bright - grey) * np.float32(tone.saturation)
    return np.asarray(np.clip(bright * 255, 0, 255).astype(np.uint8))


def noisy(image: NDArray[np.uint8], sigma: float, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Gaussian noise of that many of the 255 steps."""
    if sigma <= 0:
        return image
    noise = rng.standard_normal(image.shape, np.float32) * np.float32(sigma)
    return np.asarray(np.clip(np.round(image + noise), 0, 255).astype(np.uint8))


def compressed(image: NDArray[np.uint8], quality: int | None) -> NDArray[np.uint8]:
    """The image after JPEG compression."""
    if quality is None:
        return image
    _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
