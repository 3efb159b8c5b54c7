"""Oriented boxes: corners, how much two share, and one box an object where several windows saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

MARGIN_PX = 32.0
"""Further than this from a window's border an object is seen as well as anywhere."""
SAME = 0.5
"""Two boxes of one class from two windows with more in common than this are one object."""
TURNED_SAME = 0.3
"""Turned boxes fit so closely that two of one class that share this much are one object."""
COVERED = 0.6
"""A cut piece with more of its area than this inside another box of its class is a part of that object."""
JOINED = 0.15
"""Two cut pieces are of one object when they share more than this of the smaller."""


def corners_of(boxes: ArrayLike) -> NDArray[np.float64]:
    """(k, 5) of centre x, y, width, height and angle (radians, clockwise on screen) as (k, 4, 2) corners."""
    x, y, width, height, angle = np.asarray(boxes, dtype=np.float64).reshape(-1, 5).T
    cosine, sine = np.cos(angle), np.sin(angle)
    along = np.stack([cosine, sine], axis=1) * (width / 2)[:, None]
    across = np.stack([-sine, cosine], axis=1) * (height / 2)[:, None]
    centre = np.stack([x, y], axis=1)
    return np.stack(
        [centre - along - across, centre + along - across, centre + along + across, centre - along + across],
        axis=1,
    )


def upright(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The upright boxes around (k, 4, 2) corners, as corners."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    return np.stack(
        [low, np.stack([high[:, 0], low[:, 1]], 1), high, np.stack([low[:, 0], high[:, 1]], 1)], axis=1
    )


