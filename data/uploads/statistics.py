"""What the bands of a new raster hold: exact for small ones, from an overview or a sample for large ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.stats import Moments
from data.raster.windows import is_nodata
from data.uploads.errors import UploadError

EXACT_VALUES = 16_000_000
"""Up to so many values (pixels x bands), all are read."""
SAMPLE_BLOCKS = 64
DESCRIBED_BANDS = 50
"""Of a raster with more bands, the first so many are described."""
SENTINELS = frozenset({-999.0, -9999.0, -99999.0, -999999.0, -32767.0, -32768.0, -2147483648.0})
SENTINELS_BEYOND = 9e19
"""What people and programs write for nothing, and beyond what it may be: 1e20, 9.97e36, the least float."""
_PIECE_PX = 1024


def undeclared_nodata(
    source: rasterio.DatasetReader, statistics: Sequence[Mapping[str, Any]], shown: str
) -> dict[int, float]:
    """By band, the value that stands for nothing though the file does not say so; empty where there is none.

    It is one that is often written for nothing, and lies farther from all others than they lie apart.
    """
    ends = {each["band"]: (each["min"], each["max"]) for each in statistics if each["min"] is not None}
    suspects = {band: end for band, both in ends.items() for end in both if _is_sentinel(end)}
    if not suspects:
        return {}
    try:
        rest, _ = band_statistics(source, shown, without=suspects)
    except UploadError:  # it has no other value
        return {}
    found = {}
    for each in rest:
        value = suspects.get(each["band"])
        if value is not None and each["min"] is not None:
            nearest = min(abs(each["min"] - value), abs(each["max"] - value))
            if nearest > each["max"] - each["min"]:
                found[each["band"]] = value
    return found


def _is_sentinel(value: float) -> bool:
    return value in SENTINELS or abs(value) >= SENTINELS_BEYOND


def band_statistics(
    source: rasterio.DatasetReader, shown: str, without: Mapping[int, float] | None = None
) -> tuple[list[dict[str, Any]], bool]:
    """Minimum, maximum, mean and standard deviation of each band, and whether they come from a sample.

    Complex pixels are described by their amplitude; a band's value in `without` is left out. Raises
    UploadError when no pixel has a value.
    """
    left_out = without or {}
    bands = list(range(1, min(source.count, DESCRIBED_BANDS) + 1))
    exact = source.width * source.height * len(bands) <= EXACT_VALUES
    windows = _all_windows(source) if exact else _sample(source)
    found = _read(source, bands, windows, left_out, overview=not exact)
    if not any(moments.count for moments, _ in found):
        if not exact:
            found = _until_a_value(source, bands, left_out)
        if not any(moments.count for moments, _ in found):
            raise UploadError(
                f"{shown} has no pixel with a value: all are nodata or not a number; export it again."
            )
    return [_plain(number, *each) for number, each in zip(bands, found, strict=True)], not exact


def _read(
    source: rasterio.DatasetReader,
    bands: list[int],
    windows: Iterator[Window],
    left_out: Mapping[int, float],
    *,
    overview: bool,
) -> list[tuple[Moments, int]]:
    found = [(Moments(), 0) for _ in bands]
    if overview and (factors := source.overviews(1)) and (shape := _overview_shape(source, factors)):
        windows = iter([Window(0, 0, source.width, source.height)])
    else:
        shape = None
    for window in windows:
        for index, band in enumerate(bands):
            values = source.read(band, window=window, out_shape=shape)
            mask = source.read_masks(band, window=window, out_shape=shape)
            if band in left_out and (nothing := is_nodata(values, left_out[band])) is not None:
                mask = np.where(nothing, 0, mask)
            moments, pixels = found[index]
            found[index] = (moments.joined(Moments.of(_valid(values, mask))), pixels + values.size)
    return found


def _overview_shape(source: rasterio.DatasetReader, factors: list[int]) -> tuple[int, int] | None:
    """The finest overview of at most 4 million pixels, which is then read as it is stored."""
    for factor in sorted(factors):
        rows, columns = -(-source.height // factor), -(-source.width // factor)
        if rows * columns <= 4_000_000:
            return rows, columns
    return None


def _valid(values: NDArray[Any], mask: NDArray[np.uint8]) -> NDArray[Any]:
    if np.iscomplexobj(values):
        values = np.abs(values)
    flat = values[mask > 0]
    return flat[np.isfinite(flat)] if flat.dtype.kind == "f" else flat


def _all_windows(source: rasterio.DatasetReader) -> Iterator[Window]:
    """Whole blocks side by side, about a million pixels each."""
    rows, columns = _piece(source)
    for row in range(0, source.height, rows):
        for column in range(0, source.width, columns):
            yield Window(column, row, min(columns, source.width - column), min(rows, source.height - row))


def _piece(source: rasterio.DatasetReader) -> tuple[int, int]:
    block_rows, block_columns = source.block_shapes[0]
    columns = min(source.width, max(1, _PIECE_PX // block_columns) * block_columns)
    rows = min(source.height, max(1, _PIECE_PX**2 // max(1, columns) // block_rows) * block_rows)
    return rows, columns


def _sample(source: rasterio.DatasetReader) -> Iterator[Window]:
    """Pieces spread evenly over the raster."""
    rows, columns = _piece(source)
    down, across = math.ceil(source.height / rows), math.ceil(source.width / columns)
    count = down * across
    for number in range(min(count, SAMPLE_BLOCKS)):
        place = number * count // min(count, SAMPLE_BLOCKS)
        # Neighbours in the list lie in other columns too: a step that fits the width would read one strip.
        row, column = divmod(place, across)
        column = (column + number * 7) % across
        left, top = column * columns, row * rows
        yield Window(left, top, min(columns, source.width - left), min(rows, source.height - top))


def _until_a_value(
    source: rasterio.DatasetReader, bands: list[int], left_out: Mapping[int, float]
) -> list[tuple[Moments, int]]:
    """The whole raster, up to the first piece in which some band has a value."""
    for window in _all_windows(source):
        found = _read(source, bands, iter([window]), left_out, overview=False)
        if any(moments.count for moments, _ in found):
            return found
    return [(Moments(), 0) for _ in bands]


def _plain(number: int, moments: Moments, pixels: int) -> dict[str, Any]:
    if not moments.count:
        return {"band": number, "valid_pct": 0.0, "min": None, "max": None, "mean": None, "std": None}
    return {
        "band": number,
        "valid_pct": round(100 * moments.count / pixels, 3),
        "min": moments.minimum,
        "max": moments.maximum,
        "mean": round(moments.mean, 6),
        "std": round(moments.std, 6),
    }
