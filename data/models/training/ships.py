"""Train ships-cfar: which bright patches of a radar image are ships, on rendered scenes (no imagery).

    nice python -m data.models.training.ships --scenes 700

Seeds from 20,000,000 on, pixels of 1 to 12 m, 1 to 8 looks, every other one as a picture of 8 bits that
clips what is bright; of every fifth scene the patches are kept for the calibration. Ten minutes on one core;
the same arguments give the same files.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Unheard
from data.vision.ship_patches import FEATURES, Patch, chosen
from data.vision.ship_scores import CALIBRATION, WEIGHTS, trees_of

FIRST_SEED = 20_000_000
THEMES = (
    "sea",
    "harbour",
    "harbour",
    "sea",
    "harbour",
    "marina",
    "harbour",
    "sea",
    "depot",
    "town",
    "woods",
)
"""In turn; the last three have no ship."""
SIDE_PX = 448
KEPT_EVERY = 5


def scene_of(seed: int, folder: Path) -> tuple[Path, list[NDArray[np.bool_]]]:
    """A rendered radar scene as a file, and the masks of its ships."""
    import rasterio

    from data.scenes import render

    rng = np.random.default_rng([seed, 77])
    gsd_m, looks = float(np.exp(rng.uniform(0, np.log(12)))), float(rng.choice([1, 2, 4, 4, 8]))
    scene = render(seed, "sar", SIDE_PX, gsd_m, theme=THEMES[seed % len(THEMES)], looks=looks)
    path = scene.write(folder / "scene.tif")
    if rng.uniform() < 0.5:
        white = float(np.percentile(scene.pixels, rng.uniform(97.0, 99.99)))
        bytes_ = np.clip(np.round(scene.pixels / white * 255), 1, 255).astype(np.uint8)
        with rasterio.open(path) as reader:
            profile = {**reader.profile, "dtype": "uint8"}
        with rasterio.open(path, "w", **profile) as writer:
            writer.write(bytes_)
    masks = [
        scene.instances == number
        for number, each in enumerate(scene.objects, start=1)
        if each.class_name == "ship" and each.visible > 0.5 and (scene.instances == number).sum() >= 4
    ]
    return path, masks


def nodes_of(path: Path) -> list[Patch]:
    """Every patch of the tree of an image of one tile."""
    import rasterio

    from data.raster.windows import Grid, Place, read_block, windows
    from data.vision.sea import power, sea_of
    from data.vision.ships import FALSE_ALARM, nodes_in

    sea = sea_of(Unheard(), path, False)
    with rasterio.open(path) as reader:
        grid = Grid.of(reader)
        window = next(iter(windows(grid, 10_000_000)))
        intensity = power(read_block(reader, (1,), Place(grid, window))[0], False)
    if not sea.open_water.any():
        return []
    return nodes_in(intensity, sea.open_water, sea.land, sea, FALSE_ALARM)


def overlaps(nodes: Sequence[Patch], masks: Sequence[NDArray[np.bool_]]) -> NDArray[np.float64]:
    """(nodes, ships) of the intersection over union of boxes and masks; also 0.3 or more for a ship that is
    as small as the box drawn around it and has the box's middle inside."""
    import cv2

    made = np.zeros((len(nodes), len(masks)))
    if not masks:
        return made
    spans = [(mask.any(axis=0).nonzero()[0], mask.any(axis=1).nonzero()[0]) for mask in masks]
    shape = masks[0].shape
    for row, node in enumerate(nodes):
        if node.features is None:
            continue
        low, high = np.floor(node.box.min(axis=0)).astype(int), np.ceil(node.box.max(axis=0)).astype(int)
        near = [
            at for at, (x, y) in enumerate(spans)
            if low[0] <= x[-1] and high[0] >= x[0] and low[1] <= y[-1] and high[1] >= y[0]
        ]  # fmt: skip
        if not near:
            continue
        drawn = np.zeros(shape, np.uint8)
        cv2.fillPoly(drawn, [np.round(node.box - 0.5).astype(np.int32)], 1)
        inside = drawn.astype(bool)
        for at in near:
            both = int((inside & masks[at]).sum())
            made[row, at] = both / max(1, int(inside.sum() + masks[at].sum()) - both)
    return made