def areas_of(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """The areas of convex outlines (k, n, 2), by the shoelace formula."""
    x, y = corners[..., 0], corners[..., 1]
    doubled = (x * np.roll(y, -1, axis=-1) - y * np.roll(x, -1, axis=-1)).sum(axis=-1)
    area: NDArray[np.float64] = np.abs(doubled) / 2
    return area


def kept_by_nms(
    corners: NDArray[np.float64],
    classes: NDArray[np.int64],
    scores: NDArray[np.float64],
    iou: float = SAME,
    order: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Which boxes stay, class by class: of those that share more than `iou` of their union, the first.

    `order` is that of preference; without it the higher score comes first, and of equals the earlier.
    """
    if len(corners) == 0:
        return np.zeros(0, dtype=np.int64)
    if order is None:
        order = np.argsort(-scores, kind="stable")
    partners: dict[int, list[int]] = {}
    for one, two, shared in overlaps(corners, classes):
        if shared.iou > iou:
            partners.setdefault(one, []).append(two)
            partners.setdefault(two, []).append(one)
    gone = np.zeros(len(corners), dtype=bool)
    kept = []
    for at in order.tolist():
        if gone[at]:
            continue
        kept.append(at)
        gone[partners.get(at, [])] = True
    return np.asarray(kept, dtype=np.int64)


@dataclass(frozen=True)
class Shared:
    """How much two boxes have in common."""

    iou: float
    """Of their union."""
    of_one: float
    """Of the first's area."""
    of_two: float


def overlaps(corners: NDArray[np.float64], classes: NDArray[np.int64]) -> Iterator[tuple[int, int, Shared]]:
    """Each pair of boxes of one class that meet, the smaller index first, in order."""
    import shapely

    shapes = shapely.polygons(corners)
    areas = np.maximum(areas_of(corners), 1e-9)
    one, two = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    pairs = (one < two) & (classes[one] == classes[two])
    one, two = one[pairs], two[pairs]
    order = np.lexsort((two, one))
    one, two = one[order], two[order]
    shared = shapely.area(shapely.intersection(shapes[one], shapes[two]))
    union = np.maximum(areas[one] + areas[two] - shared, 1e-9)
    for first, second, common, whole in zip(
        one.tolist(), two.tolist(), shared.tolist(), union.tolist(), strict=True
    ):
        yield first, second, Shared(common / whole, common / areas[first], common / areas[second])


def iou_table(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
    """(k, m) of what each pair of (k, 4, 2) and (m, 4, 2) boxes shares of its union."""
    import shapely

    if not len(one) or not len(two):
        return np.zeros((len(one), len(two)))
    first, second = shapely.polygons(one)[:, None], shapely.polygons(two)[None, :]
    shared = shapely.area(shapely.intersection(first, second))
    union = areas_of(one)[:, None] + areas_of(two)[None, :] - shared
    table: NDArray[np.float64] = shared / np.maximum(union, 1e-9)
    return table


@dataclass(frozen=True)
class Seen:
    """What the windows saw, in pixels of the whole image; the arrays are of one length."""

    corners: NDArray[np.float64]
    classes: NDArray[np.int64]
    scores: NDArray[np.float64]
    margins: NDArray[np.float64]
    """How far the object is from the nearest border of its window that is not one of the image, pixels."""
    windows: NDArray[np.int64]
    """The number of the window that saw it."""
    outlines: tuple[NDArray[np.float64], ...] | None = None

    def taken(self, indices: NDArray[np.int64]) -> Seen:
        """Those of these indices."""
        outlines = None if self.outlines is None else tuple(self.outlines[at] for at in indices.tolist())
        return Seen(
            self.corners[indices],
            self.classes[indices],
            self.scores[indices],
            self.margins[indices],
            self.windows[indices],
            outlines,
        )

    @classmethod
    def joined(cls, parts: Sequence[Seen]) -> Seen:
        """What several windows saw."""
        if not parts:
            none = np.zeros(0, dtype=np.int64)
            return cls(np.zeros((0, 4, 2)), none, np.zeros(0), np.zeros(0), none)
        outlines = None
        if all(each.outlines is not None for each in parts):
            outlines = tuple(ring for each in parts for ring in each.outlines or ())
        return cls(
            np.concatenate([each.corners for each in parts]),
            np.concatenate([each.classes for each in parts]),
            np.concatenate([each.scores for each in parts]),
            np.concatenate([each.margins for each in parts]),
            np.concatenate([each.windows for each in parts]),
            outlines,
        )


def one_an_object(seen: Seen, *, cut_px: float = 1.5, iou: float = SAME) -> Seen:
    """What is left when an object that several windows saw counts once, best first.

    A box nearer than `cut_px` to an inner border is a piece of something cut there. Whole boxes come first,
    those further from a border before nearer ones (up to MARGIN_PX) and then by score; of two that share
    more than `iou` the later goes, and so does a piece of which a whole box holds more than COVERED. Pieces
    without a whole one are joined where they meet: that is an object wider than the overlap. So where the
    seams fall changes nothing for objects that the windows show alike (tests/data/vision/test_tiled.py).
    """
    if len(seen.scores) == 0:
        return seen
    order = np.lexsort((
        *np.round(seen.corners.reshape(len(seen.corners), -1), 3).T[::-1],
        -seen.scores,
        -np.minimum(seen.margins, MARGIN_PX),
    ))  # fmt: skip
    seen = seen.taken(order)
    cut = seen.margins < cut_px
    whole, pieces = seen.taken(np.flatnonzero(~cut)), seen.taken(np.flatnonzero(cut))
    ahead = np.arange(len(whole.scores))
    whole = whole.taken(kept_by_nms(whole.corners, whole.classes, whole.scores, iou, ahead))
    joined = _joined_pieces(_uncovered(pieces, whole))
    every = Seen.joined([whole, joined]) if len(joined.scores) else whole
    # A piece of a wide object may have been taken for a whole one by the window that held its middle.
    every = every.taken(_not_inside(every, len(whole.scores)))
    best = np.lexsort((every.corners[:, 0, 1], every.corners[:, 0, 0], -every.scores))
    return every.taken(best)


def _uncovered(pieces: Seen, whole: Seen) -> Seen:
    """The pieces that no whole box of their class holds."""
    if not len(pieces.scores) or not len(whole.scores):
        return pieces
    both = Seen.joined([pieces, whole])
    count = len(pieces.scores)
    covered = np.zeros(count, dtype=bool)
    for one, two, shared in overlaps(both.corners, both.classes):
        if one < count <= two and shared.of_one > COVERED:
            covered[one] = True
    return pieces.taken(np.flatnonzero(~covered))


def _joined_pieces(pieces: Seen) -> Seen:
    """Pieces of one class, seen by different windows, that share ground: one box around them.

    Both windows see the overlap, so two pieces of one object share a good part of the smaller; neighbours
    whose boxes merely brush each other do not.
    """
    count = len(pieces.scores)
    if count < 2:
        return pieces
    group = list(range(count))

    def root(at: int) -> int:
        while group[at] != at:
            group[at] = group[group[at]]
            at = group[at]
        return at

    for one, two, shared in overlaps(pieces.corners, pieces.classes):
        if pieces.windows[one] != pieces.windows[two] and max(shared.of_one, shared.of_two) > JOINED:
            group[root(two)] = root(one)
    members: dict[int, list[int]] = {}
    for at in range(count):
        members.setdefault(root(at), []).append(at)
    parts = [_around(pieces.taken(np.asarray(each))) for each in members.values()]
    return Seen.joined(parts)


def _around(pieces: Seen) -> Seen:
    """One box around pieces, turned as the largest of them is."""
    if len(pieces.scores) == 1:
        return pieces
    largest = int(np.argmax(areas_of(pieces.corners)))
    base = pieces.corners[largest]
    along = base[1] - base[0]
    length = float(np.hypot(*along))
    x = along / length if length > 1e-9 else np.array([1.0, 0.0])
    turned = np.stack([x, np.array([-x[1], x[0]])], axis=1)
    points = pieces.corners.reshape(-1, 2) @ turned
    low, high = points.min(axis=0), points.max(axis=0)
    box = np.array([low, [high[0], low[1]], high, [low[0], high[1]]]) @ turned.T
    outlines = None
    if pieces.outlines is not None:
        outlines = (_union(pieces.outlines),)
    best = int(np.argmax(pieces.scores))
    one = slice(best, best + 1)
    return Seen(
        box[None], pieces.classes[one], pieces.scores[one], pieces.margins[one], pieces.windows[one], outlines
    )


def _union(outlines: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    import shapely

    joined = shapely.union_all([shapely.make_valid(shapely.Polygon(each)) for each in outlines])
    parts = [each for each in getattr(joined, "geoms", [joined]) if each.geom_type == "Polygon"]
    if not parts:
        return outlines[0]
    largest = max(parts, key=lambda each: float(each.area))
    return np.asarray(largest.exterior.coords)[:-1]


def _not_inside(every: Seen, whole: int) -> NDArray[np.int64]:
    """All but the whole boxes that lie inside one that was joined from pieces."""
    gone = np.zeros(len(every.scores), dtype=bool)
    if 0 < whole < len(every.scores):
        for one, two, shared in overlaps(every.corners, every.classes):
            if one < whole <= two and shared.of_one > COVERED:
                gone[one] = True
    return np.flatnonzero(~gone)
