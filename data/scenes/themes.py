"""What kinds of places there are, and what is found in them: harbours, airfields, car parks, towns, tank
farms, fields, woods."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from data.scenes.plan import Plan
from data.scenes.planes import plane
from data.scenes.shapes import GREY, WHITE, Shape, pick, rect, shade
from data.scenes.ships import ship
from data.scenes.structures import building, tank, tree
from data.scenes.vehicles import car, lorry, train

Rng = np.random.Generator
LAND = ("grass", "soil", "sand", "crops", "paved", "road")
VEHICLES_BELOW_M = 0.6
"""Coarser than this a car is under three pixels wide, and none is drawn."""


def plan_of(rng: Rng, theme: str, size: tuple[int, int], gsd_m: float) -> Plan:
    """A plan of that theme."""
    return THEMES[theme](rng, size, gsd_m)


def _start(rng: Rng, size: tuple[int, int], gsd_m: float, base: str) -> Plan:
    return Plan(size, gsd_m, float(rng.uniform(0, 2 * np.pi)), base)


def _wild_patches(rng: Rng, plan: Plan, count: int, covers: tuple[str, ...]) -> None:
    """Ragged patches of covers, as land lies where nobody drew it."""
    reach = plan.reach_m
    for number in range(count):
        corners = int(rng.integers(6, 14))
        turn = np.sort(rng.uniform(0, 2 * np.pi, corners))
        radius = reach * rng.uniform(0.1, 0.5) * rng.uniform(0.6, 1.3, corners)
        centre = rng.uniform(-reach, reach, 2)
        points = centre + np.column_stack([np.cos(turn), np.sin(turn)]) * radius[:, None]
        plan.cover(points, str(rng.choice(covers)), patch=number + 1)


def _trees(
    rng: Rng, plan: Plan, count: int, on: tuple[str, ...] = ("grass", "soil", "crops", "sand")
) -> None:
    for _ in range(count):
        x, y = rng.uniform(-plan.reach_m, plan.reach_m, 2)
        plan.put(tree(rng, rng.uniform(1.2, 5.0)), x, y, 0.0, on=on)


def _road(rng: Rng, plan: Plan, y: float, width: float, along: float = 0.0, traffic: float = 0.5) -> None:
    """A straight road across the scene at `y`, its markings, and vehicles on their own sides."""
    reach = plan.reach_m
    turn = np.array([[np.cos(along), np.sin(along)], [-np.sin(along), np.cos(along)]])
    plan.cover(
        rect(-reach, reach, y - width / 2, y + width / 2) @ turn, "road", patch=int(rng.integers(1, 60))
    )
    white = shade(WHITE, rng.uniform(0.4, 1.0))
    if plan.gsd_m < 0.8 and rng.uniform() < 0.85:
        lanes = max(int(width // 3.4), 2)
        for lane in range(1, lanes):
            at = y - width / 2 + width * lane / lanes
            step = 1e9 if rng.uniform() < 0.3 else rng.uniform(5, 12)
            start = -reach
            while start < reach:
                stop = min(start + 0.5 * step, reach)
                plan.mark(np.array([[start, at], [stop, at]]) @ turn, white, 0.15)
                start += step
    if plan.gsd_m <= VEHICLES_BELOW_M:
        for _ in range(int(rng.poisson(traffic * 2 * reach / 25))):
            side = 1 if rng.uniform() < 0.5 else -1
            shape = car(rng) if rng.uniform() < 0.72 else lorry(rng)
            x = rng.uniform(-reach, reach)
            lane_y = y + side * width * rng.uniform(0.2, 0.3)
            spot = np.array([[x, lane_y]]) @ turn
            plan.put(
                shape,
                spot[0, 0],
                spot[0, 1],
                along + (0 if side > 0 else np.pi) + rng.normal(0, 0.03),
                margin_m=0.3,
            )


def _car_park(
    rng: Rng, plan: Plan, x0: float, x1: float, y0: float, y1: float, fill: float, big: float = 0.06
) -> None:
    """Rows of bays with painted lines and vehicles in some of them."""
    plan.cover(
        rect(x0, x1, y0, y1), "road" if rng.uniform() < 0.6 else "paved", patch=int(rng.integers(1, 60))
    )
    if plan.gsd_m > VEHICLES_BELOW_M:
        return
    white = shade(WHITE, rng.uniform(0.4, 1.0))
    lines = rng.uniform() < 0.8
    row, lorries = y0 + 3.0, rng.uniform() < big
    while row < y1 - 3.0:
        deep, wide = (17.0, 4.0) if lorries or rng.uniform() < big / 2 else (5.4, rng.uniform(2.5, 3.0))
        slant = rng.choice([0.0, 0.0, 0.35])
        for x in np.arange(x0 + 2, x1 - 2, wide):
            if lines:
                foot = np.array(
                    [[x - wide / 2, row - deep / 2], [x - wide / 2 + slant * deep / 2, row + deep / 2]]
                )
                plan.mark(foot, white, 0.12)
            if rng.uniform() < fill:
                shape = lorry(rng) if deep > 10 else car(rng)
                heading = np.pi / 2 * rng.choice([-1, 1]) + rng.normal(0, 0.04) - slant * 0.45
                plan.put(shape, x + slant * deep / 4 + rng.normal(0, 0.1), row + rng.normal(0, 0.3), heading)
        row += deep + (0.6 if rng.uniform() < 0.5 else 6.5)


def _buildings(
    rng: Rng, plan: Plan, x0: float, x1: float, y0: float, y1: float, step: float, size: tuple[float, float]
) -> None:
    """Buildings in rows over a block of land."""
    for x in np.arange(x0 + step / 2, x1, step):
        for y in np.arange(y0 + step / 2, y1, step):
            if rng.uniform() < 0.8:
                long, wide = rng.uniform(*size), rng.uniform(*size)
                turn = rng.choice([0.0, np.pi / 2, np.pi]) + rng.normal(0, 0.05)
                plan.put(
                    building(rng, max(long, wide), min(long, wide)),
                    x + rng.normal(0, 0.1 * step),
                    y + rng.normal(0, 0.1 * step),
                    turn,
                    on=LAND,
                    margin_m=0.5,
                )


def sea(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Open water with ships under way or at anchor, sometimes a shore."""
    plan = _start(rng, size, gsd_m, "water")
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
        _trees(rng, plan, 15)
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
    plan = _start(rng, size, gsd_m, "water")
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
        _tank_rows(rng, plan, rng.uniform(-reach, 0), rng.uniform(0, reach), edge + 20, reach)
    if gsd_m <= VEHICLES_BELOW_M:
        for _ in range(int(rng.integers(3, 40))):
            x, y = rng.uniform(-reach, reach), edge + rng.uniform(3, max(reach - edge, 6))
            shape = car(rng) if rng.uniform() < 0.6 else lorry(rng)
            plan.put(
                shape, x, y, rng.choice([0.0, np.pi / 2, np.pi]) + rng.normal(0, 0.1), on=LAND, margin_m=0.5
            )
    _trees(rng, plan, int(rng.integers(0, 12)), on=LAND)


