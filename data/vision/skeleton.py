"""A mask of bands thinned to lines one pixel wide, and those taken apart into the edges of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_AROUND = np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], dtype=np.uint8)


@dataclass(frozen=True)
class Line:
    """One edge: its pixels in order, (n, 2) of column and row, and the numbers of the nodes at its ends."""

    points: NDArray[np.float64]
    first: int
    last: int


def lines_of(mask: NDArray[np.bool_], apart: NDArray[Any], *, least_px: float) -> list[Line]:
    """The centre lines of a mask's bands, from junction to junction.

    Thinning by Zhang and Suen (1984), A fast parallel algorithm for thinning digital patterns, CACM 27(3),
    236-239. Spurs no longer than the band is wide (`apart` is the distance to its side) or than `least_px`
    are taken off, and so are pieces shorter than that which hang on nothing; twice, since what is left
    becomes longer lines.
    """
    from skimage.morphology import skeletonize

    skeleton = skeletonize(mask)  # type: ignore[no-untyped-call]
    for _ in range(2):
        lines = traced(skeleton)
        degrees = _degrees(lines)
        gone = [each for each in lines if _is_spur(each, degrees, apart, least_px)]
        if not gone:
            return lines
        for each in gone:
            inner = each.points[
                (1 if degrees[each.first] > 1 else 0) : (-1 if degrees[each.last] > 1 else None)
            ].astype(int)
            skeleton[inner[:, 1], inner[:, 0]] = False
        skeleton = skeletonize(skeleton)  # type: ignore[no-untyped-call]
    return [each for each in traced(skeleton) if len(each.points) > 1]


def traced(skeleton: NDArray[np.bool_]) -> list[Line]:
    """The lines of a skeleton: what lies between pixels that have another number of neighbours than two.

    Junction pixels that touch are one node, its place their mean. A ring without a junction is one line whose
    ends are the same node.
    """
    from scipy.ndimage import convolve, label

    rows, columns = np.nonzero(skeleton)
    if not len(rows):
        return []
    beside = convolve(skeleton.astype(np.uint8), _AROUND, mode="constant")
    knots, count = label(skeleton & (beside != 2), np.ones((3, 3)))
    sums = np.zeros((count + 1, 3))
    at = np.nonzero(knots)
    np.add.at(sums, knots[at], np.column_stack([at[1], at[0], np.ones(len(at[0]))]))
    middles = sums[:, :2] / np.maximum(sums[:, 2:], 1)
    left = {
        (int(row), int(column)) for row, column in zip(rows, columns, strict=True) if not knots[row, column]
    }
    lines: list[Line] = []
    for row, column in zip(*at, strict=True):
        for start in _beside((int(row), int(column))):
            if start in left:
                points, last = _walk(start, int(knots[row, column]), knots, left)
                ends = [middles[knots[row, column]], *points, *([middles[last]] if last else [])]
                lines.append(Line(np.array(ends), int(knots[row, column]), last or count + len(lines) + 1))
    while left:
        start = min(left)
        points, _ = _walk(start, 0, knots, left)
        node = count + len(lines) + 1
        lines.append(Line(np.array([*points, points[0]]), node, node))
    return lines


def _walk(
    start: tuple[int, int], home: int, knots: NDArray[Any], left: set[tuple[int, int]]
) -> tuple[list[tuple[float, float]], int]:
    """The pixels (column, row) from `start` on, taken out of `left`, and the node that ends them or 0."""
    points, here = [], start
    while True:
        left.discard(here)
        points.append((float(here[1]), float(here[0])))
        around = [each for each in _beside(here) if _inside(each, knots)]
        onward = next((each for each in around if each in left), None)
        ends = [int(knots[each]) for each in around if knots[each]]
        other = next((each for each in ends if each != home), None)
        # A line that leaves its node has that node beside it for its first pixels.
        if other is not None:
            return points, other
        if onward is None:
            return points, ends[0] if ends else 0
        here = onward


def _beside(at: tuple[int, int]) -> list[tuple[int, int]]:
    """The pixels around one, those that share a side first."""
    row, column = at
    steps = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
    return [(row + down, column + right) for down, right in steps]


def _inside(at: tuple[int, int], knots: NDArray[Any]) -> bool:
    return bool(0 <= at[0] < knots.shape[0] and 0 <= at[1] < knots.shape[1])


def _degrees(lines: list[Line]) -> dict[int, int]:
    degrees: dict[int, int] = {}
    for each in lines:
        for node in (each.first, each.last):
            degrees[node] = degrees.get(node, 0) + 1
    return degrees


def _is_spur(line: Line, degrees: dict[int, int], apart: NDArray[Any], least_px: float) -> bool:
    """Whether a line ends in nothing and is no longer than chance makes them."""
    if degrees[line.first] > 1 and degrees[line.last] > 1:
        return False
    steps = np.diff(line.points, axis=0)
    length = float(np.hypot(steps[:, 0], steps[:, 1]).sum())
    inside = line.points.round().astype(int)
    wide = 2 * float(apart[inside[:, 1], inside[:, 0]].max())
    alone = degrees[line.first] == degrees[line.last] == 1
    return length < (least_px if alone else max(wide, least_px / 2))
