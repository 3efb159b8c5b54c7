"""Brightness, contrast, gamma, sharpness and equalisation of a picture of 8 bits.

The tone of a pixel becomes another by a table of 256 entries a band, so a picture of any size is done strip
by strip. The definitions are Pillow's: brightness scales, contrast moves away from the mean grey (ITU-R
BT.601), sharpness moves away from a smoothed picture (ImageEnhance), equalisation spreads the histogram
(ImageOps). They are applied in this order: brightness, contrast, gamma, equalisation, sharpness.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.enums import ColorInterp

from data.raster.files import opened
from data.raster.looks import Look, drawn
from data.raster.scan import scan
from data.raster.windows import Band, Block, Place, compute

_GREY = (0.299, 0.587, 0.114)
Tables = list[NDArray[np.float64]]


@dataclass(frozen=True)
class Tones:
    """What is changed; 1 (and False) leaves a picture as it is."""

    brightness: float = 1.0
    contrast: float = 1.0
    gamma: float = 1.0
    sharpness: float = 1.0
    equalise: bool = False


@dataclass(frozen=True)
class Scale:
    """How values become 0 to 255: the bands, and what is 0 and 255 of each."""

    bands: tuple[int, ...]
    limits: tuple[tuple[float, float], ...]
    stretched: bool

    def bytes_of(self, block: Block) -> Block:
        """The block in whole tones 0 to 255; not-a-number stays."""
        lows = np.array([low for low, _ in self.limits], dtype=block.dtype)[:, None, None]
        spans = np.array([max(high - low, 1e-12) for low, high in self.limits], dtype=block.dtype)
        scaled: Block = np.rint(np.clip((block - lows) / spans[:, None, None], 0, 1) * 255)
        return scaled


def scale_of(path: Path) -> Scale:
    """A picture of bytes as it is; other values between the 2nd and the 98th percentile.

    The bands are those that are seen as red, green and blue, else the first.
    """
    with opened(path) as source:
        whole = all(dtype == "uint8" for dtype in source.dtypes) and not any(
            each is ColorInterp.palette for each in source.colorinterp
        )
    look = drawn(path, Look(stretch="none" if whole else "percentile"))
    limits = look.limits or ((0.0, 255.0),) * len(look.bands)
    return Scale(look.bands, limits, not whole)


def enhance(path: Path, target: Path, tones: Tones, scale: Scale) -> None:
    """Write a picture of 8 bits with those tones. Raises RasterError for one that cannot be read.

    Where the source has no value the result is 0, its nodata value, and no other pixel is 0 then.
    """
    tables = _tables(path, tones, scale)
    with opened(path) as source:
        gaps = any(ColorInterp.alpha is each for each in source.colorinterp) or any(
            len(flags) != 1 or flags[0].name != "all_valid" for flags in source.mask_flag_enums
        )
    sharpens = tones.sharpness != 1.0

    def toned(blocks: list[Block], _: Place) -> NDArray[Any]:
        made = scale.bytes_of(blocks[0])
        for at, table in enumerate(tables):
            there = np.isfinite(made[at])
            made[at][there] = table[made[at][there].astype(np.intp)]
        if sharpens:
            made = np.stack([_sharpened(band, tones.sharpness) for band in made])
        whole: NDArray[Any] = np.clip(np.rint(made), 1 if gaps else 0, 255)
        return whole

    compute(
        [Band(path, scale.bands)],
        target,
        toned,
        halo=1 if sharpens else 0,
        count=len(scale.bands),
        dtype="uint8",
        nodata=0.0 if gaps else None,
        descriptions=("red", "green", "blue") if len(scale.bands) == 3 else ("grey",),
    )


def _tables(path: Path, tones: Tones, scale: Scale) -> Tables:
    """What each tone of each band becomes, before it is sharpened."""
    tables: Tables = [np.arange(256, dtype=np.float64) for _ in scale.bands]
    needs_counts = tones.contrast != 1.0 or tones.equalise
    counts = _counts(path, scale) if needs_counts else None
    if tones.brightness != 1.0:
        tables = [_whole(table * tones.brightness) for table in tables]
    if tones.contrast != 1.0 and counts is not None:
        mean = _mean_grey(tables, counts)
        tables = [_whole(mean + (table - mean) * tones.contrast) for table in tables]
    if tones.gamma != 1.0:
        tables = [_whole(255 * (table / 255) ** (1 / tones.gamma)) for table in tables]
    if tones.equalise and counts is not None:
        tables = [_equalised(table, count) for table, count in zip(tables, counts, strict=True)]
    return tables


def _counts(path: Path, scale: Scale) -> list[NDArray[np.int64]]:
    """How many pixels of each band have each tone."""

    def of_block(block: Block, _: Place) -> list[NDArray[np.int64]]:
        found = scale.bytes_of(block)
        return [np.bincount(band[np.isfinite(band)].astype(np.intp), minlength=256) for band in found]

    totals = [np.zeros(256, dtype=np.int64) for _ in scale.bands]
    for part in scan(Band(path, scale.bands), of_block):
        totals = [total + count for total, count in zip(totals, part, strict=True)]
    return totals


def _mean_grey(tables: Tables, counts: list[NDArray[np.int64]]) -> float:
    """The mean grey of the picture that the tables make, a whole tone as Pillow's."""
    means = [
        float((table * count).sum() / max(1, int(count.sum())))
        for table, count in zip(tables, counts, strict=True)
    ]
    weights = _GREY if len(means) == 3 else (1.0,)
    return float(int(sum(mean * weight for mean, weight in zip(means, weights, strict=True)) + 0.5))


def _equalised(table: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The table, then the one that spreads what it makes evenly."""
    tones = table.astype(np.intp)
    made = np.bincount(tones, weights=counts, minlength=256).astype(np.int64)
    seen = made[made > 0]
    step = int(seen[:-1].sum()) // 255 if len(seen) > 1 else 0
    if step == 0:
        return table
    before = np.concatenate([[0], np.cumsum(made)[:-1]])
    spread = np.minimum((step // 2 + before) // step, 255).astype(np.float64)
    equal: NDArray[np.float64] = spread[tones]
    return equal


def _sharpened(band: NDArray[Any], factor: float) -> NDArray[Any]:
    """Away from the smoothed band for a factor over 1, towards it below; NaN neighbours count as itself."""
    padded = np.pad(band, 1, constant_values=np.nan)
    total = 4.0 * band
    for row in range(3):
        for column in range(3):
            near = padded[row : row + band.shape[0], column : column + band.shape[1]]
            total = total + np.where(np.isnan(near), band, near)
    smooth = np.floor(total / 13 + 0.5)
    result: NDArray[Any] = smooth + (band - smooth) * factor
    return result


def _whole(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tones as bytes hold them: cut off as Pillow's blend does."""
    return np.floor(np.clip(table, 0, 255))
