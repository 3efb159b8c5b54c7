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
    return _refined(z, looks) if method == 1 else _plain(z, half, looks, method)


@njit(cache=True, nogil=True, error_model="numpy")
def _plain(z: Any, half: int, looks: float, method: int) -> Any:
    """Lee's filter or Gamma-MAP, a line at a time.

    The sums of a window are those of its columns' sums. None is carried from one window to the next with a
    value added and another taken away: beside a bright target that would leave its rounding behind.
    """
    rows, columns = z.shape
    made = np.full(z.shape, np.nan, z.dtype)
    down, across = np.empty((3, columns + 2 * half)), np.empty((3, columns))
    for i in range(rows):
        down[:] = 0.0
        for k in range(max(0, i - half), min(rows, i + half + 1)):
            for j in range(columns):
                value = float(z[k, j])
                there = 1.0 if value == value else 0.0
                value = value if value == value else 0.0
                down[0, j + half] += there
                down[1, j + half] += value
                down[2, j + half] += value * value
        across[:] = 0.0
        for m in range(2 * half + 1):
            for j in range(columns):
                across[0, j] += down[0, j + m]
                across[1, j] += down[1, j + m]
                across[2, j] += down[2, j + m]
        for j in range(columns):
            if z[i, j] == z[i, j]:
                made[i, j] = _estimate(z[i, j], across[0, j], across[1, j], across[2, j], looks, method)
    return made


@njit(cache=True, nogil=True, error_model="numpy")
def _refined(z: Any, looks: float) -> Any:
    """Lee's refined filter: half of a 7 x 7 window, along the edge; all of it beside missing values."""
    rows, columns = z.shape
    made = np.full(z.shape, np.nan, z.dtype)
    first, last = _halves()
    means = np.empty((5, columns))
    for row in range(max(0, min(4, rows - 2))):
        _means_of_nine(z, row + 1, means[(row + 1) % 5])
    for i in range(rows):
        if 3 <= i < rows - 3:
            _means_of_nine(z, i + 2, means[(i + 2) % 5])
        for j in range(columns):
            if z[i, j] != z[i, j]:
                continue
            side = -1
            if 3 <= i < rows - 3 and 3 <= j < columns - 3:
                side = _edge_side(means[(i - 2) % 5], means[i % 5], means[(i + 2) % 5], j)
            if side < 0:
                count, total, squares = _whole(z, i, j)
            else:
                count, total, squares = 28.0, 0.0, 0.0
                for k in range(7):
                    for m in range(first[side, k], last[side, k]):
                        value = float(z[i - 3 + k, j + m])
                        total += value
                        squares += value * value
            made[i, j] = _estimate(z[i, j], count, total, squares, looks, 1)
    return made


@njit(cache=True, nogil=True)
def _whole(z: Any, i: int, j: int) -> tuple[float, float, float]:
    """Count, sum and sum of squares of the values in a 7 x 7 window."""
    count = total = squares = 0.0
    for k in range(max(0, i - 3), min(z.shape[0], i + 4)):
        for m in range(max(0, j - 3), min(z.shape[1], j + 4)):
            value = float(z[k, m])
            if value == value:
                count += 1.0
                total += value
                squares += value * value
    return count, total, squares


@njit(cache=True, nogil=True)
def _halves() -> tuple[Any, Any]:
    """For each line of a 7 x 7 window, where its half begins and ends, the edge through the middle included.

    In the order E, NE, N, NW, W, SW, S, SE; columns are counted from the middle.
    """
    first, last = np.full((8, 7), -3), np.full((8, 7), 4)
    for k in range(7):
        down = k - 3
        first[0, k], first[1, k], first[7, k] = 0, down, -down
        last[4, k], last[5, k], last[3, k] = 1, down + 1, 1 - down
        if down > 0:
            last[2, k] = -3
        if down < 0:
            last[6, k] = -3
    return first, last


@njit(cache=True, nogil=True)
def _means_of_nine(z: Any, row: int, means: Any) -> None:
    """The means of the 3 x 3 pixels around those of a line, the outermost two left out."""
    for j in range(1, z.shape[1] - 1):
        total = 0.0
        for k in range(row - 1, row + 2):
            for m in range(j - 1, j + 2):
                total += float(z[k, m])
        means[j] = total / 9.0


@njit(cache=True, nogil=True, error_model="numpy")
def _edge_side(above: Any, beside: Any, below: Any, j: int) -> int:
    """The half of a 7 x 7 window that the pixel belongs to; -1 beside missing values.

    The means of nine overlapping 3 x 3 windows give the gradient in four directions; across the strongest
    one, the side whose mean is nearer to the middle's is taken.
    """
    nw, n, ne = above[j - 2], above[j], above[j + 2]
    w, middle, e = beside[j - 2], beside[j], beside[j + 2]
    sw, s, se = below[j - 2], below[j], below[j + 2]
    every = nw + n + ne + w + middle + e + sw + s + se
    if every != every:
        return -1
    east = ne + e + se - nw - w - sw
    north = nw + n + ne - sw - s - se
    north_east = n + ne + e - w - sw - s
    north_west = n + nw + w - e - se - s
    best, side, one, other = abs(east), 0, e, w
    if abs(north_east) > best:
        best, side, one, other = abs(north_east), 1, ne, sw
    if abs(north) > best:
        best, side, one, other = abs(north), 2, n, s
    if abs(north_west) > best:
        best, side, one, other = abs(north_west), 3, nw, se
    return side if abs(one - middle) < abs(other - middle) else side + 4


@njit(cache=True, nogil=True, error_model="numpy")
def _estimate(value: float, count: float, total: float, squares: float, looks: float, method: int) -> float:
    """The filtered pixel from the count, the sum and the sum of squares of its window."""
    mean = total / count
    if count < 2.0 or mean <= 0.0:
        return value
    variance = max(0.0, (squares - total * mean) / (count - 1.0))
    return _gamma_map(value, mean, variance, looks) if method == 2 else _lee(value, mean, variance, looks)


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
