"""Set a detector's thresholds by class and ground sampling distance, on real images without the object.

    nice python -m data.models.training.claims --merced FOLDER [--model oriented-objects] [--keep FILE]

Conformal: `first` is the score that the best finding of a class reaches in at most ALPHA of the images of
the half that sets (split conformal prediction, Vovk et al. 2005: the rank ceil((n + 1)(1 - ALPHA)) of n
images). How the score grows with an image's area is fitted to the same images: the best log odds of one of
that area are those of a Poisson process whose findings thin out exponentially above a level (peaks over a
threshold, Davison and Smith 1990, JRSS B 52(3), 393-442). Prints the
[[thresholds]] of the card. What they cost and spare is measured on the other half by
`benches.vision_false_claims`.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from data.models.evaluating.negatives import FOLDER, OBJECTS, Negative, negatives
from data.models.registry import registry
from data.progress import Unheard
from data.vision.detect import detect

ALPHA = 0.02
"""Of images without an object, how many may hold a sure one: under the 5 % that are allowed to be claimed,
since what the scene network sees adds some."""
RANGES = ((0.05, 0.45), (0.45, 0.9), (0.9, 3.0))
"""Ground sampling distances that are set apart, metres."""
LENGTHS_M = {
    "plane": (5.0, 90.0), "ship": (2.5, 460.0), "small-vehicle": (2.0, 9.0), "large-vehicle": (4.0, 32.0),
    "storage-tank": (2.5, 130.0),
}  # fmt: skip
"""From a small sport plane to the An-225 (84 m), from a dinghy to the longest ship (458 m), from a small
car to a road train's trailer, from a farm's tank to the largest for crude oil; with what a box is off."""
LOWEST = 0.15
LEVELS = (0.7, 0.6, 0.45)
"""Scores above which the tail is fitted: the highest that LEAST_PEAKS images reach, else the last."""
LEAST_PEAKS = 20
LEAST_SIDE_M = 150.0
"""Smaller pictures have fewer places to be wrong in than a user's image, and set nothing."""


@dataclass(frozen=True)
class Tail:
    """How false findings thin out with their score."""

    level: float
    """A score."""
    rate: float
    """False findings above it in a million pixels."""
    tail: float
    """Above it they thin out by e for each 1 / tail of log odds."""

    def area_mpx(self, score: float, alpha: float = ALPHA) -> float:
        """In how large an image the best false finding exceeds a score with a chance of `alpha`."""
        above = self.rate * math.exp(-self.tail * (logit(score) - logit(self.level)))
        return -math.log(1 - alpha) / above


def seen_in(each: Negative, model: str, folder: Path) -> dict[str, Any]:
    """The best score of each class in an image, and what is known of the image."""
    found = detect(Unheard(), each.write(folder / "image.tif"), model=model, min_score=LOWEST).found
    return {
        "key": each.key,
        "half": each.half,
        "gsd_m": each.gsd_m,
        "side_m": round(min(each.picture.shape[:2]) * each.gsd_m, 2),
        "absent": each.absent,
        "best": {
            name: max((one.score for one in found if one.class_name == name), default=0.0) for name in OBJECTS
        },
    }


def best_scores(images: Iterable[Negative], model: str, keep: Path | None = None) -> list[dict[str, Any]]:
    """The best score of each class in each image, from LOWEST on. `keep` is a file of JSON lines to go on
    with."""
    known = {}
    if keep is not None and keep.is_file():
        known = {row["key"]: row for row in map(json.loads, keep.read_text().splitlines())}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for each in images:
            row = known.get(each.key)
            if row is None:
                row = seen_in(each, model, Path(folder))
                if keep is not None:
                    with keep.open("a") as lines:
                        lines.write(json.dumps(row) + "\n")
            rows.append({**row, "area_mpx": each.picture.shape[0] * each.picture.shape[1] / 1e6})
    return rows


def conformal(scores: list[float], alpha: float = ALPHA) -> float:
    """The score that at most `alpha` of further images like these exceed; 1 where they are too few to say."""
    rank = math.ceil((len(scores) + 1) * (1 - alpha))
    return math.ceil(1000 * sorted(scores)[rank - 1] + 1) / 1000 if rank <= len(scores) else 1.0


def tail_of(best: NDArray[np.float64], area_mpx: NDArray[np.float64]) -> Tail | None:
    """How the best scores (n) of images of these areas (n) thin out, by the greatest likelihood; None where
    fewer than five say so."""
    from scipy.optimize import minimize_scalar

    counts = {each: int((best > each).sum()) for each in LEVELS}
    level = next((each for each, count in counts.items() if count >= LEAST_PEAKS), LEVELS[-1])
    if counts[level] < 5:
        return None
    over = np.maximum(logit(np.clip(best, level, 1 - 1e-6)) - logit(level), 0.0)
    count, whole = counts[level], float(over.sum())

    def rate(tail: float) -> float:
        return count / float((area_mpx * np.exp(-tail * over)).sum())

    def loss(log_tail: float) -> float:
        tail = math.exp(log_tail)
        return -(count * math.log(rate(tail) * tail) - tail * whole)

    tail = math.exp(minimize_scalar(loss, bounds=(-1.5, 2.5), method="bounded").x)
    return Tail(level, rate(tail), tail)


def thresholds(rows: list[dict[str, Any]], least: float) -> list[dict[str, Any]]:
    """The entries of a card."""
    made = []
    for name in OBJECTS:
        tail: Tail | None = None
        for low, high in RANGES:
            mine = [
                row
                for row in rows
                if row["half"] == 0 and name in row["absent"] and low <= row["gsd_m"] < high
            ]
            set_by = [row for row in mine if row["side_m"] >= LEAST_SIDE_M]
            first = max(least, conformal([row["best"][name] for row in set_by]))
            entry = {"object": name, "gsd_m": [low, high], "first": first, "seen": least}
            of_range = tail_of(*(np.array(each) for each in ([row["best"][name] for row in mine],
                                                             [row["area_mpx"] for row in mine])))  # fmt: skip
            tail = of_range or tail  # too few to say thin out as they do in the next finer pixels
            if tail is not None:
                # Where images of the usual size reach it no more than ALPHA of the time, it holds for them.
                area = float(np.median([row["area_mpx"] for row in set_by]))
                if of_range is not None and first < 1:
                    area = max(area, of_range.area_mpx(first))
                entry |= {"area_mpx": round(area, 3), "tail": round(tail.tail, 2)}
            made.append({**entry, "length_m": list(LENGTHS_M[name]), "images": len(set_by)})
    return made


def main() -> None:
    """Print the thresholds of a detector."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--merced", type=Path, default=FOLDER / "uc_merced")
    asked.add_argument("--model", default="oriented-objects")
    asked.add_argument("--keep", type=Path)
    given = asked.parse_args()
    least = registry(None).get(given.model).card.output.min_score
    rows = best_scores((each for each in negatives(given.merced) if each.half == 0), given.model, given.keep)
    for each in thresholds(rows, least):
        print(f"# {each.pop('images')} images")
        print("[[thresholds]]")
        for key, value in each.items():
            print(f"{key} = {json.dumps(value)}")
        print()


if __name__ == "__main__":
    main()
