"""How well the seeing tools see: modality, scene, questions, counts and grounding.

    python -m benches.vision_seeing [--scenes 45] [--real ../shared/data] [--only modality,scene,...]

Rendered scenes have held-out seeds (from 910,000 on; nothing was trained or set on them). Counts have the
columns of RS-Agent's Table 3 (arXiv 2406.07089) as we read them: absolute accuracy is the share of images
whose count is exactly right, interval match the share whose count falls into the right one of RSVQA's
intervals (0, 1 to 10, 11 to 100, 101 to 1,000, more; Lobry et al. 2020), relative error the mean of
|counted - true| / true over images that have any.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from data.scenes import COVERS, Scene, render
from data.scenes.themes import THEMES
from data.vision.answering import answered
from data.vision.facts import Facts
from data.vision.grounding import grounded, parse_phrase
from data.vision.measuring import box_of
from data.vision.modality import modality_of
from data.vision.questions import parse
from data.vision.scene import scene_of

FIRST_SEED = 910_000
PARTS = ("modality", "cover", "scene", "questions", "counts", "grounding")
REAL = {
    "naip/*.tif": "multispectral", "landsat/*.tif": "multispectral", "spacenet/ms1.tif": "multispectral",
    "joplin/*.tif": "optical", "planet_ships/*.png": "optical", "dota/*.png": "optical",
    "levir_cd/[AB]/*.png": "optical", "dubai_seg/*/images/*.jpg": "optical",
    "spacenet/pan1.tif": "panchromatic", "spacenet/sample_geotiff.tif": "panchromatic",
    "spacenet/road_mask_input.tif": "panchromatic",
    "spacenet/sar*.tif": "sar", "sar_ships/*_[0-9]*00.png": "sar",
    "elevation/*.tif": None, "levir_cd/label/*.png": None,
}  # fmt: skip
SCENE_OF = {
    "sea": {"open water"}, "harbour": {"harbor", "marina"}, "marina": {"marina", "harbor"},
    "airport": {"airport"},
    "parking": {"parking lot"}, "suburb": {"residential"}, "town": {"residential", "dense urban"},
    "depot": {"storage tanks"},
    "fields": {"farmland"}, "woods": {"forest", "grassland", "bare land", "river", "farmland"},
}  # fmt: skip
"""Answers that are right for a theme; of woods by what covers most of it, see `right_scenes`."""
_INLAND = ("town", "fields", "woods", "depot", "parking")
COUNTED = ("plane", "ship", "small-vehicle", "large-vehicle", "storage-tank")
_SPOKEN = {
    "plane": "planes",
    "ship": "ships",
    "small-vehicle": "cars",
    "large-vehicle": "trucks",
    "storage-tank": "storage tanks",
}


def scenes(count: int, size: int = 448) -> Iterator[tuple[Scene, Path]]:
    """Held-out rendered scenes of every theme in turn, as files."""
    with tempfile.TemporaryDirectory() as folder:
        for at in range(count):
            theme = list(THEMES)[at % len(THEMES)]
            scene = render(FIRST_SEED + at, "optical", size, theme=theme)
            yield scene, scene.write(Path(folder) / f"{at}.tif")


def right_scenes(scene: Scene) -> set[str]:
    """The answers that are right for a scene."""
    if scene.theme != "woods":
        return SCENE_OF.get(scene.theme, {scene.theme})
    share = {name: float((scene.landcover == at).mean()) for at, name in enumerate(COVERS)}
    named = {
        "forest": share["trees"],
        "grassland": share["grass"],
        "bare land": share["soil"] + share["sand"],
    }
    best = {name for name, value in named.items() if value >= 0.8 * max(named.values())}
    return best | ({"river"} if share["water"] > 0.03 else set())


def modality(real: Path | None, seeds: int = 15) -> None:
    """Confusion over every real file, and over rendered scenes that say nothing of themselves."""
    table: Counter[tuple[str, str, str]] = Counter()
    if real is not None:
        for pattern, true in REAL.items():
            for path in sorted(real.glob(pattern)):
                table["real", str(true), str(modality_of(path).name)] += 1
    with tempfile.TemporaryDirectory() as folder:
        for at in range(seeds):
            for true in ("optical", "multispectral", "sar", "panchromatic"):
                kind: Any = "optical" if true == "panchromatic" else true
                theme, gsd_m = _INLAND[at % len(_INLAND)], 4.0 if kind == "multispectral" else None
                pixels = render(FIRST_SEED + 5_000 + at, kind, 192, gsd_m, theme=theme).pixels
                if true == "panchromatic":
                    pixels = pixels.mean(axis=0, keepdims=True).astype(np.uint8)
                path = _unnamed(pixels, Path(folder) / f"{true}{at}.tif")
                table["rendered", true, str(modality_of(path).name)] += 1
    for where in ("real", "rendered"):
        rows = {key: value for key, value in table.items() if key[0] == where}
        if rows:
            right = sum(value for key, value in rows.items() if key[1] == key[2])
            print(f"modality, {where}: {right} of {sum(rows.values())} right")
        for (_, true, told), value in sorted(rows.items()):
            print(f"  {true:>14} told {told:<14} {value}")


def _unnamed(pixels: Any, path: Path) -> Path:
    import rasterio

    from data.uploads.gdal import quiet_gdal

    count, height, width = pixels.shape
    about = {"driver": "GTiff", "count": count, "height": height, "width": width, "dtype": pixels.dtype}
    with quiet_gdal(), rasterio.open(path, "w", photometric="minisblack", **about) as target:
        target.write(pixels)
    return path


def cover(real: Path | None) -> None:
    """Cells of one cover of the Dubai tile that was kept out, together and by each of its two opinions."""
    from data.models.training.cover_cells import dubai, majority
    from data.vision.cover import COVERS as COVERED
    from data.vision.cover import MODEL, NETWORK, by_cells, by_network, cover_of

    if real is None or not (real / "dubai_seg").is_dir():
        return
    rows: dict[str, list[tuple[Any, Any]]] = defaultdict(list)
    for picture, classes in dubai(real / "dubai_seg", (2,)):
        true = majority(classes)
        for name, likely in (
            (MODEL, cover_of(picture).likely),
            ("its trees alone", by_cells(picture)),
            (NETWORK, by_network(picture)),
        ):
            said = likely.argmax(axis=0)[: true.shape[0], : true.shape[1]]
            rows[name].append((true[true >= 0], said[true >= 0]))
    for name, pairs in rows.items():
        true, said = (np.concatenate([each[at] for each in pairs]) for at in (0, 1))
        print(f"cover, Dubai tile 2, {name}: {(true == said).mean():.3f} right (n = {len(true)})")
        for at, what in enumerate(COVERED):
            either = int(((true == at) | (said == at)).sum())
            print(f"  {what:<14} IoU {int(((true == at) & (said == at)).sum()) / max(either, 1):.3f}")


class Tally:
    """Right and asked by type."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.right: Counter[str] = Counter()

    def note(self, kind: str, right: bool) -> None:
        """One question of a kind."""
        self.asked[kind] += 1
        self.right[kind] += bool(right)

    def show(self, title: str) -> None:
        """Print the shares."""
        total = max(sum(self.asked.values()), 1)
        print(f"{title}: {sum(self.right.values()) / total:.3f} (n = {sum(self.asked.values())})")
        for kind, asked in self.asked.items():
            print(f"  {kind:<14} {self.right[kind] / asked:.3f} (n = {asked})")


