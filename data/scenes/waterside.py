"""Places at the water: open sea, harbours, marinas."""

from __future__ import annotations

import numpy as np

from data.scenes.plan import Plan
from data.scenes.shapes import GREY, pick, rect
from data.scenes.ships import ship
from data.scenes.sites import LAND, VEHICLES_BELOW_M, Rng, car_park, start, tank_rows, trees
from data.scenes.structures import building
from data.scenes.vehicles import car, lorry, train


def sea(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Open water with ships under way or at anchor, sometimes a shore."""
    plan = start(rng, size, gsd_m, "water")
    reach = plan.reach_m
    if rng.uniform() < 0.4:
        edge = rng.uniform(0.1, 0.8) * reach
        xs = np.linspace(-reach, reach, 14)
        shore = np.column_stack([xs, edge + rng.normal(0, 0.05 * reach, 14)])
        plan.cover(
            np.vstack([shore, [[reach, reach], [-reach, reach]]]),
            str(rng.choice(["sand", "soil", "grass", "trees"])),
        )
        plan.cover(
            np.vstack([shore + np.array([0, 0.08 * reach]), [[reach, reach], [-reach, reach]]]),
            str(rng.choice(["grass", "trees", "soil"])),
        )
        trees(rng, plan, 15)
    least, most = _ship_range(gsd_m, size)
    moving = rng.uniform()
    for _ in range(int(rng.integers(2, 16))):
        x, y = rng.uniform(-reach, reach, 2)
        plan.put(
            ship(rng, least, most, wake=rng.uniform() < moving),
            x,
            y,
            rng.uniform(0, 2 * np.pi),
            on=("water",),
            margin_m=2 * gsd_m,
        )
    return plan


def _ship_range(gsd_m: float, size: tuple[int, int]) -> tuple[float, float]:
    least = max(5.0, 9.0 * gsd_m)
    return least, float(np.clip(0.55 * min(size) * gsd_m, least * 1.5, 330.0))


def harbour(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Quays with ships alongside, containers, sheds, lorries and tanks behind."""
    plan = start(rng, size, gsd_m, "water")
    reach = plan.reach_m
    least, most = _ship_range(gsd_m, size)
    edge = rng.uniform(-0.15, 0.4) * reach
    plan.cover(rect(-reach, reach, edge, reach), str(rng.choice(["paved", "paved", "road", "soil"])), patch=1)
    plan.mark(
        np.array([[-reach, edge], [reach, edge]]),
        pick(rng, (GREY, (0.5, 0.45, 0.3), (0.15, 0.15, 0.15))),
        rng.uniform(0.5, 2.0),
    )
    _moor(rng, plan, -reach, reach, edge, -1, least, most)
    if rng.uniform() < 0.6:
        for x in rng.uniform(-reach, reach, int(rng.integers(1, 3))):
            wide, out = rng.uniform(4, 25), rng.uniform(0.3, 0.9) * reach
            plan.cover(rect(x, x + wide, edge - out, edge), "paved", patch=2)
            for _ in range(int(rng.integers(1, 6))):
                y = edge - rng.uniform(0.1, 1.0) * out
                shape = ship(rng, least, most)
                side = rng.choice([-1, 1])
                at = x - shape.width_m / 2 - 1 if side < 0 else x + wide + shape.width_m / 2 + 1
                plan.put(shape, at, y, np.pi / 2 * rng.choice([-1, 1]), on=("water",))
    for _ in range(int(rng.integers(0, 6))):
        x, y = rng.uniform(-reach, reach), rng.uniform(-reach, edge)
        plan.put(
            ship(rng, least, 0.6 * most, wake=rng.uniform() < 0.5),
            x,
            y,
            rng.uniform(0, 2 * np.pi),
            on=("water",),
            margin_m=2 * gsd_m,
        )
    _yard(rng, plan, edge)
    return plan


def _moor(
    rng: Rng, plan: Plan, x0: float, x1: float, edge: float, side: int, least: float, most: float
) -> None:
    """Ships one behind the other along a quay."""
    x = x0 + rng.uniform(0, most / 2)
    while x < x1:
        shape = ship(rng, least, most)
        if rng.uniform() < 0.75:
            heading = (0.0 if rng.uniform() < 0.5 else np.pi) + rng.normal(0, 0.015)
            plan.put(
                shape,
                x + shape.length_m / 2,
                edge + side * (shape.width_m / 2 + rng.uniform(0.3, 2.0)),
                heading,
                on=("water",),
            )
        x += shape.length_m * rng.uniform(1.05, 1.4)


def _yard(rng: Rng, plan: Plan, edge: float) -> None:
    """What stands behind a quay."""
    reach, gsd_m = plan.reach_m, plan.gsd_m
    for _ in range(int(rng.integers(2, 14))):
        x, y = rng.uniform(-reach, reach), edge + rng.uniform(10, max(reach, 20))
        plan.put(train(rng), x, y, rng.choice([0.0, np.pi / 2]), on=LAND, margin_m=0.5)
    for _ in range(int(rng.integers(0, 5))):
        x, y = rng.uniform(-reach, reach), edge + rng.uniform(0.2, 0.9) * reach
        plan.put(
            building(rng, rng.uniform(20, 90), rng.uniform(12, 40), shape=str(rng.choice(["flat", "gable"]))),
            x,
            y,
            rng.choice([0.0, np.pi / 2]),
            on=LAND,
            margin_m=1.0,
        )
    if rng.uniform() < 0.4:
        tank_rows(rng, plan, rng.uniform(-reach, 0), rng.uniform(0, reach), edge + 20, reach)
    if gsd_m <= VEHICLES_BELOW_M:
        for _ in range(int(rng.integers(3, 40))):
            x, y = rng.uniform(-reach, reach), edge + rng.uniform(3, max(reach - edge, 6))
            shape = car(rng) if rng.uniform() < 0.6 else lorry(rng)
            plan.put(
                shape, x, y, rng.choice([0.0, np.pi / 2, np.pi]) + rng.normal(0, 0.1), on=LAND, margin_m=0.5
            )
    trees(rng, plan, int(rng.integers(0, 12)), on=LAND)


def marina(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Pontoons with boats side by side, bows or sterns to them, and a promenade with parked cars."""
    plan = start(rng, size, gsd_m, "water")
    reach = plan.reach_m
    edge = rng.uniform(0.3, 0.9) * reach
    plan.cover(rect(-reach, reach, edge, reach), str(rng.choice(["paved", "paved", "road", "sand"])), patch=1)
    least = max(5.0, 9.0 * gsd_m)
    plank = pick(rng, ((0.35, 0.22, 0.15), (0.5, 0.48, 0.44), GREY, (0.42, 0.33, 0.25)))
    x = -reach + rng.uniform(0, 20)
    while x < reach:
        wide = rng.uniform(1.5, 4.5)
        long = least * rng.uniform(1.0, 1.8)
        far = edge - rng.uniform(0.6, 1.9) * reach
        plan.cover(rect(x, x + wide, far, edge), "paved")
        plan.mark(rect(x, x + wide, far, edge), plank)
        for side in (-1, 1):
            y = far + 2
            full = rng.uniform(0.5, 1.0)
            while y < edge - 2:
                boat = ship(
                    rng,
                    long * 0.75,
                    long * 1.35,
                    kind=str(rng.choice(["yacht", "yacht", "sailing-boat", "motorboat"])),
                )
                if rng.uniform() < full:
                    base = x if side < 0 else x + wide
                    heading = (
                        (0.0 if rng.uniform() < 0.6 else np.pi)
                        + (np.pi if side < 0 else 0.0)
                        + rng.normal(0, 0.03)
                    )
                    plan.put(
                        boat,
                        base + side * (boat.length_m / 2 + rng.uniform(0.3, 1.2)),
                        y + boat.width_m / 2,
                        heading,
                        on=("water",),
                    )
                y += boat.width_m + rng.uniform(0.15, 0.9)
        x += wide + 2.4 * long + rng.uniform(4, 25)
    _moor(rng, plan, -reach, reach, edge, -1, least, 2.5 * least)
    if rng.uniform() < 0.7:
        car_park(rng, plan, -0.8 * reach, 0.8 * reach, edge + 6, reach, rng.uniform(0.2, 0.8))
    trees(rng, plan, int(rng.integers(3, 25)), on=LAND)
    return plan