def marina(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Pontoons with boats side by side, bows or sterns to them, and a promenade with parked cars."""
    plan = _start(rng, size, gsd_m, "water")
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
        _car_park(rng, plan, -0.8 * reach, 0.8 * reach, edge + 6, reach, rng.uniform(0.2, 0.8))
    _trees(rng, plan, int(rng.integers(3, 25)), on=LAND)
    return plan


def airport(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """A runway or an apron with parked aircraft, stands, a terminal and ground vehicles."""
    plan = _start(rng, size, gsd_m, str(rng.choice(["grass", "grass", "soil", "sand", "paved"])))
    reach = plan.reach_m
    _wild_patches(rng, plan, int(rng.integers(0, 4)), ("grass", "soil", "sand"))
    white = shade(WHITE, rng.uniform(0.6, 1.0))
    apron = rng.uniform(-0.6, 0.1) * reach
    plan.cover(
        rect(-reach, reach, apron, reach),
        "paved" if rng.uniform() < 0.7 else "road",
        patch=int(rng.integers(1, 60)),
    )
    if rng.uniform() < 0.6:
        wide = rng.uniform(18, 50)
        plan.cover(rect(-reach, reach, apron - wide - 30, apron - 30), "road", patch=3)
        for x in np.arange(-reach, reach, 50):
            plan.mark(np.array([[x, apron - 30 - wide / 2], [x + 28, apron - 30 - wide / 2]]), white, 0.9)
        for x in np.arange(-0.4 * reach, 0.0, 3.6)[:10]:
            plan.mark(rect(x, x + 1.8, apron - 30 - 0.4 * wide, apron - 30 + -0.6 * wide + 0.2 * wide), white)
    least, most = max(8.0, 11.0 * gsd_m), float(np.clip(0.6 * min(size) * gsd_m, 16.0, 80.0))
    yellow = (0.6, 0.45, 0.08)
    row = apron + rng.uniform(20, 45)
    while row < reach:
        x = -reach + rng.uniform(0, 30)
        deep = 0.0
        facing = np.pi / 2 * rng.choice([-1, 1]) + rng.choice([0.0, 0.0, rng.uniform(-0.6, 0.6)])
        narrow = rng.uniform(least, most)
        while x < reach:
            shape = plane(rng, max(least, 0.5 * narrow), max(min(1.3 * narrow, most), least + 4))
            half = shape.width_m / 2
            if rng.uniform() < 0.7:
                done = plan.put(
                    shape,
                    x + half,
                    row + rng.normal(0, 2),
                    facing + rng.normal(0, 0.03) + (np.pi if rng.uniform() < 0.06 else 0.0),
                    margin_m=1.0,
                )
                if done and rng.uniform() < 0.6:
                    plan.mark(
                        np.array([[x + half, row - shape.length_m], [x + half, row + shape.length_m]]),
                        yellow,
                        0.3,
                    )
                if done and gsd_m <= VEHICLES_BELOW_M:
                    _ground_crew(rng, plan, x + half, row, shape)
            x += shape.width_m * rng.uniform(1.08, 1.5)
            deep = max(deep, shape.length_m)
        row += max(deep, 20.0) * rng.uniform(1.2, 1.8)
        if rng.uniform() < 0.5:
            hall = building(rng, rng.uniform(40, 160), rng.uniform(20, 50), shape="flat")
            plan.put(hall, rng.uniform(-0.5, 0.5) * reach, row + 10, 0.0, margin_m=2.0)
            row += 60
    for _ in range(int(rng.integers(0, 4))):
        x, y = rng.uniform(-reach, reach, 2)
        plan.put(plane(rng, least, most), x, y, rng.uniform(0, 2 * np.pi), margin_m=1.0)
    _trees(rng, plan, int(rng.integers(0, 10)))
    return plan


def _ground_crew(rng: Rng, plan: Plan, x: float, y: float, shape: Shape) -> None:
    for _ in range(int(rng.integers(0, 4))):
        vehicle = car(rng) if rng.uniform() < 0.7 else lorry(rng)
        at = rng.uniform(-0.8, 0.8, 2) * [shape.width_m, shape.length_m]
        plan.put(
            vehicle,
            x + at[0],
            y + at[1],
            rng.choice([0.0, np.pi / 2, np.pi]) + rng.normal(0, 0.2),
            margin_m=0.5,
        )


def parking(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Car parks and lorry parks beside a road and large buildings."""
    plan = _start(rng, size, gsd_m, str(rng.choice(["grass", "soil", "paved", "sand", "road"])))
    reach = plan.reach_m
    _road(rng, plan, rng.uniform(-0.9, -0.4) * reach, rng.uniform(7, 16))
    for _ in range(int(rng.integers(1, 4))):
        x, y = rng.uniform(-reach, reach, 2)
        plan.put(
            building(rng, rng.uniform(20, 70), rng.uniform(15, 40)),
            x,
            y,
            rng.choice([0.0, np.pi / 2]),
            on=LAND,
            margin_m=2.0,
        )
    fill = rng.uniform(0.2, 0.95)
    top = -0.35 * reach
    while top < reach:
        deep = rng.uniform(15, 60)
        _car_park(
            rng,
            plan,
            -reach * rng.uniform(0.3, 1),
            reach * rng.uniform(0.3, 1),
            top,
            top + deep,
            fill,
            big=0.3,
        )
        top += deep + rng.uniform(2, 12)
    _trees(rng, plan, int(rng.integers(0, 30)), on=LAND)
    return plan


def suburb(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Streets with small houses on their plots."""
    return town(rng, size, gsd_m, small=True)


def town(rng: Rng, size: tuple[int, int], gsd_m: float, small: bool | None = None) -> Plan:
    """Streets with houses, gardens, parked cars and traffic; houses small or large, by chance for None."""
    plan = _start(rng, size, gsd_m, str(rng.choice(["grass", "grass", "soil", "sand", "paved"])))
    reach = plan.reach_m
    block = rng.uniform(45, 90)
    street = rng.uniform(6, 11)
    ys = np.arange(-reach + rng.uniform(0, block), reach, block)
    xs = np.arange(-reach + rng.uniform(0, 2 * block), reach, rng.uniform(1.0, 2.5) * block)
    for y in ys:
        _road(rng, plan, y, street, traffic=0.4)
    for x in xs:
        _road(rng, plan, -x, street, along=np.pi / 2, traffic=0.3)
    chance = rng.uniform() < 0.65
    small = chance if small is None else small
    sizes, step = ((7.0, 15.0), rng.uniform(14, 22)) if small else ((14.0, 38.0), rng.uniform(28, 50))
    for y in ys:
        _buildings(rng, plan, -reach, reach, y + street / 2 + 1, y + block - street / 2, step, sizes)
    if gsd_m <= VEHICLES_BELOW_M:
        for y in ys:
            for x in np.arange(-reach, reach, 6.2):
                if rng.uniform() < 0.3:
                    side = rng.choice([-1, 1])
                    plan.put(
                        car(rng),
                        x,
                        y + side * (street / 2 - 1.1),
                        rng.choice([0.0, np.pi]) + rng.normal(0, 0.02),
                        on=("road",),
                    )
    if rng.uniform() < 0.3:
        x, y = rng.uniform(-reach, reach, 2)
        _car_park(rng, plan, x, x + 40, y, y + 30, 0.6)
    _trees(rng, plan, int(rng.integers(10, 60)))
    return plan


def _tank_rows(rng: Rng, plan: Plan, x0: float, x1: float, y0: float, y1: float) -> None:
    least = max(5.0, 8.0 * plan.gsd_m)
    wide = rng.uniform(least, max(min(80.0, 0.4 * min(plan.size) * plan.gsd_m), least * 1.5))
    y = y0
    while y < y1:
        x = x0 + rng.uniform(0, wide)
        gap = rng.uniform(1.1, 1.8)
        while x < x1:
            shape = tank(rng, max(least, 0.6 * wide), wide)
            if rng.uniform() < 0.85:
                plan.put(shape, x, y, rng.uniform(0, 2 * np.pi), on=LAND, margin_m=0.5)
            x += max(shape.length_m, 0.8 * wide) * gap
        y += wide * gap
        if rng.uniform() < 0.4:
            wide = float(np.clip(wide * rng.uniform(0.4, 1.8), least, 80.0))


def depot(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """A tank farm with bunds, pipes, roads, sheds and lorries."""
    plan = _start(rng, size, gsd_m, str(rng.choice(["soil", "paved", "sand", "grass"])))
    reach = plan.reach_m
    _wild_patches(rng, plan, int(rng.integers(0, 5)), ("grass", "soil", "paved"))
    _road(rng, plan, rng.uniform(-0.9, 0.9) * reach, rng.uniform(6, 12))
    pipe = pick(rng, (GREY, WHITE, (0.3, 0.25, 0.2)))
    for y in rng.uniform(-reach, reach, int(rng.integers(1, 5))):
        for k in range(int(rng.integers(2, 6))):
            plan.mark(np.array([[-reach, y + 1.2 * k], [reach, y + 1.2 * k]]), pipe, 0.4)
    _tank_rows(rng, plan, -reach, reach * rng.uniform(0.1, 1), -reach, reach)
    for _ in range(int(rng.integers(0, 5))):
        x, y = rng.uniform(-reach, reach, 2)
        plan.put(
            building(rng, rng.uniform(10, 50), rng.uniform(8, 20)),
            x,
            y,
            rng.choice([0.0, np.pi / 2]),
            on=LAND,
            margin_m=1.0,
        )
    if gsd_m <= VEHICLES_BELOW_M:
        for _ in range(int(rng.integers(0, 16))):
            x, y = rng.uniform(-reach, reach, 2)
            plan.put(
                lorry(rng) if rng.uniform() < 0.6 else car(rng),
                x,
                y,
                rng.choice([0.0, np.pi / 2]) + rng.normal(0, 0.1),
                on=LAND,
                margin_m=0.5,
            )
    _trees(rng, plan, int(rng.integers(0, 12)))
    return plan


def fields(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Fields in strips, a lane, a farm, a pond or a river: few objects or none."""
    plan = _start(rng, size, gsd_m, "crops")
    reach = plan.reach_m
    number = 1
    y = -reach
    while y < reach:
        deep = rng.uniform(0.2, 0.7) * reach
        x = -reach
        while x < reach:
            wide = rng.uniform(0.2, 0.9) * reach
            plan.cover(
                rect(x, x + wide, y, y + deep),
                str(rng.choice(["crops", "crops", "soil", "grass", "trees"], p=[0.3, 0.3, 0.15, 0.15, 0.1])),
                patch=number,
            )
            number += 1
            x += wide
        y += deep
    if rng.uniform() < 0.5:
        _river(rng, plan)
    if rng.uniform() < 0.7:
        _road(rng, plan, rng.uniform(-0.8, 0.8) * reach, rng.uniform(3.5, 8), traffic=0.25)
    if rng.uniform() < 0.5:
        x, y = rng.uniform(-0.6, 0.6, 2) * reach
        plan.cover(rect(x - 30, x + 30, y - 30, y + 30), "soil")
        _buildings(rng, plan, x - 30, x + 30, y - 30, y + 30, 24, (8.0, 22.0))
    _trees(rng, plan, int(rng.integers(5, 40)))
    return plan


def _river(rng: Rng, plan: Plan) -> None:
    reach = plan.reach_m
    xs = np.linspace(-reach, reach, 24)
    bend = rng.uniform(-0.6, 0.6) * reach + 0.2 * reach * np.sin(
        xs / reach * rng.uniform(2, 6) + rng.uniform(0, 6)
    )
    wide = rng.uniform(0.05, 0.25) * reach
    bank = np.vstack(
        [np.column_stack([xs, bend - wide * 0.65]), np.column_stack([xs, bend + wide * 0.65])[::-1]]
    )
    plan.cover(bank, str(rng.choice(["sand", "grass", "soil"])))
    plan.cover(
        np.vstack([np.column_stack([xs, bend - wide / 2]), np.column_stack([xs, bend + wide / 2])[::-1]]),
        "water",
    )


def woods(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Forest, meadows and bare ground, a river now and then, nothing built but a track."""
    plan = _start(rng, size, gsd_m, str(rng.choice(["trees", "grass", "soil", "sand"])))
    _wild_patches(rng, plan, int(rng.integers(3, 9)), ("trees", "grass", "soil", "sand", "trees"))
    if rng.uniform() < 0.5:
        _river(rng, plan)
    if rng.uniform() < 0.4:
        _road(rng, plan, rng.uniform(-0.8, 0.8) * plan.reach_m, rng.uniform(3, 6), traffic=0.1)
    _trees(rng, plan, int(rng.integers(0, 40)))
    return plan


THEMES: dict[str, Callable[[Rng, tuple[int, int], float], Plan]] = {
    "sea": sea,
    "harbour": harbour,
    "marina": marina,
    "airport": airport,
    "parking": parking,
    "town": town,
    "depot": depot,
    "fields": fields,
    "woods": woods,
    "suburb": suburb,
}
COMMON = (0.11, 0.15, 0.13, 0.21, 0.12, 0.1, 0.11, 0.04, 0.03, 0.0)
"""How often each theme is drawn when none is asked for."""
