"""What comes out of a detector, whatever its maker's layout, as outlines with a class and a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from data.models.card import Layout
from data.vision.boxes import corners_of, kept_by_nms

if TYPE_CHECKING:
    from numpy.typing import NDArray

NMS_IOU = 0.5
"""Two boxes of one class in one window that share more than this of their union are one object."""
MOST = 1000
"""Most candidates of a window that are looked at, the best first."""
_MASK_NUMBERS = 32
_FINAL_WIDTH: dict[Layout, int] = {"boxes-final": 6, "oriented-final": 7, "segments-final": 6 + _MASK_NUMBERS}


@dataclass(frozen=True)
class Found:
    """What a detector found in one window, pixels of the window."""

    corners: NDArray[np.float64]
    """(k, 4, 2) of column and row: upright boxes have theirs too."""
    classes: NDArray[np.int64]
    scores: NDArray[np.float64]
    outlines: tuple[NDArray[np.float64], ...] | None = None
    """The objects' own outlines, (n, 2) each, from a model that segments."""


def decoded(
    outputs: Sequence[NDArray[np.float32]], layout: Layout, min_score: float, window_px: tuple[int, int]
) -> list[Found]:
    """What was found in each image of a batch, best first.

    `layout` as data.models.card.Layout explains it, `window_px` rows and columns of the input. Raises
    ValueError for arrays that are not of that layout.
    """
    first = np.asarray(outputs[0], dtype=np.float32)
    if first.ndim != 3:
        raise ValueError(f"a detector's output has three dimensions, not {first.ndim}")
    kind = layout.removesuffix("-final")
    if layout.endswith("-final"):
        if first.shape[2] != _FINAL_WIDTH[layout]:
            raise ValueError(f"{layout} has {_FINAL_WIDTH[layout]} numbers a candidate, not {first.shape[2]}")
        each = [_final(rows, kind, min_score) for rows in first]
    else:
        each = [_raw(columns.T, kind, min_score) for columns in first]
    protos = np.asarray(outputs[1], dtype=np.float32) if kind == "segments" and len(outputs) > 1 else None
    found = []
    for number, (corners, classes, scores, extra) in enumerate(each):
        outlines = None if protos is None else _outlines(protos[number], extra, corners, window_px)
        found.append(Found(corners, classes, scores, outlines))
    return found


_Rows = tuple["NDArray[np.float64]", "NDArray[np.int64]", "NDArray[np.float64]", "NDArray[np.float32]"]


def _final(rows: NDArray[np.float32], kind: str, min_score: float) -> _Rows:
    """Rows with nothing left to suppress. A row of an oriented box ends with the angle."""
    kept = rows[rows[:, 4] >= min_score]
    kept = kept[np.argsort(-kept[:, 4], kind="stable")][:MOST]
    boxes = kept[:, [0, 1, 2, 3, 6]] if kind == "oriented" else _centred(kept[:, :4])
    return (
        corners_of(boxes),
        kept[:, 5].astype(np.int64),
        kept[:, 4].astype(np.float64),
        kept[:, 6:] if kind == "segments" else kept[:, :0],
    )


def _raw(rows: NDArray[np.float32], kind: str, min_score: float) -> _Rows:
    """Rows of every candidate: centre, size, a score a class, and the angle or the mask's numbers."""
    behind = {"boxes": 0, "oriented": 1, "segments": _MASK_NUMBERS}[kind]
    end = rows.shape[1] - behind
    if end <= 4:
        raise ValueError("the output holds no class scores")
    classes = rows[:, 4:end].argmax(axis=1)
    scores = rows[np.arange(len(rows)), 4 + classes]
    order = np.flatnonzero(scores >= min_score)
    order = order[np.argsort(-scores[order], kind="stable")][:MOST]
    angle = rows[order, end:] if kind == "oriented" else np.zeros((len(order), 1), dtype=np.float32)
    corners = corners_of(np.concatenate([rows[order, :4], angle], axis=1))
    kept = kept_by_nms(corners, classes[order], scores[order].astype(np.float64), NMS_IOU)
    kept_rows = order[kept]
    extra = rows[kept_rows, end:] if kind == "segments" else rows[kept_rows, :0]
    return corners[kept], classes[kept_rows].astype(np.int64), scores[kept_rows].astype(np.float64), extra


def _centred(edges: NDArray[np.float32]) -> NDArray[np.float32]:
    """(k, 4) of left, top, right, bottom as (k, 5) of centre, size and no angle."""
    left, top, right, bottom = edges.T
    nothing = np.zeros_like(left)
    return np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top, nothing], axis=1)


def _outlines(
    protos: NDArray[np.float32],
    numbers: NDArray[np.float32],
    corners: NDArray[np.float64],
    window_px: tuple[int, int],
) -> tuple[NDArray[np.float64], ...]:
    """Each object's largest outline: its numbers times the prototypes, above 0, inside its box.

    YOLACT (Bolya et al. 2019), as Ultralytics' process_mask does it, on the prototypes' own grid.
    """
    import cv2

    count, rows, columns = protos.shape
    across, down = window_px[1] / columns, window_px[0] / rows
    masks = (numbers @ protos.reshape(count, -1)).reshape(-1, rows, columns) > 0
    found = []
    for mask, box in zip(masks, corners, strict=True):
        low = np.floor(box.min(axis=0) / (across, down)).astype(int).clip(0)
        high = np.ceil(box.max(axis=0) / (across, down)).astype(int) + 1
        inside = np.zeros_like(mask, dtype=np.uint8)
        inside[low[1] : high[1], low[0] : high[0]] = mask[low[1] : high[1], low[0] : high[0]]
        rings, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        ring = max(rings, key=cv2.contourArea, default=None)
        if ring is None or len(ring) < 3:
            found.append(box)
            continue
        found.append((ring[:, 0, :].astype(np.float64) + 0.5) * (across, down))
    return tuple(found)
