"""Which part of an image is drawn, with what pixels, and fields that look the same in every part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import floor

import cv2
import numpy as np
from affine import Affine
from numpy.typing import NDArray

from data.rendered.subject import Item, Subject
from data.scenes.model import COVERS
from data.scenes.noise import fractal
from data.scenes.plan import Plan

Field = NDArray[np.float32]
MOST_PX = 512
"""A side of what is shown."""
_FAR = 10_000
"""Cells of a grid that an image may have on either side."""
_GRID = 192
"""Cells a side of what is worked out coarsely."""


@dataclass(frozen=True)
class Window:
    """A part of an image: its middle in metres from the image's, x east and y south, and its pixels."""

    x_m: float
    y_m: float
    width_px: int
    height_px: int
    gsd_m: float

    def places(self, subject: Subject) -> Affine:
        """From (column, row) to longitude and latitude."""
        west, south, east, north = subject.box
        across, down = subject.size_m
        lon, lat = (east - west) / across, (north - south) / down
        left = (west + east) / 2 + (self.x_m - self.width_px * self.gsd_m / 2) * lon
        top = (south + north) / 2 - (self.y_m - self.height_px * self.gsd_m / 2) * lat
        return Affine(self.gsd_m * lon, 0.0, left, 0.0, -self.gsd_m * lat, top)

    def is_whole(self, subject: Subject) -> bool:
        """Whether it shows all of the image, within a pixel."""
        across, down = subject.size_m
        return (
            self.width_px * self.gsd_m > across - 1.5 * self.gsd_m
            and self.height_px * self.gsd_m > down - 1.5 * self.gsd_m
        )

    def holds(self, item: Item) -> bool:
        """Whether the middle of a listed object lies in it."""
        return (
            abs(item.x_m - self.x_m) <= self.width_px * self.gsd_m / 2
            and abs(item.y_m - self.y_m) <= self.height_px * self.gsd_m / 2
        )


def whole(subject: Subject, most_px: int = MOST_PX) -> Window:
    """All of an image, its pixels as coarse as needed for no side to be longer than `most_px`."""
    by = max(1.0, max(subject.width_px, subject.height_px) / most_px)
    size = (max(1, round(subject.width_px / by)), max(1, round(subject.height_px / by)))
    return Window(0.0, 0.0, *size, subject.gsd_m * by)


def close_up(subject: Subject, most_px: int = MOST_PX) -> Window:
    """As much as fits at the image's own pixels, where most of its objects are."""
    width, height = min(subject.width_px, most_px), min(subject.height_px, most_px)
    x = _crowded([each.x_m for each in subject.items], width * subject.gsd_m, subject.size_m[0])
    y_seen = [each.y_m for each in subject.items if abs(each.x_m - x) <= width * subject.gsd_m / 2]
    y = _crowded(y_seen, height * subject.gsd_m, subject.size_m[1])
    return Window(x, y, width, height, subject.gsd_m)


def _crowded(places: Sequence[float], span: float, whole_span: float) -> float:
    """The middle of the stretch of that span with most places in it, within the whole one."""
    room = max(0.0, (whole_span - span) / 2)
    if not places or room == 0:
        return 0.0
    spots = np.sort(np.asarray(places))
    counts = np.searchsorted(spots, spots + span * 0.9) - np.arange(len(spots))
    first = int(np.argmax(counts))
    inside = spots[first : first + int(counts[first])]
    return float(np.clip((inside[0] + inside[-1]) / 2, -room, room))


class Streams:
    """Random streams of an image, one a number: the same in every window, whatever else is drawn."""

    def __init__(self, subject: Subject, purpose: int) -> None:
        self._bits = np.random.PCG64([subject.seed, purpose])
        self._start = self._bits.state
        self._drawn = np.random.Generator(self._bits)

    def at(self, number: int) -> np.random.Generator:
        """The stream of a number from 0 on, from its beginning; the one before it is then done with."""
        self._bits.state = self._start
        self._bits.advance(number << 20)
        return self._drawn


