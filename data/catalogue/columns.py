"""A data set's columns in memory: which rows a selection takes, found without a database.

A statement costs DuckDB a millisecond or two to plan, and a place makes it look at each row. Here rows lie by
cells of a degree, so that a box or a circle looks at its own cells only; what is left is compared column by
column. What the columns cannot tell as DuckDB would raises Unanswered, and is asked of DuckDB.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import shapely

from data.catalogue.base import Attribute, Bbox, Selection
from data.catalogue.classes import class_ids
from data.catalogue.compile import class_masks, parse_day
from data.catalogue.fields import COLUMN_KINDS, PROPERTY_PREFIX, field_kind, property_key
from data.catalogue.geo import (
    EARTH_RADIUS_KM,
    circle_bbox,
    haversine_of_km,
    narrowest_bbox,
    normal_bbox,
    polygon_in_box,
    wrapped,
)
from data.schema import DatasetInfo

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

MOST_ROWS = 5_000_000
"""Larger data sets stay with DuckDB: a column of that many rows takes 40 MB."""
_ALL = slice(None)
_COLUMNS, _BANDS = 360, 180
_COMPARE = {
    "=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal,
    ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
_EPOCH = date(1970, 1, 1)
_DAY_US = 86_400_000_000
_YEAR_1000_US = (date(1000, 1, 1) - _EPOCH).days * _DAY_US

Rows: TypeAlias = "NDArray[np.intp] | slice"
"""Which rows are left: their places in the columns, or all."""


class Unanswered(Exception):
    """The columns do not tell; DuckDB does."""


@dataclass(frozen=True)
class Column:
    """One column in the order of the cells. Times are microseconds since 1970, texts are codes."""

    values: NDArray[Any]
    there: NDArray[np.bool_] | None
    """Which rows have a value; None when all do."""
    codes: dict[str, int] | None = None
    """Text -> code, of a column of texts."""

    @cached_property
    def levels(self) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """The different values of a column of numbers, rising, and for each row which of them is its own;
        one more than the last for a row without a value."""
        there = slice(None) if self.there is None else self.there
        values, known = np.unique(self.values[there], return_inverse=True)
        codes = np.full(len(self.values), len(values), np.int32)
        codes[there] = known
        return values, codes


class Columns:
    """One data set's columns, each read when it is first needed. Safe to use from several threads."""

    def __init__(self, info: DatasetInfo, read: Callable[[str], pa.ChunkedArray]) -> None:
        """`read` gives a column in the stored order: one of images, w0, w1 …, or properties.KEY."""
        self.info = info
        self._read = read
        self._columns: dict[str, Column] = {}
        self._lock = threading.Lock()
        self._order: NDArray[np.intp] | None = None
        self._starts: NDArray[np.intp] | None = None
        self._length = 0

    def chosen(self, selection: Selection) -> Rows:
        """The rows that a selection takes. It was compiled before: what cannot be read has been refused.

        Raises Unanswered.
        """
        shape = None if selection.geometry is None else polygon_in_box(selection.geometry)
        boxes = _boxes(selection, None if shape is None else shape[1])
        rows: Rows = _ALL
        for box in boxes:
            rows = self._cells(box) if isinstance(rows, slice) else rows
        everywhere = isinstance(rows, slice)
        if everywhere:  # the classes leave the fewest, and are quick to tell
            rows = self._classed(rows, selection)
        for box in boxes:
            rows = self._in_box(rows, box)
        for attribute in selection.attributes:
            rows = self._with(rows, attribute)
        rows = self._dated(rows, selection)
        if not everywhere:
            rows = self._classed(rows, selection)
        rows = self._in_circle(rows, selection)
        return rows if shape is None else self._covered(rows, shape[0])

    def count(self, rows: Rows) -> int:
        """How many rows those are."""
        return self._rows() if isinstance(rows, slice) else len(rows)

    def extremes(self, rows: Rows) -> tuple[float, ...] | None:
        """How far the rows' boxes reach: west and east in -180..180 and in 0..360, south and north.

        As engine._extremes_sql; None without a row. Raises Unanswered.
        """
        if self.count(rows) == 0:
            return None
        sides = [self._whole(name).values[rows] for name in ("west", "east", "south", "north")]
        west, east, south, north = sides
        shifted_west, shifted_east = (np.where(side < 0, side + 360, side) for side in (west, east))
        around, shifted_around = west > east, shifted_west > shifted_east
        found = (
            np.where(around, -180.0, west).min(),
            np.where(around, 180.0, east).max(),
            np.where(shifted_around, 0.0, shifted_west).min(),
            np.where(shifted_around, 360.0, shifted_east).max(),
            south.min(),
            north.max(),
        )
        return tuple(float(each) for each in found)

    def groups(self, rows: Rows, by: str, total: str | None) -> list[tuple[Any, int]]:
        """(value, rows) for each value of a column, or year, month or day; None: without a value.

        With `total`, the sum of that column of whole numbers in place of the rows. Raises Unanswered.
        """
        weights = None if total is None else self._whole(total).values[rows]
        if by in ("year", "month", "day"):
            return self._by_time(rows, by[0].upper(), weights)
        if by == "dataset":
            total_of_all = self.count(rows) if weights is None else int(weights.sum())
            return [(self.info.name, total_of_all)] if total_of_all else []
        if field_kind(self.info, by) in (None, "time"):
            raise Unanswered
        column = self.column(_stored(by))
        if column.codes is None:
            return _by_number(column, rows, weights)
        counts = np.bincount(column.values[rows] + 1, weights, len(column.codes) + 1)
        names: list[str | None] = [None, *column.codes]
        return [(name, int(n)) for name, n in zip(names, counts.tolist(), strict=True) if n]

    def column(self, name: str) -> Column:
        """A column by its name, in the order of the cells. Raises Unanswered."""
        with self._lock:
            if name not in self._columns:
                if self._order is None:
                    self._arrange()
                self._columns[name] = self._ordered(_column(self._read(name)))
            return self._columns[name]

    # -- narrowing ------------------------------------------------------------------------------

    def _cells(self, box: Bbox) -> Rows:
        """The rows of the cells that a box touches; all where that is most of them."""
        self.column("lon")
        assert self._starts is not None
        west, south, east, north = box
        bands: NDArray[np.intp] = np.arange(_cell(south, _BANDS), _cell(north, _BANDS) + 1) * _COLUMNS
        first, last = _cell(west, _COLUMNS), _cell(east, _COLUMNS)
        if west > east and last >= first:
            return _ALL  # all the way around: both ends lie in one cell
        spans = [(first, last)] if west <= east else [(0, last), (first, _COLUMNS - 1)]
        begins = np.concatenate([self._starts[bands + low] for low, _ in spans])
        ends = np.concatenate([self._starts[bands + high + 1] for _, high in spans])
        lengths = ends - begins
        # As in SQL, a box all the way around takes a row without a longitude too.
        unplaced = self._starts[-1] < self._length and (west, east) == (-180.0, 180.0)
        if unplaced or lengths.sum() * 2 > self._length:
            return _ALL
        # The places begin, begin + 1, … end - 1 of every span, one after another.
        skipped = np.repeat(begins - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
        places: NDArray[np.intp] = np.arange(len(skipped)) + skipped
        return places

    def _in_box(self, rows: Rows, box: Bbox) -> Rows:
        west, south, east, north = box
        lat = self._real("lat")[rows]
        rows = _kept(rows, (lat >= south) & (lat <= north))
        lon = self._real("lon")[rows]
        if west > east:
            return _kept(rows, (lon >= west) | (lon <= east))
        return rows if (west, east) == (-180.0, 180.0) else _kept(rows, (lon >= west) & (lon <= east))

    def _in_circle(self, rows: Rows, selection: Selection) -> Rows:
        """The rows within the circle. Raises Unanswered for one on its border: DuckDB's sine decides."""
        if not _has_circle(selection):
            return rows
        assert selection.center is not None and selection.radius_km is not None
        lon, lat = selection.center
        up, across = self._real("lat")[rows], self._real("lon")[rows]
        sines = np.sin(np.radians(up - lat) / 2) ** 2, np.sin(np.radians(across - lon) / 2) ** 2
        far = sines[0] + np.cos(np.radians(up)) * math.cos(math.radians(lat)) * sines[1]
        border = haversine_of_km(selection.radius_km)
        if np.any(np.abs(far - border) <= 1e-9 * border + 1e-18):
            raise Unanswered
        return _kept(rows, far <= border)

    def _covered(self, rows: Rows, shape: shapely.Geometry) -> Rows:
        """The rows that a shape covers, its border included."""
        shapely.prepare(shape)
        return _kept(rows, shapely.intersects_xy(shape, self._real("lon")[rows], self._real("lat")[rows]))

    def _dated(self, rows: Rows, selection: Selection) -> Rows:
        if selection.start is None and selection.end is None:
            return rows
        acquired = self.column("acquired")
        keep = np.True_ if acquired.there is None else acquired.there[rows]
        times = acquired.values[rows]
        if selection.start is not None:
            keep = keep & (times >= _midnight_us(parse_day(selection.start)))
        if selection.end is not None and (end := parse_day(selection.end)) != date.max:
            keep = keep & (times < _midnight_us(end + timedelta(days=1)))
        return rows if keep is np.True_ else _kept(rows, np.asarray(keep))

    def _classed(self, rows: Rows, selection: Selection) -> Rows:
        if not selection.classes:
            return rows
        words = [class_ids(self.info, word) for word in selection.classes]
        for ids in words if selection.match == "all" else [frozenset().union(*words)]:
            keep: Any = np.False_
            for word, mask in class_masks(ids).items():
                keep = keep | ((self.column(f"w{word}").values[rows] & np.int64(mask)) != 0)
            rows = _kept(rows, keep)
        return rows

    def _with(self, rows: Rows, attribute: Attribute) -> Rows:
        kind = field_kind(self.info, attribute.field)
        values = attribute.value if attribute.op == "in" else (attribute.value,)
        op = "=" if attribute.op == "in" else attribute.op
        if attribute.field == "dataset" or kind == "time" or op not in _COMPARE:
            raise Unanswered
        column = self.column(_stored(attribute.field))
        here = column.values[rows]
        keep: Any = np.False_
        for value in values:
            keep = keep | _compared(column, here, op, value)
        if column.there is not None:
            keep = keep & column.there[rows]
        return _kept(rows, keep)

    # -- reading --------------------------------------------------------------------------------

    def _rows(self) -> int:
        self.column("lon")
        return self._length

    def _real(self, name: str) -> NDArray[np.float64]:
        """A column of numbers in which what is missing is no number, and so in no box."""
        return self.column(name).values

    def _whole(self, name: str) -> Column:
        """A column in which nothing is missing. Raises Unanswered."""
        column = self.column(name)
        if column.there is not None:
            raise Unanswered
        return column

    def _arrange(self) -> None:
        """Put the rows in the order of the cells; those without a place come last."""
        lon, lat = _column(self._read("lon")), _column(self._read("lat"))
        cells = _cells_of(lat.values, _BANDS) * _COLUMNS + _cells_of(lon.values, _COLUMNS)
        for each in (lon, lat):
            if each.there is not None:
                cells[~each.there] = _BANDS * _COLUMNS
        self._order = np.argsort(cells, kind="stable")
        self._length = len(cells)
        self._starts = np.searchsorted(cells[self._order], np.arange(_BANDS * _COLUMNS + 1))
        self._columns |= {"lon": self._ordered(lon), "lat": self._ordered(lat)}

    def _ordered(self, column: Column) -> Column:
        assert self._order is not None
        if len(column.values) != self._length:
            raise Unanswered  # the file was replaced between two columns
        there = None if column.there is None else column.there[self._order]
        return Column(column.values[self._order], there, column.codes)

    def _by_time(self, rows: Rows, unit: str, weights: NDArray[Any] | None) -> list[tuple[str | None, int]]:
        acquired = self.column("acquired")
        times = acquired.values[rows]
        there = np.ones(len(times), bool) if acquired.there is None else acquired.there[rows]
        periods = times[there].astype("datetime64[us]").astype(f"datetime64[{unit}]").astype(np.int64)
        if len(times) and times[there].min(initial=0) < _YEAR_1000_US:
            raise Unanswered  # how a year of three digits is written
        shares = None if weights is None else weights[there]
        first = int(periods.min()) if len(periods) else 0
        counts = np.bincount(periods - first, shares)
        names = np.datetime_as_string((np.arange(len(counts)) + first).astype(f"datetime64[{unit}]"))
        found: list[tuple[str | None, int]] = [
            (str(name), int(n)) for name, n in zip(names, counts.tolist(), strict=True) if n
        ]
        without = np.count_nonzero(~there) if weights is None else weights[~there].sum()
        return [*found, (None, int(without))] if without else found


def _by_number(column: Column, rows: Rows, weights: NDArray[Any] | None) -> list[tuple[Any, int]]:
    values, codes = column.levels
    counts = np.bincount(codes[rows], weights, len(values) + 1)
    found = np.flatnonzero(counts)
    names: list[Any] = values[found[found < len(values)]].tolist()
    if len(names) < len(found):
        names.append(None)
    return list(zip(names, counts[found].astype(np.int64).tolist(), strict=True))


def bounds(extremes: list[tuple[float, ...]]) -> Bbox | None:
    """The smallest box around what several data sets' rows reach; None where there are none."""
    if not extremes:
        return None
    lows, highs = ([way(each) for each in zip(*extremes, strict=True)] for way in (min, max))
    return narrowest_bbox((lows[0], highs[1]), (lows[2], highs[3]), lows[4], highs[5])


def _column(stored: pa.ChunkedArray) -> Column:
    """A stored column as an array. Raises Unanswered for values that numpy compares otherwise than SQL."""
    import pyarrow as pa

    array = stored.combine_chunks()
    there = None if array.null_count == 0 else array.is_valid().to_numpy(zero_copy_only=False)
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        coded = array.dictionary_encode()
        codes = {text: code for code, text in enumerate(coded.dictionary.to_pylist())}
        return Column(coded.indices.fill_null(-1).to_numpy(), there, codes)
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.timestamp("us")).cast(pa.int64())
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        raise Unanswered
    if not pa.types.is_floating(array.type):
        return Column(array.fill_null(0).to_numpy(zero_copy_only=False), there)
    values = array.to_numpy(zero_copy_only=False)  # no number where there is none
    if np.count_nonzero(np.isnan(values)) != array.null_count:
        raise Unanswered  # SQL holds a NaN for larger than any number
    return Column(values, there)


