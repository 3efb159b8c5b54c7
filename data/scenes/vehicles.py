"""Cars, vans, lorries and buses from above."""

from __future__ import annotations

import numpy as np

from data.scenes.shapes import BLACK, GREY, WHITE, Colour, Part, Shape, pick, rect, shade

PAINTS: tuple[Colour, ...] = (
    WHITE,
    BLACK,
    GREY,
    (0.5, 0.5, 0.52),
    (0.4, 0.05, 0.05),
    (0.05, 0.08, 0.25),
    (0.3, 0.25, 0.18),
    (0.08, 0.18, 0.12),
    (0.6, 0.45, 0.05),
    (0.12, 0.13, 0.15),
)
SHARES = (0.28, 0.16, 0.14, 0.14, 0.07, 0.06, 0.04, 0.02, 0.02, 0.07)
GLASS: Colour = (0.05, 0.06, 0.08)


def car(rng: np.random.Generator) -> Shape:
    """A car, 3.6 to 5.6 m long: roof between front and rear glass; a van or a pick-up now and then."""
    length, width = rng.uniform(3.7, 5.4), rng.uniform(1.7, 2.1)
    x, y, cut = length / 2, width / 2, 0.12 * width
    paint = pick(rng, PAINTS, SHARES)
    body = np.array(
        [
            [-x, -y + cut],
            [-x + cut, -y],
            [x - 2 * cut, -y],
            [x, -y + 2 * cut],
            [x, y - 2 * cut],
            [x - 2 * cut, y],
            [-x + cut, y],
            [-x, y - cut],
        ]
    )
    inner = 0.82 * y
    kind = rng.uniform()
    parts = [Part(body, paint)]
    if kind < 0.12:
        parts += [
            Part(rect(-0.92 * x, -0.05 * x, -inner, inner), shade(paint, rng.uniform(0.3, 0.7))),
            Part(rect(0.3 * x, 0.5 * x, -inner, inner), GLASS),
        ]
        name = "pick-up"
    elif kind < 0.28:
        parts += [
            Part(rect(-0.95 * x, 0.5 * x, -inner, inner), shade(paint, 1.1)),
            Part(rect(0.5 * x, 0.72 * x, -inner, inner), GLASS),
        ]
        name = "van"
    else:
        front, back = rng.uniform(0.2, 0.36), rng.uniform(-0.75, -0.5)
        parts += [
            Part(rect(back * x, front * x, -0.88 * y, 0.88 * y), GLASS),
            Part(
                rect((back + 0.2) * x, (front - 0.22) * x, -inner, inner),
                shade(paint, rng.uniform(0.9, 1.25)),
            ),
        ]
        name = "car"
    glints = np.array([[-x, 0.0], [x, 0.0]])
    return Shape("small-vehicle", name, tuple(parts), length, width, rng.uniform(1.4, 2.0), glints=glints)


def lorry(rng: np.random.Generator) -> Shape:
    """A lorry with its cab and box or trailer, or a bus: 7 to 18 m long."""
    if rng.uniform() < 0.3:
        return _bus(rng)
    length = rng.uniform(7.0, 12.0) if rng.uniform() < 0.55 else rng.uniform(12.0, 18.5)
    width = rng.uniform(2.3, 2.6)
    x, y = length / 2, width / 2
    cab = rng.uniform(1.8, 2.6)
    gap = rng.uniform(0.15, 0.6) if length > 11 else 0.1
    box = pick(
        rng,
        (WHITE, GREY, (0.5, 0.5, 0.52), (0.35, 0.08, 0.06), (0.08, 0.12, 0.3), (0.45, 0.38, 0.2)),
        (0.5, 0.12, 0.15, 0.08, 0.1, 0.05),
    )
    paint = pick(rng, PAINTS, SHARES)
    parts = [
        Part(rect(-x, x, -0.35 * y, 0.35 * y), shade(GREY, 0.5)),
        Part(rect(x - cab, x, -0.96 * y, 0.96 * y), paint),
        Part(rect(x - 0.55, x - 0.15, -0.85 * y, 0.85 * y), GLASS),
        Part(rect(-x, x - cab - gap, -y, y), box),
    ]
    kind = rng.uniform()
    if kind < 0.25:
        load = pick(rng, ((0.3, 0.2, 0.12), (0.15, 0.15, 0.15), (0.5, 0.45, 0.35)))
        parts.append(Part(rect(-x + 0.3, x - cab - gap - 0.3, -0.8 * y, 0.8 * y), load))
    elif kind < 0.4:
        parts.append(Part(rect(-x, x - cab - gap, -0.4 * y, 0.4 * y), shade(box, 1.25)))
    glints = np.column_stack([np.linspace(-x, x, 4), np.full(4, y)])
    return Shape("large-vehicle", "lorry", tuple(parts), length, width, rng.uniform(2.8, 4.0), glints=glints)


def _bus(rng: np.random.Generator) -> Shape:
    length, width = rng.uniform(8.5, 14.0), 2.55
    x, y = length / 2, width / 2
    paint = pick(rng, (WHITE, (0.6, 0.45, 0.05), (0.4, 0.05, 0.05), (0.06, 0.14, 0.3), GREY))
    parts = [
        Part(rect(-x, x, -y, y), paint),
        Part(rect(-0.92 * x, 0.9 * x, -0.78 * y, 0.78 * y), shade(paint, rng.uniform(0.85, 1.2))),
        Part(rect(0.93 * x, 0.99 * x, -0.85 * y, 0.85 * y), GLASS),
    ]
    for at in (-0.55, 0.0, 0.5):
        if rng.uniform() < 0.7:
            parts.append(Part(rect((at - 0.09) * x, (at + 0.09) * x, -0.4 * y, 0.4 * y), shade(paint, 0.65)))
    return Shape("large-vehicle", "bus", tuple(parts), length, width, 3.1, glints=np.array([[-x, y], [x, y]]))


def train(rng: np.random.Generator) -> Shape:
    """A row of shipping containers or a shed's lorry dock: long boxes that are no vehicle."""
    length, width = (12.2, 2.44) if rng.uniform() < 0.6 else (6.1, 2.44)
    colour = pick(
        rng, ((0.35, 0.1, 0.06), (0.07, 0.13, 0.28), (0.1, 0.25, 0.15), GREY, WHITE, (0.5, 0.3, 0.08))
    )
    x, y = length / 2, width / 2
    rows = int(rng.integers(2, 7))
    parts = []
    for row in range(rows):
        top = (row - rows / 2) * 2.6
        parts.append(
            Part(rect(-x, x, top, top + 2 * y), pick(rng, (colour, shade(colour, 1.3), WHITE, GREY)))
        )
    return Shape("container", "containers", tuple(parts), length, rows * 2.6, rng.choice([2.6, 5.2]))
