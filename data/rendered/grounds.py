"""The ground of an image with listed objects: streets and greens, and under each object what it stands on."""

from __future__ import annotations

import numpy as np

from data.rendered.shapes import look_of, shape_of, stands_on
from data.rendered.subject import Item
from data.rendered.window import Canvas, Streams
from data.scenes.model import COVERS
from data.scenes.shapes import WHITE, rect, shade
from data.scenes.structures import tree

SHORE_M = 140.0
"""How far from a vessel there is water where nothing stands on land."""
_GREEN = ("grass", "soil")


def town(canvas: Canvas, *, streets: bool = True) -> None:
    """Grass, trees and bare ground, with streets or without, under what the image lists."""
    _greens(canvas)
    marks = _streets(canvas) if streets else []
    by_need: dict[str, list[Item]] = {}
    for item in canvas.subject.items:
        by_need.setdefault(stands_on(look_of(item.name)), []).append(item)
    for need, reach, cover in (("lot", 7.5, "road"), ("apron", 50.0, "paved"), ("rails", 8.0, "soil")):
        if need in by_need:
            canvas.cover(canvas.distance_m(by_need[need], 2 * reach, square=True) < reach, cover)
    if "water" in by_need:
        land = [each for need, items in by_need.items() if need != "water" for each in items]
        _water(canvas, by_need["water"], land)
    for line in marks:
        column, row = canvas.plan.pixels(line).mean(axis=0).astype(int)
        height, width = canvas.plan.size
        inside = 0 <= column < width and 0 <= row < height
        if inside and canvas.plan.covers[row, column] == COVERS.index("road"):
            canvas.plan.mark(line, shade(WHITE, 0.8), 0.15)


def sea(canvas: Canvas) -> None:
    """Open water."""
    canvas.cover(np.ones(canvas.plan.size, bool), "water")


def struck(canvas: Canvas) -> None:
    """What a disaster did to the ground."""
    near, far = canvas.field(11, 60.0), canvas.field(12, 160.0)
    covers = {"fire": "burned", "flooding": "water", "tsunami": "soil", "volcano": "soil", "tornado": "soil"}
    cover = covers.get(canvas.subject.disaster)
    if cover is not None:
        built = np.isin(canvas.plan.covers, [COVERS.index(name) for name in ("road", "building", "paved")])
        canvas.cover((far + 0.5 * near > -0.2) & ~built, cover)


def _greens(canvas: Canvas) -> None:
    slow, quick = canvas.field(1, 160.0), canvas.field(2, 45.0)
    canvas.cover(slow + 0.4 * quick > 1.0, "trees")
    canvas.cover(slow + 0.3 * quick < -1.25, "soil")
    canvas.cover((quick > 1.5) & (slow < 0.6), "paved")


def _streets(canvas: Canvas) -> list[np.ndarray[tuple[int, int], np.dtype[np.float64]]]:
    """Streets along and across; what is painted on them, where that can be seen."""
    rng = np.random.default_rng([canvas.subject.seed, 8])
    across, down = canvas.subject.size_m
    marks = []
    for along, length, span in ((True, across, down), (False, down, across)):
        at = -span / 2 + rng.uniform(10, 60)
        while at < span / 2:
            half = rng.uniform(3.2, 7.0)
            x0, y0 = canvas.local(-length / 2 if along else at, at if along else -length / 2)
            if along:
                canvas.plan.cover(rect(x0, x0 + length, y0 - half, y0 + half), "road", patch=9)
            else:
                canvas.plan.cover(rect(x0 - half, x0 + half, y0, y0 + length), "road", patch=9)
            for start in np.arange(0, length, 11.0) if canvas.window.gsd_m < 0.8 else ():
                step = (start, start + 5.0)
                ends = [(x0 + each, y0) if along else (x0, y0 + each) for each in step]
                if all(max(abs(x), abs(y)) < canvas.plan.reach_m for x, y in ends):
                    marks.append(np.array(ends))
            at += rng.uniform(55, 105) * (1.0 if along else 1.6)
    return marks


def _water(canvas: Canvas, afloat: list[Item], ashore: list[Item]) -> None:
    """Water is nearer to a vessel than to anything on land, with a ragged shore."""
    rough = canvas.field(4, 70.0)
    wide = SHORE_M * (1.0 if len(afloat) < 0.15 * len(ashore) else 4.0)
    wet, dry = canvas.distance_m(afloat, wide), canvas.distance_m(ashore, wide)
    clear = np.maximum(dry * 0.9 + 6 * rough, 0)
    canvas.cover((wet < clear) & (wet < wide * (1 + 0.25 * rough)), "water")
    hulls = [Item(each.name, each.x_m, each.y_m, each.length_m, each.width_m, 0.0) for each in afloat]
    near = canvas.distance_m(hulls, 60.0)
    canvas.cover(near < max(8.0, 0.6 * float(np.median([each.length_m for each in afloat]))), "water")
    for each in afloat:  # a long hull lies in water from bow to stern
        x, y = canvas.local(each.x_m, each.y_m)
        cos, sin = np.cos(each.turn_rad), np.sin(each.turn_rad)
        hull = rect(-0.7 * each.length_m, 0.7 * each.length_m, -1.5 * each.width_m, 1.5 * each.width_m)
        canvas.plan.cover(hull @ np.array([[cos, sin], [-sin, cos]]) + np.array([x, y]), "water")


def houses(canvas: Canvas, most: int = 300) -> None:
    """Buildings between the listed things: only where the data set lists none itself."""
    step, built, streams = 34.0, 0, Streams(canvas.subject, 9)
    for number, left, top in canvas.grid(step):
        rng = streams.at(number)
        if rng.uniform() < 0.75 and built < most:
            long, wide = rng.uniform(11, 27), rng.uniform(9, 18)
            x, y = canvas.local(left + step / 2 + rng.normal(0, 3), top + step / 2 + rng.normal(0, 3))
            turn = np.pi / 2 * rng.integers(2)
            shape = shape_of(rng, "building", long, wide, canvas.window.gsd_m)
            built += canvas.plan.put(shape, x, y, turn, on=_GREEN, margin_m=2.0)


def woods(canvas: Canvas, most: int = 120) -> None:
    """Single trees, where a pixel is small enough to tell them."""
    if canvas.window.gsd_m > 1.0:
        return
    step, grown, streams = 19.0, 0, Streams(canvas.subject, 10)
    for number, left, top in canvas.grid(step):
        rng = streams.at(number)
        if rng.uniform() < 0.3 and grown < most:
            x, y = canvas.local(left + rng.uniform() * step, top + rng.uniform() * step)
            grown += canvas.plan.put(tree(rng, rng.uniform(1.6, 4.6)), x, y, 0.0, on=_GREEN)
