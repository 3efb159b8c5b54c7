"""Tiled inference against the bare model and against sahi: `python -m benches.vision_tiling [--size 2048]`.

One rendered scene (no imagery), one ONNX model, one process. First how many windows a second go through the
whole pipeline (read, prepare, run, decode, join) as a share of what the bare session does on as many windows
that lie in memory already; then the same image through sahi (its slices, its NMM, the same runner behind its
DetectionModel), with windows of the same side and overlap: seconds, mean average precision at an IoU of 0.5,
and how many objects are found twice. Rounds alternate, and the best of each counts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from data.models.layouts import decoded
from data.models.registry import Model, registry
from data.models.serving import served
from data.models.training.scoring import Boxes, average_precision
from data.progress import Unheard
from data.scenes import CLASSES, render
from data.vision.boxes import iou_table, upright
from data.vision.detect import detect
from data.vision.tiled import batches, plan_of

OVERLAP = 0.25
SCORE = 0.25


def bare(model: Model, windows: list[np.ndarray]) -> float:
    """Seconds that the session alone takes for prepared windows."""
    runner = served(model).runner
    started = time.perf_counter()
    for values in windows:
        runner(values)
    return time.perf_counter() - started


def throughput(model: Model, image: Path, rounds: int) -> dict[str, float | int]:
    """Windows a second, through the pipeline and bare, and the one as a share of the other."""
    plan = plan_of(image, model, overlap=OVERLAP)
    windows = [each.values.copy() for each in batches(plan)]
    best: dict[str, float] = {}
    for _ in range(rounds):
        best["bare"] = min(best.get("bare", np.inf), bare(model, windows))
        started = time.perf_counter()
        detect(Unheard(), image, model=model.name, min_score=SCORE, overlap=OVERLAP)
        best["tiled"] = min(best.get("tiled", np.inf), time.perf_counter() - started)
    count = len(plan.places)
    return {
        "windows": count,
        "side_px": plan.side,
        "bare_windows_s": round(count / best["bare"], 2),
        "tiled_windows_s": round(count / best["tiled"], 2),
        "share_percent": round(100 * best["bare"] / best["tiled"], 1),
    }


def ours(model: Model, image: Path) -> Boxes:
    """Upright boxes as sahi has them: what its slices' boxes are joined by."""
    found = detect(Unheard(), image, model=model.name, min_score=SCORE, overlap=OVERLAP, upright_boxes=True)
    return Boxes(
        np.array([each.outline for each in found.found]).reshape(-1, 4, 2),
        np.array([CLASSES.index(each.class_name) for each in found.found], dtype=np.int64),
        np.array([each.score for each in found.found]),
    )


def sahi_model(model: Model, side: int) -> Any:
    """sahi's DetectionModel around the same runner: a slice in, upright boxes out."""
    from sahi.models.base import DetectionModel
    from sahi.prediction import ObjectPrediction

    runner = served(model).runner

    class Ours(DetectionModel):
        def check_dependencies(self, *ignored: Any, **more: Any) -> None:
            """Nothing beyond what is here."""

        def load_model(self) -> None:
            self.model = runner
            self.category_mapping = {str(at): name for at, name in enumerate(CLASSES)}

        def set_model(self, model: Any, **kwargs: Any) -> None:
            self.model = model

        @property
        def category_names(self) -> list[str]:
            return list(CLASSES)

        @property
        def num_categories(self) -> int:
            return len(CLASSES)

        def perform_inference(self, image: Any) -> None:
            values = np.zeros((1, 3, side, side), dtype=np.float32)
            rows, columns = image.shape[:2]
            values[0, :, :rows, :columns] = image.transpose(2, 0, 1) * np.float32(1 / 255)
            self._original_predictions = decoded(runner(values), runner.layout, SCORE, (side, side))[0]

        def _create_object_prediction_list_from_original_predictions(
            self, shift_amount_list: Any = None, full_shape_list: Any = None
        ) -> None:
            shift = (shift_amount_list or [[0, 0]])[0]
            full = (full_shape_list or [None])[0]
            if isinstance(shift, int):
                shift, full = shift_amount_list, full_shape_list
            found = self._original_predictions
            boxes = upright(found.corners) if len(found.scores) else found.corners
            self._object_prediction_list_per_image = [
                [
                    ObjectPrediction(
                        bbox=[*box[0].clip(0).tolist(), *box[2].clip(0).tolist()],
                        category_id=int(label),
                        category_name=CLASSES[int(label)],
                        score=float(score),
                        shift_amount=shift,
                        full_shape=full,
                    )
                    for box, label, score in zip(boxes, found.classes, found.scores, strict=True)
                ]
            ]

    return Ours(model_path=str(model.weights), confidence_threshold=SCORE, device="cpu")


