"""Pictures of a raster: three bands as red, green and blue, stretched to 8 bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data.raster.bands import band_names, find_band
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.stats import band_stats
from data.raster.windows import Band, Block, Place, compute


@dataclass(frozen=True)
class Preset:
    """A composite by name: what it is for, and its bands for red, green and blue."""

    title: str
    bands: tuple[str, str, str]


PRESETS = {
    "true_colour": Preset("true colour", ("red", "green", "blue")),
    "false_colour": Preset("false colour, vegetation red", ("nir", "red", "green")),
    "agriculture": Preset("agriculture, crops green", ("swir16", "nir", "blue")),
    "swir": Preset("short-wave infrared, burned land and bare soil", ("swir22", "nir", "red")),
    "urban": Preset("false colour for towns", ("swir22", "swir16", "red")),
    "geology": Preset("geology", ("swir22", "swir16", "blue")),
    "water": Preset("land and water", ("nir", "swir16", "red")),
}


def preset_bands(path: Path, name: str) -> list[int]:
    """The band numbers of a preset. Raises RasterError, asking for them, where they cannot be told."""
    preset = PRESETS[name]
    with opened(path) as source:
        names, count = band_names(source), source.count
    if name == "true_colour" and count in (3, 4) and not any(names):
        return [1, 2, 3]  # a picture of three bands is one in red, green and blue
    found = {each: find_band(names, each) for each in preset.bands}
    if missing := [each for each, number in found.items() if number is None]:
        there = ", ".join(f"{at} {each or 'without a name'}" for at, each in enumerate(names[:14], start=1))
        raise RasterError(
            f"{preset.title.capitalize()} needs the bands {', '.join(preset.bands)}, and which is "
            f"{' and '.join(missing)} cannot be told (bands: {there}); say which, as in bands=4,3,2."
        )
    return [number for number in found.values() if number is not None]


def composite(
    path: Path,
    target: Path,
    numbers: Sequence[int],
    *,
    percents: tuple[float, float] = (2.0, 98.0),
    limits: tuple[float, float] | None = None,
    gamma: float = 1.0,
) -> list[tuple[float, float]]:
    """Write bands as an 8-bit picture, and give the values that became darkest and brightest in each.

    Values from the lower to the upper percentile of a band, or between `limits`, become 1 to 255; 0 is
    nodata. With a `gamma` above 1 the middle is lighter. Raises RasterError for a band without values.
    """
    ends = [limits or _ends(path, number, percents) for number in numbers]
    low = np.array([each[0] for each in ends], np.float32)[:, None, None]
    span = np.array([(high - least) or 1.0 for least, high in ends], np.float32)[:, None, None]

    def function(blocks: list[Block], _: Place) -> Block:
        shown: Block = blocks[0].astype(np.float32, copy=False)
        shown -= low
        shown /= span
        np.clip(shown, 0, 1, out=shown)
        if gamma != 1:
            shown **= 1 / gamma
        shown *= 254
        shown += 1
        if len(shown) > 1:
            shown[:, np.isnan(shown).any(axis=0)] = np.nan
        return shown

    said = _descriptions(path, numbers)
    compute(
        [Band(path, tuple(numbers))],
        target,
        function,
        count=len(numbers),
        dtype="uint8",
        nodata=0,
        descriptions=said,
    )
    return ends


def _ends(path: Path, number: int, percents: tuple[float, float]) -> tuple[float, float]:
    found = band_stats(path, number, percents)
    low, high = found.percentiles
    if not math.isfinite(low):
        raise RasterError(f"Band {number} of {path.name} has no valid pixel, so there is nothing to show.")
    return (low, high) if high > low else (found.moments.minimum, found.moments.maximum)


def _descriptions(path: Path, numbers: Sequence[int]) -> list[str]:
    with opened(path) as source:
        names = band_names(source)
        return [source.descriptions[each - 1] or names[each - 1] or f"band {each}" for each in numbers]
