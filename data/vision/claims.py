"""Which of a detector's findings are claimed: one of a class must be sure, or its place must look like it.

A detector's score was set on rendered scenes. On real ground without the object it still gives good scores
now and then, to a roof, a rock or a tree's shadow. So a card says for each class and ground sampling
distance from which score an object is sure (data.models.card.Threshold, set on real images without it), and
what is less sure counts only near one that is: thresholds with hysteresis (Canny 1986), which cost little
where objects stand in numbers. Where the scene network sees such an object in the place, less is asked of
the detector.

The more ground an image shows, the more places there are to be wrong in. So the score that is asked grows
with an image's area, by as much as false findings get rarer with their score: the expected number of them
stays what it was in the images that the threshold was set on. The scene network has as many more places to be
wrong in, so its odds are asked to grow with the area too. Where several places show a find as good, less
is asked of each (Benjamini and Hochberg 1995, Controlling the false discovery rate, JRSS B 57(1), 289-300):
an image without the object is claimed as seldom, and one with hundreds keeps them. That holds for errors that
come by chance; what a detector takes for the object again and again, as ball fields for tanks, comes in
numbers too. So a place where the scene network sees no such object speaks for itself alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from data.models.card import Card, Threshold
    from data.vision.tiled import Plan

REACH_PX = 512
"""How near, in pixels as the model sees them, what is less sure must lie to a sure object of its class."""
PLACE_PX = 256
"""The side of the place around an object that the scene network looks at, in the same pixels."""
MOST_PLACES = 24
"""Places looked at for each class, those of the best scores first."""
COARSEST_PLACE_M = 1.3
"""From a coarser pixel on the scene network was shown nothing real, and is not asked."""


@dataclass(frozen=True)
class Look:
    """What the scene network says of a place."""

    probability: float
    """That there is such an object, calibrated on pictures."""
    present: float
    """From which probability it is said to be there."""
    absent: float
    """Up to which it is said not to be there."""

    def sees(self, times: float = 1.0) -> bool:
        """Whether it is said to be there, in an image with so many times more places to be wrong in.

        What is wrongly seen in one picture of a hundred is seen once in a hundred places: of calibrated
        probabilities the odds that are asked grow with how many there are.
        """
        return _log_odds(self.probability) >= _log_odds(self.present) + math.log(max(1.0, times))

    @property
    def denies(self) -> bool:
        """Whether it is said not to be there."""
        return self.probability <= self.absent


UNTOLD = Look(0.5, 1.0, 0.0)
"""Of a class that the network was taught nothing of: neither seen nor denied."""


def _log_odds(probability: float) -> float:
    held = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(held / (1 - held))


class Sees(Protocol):
    """Looks at the place around a point (column, row as the model sees them) for an object."""

    def __call__(self, point: NDArray[np.float64], name: str) -> Look:
        """What it says of a class of the detector."""


@dataclass(frozen=True)
class Claimed:
    """Which findings are claimed, and how many were left out."""

    kept: NDArray[np.int64]
    """Their numbers, in order."""
    unsure: int = 0
    """Left out since none of their class near them is sure."""
    misshapen: int = 0
    """Left out since no such object is so long."""


def threshold_of(card: Card, name: str, gsd_m: float | None) -> Threshold | None:
    """What a card asks of a class at a ground sampling distance; the strictest where that is not known."""
    mine = [each for each in card.thresholds if each.object == name]
    if gsd_m is None or not mine:
        return max(mine, key=lambda each: (each.first, each.seen), default=None)
    holding = [each for each in mine if each.gsd_m[0] <= gsd_m < each.gsd_m[1]]
    return holding[0] if holding else min(mine, key=lambda each: min(abs(gsd_m - end) for end in each.gsd_m))


def claimed(
    card: Card,
    names: Sequence[str],
    scores: NDArray[np.float64],
    centres: NDArray[np.float64],
    lengths_m: NDArray[np.float64] | None,
    gsd_m: float | None,
    look: Sees | None,
    least: float = 0.0,
    area_mpx: float = 0.0,
) -> Claimed:
    """Which of a detector's findings are claimed.

    `names`, `scores` and `centres` (n, 2) are one a finding, `lengths_m` too, None without a place;
    `gsd_m` is that of what the model saw, `area_mpx` how many millions of pixels that were.
    What scores less than `least` is not counted among the left out.
    """
    keep = np.ones(len(names), bool)
    misshapen = np.zeros(len(names), bool)
    for name in dict.fromkeys(names):
        asked = threshold_of(card, name, gsd_m)
        if asked is None:
            continue
        mine = np.array([each == name for each in names])
        if lengths_m is not None and asked.length_m is not None:
            wrong = mine & ((lengths_m < asked.length_m[0]) | (lengths_m > asked.length_m[1]))
            misshapen |= wrong
            keep &= ~wrong
            mine &= ~wrong
        at = np.flatnonzero(mine)
        keep[at] = near_sure(
            scores[at], centres[at], asked, None if look is None else partial(look, name=name), area_mpx
        )
    out = ~keep & (scores >= least)
    return Claimed(np.flatnonzero(keep), int((out & ~misshapen).sum()), int((out & misshapen).sum()))


def near_sure(
    scores: NDArray[np.float64],
    centres: NDArray[np.float64],
    asked: Threshold,
    look: Callable[[NDArray[np.float64]], Look] | None,
    area_mpx: float = 0.0,
) -> NDArray[np.bool_]:
    """Which findings of one class are sure, or near one that is."""
    from scipy.spatial import cKDTree

    times = 1.0 if asked.area_mpx is None else max(1.0, area_mpx / asked.area_mpx)
    good = good_places(scores, centres, asked.seen, look) if times > 1 else scores[:0]
    found = scores >= grown(asked.first, asked, good, times)
    if look is not None:
        looked, least = 0, grown(asked.seen, asked, good, times)
        for at in np.argsort(-scores, kind="stable"):
            if scores[at] < least or looked == MOST_PLACES:
                break
            near = found.any() and np.abs(centres[found] - centres[at]).max(axis=1).min() <= REACH_PX
            if not near:
                looked += 1
                found[at] = look(centres[at]).sees(times)
    if not found.any() or found.all():
        return found
    distance, _ = cKDTree(centres[found]).query(centres, p=np.inf)
    return np.asarray(distance <= REACH_PX)


def good_places(
    scores: NDArray[np.float64],
    centres: NDArray[np.float64],
    least: float,
    look: Callable[[NDArray[np.float64]], Look] | None,
) -> NDArray[np.float64]:
    """The best scores, from `least` on, of places of PLACE_PX, since what is wrongly found stands in groups;
    the best first, without those of the first MOST_PLACES in which no such object is seen."""
    places: dict[tuple[int, int], int] = {}
    for at in np.argsort(-scores, kind="stable").tolist():
        if scores[at] >= least:
            column, row = (centres[at] // PLACE_PX).astype(int).tolist()
            places.setdefault((column, row), at)
    best = list(places.values())
    if look is not None:
        best = [at for at in best[:MOST_PLACES] if not look(centres[at]).denies] + best[MOST_PLACES:]
    return scores[best]


def grown(least: float, asked: Threshold, good: NDArray[np.float64], times: float) -> float:
    """The score that a threshold of `least` comes to in an image so many times larger than it was set on.

    `good` are the best scores of its places, the best first. What is as good as the k-th of them is asked for
    1/k of the area: Benjamini and Hochberg's step-up.
    """
    if asked.tail is None or not 0 < least < 1 or times <= 1:
        return least
    odds = math.log(least / (1 - least))
    levels = [_level(odds, times / rank, asked.tail) for rank in range(1, len(good) + 1)]
    reached = [level for level, score in zip(levels, good.tolist(), strict=True) if score >= level]
    return min(reached, default=_level(odds, times, asked.tail))


def _level(odds: float, times: float, tail: float) -> float:
    """The score whose log odds are those, and more by how many times larger an image is."""
    return 1 / (1 + math.exp(-odds - max(0.0, math.log(times)) / tail))


def place_seer(plan: Plan, gsd_m: float | None) -> Sees | None:
    """What looks at places of an image by the scene network; None where it was shown nothing so coarse."""
    if gsd_m is not None and gsd_m > COARSEST_PLACE_M:
        return None
    known: dict[tuple[int, int], dict[str, float]] = {}

    def look(point: NDArray[np.float64], name: str) -> Look:
        from data.vision.scene_network import CLASSES_SEEN, calibration, presence

        left, top = (
            int(np.clip(round(float(middle) / 64) * 64 - PLACE_PX // 2, 0, max(0, length - PLACE_PX)))
            for middle, length in zip(point, (plan.width, plan.height), strict=True)
        )
        if (left, top) not in known:
            known[left, top] = presence(_picture(plan, left, top))
        how, seen = calibration(), CLASSES_SEEN.get(name)
        if seen is None:
            return UNTOLD
        at = how.present.index(seen)
        return Look(known[left, top][seen], how.present_least[at], how.absent_most[at])

    return look


def _picture(plan: Plan, left: int, top: int) -> NDArray[np.uint8]:
    """(rows, columns, 3) of bytes of a place, at the model's resolution."""
    from rasterio.enums import Resampling
    from rasterio.windows import Window

    from data.raster.files import opened
    from data.vision.scene_network import as_picture

    width, height = min(PLACE_PX, plan.width), min(PLACE_PX, plan.height)
    window = Window(left / plan.across, top / plan.down, width / plan.across, height / plan.down)
    with opened(plan.image) as source:
        values: NDArray[Any] = source.read(
            list(plan.bands[:3]), window=window, out_shape=(min(3, len(plan.bands)), height, width),
            resampling=Resampling.average if plan.across < 1 else Resampling.bilinear,
            boundless=False,
        )  # fmt: skip
    return as_picture(values)


def lengths_of(corners: NDArray[np.float64], gsd_m: float | None) -> NDArray[np.float64] | None:
    """The longer side of each box (n, 4, 2), metres; None where the size of a pixel is not known."""
    if gsd_m is None:
        return None
    sides = np.linalg.norm(np.diff(corners, axis=1), axis=2)
    return np.asarray(sides.max(axis=1, initial=0.0) * gsd_m)
