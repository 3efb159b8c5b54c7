"""Train ships-cfar: which bright patches of a radar image are ships, on rendered scenes (no imagery).

    nice python -m data.models.training.ships

Two sets of trees. The first: 330 scenes with seeds from 20,000,000 on, pixels of 1 to 10 m (three in ten
without a place, of 0.5 to 3 m), 1 to 8 looks, three in four with land, water, ships and sidelobes varied far
beyond what the renderer does, every other one as a picture of 8 bits that clips what is bright; then 200
ports from 20,400,000 on whose land is full of bright rows. The second: 500 scenes of sea and harbour from
20,300,000 on as they are rendered, every other one of 8 bits. The score is calibrated (Platt 1999) on 120
scenes of sea and harbour from 20,500,000 on, half of them varied. About half a second of one core a scene;
the same arguments and renderer give the same files.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Unheard
from data.scenes import COVERS
from data.vision.ship_patches import FEATURES, Patch, chosen, whole
from data.vision.ship_scores import CALIBRATION, WEIGHTS, likened

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
CALIBRATION_SEED = 20_500_000
ROWS_SEED = 20_400_000
PLAIN_SEED = 20_300_000
MORE = (
    "contrast_db", "around_30_water", "around_150_water", "near_dark", "far_dark", "alone_30", "alone_150",
)  # fmt: skip
LESS = (
    "near_side_low_db", "near_side_high_db", "near_end_low_db", "far_side_low_db", "far_side_high_db",
    "far_end_low_db", "far_end_high_db", "around_30_db", "around_150_db", "around_30_bright",
    "around_150_bright", "outshone_db",
)  # fmt: skip
"""Features of which more never makes a patch less like a ship, and less like one: what stands out alone on
dark water is a ship, however calm the water, though the rendered seas are rougher than many."""
_SMALL = 1.6
_PART, _WHOLE = 0.55, 0.9
"""Of the overlap that a ship's best box has: from where on a patch is a little like it, and all of it."""
_LEAST_SHARE, _LEAST_BEST = 0.2, 0.25
FOUND = 0.3
"""Least intersection over union of a box with a ship's mask that is right, unless its middle is inside."""


def scene_of(
    seed: int, theme: str, folder: Path, rows: bool = False, plain: bool = False
) -> tuple[Path, list[NDArray[np.bool_]]]:
    """A rendered radar scene as a file, and the masks of its ships; `rows`: with land as full of bright rows
    as a port's; `plain`: with nothing varied."""
    import rasterio

    from data.scenes import render
    from data.uploads.gdal import quiet_gdal

    rng = np.random.default_rng([seed, 77])
    coarsest = 3.0 if theme in ("marina", "town") else 10.5
    placed = bool(rng.uniform() < 0.7)
    # Without a place the pixel is taken for one of 1.5 m, whatever it is.
    least, most = (1.0, coarsest) if placed else (0.5, 3.0)
    gsd_m, looks = float(np.exp(rng.uniform(np.log(least), np.log(most)))), float(rng.choice([1, 2, 4, 4, 8]))
    scene = render(seed, "sar", SIDE_PX, gsd_m, theme=theme, looks=looks)
    path = scene.write(folder / "scene.tif")
    ships = np.array([each.class_name == "ship" for each in scene.objects], bool)
    is_ship = np.append(False, ships)[scene.instances]
    pixels = scene.pixels[0]
    if rows:
        dry = ~is_ship & (scene.landcover != COVERS.index("water"))
        pixels = np.asarray(pixels * 10 ** (_rows_db(dry, gsd_m, rng) / 20), np.float32)
    if seed % 4 and not plain:
        pixels = varied(pixels, is_ship, scene.landcover == COVERS.index("water"), gsd_m, rng)
    if rng.uniform() < 0.5:
        white = float(np.percentile(pixels, rng.uniform(97.0, 99.99)))
        pixels = np.clip(np.round(pixels / white * 255), 1, 255).astype(np.uint8)
    with rasterio.open(path) as reader:
        profile = {**reader.profile, "dtype": pixels.dtype}
    if not placed:
        profile = {name: profile[name] for name in ("driver", "count", "height", "width", "dtype")}
    with quiet_gdal(), rasterio.open(path, "w", **profile) as writer:
        writer.write(pixels[None])
    masks = [
        scene.instances == number
        for number, each in enumerate(scene.objects, start=1)
        if each.class_name == "ship" and (scene.instances == number).sum() >= 4
    ]
    return path, masks


