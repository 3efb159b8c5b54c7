"""Which scene an optical image shows and what is in it, by a pretrained network's view of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from data.vision.overview import Overview

NETWORK = "scene-lite0"
SIDE_PX = 224
"""The side of what the network looks at."""
CALIBRATION = Path(__file__).resolve().parents[1] / "models" / "weights" / "scene-lite0.json"
"""What turns its numbers into probabilities, and from which an answer is given; made by the training."""
LEAST_QUARTERED_PX = 320
"""An image whose shorter side has so many pixels is looked at in quarters too."""
CLASSES_SEEN = {
    "plane": "plane", "ship": "ship", "small-vehicle": "vehicle", "large-vehicle": "vehicle",
    "storage-tank": "storage tank",
}  # fmt: skip
"""What of the calibration's `present` a detector's class is."""
CUT_PX = 448
"""The side of what is looked at of a large image."""
_LARGE = 1.5
"""How many times the pictures made small of an image may be coarser than it."""
_LONG = 1.5
"""How many times longer than wide an image is looked at in squares instead of squeezed into one."""
_MOST_SQUARES = 4


@dataclass(frozen=True)
class Looked:
    """What the network thinks of an image."""

    scenes: tuple[tuple[str, float], ...]
    """(scene, calibrated probability), the likeliest first, all of them."""
    present: dict[str, float]
    """The calibrated probability that each thing of the calibration's `present` is in the image."""


@dataclass(frozen=True)
class Calibration:
    """How the network's numbers become probabilities."""

    classes: tuple[str, ...]
    temperature: float
    least: float
    """A best scene of a smaller probability is no answer."""
    present: tuple[str, ...]
    slopes: tuple[float, ...]
    offsets: tuple[float, ...]
    """Of each of `present`: the probability is the logistic function of slope x number + offset."""
    present_least: tuple[float, ...]
    """From which probability each is said to be there."""
    absent_most: tuple[float, ...]
    """Up to which probability each is said not to be there."""
    temperature_small: float | None = None
    """Of a picture whose shorter side is under SIDE_PX, which shows little of a place or is from far away."""
    temperature_many: float | None = None
    """Of the mean of several views, in which what is accidental has gone. None: as of one view."""

    def temperature_of(self, views: int, small: bool) -> float:
        """What the mean numbers of so many views of a picture, small or not, are divided by."""
        own = self.temperature_many if views > 1 else self.temperature_small if small else None
        return self.temperature if own is None else own


@cache
def calibration() -> Calibration:
    """What the training wrote."""
    read: dict[str, Any] = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    told: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in read.items()
    }
    return Calibration(**told)


def look(image: Path, overview: Overview) -> Looked:
    """What the network thinks of an image. Raises RasterError for weights that are missing.

    A large one is looked at in nine cuts of its own resolution: made small, its places are no places any
    more."""
    if overview.scale > _LARGE:
        return seen_in(cuts_of(image, overview))
    small = min(overview.rgb.shape[:2]) < SIDE_PX
    return seen_in(views_of(overview.rgb, overview.known), small)


def seen_in(views: Sequence[NDArray[np.uint8]], small: bool = False) -> Looked:
    """What the network thinks of the views of an image, each (224, 224, 3); `small`: it was made larger."""
    from data.models.registry import registry
    from data.models.serving import served

    scenes, present = served(registry(None).get(NETWORK)).run(network_input(views))
    return told_of(scenes, present, calibration(), small)


def presence(picture: NDArray[np.uint8]) -> dict[str, float]:
    """The calibrated probability that each thing is in one picture (rows, columns, 3)."""
    return seen_in([_square(picture)]).present


def told_of(scenes: NDArray[Any], present: NDArray[Any], how: Calibration, small: bool = False) -> Looked:
    """Probabilities of the numbers of all views of an image: (views, scenes), (views, present).

    The scene is that of all views together; a thing is there where one view shows it.
    """
    together = scenes.mean(axis=0, dtype=np.float64) / how.temperature_of(len(scenes), small)
    likely = np.exp(together - together.max())
    likely /= likely.sum()
    seen = present.max(axis=0).astype(np.float64) * how.slopes + how.offsets
    there = 1 / (1 + np.exp(-np.clip(seen, -30, 30)))
    order = sorted(range(len(likely)), key=lambda at: (-round(float(likely[at]), 3), how.classes[at]))
    return Looked(
        tuple((how.classes[at], round(float(likely[at]), 3)) for at in order),
        {name: round(float(value), 3) for name, value in zip(how.present, there, strict=True)},
    )


