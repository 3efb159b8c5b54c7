"""How well ships are found: `python -m benches.vision_radar [--scenes N]`.

Rendered scenes (no imagery) with seeds from 900,000 on, which nothing was trained or tuned on, with how often
a score is right there; and the real images in `../shared/data/sar_ships`. A ship counts as found when a
detection overlaps its mask by an IoU of 0.3 or has its middle inside it, each ship and each detection once,
the surest first; what finds a ship of which half or more lies outside the image counts neither way. The
method was made while looking at those two images, so their figure is no held-out one.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from data.progress import Unheard
from data.uploads.gdal import quiet_gdal

FIRST_SEED = 900_000
GSDS_M = (1.5, 3.0, 10.0)
REAL = Path(__file__).resolve().parents[2] / "shared" / "data" / "sar_ships"


def matched(boxes: Sequence[Any], masks: Sequence[Any]) -> int:
    """How many masks are found by boxes (corners), the surest box first, one to one."""
    import cv2

    left, found = list(range(len(masks))), 0
    for box in boxes:
        drawn = np.zeros(masks[0].shape, np.uint8) if masks else np.zeros((1, 1), np.uint8)
        cv2.fillPoly(drawn, [np.round(box - 0.5).astype(np.int32)], 1)
        inside = drawn.astype(bool)
        column, row = (int(each) for each in box.mean(axis=0))
        best, place = 0.0, None
        for at in left:
            mask = masks[at]
            overlap = float((inside & mask).sum() / max(1, (inside | mask).sum()))
            middle = 0 <= row < mask.shape[0] and 0 <= column < mask.shape[1] and bool(mask[row, column])
            if (overlap >= 0.3 or middle) and overlap >= best:
                best, place = overlap, at
        if place is not None:
            left.remove(place)
            found += 1
    return found


def f1(found: int, detections: int, ships: int) -> tuple[float, float, float]:
    """Precision, recall and their harmonic mean."""
    precision, recall = found / max(1, detections), found / max(1, ships)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def real_ships() -> list[tuple[str, int, int, int]]:
    """(image, found, detections, ships) of the real images."""
    import cv2

    from data.vision.ships import find_ships

    rows = []
    for path in sorted(REAL.glob("*[0-9].png")):
        drawn: Any = cv2.imread(str(path.with_name(f"{path.stem}_instance_id_RGB.png")))
        ids = drawn.astype(np.int64) @ np.array([1, 256, 65_536])
        masks = [ids == each for each in np.unique(ids) if each]
        ships = find_ships(Unheard(), path).found
        boxes = [each.outline for each in sorted(ships, key=lambda each: -each.score)]
        rows.append((path.stem, matched(boxes, masks), len(boxes), len(masks)))
    return rows


def rendered_ships(scenes: int, gsd_m: float, size: int = 512) -> tuple[int, int, int, list[Any]]:
    """Found, detections and ships of rendered radar scenes, and (score, right) of every detection."""
    from data.scenes import render
    from data.vision.ships import MIN_SCORE, find_ships

    total, scored = np.zeros(3, int), []
    with tempfile.TemporaryDirectory() as folder, quiet_gdal():
        for seed in range(FIRST_SEED, FIRST_SEED + scenes):
            scene = render(seed, "sar", size, gsd_m, theme="harbour" if seed % 2 else "sea")
            path = scene.write(Path(folder) / "scene.tif")
            masks = [
                scene.instances == number
                for number, each in enumerate(scene.objects, start=1)
                if each.class_name == "ship" and each.visible > 0.5 and (scene.instances == number).sum() >= 4
            ]
            cut = [
                scene.instances == number
                for number, each in enumerate(scene.objects, start=1)
                if each.class_name == "ship" and each.visible <= 0.5
            ]
            every = sorted(find_ships(Unheard(), path, min_score=0.05).found, key=lambda each: -each.score)
            every = [each for each in every if not matched([each.outline], cut)]
            boxes = [each.outline for each in every if each.score >= MIN_SCORE]
            total += (matched(boxes, masks), len(boxes), len(masks))
            for number, ship in enumerate(every):
                # Right is what adds a ship to those that the surer ones found.
                so_far = [each.outline for each in every[: number + 1]]
                scored.append((ship.score, matched(so_far, masks) - matched(so_far[:-1], masks)))
    return int(total[0]), int(total[1]), int(total[2]), scored


def reliability(
    scored: Sequence[tuple[float, int]], steps: int = 10
) -> tuple[float, list[tuple[float, float, int]]]:
    """The expected calibration error (Naeini et al. 2015), and (mean score, share right, count) by tenths."""
    table = np.array(scored, float).reshape(-1, 2)
    at = np.minimum((table[:, 0] * steps).astype(int), steps - 1)
    rows = [
        (float(table[at == step, 0].mean()), float(table[at == step, 1].mean()), int((at == step).sum()))
        for step in range(steps)
        if (at == step).any()
    ]
    error = sum(abs(score - share) * count for score, share, count in rows) / max(1, len(table))
    return error, rows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenes", type=int, default=24)
    scenes = parser.parse_args().scenes
    print(f"{'ships':<46}{'found':>6}{'said':>6}{'there':>6}{'P':>7}{'R':>7}{'F1':>7}")
    if REAL.is_dir():
        rows = real_ships()
        found, said, there = (
            sum(row[1] for row in rows),
            sum(row[2] for row in rows),
            sum(row[3] for row in rows),
        )
        rows.append(("real, both images", found, said, there))
        for name, *counts in rows:
            _row(name, counts)
    scored: list[Any] = []
    for gsd_m in GSDS_M:
        *counts, told = rendered_ships(scenes, gsd_m)
        scored += told
        _row(f"rendered, {scenes} scenes, {gsd_m:g} m", counts)
    error, steps = reliability(scored)
    print(f"\nexpected calibration error of the score, {len(scored)} detections from 0.05 on: {error:.3f}")
    for score, share, count in steps:
        print(f"  said {score:.2f}  right {share:.2f}  of {count}")


def _row(name: str, counts: Sequence[int]) -> None:
    precision, recall, both = f1(*counts)
    print(f"{name:<46}{counts[0]:>6}{counts[1]:>6}{counts[2]:>6}{precision:>7.2f}{recall:>7.2f}{both:>7.2f}")


if __name__ == "__main__":
    main()
