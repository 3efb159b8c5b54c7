"""How well planes, ships, vehicles and tanks are found: `python -m benches.vision_detector [--scenes N]`.

Rendered scenes (no imagery) with seeds from 800,000 on, which it was not trained on, 512 pixels a side; and
the DOTA image in `../shared/data/dota`, on which nothing was trained or tuned, whole and at other scales.
Average precision by class at an IoU of 0.5 of oriented boxes, and its mean.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

from data.models.training.scoring import Boxes, Detector, average_precision, boxes_of
from data.models.training.streaming import example_scene
from data.scenes import CLASSES
from data.vision.detect import CUT_PX

FIRST_SEED = 800_000
WEIGHTS = Path(__file__).resolve().parents[1] / "data" / "models" / "weights" / "oriented-objects.onnx"
REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "dota"
SCALES = (0.5, 0.75, 1.0, 1.5, 2.0)


def rendered(detector: Detector, count: int, size: int) -> dict[str, float | int]:
    """Average precision by class over rendered scenes, its mean, and the numbers of scenes and objects."""
    truth, found = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        scene = example_scene(seed, size)
        truth.append(boxes_of(scene, CLASSES))
        found.append(detector.find(scene.pixels))
    by_class = {name: average_precision(truth, found, label) for label, name in enumerate(CLASSES)}
    known = {name: value for name, value in by_class.items() if value is not None}
    return {
        **{name: round(value, 3) for name, value in known.items()},
        "mAP50": round(float(np.mean(list(known.values()))), 3),
        "scenes": count,
        "objects": sum(len(each.classes) for each in truth),
    }


def dota(path: Path) -> Boxes:
    """The ships of a DOTA label file, the one class of it that the detector knows."""
    rows = [line.split() for line in path.read_text().splitlines()]
    kept = [row for row in rows if len(row) >= 9 and row[8] in CLASSES]
    corners = np.array([[float(each) for each in row[:8]] for row in kept]).reshape(-1, 4, 2)
    return Boxes(corners, np.array([CLASSES.index(row[8]) for row in kept]), np.ones(len(kept)))


def tiled(detector: Detector, pixels: np.ndarray, side: int = 512, overlap: int = 128) -> Boxes:
    """What is in an image of any size, in windows that overlap."""
    from data.vision.boxes import TURNED_SAME, Seen, one_an_object

    height, width = pixels.shape[1:]
    parts = []
    for top in range(0, max(height - overlap, 1), side - overlap):
        for left in range(0, max(width - overlap, 1), side - overlap):
            window = np.zeros((3, side, side), np.uint8)
            piece = pixels[:, top : top + side, left : left + side]
            window[:, : piece.shape[1], : piece.shape[2]] = piece
            seen = detector.find(window, 0.02)
            low, high = seen.corners.reshape(-1, 4, 2).min(axis=1), seen.corners.reshape(-1, 4, 2).max(axis=1)
            margins = np.full(len(seen.scores), np.inf)
            if left > 0:
                margins = np.minimum(margins, low[:, 0])
            if top > 0:
                margins = np.minimum(margins, low[:, 1])
            if left + side < width:
                margins = np.minimum(margins, side - high[:, 0])
            if top + side < height:
                margins = np.minimum(margins, side - high[:, 1])
            window_number = np.full(len(seen.scores), len(parts))
            moved = seen.corners + np.array([left, top])
            parts.append(Seen(moved, seen.classes, seen.scores, margins, window_number))
    merged = one_an_object(Seen.joined(parts), cut_px=CUT_PX, iou=TURNED_SAME)
    return Boxes(merged.corners, merged.classes, merged.scores)


def real(detector: Detector) -> list[dict[str, float | int]]:
    """Average precision of ships on the DOTA image at several scales."""
    import cv2

    image = cv2.imread(str(REAL / "P0706.png"))[..., ::-1]
    truth = dota(REAL / "P0706.txt")
    rows: list[dict[str, float | int]] = []
    for scale in SCALES:
        way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        resized = cv2.resize(np.ascontiguousarray(image), None, fx=scale, fy=scale, interpolation=way)
        found = tiled(detector, resized.transpose(2, 0, 1))
        back = Boxes(found.corners / scale, found.classes, found.scores)
        label = CLASSES.index("ship")
        value = average_precision([truth], [back], label)
        loose = average_precision([truth], [back], label, 0.3)
        sure = int(((back.scores >= 0.25) & (back.classes == label)).sum())
        rows.append({"scale": scale, "ship AP50": round(value or 0, 3), "ship AP30": round(loose or 0, 3),
                     "ships": len(truth.classes), "found at 0.25": sure})  # fmt: skip
    return rows


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenes", type=int, default=200)
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    chosen = parser.parse_args()
    detector = Detector(chosen.weights)
    started = time.monotonic()
    print(
        "Rendered scenes:",
        rendered(detector, chosen.scenes, chosen.size),
        f"{time.monotonic() - started:.0f} s",
    )
    if not REAL.is_dir():
        print(f"There is no real image at {REAL}.")
        return
    for row in real(detector):
        print("DOTA P0706:", row)


if __name__ == "__main__":
    main()
