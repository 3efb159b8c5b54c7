"""How well a detector finds objects."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from data.models.registry import Model
from data.models.training.scoring import Boxes, average_precision
from data.progress import Unheard
from data.raster.errors import RasterError
from data.vision.classes import classes_for
from data.vision.detect import LEAST_SCORE, detect

HELD_OUT_SEED = 900_000
"""The first of the seeds that no training draws from."""
IMAGES = frozenset((".tif", ".tiff", ".png", ".jpg", ".jpeg"))
_TELL = Callable[[float, str], None]


@dataclass(frozen=True)
class Labelled:
    """An image and its true boxes: outlines in pixels, and what their labels call them."""

    image: Path
    corners: list[list[list[float]]]
    names: list[str]


def evaluate_detector(
    model: Model, folder: Path | None, tell: _TELL, *, labels: Path | None = None, scenes: int = 20
) -> dict[str, Any]:
    """Average precision at an IoU of 0.5 (oriented boxes) by class, its mean, and the counts.

    `labels`: a folder of images with DOTA's labelTxt or a COCO file; without it, rendered scenes from seeds
    that no training draws from. A class of the labels is the model's of that name, or the one it means
    (data.vision.classes). Runs the whole pipeline, windows and all. Raises RasterError.
    """
    truth, found = [], []
    with tempfile.TemporaryDirectory(prefix="azimuth-evaluate-") as scratch:
        items = labelled(labels) if labels is not None else rendered(Path(scratch), scenes)
        for done, item in enumerate(items):
            tell(min(0.99, done / max(scenes, 1)), f"Looked at {done:,} images.")
            seen = detect(Unheard(), item.image, model=model.name, folder=folder, min_score=LEAST_SCORE)
            truth.append(_truth(model, item))
            classes = [model.card.output.classes.index(each.class_name) for each in seen.found]
            found.append(
                Boxes(
                    np.array([_four(each.outline) for each in seen.found]).reshape(-1, 4, 2),
                    np.array(classes, dtype=np.int64),
                    np.array([each.score for each in seen.found]),
                )
            )
    if not truth:
        raise RasterError(
            f"There are no labelled images in {labels}; DOTA's labelTxt and COCO files are read."
        )
    names = model.card.output.classes
    by_class = {name: average_precision(truth, found, number) for number, name in enumerate(names)}
    known = {name: round(value, 4) for name, value in by_class.items() if value is not None}
    if not known:
        raise RasterError(
            f"None of the labels is of a class that {model.name} knows: {', '.join(names[:20])}."
        )
    return {
        "model": model.name,
        "data": measured_on(labels),
        "metric": "mAP50",
        "value": round(float(np.mean(list(known.values()))), 4),
        "by_class": known,
        "images": len(truth),
        "objects": int(sum(len(each.classes) for each in truth)),
        "counts": _counts(truth, found, model.card.output.min_score),
    }


def measured_on(labels: Path | None) -> str:
    """What a figure is of: the folder, or the rendered scenes."""
    return str(labels) if labels is not None else f"rendered scenes, seeds from {HELD_OUT_SEED:,}"


def _counts(truth: list[Boxes], found: list[Boxes], least: float) -> dict[str, float]:
    """Counting as RS-Agent's table 3 has it, over images and classes that have objects.

    `exact`: share of counts that are right; `interval`: share within 10 %, or one, of the truth;
    `relative_error`: mean of |found - true| / true.
    """
    pairs = []
    for real, seen in zip(truth, found, strict=True):
        for label in np.unique(real.classes):
            count = int((real.classes == label).sum())
            pairs.append((count, int(((seen.classes == label) & (seen.scores >= least)).sum())))
    if not pairs:
        return {}
    true, said = np.array(pairs, dtype=float).T
    off = np.abs(said - true)
    return {
        "exact": round(float((off == 0).mean()), 4),
        "interval": round(float((off <= np.maximum(1, 0.1 * true)).mean()), 4),
        "relative_error": round(float((off / true).mean()), 4),
        "counts": len(pairs),
    }


def rendered(scratch: Path, scenes: int) -> Iterator[Labelled]:
    """Rendered scenes with their true boxes, one file at a time."""
    from data.models.training.streaming import example_scene

    for seed in range(HELD_OUT_SEED, HELD_OUT_SEED + scenes):
        scene = example_scene(seed, 512)
        path = scene.write(scratch / "scene.tif")
        yield Labelled(
            path,
            [each.outline.tolist() for each in scene.objects],
            [each.class_name for each in scene.objects],
        )


def labelled(folder: Path) -> Iterator[Labelled]:
    """The images of a folder with their labels: a COCO file in it, else a text of DOTA's for each image."""
    if not folder.exists():
        raise RasterError(f"There is no folder {folder}.")
    images = {path.stem: path for path in sorted(folder.rglob("*")) if path.suffix.lower() in IMAGES}
    for path in sorted(folder.rglob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and {"images", "annotations", "categories"} <= content.keys():
            yield from _coco(content, images)
            return
    for path in sorted(folder.rglob("*.txt")):
        if path.stem in images:
            rows = [line.split() for line in path.read_text(encoding="utf-8-sig").splitlines()]
            kept = [row for row in rows if len(row) >= 9]
            try:
                corners = [np.array(row[:8], dtype=float).reshape(4, 2).tolist() for row in kept]
            except ValueError:
                continue
            if kept:
                yield Labelled(images[path.stem], corners, [row[8] for row in kept])


def _coco(content: dict[str, Any], images: dict[str, Path]) -> Iterator[Labelled]:
    names = {each["id"]: str(each["name"]) for each in content["categories"]}
    boxes: dict[Any, list[tuple[list[list[float]], str]]] = {}
    for each in content["annotations"]:
        left, top, width, height = (float(value) for value in each["bbox"])
        corners = [[left, top], [left + width, top], [left + width, top + height], [left, top + height]]
        boxes.setdefault(each["image_id"], []).append((corners, names[each["category_id"]]))
    for each in content["images"]:
        path = images.get(Path(str(each["file_name"])).stem)
        if path is not None:
            mine = boxes.get(each["id"], [])
            yield Labelled(path, [corners for corners, _ in mine], [name for _, name in mine])


def _truth(model: Model, item: Labelled) -> Boxes:
    """The true boxes of the classes that the model knows; one that means several is taken for the first."""
    names = model.card.output.classes
    kept = [
        (corners, classes_for(name, names)) for corners, name in zip(item.corners, item.names, strict=True)
    ]
    known = [(corners, names.index(meant[0])) for corners, meant in kept if meant]
    return Boxes(
        np.array([corners for corners, _ in known], dtype=float).reshape(-1, 4, 2),
        np.array([number for _, number in known], dtype=np.int64),
        np.ones(len(known)),
    )


def _four(outline: Any) -> Any:
    """An outline's corners, or those of the least rectangle around it."""
    if len(outline) == 4:
        return outline
    from shapely.geometry import MultiPoint

    return np.asarray(MultiPoint(outline).minimum_rotated_rectangle.exterior.coords)[:4]
