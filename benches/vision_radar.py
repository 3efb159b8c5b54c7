"""How well ships are found: `python -m benches.vision_radar [--scenes N]`.

Rendered scenes (no imagery) with seeds from 900,000 on, which nothing was trained or tuned on, with how often
a score is right there; and the real images in `../shared/data/sar_ships`. A ship counts as found when a
detection overlaps its mask by an IoU of 0.3 or has its middle inside it, each ship and each detection once,
the surest first; what finds a ship of which half or more lies outside the image counts neither way. The
method was made while looking at those two images, so their figure is no held-out one. They are looked at
twice: as they are, and with polygons of land (`sar_ships_land.json`: along banks, quays and piers, drawn by
hand by one who knew the ships), for which they are given a place and pixels of several sizes, since nothing
says how large theirs are.

`--empty` counts instead in how many pieces of the two that hold no ship one is claimed. `--real FOLDER`
looks at other real images of the same form (HRSID: a picture, and one of `_instance_id_RGB` beside it):
totals alone are printed, so that images that are kept for measuring stay unseen.
"""

from __future__ import annotations

import argparse
import json
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
LAND = Path(__file__).with_name("sar_ships_land.json")
"""Rings in pixels of each image, x to the right and y down."""
PLACED_GSDS_M = (1.5, 0.5, 1.0, 2.0, 3.0)
"""The first is what an image without a place is taken to have."""


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


def real_ships(gsd_m: float | None = None, folder: Path = REAL) -> list[tuple[str, int, int, int]]:
    """(image, found, detections, ships) of the real images; with a pixel size, placed and with their land."""
    import cv2

    from data.vision.ships import find_ships

    rows = []
    for path in sorted(folder.glob("*[0-9].png")):
        drawn: Any = cv2.imread(str(path.with_name(f"{path.stem}_instance_id_RGB.png")))
        ids = drawn.astype(np.int64) @ np.array([1, 256, 65_536])
        masks = [ids == each for each in np.unique(ids) if each]
        with tempfile.TemporaryDirectory() as made:
            image, land = (path, None) if gsd_m is None else _placed(path, gsd_m, Path(made))
            ships = find_ships(Unheard(), image, land=land).found
        boxes = [each.outline for each in sorted(ships, key=lambda each: -each.score)]
        rows.append((path.stem, matched(boxes, masks), len(boxes), len(masks)))
    return rows


def empty_pieces(side_px: int, images: Path = REAL) -> tuple[int, int]:
    """In how many pieces of the real images that hold no ship one is claimed, and how many those are."""
    import cv2
    import rasterio

    from data.vision.ships import find_ships

    said = []
    with tempfile.TemporaryDirectory() as folder, quiet_gdal():
        piece = Path(folder) / "piece.tif"
        for path in sorted(images.glob("*[0-9].png")):
            pixels: Any = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
            drawn: Any = cv2.imread(str(path.with_name(f"{path.stem}_instance_id_RGB.png")))
            for top in range(0, pixels.shape[0] - side_px + 1, side_px):
                for left in range(0, pixels.shape[1] - side_px + 1, side_px):
                    here = slice(top, top + side_px), slice(left, left + side_px)
                    if drawn[here].any():
                        continue
                    shape = {"width": side_px, "height": side_px, "count": 1, "dtype": "uint8"}
                    with rasterio.open(piece, "w", "GTiff", **shape) as to:
                        to.write(pixels[here], 1)
                    said.append(bool(find_ships(Unheard(), piece).found))
    return sum(said), len(said)


def _placed(path: Path, gsd_m: float, folder: Path) -> tuple[Path, Path]:
    """A picture as a GeoTIFF with pixels of that size, somewhere, and its land as GeoParquet."""
    import cv2
    import geopandas as gpd
    import rasterio
    from affine import Affine
    from shapely.affinity import affine_transform
    from shapely.geometry import Polygon

    pixels: Any = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    height, width = pixels.shape
    place = Affine(gsd_m, 0, 500_000, 0, -gsd_m, 4_000_000)
    shape = {"width": width, "height": height, "count": 1, "dtype": "uint8"}
    with rasterio.open(folder / "placed.tif", "w", "GTiff", crs="EPSG:32631", transform=place, **shape) as to:
        to.write(pixels, 1)
    rings = json.loads(LAND.read_text(encoding="utf-8"))[path.stem]
    land = [affine_transform(Polygon(ring), place.to_shapely()) for ring in rings]
    gpd.GeoDataFrame(geometry=land, crs="EPSG:32631").to_crs("EPSG:4326").to_parquet(folder / "land.parquet")
    return folder / "placed.tif", folder / "land.parquet"


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
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--real", type=Path)
    given = parser.parse_args()
    if given.empty:
        for side_px in (100, 200):
            counts = empty_pieces(side_px, given.real or REAL)
            print("pieces of {} pixels without a ship: claimed in {} of {}".format(side_px, *counts))
        return
    if given.real:
        counts = [sum(each) for each in zip(*(row[1:] for row in real_ships(None, given.real)), strict=True)]
        print(
            "ships found {}, said {}, there {}; P {:.2f}, R {:.2f}, F1 {:.2f}".format(*counts, *f1(*counts))
        )
        return
    scenes = given.scenes
    print(f"{'ships':<46}{'found':>6}{'said':>6}{'there':>6}{'P':>7}{'R':>7}{'F1':>7}")
    if REAL.is_dir():
        for gsd_m in (None, *PLACED_GSDS_M):
            rows = real_ships(gsd_m)
            print("real, as they are:" if gsd_m is None else f"real, pixels of {gsd_m:g} m, land given:")
            for name, *counts in rows:
                _row(f"  {name}", counts)
            _row("  both images", [sum(counts) for counts in zip(*(row[1:] for row in rows), strict=True)])
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
