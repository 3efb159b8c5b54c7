"""Patches that are brighter than the sea around them: cut out at rising thresholds, and measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.vision.sea import FINE_M, Sea

LONGEST_M = 450.0
LEAST_DB, _MOST_DB, _STEPS_DB = 8.0, 24.0, 1.0
_LEAST_PX = 50
_NARROWEST = 16.0
"""Length over width: a patch beyond it, or longer than any ship, is not looked at further."""
_FULL = 0.35
_REACHES_M = (30.0, 150.0)
"""How far around a patch its surroundings are measured."""
_HIGHEST_DB = 30.0
_ALONG = np.linspace(0.1, 0.9, 9)
_NONE = -1.0
"""Where a feature has no value: its place lies outside the image."""
FEATURES = (
    "length_m", "width_m", "drawn_out", "full", "area_m2",
    "level_db", "mean_db", "most_db", "spread_db", "of_parent", "cut",
    "near_side_low_db", "near_side_high_db", "near_end_low_db", "near_end_high_db",
    "far_side_low_db", "far_side_high_db", "far_end_low_db", "far_end_high_db", "contrast_db",
    "around_30_db", "around_30_spread_db", "around_30_bright", "around_30_water",
    "around_150_db", "around_150_spread_db", "around_150_bright", "around_150_water",
)  # fmt: skip
"""What is measured of a patch, in this order. Decibels are over the clutter; `near` and `far` lie off the
two long sides and the two ends of its box, each with the darker and the brighter of the two; `around` is the
square that reaches so many metres beyond it: mean, spread, and the shares of bright pixels and of water.
`contrast_db` is over the darker long side: at a quay, the other one is bright too.
Nothing is counted in pixels, which would tie the trees to the pixels they were trained on."""


@dataclass
class Patch:
    """Pixels that are brighter than a threshold together."""

    where: tuple[slice, slice]
    pixels: NDArray[np.bool_]
    box: NDArray[np.float64]
    """(4, 2) corners in pixels of the image."""
    contrast_db: float
    """Over the darker side of its surroundings."""
    features: NDArray[np.float64] | None
    """As FEATURES names them; None for what no ship can be."""
    parts: list[int]
    parent: int | None
    likeness: float = 0.0
    """To a ship, whole and alone, 0 to 1."""


class Surroundings:
    """Sums over squares of a window, so that any patch's surroundings cost the same."""

    def __init__(
        self,
        contrast: NDArray[np.float32],
        candidates: NDArray[np.bool_],
        water: NDArray[np.bool_],
        sea: Sea,
    ) -> None:
        import cv2

        self.contrast, self.candidates = contrast, candidates
        self.sea = sea
        self.scale = min(1.0, FINE_M / sea.pixel_m)
        level = np.clip(contrast, -10, _HIGHEST_DB)
        self.sums = [
            cv2.integral(each)
            for each in (level, np.square(level), candidates.astype(np.uint8), water.astype(np.uint8))
        ]
        self.smooth = cv2.blur(level, (3, 3))

    def squares(self, corners: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 4) mean, spread, share of bright pixels, share of water; of (n, 4) left, top, right, bottom."""
        height, width = self.contrast.shape
        x0 = np.clip(corners[:, 0], 0, width - 1).astype(np.int64)
        y0 = np.clip(corners[:, 1], 0, height - 1).astype(np.int64)
        x1 = np.maximum(np.clip(corners[:, 2], 1, width).astype(np.int64), x0 + 1)
        y1 = np.maximum(np.clip(corners[:, 3], 1, height).astype(np.int64), y0 + 1)
        count = (x1 - x0) * (y1 - y0)
        made = np.column_stack(
            [(each[y1, x1] - each[y0, x1] - each[y1, x0] + each[y0, x0]) / count for each in self.sums]
        )
        made[:, 1] = np.sqrt(np.maximum(0.0, made[:, 1] - np.square(made[:, 0])))
        return np.asarray(made)

    def beyond(self, boxes: NDArray[np.float64], away: float) -> NDArray[np.float64]:
        """(n, 4) decibels so many pixels off the long sides (darker, brighter) and off the ends (the same) of
        boxes, (n, 4, 2)."""
        height, width = self.contrast.shape
        edges = np.roll(boxes, -1, axis=1) - boxes
        lengths = np.linalg.norm(edges, axis=2)
        middles = boxes + edges / 2
        outward = middles - boxes.mean(axis=1, keepdims=True)
        outward /= np.maximum(np.linalg.norm(outward, axis=2, keepdims=True), 1e-9)
        along = _ALONG[None, None, :, None]
        spots = boxes[:, :, None] + along * edges[:, :, None] + away * outward[:, :, None]
        columns, rows = (np.floor(spots[..., at]).astype(np.int64) for at in (0, 1))
        inside = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        seen = self.smooth[np.clip(rows, 0, height - 1), np.clip(columns, 0, width - 1)]
        each = np.sort(np.where(inside, seen, np.inf), axis=2)
        # The median of those inside the image: those outside were sorted to the end.
        count = inside.sum(axis=2)
        middle = np.take_along_axis(each, np.maximum(count - 1, 0)[:, :, None] // 2, axis=2)[:, :, 0]
        middle = np.where(count > 0, middle, _NONE)
        first = (lengths[:, 0] < lengths[:, 1]).astype(np.int64)
        row = np.arange(len(boxes))[:, None]
        sides = np.sort(middle[row, np.column_stack([first, first + 2])], axis=1)
        ends = np.sort(middle[row, np.column_stack([1 - first, 3 - first])], axis=1)
        return np.column_stack([sides, ends])


def tree_of(around: Surroundings, edges: tuple[bool, bool, bool, bool]) -> list[Patch]:
    """Patches at rising thresholds, each with the one that holds it; `edges`: which sides of the window are
    the image's (left, top, right, bottom)."""
    import cv2
    from scipy import ndimage

    joining = round(2 * around.scale)
    least_px = max(3.0, _LEAST_PX * around.scale**2)
    side = 2 * joining + 1
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    nodes: list[Patch] = []
    above: NDArray[np.int64] | None = None
    for limit in np.arange(LEAST_DB, _MOST_DB, _STEPS_DB):
        bright = around.candidates & (around.contrast > limit)
        if not bright.any():
            break
        if joining:
            bright = cv2.morphologyEx(bright.astype(np.uint8), cv2.MORPH_CLOSE, disk).astype(bool)
        labels, count = ndimage.label(bright, np.ones((3, 3)))
        sizes = np.bincount(labels.ravel(), minlength=count + 1)
        own = np.full(bright.shape, -1, np.int64)
        for number, where in enumerate(ndimage.find_objects(labels), start=1):
            if sizes[number] < least_px:
                continue
            pixels = labels[where] == number
            parent = None
            if above is not None:
                holders = above[where][pixels]
                holders = holders[holders >= 0]
                parent = int(np.bincount(holders).argmax()) if holders.size else None
            own[where][pixels] = len(nodes)
            share = 1.0
            if parent is not None:
                nodes[parent].parts.append(len(nodes))
                share = float(sizes[number]) / float(nodes[parent].pixels.sum())
            nodes.append(_patch(where, pixels, around, edges, float(limit), parent, share))
        above = own
    _measure([node for node in nodes if node.features is not None], around)
    return nodes


