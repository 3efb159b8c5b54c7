"""What things look like from above: parts in metres about their middle, x to the front, y to the right."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Colour = tuple[float, float, float]
"""Reflectance of red, green and blue, 0 to 1."""


@dataclass(frozen=True)
class Part:
    """One patch of one colour. What is not solid (a wake, a gangway) belongs to no mask and no box."""

    points: Points
    colour: Colour
    solid: bool = True


@dataclass(frozen=True)
class Shape:
    """A thing before it is put somewhere."""

    class_name: str
    type_name: str
    parts: tuple[Part, ...]
    length_m: float
    width_m: float
    height_m: float
    hollow: bool = False
    """Whether its shadow follows its outline instead of being one filled patch (a plane's wings)."""
    glints: Points = field(default_factory=lambda: np.zeros((0, 2)))
    """Where a radar sees corners, in metres."""


def rect(x0: float, x1: float, y0: float, y1: float) -> Points:
    """An upright rectangle."""
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float64)


def disc(x: float, y: float, radius: float, corners: int = 24) -> Points:
    """A circle as a polygon."""
    turn = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    return np.column_stack([x + radius * np.cos(turn), y + radius * np.sin(turn)])


def shade(colour: Colour, by: float) -> Colour:
    """The colour lighter or darker, within what reflects."""
    red, green, blue = (min(max(channel * by, 0.01), 0.95) for channel in colour)
    return (red, green, blue)


def pick(
    rng: np.random.Generator, colours: tuple[Colour, ...], weights: tuple[float, ...] | None = None
) -> Colour:
    """One of the colours, a little off."""
    lottery, light, *off = rng.random(5).tolist()
    if weights is None:
        place = int(lottery * len(colours))
    else:
        lottery *= sum(weights)
        place = 0
        while place < len(weights) - 1 and lottery >= weights[place]:
            lottery -= weights[place]
            place += 1
    red, green, blue = (
        min(max(channel * (0.8 + 0.4 * light) + 0.07 * (each - 0.5), 0.01), 0.95)
        for channel, each in zip(colours[place], off, strict=True)
    )
    return (red, green, blue)


WHITE: Colour = (0.75, 0.75, 0.73)
BLACK: Colour = (0.035, 0.035, 0.04)
GREY: Colour = (0.3, 0.3, 0.31)
