"""How well a network tells land cover apart, pixel by pixel."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.models.evaluating.agreement import confusion, intersections, right
from data.models.evaluating.objects import HELD_OUT_SEED, IMAGES, measured_on
from data.models.registry import Model
from data.progress import Unheard
from data.raster.errors import RasterError

UNLABELLED = 255
THEMES = ("town", "suburb", "fields", "harbour", "sea", "woods")
MEANS = {
    "water": ("water",),
    "grass": ("grass", "vegetation"),
    "crops": ("crops", "crop", "cropland", "vegetation"),
    "trees": ("trees", "tree", "forest", "vegetation"),
    "soil": ("soil", "bare soil", "bare", "land"),
    "sand": ("sand", "bare", "land"),
    "road": ("road", "transport"),
    "building": ("building", "built-up"),
}
"""What a network may call the covers that are rendered; others are not looked at."""
Pair = tuple[Path, NDArray[np.uint8]]


def evaluate_cover(
    model: Model,
    folder: Path | None,
    tell: Callable[[float, str], None],
    *,
    labels: Path | None = None,
    scenes: int = 20,
) -> dict[str, Any]:
    """Intersection over union by class over all pixels, its mean, and the share of pixels that are right.

    `labels`: a folder of images, each with a mask: the file of the same name in a folder beside, or named
    with _mask. A mask holds class numbers from 0 in the card's order (255: unlabelled), or what the
    folder's classes.json says: {"water": 3} or {"water": "#E2A929"}. Raises RasterError.
    """
    from data.vision.segment import land_cover

    names = [each.lower() for each in model.card.output.classes]
    table = np.zeros((len(names), len(names) + 1), dtype=np.int64)
    count = 0
    with tempfile.TemporaryDirectory(prefix="azimuth-evaluate-") as scratch:
        made = Path(scratch) / "made.tif"
        pairs = labelled(labels, names) if labels is not None else rendered(Path(scratch), names, scenes)
        for image, truth in pairs:
            tell(min(0.99, count / max(scenes, 1)), f"Looked at {count:,} images.")
            land_cover(Unheard(), image, made, model=model.name, models=folder)
            table += confusion(truth, _band(made).astype(np.int64) - 1, len(names))
            count += 1
    if not count:
        raise RasterError(f"There are no images with masks in {labels}; a mask is called as its image.")
    if not table.any():
        raise RasterError(f"No pixel is labelled as what {model.name} knows: {', '.join(names)}.")
    known = {name: round(value, 4) for name, value in intersections(table, names).items()}
    return {
        "model": model.name,
        "data": measured_on(labels),
        "metric": "mIoU",
        "value": round(float(np.mean(list(known.values()))), 4),
        "by_class": known,
        "images": count,
        "right": round(right(table), 4),
    }


def rendered(scratch: Path, names: Sequence[str], scenes: int) -> Iterator[Pair]:
    """Rendered scenes with the numbers of their pixels' classes."""
    from data.scenes import COVERS, render

    known = [next((names.index(word) for word in MEANS.get(cover, ()) if word in names), UNLABELLED)
             for cover in COVERS]  # fmt: skip
    numbers = np.array(known, dtype=np.uint8)
    for at in range(scenes):
        gsd_m = 0.5 * 2.0 ** (at % 3)
        scene = render(HELD_OUT_SEED + at, "optical", 256, gsd_m, theme=THEMES[at % len(THEMES)])
        yield scene.write(scratch / "scene.tif"), numbers[scene.landcover]


def labelled(folder: Path, names: Sequence[str]) -> Iterator[Pair]:
    """The images of a folder that have a mask, with the numbers of their pixels' classes."""
    if not folder.exists():
        raise RasterError(f"There is no folder {folder}.")
    values = _values(folder, names)
    files = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in IMAGES]
    masks = {path: _image_of(path) for path in files}
    stems = {path.stem: path for path, image in masks.items() if image is not None}
    for path in files:
        mask = stems.get(path.stem) or stems.get(f"{path.stem}_mask")
        if masks[path] is None and mask is not None:
            yield path, _numbers(mask, values)


def _image_of(path: Path) -> str | None:
    """The name of the image that a file is the mask of; None for an image."""
    if path.stem.endswith("_mask"):
        return path.stem.removesuffix("_mask")
    return path.stem if path.parent.name.lower() in ("masks", "mask", "labels", "annotations") else None


def _values(folder: Path, names: Sequence[str]) -> list[int | str]:
    """What stands for each class in the masks: a number, or a colour as "#RRGGBB"."""
    path = folder / "classes.json"
    if not path.exists():
        return list(range(len(names)))
    try:
        said = {str(name).lower(): value for name, value in json.loads(path.read_text("utf-8")).items()}
        return [value if isinstance(value := said[each], int) else str(value).upper() for each in names]
    except KeyError as error:
        raise RasterError(f"{path} says nothing of {error.args[0]}, which the model knows.") from None
    except (AttributeError, ValueError):
        raise RasterError(f'{path} is no JSON object such as {{"water": "#E2A929"}}.') from None


def _numbers(path: Path, values: Sequence[int | str]) -> NDArray[np.uint8]:
    bands = _bands(path).astype(np.int64)
    numbers = np.full(bands.shape[1:], UNLABELLED, dtype=np.uint8)
    colours = (bands[0] << 16) + (bands[1] << 8) + bands[2] if len(bands) >= 3 else None
    for at, value in enumerate(values):
        if isinstance(value, int):
            numbers[bands[0] == value] = at
        elif colours is not None:
            numbers[colours == int(value.lstrip("#"), 16)] = at
    return numbers


def _bands(path: Path) -> NDArray[Any]:
    from data.raster.files import opened

    with opened(path) as source:
        values: NDArray[Any] = source.read()
    return values


def _band(path: Path) -> NDArray[Any]:
    return np.asarray(_bands(path)[0])