def rows_of(seeds: Sequence[int]) -> list[dict[str, Any]]:
    """What each scene has: its patches, their overlaps with ships."""
    from data.uploads.gdal import quiet_gdal

    made = []
    with tempfile.TemporaryDirectory() as folder, quiet_gdal():
        for seed in seeds:
            path, masks = scene_of(seed, Path(folder))
            nodes = nodes_of(path)
            made.append({"seed": seed, "nodes": nodes, "overlaps": overlaps(nodes, masks)})
            for node in nodes:
                node.pixels = node.pixels[:0]
            if seed % 50 == 0:
                print(f"{seed}: {len(nodes)} patches, {len(masks)} ships", flush=True)
    return made


def fitted(scenes: Sequence[dict[str, Any]], trees: int) -> str:
    """The model's text: how like a ship, whole and alone, by the overlap with the nearest."""
    import lightgbm

    rows, told, weight = [], [], []
    for scene in scenes:
        kept = [at for at, node in enumerate(scene["nodes"]) if node.features is not None]
        if not kept:
            continue
        best = scene["overlaps"][kept].max(axis=1, initial=0.0)
        rows.append(np.stack([scene["nodes"][at].features for at in kept]))
        told.append(np.clip((best - 0.15) / 0.4, 0.0, 1.0))
        # A tank farm has thousands of patches, which would outweigh all the ships there are.
        weight.append(np.full(len(kept), min(1.0, 150 / len(kept))))
    options = {
        "objective": "cross_entropy", "learning_rate": 0.08, "num_leaves": 20, "feature_fraction": 0.4,
        "bagging_fraction": 0.7, "bagging_freq": 1, "min_data_in_leaf": 40, "lambda_l2": 5.0, "max_bin": 127,
        "num_threads": 1, "seed": 0, "deterministic": True, "verbosity": -1,
    }  # fmt: skip
    data = lightgbm.Dataset(
        np.concatenate(rows), np.concatenate(told), weight=np.concatenate(weight), feature_name=list(FEATURES)
    )
    return lightgbm.train(options, data, trees).model_to_string()


def said(scenes: Sequence[dict[str, Any]], text: str) -> NDArray[np.float64]:
    """(n, 2): likeness of every patch that is taken, and whether it was a ship, the likest first, each ship
    once."""
    from data.vision.ships import _LEAST_LIKENESS

    trees, made = trees_of(text), []
    for scene in scenes:
        nodes = scene["nodes"]
        kept = [at for at, node in enumerate(nodes) if node.features is not None]
        if not kept:
            continue
        for at, likeness in zip(
            kept, trees.predicted(np.stack([nodes[at].features for at in kept])), strict=True
        ):
            nodes[at].likeness, nodes[at].number = float(likeness), at
        taken = chosen(nodes, lambda node: max(0.0, node.likeness - _LEAST_LIKENESS))
        left = scene["overlaps"].copy()
        for node in sorted(taken, key=lambda each: -each.likeness):
            row = left[node.number]
            right = row.size > 0 and row.max() >= 0.3
            if right:
                left[:, int(row.argmax())] = 0
            made.append((node.likeness, float(right)))
    return np.array(made).reshape(-1, 2)


def main() -> None:
    """Render, train, calibrate, write."""
    from sklearn.isotonic import IsotonicRegression

    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--scenes", type=int, default=700)
    asked.add_argument("--trees", type=int, default=160)
    given = asked.parse_args()
    scenes = rows_of(range(FIRST_SEED, FIRST_SEED + given.scenes))
    for_calibration = [each for each in scenes if each["seed"] % KEPT_EVERY == 0]
    text = fitted([each for each in scenes if each["seed"] % KEPT_EVERY], given.trees)
    WEIGHTS.write_text(text, encoding="utf-8")
    pairs = said(for_calibration, text)
    curve = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(pairs[:, 0], pairs[:, 1])
    knots = np.linspace(0, 1, 41)
    share = curve.predict(knots)
    CALIBRATION.write_text(
        json.dumps({
            "likeness": [round(float(each), 4) for each in knots],
            "share": [round(float(each), 4) for each in share],
            "patches": len(pairs),
        }) + "\n", encoding="utf-8",
    )  # fmt: skip
    print(f"{len(pairs)} patches for the calibration, {WEIGHTS.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
