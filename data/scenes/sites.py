"""What themes are laid out with: patches of land, trees, roads, car parks, rows of buildings and tanks."""

from __future__ import annotations

import numpy as np

from data.scenes.plan import Plan
from data.scenes.shapes import WHITE, rect, shade
from data.scenes.structures import building, tank, tree
from data.scenes.vehicles import car, lorry

Rng = np.random.Generator
LAND = ("grass", "soil", "sand", "crops", "paved", "road")
VEHICLES_BELOW_M = 0.6
"""Coarser than this a car is under three pixels wide, and none is drawn."""


WIDEST_TANK_M = 80.0


def start(rng: Rng, size: tuple[int, int], gsd_m: float, base: str) -> Plan:
    """An empty plan in a frame turned by chance."""
    return Plan(size, gsd_m, float(rng.uniform(0, 2 * np.pi)), base)


def wild_patches(rng: Rng, plan: Plan, count: int, covers: tuple[str, ...]) -> None:
    """Ragged patches of covers, as land lies where nobody drew it."""
    reach = plan.reach_m
    for number in range(count):
        corners = int(rng.integers(6, 14))
        turn = np.sort(rng.uniform(0, 2 * np.pi, corners))
        radius = reach * rng.uniform(0.1, 0.5) * rng.uniform(0.6, 1.3, corners)
        centre = rng.uniform(-reach, reach, 2)
        points = centre + np.column_stack([np.cos(turn), np.sin(turn)]) * radius[:, None]
        plan.cover(points, str(rng.choice(covers)), patch=number + 1)


def trees(rng: Rng, plan: Plan, count: int, on: tuple[str, ...] = ("grass", "soil", "crops", "sand")) -> None:
    """Trees here and there on such covers."""
    for _ in range(count):
        x, y = rng.uniform(-plan.reach_m, plan.reach_m, 2)
        plan.put(tree(rng, rng.uniform(1.2, 5.0)), x, y, 0.0, on=on)


def road(rng: Rng, plan: Plan, y: float, width: float, along: float = 0.0, traffic: float = 0.5) -> None:
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


def car_park(
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


def buildings(
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


def river(rng: Rng, plan: Plan) -> None:
    """A winding river with its banks."""
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


def tank_rows(rng: Rng, plan: Plan, x0: float, x1: float, y0: float, y1: float) -> None:
    """Tanks in rows, alike in each; none where the largest would be a few pixels."""
    least = max(5.0, 8.0 * plan.gsd_m)
    if least > WIDEST_TANK_M:
        return
    wide = rng.uniform(least, max(min(WIDEST_TANK_M, 0.4 * min(plan.size) * plan.gsd_m), least * 1.5))
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
            wide = float(np.clip(wide * rng.uniform(0.4, 1.8), least, WIDEST_TANK_M))