def _compared(column: Column, here: NDArray[Any], op: str, value: Any) -> Any:
    """Which values compare so, as compile._compare says it. Raises Unanswered."""
    if column.codes is None:
        return _COMPARE[op](here, float(value))
    if isinstance(value, bool):
        value = "true" if value else "false"
    if isinstance(value, int | float) or op not in ("=", "!="):
        raise Unanswered
    # A text that no row has gets a code that no row has, missing ones included.
    return _COMPARE[op](here, column.codes.get(str(value), -2))


def _stored(field: str) -> str:
    """The name under which a field is read: a column comes before a property."""
    return field if field in COLUMN_KINDS else f"{PROPERTY_PREFIX}{property_key(field)}"


def _has_circle(selection: Selection) -> bool:
    return (
        selection.center is not None
        and selection.radius_km is not None
        and selection.radius_km < math.pi * EARTH_RADIUS_KM
    )


def _boxes(selection: Selection, shape_box: Bbox | None) -> list[Bbox]:
    """The selection's box, and the boxes around its circle and its shape."""
    boxes = [normal_bbox(box) for box in (shape_box, selection.bbox) if box is not None]
    if _has_circle(selection):
        assert selection.center is not None and selection.radius_km is not None
        lon, lat = selection.center
        boxes.append(circle_bbox(wrapped(lon), lat, selection.radius_km))
    return boxes


def _kept(rows: Rows, keep: Any) -> Rows:
    if keep is np.False_:
        return np.empty(0, np.intp)
    if keep.all():
        return rows
    return np.flatnonzero(keep) if isinstance(rows, slice) else rows[keep]


def _cell(degrees: float, count: int) -> int:
    return int(min(max(math.floor(degrees + count / 2), 0), count - 1))


def _cells_of(degrees: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    floors = np.floor(np.nan_to_num(degrees, nan=0.0) + count / 2)
    return np.clip(floors, 0, count - 1).astype(np.intp)


def _midnight_us(day: date) -> int:
    return (day - _EPOCH).days * _DAY_US
