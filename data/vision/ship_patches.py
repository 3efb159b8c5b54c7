"""Patches that are brighter than the sea around them: cut out at rising thresholds, and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.vision.sea import FINE_M, Sea

LONGEST_M = 450.0
LONGEST_UNPLACED_M = 1350.0
"""At the pixel that is guessed: the true one may be a third of it."""
LEAST_DB, _MOST_DB = 8.0, 36.0
_LIMITS_DB = (*np.arange(LEAST_DB, 20.0, 1.0).tolist(), *np.arange(20.0, _MOST_DB, 2.0).tolist())
_SAME = 0.92
"""A patch that keeps so much of the one that holds it is the same patch still."""
_LEAST_PX = 50
_NARROWEST = 16.0
"""Length over width: a patch beyond it, or longer than any ship, is not looked at further."""
_FULL = 0.35
_REACHES_M = (30.0, 150.0)
"""How far around a patch its surroundings are measured."""
_HIGHEST_DB = 30.0
_DARK_DB = 4.0
_BLOCK_M = 30.0
_BACKS_DB = (3.0, 8.0)
"""How much lower the thresholds are that a patch is compared with."""
_ALONG = np.linspace(0.1, 0.9, 9)
_HOLDS = 0.4
"""The likeness from which on a patch is taken for the whole of what lies in its box."""
_NONE = -1.0
"""Where a feature has no value: its place lies outside the image."""
FEATURES = (
    "length_m", "width_m", "drawn_out", "full", "area_m2", "solid", "at_ends", "lopsided", "across",
    "level_db", "mean_db", "most_db", "spread_db", "of_parent", "of_3_db", "of_8_db", "cut",
    "near_side_low_db", "near_side_high_db", "near_end_low_db", "near_end_high_db",
    "far_side_low_db", "far_side_high_db", "far_end_low_db", "far_end_high_db", "contrast_db",
    "around_30_db", "around_30_spread_db", "around_30_bright", "around_30_water",
    "around_150_db", "around_150_spread_db", "around_150_bright", "around_150_water",
    "near_dark", "far_dark", "outshone_db", "placed", "alone_30", "alone_150",
)  # fmt: skip
"""What is measured of a patch, in this order. Decibels are over the clutter; `near` and `far` lie off the
two long sides and the two ends of its box, each with the darker and the brighter of the two, and the share
that is dark; `around` is the square that reaches so many metres beyond it: mean, spread, and the shares of
bright pixels and of water. `contrast_db` is over the darker long side: at a quay, the other one is bright
too. `solid` is the share of its convex hull, `at_ends` of its pixels in the outer fifth of its length (a hull
tapers, a quay does not), `lopsided` how far its middle of mass lies off its box's, `across` the deviation
over its width. `of_3_db` and `of_8_db` are the shares of what held it at so much lower thresholds: a hull has
edges. `outshone_db`: how much brighter the brightest block of 30 m within 150 m is, which sidelobes and
ghosts are beside. `placed`: whether the size of a pixel is known, or guessed. `alone` is the share of its
area in all that is bright within so many metres.
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
    at_border: float = 0.0
    """The share of its outline that lies on the image's border."""
    left_out: str | None = None
    """Why it is not claimed to be a ship, though it is like one."""


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
        self.block = max(2, round(_BLOCK_M / sea.pixel_m))
        rows, columns = (-(-side // self.block) for side in level.shape)
        whole = np.pad(
            np.clip(contrast, 0, _MOST_DB),
            ((0, rows * self.block - level.shape[0]), (0, columns * self.block - level.shape[1])),
        )
        means = whole.reshape(rows, self.block, columns, self.block).mean(axis=(1, 3))
        reach = 2 * max(1, round(_REACHES_M[1] / sea.pixel_m / self.block)) + 1
        self.brightest = cv2.dilate(means, np.ones((reach, reach), np.uint8))

    def outshone(self, boxes: NDArray[np.float64], own: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) decibels by which the brightest block near boxes, (n, 4, 2), is beyond their own, (n,)."""
        spots = np.floor(boxes.mean(axis=1) / self.block).astype(np.int64)
        height, width = self.brightest.shape
        return np.asarray(
            self.brightest[np.clip(spots[:, 1], 0, height - 1), np.clip(spots[:, 0], 0, width - 1)] - own
        )

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
        """(n, 5) decibels so many pixels off the long sides (darker, brighter) and off the ends (the same) of
        boxes, (n, 4, 2), and the share of those places that is dark."""
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
        dark = (inside & (seen < _DARK_DB)).sum(axis=(1, 2)) / np.maximum(inside.sum(axis=(1, 2)), 1)
        return np.column_stack([sides, ends, dark])


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
    known: list[tuple[float, float]] = []
    above: NDArray[np.int64] | None = None
    for limit in _LIMITS_DB:
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
            if parent is not None and sizes[number] > _SAME * known[parent][0]:
                own[where][pixels] = parent
                continue
            own[where][pixels] = len(nodes)
            if parent is not None:
                nodes[parent].parts.append(len(nodes))
            known.append((float(sizes[number]), float(limit)))
            held = _held(known[-1], parent, nodes, known)
            nodes.append(_patch(where, pixels, around, edges, float(limit), parent, held))
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
    held: list[float],
) -> Patch:
    """A patch with its box, and the first of its features."""
    import cv2

    rows, columns = np.nonzero(pixels)
    points = np.column_stack([columns, rows]).astype(np.float32)
    hull = np.asarray(cv2.convexHull(points), np.float32)
    middle, sides, angle = cv2.minAreaRect(hull)
    corner = np.array([where[1].start, where[0].start]) + 0.5
    sides = (sides[0] + 1, sides[1] + 1)
    box = cv2.boxPoints((middle, sides, angle)).astype(np.float64) + corner
    short, long = sorted(sides)
    area, pixel = float(len(rows)), around.sea.pixel_m
    full = area / (short * long)
    longest = LONGEST_M if around.sea.placed else LONGEST_UNPLACED_M
    border = _at_border(where, pixels, around.contrast.shape, edges)
    if long * pixel > longest or long > _NARROWEST * short or full < _FULL:
        return Patch(where, pixels, box, 0.0, None, [], parent, at_border=border)
    inside = around.contrast[where][pixels]
    told = [
        long * pixel, short * pixel, long / short, full, area * pixel**2,
        *_outline(points, hull, box - corner, long, short),
        limit, float(inside.mean()), float(inside.max()), float(inside.std()), *held, float(border > 0),
    ]  # fmt: skip
    return Patch(where, pixels, box, 0.0, np.array(told), [], parent, at_border=border)


def _at_border(
    where: tuple[slice, slice],
    pixels: NDArray[np.bool_],
    shape: tuple[int, ...],
    edges: tuple[bool, bool, bool, bool],
) -> float:
    """The share of a patch's outline that lies on those sides of a window that are the image's."""
    import cv2

    ends = (
        (where[1].start == 0, pixels[:, 0]),
        (where[0].start == 0, pixels[0]),
        (where[1].stop == shape[1], pixels[:, -1]),
        (where[0].stop == shape[0], pixels[-1]),
    )
    on = sum(int(line.sum()) for edge, (touches, line) in zip(edges, ends, strict=True) if edge and touches)
    if not on:
        return 0.0
    padded = np.pad(pixels, 1).astype(np.uint8)
    cross = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
    return on / int((padded - cv2.erode(padded, cross)).sum())


def _held(
    own: tuple[float, float], parent: int | None, nodes: list[Patch], known: list[tuple[float, float]]
) -> list[float]:
    """The share that a patch of an area and threshold is of the one that holds it, and of those at thresholds
    so much lower, or the lowest there is."""
    area, limit = own
    if parent is None:
        return [1.0] * (1 + len(_BACKS_DB))
    made, holder = [area / known[parent][0]], parent
    for back in _BACKS_DB:
        while known[holder][1] > limit - back and (above := nodes[holder].parent) is not None:
            holder = above
        made.append(area / known[holder][0])
    return made


def _outline(
    points: NDArray[np.float32],
    hull: NDArray[np.float32],
    box: NDArray[np.float64],
    long: float,
    short: float,
) -> list[float]:
    """Share of the convex hull, share of pixels in the outer fifth of the length, how far the middle of mass
    lies off the box's, and the deviation across over the width; of pixels' middles, (n, 2)."""
    import cv2

    edges = np.roll(box, -1, axis=0) - box
    lengths = np.hypot(edges[:2, 0], edges[:2, 1])
    first = int(lengths[1] > lengths[0])
    off = (points - box.mean(axis=0)) @ (edges[:2] / np.maximum(lengths[:, None], 1e-9)).T
    along, across = off[:, first] / long, off[:, 1 - first] / short
    # The hull joins the middles of pixels: half a pixel is missing all round.
    area = cv2.contourArea(hull) + cv2.arcLength(hull, True) / 2 + 1
    return [
        len(points) / area,
        float((np.abs(along) > 0.4).mean()),
        float(np.hypot(along.mean(), across.mean())),
        float(across.std()),
    ]


def _measure(nodes: list[Patch], around: Surroundings) -> None:
    """Add what surrounds the patches, all at once."""
    if not nodes:
        return
    boxes = np.stack([node.box for node in nodes])
    own = np.stack([node.features for node in nodes if node.features is not None])
    near = around.beyond(boxes, 2.0 + 4.0 * around.scale)
    far = around.beyond(boxes, 3.0 + 15.0 * around.scale)
    mean = own[:, FEATURES.index("mean_db")]
    contrast = mean - near[:, 0]
    low, high = boxes.min(axis=1), boxes.max(axis=1)
    squares = []
    for reach in _REACHES_M:
        away = max(3.0, reach / around.sea.pixel_m)
        squares.append(around.squares(np.hstack([low - away, high + away])))
    rest = [
        near[:, 4],
        far[:, 4],
        around.outshone(boxes, mean),
        np.full(len(boxes), float(around.sea.placed)),
    ]
    table = np.hstack([own, near[:, :4], far[:, :4], contrast[:, None], *squares, np.column_stack(rest)])
    # The trees were fitted to numbers of single precision.
    table = table.astype(np.float32).astype(np.float64)
    table = np.column_stack([table, *(_alone(table, reach) for reach in _REACHES_M)])
    assert table.shape[1] == len(FEATURES)
    for node, row in zip(nodes, table, strict=True):
        node.features, node.contrast_db = row, float(row[FEATURES.index("contrast_db")])


def _alone(table: NDArray[np.float64], reach: float) -> NDArray[np.float32]:
    """(n,) share of patches' area in all that is bright within a reach, metres."""
    names = ("area_m2", "length_m", f"around_{reach:g}_bright")
    area, length, bright = (table[:, FEATURES.index(name)] for name in names)
    # The square around a box in any direction is about 0.85 of its length wider than its two reaches.
    return np.asarray(area / np.maximum(bright * np.square(0.85 * length + 2 * reach), area), np.float32)


def chosen(nodes: list[Patch], least: float) -> list[Patch]:
    """From the tree, patches that do not hold each other: the likest first, each without what it holds and
    what holds it, down to the least likeness."""
    left = [True] * len(nodes)
    kept: list[Patch] = []
    for at in sorted(range(len(nodes)), key=lambda at: (-nodes[at].likeness, at)):
        if nodes[at].likeness < least:
            break
        if not left[at]:
            continue
        kept.append(nodes[at])
        inside = [at]
        while inside:
            part = inside.pop()
            left[part] = False
            inside.extend(nodes[part].parts)
        holder = nodes[at].parent
        while holder is not None:
            left[holder] = False
            holder = nodes[holder].parent
    return kept


def whole(kept: list[Patch]) -> list[Patch]:
    """Patches without those whose middle lies in the box of a larger one that is likely a ship: its masts,
    and the sidelobes around it."""
    import cv2

    boxes = [each.box.astype(np.float32) for each in kept]
    areas = [cv2.contourArea(box) for box in boxes]
    holders = [at for at, each in enumerate(kept) if each.likeness >= _HOLDS]

    def held(at: int) -> bool:
        x, y = (float(each) for each in kept[at].box.mean(axis=0))
        return any(
            areas[other] > areas[at] and cv2.pointPolygonTest(boxes[other], (x, y), False) >= 0
            for other in holders
        )

    return [each for at, each in enumerate(kept) if not held(at)]
