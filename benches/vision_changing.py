"""How well change, damage and burns are found: `python -m benches.vision_changing [--pairs N]`.

Rendered pairs (no imagery) with seeds from 900,000 on, which nothing was tuned on; and the five real pairs in
`../shared/data/levir_cd`. Two of those, `train_36_0512_0512` and `val_27_0000_0256`, were looked at while the
method was made; the other three were only measured.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from data.progress import Unheard
from data.uploads.gdal import quiet_gdal

FIRST_SEED = 900_000
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
LOOKED_AT = ("train_36_0512_0512", "val_27_0000_0256")


def f1(found: int, said: int, there: int) -> tuple[float, float, float]:
    """Precision, recall and their harmonic mean."""
    precision, recall = found / max(1, said), found / max(1, there)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def counts_of(mask: Any, truth: Any, known: Any) -> tuple[int, ...]:
    """Pixels found, said, there; patches of the truth found (30 % of each), said rightly, said, there."""
    from scipy import ndimage

    mask, truth = mask & known, truth & known
    labels, there = ndimage.label(truth)
    found = sum(bool(mask[labels == each].mean() >= 0.3) for each in range(1, there + 1))
    said_labels, said = ndimage.label(mask)
    right = sum(bool(truth[said_labels == each].mean() >= 0.3) for each in range(1, said + 1))
    return (int((mask & truth).sum()), int(mask.sum()), int(truth.sum()), found, right, said, there)


def real_pairs() -> list[tuple[str, tuple[int, ...]]]:
    """Counts for each real pair."""
    import cv2
    import rasterio

    from data.vision.change import map_change

    rows = []
    folder = SHARED / "levir_cd"
    with tempfile.TemporaryDirectory() as room, quiet_gdal():
        for path in sorted((folder / "A").glob("*.png")):
            target = Path(room) / "change.tif"
            map_change(Unheard(), path, folder / "B" / path.name, target)
            with rasterio.open(target) as source:
                classes = source.read(1)
            truth = cv2.imread(str(folder / "label" / path.name), 0) > 0
            rows.append((path.stem, counts_of(classes == 1, truth, np.ones(truth.shape, bool))))
    return rows


def rendered_changes(pairs: int, sensor: str, event: str, gsd_m: float, method: str) -> tuple[int, ...]:
    """Counts summed over rendered pairs that lie up to a pixel apart."""
    import rasterio

    from data.scenes import pair
    from data.vision.change import map_change

    total = np.zeros(7, int)
    with tempfile.TemporaryDirectory() as room, quiet_gdal():
        for seed in range(FIRST_SEED, FIRST_SEED + pairs):
            made = pair(seed, event, 256, gsd_m, sensor=sensor, shift_px=1.0)  # type: ignore[arg-type]
            before = made.before.write(Path(room) / "before.tif")
            after = made.after.write(Path(room) / "after.tif")
            target = Path(room) / "change.tif"
            map_change(Unheard(), before, after, target, method)  # type: ignore[arg-type]
            with rasterio.open(target) as source:
                classes = source.read(1)
            total += counts_of(classes == 1, made.changed, classes != 255)
    return tuple(int(each) for each in total)


def rendered_burns(pairs: int, with_before: bool) -> tuple[int, int, int]:
    """Pixels found, said and there of rendered fires, 20 m."""
    import rasterio

    from data.scenes import pair
    from data.vision.burn import map_burned

    total = np.zeros(3, int)
    with tempfile.TemporaryDirectory() as room, quiet_gdal():
        for seed in range(FIRST_SEED, FIRST_SEED + pairs):
            made = pair(seed, "fire", 256, 20.0, sensor="multispectral")
            before = made.before.write(Path(room) / "before.tif")
            after = made.after.write(Path(room) / "after.tif")
            target = Path(room) / "burned.tif"
            map_burned(Unheard(), after, target, before if with_before else None)
            with rasterio.open(target) as source:
                classes = source.read(1)
            total += counts_of((classes > 0) & (classes < 255), made.changed, classes != 255)[:3]
    return int(total[0]), int(total[1]), int(total[2])


def rendered_damage(pairs: int) -> tuple[int, float, float, float]:
    """Buildings of rendered storms, the share at the right level, levels missed by, and calibration error.

    The last is the expected calibration error of the likeliest level over ten bins (Guo et al. 2017).
    """
    from data.models.training.damage import buildings_of_pair
    from data.vision.damage import chances_of

    parts = [buildings_of_pair(seed, 0.5) for seed in range(FIRST_SEED, FIRST_SEED + pairs)]
    table = np.concatenate([np.asarray(part[0], np.float64) for part in parts])
    levels = np.concatenate([np.asarray(part[1], np.int64) for part in parts])
    chances = chances_of(table)
    said, sure = chances.argmax(axis=1), chances.max(axis=1)
    right = said == levels
    bins = np.minimum((sure * 10).astype(int), 9)
    error = sum(
        abs(right[bins == each].mean() - sure[bins == each].mean()) * (bins == each).mean()
        for each in np.unique(bins)
    )
    return len(levels), float(right.mean()), float(np.abs(said - levels).mean()), float(error)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=10)
    pairs = parser.parse_args().pairs
    print(f"{'change':<52}{'P':>7}{'R':>7}{'F1':>7}{'IoU':>7}   objects{'P':>7}{'R':>7}{'F1':>7}")
    if (SHARED / "levir_cd").is_dir():
        rows = real_pairs()
        groups = {
            "real, the two looked at": [row for name, row in rows if name in LOOKED_AT],
            "real, the three others": [row for name, row in rows if name not in LOOKED_AT],
            "real, all five": [row for _, row in rows],
        }
        for name, row in rows:
            _row(name, row)
        for name, group in groups.items():
            _row(name, tuple(int(each) for each in np.sum(group, axis=0)))
    for sensor, event, gsd_m, method in (
        ("optical", "change", 0.5, "auto"),
        ("optical", "change", 0.5, "cva"),
        ("multispectral", "fire", 20.0, "irmad"),
        ("multispectral", "flood", 20.0, "irmad"),
        ("multispectral", "flood", 20.0, "cva"),
        ("sar", "flood", 10.0, "auto"),
    ):
        name = f"rendered {sensor}, {event}, {gsd_m:g} m, {method}, {pairs} pairs"
        _row(name, rendered_changes(pairs, sensor, event, gsd_m, method))
    count, accuracy, levels, error = rendered_damage(pairs)
    name = f"rendered storms, {count} buildings, {pairs} pairs"
    print(
        f"{name}: accuracy {accuracy:.3f}, {levels:.2f} levels off, calibration error {error:.3f}", flush=True
    )
    for with_before in (True, False):
        found, said, there = rendered_burns(pairs, with_before)
        name = f"rendered fires, {'dNBR' if with_before else 'NBR alone'}, {pairs} pairs"
        _row(name, (found, said, there))


def _row(name: str, counts: tuple[int, ...]) -> None:
    precision, recall, both = f1(*counts[:3])
    overlap = counts[0] / max(1, counts[1] + counts[2] - counts[0])
    text = f"{name:<52}{precision:>7.2f}{recall:>7.2f}{both:>7.2f}{overlap:>7.2f}"
    if len(counts) == 7:
        recall, precision = counts[3] / max(1, counts[6]), counts[4] / max(1, counts[5])
        both = 2 * precision * recall / max(1e-9, precision + recall)
        text += f"          {precision:>7.2f}{recall:>7.2f}{both:>7.2f}"
    print(text, flush=True)


if __name__ == "__main__":
    main()
