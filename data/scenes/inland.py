"""Places on land: airfields, car parks, towns, tank farms, fields, woods."""

from __future__ import annotations

import numpy as np

from data.scenes.plan import Plan
from data.scenes.planes import plane
from data.scenes.shapes import GREY, WHITE, Shape, pick, rect, shade
from data.scenes.sites import (
    LAND,
    VEHICLES_BELOW_M,
    Rng,
    buildings,
    car_park,
    river,
    road,
    start,
    tank_rows,
    trees,
    wild_patches,
)
from data.scenes.structures import building
from data.scenes.vehicles import car, lorry


def airport(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """A runway or an apron with parked aircraft, stands, a terminal and ground vehicles."""
    plan = start(rng, size, gsd_m, str(rng.choice(["grass", "grass", "soil", "sand", "paved"])))
    reach = plan.reach_m
    wild_patches(rng, plan, int(rng.integers(0, 4)), ("grass", "soil", "sand"))
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
    seen = least <= most  # Else no plane is large enough to be told from the apron by such pixels.
    while seen and row < reach:
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
    for _ in range(int(rng.integers(0, 4)) if seen else 0):
        x, y = rng.uniform(-reach, reach, 2)
        plan.put(plane(rng, least, most), x, y, rng.uniform(0, 2 * np.pi), margin_m=1.0)
    trees(rng, plan, int(rng.integers(0, 10)))
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
    plan = start(rng, size, gsd_m, str(rng.choice(["grass", "soil", "paved", "sand", "road"])))
    reach = plan.reach_m
    road(rng, plan, rng.uniform(-0.9, -0.4) * reach, rng.uniform(7, 16))
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
        car_park(
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
    trees(rng, plan, int(rng.integers(0, 30)), on=LAND)
    return plan


def suburb(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Streets with small houses on their plots."""
    return town(rng, size, gsd_m, small=True)


def town(rng: Rng, size: tuple[int, int], gsd_m: float, small: bool | None = None) -> Plan:
    """Streets with houses, gardens, parked cars and traffic; houses small or large, by chance for None."""
    plan = start(rng, size, gsd_m, str(rng.choice(["grass", "grass", "soil", "sand", "paved"])))
    reach = plan.reach_m
    block = rng.uniform(45, 90)
    street = rng.uniform(6, 11)
    ys = np.arange(-reach + rng.uniform(0, block), reach, block)
    xs = np.arange(-reach + rng.uniform(0, 2 * block), reach, rng.uniform(1.0, 2.5) * block)
    for y in ys:
        road(rng, plan, y, street, traffic=0.4)
    for x in xs:
        road(rng, plan, -x, street, along=np.pi / 2, traffic=0.3)
    chance = rng.uniform() < 0.65
    small = chance if small is None else small
    sizes, step = ((7.0, 15.0), rng.uniform(14, 22)) if small else ((14.0, 38.0), rng.uniform(28, 50))
    for y in ys:
        buildings(rng, plan, -reach, reach, y + street / 2 + 1, y + block - street / 2, step, sizes)
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
        car_park(rng, plan, x, x + 40, y, y + 30, 0.6)
    trees(rng, plan, int(rng.integers(10, 60)))
    return plan


def depot(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """A tank farm with bunds, pipes, roads, sheds and lorries."""
    plan = start(rng, size, gsd_m, str(rng.choice(["soil", "paved", "sand", "grass"])))
    reach = plan.reach_m
    wild_patches(rng, plan, int(rng.integers(0, 5)), ("grass", "soil", "paved"))
    road(rng, plan, rng.uniform(-0.9, 0.9) * reach, rng.uniform(6, 12))
    pipe = pick(rng, (GREY, WHITE, (0.3, 0.25, 0.2)))
    for y in rng.uniform(-reach, reach, int(rng.integers(1, 5))):
        for k in range(int(rng.integers(2, 6))):
            plan.mark(np.array([[-reach, y + 1.2 * k], [reach, y + 1.2 * k]]), pipe, 0.4)
    tank_rows(rng, plan, -reach, reach * rng.uniform(0.1, 1), -reach, reach)
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
    trees(rng, plan, int(rng.integers(0, 12)))
    return plan


def fields(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Fields in strips, a lane, a farm, a pond or a river: few objects or none."""
    plan = start(rng, size, gsd_m, "crops")
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
        river(rng, plan)
    if rng.uniform() < 0.7:
        road(rng, plan, rng.uniform(-0.8, 0.8) * reach, rng.uniform(3.5, 8), traffic=0.25)
    if rng.uniform() < 0.5:
        x, y = rng.uniform(-0.6, 0.6, 2) * reach
        plan.cover(rect(x - 30, x + 30, y - 30, y + 30), "soil")
        buildings(rng, plan, x - 30, x + 30, y - 30, y + 30, 24, (8.0, 22.0))
    trees(rng, plan, int(rng.integers(5, 40)))
    return plan


def woods(rng: Rng, size: tuple[int, int], gsd_m: float) -> Plan:
    """Forest, meadows and bare ground, a river now and then, nothing built but a track."""
    plan = start(rng, size, gsd_m, str(rng.choice(["trees", "grass", "soil", "sand"])))
    wild_patches(rng, plan, int(rng.integers(3, 9)), ("trees", "grass", "soil", "sand", "trees"))
    if rng.uniform() < 0.5:
        river(rng, plan)
    if rng.uniform() < 0.4:
        road(rng, plan, rng.uniform(-0.8, 0.8) * plan.reach_m, rng.uniform(3, 6), traffic=0.1)
    trees(rng, plan, int(rng.integers(0, 40)))
    return plan
