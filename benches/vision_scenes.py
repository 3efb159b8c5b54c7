"""How often the scene is said rightly, how sure, and how fast: totals over a folder of real images.

    python -m benches.vision_scenes FOLDER [--each 20] [--rules]

FOLDER holds a folder a class, named as in UC Merced, AID or RSSCN7. Only totals are printed, so that images
that are kept for measuring stay unseen. UC Merced has been learnt from: what the network reaches there is
measured in training, on folds kept out (data/models/training/scene_backbone.py).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from data.vision.facts import Facts
from data.vision.scene import by_network, by_rules

_HOMES = ("residential", "dense residential", "sparse residential", "mobile home park")
RIGHT: dict[str, tuple[str, ...]] = {
    "agricultural": ("farmland",), "farmland": ("farmland",), "field": ("farmland",),
    "airplane": ("airport",), "airport": ("airport",), "runway": ("airport",),
    "bareland": ("bare land",), "desert": ("bare land",),
    "baseballdiamond": ("baseball field",), "baseballfield": ("baseball field",),
    "beach": ("beach",), "buildings": ("commercial", "dense urban"),
    "commercial": ("commercial", "dense urban"),
    "chaparral": ("scrubland",), "denseresidential": ("dense residential", "residential", "dense urban"),
    "forest": ("forest",), "freeway": ("highway",), "golfcourse": ("golf course",),
    "harbor": ("harbor", "marina"), "port": ("harbor", "marina"),
    "intersection": ("intersection",),
    "mediumresidential": ("residential", "dense residential"),
    "resident": _HOMES,
    "mobilehomepark": ("mobile home park", "residential"),
    "overpass": ("overpass",), "viaduct": ("overpass",),
    "parking": ("parking lot",), "parkinglot": ("parking lot",), "river": ("river",),
    "riverlake": ("river", "open water"),
    "sparseresidential": ("sparse residential", "residential"),
    "storagetanks": ("storage tanks",), "tenniscourt": ("tennis court",),
}  # fmt: skip
"""The scenes that are right for a class; a class that is not here has none, and should get no answer."""
IMAGES = (".tif", ".jpg", ".png", ".jpeg")


def expected_error(sure: np.ndarray, right: np.ndarray, bins: int = 10) -> float:
    """The expected calibration error over equal bins of confidence (Guo et al. 2017)."""
    which = np.minimum((sure * bins).astype(int), bins - 1)
    return float(
        sum(
            (which == at).mean() * abs(sure[which == at].mean() - right[which == at].mean())
            for at in np.unique(which)
        )
    )


def chance_error(sure: np.ndarray, times: int = 500) -> float:
    """The expected calibration error that so few images would show on average if every confidence were true:
    with a hundred and a half of them it is no nought by far (Kumar, Liang and Ma 2019, NeurIPS 32)."""
    random = np.random.default_rng(0)
    return float(np.mean([expected_error(sure, random.random(len(sure)) < sure) for _ in range(times)]))


def class_of(folder: str) -> str:
    """A folder's name as RIGHT has it: "bField" of RSSCN7 is "field"."""
    plain = "".join(each for each in folder if each.isalpha())
    if len(plain) > 2 and plain[0].islower() and plain[1].isupper():
        plain = plain[1:]
    return plain.casefold()


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--each", type=int, default=20, help="Images of each class, evenly spread.")
    asked.add_argument("--rules", action="store_true")
    given = asked.parse_args()
    tell = by_rules if given.rules else by_network
    known, unknown, seconds = [], [], []
    for folder in sorted(each for each in given.folder.iterdir() if each.is_dir()):
        paths = sorted(each for each in folder.rglob("*") if each.suffix.casefold() in IMAGES)
        right = RIGHT.get(class_of(folder.name))
        for at in np.unique(np.linspace(0, len(paths) - 1, min(given.each, len(paths))).astype(int)):
            facts = Facts(paths[at])
            facts.overview  # noqa: B018  reading the file is not what is timed
            began = time.perf_counter()
            told = tell(facts)
            seconds.append(time.perf_counter() - began)
            if right is None:
                unknown.append(told.name is not None)
            else:
                known.append((told.ranked[0][0] in right, told.confidence, told.name is not None))
    table = np.array(known, dtype=float).reshape(-1, 3)
    first, sure, answered = table[:, 0] > 0, table[:, 1], table[:, 2] > 0
    print(f"images of a class that it knows: {len(first)}; named right first {first.mean():.3f}")
    print(
        f"confidence {sure.mean():.3f}, expected calibration error {expected_error(sure, first):.3f}; so few "
        f"images would show {chance_error(sure):.3f} if each confidence were true"
    )
    print(f"answered {answered.mean():.3f}, of these right {first[answered].mean():.3f}")
    if unknown:
        print(f"images of other classes: {len(unknown)}; answered all the same {np.mean(unknown):.3f}")
    print(f"median {1000 * float(np.median(seconds)):.0f} ms an image")


if __name__ == "__main__":
    main()
