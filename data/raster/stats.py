"""Statistics of pixel values that never hold the whole raster: moments, percentiles and histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.enums import MaskFlags
from rasterio.errors import RasterioError

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.scan import scan
from data.raster.windows import Band, Block, Place

KEPT_VALUES = 8_000_000
"""Up to so many values, percentiles are exact: 32 MB of float32."""
BINS = 65_536
"""Beyond that, they are read off a histogram of so many bins between the least and the greatest value."""

Values = NDArray[Any]
"""Valid pixel values in one row: no not-a-number among them."""


@dataclass(frozen=True)
class Moments:
    """Count, extremes, mean and the sum of squared deviations, which parts of a raster can be joined by."""

    count: int = 0
    minimum: float = math.nan
    maximum: float = math.nan
    mean: float = math.nan
    squares: float = 0.0

    @classmethod
    def of(cls, values: Values) -> Moments:
        """Those of some values."""
        if values.size == 0:
            return cls()
        mean = float(values.mean(dtype=np.float64))
        squares = float(values.var(dtype=np.float64)) * values.size
        return cls(values.size, float(values.min()), float(values.max()), mean, squares)

    def joined(self, other: Moments) -> Moments:
        """Those of both parts together (Chan, Golub and LeVeque 1979)."""
        if not self.count or not other.count:
            return self if self.count else other
        count = self.count + other.count
        apart = other.mean - self.mean
        return Moments(
            count,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            self.mean + apart * other.count / count,
            self.squares + other.squares + apart**2 * self.count * other.count / count,
        )

    @property
    def std(self) -> float:
        """The standard deviation of these values as a whole (divided by n, as GDAL does)."""
        return math.sqrt(self.squares / self.count) if self.count else math.nan

    @property
    def total(self) -> float:
        """The sum of the values."""
        return self.mean * self.count if self.count else 0.0


@dataclass(frozen=True)
class Histogram:
    """How many values lie in each of equal bins from `low` to `high`; both ends belong to a bin."""

    low: float
    high: float
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, values: Values, low: float, high: float, bins: int = BINS) -> Histogram:
        """Of the values between `low` and `high`; others are left out."""
        inside = values if values.size == 0 or (values.min() >= low and values.max() <= high) else None
        if inside is None:
            inside = values[(values >= low) & (values <= high)]
        counts = np.bincount(_bins(inside, low, high, bins), minlength=bins)
        return cls(low, high, counts.astype(np.int64))

    def joined(self, other: Histogram) -> Histogram:
        """Both counts together; the bins must be the same."""
        return Histogram(self.low, self.high, self.counts + other.counts)

    @property
    def edges(self) -> NDArray[np.float64]:
        """The bins' borders, one more than there are bins."""
        return np.linspace(self.low, self.high, self.counts.size + 1)

    def percentiles(self, wanted: Sequence[float]) -> list[float]:
        """The values below which so many percent lie, to within one bin; not-a-number without values."""
        cumulated = np.cumsum(self.counts)
        if not cumulated.size or cumulated[-1] == 0:
            return [math.nan] * len(wanted)
        edges, total = self.edges, int(cumulated[-1])
        found = []
        for percent in wanted:
            rank = percent / 100 * total
            at = min(int(np.searchsorted(cumulated, rank)), cumulated.size - 1)
            before = cumulated[at] - self.counts[at]
            share = (rank - before) / self.counts[at] if self.counts[at] else 0.0
            found.append(float(edges[at] + share * (edges[at + 1] - edges[at])))
        return found


def _bins(values: Values, low: float, high: float, bins: int) -> NDArray[np.int32]:
    """Which of the equal bins each value is in; all are from `low` to `high`."""
    if not high > low:
        return np.zeros(values.size, np.int32)
    index = ((values - low) * (bins / (high - low))).astype(np.int32)
    return np.minimum(index, bins - 1, out=index)