def ask_all(facts: Facts, scene: Scene, tally: Tally, counts: dict[str, list[tuple[int, int]]]) -> None:
    """Questions of every type whose answer the scene knows."""
    true = Counter(each.class_name for each in scene.objects)
    for name in COUNTED:
        if name in ("small-vehicle", "large-vehicle") and scene.gsd_m > 0.6:
            continue  # too small to be drawn, or seen
        counted = answered(facts, parse(f"how many {_SPOKEN[name]} are there?"))
        number = int(counted.value) if isinstance(counted.value, int) else -1
        if true[name]:
            tally.note("count", number == true[name])
            counts[name].append((number, true[name]))
        tally.note(
            "presence", answered(facts, parse(f"is there a {_SPOKEN[name][:-1]}?")).value is bool(true[name])
        )
    told = answered(facts, parse("are there more ships than planes?")).value
    tally.note("comparison", told is (true["ship"] > true["plane"]))
    water = 100 * float((scene.landcover == COVERS.index("water")).mean())
    green = 100 * float(
        np.isin(scene.landcover, [COVERS.index(each) for each in ("grass", "crops", "trees")]).mean()
    )
    if abs(water - green) > 5:
        told = answered(facts, parse("is there more water than vegetation?")).value
        tally.note("comparison", told is (water > green))
    told = answered(facts, parse("how much water is there?")).value
    tally.note("water within 10", isinstance(told, float) and abs(told - water) <= 10)
    told = answered(facts, parse("how much of it is vegetation?")).value
    tally.note("green within 10", isinstance(told, float) and abs(told - green) <= 10)
    built = 100 * float(
        np.isin(scene.landcover, [COVERS.index(each) for each in ("road", "paved", "building")]).mean()
    )
    if not 15 < built < 35:
        told = answered(facts, parse("is it rural or urban?")).value
        tally.note("rural or urban", told == ("urban" if built >= 25 else "rural"))
    size = answered(facts, parse("what resolution does it have?")).value
    tally.note("resolution", isinstance(size, float) and abs(size / scene.gsd_m - 1) < 0.02)


