"""Sharpen a multispectral raster with a panchromatic one of smaller pixels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from data.raster.copying import describe_like
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.scan import scan
from data.raster.stats import Moments, finite
from data.raster.warp import pixel_sizes
from data.raster.windows import Band, Block, Grid, Place, compute

Fusion = Literal["brovey", "ihs", "gram_schmidt"]


def pansharpen(
    path: Path,
    pan: Path,
    target: Path,
    *,
    bands: Sequence[int] = (),
    method: Fusion = "brovey",
    weights: Sequence[float] = (),
    resampling: str = "cubic",
) -> None:
    """Write the bands of `path` on the finer grid of `pan`, with its detail, in their own data type.

    brovey: each band times pan over the weighted mean of the bands (Gillespie, Kahle and Walker 1987; the
    one of gdal_pansharpen). ihs: each band plus pan minus that mean (Tu et al. 2001). gram_schmidt: the
    same, times the band's covariance with the mean over its variance, pan brought to the mean's own mean and
    deviation first (Laben and Brower 2000, in the form of Aiazzi, Baronti and Selva 2007). `weights` add up
    to 1; equal where left out. Raises RasterError where pan is not finer, or lies elsewhere.
    """
    with opened(path) as source, opened(pan) as fine:
        numbers = tuple(bands) or tuple(range(1, source.count + 1))
        own, grid = Grid.of(source), Grid.of(fine)
        dtype = "float32" if np.dtype(source.dtypes[0]).kind == "f" else source.dtypes[0]
        nodata = source.nodata if source.nodata is not None else (float("nan") if dtype == "float32" else 0)
        described = source.descriptions
        _check(own, grid, path, pan)
    shares = np.array(weights or [1 / len(numbers)] * len(numbers), np.float32)
    if len(shares) != len(numbers) or not np.isclose(shares.sum(), 1, atol=1e-3):
        raise RasterError(f"The weights must be {len(numbers)}, one a band, and add up to 1.")
    gains, fit = _gains(path, pan, numbers, shares) if method == "gram_schmidt" else (None, (1.0, 0.0))
    top = np.iinfo(dtype).max if np.dtype(dtype).kind in "iu" else np.inf
    least = 1 if np.dtype(dtype).kind == "u" and nodata == 0 else -np.inf

    def function(blocks: list[Block], _: Place) -> Block:
        sharp, coarse = blocks[0][0], blocks[1]
        mean = coarse[0] * shares[0]
        for band, share in zip(coarse[1:], shares[1:], strict=True):
            mean += band * share
        with np.errstate(divide="ignore", invalid="ignore"):
            if method == "brovey":
                fused = np.multiply(coarse, np.divide(sharp, mean, out=mean), out=coarse)
            else:
                detail = sharp * fit[0] + fit[1] - mean
                fused = coarse + (detail if gains is None else gains[:, None, None] * detail)
        clipped: Block = np.clip(finite(fused), least, top, out=fused)
        return clipped

    compute(
        [Band(pan, (1,)), Band(path, numbers, grid, resampling)],
        target,
        function,
        count=len(numbers),
        dtype=dtype,
        nodata=float(nodata),
        descriptions=[described[each - 1] or "" for each in numbers],
    )
    _describe(path, target, numbers)


def _check(own: Grid, grid: Grid, path: Path, pan: Path) -> None:
    if own.crs is None or grid.crs is None:
        raise RasterError("Both rasters need a coordinate system to be laid over one another.")
    if own.crs == grid.crs and max(pixel_sizes(grid)) >= min(pixel_sizes(own)):
        raise RasterError(
            f"The pixels of the panchromatic raster {pan.name} ({pixel_sizes(grid)[0]:.4g}) must be smaller "
            f"than those of {path.name} ({pixel_sizes(own)[0]:.4g})."
        )


def _gains(
    path: Path, pan: Path, numbers: tuple[int, ...], shares: Block
) -> tuple[Block, tuple[float, float]]:
    """Of each band, how much of pan's detail it takes; and what brings pan to the mean's level."""

    def part(block: Block, _: Place) -> Block:
        good = np.isfinite(block).all(axis=0)
        values = block[:, good].astype(np.float64)
        mean = shares.astype(np.float64) @ values
        return np.array([values.shape[1], mean.sum(), mean @ mean, *values.sum(axis=1), *(values @ mean)])

    sums = sum(scan(Band(path, numbers), part), np.zeros(3 + 2 * len(numbers)))
    count, total, squares = sums[:3].tolist()
    totals, products = np.split(sums[3:], 2)
    if not count:
        raise RasterError(
            f"{path.name} has no pixel with values in all bands, so there is nothing to sharpen."
        )
    variance = squares / count - (total / count) ** 2
    covariances = products / count - totals / count * (total / count)
    sharp = Moments()
    for each in scan(Band(pan, (1,)), lambda block, _: Moments.of(block[np.isfinite(block)])):
        sharp = sharp.joined(each)
    scale = float(np.sqrt(max(variance, 0.0)) / sharp.std) if sharp.count and sharp.std else 1.0
    gains = covariances / variance if variance > 0 else np.ones(len(numbers))
    return gains.astype(np.float32), (scale, float(total / count - sharp.mean * scale))


def _describe(path: Path, target: Path, numbers: Sequence[int]) -> None:
    import rasterio

    with opened(path) as source, rasterio.open(target, "r+") as made:
        describe_like(made, source, numbers)
