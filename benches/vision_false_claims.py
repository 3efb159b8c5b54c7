"""In how many real images without an object the detector claims one, by class, ground and pixel size.

    python -m benches.vision_false_claims --merced FOLDER [--real ../shared/data] [--cards] [--before]
                                           [--large]

The half of the images that set no threshold (data.models.evaluating.negatives, `half` 1), as they are, each
run as a user's file is, and pictures of UC Merced put together to large ones, which stand apart. Beside it
what the thresholds cost: ships found in DOTA P0706 with and without them, and in how many pictures of UC
Merced that hold planes, ships, cars or tanks some are claimed. `--before`
leaves the thresholds out; `--large` looks at the large ones alone; `--cards` prints the card's
[[false_claims]]. The scene network has learnt from UC
Merced, so that what it sees in these pictures is better than elsewhere; kept out by folds it saw a thing
that is not there in 1 % of them.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from data.models.evaluating.negatives import (
    FOLDER,
    FOOT_M,
    LARGE,
    LARGE_MPX,
    OBJECTS,
    Negative,
    large,
    negatives,
)
from data.models.registry import registry
from data.progress import Unheard
from data.vision.detect import Detected, detect

COMMAND = "python -m benches.vision_false_claims"
WITH = {"airplane": "plane", "harbor": "ship", "parkinglot": "small-vehicle", "intersection": "small-vehicle",
        "storagetanks": "storage-tank"}  # fmt: skip
"""Classes of UC Merced whose pictures hold an object."""


Table = dict[tuple[str, str, float], list[bool]]
"""Whether each image got a claim, by object, ground and pixel size."""


def found_in(each: Negative, folder: Path, least: float | None) -> Detected:
    """What is claimed in a picture; with `least` without thresholds."""
    return detect(Unheard(), each.write(folder / "image.tif"), model="oriented-objects", min_score=least)


def measured(images: Iterator[Negative], least: float | None) -> Table:
    """Whether each image got a claim, by object, ground and pixel size."""
    table: Table = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for each in images:
            names = {one.class_name for one in found_in(each, Path(folder), least).found}
            for name in each.absent:
                table[name, each.ground, each.gsd_m].append(name in names)
    return table


def positives(merced: Path) -> Iterator[tuple[str, Negative]]:
    """Pictures that hold an object, of the half that set nothing."""
    import cv2

    for label, name in WITH.items():
        for path in sorted((merced / label).glob("*[5-9][0-9].tif")):
            read: Any = cv2.imread(str(path))
            yield name, Negative(path.stem, label, FOOT_M, read[..., ::-1].copy(), 1, ())


def ships(folder: Path, least: float | None) -> tuple[float, int]:
    """The share of P0706's ships that are found, at an overlap of 0.3, and how many findings there are."""
    import numpy as np
    from shapely import STRtree
    from shapely.geometry import Polygon

    rows = [line.split() for line in (folder / "dota" / "P0706.txt").read_text().splitlines()]
    true = [
        Polygon(np.array(row[:8], float).reshape(4, 2)) for row in rows if len(row) >= 9 and row[8] == "ship"
    ]
    found = detect(Unheard(), folder / "dota" / "P0706.png", model="oriented-objects", min_score=least).found
    tree, taken = STRtree(true), set()
    said = sorted((each for each in found if each.class_name == "ship"), key=lambda each: -each.score)
    for each in said:
        shape = Polygon(each.outline)
        shared = {
            int(at): shape.intersection(true[at]).area / shape.union(true[at]).area
            for at in tree.query(shape) if int(at) not in taken
        }  # fmt: skip
        if shared and max(shared.values()) >= 0.3:
            taken.add(max(shared, key=lambda at: shared[at]))
    return len(taken) / len(true), len(said)


def show(table: Table) -> None:
    """Print the table, and the same over all grounds."""
    for (name, ground, gsd_m), said in sorted(table.items()):
        share = 100 * sum(said) / len(said)
        print(f"{name:<14} {ground:<12} {gsd_m:4.2f} m: {sum(said):3d} of {len(said):4d}, {share:.1f} %")
    for name in OBJECTS:
        every = [
            each for (one, where, _), said in table.items() if one == name and where != LARGE for each in said
        ]
        if every:
            print(f"{name:<14} all: {sum(every)} of {len(every)}, {100 * sum(every) / len(every):.1f} %")


def entries(table: Table) -> None:
    """Print what stands in the card: a ground's images together, and all of a class's but the large ones,
    which show the same ground once more. A ground without a claim stands in `all` alone."""
    whole: dict[tuple[str, str], list[tuple[float, bool]]] = defaultdict(list)
    for (name, ground, gsd_m), said in sorted(table.items()):
        for where in (ground,) if ground == LARGE else (ground, "all"):
            whole[name, where] += [(gsd_m, each) for each in said]
    for (name, ground), rows in sorted(whole.items()):
        if ground not in ("all", LARGE) and not any(each for _, each in rows):
            continue
        sizes = [each for each, _ in rows]
        print(f'[[false_claims]]\nobject = "{name}"\nground = "{ground}"\nimages = {len(rows)}')
        print(f"claimed = {sum(each for _, each in rows)}\ngsd_m = [{min(sizes):.2g}, {max(sizes):.2g}]")
        if ground == LARGE:
            print(f"from_mpx = {LARGE_MPX}")
        print(f'command = "{COMMAND}"\n')


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--merced", type=Path, default=FOLDER / "uc_merced")
    asked.add_argument("--real", type=Path, default=FOLDER)
    asked.add_argument("--cards", action="store_true")
    asked.add_argument("--before", action="store_true")
    asked.add_argument("--large", action="store_true")
    given = asked.parse_args()
    least = registry(None).get("oriented-objects").card.output.min_score if given.before else None
    alone = (each for each in negatives(given.merced, given.real) if each.half == 1 and not each.together)
    table = measured(large(given.merced) if given.large else chain(alone, large(given.merced)), least)
    show(table)
    if given.cards:
        entries(table)
    if given.large:
        return
    with tempfile.TemporaryDirectory() as folder:
        hits: dict[str, list[bool]] = {name: [] for name in OBJECTS}
        for name, each in positives(given.merced):
            hits[name].append(
                any(one.class_name == name for one in found_in(each, Path(folder), least).found)
            )
    for name, said in hits.items():
        if said:
            print(f"{name}: claimed in {sum(said)} of {len(said)} pictures of UC Merced that hold some")
    if (given.real / "dota").is_dir():
        share, count = ships(given.real, least)
        print(f"DOTA P0706: {100 * share:.1f} % of its ships found (overlap 0.3), {count} findings")


if __name__ == "__main__":
    main()
