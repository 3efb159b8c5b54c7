"""The plan of a scene: which cover lies where and what stands on it, before anything is painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from data.scenes.model import CLASSES, COVERS, Placed
from data.scenes.shapes import Colour, Points, Shape

GONE = 0.35
"""An object of which less than this share is inside the image is left out altogether, from picture and
truth."""


@dataclass(frozen=True)
class Thing:
    """A shape put somewhere: its parts' corners in pixels, one after the other, and the box around the
    solid ones."""

    shape: Shape
    corners: Points
    splits: NDArray[np.int64]
    centre: Points
    forward: Points
    """Unit vector in pixels."""
    outline: Points
    visible: float
    level: int = 0


@dataclass(frozen=True)
class Mark:
    """Something flat on the ground: paint, a path, a field's edge."""

    points: Points
    colour: Colour
    width_px: float
    """0: filled."""


@dataclass
class Plan:
    """What is drawn. Places are given in metres from the middle in a frame turned by `turn_rad`; y runs
    down."""

    size: tuple[int, int]
    gsd_m: float
    turn_rad: float
    base: str
    covers: NDArray[np.uint8] = field(init=False)
    patches: NDArray[np.uint8] = field(init=False)
    """Numbers of fields and slabs, each a little lighter or darker."""
    taken: NDArray[np.uint8] = field(init=False)
    things: list[Thing] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.covers = np.full(self.size, COVERS.index(self.base), np.uint8)
        self.patches = np.zeros(self.size, np.uint8)
        self.taken = np.zeros(self.size, np.uint8)

    @property
    def reach_m(self) -> float:
        """How far from the middle a corner of the image may lie."""
        return float(np.hypot(*self.size) / 2 * self.gsd_m)

    def pixels(self, points_m: Points) -> Points:
        """(n, 2) metres of the frame as columns and rows."""
        cos, sin = np.cos(self.turn_rad), np.sin(self.turn_rad)
        turned = points_m @ np.array([[cos, sin], [-sin, cos]])
        return np.asarray(turned / self.gsd_m + np.array([self.size[1], self.size[0]]) / 2, np.float64)

    def cover(self, points_m: Points, name: str, patch: int | None = None) -> None:
        """Lay a cover over a polygon."""
        corners = _fixed(self.pixels(points_m))
        cv2.fillPoly(self.covers, [corners], COVERS.index(name), cv2.LINE_8, 4)
        if patch is not None:
            cv2.fillPoly(self.patches, [corners], patch % 64, cv2.LINE_8, 4)

    def mark(self, points_m: Points, colour: Colour, width_m: float = 0.0) -> None:
        """Paint a line of a width, or a filled polygon."""
        self.marks.append(Mark(self.pixels(points_m), colour, width_m / self.gsd_m))

    def put(
        self,
        shape: Shape,
        x: float,
        y: float,
        heading_rad: float,
        *,
        on: Sequence[str] = (),
        margin_m: float = 0.0,
        level: int = 0,
        over: bool = False,
    ) -> bool:
        """Put a thing at a place unless it is outside, something is there already, or the ground is none of
        `on`. `over` puts it over what is there."""
        angle = heading_rad + self.turn_rad
        if shape.class_name == "storage-tank":
            angle = 0.0  # A disc has no heading: its box lies as the image does.
        cos, sin = np.cos(angle), np.sin(angle)
        turn = np.array([[cos, sin], [-sin, cos]]) / self.gsd_m
        centre = self.pixels(np.array([[x, y]]))[0]
        reach = np.hypot(shape.length_m, shape.width_m) / 2 / self.gsd_m
        if not ((-reach < centre) & (centre < np.array([self.size[1], self.size[0]]) + reach)).all():
            return False
        solid = np.vstack([part.points for part in shape.parts if part.solid])
        low, high = solid.min(axis=0), solid.max(axis=0)
        frame = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
        outline = frame @ turn + centre
        visible = _inside_share(outline, self.size)
        if visible < (GONE if shape.class_name in CLASSES else 0.02):
            return False
        if on and not self._stands_on(np.vstack([outline, centre]), on):
            return False
        if not self._take((frame + np.sign(frame) * margin_m) @ turn + centre) and not over:
            return False
        corners = np.vstack([part.points for part in shape.parts]) @ turn + centre
        splits = np.cumsum([len(part.points) for part in shape.parts])
        self.things.append(
            Thing(shape, corners, splits, centre, np.array([cos, sin]), outline, visible, level)
        )
        if shape.class_name in ("building", "tree"):
            name = "building" if shape.class_name == "building" else "trees"
            first = corners[: splits[0]]
            cv2.fillPoly(self.covers, [_fixed(first)], COVERS.index(name), cv2.LINE_8, 4)
        return True

    def _stands_on(self, points: Points, on: Sequence[str]) -> bool:
        spots = points.astype(int)
        inside = (spots >= 0).all(axis=1) & (spots[:, 0] < self.size[1]) & (spots[:, 1] < self.size[0])
        found = self.covers[spots[inside, 1], spots[inside, 0]]
        return {COVERS[each] for each in found.tolist()} <= set(on)

    def _take(self, outline: Points) -> bool:
        low = np.maximum(np.floor(outline.min(axis=0)).astype(int) - 1, 0)
        high = np.minimum(np.ceil(outline.max(axis=0)).astype(int) + 2, [self.size[1], self.size[0]])
        if (high <= low).any():
            return False
        spot = np.zeros((high[1] - low[1], high[0] - low[0]), np.uint8)
        cv2.fillConvexPoly(spot, _fixed(outline - low), 1, cv2.LINE_8, 4)
        window = self.taken[low[1] : high[1], low[0] : high[0]]
        if (window & spot).any():
            return False
        window |= spot
        return True