def by_sahi(wrapped: Any, image: np.ndarray, side: int) -> Boxes:
    """What sahi's sliced prediction finds, with its defaults: greedy NMM by IoS over 0.5."""
    from sahi.predict import get_sliced_prediction

    said = get_sliced_prediction(
        image, wrapped, slice_height=side, slice_width=side, overlap_height_ratio=OVERLAP,
        overlap_width_ratio=OVERLAP, perform_standard_pred=False, verbose=0,
    )  # fmt: skip
    found = said.object_prediction_list
    boxes = np.array([each.bbox.to_xyxy() for each in found], dtype=float).reshape(-1, 4)
    corners = np.stack([boxes[:, [0, 1]], boxes[:, [2, 1]], boxes[:, [2, 3]], boxes[:, [0, 3]]], axis=1)
    return Boxes(
        corners,
        np.array([each.category.id for each in found], dtype=np.int64),
        np.array([each.score.value for each in found]),
    )


def judged(truth: Boxes, found: Boxes) -> dict[str, float | int]:
    """Mean average precision, and objects that two boxes or more of their class lie on."""
    values = [average_precision([truth], [found], label) for label in range(len(CLASSES))]
    known = [each for each in values if each is not None]
    shares = iou_table(truth.corners, found.corners)
    same = truth.classes[:, None] == found.classes[None, :]
    twice = int((((shares > 0.3) & same).sum(axis=1) > 1).sum()) if len(found.scores) else 0
    return {"mAP50": round(float(np.mean(known)), 3), "found": len(found.scores), "twice": twice}


def timed(run: Callable[[], Boxes], rounds: int) -> tuple[float, Boxes]:
    """The best time of some, and what was found."""
    best, found = np.inf, None
    for _ in range(rounds):
        started = time.perf_counter()
        found = run()
        best = min(best, time.perf_counter() - started)
    assert found is not None
    return best, found


def main() -> None:
    """Print both, as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=2048, help="of the scene, pixels")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=910_000)
    chosen = parser.parse_args()
    import rasterio

    model = registry().get("oriented-objects")
    with tempfile.TemporaryDirectory() as scratch:
        scene = render(chosen.seed, "optical", chosen.size, 0.5, theme="harbour", maps=False)
        path = scene.write(Path(scratch) / "scene.tif")
        speed = throughput(model, path, chosen.rounds)
        side = int(speed["side_px"])
        truth = Boxes(
            upright(np.array([each.outline for each in scene.objects]).reshape(-1, 4, 2)),
            np.array([CLASSES.index(each.class_name) for each in scene.objects]),
            np.ones(len(scene.objects)),
        )
        wrapped = sahi_model(model, side)

        def sahi() -> Boxes:
            with rasterio.open(path) as source:  # it is given pixels: reading them is part of the time
                return by_sahi(wrapped, np.ascontiguousarray(source.read().transpose(1, 2, 0)), side)

        ours(model, path), sahi()  # imports and first allocations are nobody's time
        here, found = timed(lambda: ours(model, path), chosen.rounds)
        there, theirs = timed(sahi, chosen.rounds)
    print(json.dumps({"scene_px": chosen.size, "objects": len(truth.classes), **speed}))
    print(json.dumps({"what": "azimuth", "seconds": round(here, 2), **judged(truth, found)}))
    print(json.dumps({"what": "sahi", "seconds": round(there, 2), **judged(truth, theirs)}))


if __name__ == "__main__":
    main()
