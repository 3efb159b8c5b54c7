"""How good a detector is: average precision over images, with boxes in any direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Boxes:
    """The boxes of one image: (k, 4, 2) corners, (k,) classes, (k,) scores (1 for truth)."""

    corners: NDArray[np.float64]
    classes: NDArray[np.int64]
    scores: NDArray[np.float64]


def average_precision(
    truth: Sequence[Boxes], found: Sequence[Boxes], label: int, iou: float = 0.5
) -> float | None:
    """Area under the precision-recall curve at every point (PASCAL VOC from 2010 on), None without truth.

    Detections of all images in order of their scores; each takes the free true box of its class with which
    it shares most, if that is `iou` of their union or more.
    """
    from data.vision.boxes import iou_table

    marks: list[tuple[float, bool]] = []
    count = 0
    for real, seen in zip(truth, found, strict=True):
        mine, theirs = real.corners[real.classes == label], seen.classes == label
        count += len(mine)
        scores = seen.scores[theirs]
        order = np.argsort(-scores, kind="stable")
        shares = iou_table(seen.corners[theirs][order], mine)
        free = np.ones(len(mine), bool)
        for row, score in zip(shares, scores[order], strict=True):
            row = np.where(free, row, 0.0)
            best = int(row.argmax()) if len(row) else -1
            hit = best >= 0 and row[best] >= iou
            if hit:
                free[best] = False
            marks.append((float(score), hit))
    if not count:
        return None
    marks.sort(key=lambda each: -each[0])
    hits = np.cumsum([hit for _, hit in marks], dtype=float)
    recall = np.concatenate([[0.0], hits / count, [1.0]])
    precision = np.concatenate([[1.0], hits / np.arange(1, len(marks) + 1), [0.0]])
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(recall) * envelope[1:]))


def boxes_of(scene: Any, classes: Sequence[str]) -> Boxes:
    """The truth of a rendered scene."""
    corners = np.array([each.outline for each in scene.objects], np.float64).reshape(-1, 4, 2)
    labels = np.array([classes.index(each.class_name) for each in scene.objects], np.int64)
    return Boxes(corners, labels, np.ones(len(labels)))


class Detector:
    """An exported detector, run on whole images."""

    def __init__(self, weights: Path, threads: int = 1) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            str(weights), options, providers=["CPUExecutionProvider"]
        )

    def find(self, pixels: NDArray[np.uint8], least: float = 0.01) -> Boxes:
        """What is in (3, h, w) RGB of 8 bits, h and w multiples of 64, one box an object."""
        from data.models.layouts import decoded
        from data.vision.boxes import TURNED_SAME, kept_by_nms

        image = (pixels[None] / np.float32(255)).astype(np.float32)
        height, width = pixels.shape[1:]
        found = decoded(self._session.run(None, {"images": image}), "oriented-final", least, (height, width))[
            0
        ]
        kept = kept_by_nms(found.corners, found.classes, found.scores, TURNED_SAME)
        return Boxes(found.corners[kept], found.classes[kept], found.scores[kept])
