"""Living vegetation: by NDVI where near infrared is told, by excess green or a network in colour pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.errors import RasterError
from data.vision.masks import UNKNOWN

Method = Literal["auto", "ndvi", "excess_green", "network"]
VEGETATION = {1: "vegetation"}
NETWORK_TASKS = ("vegetation-extraction", "semantic-segmentation", "land-cover")
LIMITS = {"ndvi": (0.2, 0.5), "excess_green": (0.03, 0.2)}
"""Where a threshold may lie. Of NDVI: from bare soil up to full cover, Sobrino et al. (2004)."""
USUAL = {"ndvi": 0.3, "excess_green": 0.06}
"""The threshold where the values do not part into two classes."""


@dataclass(frozen=True)
class Vegetation:
    """How vegetation was told from the rest."""

    method: str
    model: str
    threshold: float | None = None
    found: bool = False
    """Whether the threshold comes from the image; else it is the usual one."""
    mean: float | None = None
    """The index over the image."""


def vegetation_mask(
    progress: Progress,
    source: Path,
    target: Path,
    *,
    method: Method = "auto",
    models: Path | None = None,
) -> Vegetation:
    """Write a mask of bytes: 1 vegetation, 0 none, 255 where the image has no value.

    "ndvi": NDVI (Rouse et al. 1974) over Otsu's threshold (1979), kept between 0.2 and 0.5. "excess_green":
    2 g - r - b of chromatic coordinates (Woebbecke et al. 1995, Color indices for weed identification under
    various soil, residue, and lighting conditions, Transactions of the ASAE 38(1), 259-269) over Otsu's
    threshold, kept between 0.03 and 0.2. "network": the class of the best network. "auto" takes the first
    that the bands allow. Raises RasterError.
    """
    bands = _bands(source)
    chosen = suited(source) if method == "auto" else method
    if chosen == "network":
        from data.vision.segment import class_mask

        made = class_mask(progress, source, target, "vegetation", NETWORK_TASKS, models=models)
        return Vegetation(made.method, made.model)
    wanted = ("nir", "red") if chosen == "ndvi" else ("red", "green", "blue")
    if missing := [each for each in wanted if each not in bands]:
        raise RasterError(
            f"{'NDVI' if chosen == 'ndvi' else 'Excess green'} needs the bands {', '.join(wanted)}; "
            f"{source.name} does not say which is {' and '.join(missing)}."
        )
    return _by_index(progress, source, target, chosen, tuple(bands[each] for each in wanted))


def suited(source: Path) -> Literal["ndvi", "excess_green"]:
    """The method that an image's bands allow: the first where near infrared and red are told."""
    return "ndvi" if {"nir", "red"} <= set(_bands(source)) else "excess_green"


def ndvi(nir: NDArray[Any], red: NDArray[Any]) -> NDArray[Any]:
    """(nir - red) / (nir + red); not-a-number where both are nought."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((nir - red) / (nir + red))


def excess_green(red: NDArray[Any], green: NDArray[Any], blue: NDArray[Any]) -> NDArray[Any]:
    """2 g - r - b, each a band over the sum of the three; 0 where all are nought."""
    total = red + green + blue
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total == 0, 0.0, (2 * green - red - blue) / total)


def _bands(source: Path) -> dict[str, int]:
    from data.raster.bands import band_names, find_band
    from data.raster.files import opened
    from data.vision.blocks import visible_bands

    with opened(source) as reader:
        names = band_names(reader)
    found = {each: find_band(names, each) for each in ("red", "green", "blue", "nir")}
    there = {each: number for each, number in found.items() if number is not None}
    if not {"red", "green", "blue"} <= set(there) and "nir" not in there:
        colours = visible_bands(source)
        there.update(zip(("red", "green", "blue"), colours or (), strict=False))
    return there


def _by_index(
    progress: Progress, source: Path, target: Path, name: str, numbers: tuple[int, ...]
) -> Vegetation:
    from data.raster.windows import Band, Block, Place, compute, grid_of
    from data.vision.blocks import followed, samples
    from data.vision.thresholds import otsu

    function = ndvi if name == "ndvi" else excess_green
    values = np.concatenate([function(*each).ravel() for each in samples(source, numbers=numbers)])
    values = values[np.isfinite(values)]
    if not values.size:
        raise RasterError(f"{source.name} has no pixel with a value in these bands.")
    split, (low, high) = otsu(values), LIMITS[name]
    parts = split is not None and split.separate and low <= split.threshold <= high
    limit = split.threshold if split is not None and parts else USUAL[name]

    def told(blocks: list[Block], place: Place) -> NDArray[Any]:
        index = function(*blocks[0])
        return np.where(np.isfinite(index), (index > limit).astype(np.float32), np.float32(np.nan))

    grid = grid_of(source)
    compute(
        [Band(source, numbers)],
        target,
        followed(progress, "Looking for plants", grid.width * grid.height, told),
        dtype="uint8",
        nodata=UNKNOWN,
        descriptions=("vegetation",),
    )
    said = "NDVI" if name == "ndvi" else "excess green"
    return Vegetation(said, f"vegetation-{name.replace('_', '-')}", limit, parts, float(values.mean()))
