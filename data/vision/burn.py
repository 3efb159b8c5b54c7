"""Burned land and how severely it burned, from near and short-wave infrared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.vision.masks import UNKNOWN

SEVERITIES = {1: "low", 2: "moderate-low", 3: "moderate-high", 4: "high"}
"""Classes of the mask with an image from before the fire."""
BURNED = {1: "burned"}
"""The class without one."""
LIMITS = (0.100, 0.270, 0.440, 0.660)
"""dNBR from which a severity begins: Key and Benson (2006), Landscape Assessment, table LA-2."""
NBR_BURNED = -0.10
"""Without an image from before: NBR below this counts as burned."""
_WATER_NDWI = 0.0
_BANDS = ("nir", "swir22")


@dataclass(frozen=True)
class Burned:
    """What was found besides the mask."""

    method: str
    mean_index: float | None
    """Mean dNBR, or NBR, over what is marked."""
    offset: float
    """The dNBR of unburned land, which was taken off."""
    water_left_out: bool


def map_burned(progress: Progress, after: Path, target: Path, before: Path | None = None) -> Burned:
    """Write two float32 bands: the class (0 not burned, SEVERITIES or BURNED, 255 no value) and dNBR or NBR.

    dNBR = NBR before - NBR after with NBR = (nir - swir22) / (nir + swir22), in the severity classes of Key
    and Benson (2006), Landscape Assessment (LA): Sampling and Analysis Methods, USDA Forest Service
    RMRS-GTR-164-CD. The median dNBR of what did not burn is taken off first, as they advise, where it is
    small (at most 0.1), since seasons differ. Open water (NDWI > 0, McFeeters 1996) is left out where there
    is a green band. `before` is brought onto the grid of `after`. Raises RasterError in one sentence.
    """
    from data.raster.windows import Block, Place, compute, grid_of
    from data.uploads.gdal import quiet_gdal
    from data.vision.blocks import followed

    grid = grid_of(after)
    sources = [_source(after, None)]
    if before is not None:
        sources.append(_source(before, grid))
    water = all(len(band.numbers or ()) == 3 for band in sources)
    offset = 0.0
    if before is not None:
        offset = _offset(sources)
    sums: list[tuple[float, int]] = []

    def classify(blocks: list[Block], place: Place) -> NDArray[Any]:
        ratios = [_nbr(block) for block in blocks]
        index = ratios[0] if before is None else ratios[1] - ratios[0] - offset
        if before is None:
            classes = (index < NBR_BURNED).astype(np.float32)
        else:
            classes = np.digitize(index, LIMITS).astype(np.float32)
        if water:
            for block in blocks:
                classes[_ndwi(block) > _WATER_NDWI] = 0
        known = np.isfinite(index)
        classes[~known] = UNKNOWN
        marked = known & (classes > 0)
        sums.append((float(index[marked].sum()), int(marked.sum())))
        return np.stack([classes, np.where(known, index, UNKNOWN)])

    with quiet_gdal():
        compute(
            sources,
            target,
            followed(progress, "Burn severity", grid.width * grid.height, classify),
            count=2,
            nodata=UNKNOWN,
            descriptions=("severity" if before else "burned", "dNBR" if before else "NBR"),
        )
    total, count = (sum(each) for each in zip(*sums, strict=True))
    return Burned(
        "dNBR" if before is not None else "NBR",
        round(total / count, 4) if count else None,
        round(offset, 4),
        water,
    )


def burn_bands(path: Path) -> tuple[int, ...]:
    """Near and short-wave infrared, and green where there is one. Raises RasterError for what is missing."""
    from data.raster.bands import band_names, find_band
    from data.raster.errors import RasterError
    from data.raster.files import opened

    with opened(path) as reader:
        names, said = band_names(reader), reader.descriptions
    numbers = [find_band(names, each) for each in _BANDS]
    missing = [each for each, number in zip(_BANDS, numbers, strict=True) if number is None]
    if missing:
        there = ", ".join(f"{at} {text or 'without a name'}" for at, text in enumerate(said[:14], start=1))
        raise RasterError(
            "Burned land is found in near and short-wave infrared (the bands nir and swir22, by name or "
            "description), and "
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not among those of the image "
            f"({there})."
        )
    green = find_band(names, "green")
    return tuple(each for each in (*numbers, green) if each is not None)


def _source(path: Path, onto: Any) -> Any:
    from data.raster.windows import Band

    return Band(path, burn_bands(path), onto=onto, resampling="bilinear")


def _nbr(block: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (block[0] - block[1]) / (block[0] + block[1])
    ratio[~np.isfinite(ratio)] = np.nan
    return np.asarray(np.clip(ratio, -1, 1), np.float32)


def _ndwi(block: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: NDArray[np.float32] = (block[2] - block[0]) / (block[2] + block[0])
    return ratio


def _offset(sources: list[Any]) -> float:
    """The dNBR of what did not burn: the median of those within 0.1 of nought, over a grid of samples."""
    from data.vision.pairs import pair_samples

    values = [(_nbr(before) - _nbr(after)).ravel() for after, before in pair_samples(sources)]
    change = np.concatenate(values)
    near = change[np.abs(change) <= LIMITS[0]]
    return float(np.median(near)) if near.size >= 100 and near.size >= 0.3 * change.size else 0.0