@dataclass(frozen=True)
class WholeCounts:
    """How often each whole number comes, for bands of 8 and 16 bits: all there is to know of them."""

    low: int
    counts: NDArray[np.int64]

    @property
    def moments(self) -> Moments:
        """Exact, from the counts."""
        there = np.flatnonzero(self.counts)
        if not there.size:
            return Moments()
        values, counts = there.astype(np.float64) + self.low, self.counts[there].astype(np.float64)
        mean = float(values @ counts / counts.sum())
        squares = float((values - mean) ** 2 @ counts)
        return Moments(int(counts.sum()), float(values[0]), float(values[-1]), mean, squares)

    def histogram(self, low: float, high: float, bins: int) -> Histogram:
        """As Histogram.of, of all the values."""
        values = (np.arange(self.counts.size) + self.low).astype(np.float32)
        inside = (values >= low) & (values <= high)
        counts = np.bincount(_bins(values[inside], low, high, bins), self.counts[inside], bins)
        return Histogram(low, high, counts.astype(np.int64))

    def percentiles(self, wanted: Sequence[float]) -> list[float]:
        """Linear between ranks, as numpy's; not-a-number without values."""
        cumulated = np.cumsum(self.counts)
        total = int(cumulated[-1])
        if not total:
            return [math.nan] * len(wanted)
        found = []
        for percent in wanted:
            rank = percent / 100 * (total - 1)
            below, above = np.searchsorted(cumulated, [math.floor(rank), math.ceil(rank)], side="right")
            found.append(float(below + (above - below) * (rank - math.floor(rank)) + self.low))
        return found


@dataclass
class Collected:
    """Values as they come in: their moments, and the values themselves while there are not too many."""

    moments: Moments = Moments()
    kept: list[Values] | None = field(default_factory=list)
    most: int = KEPT_VALUES

    def add(self, values: Values) -> None:
        """Take in some more."""
        self.moments = self.moments.joined(Moments.of(values))
        if self.moments.count > self.most:
            self.kept = None
        elif self.kept is not None and values.size:
            self.kept.append(values)

    @property
    def values(self) -> Values | None:
        """All of them, or None where they were too many to keep."""
        if self.kept is None:
            return None
        return np.concatenate(self.kept) if self.kept else np.empty(0, np.float32)


@dataclass(frozen=True)
class BandStats:
    """What one band holds; not-a-number where it has no valid pixel."""

    band: int
    pixels: int
    moments: Moments
    percents: tuple[float, ...]
    percentiles: tuple[float, ...]

    @property
    def valid_pct(self) -> float:
        """Percent of the pixels that have a value."""
        return 100.0 * self.moments.count / self.pixels if self.pixels else 0.0


class Tally:
    """What a computation's results hold, counted while they are made, by several threads at once."""

    def __init__(self) -> None:
        self._parts: dict[tuple[int, int], Moments] = {}
        self._lock = Lock()

    def count(self, values: Block, place: Place) -> Block:
        """Take a block in, and give it back."""
        part = Moments.of(valid(values))
        with self._lock:
            self._parts[place.first_row, place.first_column] = part
        return values

    @property
    def moments(self) -> Moments:
        """Of all blocks; joined from the top, so that it does not depend on which thread was first."""
        return reduce(Moments.joined, (part for _, part in sorted(self._parts.items())), Moments())


def finite(values: Block) -> Block:
    """The same values with infinities made not-a-number: a division by zero has no value."""
    values[np.isinf(values)] = np.nan
    return values


def valid(block: Block) -> Values:
    """The values of a block in one row, without the missing and the infinite."""
    flat = block.reshape(-1)
    good = np.isfinite(flat)
    return flat if good.all() else flat[good]