def placed(thing: Thing, size: tuple[int, int]) -> Placed:
    """The truth about a thing: its box cut along its heading to what shows inside the image."""
    outline, visible = thing.outline, thing.visible
    solid = [part.points for part in thing.shape.parts if part.solid]
    pieces = np.split(thing.corners, thing.splits[:-1])
    points = np.vstack([piece for piece, part in zip(pieces, thing.shape.parts, strict=True) if part.solid])
    if visible < 1.0 and solid:
        points = np.vstack(
            [
                clipped(piece, size)
                for piece, part in zip(pieces, thing.shape.parts, strict=True)
                if part.solid
            ]
        )
        if len(points) == 0:
            points = np.clip(thing.outline, 0, [size[1], size[0]])
        outline = _box_along(points, thing.forward)
    low, high = points.min(axis=0), points.max(axis=0)
    heading = float(np.degrees(np.arctan2(thing.forward[0], -thing.forward[1])) % 360)
    shape = thing.shape
    return Placed(
        shape.class_name,
        shape.type_name,
        outline,
        (float(low[0]), float(low[1]), float(high[0]), float(high[1])),
        float(shape.length_m),
        float(shape.width_m),
        float(shape.height_m),
        heading,
        float(visible),
        thing.level,
    )


def clipped(points: Points, size: tuple[int, int]) -> Points:
    """The corners of a polygon cut to the image (Sutherland and Hodgman, 1974), (0, 2) if nothing is left."""
    low, high = points.min(axis=0), points.max(axis=0)
    if low.min() >= 0 and high[0] <= size[1] and high[1] <= size[0]:
        return points
    for axis, limit, keep_low in (
        (0, 0.0, False),
        (0, float(size[1]), True),
        (1, 0.0, False),
        (1, float(size[0]), True),
    ):
        if len(points) == 0:
            break
        beyond = points[:, axis] - limit if keep_low else limit - points[:, axis]
        following, after = np.roll(points, -1, axis=0), np.roll(beyond, -1)
        kept: list[Points] = []
        for here, there, out, out_next in zip(points, following, beyond, after, strict=True):
            if out <= 0:
                kept.append(here)
            if (out <= 0) != (out_next <= 0):
                kept.append(here + (there - here) * (out / (out - out_next)))
        points = np.array(kept).reshape(-1, 2)
    return points


def _box_along(points: Points, forward: Points) -> Points:
    axes = np.array([forward, [-forward[1], forward[0]]])
    own = points @ axes.T
    low, high = own.min(axis=0), own.max(axis=0)
    frame = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    return np.asarray(frame @ axes, np.float64)


def _inside_share(outline: Points, size: tuple[int, int]) -> float:
    low, high = outline.min(axis=0), outline.max(axis=0)
    if (low >= 0).all() and high[0] <= size[1] and high[1] <= size[0]:
        return 1.0
    image = np.array([[0, 0], [size[1], 0], [size[1], size[0]], [0, size[0]]], np.float32)
    area, _ = cv2.intersectConvexConvex(outline.astype(np.float32), image)
    whole = abs(float(cv2.contourArea(outline.astype(np.float32))))
    return float(np.clip(area / max(whole, 1e-6), 0.0, 1.0)) if area < whole * 0.9999 else 1.0


def _fixed(points: Points) -> NDArray[np.int32]:
    """Corners as OpenCV draws them with four binary places; its whole numbers are the middles of pixels."""
    return np.asarray(np.round((points - 0.5) * 16), np.int32)
