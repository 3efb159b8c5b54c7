"""The same place twice: buildings added and removed, damage, a flood, a fire."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from data.scenes.model import COVERS, Kind, Pair, Placed, Scene, Where
from data.scenes.noise import fractal
from data.scenes.place import placement
from data.scenes.plan import Plan, Thing
from data.scenes.rendering import LOOKS, View, drawn_gsd, numbered, seen, truth, view_of
from data.scenes.shapes import Part
from data.scenes.structures import building
from data.scenes.themes import plan_of

Event = Literal["change", "damage", "flood", "fire"]
THEME: dict[str, str] = {"change": "town", "damage": "suburb", "flood": "fields", "fire": "woods"}
PLANTS = ("grass", "crops", "trees")


def pair(
    seed: int,
    kind: Event = "change",
    size: int | tuple[int, int] = 512,
    gsd_m: float | None = None,
    *,
    sensor: Kind = "optical",
    theme: str | None = None,
    where: Where = "utm",
    shift_px: float = 0.0,
    same_season: bool | None = None,
    clouds: float = 0.0,
    looks: float = LOOKS,
    plain: bool = False,
) -> Pair:
    """A place before and after, the same for the same arguments in every process.

    "change": buildings torn down and built. "damage": each building in one of the four states of LEVELS
    afterwards. "flood": low ground under water. "fire": a patch of plants burned. `shift_px` is the greatest
    misregistration of the second along rows and columns (drawn from the seed, with fractions),
    `same_season` whether season, sun and tone stay (None: by chance), `clouds` the share hidden in each.
    Other arguments as `render` takes them.
    """
    height, width = (size, size) if isinstance(size, int) else size
    layout = np.random.default_rng([seed, 11])
    theme = theme or THEME[kind]
    gsd = gsd_m if gsd_m is not None else drawn_gsd(layout, theme, sensor)
    plan = plan_of(layout, theme, (height, width), gsd)
    changes = np.random.default_rng([seed, 12])
    before, after, changed, buildings, added, removed = _happened(plan, kind, changes)
    dx, dy = (changes.uniform(-shift_px, shift_px, 2)).tolist()
    views = _views(seed, sensor, plain, same_season, clouds, looks)
    transform, crs = placement(np.random.default_rng([seed, 13]), where, gsd)
    scenes = []
    for number, (each, view) in enumerate(zip((before, _shifted(after, dx, dy)), views, strict=True)):
        ground, air = np.random.default_rng([seed, 14]), np.random.default_rng([seed, 15, number])
        scene = seen(each, view, ground, air)
        scenes.append(replace(scene, transform=transform, crs=crs, theme=theme))
    return Pair(
        scenes[0],
        scenes[1],
        kind,
        changed,
        truth(buildings, plan),
        numbered(buildings, plan.size),
        added,
        removed,
        (dx, dy),
    )


def _views(
    seed: int, sensor: Kind, plain: bool, same: bool | None, clouds: float, looks: float
) -> tuple[View, View]:
    chance = np.random.default_rng([seed, 16])
    same = bool(chance.uniform() < 0.5) if same is None else same

    def one(stream: int) -> View:
        return view_of(
            np.random.default_rng([seed, stream]),
            sensor,
            plain=plain,
            season=None,
            clouds=clouds,
            haze=None,
            noise=None,
            blur_px=None,
            jpeg=None,
            looks=looks,
        )

    first, second = one(17), one(18)
    if same:
        second = replace(second, season=first.season, light=first.light, tone=first.tone)
    if first.season == "winter" or second.season == "winter":
        return replace(first, season="summer"), replace(second, season="summer" if same else "autumn")
    return first, second


_Happened = tuple[Plan, Plan, NDArray[np.bool_], list[Thing], tuple[int, ...], tuple[int, ...]]


def _happened(plan: Plan, kind: Event, rng: np.random.Generator) -> _Happened:
    if kind == "change":
        return _rebuilt(plan, rng)
    if kind == "damage":
        return _damaged(plan, rng)
    return _drowned(plan, rng) if kind == "flood" else _burned(plan, rng)


def _buildings(plan: Plan) -> list[Thing]:
    return [thing for thing in plan.things if thing.shape.class_name == "building"]


def _rebuilt(plan: Plan, rng: np.random.Generator) -> _Happened:
    """A quarter of the buildings stands only before or only afterwards; parked things come and go and count
    for nothing."""
    standing = _buildings(plan)
    fate = rng.choice(3, len(standing), p=[0.72, 0.16, 0.12])
    if len(standing) > 1 and not fate.any():
        fate[0] = 1
    added = tuple(int(each) for each in np.flatnonzero(fate == 1))
    removed = tuple(int(each) for each in np.flatnonzero(fate == 2))
    other = str(rng.choice(["soil", "grass"]))
    before = _without(plan, {id(standing[each]) for each in added}, other)
    after = _without(plan, {id(standing[each]) for each in removed}, other)
    numbers = numbered(standing, plan.size)
    changed = np.isin(numbers, [each + 1 for each in (*added, *removed)])
    return before, after, changed, standing, added, removed


def _damaged(plan: Plan, rng: np.random.Generator) -> _Happened:
    """Most buildings stand as they were; the worse, the rarer, and the worst lie together."""
    standing = _buildings(plan)
    middle = np.array([thing.centre for thing in standing]).reshape(-1, 2)
    storm = rng.uniform(0.2, 0.8, 2) * [plan.size[1], plan.size[0]]
    far = np.hypot(*(middle - storm).T) / (0.45 * max(plan.size))
    hurt = np.clip(3.4 - 3.0 * far + rng.normal(0, 0.7, len(standing)), 0, 3).round().astype(int)
    after: dict[int, Thing] = {}
    for thing, level in zip(standing, hurt.tolist(), strict=True):
        if level:
            after[id(thing)] = _hit(thing, level, plan.gsd_m, rng)
    things = [after.get(id(thing), thing) for thing in plan.things]
    numbers = numbered(standing, plan.size)
    changed = np.isin(numbers, np.flatnonzero(hurt > 0) + 1)
    ended = _copy(plan)
    ended.things = things
    told = [replace(thing, level=int(level)) for thing, level in zip(standing, hurt, strict=True)]
    return plan, ended, changed, told, (), ()


def _hit(thing: Thing, level: int, gsd_m: float, rng: np.random.Generator) -> Thing:
    """The same building with its roof damaged: its own parts with holes and patches over them, or rubble."""
    shape = thing.shape
    hurt = building(rng, shape.length_m, shape.width_m, level, "flat")
    own = list(shape.parts)
    patches = list(hurt.parts)
    if level == 3:
        parts = patches
    else:
        base = building(np.random.default_rng(0), shape.length_m, shape.width_m, 0, "flat").parts[0].points
        parts = own + [
            part
            for part in patches
            if part.points.shape == (4, 2)
            and not _same(part, base)
            and _is_patch(part, shape.width_m, shape.length_m)
        ]
    forward = thing.forward
    turn = np.array([forward, [-forward[1], forward[0]]]) / gsd_m
    corners = np.vstack([part.points for part in parts]) @ turn + thing.centre
    splits = np.cumsum([len(part.points) for part in parts])
    height = shape.height_m * (1.0, 1.0, 0.8, 0.15)[level]
    changed = replace(shape, parts=tuple(parts), height_m=height)
    return replace(thing, shape=changed, corners=corners, splits=splits, level=level)


def _same(part: Part, points: NDArray[np.float64]) -> bool:
    return bool(np.allclose(part.points, points) or np.allclose(part.points, points * 0.93))


def _is_patch(part: Part, width: float, length: float) -> bool:
    low, high = part.points.min(axis=0), part.points.max(axis=0)
    return bool((high - low)[0] > 0.1 * length or (high - low)[1] > 0.1 * width)


def _drowned(plan: Plan, rng: np.random.Generator) -> _Happened:
    """Water over the low ground; what is built stands out of it."""
    height = fractal(rng, plan.size, max(plan.size) * 0.6, 4)
    water = COVERS.index("water")
    wet = plan.covers == water
    if wet.any():
        near = cv2.distanceTransform((~wet).astype(np.uint8), cv2.DIST_L2, 5)
        height = height + 2.2 * near / max(plan.size)
    level = float(np.quantile(height, rng.uniform(0.2, 0.45)))
    drowned = (
        (height < level) & ~wet & ~np.isin(plan.covers, (COVERS.index("building"), COVERS.index("trees")))
    )
    after = _copy(plan)
    after.covers[drowned] = water
    after.things = [
        thing
        for thing in plan.things
        if not _in(drowned, thing) or thing.shape.class_name in ("building", "tree")
    ]
    after.marks = [mark for mark in plan.marks if not _touches(drowned, mark.points)]
    return plan, after, drowned, _buildings(plan), (), ()


def _burned(plan: Plan, rng: np.random.Generator) -> _Happened:
    """A ragged patch of plants turned to ash and char."""
    field = fractal(rng, plan.size, max(plan.size) * 0.5, 4)
    plants = np.isin(plan.covers, [COVERS.index(name) for name in PLANTS])
    if not plants.any():
        plan.covers[:] = COVERS.index("trees")
        plants = np.ones(plan.size, bool)
    level = float(np.quantile(field[plants], rng.uniform(0.55, 0.75)))
    burned = plants & (field > level)
    after = _copy(plan)
    after.covers[burned] = COVERS.index("burned")
    after.things = [
        thing for thing in plan.things if not (thing.shape.class_name == "tree" and _in(burned, thing))
    ]
    return plan, after, burned, _buildings(plan), (), ()


def _in(mask: NDArray[np.bool_], thing: Thing) -> bool:
    column, row = thing.centre.astype(int)
    return bool(0 <= row < mask.shape[0] and 0 <= column < mask.shape[1] and mask[row, column])


def _touches(mask: NDArray[np.bool_], points: NDArray[np.float64]) -> bool:
    steps = np.linspace(0, 1, 9)[:, None]
    spots = (points[0] * (1 - steps) + points[-1] * steps).astype(int)
    inside = (spots >= 0).all(axis=1) & (spots[:, 0] < mask.shape[1]) & (spots[:, 1] < mask.shape[0])
    return bool(mask[spots[inside, 1], spots[inside, 0]].any())


def _copy(plan: Plan) -> Plan:
    twin = Plan(plan.size, plan.gsd_m, plan.turn_rad, plan.base)
    twin.covers, twin.patches, twin.taken = plan.covers.copy(), plan.patches.copy(), plan.taken.copy()
    twin.things, twin.marks = list(plan.things), list(plan.marks)
    return twin


def _without(plan: Plan, gone: set[int], ground: str) -> Plan:
    """The plan without those things, bare ground where they stand."""
    twin = _copy(plan)
    leaving = [thing for thing in plan.things if id(thing) in gone]
    spots = numbered(leaving, plan.size) > 0
    rim = cv2.dilate(spots.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(bool) & (
        twin.covers == COVERS.index("building")
    )
    twin.covers[rim] = COVERS.index(ground)
    twin.things = [thing for thing in plan.things if id(thing) not in gone]
    return twin


def _shifted(plan: Plan, dx: float, dy: float) -> Plan:
    """Everything so many columns to the right and rows down, as a sensor that points a little off sees it."""
    if not dx and not dy:
        return plan
    twin = _copy(plan)
    move = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
    size = (plan.size[1], plan.size[0])
    twin.covers = np.asarray(
        cv2.warpAffine(plan.covers, move, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )
    twin.patches = np.asarray(
        cv2.warpAffine(plan.patches, move, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE),
        np.uint8,
    )
    offset = np.array([dx, dy])
    twin.things = [
        replace(
            thing,
            corners=thing.corners + offset,
            centre=thing.centre + offset,
            outline=thing.outline + offset,
        )
        for thing in plan.things
    ]
    twin.marks = [replace(mark, points=mark.points + offset) for mark in plan.marks]
    return twin


def both(each: Pair) -> tuple[Scene, Scene]:
    """Before and after."""
    return each.before, each.after


def changed_buildings(each: Pair) -> tuple[Placed, ...]:
    """The buildings that stand only before or only afterwards."""
    return tuple(each.buildings[place] for place in (*each.added, *each.removed))