def network_input(views: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """(views, 3, side, side), prepared as the pretrained weights want it: about -1 to 1."""
    return np.ascontiguousarray((np.stack(views).astype(np.float32) - 127.0).transpose(0, 3, 1, 2) / 128.0)


def views_of(rgb: NDArray[np.uint8], known: NDArray[np.bool_] | None = None) -> list[NDArray[np.uint8]]:
    """The whole picture, in squares where it is long, then its quarters where it is large; 224 pixels each.

    What lies around the known pixels is cut off; unknown ones among them take the mean colour.
    """
    if known is not None and not known.all():
        rgb = _filled(rgb, known)
    rows, columns = rgb.shape[:2]
    views = [_square(each) for each in _wholes(rgb)]
    if min(rows, columns) >= LEAST_QUARTERED_PX:
        middle = rows // 2, columns // 2
        views += [
            _square(rgb[down, across])
            for down in (slice(0, middle[0]), slice(middle[0], rows))
            for across in (slice(0, middle[1]), slice(middle[1], columns))
        ]
    return views


def cuts_of(image: Path, overview: Overview) -> list[NDArray[np.uint8]]:
    """Cuts of CUT_PX of a large image, three by three, at its own resolution, each made 224 pixels wide."""
    from rasterio.enums import Resampling
    from rasterio.windows import Window

    from data.raster.files import opened
    from data.vision.blocks import visible_bands

    with opened(image) as source:
        told = visible_bands(image)
        bands = (told or tuple(range(1, min(source.count, 3) + 1)))[: 1 if overview.grey else 3]
        sides = min(CUT_PX, source.width), min(CUT_PX, source.height)
        cuts = []
        for down in (0.0, 0.5, 1.0):
            for across in (0.0, 0.5, 1.0):
                left, top = (
                    round(across * (source.width - sides[0])),
                    round(down * (source.height - sides[1])),
                )
                values = source.read(
                    bands, window=Window(left, top, *sides), out_shape=(len(bands), SIDE_PX, SIDE_PX),
                    resampling=Resampling.average,
                )  # fmt: skip
                if values.any():
                    cuts.append(as_picture(values))
    return cuts or views_of(overview.rgb, overview.known)


def as_picture(values: NDArray[Any]) -> NDArray[np.uint8]:
    """(bands, rows, columns) as a picture of bytes; other numbers go from their 2nd to their 98th
    percentile."""
    made = np.abs(values).astype(np.float32)
    if values.dtype != np.uint8:
        low, high = np.nanpercentile(made, (2, 98), axis=(1, 2), keepdims=True)
        made = 255 * (made - low) / np.maximum(high - low, 1e-9)
    made = np.clip(np.nan_to_num(made), 0, 255)
    if len(made) < 3:
        made = np.repeat(made[:1], 3, axis=0)
    return np.ascontiguousarray(made[:3].transpose(1, 2, 0).astype(np.uint8))


def _wholes(rgb: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    rows, columns = rgb.shape[:2]
    short, long = min(rows, columns), max(rows, columns)
    if long < _LONG * short:
        return [rgb]
    count = min(_MOST_SQUARES, round(long / short + 0.49))
    starts = np.linspace(0, long - short, count).round().astype(int)
    return [rgb[at : at + short] if rows > columns else rgb[:, at : at + short] for at in starts]


def _filled(rgb: NDArray[np.uint8], known: NDArray[np.bool_]) -> NDArray[np.uint8]:
    rows, columns = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
    inside = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    mean = rgb[known].mean(axis=0).round().astype(np.uint8)
    return np.where(known[inside][..., np.newaxis], rgb[inside], mean)


def _square(rgb: NDArray[np.uint8]) -> NDArray[np.uint8]:
    import cv2

    smaller = min(rgb.shape[:2]) > SIDE_PX
    method = cv2.INTER_AREA if smaller else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(np.ascontiguousarray(rgb), (SIDE_PX, SIDE_PX), interpolation=method))
