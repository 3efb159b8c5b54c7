"""How sure scene-lite0 is of a picture that is small, and of one that is looked at in several views.

    nice python -m data.models.training.scene_temperatures --merced FOLDER --backbone FILE --table FILE

One temperature, fitted to whole pictures of 256 pixels, is too sure of thumbnails, which show little of a
place or show it from far away, and not sure enough of the mean of several views, in which what is accidental
has gone. So each gets its own (Guo et al. 2017), fitted to UC Merced alone: pictures put together of 1, 4, 9
and 16 of one class and fold, as thumbnails of 150 pixels, and as pictures of 900 that are looked at in
quarters; numbers by regressions that did not see the fold. `--table` is what `scene_backbone` keeps.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from data.models.training.efficientnet import backbone_of, exported
from data.models.training.scene_backbone import (
    CLASSES,
    COOLING,
    FOLDS,
    SCENE_OF,
    Picture,
    Sample,
    Table,
    expected_error,
    fitted,
    merced,
    temperature_of,
    weights_of,
)
from data.vision.scene_network import CALIBRATION, network_input, views_of

SMALL_PX, LARGE_PX = 150, 900
ACROSS = (1, 2, 3, 4)
"""How many pictures lie side by side in one that is put together."""
EACH = 3
"""Pictures put together of each class, fold and number across."""


def together(
    samples: Sequence[Sample], side_px: int, random: np.random.Generator
) -> Iterator[tuple[Picture, str, int]]:
    """(picture, label, fold) of pictures that are put together of one class and fold."""
    by: dict[tuple[str, int], list[Picture]] = {}
    for sample in samples:
        by.setdefault((sample.label, sample.fold), []).append(sample.picture)
    for (label, fold), pictures in by.items():
        for across in ACROSS:
            for _ in range(EACH):
                chosen = random.choice(len(pictures), across**2, replace=False)
                part = -(-side_px // across)
                parts: list[Any] = [
                    cv2.resize(pictures[at], (part, part), interpolation=cv2.INTER_AREA) for at in chosen
                ]
                rows = [np.hstack(parts[at : at + across]) for at in range(0, across**2, across)]
                yield np.ascontiguousarray(np.vstack(rows)[:side_px, :side_px]), label, fold


def temperatures(samples: Sequence[Sample], table: Table, backbone: Path) -> dict[str, Any]:
    """The temperature of small pictures and of several views, and what was measured."""
    import onnxruntime

    y = table.scene
    heads = []
    for fold in range(FOLDS):
        rows = table.fold != fold
        heads.append(fitted(table.x[rows], y[rows], weights_of(table)[rows]))
    made: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        exported(backbone_of(backbone), Path(folder) / "backbone.onnx", ["features"])
        session = onnxruntime.InferenceSession(str(Path(folder) / "backbone.onnx"))
        for name, side_px in (("temperature_small", SMALL_PX), ("temperature_many", LARGE_PX)):
            numbers, right = [], []
            for picture, label, fold in together(samples, side_px, np.random.default_rng(side_px)):
                seen = session.run(None, {"views": network_input(views_of(picture))})[0]
                slopes, offsets = heads[fold]
                numbers.append((seen @ slopes.T + offsets).mean(axis=0))
                right.append(CLASSES.index(SCENE_OF[label]))
            table_of, known = np.array(numbers), np.array(right)
            made[name] = COOLING * temperature_of(table_of, known)
            made[f"{name}_measured"] = measured(table_of, known, made[name])
    return made


def measured(numbers: NDArray[Any], right: NDArray[Any], temperature: float) -> dict[str, float]:
    """How many, the share that is right, the mean confidence and its error."""
    likely = softmax(numbers / temperature, axis=1)
    sure, hit = likely.max(axis=1), likely.argmax(axis=1) == right
    return {
        "n": len(right), "right": float(hit.mean()), "said": float(sure.mean()),
        "ece": expected_error(sure, hit),
    }  # fmt: skip


def main() -> None:
    """Fit, print and write both temperatures beside the weights."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--merced", type=Path, required=True)
    asked.add_argument("--backbone", type=Path, required=True)
    asked.add_argument("--table", type=Path, required=True)
    given = asked.parse_args()
    read = np.load(given.table)
    table = Table(*(read[name] for name in ("x", "label", "fold", "number", "rendered")))
    made = temperatures(list(merced(given.merced)), table, given.backbone)
    print(json.dumps(made, indent=1))
    told = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    told |= {name: round(made[name], 5) for name in ("temperature_small", "temperature_many")}
    CALIBRATION.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
