"""Set a detector's thresholds by class and ground sampling distance, on real images without the object.

    nice python -m data.models.training.claims --merced FOLDER [--model oriented-objects] [--keep FILE]

Conformal: `first` is the score that the best finding of a class reaches in at most ALPHA of the images of
the half that sets (split conformal prediction, Vovk et al. 2005: the rank ceil((n + 1)(1 - ALPHA)) of n
images). Prints the [[thresholds]] of the card. What they cost and spare is measured on the other half by
`benches.vision_false_claims`.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

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
LEAST_SIDE_M = 150.0
"""Smaller pictures have fewer places to be wrong in than a user's image, and set nothing."""


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
            rows.append(row)
    return rows


def conformal(scores: list[float], alpha: float = ALPHA) -> float:
    """The score that at most `alpha` of further images like these exceed; 1 where they are too few to say."""
    rank = math.ceil((len(scores) + 1) * (1 - alpha))
    return math.ceil(1000 * sorted(scores)[rank - 1] + 1) / 1000 if rank <= len(scores) else 1.0


def thresholds(rows: list[dict[str, Any]], least: float) -> list[dict[str, Any]]:
    """The entries of a card."""
    made = []
    for name in OBJECTS:
        for low, high in RANGES:
            mine = [
                row["best"][name]
                for row in rows
                if row["half"] == 0
                and name in row["absent"]
                and row["side_m"] >= LEAST_SIDE_M
                and low <= row["gsd_m"] < high
            ]
            first = max(least, conformal(mine))
            made.append({"object": name, "gsd_m": [low, high], "first": first, "seen": least,
                         "length_m": list(LENGTHS_M[name]), "images": len(mine)})  # fmt: skip
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
