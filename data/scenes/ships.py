"""Ships and boats from above, from dinghies to container carriers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from data.scenes.shapes import BLACK, GREY, WHITE, Colour, Part, Points, Shape, disc, pick, rect, shade

CARGO: tuple[Colour, ...] = (
    (0.35, 0.10, 0.06),
    (0.07, 0.13, 0.28),
    (0.10, 0.25, 0.15),
    GREY,
    WHITE,
    (0.5, 0.3, 0.08),
    (0.25, 0.25, 0.25),
)
KINDS = (
    "yacht",
    "sailing-boat",
    "motorboat",
    "fishing-boat",
    "tug",
    "cargo",
    "container",
    "tanker",
    "naval",
    "ferry",
    "barge",
)


def ship(
    rng: np.random.Generator, least_m: float, most_m: float, wake: bool = False, kind: str | None = None
) -> Shape:
    """A ship between two lengths, of a kind that comes in such lengths."""
    length = float(np.exp(rng.uniform(np.log(least_m), np.log(most_m))))
    if kind is None:
        if length < 14:
            kind = str(rng.choice(["yacht", "sailing-boat", "motorboat"]))
        elif length < 45:
            kind = str(
                rng.choice(
                    ["yacht", "fishing-boat", "tug", "barge", "naval", "ferry"],
                    p=[0.35, 0.25, 0.15, 0.1, 0.05, 0.1],
                )
            )
        else:
            kind = str(
                rng.choice(
                    ["cargo", "container", "tanker", "naval", "ferry", "barge"],
                    p=[0.25, 0.22, 0.25, 0.13, 0.1, 0.05],
                )
            )
    slender = {
        "yacht": 3.4,
        "sailing-boat": 3.4,
        "motorboat": 2.8,
        "fishing-boat": 3.5,
        "tug": 2.7,
        "barge": 4.2,
        "cargo": 6.3,
        "container": 7.0,
        "tanker": 6.0,
        "naval": 8.5,
        "ferry": 5.5,
    }[kind]
    width = length / (slender * rng.uniform(0.82, 1.18))
    parts, height = _PAINTERS[kind](rng, length, width)
    if wake:
        parts = [*_wake(rng, length, width), *parts]
    x, y = length / 2, width / 2
    count = int(np.clip(length / 9, 3, 14))
    glints = np.column_stack([rng.uniform(-0.9 * x, 0.85 * x, count), rng.uniform(-0.6 * y, 0.6 * y, count)])
    return Shape("ship", kind, tuple(parts), length, width, height, glints=glints)


def hull(length: float, width: float, bow: float, stern: float = 0.85, blunt: float = 0.0) -> Points:
    """An outline with a pointed bow that takes the share `bow` of the length, and a stern of that share of
    the width."""
    x, y = length / 2, width / 2
    start = x - bow * length
    along = np.array([0.0, 0.35, 0.65, 0.87, 1.0])
    half = np.array([1.0, 0.92, 0.68, 0.36, blunt]) * y
    right = np.column_stack([start + along * bow * length, half])
    left = right[::-1] * np.array([1.0, -1.0])
    back = np.array([[-0.8 * x, -y], [-x, -stern * y], [-x, stern * y], [-0.8 * x, y]])
    return np.vstack([right, left, back])


def _wake(rng: np.random.Generator, length: float, width: float) -> list[Part]:
    reach = length * rng.uniform(0.8, 3.0)
    x, y = length / 2, width / 2
    foam = (0.30, 0.34, 0.34)
    spread = reach * rng.uniform(0.06, 0.16)
    trail = np.array(
        [
            [-0.8 * x, -0.5 * y],
            [-x - reach, -0.6 * y - spread / 3],
            [-x - reach, 0.6 * y + spread / 3],
            [-0.8 * x, 0.5 * y],
        ]
    )
    parts = [Part(trail, shade(foam, 0.55), solid=False)]
    near = np.array(
        [[-0.9 * x, -0.6 * y], [-x - 0.4 * reach, -0.4 * y], [-x - 0.4 * reach, 0.4 * y], [-0.9 * x, 0.6 * y]]
    )
    parts.append(Part(near, foam, solid=False))
    for side in (-1, 1):
        arm = np.array(
            [
                [0.7 * x, side * 0.7 * y],
                [-x - 0.7 * reach, side * (y + spread)],
                [-x - 0.7 * reach, side * (y + 1.4 * spread)],
            ]
        )
        parts.append(Part(arm, shade(foam, 0.6), solid=False))
    return parts


def _yacht(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    deck = pick(rng, (WHITE, WHITE, (0.5, 0.38, 0.25), (0.08, 0.1, 0.2)))
    parts = [
        Part(
            hull(length, width, rng.uniform(0.4, 0.6), rng.uniform(0.75, 1.0)),
            pick(rng, (WHITE, WHITE, WHITE, (0.06, 0.08, 0.2), GREY)),
        )
    ]
    parts.append(Part(hull(0.9 * length, 0.8 * width, 0.5), deck))
    front = rng.uniform(0.1, 0.45) * x
    parts.append(Part(rect(-0.55 * x, front, -0.6 * y, 0.6 * y), WHITE))
    parts.append(Part(rect(front - 0.12 * x, front + 0.06 * x, -0.5 * y, 0.5 * y), BLACK))
    parts.append(
        Part(rect(-0.95 * x, -0.6 * x, -0.75 * y, 0.75 * y), pick(rng, ((0.45, 0.32, 0.2), GREY, WHITE)))
    )
    if rng.uniform() < 0.5:
        parts.append(
            Part(
                rect(-0.4 * x, -0.05 * x, -0.4 * y, 0.4 * y),
                pick(rng, (GREY, WHITE, (0.5, 0.5, 0.52), (0.05, 0.1, 0.3))),
            )
        )
    return parts, 0.25 * length


def _sailing(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    parts = [
        Part(
            hull(length, width, rng.uniform(0.55, 0.7), rng.uniform(0.55, 0.85)),
            pick(rng, (WHITE, WHITE, (0.06, 0.08, 0.2), (0.4, 0.3, 0.2))),
        )
    ]
    parts.append(
        Part(hull(0.88 * length, 0.75 * width, 0.6, 0.6), pick(rng, (WHITE, GREY, (0.5, 0.38, 0.25))))
    )
    cover = pick(rng, ((0.04, 0.06, 0.2), WHITE, (0.05, 0.05, 0.05), (0.3, 0.05, 0.05)))
    parts.append(Part(rect(-0.7 * x, 0.1 * x, -0.1 * y, 0.1 * y), cover))
    parts.append(
        Part(rect(-0.85 * x, -0.35 * x, -0.45 * y, 0.45 * y), pick(rng, ((0.25, 0.2, 0.15), GREY, cover)))
    )
    parts.append(Part(rect(-0.2 * x, 0.25 * x, -0.4 * y, 0.4 * y), shade(WHITE, rng.uniform(0.7, 1.1))))
    return parts, 0.3 * length


def _motorboat(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    parts = [
        Part(
            hull(length, width, rng.uniform(0.35, 0.55), 0.95),
            pick(rng, (WHITE, WHITE, GREY, (0.3, 0.05, 0.05), (0.05, 0.1, 0.3))),
        )
    ]
    parts.append(
        Part(
            rect(-0.8 * x, 0.15 * x, -0.65 * y, 0.65 * y),
            pick(rng, ((0.3, 0.25, 0.2), GREY, (0.08, 0.08, 0.1), (0.05, 0.1, 0.3))),
        )
    )
    parts.append(Part(rect(0.05 * x, 0.22 * x, -0.6 * y, 0.6 * y), BLACK))
    return parts, 0.2 * length


def _work(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    paint = pick(rng, ((0.06, 0.12, 0.3), (0.35, 0.07, 0.05), (0.06, 0.2, 0.12), BLACK, WHITE, GREY))
    parts = [Part(hull(length, width, rng.uniform(0.3, 0.45), 0.8, rng.uniform(0, 0.3)), paint)]
    parts.append(
        Part(
            hull(0.88 * length, 0.8 * width, 0.4, 0.8),
            pick(rng, ((0.3, 0.2, 0.12), GREY, (0.2, 0.3, 0.22), (0.4, 0.35, 0.3))),
        )
    )
    at = rng.uniform(-0.4, 0.4) * x
    parts.append(Part(rect(at - 0.22 * x, at + 0.18 * x, -0.6 * y, 0.6 * y), WHITE))
    parts.append(Part(rect(at + 0.1 * x, at + 0.18 * x, -0.55 * y, 0.55 * y), GLASSY))
    return parts, 0.3 * length


GLASSY: Colour = (0.05, 0.06, 0.08)


def _cargo(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    paint = pick(rng, ((0.3, 0.08, 0.06), (0.05, 0.08, 0.2), BLACK, GREY, (0.1, 0.2, 0.15)))
    deck = pick(rng, ((0.28, 0.12, 0.09), GREY, (0.12, 0.25, 0.18), (0.4, 0.38, 0.33)))
    parts = [
        Part(hull(length, width, rng.uniform(0.12, 0.2), 0.75, 0.1), paint),
        Part(hull(0.975 * length, 0.88 * width, 0.16, 0.75, 0.1), deck),
    ]
    hatches = int(rng.integers(3, 8))
    edges = np.linspace(-0.58 * x, 0.75 * x, hatches + 1)
    lid = pick(rng, (GREY, (0.35, 0.2, 0.12), (0.15, 0.3, 0.22), (0.5, 0.48, 0.42)))
    for start, stop in pairwise(edges.tolist()):
        gap = 0.12 * (stop - start)
        parts.append(Part(rect(start + gap, stop - gap, -0.6 * y, 0.6 * y), lid))
    parts += _bridge(rng, x, y)
    return parts, 0.1 * length


def _container(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    parts = [
        Part(
            hull(length, width, rng.uniform(0.13, 0.2), 0.8, 0.1),
            pick(rng, ((0.05, 0.08, 0.2), BLACK, (0.3, 0.08, 0.06), (0.1, 0.25, 0.2))),
        )
    ]
    bays = int(np.clip(length / 16, 4, 12))
    rows = int(np.clip(width / 4, 2, 6))
    edges = np.linspace(-0.6 * x, 0.72 * x, bays + 1)
    lanes = np.linspace(-0.88 * y, 0.88 * y, rows + 1)
    for start, stop in pairwise(edges.tolist()):
        for low, high in pairwise(lanes.tolist()):
            if rng.uniform() < 0.88:
                parts.append(Part(rect(start + 0.06 * (stop - start), stop, low, high), pick(rng, CARGO)))
    parts += _bridge(rng, x, y)
    return parts, 0.13 * length


def _tanker(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    deck = pick(rng, ((0.3, 0.09, 0.06), (0.1, 0.24, 0.16), GREY, (0.35, 0.14, 0.1)))
    parts = [
        Part(hull(length, width, rng.uniform(0.12, 0.18), 0.75, 0.15), shade(deck, 0.6)),
        Part(hull(0.98 * length, 0.92 * width, 0.15, 0.75, 0.15), deck),
    ]
    pipe = shade(deck, rng.uniform(1.4, 2.0))
    parts.append(Part(rect(-0.6 * x, 0.7 * x, -0.06 * y, 0.06 * y), pipe))
    for at in np.linspace(-0.4 * x, 0.5 * x, int(rng.integers(2, 5))):
        parts.append(Part(rect(at - 0.008 * x, at + 0.008 * x, -0.8 * y, 0.8 * y), pipe))
    parts += _bridge(rng, x, y)
    return parts, 0.09 * length


def _naval(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    paint = pick(rng, ((0.28, 0.29, 0.31), (0.2, 0.21, 0.23), (0.36, 0.37, 0.39)))
    parts = [Part(hull(length, width, rng.uniform(0.35, 0.5), 0.8), paint)]
    parts.append(Part(rect(-0.95 * x, -0.55 * x, -0.7 * y, 0.7 * y), shade(paint, 0.7)))
    for at in (-0.3, -0.02, 0.25):
        size = rng.uniform(0.08, 0.13)
        parts.append(
            Part(
                rect((at - size) * x, (at + size) * x, -0.6 * y, 0.6 * y),
                shade(paint, rng.uniform(0.8, 1.35)),
            )
        )
    parts.append(Part(disc(0.55 * x, 0.0, 0.3 * y, 10), shade(paint, 1.3)))
    return parts, 0.14 * length


def _ferry(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    parts = [Part(hull(length, width, rng.uniform(0.2, 0.35), 0.9, 0.2), WHITE)]
    parts.append(Part(hull(0.8 * length, 0.8 * width, 0.25, 0.9, 0.3), shade(WHITE, rng.uniform(0.7, 0.95))))
    parts.append(
        Part(
            rect(-0.7 * x, -0.2 * x, -0.5 * y, 0.5 * y),
            pick(rng, ((0.15, 0.25, 0.35), GREY, (0.1, 0.3, 0.25))),
        )
    )
    parts.append(Part(rect(0.35 * x, 0.45 * x, -0.75 * y, 0.75 * y), GLASSY))
    parts.append(
        Part(disc(-0.05 * x, 0.0, 0.25 * y, 10), pick(rng, ((0.4, 0.1, 0.05), (0.05, 0.1, 0.3), GREY)))
    )
    return parts, 0.2 * length


def _barge(rng: np.random.Generator, length: float, width: float) -> tuple[list[Part], float]:
    x, y = length / 2, width / 2
    rim = pick(rng, ((0.15, 0.12, 0.1), GREY, (0.25, 0.1, 0.08)))
    load = pick(rng, ((0.06, 0.06, 0.06), (0.35, 0.28, 0.18), (0.3, 0.3, 0.3), (0.18, 0.14, 0.1)))
    return [
        Part(hull(length, width, 0.08, 0.95, 0.75), rim),
        Part(rect(-0.88 * x, 0.85 * x, -0.8 * y, 0.8 * y), load),
    ], 0.05 * length


def _bridge(rng: np.random.Generator, x: float, y: float) -> list[Part]:
    back = rng.uniform(-0.9, -0.82)
    front = back + rng.uniform(0.12, 0.2)
    funnel = pick(rng, ((0.4, 0.1, 0.05), (0.05, 0.1, 0.3), BLACK))
    return [
        Part(rect(back * x, front * x, -0.9 * y, 0.9 * y), WHITE),
        Part(rect((back + 0.01) * x, (back + 0.06) * x, -0.25 * y, 0.25 * y), funnel),
        Part(rect((front - 0.03) * x, front * x, -0.98 * y, 0.98 * y), shade(WHITE, 0.8)),
    ]


_PAINTERS = {
    "yacht": _yacht,
    "sailing-boat": _sailing,
    "motorboat": _motorboat,
    "fishing-boat": _work,
    "tug": _work,
    "cargo": _cargo,
    "container": _container,
    "tanker": _tanker,
    "naval": _naval,
    "ferry": _ferry,
    "barge": _barge,
}
