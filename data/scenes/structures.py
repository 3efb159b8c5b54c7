"""Tanks, buildings and trees from above."""

from __future__ import annotations

import numpy as np

from data.scenes.shapes import BLACK, GREY, WHITE, Colour, Part, Shape, disc, pick, rect, shade

ROOFS: tuple[Colour, ...] = (
    (0.33, 0.16, 0.11),
    (0.28, 0.27, 0.27),
    (0.45, 0.44, 0.42),
    (0.65, 0.64, 0.61),
    (0.15, 0.15, 0.16),
    (0.38, 0.30, 0.24),
    (0.14, 0.22, 0.32),
    (0.2, 0.3, 0.25),
)
PATCH: Colour = (0.08, 0.18, 0.42)


def tank(rng: np.random.Generator, least_m: float, most_m: float) -> Shape:
    """A storage tank: a round roof, fixed or floating, with a rim, a stair and pipes."""
    radius = float(np.exp(rng.uniform(np.log(least_m), np.log(most_m)))) / 2
    height = min(rng.uniform(0.3, 1.3) * radius, 20.0)
    paint = pick(
        rng, (WHITE, WHITE, (0.55, 0.54, 0.5), GREY, (0.3, 0.2, 0.14), (0.15, 0.15, 0.16), (0.2, 0.3, 0.25))
    )
    parts = [Part(disc(0.0, 0.0, radius, 40), paint)]
    kind = rng.uniform()
    if kind < 0.4:
        parts.append(Part(disc(0.0, 0.0, 0.92 * radius, 36), shade(paint, rng.uniform(0.55, 0.9))))
        off, across = rng.uniform(-0.1, 0.1, 2) * radius
        parts.append(Part(disc(off, across, 0.8 * radius, 32), shade(paint, rng.uniform(0.7, 1.05))))
    elif kind < 0.75:
        parts.append(Part(disc(0.0, 0.0, 0.5 * radius, 24), shade(paint, rng.uniform(0.95, 1.15))))
        parts.append(Part(disc(0.0, 0.0, 0.09 * radius, 10), shade(paint, 0.6)))
    if rng.uniform() < 0.6:
        way = rng.uniform(0, 2 * np.pi)
        turned = np.array([[np.cos(way), np.sin(way)], [-np.sin(way), np.cos(way)]])
        parts.append(
            Part(rect(0.0, radius * 0.96, -0.04 * radius, 0.04 * radius) @ turned, shade(paint, 0.6))
        )
    turn = np.linspace(0, 2 * np.pi, 5)[:-1]
    glints = np.column_stack([np.cos(turn), np.sin(turn)]) * radius
    return Shape("storage-tank", "tank", tuple(parts), 2 * radius, 2 * radius, height, glints=glints)


def building(
    rng: np.random.Generator, length: float, width: float, level: int = 0, shape: str | None = None
) -> Shape:
    """A building with a flat, gabled or L-shaped roof, in one of four states of damage."""
    x, y = length / 2, width / 2
    roof = pick(rng, ROOFS)
    kind = shape or str(rng.choice(["flat", "gable", "ell"], p=[0.45, 0.4, 0.15]))
    body = rect(-x, x, -y, y)
    if kind == "ell":
        cut_x, cut_y = rng.uniform(0.0, 0.4) * x, rng.uniform(-0.2, 0.3) * y
        body = np.array([[-x, -y], [x, -y], [x, cut_y], [cut_x, cut_y], [cut_x, y], [-x, y]])
    height = float(rng.uniform(3.0, 6.0) if max(length, width) < 20 else rng.uniform(5.0, 18.0))
    parts = [Part(body, roof)]
    if kind == "gable":
        parts.append(Part(rect(-x, x, 0.0, y), shade(roof, rng.uniform(0.6, 0.8))))
    else:
        parts.append(Part(body * 0.93, shade(roof, rng.uniform(0.85, 1.15))))
        for _ in range(int(rng.integers(0, 6))):
            at, side = rng.uniform(-0.8, 0.6) * x, rng.uniform(-0.8, 0.0 if kind == "ell" else 0.6) * y
            size = rng.uniform(0.5, 2.0)
            parts.append(
                Part(rect(at, min(at + size, x), side, min(side + size, y)), pick(rng, (GREY, WHITE, BLACK)))
            )
    if kind == "gable" and rng.uniform() < 0.4:
        parts.append(
            Part(rect(0.2 * x, 0.2 * x + 0.8, -0.3 * y, -0.3 * y + 0.8), shade(GREY, rng.uniform(0.4, 1.5)))
        )
    if level:
        parts = _damaged(rng, parts, x, y, level, roof)
        height *= (1.0, 1.0, 0.8, 0.15)[level]
    glints = np.array([[-x, -y], [-x, y], [x, y], [x, -y]])
    return Shape("building", kind, tuple(parts), length, width, height, glints=glints)


def _damaged(
    rng: np.random.Generator, parts: list[Part], x: float, y: float, level: int, roof: Colour
) -> list[Part]:
    """Slight: patches and tarpaulins. Major: holes and bare beams over a third. Destroyed: rubble."""
    outline = parts[0]
    if level == 3:
        ground = (0.22, 0.19, 0.16)
        parts = [Part(outline.points, ground)]
        for _ in range(int(np.clip(x * y / 1.2, 25, 140))):
            at, side, size = rng.uniform(-x, x), rng.uniform(-y, y), rng.uniform(0.3, 1.6)
            turn = rng.uniform(0, np.pi)
            piece = rect(-size, size, -size * 0.4, size * 0.4) @ np.array(
                [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
            )
            spot = np.clip(piece + np.array([at, side]), [-x, -y], [x, y])
            parts.append(Part(spot, pick(rng, (WHITE, roof, (0.4, 0.32, 0.22), (0.12, 0.1, 0.09), GREY))))
        return parts
    share, kinds = (
        (0.22, (PATCH, shade(roof, 0.5), shade(roof, 1.6))),
        (0.62, (BLACK, (0.35, 0.26, 0.16), (0.08, 0.07, 0.06))),
    )[level - 1]
    covered = 0.0
    parts = list(parts)
    while covered < share:
        wide, deep = rng.uniform(0.25, 0.6) * x, rng.uniform(0.25, 0.7) * y
        at, side = rng.uniform(-x, x - wide), rng.uniform(-y, y - deep)
        if outline.points.shape[0] == 6 and at + wide > 0 and side + deep > 0:
            side = -y
        parts.append(
            Part(
                np.clip(
                    rect(at, at + wide, side, side + deep) + rng.normal(0, 0.06, (4, 2)) * [x, y],
                    [-x, -y],
                    [x, y],
                ),
                pick(rng, kinds),
            )
        )
        covered += wide * deep / (4 * x * y)
    return parts


def tree(rng: np.random.Generator, radius: float) -> Shape:
    """A tree's crown: a ragged disc, lighter on one side."""
    corners = 10
    points = disc(0.0, 0.0, radius, corners) * rng.uniform(0.8, 1.1, (corners, 1))
    green = pick(rng, ((0.03, 0.05, 0.025), (0.045, 0.075, 0.03), (0.06, 0.07, 0.035)))
    parts = (Part(points, green), Part(points * 0.55 - 0.15 * radius, shade(green, 1.35)))
    return Shape("tree", "tree", parts, 2 * radius, 2 * radius, rng.uniform(1.2, 2.2) * radius)