def _patch(
    where: tuple[slice, slice],
    pixels: NDArray[np.bool_],
    around: Surroundings,
    edges: tuple[bool, bool, bool, bool],
    limit: float,
    parent: int | None,
    share: float,
) -> Patch:
    """A patch with its box, and the first of its features."""
    import cv2

    rows, columns = np.nonzero(pixels)
    middle, sides, angle = cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))
    corner = np.array([where[1].start, where[0].start]) + 0.5
    sides = (sides[0] + 1, sides[1] + 1)
    box = cv2.boxPoints((middle, sides, angle)).astype(np.float64) + corner
    short, long = sorted(sides)
    area, pixel = float(len(rows)), around.sea.pixel_m
    full = area / (short * long)
    if long * pixel > LONGEST_M or long > _NARROWEST * short or full < _FULL:
        return Patch(where, pixels, box, 0.0, None, [], parent)
    inside = around.contrast[where][pixels]
    height, width = around.contrast.shape
    ends = (where[1].start == 0, where[0].start == 0, where[1].stop == width, where[0].stop == height)
    cut = any(edge and touches for edge, touches in zip(edges, ends, strict=True))
    told = [
        long * pixel, short * pixel, long / short, full, area * pixel**2,
        limit, float(inside.mean()), float(inside.max()), float(inside.std()), share, float(cut),
    ]  # fmt: skip
    return Patch(where, pixels, box, 0.0, np.array(told), [], parent)


def _measure(nodes: list[Patch], around: Surroundings) -> None:
    """Add what surrounds the patches, all at once."""
    if not nodes:
        return
    boxes = np.stack([node.box for node in nodes])
    own = np.stack([node.features for node in nodes if node.features is not None])
    near = around.beyond(boxes, 2.0 + 4.0 * around.scale)
    far = around.beyond(boxes, 3.0 + 15.0 * around.scale)
    contrast = own[:, FEATURES.index("mean_db")] - near[:, 0]
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    squares = []
    for reach in _REACHES_M:
        away = max(3.0, reach / around.sea.pixel_m)
        squares.append(around.squares(np.hstack([low - away, high + away])))
    table = np.hstack([own, near, far, contrast[:, None], *squares])
    assert table.shape[1] == len(FEATURES)
    for node, row in zip(nodes, table, strict=True):
        node.features, node.contrast_db = row, float(row[FEATURES.index("contrast_db")])


def chosen(nodes: list[Patch], worth: Callable[[Patch], float]) -> list[Patch]:
    """From the tree, patches that do not hold each other with the greatest worth in sum."""
    own = [worth(node) for node in nodes]
    best = [0.0] * len(nodes)
    for at in range(len(nodes) - 1, -1, -1):
        best[at] = max(own[at], sum(best[part] for part in nodes[at].parts))
    kept: list[Patch] = []
    waiting = [at for at, node in enumerate(nodes) if node.parent is None]
    while waiting:
        at = waiting.pop()
        if own[at] > 0 and own[at] >= sum(best[part] for part in nodes[at].parts):
            kept.append(nodes[at])
        else:
            waiting.extend(nodes[at].parts)
    return kept