def band_stats(path: Path, number: int, percents: Sequence[float] = (2, 50, 98)) -> BandStats:
    """Statistics of one band over its valid pixels, read once, or twice where there are very many.

    Percentiles are exact (linear between ranks, as numpy's) for whole numbers of up to 16 bits and for others
    up to KEPT_VALUES pixels, and lie within 1/65,536 of the range beyond. Raises RasterError for a band that
    is not there.
    """
    with opened(path) as source:
        if not 1 <= number <= source.count:
            raise RasterError(f"There is no band {number}: {path.name} has bands 1 to {source.count}.")
        pixels = source.width * source.height
    counts = whole_counts(path, number)
    if counts is not None:
        ranks = tuple(counts.percentiles(percents))
        return BandStats(number, pixels, counts.moments, tuple(percents), ranks)
    band = Band(path, (number,))
    collected = Collected()
    few = pixels <= collected.most
    for moments, values in scan(band, lambda block, _: _part(block, few)):
        if few:
            collected.add(values)
        else:
            collected.moments = collected.moments.joined(moments)
    moments = collected.moments
    if few:
        kept = collected.values
        assert kept is not None
        found = np.percentile(kept, percents).tolist() if kept.size else [math.nan] * len(percents)
    else:
        found = band_histogram(path, number, moments.minimum, moments.maximum).percentiles(percents)
    return BandStats(number, pixels, moments, tuple(percents), tuple(map(float, found)))


def whole_counts(path: Path, number: int) -> WholeCounts | None:
    """The counts of a band of whole numbers of up to 16 bits, read once; None for another band."""
    with opened(path) as source:
        kind = np.dtype(source.dtypes[number - 1])
    if kind.kind not in "iu" or kind.itemsize > 2:
        return None
    info = np.iinfo(kind)
    size = int(info.max) - int(info.min) + 1

    def part(block: Block, _: Place) -> NDArray[np.int64]:
        shifted = block.reshape(-1) if info.min == 0 else block.reshape(-1).astype(np.int32) - info.min
        return np.bincount(shifted, minlength=size).astype(np.int64)

    counts = np.zeros(size, np.int64)
    for each in scan(Band(path, (number,)), part, read=read_stored):
        counts += each
    with opened(path) as source:
        by_value = MaskFlags.nodata in source.mask_flag_enums[number - 1]
        nodata = source.nodatavals[number - 1] if by_value else None
    if nodata is not None and float(nodata).is_integer() and info.min <= nodata <= info.max:
        counts[int(nodata) - info.min] = 0
    return WholeCounts(int(info.min), counts)


def read_stored(reader: rasterio.DatasetReader, numbers: Sequence[int] | None, place: Place) -> Block:
    """One band's values as they are stored, also those that mean nodata; without what is masked otherwise."""
    assert numbers is not None and len(numbers) == 1
    flags = reader.mask_flag_enums[numbers[0] - 1]
    try:
        values: Block = reader.read(numbers[0], window=place.window)
        if MaskFlags.all_valid in flags or MaskFlags.nodata in flags:
            return values
        shown: Block = values[reader.read_masks(numbers[0], window=place.window) > 0]
        return shown
    except RasterioError as error:
        raise RasterError(f"{Path(reader.name).name} is broken: its pixels cannot be read.") from error


def band_histogram(path: Path, number: int, low: float, high: float, bins: int = BINS) -> Histogram:
    """The histogram of one band between two values, read once."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return Histogram(0.0, 1.0, np.zeros(bins, np.int64))
    if (counted := whole_counts(path, number)) is not None:
        return counted.histogram(low, high, bins)
    whole = Histogram(low, high, np.zeros(bins, np.int64))

    def part(block: Block, _: Place) -> Histogram:
        return Histogram.of(valid(block), low, high, bins)

    for each in scan(Band(path, (number,)), part):
        whole = whole.joined(each)
    return whole


def _part(block: Block, keep: bool) -> tuple[Moments, Values]:
    values = valid(block)
    return (Moments(), values) if keep else (Moments.of(values), values[:0])