@dataclass(frozen=True)
class Canvas:
    """A plan over a window, and where things of the image lie on it."""

    plan: Plan
    window: Window
    subject: Subject

    def local(self, x_m: float, y_m: float) -> tuple[float, float]:
        """Metres from the image's middle as metres from the window's."""
        return x_m - self.window.x_m, y_m - self.window.y_m

    def reaches(self, x_m: float, y_m: float, reach_m: float) -> bool:
        """Whether something of that reach about a place, in metres from the image's middle, may show."""
        x, y = self.local(x_m, y_m)
        height, width = self.plan.size
        gsd = self.window.gsd_m
        return abs(x) < width * gsd / 2 + reach_m and abs(y) < height * gsd / 2 + reach_m

    def grid(self, step_m: float) -> Iterator[tuple[int, float, float]]:
        """Cells of the image that the window meets: a number of its own each, and its corner in metres."""
        half = self.plan.size[1] * self.window.gsd_m / 2, self.plan.size[0] * self.window.gsd_m / 2
        first = [
            floor((at - reach) / step_m)
            for at, reach in zip((self.window.x_m, self.window.y_m), half, strict=True)
        ]
        last = [
            floor((at + reach) / step_m)
            for at, reach in zip((self.window.x_m, self.window.y_m), half, strict=True)
        ]
        for column in range(first[0], last[0] + 1):
            for row in range(first[1], last[1] + 1):
                yield (column + _FAR) * 2 * _FAR + row + _FAR, column * step_m, row * step_m

    def field(self, number: int, cell_m: float) -> Field:
        """(h, w) of smooth noise of the image: the same ground in every window, deviation 1."""
        across, down = self.subject.size_m
        step = max(cell_m / 6, max(across, down) / _GRID)
        shape = (int(down / step) + 3, int(across / step) + 3)
        coarse = fractal(np.random.default_rng([self.subject.seed, 7, number]), shape, cell_m / step, 3)
        return self._seen(coarse, step, -across / 2 - step, -down / 2 - step)

    def distance_m(self, items: Sequence[Item], reach_m: float, *, square: bool = False) -> Field:
        """(h, w): how far the nearest of the items is, up to about `reach_m`; along rows and columns, the
        longer of the two, where the lines of equal distance are to be square."""
        height, width = self.plan.size
        if not items:
            return np.full((height, width), np.float32(1e9))
        gsd = self.window.gsd_m
        step = max(gsd, max(width, height) * gsd / 320)
        left, top = -width * gsd / 2 - reach_m, -height * gsd / 2 - reach_m
        columns, rows = int(-2 * left / step) + 1, int(-2 * top / step) + 1
        free = np.full((rows, columns), 255, np.uint8)
        spots = np.array([self.local(each.x_m, each.y_m) for each in items])
        at = np.floor((spots - [left, top]) / step).astype(int)
        inside = (at >= 0).all(axis=1) & (at[:, 0] < columns) & (at[:, 1] < rows)
        if not inside.any():
            return np.full((height, width), np.float32(1e9))
        free[at[inside, 1], at[inside, 0]] = 0
        found = np.asarray(
            cv2.distanceTransform(free, cv2.DIST_C if square else cv2.DIST_L2, 3 if square else 5)
            * np.float32(step),
            np.float32,
        )
        return self._seen(found, step, left + self.window.x_m, top + self.window.y_m)

    def _seen(self, coarse: Field, step: float, left: float, top: float) -> Field:
        """A field of the image, its first cell's corner at (left, top), as the window's pixels see it."""
        height, width = self.plan.size
        gsd = self.window.gsd_m
        scale = gsd / step
        x = (self.window.x_m - width * gsd / 2 - left) / step + 0.5 * scale - 0.5
        y = (self.window.y_m - height * gsd / 2 - top) / step + 0.5 * scale - 0.5
        matrix = np.array([[scale, 0.0, x], [0.0, scale, y]])
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return np.asarray(
            cv2.warpAffine(coarse, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE),
            np.float32,
        )

    def cover(self, mask: NDArray[np.bool_], name: str) -> None:
        """Lay a cover where the mask is true."""
        self.plan.covers[mask] = COVERS.index(name)