def varied(
    amplitude: NDArray[np.float32],
    ship: NDArray[np.bool_],
    water: NDArray[np.bool_],
    gsd_m: float,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Amplitudes with land up to 12 dB brighter and far rougher than rendered, water up to 8 dB calmer, ships
    that are uneven, a halo of sidelobes around what is bright and ghosts of it beside, as real radar images
    have them in any degree."""
    import cv2

    def rough(metres: float, spread_db: float) -> NDArray[np.float32]:
        noise = cv2.GaussianBlur(
            rng.standard_normal(amplitude.shape).astype(np.float32), (0, 0), max(0.4, metres / gsd_m)
        )
        return np.asarray(noise * (spread_db / max(1e-6, float(noise.std()))), np.float32)

    land = ~water & ~ship
    decibels = np.where(land, rng.uniform(0, 12) + rough(rng.uniform(1, 8), rng.uniform(0, 5)), 0)
    decibels += np.where(ship, rng.uniform(-2, 8) + rough(rng.uniform(1, 6), rng.uniform(0, 5)), 0)
    decibels += np.where(water, rng.uniform(-8, 0), 0)
    power = np.asarray(np.square(amplitude) * 10 ** (decibels / 10), np.float32)
    share = 10 ** rng.uniform(-4, -1.3)
    lobes = np.zeros_like(power)
    for across, along in ((rng.uniform(4, 20), 1.0), (1.0, rng.uniform(4, 20)), (rng.uniform(2, 8),) * 2):
        lobes += cv2.GaussianBlur(power, (0, 0), sigmaX=across, sigmaY=along) / 3
    made = power + share * lobes
    if rng.uniform() < 0.5:
        made = made + _ghosts(power, rng)
    return np.asarray(np.sqrt(made), np.float32)


def _rows_db(land: NDArray[np.bool_], gsd_m: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """Decibels that rows of containers, sheds and cranes add: bright grains along one direction on a share of
    the land, some of them over the edge of the quay."""
    import cv2

    def along(angle: float, metres: float) -> NDArray[np.float32]:
        side = 2 * int(np.clip(metres / gsd_m, 1, 40)) + 1
        line = np.zeros((side, side), np.float32)
        reach = np.array([np.cos(angle), np.sin(angle)]) * (side // 2)
        ends = [tuple(int(each) for each in np.round(side // 2 + sign * reach)) for sign in (-1, 1)]
        cv2.line(line, ends[0], ends[1], 1.0, 1)
        noise = cv2.filter2D(rng.standard_normal(land.shape).astype(np.float32), -1, line)
        noise = cv2.GaussianBlur(noise, (0, 0), max(0.5, rng.uniform(1, 5) / gsd_m))
        return np.asarray(noise / max(1e-6, float(noise.std())), np.float32)

    angle = rng.uniform(0, np.pi)
    field = np.maximum(along(angle, rng.uniform(10, 60)), along(angle + np.pi / 2, rng.uniform(5, 30)))
    where = along(rng.uniform(0, np.pi), 200) > rng.uniform(-1, 1)
    reach = 2 * int(np.clip(rng.uniform(0, 25) / gsd_m, 0, 30)) + 1
    over = cv2.dilate(land.astype(np.uint8), np.ones((reach, reach), np.uint8)).astype(bool)
    made = np.where(field > rng.uniform(0.6, 1.6), rng.uniform(10, 22) + 3 * field, 0)
    spots = along(0.0, 6) > 2.6
    return np.asarray(
        np.where(land & where, made, np.where(over & spots, rng.uniform(14, 26), 0)), np.float32
    )


def _ghosts(power: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """What is bright once more, 15 to 35 dB fainter, drawn out along one direction, streaky and some way off:
    ambiguities, and what moves or echoes twice."""
    import cv2

    angle, long = rng.uniform(0, np.pi), rng.uniform(10, 60)
    side = 2 * int(long / 2) + 3
    line = np.zeros((side, side), np.float32)
    reach = np.array([np.cos(angle), np.sin(angle)]) * long / 2
    ends = [tuple(int(each) for each in np.round(side // 2 + sign * reach)) for sign in (-1, 1)]
    cv2.line(line, ends[0], ends[1], 1.0, 1)
    off = rng.uniform(-40, 40, 2).astype(np.float32)
    move = np.array([[1, 0, off[0]], [0, 1, off[1]]], np.float32)
    bright = np.where(power > np.percentile(power, 99), power, 0).astype(np.float32)
    # Some of the brightest have a ghost, not all.
    bright *= rng.random(power.shape, np.float32) < 0.05
    streaks = cv2.filter2D(cv2.warpAffine(bright, move, power.shape[::-1]), -1, line / line.sum())
    return np.asarray(streaks * 20 * 10 ** rng.uniform(-3.5, -1.5), np.float32)


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


def overlaps(
    nodes: Sequence[Patch], masks: Sequence[NDArray[np.bool_]]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(nodes, ships) of the intersection over union of boxes and masks, and of boxes' middles inside them."""
    import cv2

    made, inside = np.zeros((len(nodes), len(masks))), np.zeros((len(nodes), len(masks)), bool)
    spans = [(np.flatnonzero(mask.any(axis=0)), np.flatnonzero(mask.any(axis=1))) for mask in masks]
    for row, node in enumerate(nodes):
        if node.features is None:
            continue
        low, high = np.floor(node.box.min(axis=0)).astype(int), np.ceil(node.box.max(axis=0)).astype(int)
        column, line = (int(each) for each in node.box.mean(axis=0))
        for at, (x, y) in enumerate(spans):
            if low[0] > x[-1] or high[0] < x[0] or low[1] > y[-1] or high[1] < y[0]:
                continue
            # Drawn in the smallest part of the image that holds the box and the ship.
            left, top = min(max(0, low[0]), x[0]), min(max(0, low[1]), y[0])
            mask = masks[at][top : max(high[1], y[-1]) + 1, left : max(high[0], x[-1]) + 1]
            drawn = np.zeros(mask.shape, np.uint8)
            cv2.fillPoly(drawn, [np.round(node.box - (left, top) - 0.5).astype(np.int32)], 1)
            both = int((drawn.astype(bool) & mask).sum())
            made[row, at] = both / max(1, int(drawn.sum() + mask.sum()) - both)
            shape = masks[at].shape
            inside[row, at] = 0 <= line < shape[0] and 0 <= column < shape[1] and masks[at][line, column]
    return made, inside


def rows_of(
    seeds: Sequence[int], themes: Sequence[str] = THEMES, rows: bool = False, plain: bool = False
) -> list[dict[str, Any]]:
    """What each scene has: its patches, their overlaps with ships."""
    from data.uploads.gdal import quiet_gdal

    made = []
    with tempfile.TemporaryDirectory() as folder, quiet_gdal():
        for seed in seeds:
            path, masks = scene_of(seed, themes[seed % len(themes)], Path(folder), rows, plain)
            nodes = nodes_of(path)
            shares, inside = overlaps(nodes, masks)
            made.append({"seed": seed, "nodes": nodes, "overlaps": shares, "inside": inside})
            for node in nodes:
                node.pixels = node.pixels[:0]
            if seed % 50 == 0:
                print(f"{seed}: {len(nodes)} patches, {len(masks)} ships", flush=True)
    return made


def by_overlap(overlaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """(nodes,) how like a ship, by (nodes, ships) of overlaps."""
    # A ship of few pixels is overlapped badly by its best box, which is the whole ship nevertheless.
    most = np.clip(0.55 / np.maximum(overlaps.max(axis=0), 0.2), 1.0, _SMALL)
    return np.asarray(np.clip(((overlaps * most).max(axis=1, initial=0.0) - 0.15) / 0.4, 0.0, 1.0))


def by_best(overlaps: NDArray[np.float64]) -> NDArray[np.float64]:
    """(nodes,) how like a ship, by (nodes, ships) of overlaps over that of each ship's best patch:
    half a ship is none."""
    best = overlaps.max(axis=0)
    share = np.where(
        (best >= _LEAST_BEST) & (overlaps >= _LEAST_SHARE), overlaps / np.maximum(best, _LEAST_BEST), 0.0
    )
    return np.asarray(np.clip((share.max(axis=1, initial=0.0) - _PART) / (_WHOLE - _PART), 0.0, 1.0))


def fitted(
    scenes: Sequence[dict[str, Any]],
    trees: int,
    likeness: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> str:
    """The model's text: how like a ship, whole and alone, by the overlap with the nearest."""
    import lightgbm

    rows, told, weight = [], [], []
    for scene in scenes:
        kept = [at for at, node in enumerate(scene["nodes"]) if node.features is not None]
        if not kept:
            continue
        rows.append(np.stack([scene["nodes"][at].features for at in kept]).astype(np.float32))
        told.append(likeness(scene["overlaps"][kept]))
        # A tank farm has thousands of patches, which would outweigh all the ships there are.
        weight.append(np.full(len(kept), min(1.0, 150 / len(kept))))
    options = {
        "objective": "cross_entropy", "learning_rate": 0.08, "num_leaves": 20, "feature_fraction": 0.4,
        "bagging_fraction": 0.7, "bagging_freq": 1, "min_data_in_leaf": 40, "lambda_l2": 5.0, "max_bin": 127,
        "num_threads": 1, "seed": 0, "deterministic": True, "verbosity": -1,
        "monotone_constraints": [1 if name in MORE else -1 if name in LESS else 0 for name in FEATURES],
    }  # fmt: skip
    data = lightgbm.Dataset(
        np.concatenate(rows), np.concatenate(told), weight=np.concatenate(weight), feature_name=list(FEATURES)
    )
    return lightgbm.train(options, data, trees).model_to_string()


def said(scenes: Sequence[dict[str, Any]], texts: Sequence[str]) -> NDArray[np.float64]:
    """(n, 2): likeness of every patch that is taken, and whether it was a ship, the likest first, each ship
    once."""
    import lightgbm

    from data.vision.ships import LEAST_LIKENESS

    trees, made = [lightgbm.Booster(model_str=text) for text in texts], []
    for scene in scenes:
        nodes = scene["nodes"]
        kept = [at for at, node in enumerate(nodes) if node.features is not None]
        if not kept:
            continue
        rows = np.stack([nodes[at].features for at in kept])
        for at, likeness in zip(kept, likened(rows, trees), strict=True):
            nodes[at].likeness = float(likeness)
        taken = whole(chosen(nodes, LEAST_LIKENESS))
        place = {id(node): at for at, node in enumerate(nodes)}
        left = np.where(scene["inside"], np.maximum(scene["overlaps"], FOUND), scene["overlaps"])
        for node in sorted(taken, key=lambda each: -each.likeness):
            row = left[place[id(node)]]
            right = row.size > 0 and row.max() >= FOUND
            if right:
                left[:, int(row.argmax())] = 0
            made.append((node.likeness, float(right)))
    return np.array(made).reshape(-1, 2)


def write(
    strange: Sequence[dict[str, Any]],
    plain: Sequence[dict[str, Any]],
    kept: Sequence[dict[str, Any]],
    trees: int,
) -> None:
    """Fit both sets of trees, and the calibration on scenes of their own, and write them."""
    texts = fitted(strange, trees, by_overlap), fitted(plain, trees, by_best)
    for path, text in zip(WEIGHTS, texts, strict=True):
        path.write_text(text, encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")
    told = calibrated(kept, texts)
    CALIBRATION.write_text(json.dumps(told) + "\n", encoding="utf-8")
    print(f"{told['patches']} patches for the calibration")


def calibrated(kept: Sequence[dict[str, Any]], texts: Sequence[str]) -> dict[str, Any]:
    """Likeness and the share of patches of it that were ships, as knots of a logistic curve."""
    from sklearn.linear_model import LogisticRegression

    pairs = said(kept, texts)
    curve = LogisticRegression(C=100.0).fit(logit(pairs[:, :1]), pairs[:, 1])
    knots = np.linspace(0, 1, 41)
    share = curve.predict_proba(logit(knots[:, None]))[:, 1]
    return {
        "likeness": [round(float(each), 4) for each in knots],
        "share": [round(float(each), 4) for each in share],
        "patches": len(pairs),
    }


def logit(share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log of the odds."""
    inside = np.clip(share, 0.01, 0.99)
    return np.asarray(np.log(inside / (1 - inside)))


def main() -> None:
    """Render, train, calibrate, write."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--scenes", type=int, default=330)
    asked.add_argument("--ports", type=int, default=200)
    asked.add_argument("--plain", type=int, default=500)
    asked.add_argument("--kept", type=int, default=120)
    asked.add_argument("--trees", type=int, default=200)
    given = asked.parse_args()
    scenes = rows_of(range(FIRST_SEED, FIRST_SEED + given.scenes))
    scenes += rows_of(range(ROWS_SEED, ROWS_SEED + given.ports), ("harbour",), rows=True)
    quays = ("sea", "harbour", "harbour")
    plain = rows_of(range(PLAIN_SEED, PLAIN_SEED + given.plain), quays, plain=True)
    half = CALIBRATION_SEED + given.kept // 2
    kept = rows_of(range(CALIBRATION_SEED, half), ("sea", "harbour"))
    kept += rows_of(range(half, CALIBRATION_SEED + given.kept), ("sea", "harbour"), plain=True)
    write(scenes, plain, kept, given.trees)


if __name__ == "__main__":
    main()
