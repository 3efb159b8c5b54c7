"""What listed objects look like from above: each class by its look, at the size that the record lists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from data.scenes.planes import plane
from data.scenes.shapes import GREY, WHITE, Colour, Part, Shape, disc, rect, shade
from data.scenes.ships import ship
from data.scenes.structures import ROOFS, building, tank
from data.scenes.vehicles import PAINTS, car, lorry, train
from data.vocabulary.groups import groups_for
from data.vocabulary.words import data_lines

Rng = np.random.Generator
ASPHALT: Colour = (0.1, 0.1, 0.105)
CONCRETE: Colour = (0.26, 0.25, 0.24)
TURF: Colour = (0.06, 0.11, 0.04)
CLAY: Colour = (0.3, 0.14, 0.08)
SOIL: Colour = (0.24, 0.18, 0.12)
STEEL: Colour = (0.34, 0.34, 0.36)
YELLOW: Colour = (0.62, 0.44, 0.05)
FEW_PX = {"building": 14.0}
"""What is shorter than so many pixels is drawn as a block; than eight, where none are named."""


@cache
def _looks() -> dict[str, str]:
    rows = (line.split("|") for line in data_lines(Path(__file__).with_name("looks.txt")))
    return {name.strip().casefold(): look.strip() for look, names in rows for name in names.split(";")}


@cache
def look_of(name: str) -> str:
    """The look of a class: by its own name, else by the narrowest group word that has one."""
    looks = _looks()
    own = looks.get(name.casefold())
    return own or next((looks[group] for group in reversed(groups_for(name)) if group in looks), "building")


def stands_on(look: str) -> str:
    """What the ground is where such a thing stands: water, apron, lot, rails or anything."""
    kind = look.split(":")[0]
    found = {"ship": "water", "platform": "water", "plane": "apron", "helicopter": "apron", "wagon": "rails"}
    lots = ("car", "lorry", "machine", "containers", "container lot", "vehicle lot")
    return found.get(kind, "lot" if kind in lots else "anything")


def shape_of(rng: Rng, look: str, length_m: float, width_m: float, gsd_m: float) -> Shape:
    """A thing of that look, so long and so wide."""
    kind, _, what = look.partition(":")
    if kind in _PLAIN and not what and length_m < FEW_PX.get(kind, 8.0) * gsd_m:
        return _block(rng, kind, length_m, width_m)
    made = _MADE[kind](rng, what, length_m, width_m)
    return _resized(made, length_m, width_m if kind not in ("ship", "plane") else None)


def _block(rng: Rng, kind: str, length_m: float, width_m: float) -> Shape:
    """Something so small that only its outline and its colour can be told."""
    name, paints, height_m = _PLAIN[kind]
    x, y = length_m / 2, width_m / 2
    corners = rect(-x, x, -y, y)
    colour = shade(paints[int(rng.integers(len(paints)))], rng.uniform(0.8, 1.2))
    return Shape(name, kind, (Part(corners, colour),), length_m, width_m, height_m, glints=corners)


def _resized(shape: Shape, length_m: float, width_m: float | None) -> Shape:
    """The shape stretched to a length, and to a width or in proportion."""
    along = length_m / shape.length_m
    across = along if width_m is None else width_m / shape.width_m
    by = np.array([along, across])
    parts = tuple(replace(part, points=part.points * by) for part in shape.parts)
    return replace(
        shape, parts=parts, length_m=length_m, width_m=shape.width_m * across, glints=shape.glints * by
    )


def _flat(kind: str, parts: list[Part], length: float, width: float, height: float = 0.0) -> Shape:
    x, y = length / 2, width / 2
    corners = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
    return Shape(kind, kind, tuple(parts), length, width, height, glints=corners)


def _vessel(rng: Rng, what: str, length: float, width: float) -> Shape:
    return ship(rng, length, length, wake=rng.uniform() < 0.4, kind=what or None)


def _aircraft(rng: Rng, what: str, length: float, width: float) -> Shape:
    near = 1.12
    return plane(rng, length / near, length * near)


def _helicopter(rng: Rng, what: str, length: float, width: float) -> Shape:
    x, y = length / 2, width / 2
    paint = shade(GREY, rng.uniform(0.6, 1.6))
    body = np.array([[x, 0], [0.6 * x, 0.3 * y], [-0.1 * x, 0.3 * y], [-x, 0.08 * y], [-x, -0.08 * y],
                     [-0.1 * x, -0.3 * y], [0.6 * x, -0.3 * y]])  # fmt: skip
    blades = [Part(rect(-x, x, -0.05 * y, 0.05 * y) @ _turned(each), shade(GREY, 0.7)) for each in (0.6, 2.2)]
    return _flat("helicopter", [Part(body, paint), *blades], length, width, 3.0)


def _turned(angle: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def _machine(rng: Rng, what: str, length: float, width: float) -> Shape:
    x, y = length / 2, width / 2
    paint = shade(YELLOW, rng.uniform(0.8, 1.2))
    parts = [
        Part(rect(-x, 0.3 * x, -y, y), paint),
        Part(rect(0.3 * x, x, -0.25 * y, 0.25 * y), shade(paint, 0.8)),
        Part(rect(-0.5 * x, 0.1 * x, -0.5 * y, 0.5 * y), shade(GREY, 0.5)),
    ]
    return replace(_flat("large-vehicle", parts, length, width, 3.0), type_name="machine")


def _wagon(rng: Rng, what: str, length: float, width: float) -> Shape:
    x, y = length / 2, width / 2
    paint = shade(((0.3, 0.14, 0.08), STEEL, (0.12, 0.16, 0.2), CONCRETE)[int(rng.integers(4))], 1.0)
    parts = [
        Part(rect(-x, x, -y, y), paint),
        Part(rect(-0.96 * x, 0.96 * x, -0.3 * y, 0.3 * y), shade(paint, 1.3)),
    ]
    return _flat("wagon", parts, length, width, 4.0)


def _containers(rng: Rng, what: str, length: float, width: float) -> Shape:
    made = train(rng)
    return replace(made, parts=made.parts[:1], width_m=2.6)


def _container_lot(rng: Rng, what: str, length: float, width: float) -> Shape:
    x, y = length / 2, width / 2
    parts = [Part(rect(-x, x, -y, y), shade(CONCRETE, 0.8))]
    paints: tuple[Colour, ...] = ((0.35, 0.1, 0.06), (0.07, 0.13, 0.28), (0.1, 0.25, 0.15), GREY, WHITE)
    for column in np.arange(-x + 1, x - 12.2, 13.5):
        for row in np.arange(-y + 1, y - 2.4, 2.9):
            if rng.uniform() < 0.75:
                paint = shade(paints[int(rng.integers(5))], rng.uniform(0.8, 1.2))
                parts.append(Part(rect(column, column + 12.2, row, row + 2.44), paint))
    return _flat("container lot", parts, length, width)


def _vehicle_lot(rng: Rng, what: str, length: float, width: float) -> Shape:
    x, y = length / 2, width / 2
    parts = [Part(rect(-x, x, -y, y), shade(ASPHALT, rng.uniform(0.9, 1.4)))]
    for row in np.arange(-y + 5, y - 4, 16.0):
        for column in np.arange(-x + 2, x - 2, 2.8):
            parts.append(Part(rect(column, column + 0.25, row - 4.8, row + 4.8), shade(WHITE, 0.6)))
    return _flat("vehicle lot", parts, length, width)


def _house(rng: Rng, what: str, length: float, width: float) -> Shape:
    level = int(what) if what.isdigit() else 0
    return building(rng, length, width, level, None if level or not what else what)


def _reservoir(rng: Rng, what: str, length: float, width: float) -> Shape:
    return tank(rng, length, length)


def _pitch(rng: Rng, what: str, length: float, width: float) -> Shape:
    """A court or a field with its lines; a diamond of clay for baseball."""
    x, y = length / 2, width / 2
    line = max(0.012 * length, 0.3)
    colours = {"tennis": ((0.07, 0.17, 0.24), (0.06, 0.14, 0.07)), "basketball": (CLAY, (0.2, 0.17, 0.15))}
    inner, outer = colours.get(what, (TURF, shade(TURF, 0.85)))
    parts = [Part(rect(-x, x, -y, y), outer), Part(rect(-0.84 * x, 0.84 * x, -0.8 * y, 0.8 * y), inner)]
    if what == "baseball":
        turn = np.linspace(-0.8, 0.8, 12)
        far = np.column_stack([np.cos(turn), np.sin(turn)]) * 0.75 * length - np.array([0.8 * x, 0.0])
        fan = np.vstack([[[-0.8 * x, 0.0]], far])
        clay = disc(-0.5 * x, 0.0, 0.3 * y)
        return _flat(
            "pitch",
            [Part(rect(-x, x, -y, y), outer), Part(fan, shade(TURF, 1.25)), Part(clay, CLAY)],
            length,
            width,
        )
    white = shade(WHITE, 0.9)
    for side in (-1, 1):
        parts.append(
            Part(rect(-0.84 * x, 0.84 * x, side * 0.8 * y - line / 2, side * 0.8 * y + line / 2), white)
        )
        parts.append(
            Part(rect(side * 0.84 * x - line / 2, side * 0.84 * x + line / 2, -0.8 * y, 0.8 * y), white)
        )
    parts.append(Part(rect(-line / 2, line / 2, -0.8 * y, 0.8 * y), white))
    return _flat("pitch", parts, length, width)


def _crossing(rng: Rng, what: str, length: float, width: float) -> Shape:
    """Roads that meet, with a round island where they go about it; a bridge is a bright deck with rails."""
    x, y = length / 2, width / 2
    if what == "bridge":
        deck = rect(-x, x, -0.5 * y, 0.5 * y)
        rails = [Part(rect(-x, x, side * 0.47 * y - 0.3, side * 0.47 * y + 0.3), WHITE) for side in (-1, 1)]
        return _flat("bridge", [Part(deck, CONCRETE), *rails], length, width, 6.0)
    half = min(0.28 * y, 8.0)
    parts = [Part(rect(-x, x, -half, half), ASPHALT), Part(rect(-half, half, -y, y), ASPHALT)]
    if what == "round":
        radius = 0.6 * min(x, y)
        parts += [Part(disc(0, 0, radius, 32), ASPHALT), Part(disc(0, 0, 0.5 * radius, 28), TURF)]
    else:
        for side in (-1, 1):
            for at in np.arange(-half + 0.5, half, 1.2):
                parts.append(
                    Part(rect(side * (half + 1), side * (half + 4), at, at + 0.6), shade(WHITE, 0.8))
                )
    return _flat("crossing", parts, length, width)


def _mast(rng: Rng, what: str, length: float, width: float) -> Shape:
    radius = min(length, width) / 2
    parts = [Part(disc(0, 0, radius, 16), shade(CONCRETE, 0.9)), Part(disc(0, 0, 0.45 * radius, 16), STEEL)]
    return _flat("mast", parts, 2 * radius, 2 * radius, 25.0)


def _crane(rng: Rng, what: str, length: float, width: float) -> Shape:
    x, y = length / 2, width / 2
    paint = shade(YELLOW, rng.uniform(0.8, 1.2))
    parts = [
        Part(rect(-x, x, -0.1 * y, 0.1 * y), paint),
        Part(rect(-0.4 * x, -0.15 * x, -0.5 * y, 0.5 * y), STEEL),
    ]
    return _flat("crane", parts, length, width, 20.0)


def _platform(rng: Rng, what: str, length: float, width: float) -> Shape:
    x = min(length, 90.0) / 2
    parts = [Part(rect(-x, x, -x, x), STEEL), Part(disc(0.3 * x, 0.2 * x, 0.35 * x), YELLOW)]
    return replace(_flat("container", parts, 2 * x, 2 * x, 25.0), type_name="platform")


def _helipad(rng: Rng, what: str, length: float, width: float) -> Shape:
    radius = min(length, width) / 2
    bar = [Part(rect(-0.35 * radius, 0.35 * radius, side * 0.3 * radius - 0.08 * radius,
                     side * 0.3 * radius + 0.08 * radius), WHITE) for side in (-1, 1)]  # fmt: skip
    parts = [
        Part(rect(-radius, radius, -radius, radius), CONCRETE),
        Part(disc(0, 0, 0.85 * radius, 32), ASPHALT),
        *bar,
        Part(rect(-0.08 * radius, 0.08 * radius, -0.3 * radius, 0.3 * radius), WHITE),
    ]
    return _flat("helipad", parts, 2 * radius, 2 * radius)


def _site(rng: Rng, what: str, length: float, width: float) -> Shape:
    """Bare ground with an unfinished floor and stacks of building stuff."""
    x, y = length / 2, width / 2
    parts = [Part(rect(-x, x, -y, y), SOIL), Part(rect(-0.5 * x, 0.4 * x, -0.5 * y, 0.3 * y), CONCRETE)]
    for _ in range(14):
        at, side = rng.uniform(-0.9, 0.8) * x, rng.uniform(-0.9, 0.8) * y
        wide = rng.uniform(1.5, 6.0)
        parts.append(Part(rect(at, at + wide, side, side + 0.5 * wide), shade(STEEL, rng.uniform(0.4, 1.6))))
    return _flat("site", parts, length, width)


_PLAIN: dict[str, tuple[str, tuple[Colour, ...], float]] = {
    "car": ("small-vehicle", PAINTS, 1.6),
    "lorry": ("large-vehicle", (WHITE, WHITE, GREY, (0.35, 0.08, 0.06), (0.08, 0.12, 0.3)), 3.2),
    "machine": ("large-vehicle", (YELLOW,), 3.0),
    "wagon": ("wagon", ((0.3, 0.14, 0.08), STEEL, CONCRETE), 4.0),
    "containers": ("container", ((0.35, 0.1, 0.06), (0.07, 0.13, 0.28), (0.1, 0.25, 0.15), GREY, WHITE), 2.6),
    "building": ("building", ROOFS, 6.0),
}
"""What is drawn as a block where it is small: the kind of thing, its colours, its height in metres."""
_Maker = Callable[[Rng, str, float, float], Shape]
_MADE: dict[str, _Maker] = {
    "car": lambda rng, what, length, width: car(rng),
    "lorry": lambda rng, what, length, width: lorry(rng),
    "ship": _vessel,
    "plane": _aircraft,
    "helicopter": _helicopter,
    "machine": _machine,
    "wagon": _wagon,
    "containers": _containers,
    "container lot": _container_lot,
    "vehicle lot": _vehicle_lot,
    "building": _house,
    "tank": _reservoir,
    "pitch": _pitch,
    "crossing": _crossing,
    "mast": _mast,
    "crane": _crane,
    "platform": _platform,
    "helipad": _helipad,
    "site": _site,
}
