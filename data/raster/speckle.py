"""Filters against the speckle of radar images: Lee, refined Lee and Gamma-MAP."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.tally import Tally
from data.raster.windows import Band, Block, Grid, Place, compute, read_block, windows

Method = Literal["lee", "refined_lee", "gamma_map"]
Values = Literal["intensity", "amplitude"]
_METHODS = {"lee": 0, "refined_lee": 1, "gamma_map": 2}
_BLOCK_PX = 8
_SAMPLED_WINDOWS = 16


@dataclass(frozen=True)
class Despeckled:
    """What a filter was told, and the first band's mean intensity before and after it."""

    looks: float
    estimated: bool
    mean_before: float
    mean_after: float


def despeckle(
    source: Path,
    target: Path,
    *,
    method: Method = "refined_lee",
    size_px: int = 7,
    looks: float | None = None,
    values: Values = "intensity",
    tags: Mapping[str, str] | None = None,
) -> Despeckled:
    """Write all bands filtered, float32, in the numbers that they came in.

    The speckle is multiplicative with variance 1 / looks (the equivalent number of looks, estimated from the
    image when not given). "lee": Lee (1980), Digital image enhancement and noise filtering by use of local
    statistics, IEEE PAMI-2(2), 165-168, for multiplicative noise.
    "refined_lee": Lee (1981), Refined filtering of image noise using local statistics, Computer Graphics and
    Image Processing 15, 380-389: the same in the half of a 7 x 7 window that lies along the edge, whatever
    `size_px`. "gamma_map": Lopes, Nezry, Touzi and Laur (1990), Maximum a posteriori speckle filtering and
    first order texture models in SAR images, IGARSS 90, 2409-2412. "amplitude" is squared
    before and rooted after. Pixels without a value count for nothing. Raises RasterError.
    """
    window = 7 if method == "refined_lee" else size_px
    estimated = looks is None
    known = estimate_looks(source, values) if looks is None else float(looks)
    before, after = Tally(), Tally()

    def filtered(blocks: list[Block], place: Place) -> NDArray[Any]:
        made = np.empty_like(blocks[0])
        for at, band in enumerate(blocks[0]):
            intensity = np.square(band) if values == "amplitude" else band
            result = _filter(intensity, window // 2, known, _METHODS[method])
            if at == 0:
                before.add(place, intensity)
                after.add(place, result)
            made[at] = np.sqrt(result) if values == "amplitude" else result
        return made

    with opened(source) as reader:
        count, descriptions = reader.count, [text or "" for text in reader.descriptions]
    compute(
        [Band(source)],
        target,
        filtered,
        halo=window // 2 + 1,
        count=count,
        descriptions=descriptions,
        tags=tags,
    )
    return Despeckled(known, estimated, before.result().mean, after.result().mean)


def estimate_looks(source: Path, values: Values = "intensity") -> float:
    """The equivalent number of looks of the first band: mean² / variance of its evenest areas.

    The mode of that ratio over 8 x 8 blocks of up to 16 windows, on a logarithmic scale: in most scenes even
    ground is what there is most of. Raises RasterError when no block is full of values.
    """
    ratios: list[NDArray[np.float64]] = []
    with opened(source) as reader:
        grid = Grid.of(reader)
        every = list(windows(grid, 1_000_000))
        for window in every[:: max(1, len(every) // _SAMPLED_WINDOWS)]:
            block = read_block(reader, (1,), Place(grid, window))[0].astype(np.float64)
            ratios.append(_ratios(np.square(block) if values == "amplitude" else block))
    found = np.concatenate(ratios)
    if found.size == 0:
        raise RasterError("The raster is too small or too empty to estimate its number of looks; give looks.")
    logs = np.log(np.clip(found, 0.1, 1000.0))
    counts, edges = np.histogram(logs, bins=np.linspace(math.log(0.1), math.log(1000.0), 47))
    smooth = np.convolve(counts, [1, 2, 1], mode="same")
    at = int(np.argmax(smooth))
    return round(float(np.exp((edges[at] + edges[at + 1]) / 2)), 3)


def _ratios(block: NDArray[np.float64]) -> NDArray[np.float64]:
    rows, columns = (size // _BLOCK_PX for size in block.shape)
    if rows == 0 or columns == 0:
        return np.empty(0)
    tiles = block[: rows * _BLOCK_PX, : columns * _BLOCK_PX].reshape(rows, _BLOCK_PX, columns, _BLOCK_PX)
    mean, variance = tiles.mean(axis=(1, 3)), tiles.var(axis=(1, 3), ddof=1)
    kept = np.isfinite(mean) & (mean > 0) & (variance > 0)
    ratios: NDArray[np.float64] = mean[kept] ** 2 / variance[kept]
    return ratios


@njit(cache=True, nogil=True, error_model="numpy")
def _filter(z: Any, half: int, looks: float, method: int) -> Any:
    """(rows, columns) of intensity, filtered where the window lies inside; not-a-number stays so."""
    rows, columns = z.shape
    made = np.full(z.shape, np.nan, z.dtype)
    means = np.empty((3, 3))
    for i in range(rows):
        for j in range(columns):
            if z[i, j] != z[i, j]:
                continue
            side = -1
            if method == 1 and 3 <= i < rows - 3 and 3 <= j < columns - 3:
                side = _edge_side(z, i, j, means)
            mean, variance, count = _moments(z, i, j, half, side)
            if count < 2 or mean <= 0.0:
                made[i, j] = z[i, j]
            elif method == 2:
                made[i, j] = _gamma_map(z[i, j], mean, variance, looks)
            else:
                made[i, j] = _lee(z[i, j], mean, variance, looks)
    return made


@njit(cache=True, nogil=True, error_model="numpy")
def _moments(z: Any, i: int, j: int, half: int, side: int) -> tuple[float, float, int]:
    """Mean, variance and count of a window, or of its half on one side of an edge through its middle."""
    total = squares = 0.0
    count = 0
    for k in range(max(0, i - half), min(z.shape[0], i + half + 1)):
        for m in range(max(0, j - half), min(z.shape[1], j + half + 1)):
            if side >= 0 and not _on_side(k - i, m - j, side):
                continue
            value = float(z[k, m])
            if value == value:
                total += value
                squares += value * value
                count += 1
    if count < 2:
        return total, 0.0, count
    mean = total / count
    return mean, max(0.0, (squares - total * mean) / (count - 1)), count


@njit(cache=True, nogil=True)
def _on_side(down: int, across: int, side: int) -> bool:
    """Whether a pixel lies in a half window, the edge line included: E, NE, N, NW, W, SW, S, SE."""
    if side == 0:
        return across >= 0
    if side == 1:
        return across - down >= 0
    if side == 2:
        return down <= 0
    if side == 3:
        return -across - down >= 0
    if side == 4:
        return across <= 0
    if side == 5:
        return down - across >= 0
    if side == 6:
        return down >= 0
    return across + down >= 0


@njit(cache=True, nogil=True, error_model="numpy")
def _edge_side(z: Any, i: int, j: int, means: Any) -> int:
    """The half of a 7 x 7 window that the pixel belongs to; -1 beside missing values.

    The means of nine overlapping 3 x 3 windows give the gradient in four directions; across the strongest
    one, the side whose mean is nearer to the middle's is taken.
    """
    for a in range(3):
        for b in range(3):
            total = 0.0
            for k in range(3):
                for m in range(3):
                    total += float(z[i - 3 + 2 * a + k, j - 3 + 2 * b + m])
            means[a, b] = total / 9.0
            if total != total:
                return -1
    east = means[0, 2] + means[1, 2] + means[2, 2] - means[0, 0] - means[1, 0] - means[2, 0]
    north = means[0, 0] + means[0, 1] + means[0, 2] - means[2, 0] - means[2, 1] - means[2, 2]
    north_east = means[0, 1] + means[0, 2] + means[1, 2] - means[1, 0] - means[2, 0] - means[2, 1]
    north_west = means[0, 1] + means[0, 0] + means[1, 0] - means[1, 2] - means[2, 2] - means[2, 1]
    best, side = abs(east), 0
    if abs(north_east) > best:
        best, side = abs(north_east), 1
    if abs(north) > best:
        best, side = abs(north), 2
    if abs(north_west) > best:
        best, side = abs(north_west), 3
    middle = means[1, 1]
    if side == 0:
        one, other = means[1, 2], means[1, 0]
    elif side == 1:
        one, other = means[0, 2], means[2, 0]
    elif side == 2:
        one, other = means[0, 1], means[2, 1]
    else:
        one, other = means[0, 0], means[2, 2]
    return side if abs(one - middle) < abs(other - middle) else side + 4


@njit(cache=True, nogil=True, error_model="numpy")
def _lee(value: float, mean: float, variance: float, looks: float) -> float:
    """The least mean square error with the noise made linear: between the local mean and the pixel."""
    noise = 1.0 / looks
    scene = max(0.0, (variance - mean * mean * noise) / (1.0 + noise))
    return mean + (value - mean) * scene / (scene + mean * mean * noise)


@njit(cache=True, nogil=True, error_model="numpy")
def _gamma_map(value: float, mean: float, variance: float, looks: float) -> float:
    """The most likely intensity of a gamma-distributed scene under gamma-distributed speckle."""
    spread, noise = variance / (mean * mean), 1.0 / looks
    if spread <= noise:
        return mean
    if spread >= 2.0 * noise:
        return value
    alpha = (1.0 + noise) / (spread - noise)
    less = alpha - looks - 1.0
    return (less * mean + math.sqrt(mean * mean * less * less + 4.0 * alpha * looks * mean * value)) / (
        2.0 * alpha
    )
