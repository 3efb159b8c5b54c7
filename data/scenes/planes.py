"""Aircraft from above, by the plan forms of real types."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data.scenes.shapes import BLACK, GREY, WHITE, Part, Points, Shape, disc, pick, shade


@dataclass(frozen=True)
class PlanForm:
    """Length and span in metres (makers' figures, rounded), sweep of the leading edge, engines: wing, rear
    or inside."""

    name: str
    length_m: float
    span_m: float
    sweep_deg: float
    engines: int
    where: str
    fuselage_m: float
    root: float
    """Chord at the root as a share of the length."""


FORMS = (
    PlanForm("A320", 37.6, 35.8, 27, 2, "wing", 3.95, 0.19),
    PlanForm("Boeing 737-800", 39.5, 35.8, 28, 2, "wing", 3.76, 0.19),
    PlanForm("A330-300", 63.7, 60.3, 32, 2, "wing", 5.64, 0.18),
    PlanForm("Boeing 777-200", 63.7, 60.9, 34, 2, "wing", 6.2, 0.2),
    PlanForm("Boeing 747-400", 70.7, 64.4, 41, 4, "wing", 6.5, 0.21),
    PlanForm("A380", 72.7, 79.8, 36, 4, "wing", 7.14, 0.24),
    PlanForm("Boeing 787-9", 62.8, 60.1, 35, 2, "wing", 5.77, 0.19),
    PlanForm("Boeing 757-200", 47.3, 38.1, 27, 2, "wing", 3.76, 0.18),
    PlanForm("E190", 36.2, 28.7, 26, 2, "wing", 3.0, 0.16),
    PlanForm("CRJ-900", 36.4, 24.9, 28, 2, "rear", 2.7, 0.15),
    PlanForm("MD-80", 45.0, 32.9, 26, 2, "rear", 3.35, 0.15),
    PlanForm("Citation X", 22.0, 19.4, 37, 2, "rear", 2.0, 0.2),
    PlanForm("Learjet 45", 17.7, 14.6, 18, 2, "rear", 1.75, 0.16),
    PlanForm("ATR 72", 27.2, 27.1, 3, 2, "wing", 2.87, 0.1),
    PlanForm("C-130", 29.8, 40.4, 2, 4, "wing", 4.3, 0.16),
    PlanForm("C-17", 53.0, 51.8, 27, 4, "wing", 6.85, 0.2),
    PlanForm("King Air 350", 14.2, 17.7, 4, 2, "wing", 1.5, 0.15),
    PlanForm("Cessna 172", 8.3, 11.0, 0, 1, "nose", 1.2, 0.19),
    PlanForm("F-16", 15.0, 10.0, 40, 1, "inside", 1.6, 0.33),
    PlanForm("F-15", 19.4, 13.0, 45, 2, "inside", 2.8, 0.38),
    PlanForm("B-52", 48.5, 56.4, 37, 4, "wing", 3.0, 0.2),
    PlanForm("Tu-95", 46.2, 50.1, 36, 4, "wing", 2.9, 0.15),
)


def plane(rng: np.random.Generator, least_m: float = 0.0, most_m: float = 200.0) -> Shape:
    """An aircraft of a type between two lengths, its measures true to 1.5 %."""
    fitting = [form for form in FORMS if least_m <= form.length_m <= most_m] or list(FORMS)
    form = fitting[int(rng.integers(len(fitting)))]
    length, span = form.length_m * rng.uniform(0.985, 1.015), form.span_m * rng.uniform(0.985, 1.015)
    military = form.name in {"C-130", "C-17", "F-16", "F-15", "B-52", "Tu-95"}
    body = (
        pick(rng, (GREY, (0.2, 0.22, 0.2), (0.4, 0.4, 0.42)))
        if military
        else pick(rng, (WHITE, WHITE, WHITE, (0.55, 0.56, 0.58), (0.5, 0.2, 0.15), (0.1, 0.18, 0.4)))
    )
    wing = (
        shade(body, rng.uniform(0.75, 1.0))
        if military
        else shade((0.55, 0.56, 0.58), rng.uniform(0.75, 1.25))
    )
    x = length / 2
    root = form.root * length
    lead = x * rng.uniform(0.18, 0.26) if form.where != "rear" else x * 0.02
    if form.sweep_deg < 5:
        lead = x * 0.3
    wings = _wings(lead, root, 0.28 * root if form.sweep_deg > 5 else 0.6 * root, span / 2, form.sweep_deg)
    tail = _wings(
        -x + 0.16 * length, 0.12 * length, 0.05 * length, 0.19 * span + 0.04 * length, form.sweep_deg
    )
    tail[:, 0] = np.maximum(tail[:, 0], -x)
    parts = [Part(points, wing) for points in (wings, tail)]
    parts += _engines(rng, form, length, span, lead)
    parts.append(Part(_fuselage(length, form.fuselage_m), body))
    parts.append(
        Part(
            np.array(
                [
                    [-x, 0.0],
                    [-x + 0.02 * length, -0.25],
                    [-0.72 * x, -0.25],
                    [-0.72 * x, 0.25],
                    [-x + 0.02 * length, 0.25],
                ]
            ),
            pick(rng, ((0.4, 0.05, 0.05), (0.05, 0.1, 0.35), shade(body, 0.7), (0.6, 0.45, 0.05))),
        )
    )
    w = 0.3 * form.fuselage_m
    parts.append(
        Part(np.array([[0.9 * x, -w], [0.94 * x, -0.5 * w], [0.94 * x, 0.5 * w], [0.9 * x, w]]), BLACK)
    )
    glints = np.array(
        [[0.0, 0.0], [0.9 * x, 0.0], [-0.9 * x, 0.0], [lead - root, 0.3 * span], [lead - root, -0.3 * span]]
    )
    return Shape("plane", form.name, tuple(parts), length, span, 0.16 * length, hollow=True, glints=glints)


def _wings(lead: float, root: float, tip: float, half: float, sweep_deg: float) -> Points:
    back = half * np.tan(np.radians(sweep_deg))
    right = np.array(
        [
            [lead, 0.0],
            [lead - back, half],
            [lead - back - tip, half],
            [lead - max(root, 0.6 * back + 0.4 * root), 0.3 * half],
            [lead - 1.05 * root - 0.35 * back, 0.0],
        ]
    )
    return np.vstack([right, right[::-1][1:-1] * np.array([1.0, -1.0])])


def _fuselage(length: float, wide: float) -> Points:
    along = np.array([-1.0, -0.75, -0.5, 0.72, 0.86, 0.95, 1.0]) * length / 2
    half = np.array([0.08, 0.45, 1.0, 1.0, 0.82, 0.48, 0.0]) * wide / 2
    return np.vstack([np.column_stack([along, half]), np.column_stack([along, -half])[::-1]])


def _nacelle(front: float, y: float, wide: float, length: float) -> Points:
    back = front - length
    return np.array(
        [[front, y - wide / 2], [back, y - wide / 2], [back, y + wide / 2], [front, y + wide / 2]]
    )


def _engines(rng: np.random.Generator, form: PlanForm, length: float, span: float, lead: float) -> list[Part]:
    colour = pick(rng, (WHITE, (0.5, 0.5, 0.52), (0.25, 0.25, 0.28)))
    size = 0.62 * form.fuselage_m / (1.0 if form.engines == 2 else 1.5)
    parts: list[Part] = []
    if form.where == "wing":
        places = (0.3,) if form.engines == 2 else (0.24, 0.46)
        for place in places:
            at = place * span / 2
            front = lead - at * np.tan(np.radians(form.sweep_deg)) + 0.9 * size
            for side in (-1, 1):
                y = side * at
                parts.append(Part(_nacelle(front, y, size, 2.4 * size), colour))
    elif form.where == "rear":
        for side in (-1, 1):
            y = side * form.fuselage_m * 0.85
            front = -0.26 * length
            parts.append(Part(_nacelle(front, y, size, 2.6 * size), colour))
    elif form.where == "nose":
        parts.append(Part(disc(0.46 * length, 0.0, 0.5, 8), BLACK))
    return parts