def ground_all(facts: Facts, scene: Scene, tally: Tally) -> None:
    """Phrases that mean one object of the scene."""
    for name in ("plane", "ship", "storage-tank"):
        there = [each for each in scene.objects if each.class_name == name and each.visible > 0.95]
        if len(there) < 1 or any(each.visible <= 0.95 for each in scene.objects if each.class_name == name):
            continue
        word = _SPOKEN[name][:-1]
        ranked = sorted(there, key=lambda each: -each.length_m * each.width_m)
        if (
            len(ranked) > 1
            and ranked[1].length_m * ranked[1].width_m > 0.85 * ranked[0].length_m * ranked[0].width_m
        ):
            ranked = []
        meant = [(f"the largest {word}", each) for each in ranked[:1]]
        meant.append((f"the leftmost {word}", min(there, key=lambda each: (each.box[0] + each.box[2]) / 2)))
        meant.append(
            (f"the southernmost {word}", max(there, key=lambda each: (each.box[1] + each.box[3]) / 2))
        )
        for phrase, each in meant:
            found = grounded(facts, parse_phrase(phrase)).found
            tally.note(phrase.split()[1], bool(found) and overlap(box_of(found[0].outline), each.box) >= 0.5)


def overlap(one: Any, two: Any) -> float:
    """Intersection over union of two boxes."""
    across = max(0.0, min(one[2], two[2]) - max(one[0], two[0]))
    down = max(0.0, min(one[3], two[3]) - max(one[1], two[1]))
    both = (one[2] - one[0]) * (one[3] - one[1]) + (two[2] - two[0]) * (two[3] - two[1])
    return float(across * down / max(both - across * down, 1e-9))


def interval(count: int) -> int:
    """RSVQA's interval of a count."""
    return next((at for at, most in enumerate((0, 10, 100, 1000)) if count <= most), 4) if count >= 0 else -1


def show_counts(counts: dict[str, list[tuple[int, int]]]) -> None:
    """Absolute accuracy, interval match and relative error by class."""
    for name, pairs in [*counts.items(), ("all", [pair for each in counts.values() for pair in each])]:
        if not pairs:
            continue
        exact = np.mean([told == true for told, true in pairs])
        near = np.mean([interval(told) == interval(true) for told, true in pairs])
        error = np.mean([abs(max(told, 0) - true) / true for told, true in pairs])
        said = f"absolute accuracy {exact:.3f}, interval match {near:.3f}, relative error {error:.3f}"
        print(f"count {name:<14} {said} (n = {len(pairs)})")


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--scenes", type=int, default=45)
    asked.add_argument("--real", type=Path)
    asked.add_argument("--only", default=",".join(PARTS))
    given = asked.parse_args()
    wanted = set(given.only.split(","))
    if "modality" in wanted:
        modality(given.real)
    if "cover" in wanted:
        cover(given.real)
    scene_tally, question_tally, ground_tally = Tally(), Tally(), Tally()
    counts: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for scene, path in scenes(given.scenes) if wanted & set(PARTS[2:]) else ():
        facts = Facts(path)
        if "scene" in wanted:
            told, right = scene_of(facts), right_scenes(scene)
            scene_tally.note(scene.theme, told.name in right)
            scene_tally.note("first three", any(name in right for name, _ in told.ranked[:3]))
        if wanted & {"questions", "counts"}:
            ask_all(facts, scene, question_tally, counts)
        if "grounding" in wanted:
            ground_all(facts, scene, ground_tally)
        for each in facts.missing.values():
            print(f"missing: {each}")
    if "scene" in wanted:
        scene_tally.show("scene, of themes and among the first three")
    if "questions" in wanted:
        question_tally.show("questions")
    if "counts" in wanted:
        show_counts(counts)
    if "grounding" in wanted:
        ground_tally.show("grounding, accuracy at IoU 0.5")


if __name__ == "__main__":
    main()
