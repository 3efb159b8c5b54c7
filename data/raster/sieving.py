"""Take small patches out of a raster of classes, line by line, as GDAL's sieve filter does.

GDAL's own needs the whole result in memory when it is called from Python. Here three passes read the raster
strip by strip: one numbers the patches and counts their pixels, one finds the largest neighbour of each, and
one writes. What is held grows with the number of patches only. The rules, and the order in which equally
large neighbours are looked at, are those of gdalsievefilter.cpp (GDAL 3): the first of the largest wins,
and a patch whose largest neighbour is small too takes that one's, as far as that leads to a large one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import rasterio
from numba import njit
from numpy.typing import NDArray
from rasterio.windows import Window

from data.raster.windows import STRIP_PX, Grid, missing_in, readable

Numbers = NDArray[np.int32]


@dataclass(frozen=True)
class Strip:
    """Whole rows of a raster: their values, which of them are there, and the type that they are stored in."""

    window: Window
    values: Numbers
    known: NDArray[np.bool_]
    dtype: np.dtype[Any]


class Sieve:
    """The patches of an open raster's band, which may be given to `most` numbers while they are found."""

    def __init__(self, reader: rasterio.DatasetReader, band: int, min_px: int, diagonal: bool) -> None:
        self._reader, self._band, self._least, self._reach = reader, band, min_px, int(diagonal)
        self._into: Numbers = np.empty(0, np.int32)
        """By patch number: the value that its pixels get."""

    def find(self, most: int) -> bool:
        """Number the patches and decide what becomes of each; False when there are more than `most`."""
        # Pages of these that no patch needs are never touched, so they take no memory.
        root, value = np.empty(most, np.int32), np.empty(most, np.int32)
        size = np.zeros(most, np.int64)
        used = 0
        last = self._line()
        for strip in self.strips():
            used = _number(strip.values, strip.known, *last, self._reach, root, value, size, used)
            if used < 0:
                return False
        root, value, size = root[:used], value[:used], size[:used]
        _merge(root, size)
        largest = np.full(used, -1, np.int32)
        last, used = self._line(), 0
        for strip in self.strips():
            used = _meet(
                strip.values, strip.known, *last, self._reach, root, size, self._least, largest, used
            )
        self._into = _resolve(root, value, size, largest, self._least)
        return True

    def made(self) -> Iterator[tuple[Window, NDArray[Any], int]]:
        """The sieved strips from the top, in the raster's own type, with how many pixels changed in each."""
        last, used = self._line(), 0
        for strip in self.strips():
            values = strip.values.copy()
            used, changed = _give(values, strip.values, strip.known, *last, self._reach, self._into, used)
            yield strip.window, values.astype(strip.dtype, copy=False), changed

    def strips(self) -> Iterator[Strip]:
        """The raster from the top."""
        grid = Grid.of(self._reader)
        rows = max(1, STRIP_PX // grid.width)
        for row in range(0, grid.height, rows):
            window = Window(0, row, grid.width, min(rows, grid.height - row))
            with readable(self._reader, window):
                stored = self._reader.read(self._band, window=window)
                missing = missing_in(self._reader, self._band, window, stored)
            known = np.ones(stored.shape, bool) if missing is None else ~missing
            yield Strip(window, stored.astype(np.int32, copy=False), known, stored.dtype)

    def _line(self) -> tuple[Numbers, Numbers]:
        """The values and the patch numbers of the line before a strip; above the raster there are none."""
        width = self._reader.width
        return np.zeros(width, np.int32), np.full(width, -1, np.int32)


@njit(cache=True, nogil=True)
def _root(root: Any, at: int) -> int:
    """The number that stands for a patch, and a shorter way to it."""
    while root[at] != at:
        root[at] = root[root[at]]
        at = root[at]
    return at


@njit(cache=True, nogil=True)
def _join(root: Any, one: int, other: int) -> None:
    """Make two numbers one patch; the smaller stands for it."""
    one, other = _root(root, one), _root(root, other)
    if one < other:
        root[other] = one
    elif other < one:
        root[one] = other


@njit(cache=True, nogil=True)
def _end(values: Any, known: Any, start: int) -> int:
    """Where a run of equal pixels of a line ends."""
    end = start + 1
    while end < len(values) and known[end] and values[end] == values[start]:
        end += 1
    return end


@njit(cache=True, nogil=True)
def _over(above: Any, above_ids: Any, value: int, start: int, end: int) -> int:
    """The number of the first pixel of that value in a part of the line above; -1 where there is none."""
    for k in range(start, end):
        if above[k] == value and above_ids[k] >= 0:
            return int(above_ids[k])
    return -1


@njit(cache=True, nogil=True)
def _line_ids(line: Any, there: Any, above: Any, above_ids: Any, reach: int, ids: Any, used: int) -> int:
    """Number a line's runs of equal pixels: the first number of its value above it, else the next unused.

    Every pass calls this, so that all number alike. Gives how many numbers are used then.
    """
    columns = len(line)
    j = 0
    while j < columns:
        if not there[j]:
            ids[j] = -1
            j += 1
            continue
        end = _end(line, there, j)
        own = _over(above, above_ids, line[j], max(0, j - reach), min(columns, end + reach))
        if own < 0:
            own = used
            used += 1
        ids[j:end] = own
        j = end
    return used


@njit(cache=True, nogil=True)
def _number(
    values: Any, known: Any, last: Any, last_ids: Any, reach: int, root: Any, value_of: Any, size: Any,
    used: int,
) -> int:  # fmt: skip
    """Number a strip's runs on from `used`, count them and join what touches; -1 when numbers run out."""
    rows, columns = values.shape
    ids, above_ids = np.empty(columns, np.int32), last_ids.copy()
    for i in range(rows):
        line, there = values[i], known[i]
        above = values[i - 1] if i else last
        fresh = used
        used = _line_ids(line, there, above, above_ids, reach, ids, used)
        if used > len(root):
            return -1
        for each in range(fresh, used):
            root[each] = each
        j = 0
        while j < columns:
            own = ids[j]
            if own < 0:
                j += 1
                continue
            end = _end(line, there, j)
            value_of[own] = line[j]
            size[own] += end - j
            met = own
            for k in range(max(0, j - reach), min(columns, end + reach)):
                if above_ids[k] != met and above_ids[k] >= 0 and above[k] == line[j]:
                    met = above_ids[k]
                    _join(root, own, met)
            j = end
        ids, above_ids = above_ids, ids
    last[:] = values[rows - 1]
    last_ids[:] = above_ids
    return used


@njit(cache=True, nogil=True)
def _merge(root: Any, size: Any) -> None:
    """Point every number at the one that stands for its patch, which gets all the pixels."""
    for at in range(len(root)):
        top = _root(root, at)
        root[at] = top
        if top != at:
            size[top] += size[at]


@njit(cache=True, nogil=True)
def _compare(one: int, other: int, root: Any, size: Any, least: int, largest: Any) -> None:
    """Let two pixels' patches know each other as neighbours, where they are small."""
    if one < 0 or other < 0:
        return
    one, other = root[one], root[other]
    if one == other:
        return
    if size[one] < least and (largest[one] < 0 or size[largest[one]] < size[other]):
        largest[one] = other
    if size[other] < least and (largest[other] < 0 or size[largest[other]] < size[one]):
        largest[other] = one


@njit(cache=True, nogil=True)
def _meet(
    values: Any, known: Any, last: Any, last_ids: Any, reach: int, root: Any, size: Any, least: int,
    largest: Any, used: int,
) -> int:  # fmt: skip
    """Find the largest neighbour of each small patch in a strip.

    Each pixel meets the one above, the two across, and the one to the left, in this order. That a pair which
    has met is not compared again changes nothing.
    """
    rows, columns = values.shape
    ids, above_ids = np.empty(columns, np.int32), last_ids.copy()
    for i in range(rows):
        used = _line_ids(values[i], known[i], values[i - 1] if i else last, above_ids, reach, ids, used)
        met = -1
        for k in range(columns):
            own = ids[k]
            if own < 0:
                continue
            begins = k == 0 or ids[k - 1] != own
            if begins:
                met = own
            if above_ids[k] != met:
                met = above_ids[k]
                _compare(own, met, root, size, least, largest)
            if reach and k > 0 and above_ids[k - 1] != met:
                _compare(own, above_ids[k - 1], root, size, least, largest)
            if reach and k < columns - 1 and above_ids[k + 1] != met:
                _compare(own, above_ids[k + 1], root, size, least, largest)
            if begins and k > 0:
                _compare(own, ids[k - 1], root, size, least, largest)
        ids, above_ids = above_ids, ids
    last[:] = values[rows - 1]
    last_ids[:] = above_ids
    return used


@njit(cache=True, nogil=True)
def _resolve(root: Any, value: Any, size: Any, largest: Any, least: int) -> Any:
    """The value that each number's pixels get: that of the first large patch among largest neighbours."""
    to = np.full(len(root), -2, np.int32)  # -2 not looked at, -1 stays as it is, else the patch it goes to
    for start in range(len(root)):
        if root[start] != start or to[start] != -2:
            continue
        at = start
        while at >= 0 and to[at] == -2 and size[at] < least:
            to[at] = -1  # met again on the way it is a ring of small ones, which stays as it is
            at = largest[at]
        end = -1
        if at >= 0:
            end = at if size[at] >= least else to[at]
        at = start
        while end >= 0 and at >= 0 and at != end and size[at] < least and to[at] == -1:
            to[at] = end
            at = largest[at]
    into = np.empty(len(root), np.int32)
    for each in range(len(root)):
        top = root[each]
        into[each] = value[to[top]] if to[top] >= 0 else value[top]
    return into


@njit(cache=True, nogil=True)
def _give(
    made: Any, values: Any, known: Any, last: Any, last_ids: Any, reach: int, into: Any, used: int
) -> Any:
    """Give each pixel of a strip what its patch gets: (numbers used, how many changed)."""
    rows, columns = values.shape
    ids, above_ids = np.empty(columns, np.int32), last_ids.copy()
    changed = 0
    for i in range(rows):
        line = values[i]
        used = _line_ids(line, known[i], values[i - 1] if i else last, above_ids, reach, ids, used)
        for k in range(columns):
            if ids[k] >= 0 and into[ids[k]] != line[k]:
                made[i, k] = into[ids[k]]
                changed += 1
        ids, above_ids = above_ids, ids
    last[:] = values[rows - 1]
    last_ids[:] = above_ids
    return used, changed
