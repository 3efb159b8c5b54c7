"""What a place of fMoW looks like: its category's own ground and buildings, over its box."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from data.rendered.shapes import ASPHALT, CONCRETE, SOIL, STEEL, TURF, shape_of
from data.rendered.subject import Item
from data.rendered.window import Canvas
from data.scenes.plan import Plan
from data.scenes.shapes import GREY, WHITE, Part, Points, Shape, disc, rect, shade
from data.scenes.ships import ship
from data.scenes.structures import building, tank, tree
from data.scenes.vehicles import car
from data.vocabulary.words import data_lines

Rng = np.random.Generator
COUNTRY = ("airport", "runway", "fields", "lake", "ponds", "dam", "panels", "turbines", "pit", "green")
"""Looks of places that lie outside of towns."""


@cache
def _painters() -> dict[str, str]:
    rows = (line.split("|") for line in data_lines(Path(__file__).with_name("places.txt")))
    return {name.strip(): look.strip() for look, names in rows for name in names.split(";")}


def painter_of(category: str) -> str:
    """By which look a category is drawn."""
    return _painters()[category]


def draw_place(canvas: Canvas, item: Item, number: int) -> None:
    """Draw a place over its box."""
    rng = np.random.default_rng([canvas.subject.seed, 50, number])
    x, y = canvas.local(item.x_m, item.y_m)
    _DRAWN[painter_of(item.name)](
        rng, Site(canvas.plan, x, y, item.length_m, item.width_m, canvas.window.gsd_m)
    )


class Site:
    """A box of a plan: places in it are given from its middle, in metres."""

    def __init__(self, plan: Plan, x: float, y: float, long: float, wide: float, gsd_m: float) -> None:
        self.plan, self.x, self.y, self.long, self.wide, self.gsd_m = plan, x, y, long, wide, gsd_m
        self.half = (long / 2, wide / 2)

    def ground(self, cover: str, by: float = 1.0, patch: int = 3) -> None:
        """Lay a cover over the box, or over that much of it."""
        x, y = self.half
        self.cover(rect(-x * by, x * by, -y * by, y * by), cover, patch)

    def cover(self, points: Points, cover: str, patch: int = 3) -> None:
        """Lay a cover over a polygon."""
        self.plan.cover(points + np.array([self.x, self.y]), cover, patch=patch)

    def put(self, shape: Shape, x: float = 0.0, y: float = 0.0, heading: float = 0.0) -> None:
        """Put a thing there, over what is there."""
        self.plan.put(shape, self.x + x, self.y + y, heading, over=True)

    def flat(self, *parts: Part) -> None:
        """Paint flat things over the box."""
        self.put(Shape("place", "place", parts, self.long, self.wide, 0.0))


def _hall(rng: Rng, site: Site) -> None:
    """A large flat building with its yard and parked cars."""
    site.ground("paved", 1.1)
    x, y = site.half
    site.put(building(rng, 1.1 * x, 1.0 * y, shape="flat"), -0.25 * x, -0.2 * y)
    if rng.uniform() < 0.7:
        site.put(building(rng, 0.6 * x, 0.5 * y), 0.6 * x, 0.55 * y, np.pi / 2)
    for at in np.arange(-0.9 * x, 0.9 * x, 3.0) if site.gsd_m < 1.0 else ():
        if rng.uniform() < 0.5:
            site.put(car(rng), at, 0.85 * y, np.pi / 2)


def _house(rng: Rng, site: Site) -> None:
    site.ground("grass")
    site.put(building(rng, 0.45 * site.long, 0.5 * site.wide))
    for _ in range(6):
        site.put(
            tree(rng, rng.uniform(2, 4)), *(rng.uniform(0.6, 0.95, 2) * rng.choice([-1, 1], 2) * site.half)
        )


def _huts(rng: Rng, site: Site) -> None:
    site.ground("soil")
    x, y = site.half
    for at in np.arange(-x + 4, x - 3, 8.0):
        for side in np.arange(-y + 4, y - 3, 7.5):
            size = rng.uniform(3.5, 6.5, 2)
            site.put(building(rng, size.max(), size.min(), shape="gable"), at, side, rng.normal(0, 0.3))


def _fields(rng: Rng, site: Site) -> None:
    x, y = site.half
    edges = [-x, *np.sort(rng.uniform(-x, x, 3)), x]
    for number, (low, high) in enumerate(pairwise(edges)):
        site.cover(rect(low, high, -y, y), ("crops", "crops", "soil", "crops")[number % 4], 10 + number)


def _green(rng: Rng, site: Site) -> None:
    """Grass with trees and paths; bunkers of sand and greens now and then."""
    site.ground("grass")
    x, y = site.half
    for _ in range(5):
        at, side = (rng.uniform(-0.7, 0.7, 2) * site.half).tolist()
        site.cover(disc(at, side, min(x, y) * rng.uniform(0.06, 0.14)), "sand")
    for _ in range(18):
        site.put(tree(rng, rng.uniform(2, 5)), *(rng.uniform(-0.95, 0.95, 2) * site.half))
    path = rect(-x, x, -1.2, 1.2)
    site.cover(path, "paved")


def _lake(rng: Rng, site: Site) -> None:
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    ragged = 1 + 0.08 * np.sin(3 * turn + rng.uniform(0, 6)) + 0.05 * np.sin(7 * turn)
    shore = np.column_stack([np.cos(turn), np.sin(turn)]) * ragged[:, None]
    site.cover(shore * np.array(site.half) * 1.08, "grass")
    site.cover(shore * np.array(site.half) * 0.94, "water")


def _ponds(rng: Rng, site: Site) -> None:
    site.ground("soil")
    x, y = site.half
    for at in np.linspace(-x, x, 6)[:-1]:
        for side in np.linspace(-y, y, 4)[:-1]:
            site.cover(rect(at + 2, at + 0.4 * x - 2, side + 2, side + 2 * y / 3 - 2), "water")


def _basins(rng: Rng, site: Site) -> None:
    """Round basins of a treatment plant."""
    site.ground("grass")
    x, y = site.half
    radius = max(0.2 * min(x, y), 4.0)
    for at in (-0.6, 0.0, 0.6):
        for side in (-0.5, 0.4):
            rim = Part(disc(at * x, side * y, radius * 1.1), CONCRETE)
            site.flat(rim, Part(disc(at * x, side * y, radius), (0.05, 0.09, 0.08)))


def _pool(rng: Rng, site: Site) -> None:
    site.ground("paved")
    x, y = site.half
    site.flat(Part(rect(-0.6 * x, 0.6 * x, -0.5 * y, 0.5 * y), (0.1, 0.42, 0.52)))


def _quay(rng: Rng, site: Site) -> None:
    """Water along one side, a quay, a ship and sheds."""
    site.ground("paved", 1.3)
    x, y = site.half
    site.cover(rect(-2.2 * x, 2.2 * x, 0.1 * y, 2.6 * y), "water")
    length = float(np.clip(1.2 * x, 20, 180))
    vessel = ship(rng, length, length)
    site.put(vessel, 0.0, 0.1 * y + vessel.width_m * 0.6, np.pi * rng.integers(2))
    site.put(building(rng, 0.9 * x, 0.5 * y, shape="flat"), -0.3 * x, -0.5 * y)
    site.put(shape_of(rng, "container lot", 0.7 * x, 0.5 * y, site.gsd_m), 0.6 * x, -0.4 * y)


def _bridge(rng: Rng, site: Site) -> None:
    x, y = site.half
    reach = site.plan.reach_m * 2
    site.cover(rect(-0.5 * x, 0.5 * x, -reach, reach), "water")
    half = min(0.3 * y, 10.0)
    site.cover(rect(-reach, reach, -half, half), "road")
    site.put(shape_of(rng, "crossing:bridge", 1.3 * x, 4 * half, site.gsd_m))


def _dam(rng: Rng, site: Site) -> None:
    x, y = site.half
    site.cover(rect(-4 * x, 4 * x, -6 * y, 0.0), "water")
    site.flat(Part(rect(-x, x, -0.12 * y, 0.25 * y), CONCRETE), Part(rect(-x, x, 0.0, 0.05 * y), WHITE))


def _roads(rng: Rng, site: Site) -> None:
    """Roads that cross on two levels, with their ramps."""
    x, y = site.half
    reach = site.plan.reach_m * 2
    for points in (rect(-reach, reach, -9, 9), rect(-9, 9, -reach, reach)):
        site.cover(points, "road")
    ring = np.linspace(0, 2 * np.pi, 40)
    radius = 0.4 * min(x, y)
    for at, side in ((-1, -1), (1, 1), (-1, 1), (1, -1)):
        middle = np.array([at * radius * 1.1, side * radius * 1.1])
        for by, cover in ((1.0, "road"), (0.75, "grass")):
            site.cover(np.column_stack([np.cos(ring), np.sin(ring)]) * radius * by + middle, cover)
    site.flat(Part(rect(-9, 9, -20, 20), shade(CONCRETE, 0.9)))


def _parking(rng: Rng, site: Site) -> None:
    site.put(shape_of(rng, "vehicle lot", site.long, site.wide, site.gsd_m))
    x, y = site.half
    for row in np.arange(-y + 5, y - 4, 16.0) if site.gsd_m < 1.3 else ():
        for at in np.arange(-x + 3.4, x - 3, 2.8):
            for side in (-2.4, 2.4):
                if rng.uniform() < 0.55:
                    site.put(car(rng), at, row + side, np.pi / 2)


def _runway(rng: Rng, site: Site) -> None:
    """A runway through the whole image, and an apron beside it."""
    y = site.half[1]
    reach = site.plan.reach_m * 2
    wide = float(np.clip(0.5 * y, 15, 30))
    site.cover(rect(-reach, reach, -6 * wide, 6 * wide), "grass", 5)
    site.cover(rect(-reach, reach, -wide, wide), "road", 7)
    site.cover(rect(-reach, reach, 3 * wide, 3.7 * wide), "paved", 8)
    for at in np.arange(-reach, reach, 60.0):
        ends = np.array([[at, 0.0], [at + 32, 0.0]]) + np.array([site.x, site.y])
        if np.abs(ends).max() < site.plan.reach_m:
            site.plan.mark(ends, WHITE, 0.9)


def _airport(rng: Rng, site: Site) -> None:
    _runway(rng, site)
    x, y = site.half
    wide = float(np.clip(0.5 * y, 15, 30))
    top = 3.7 * wide
    site.cover(rect(-2.2 * x, 2.2 * x, top, top + 2.4 * y), "paved", 8)
    for at in np.arange(-1.9 * x, 1.9 * x, 48.0):
        if rng.uniform() < 0.75:
            site.put(
                shape_of(rng, "plane", float(rng.uniform(33, 42)), 34.0, site.gsd_m),
                at,
                top + 0.6 * y,
                np.pi / 2,
            )
    site.put(building(rng, 3.0 * x, 0.5 * y, shape="flat"), 0.0, top + 1.7 * y)


def _terminal(rng: Rng, site: Site) -> None:
    """A terminal with aircraft at its gates."""
    site.ground("paved", 2.0)
    x, y = site.half
    site.put(building(rng, 1.9 * x, 0.9 * y, shape="flat"))
    for at in np.arange(-0.9 * x, 0.9 * x, 44.0):
        site.put(
            shape_of(rng, "plane", float(rng.uniform(33, 42)), 34.0, site.gsd_m),
            at + 20,
            -0.5 * y - 26,
            np.pi / 2,
        )


def _oval(rng: Rng, site: Site) -> None:
    """A track or stands about a field."""
    turn = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    oval = np.column_stack([np.cos(turn), np.sin(turn)]) * np.array(site.half)
    site.flat(Part(oval, shade(STEEL, 1.1)), Part(oval * 0.9, (0.3, 0.16, 0.1)), Part(oval * 0.7, TURF))


def _panels(rng: Rng, site: Site) -> None:
    site.ground("soil")
    x, y = site.half
    rows = [
        Part(rect(-0.97 * x, 0.97 * x, at, at + 3.2), (0.04, 0.06, 0.12))
        for at in np.arange(-y + 1, y - 3, 6.5)
    ]
    if rows:
        site.flat(*rows)


def _turbines(rng: Rng, site: Site) -> None:
    site.ground("crops")
    for at in (-0.7, 0.0, 0.7):
        x, angle = at * site.half[0], rng.uniform(0, 2)
        blades = []
        for each in (0.0, 2.1, 4.2):
            turn = angle + each
            way = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            blades.append(Part(rect(0, 22, -0.8, 0.8) @ way, WHITE))
        site.put(Shape("turbine", "turbine", (Part(disc(0, 0, 3.0), CONCRETE), *blades), 44, 44, 40.0), x)


def _pit(rng: Rng, site: Site) -> None:
    """Terraces of a mine, or heaps of a dump."""
    turn = np.linspace(0, 2 * np.pi, 50, endpoint=False)
    ragged = 1 + 0.1 * np.sin(4 * turn + rng.uniform(0, 6)) + 0.05 * np.sin(9 * turn)
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) * np.array(site.half) * ragged[:, None]
    site.flat(*(Part(ring * by, shade(SOIL, 1.35 - 0.9 * (1 - by))) for by in (1.0, 0.82, 0.64, 0.46, 0.3)))


def _rubble(rng: Rng, site: Site) -> None:
    site.put(building(rng, site.long, site.wide, 3))


def _building_site(rng: Rng, site: Site) -> None:
    site.put(shape_of(rng, "site", site.long, site.wide, site.gsd_m))
    site.put(shape_of(rng, "crane", 45.0, 12.0, site.gsd_m), 0.0, 0.0, rng.uniform(0, 3))


def _tanks(rng: Rng, site: Site) -> None:
    site.ground("soil", 1.05)
    x, y = site.half
    wide = float(np.clip(0.8 * min(x, y), 8, 60))
    for at in np.arange(-x + wide / 2, x - wide / 3, 1.3 * wide):
        for side in np.arange(-y + wide / 2, y - wide / 3, 1.3 * wide):
            site.put(tank(rng, 0.9 * wide, wide), at, side)


def _yard(rng: Rng, site: Site) -> None:
    """Gravel with rows of small gear: a substation."""
    site.ground("sand")
    x, y = site.half
    for at in np.arange(-0.85 * x, 0.85 * x, 7.0):
        for side in np.arange(-0.8 * y, 0.8 * y, 8.0):
            site.put(shape_of(rng, "mast", 2.4, 2.4, site.gsd_m), at, side)
    site.put(building(rng, 0.35 * x, 0.3 * y, shape="flat"), 0.7 * x, 0.7 * y)


def _stack(rng: Rng, site: Site) -> None:
    site.ground("paved")
    site.put(shape_of(rng, "mast", *(min(site.half) * 0.9,) * 2, site.gsd_m))
    site.put(building(rng, 0.6 * site.long, 0.25 * site.wide, shape="flat"), 0.0, 0.7 * site.half[1])


def _stones(rng: Rng, site: Site) -> None:
    """Rows of graves, or of walls that are left."""
    site.ground("grass")
    x, y = site.half
    white = shade(GREY, 1.5)
    rows = [Part(rect(-0.9 * x, 0.9 * x, at, at + 1.1), white) for at in np.arange(-0.85 * y, 0.85 * y, 5.0)]
    ways = [
        Part(rect(at, at + 1.6, -0.95 * y, 0.95 * y), shade(TURF, 1.2))
        for at in np.arange(-0.9 * x, 0.9 * x, 9.0)
    ]
    site.flat(*rows, *ways, Part(rect(-1.5, 1.5, -y, y), ASPHALT))


def _pad(rng: Rng, site: Site) -> None:
    side = min(site.long, site.wide, 30.0)
    site.ground("grass")
    site.put(shape_of(rng, "helipad", side, side, site.gsd_m))


_DRAWN: dict[str, Callable[[Rng, Site], None]] = {
    "hall": _hall, "house": _house, "huts": _huts, "fields": _fields, "green": _green, "lake": _lake,
    "ponds": _ponds, "basins": _basins, "pool": _pool, "quay": _quay, "bridge": _bridge, "dam": _dam,
    "roads": _roads, "parking": _parking, "runway": _runway, "airport": _airport, "terminal": _terminal,
    "oval": _oval, "panels": _panels, "turbines": _turbines, "pit": _pit, "rubble": _rubble,
    "building site": _building_site, "tanks": _tanks, "yard": _yard, "stack": _stack, "stones": _stones,
    "pad": _pad,
}  # fmt: skip
