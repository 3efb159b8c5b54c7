"""Fit the damage scores: `python -m data.models.training.damage [--pairs N]`.

Buildings of rendered pairs (no imagery) with seeds from 0 on, half of them 0.3 and half 0.6 m a pixel, moved
by up to 1.5 pixels and seen in the same or another season. An ordinal logistic regression with a little
ridge, by maximum likelihood; writes data/vision/damage.json. `python -m benches.vision_changing` measures
it on others.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Unheard

WEIGHTS = Path(__file__).parents[2] / "vision" / "damage.json"
SUFFIX = ".json"
"""Of the file that is made."""
PAIRS = 40
SIDE_PX = 384
RIDGE = 0.02


def buildings_of_pair(
    seed: int, gsd_m: float, side_px: int = SIDE_PX
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(buildings, FEATURES) and their true levels, of a rendered pair."""
    import geopandas as gpd
    from affine import Affine
    from shapely.affinity import affine_transform
    from shapely.geometry import Polygon

    from data.scenes import pair
    from data.uploads.gdal import quiet_gdal
    from data.vision.damage import FEATURES, measured
    from data.vision.together import brought_together, matched

    made = pair(seed, "damage", side_px, gsd_m, shift_px=1.5)
    place: Affine = made.before.transform
    a, b, c, d, e, f = place[:6]
    shown = [each for each in made.buildings if each.visible > 0.7]
    shapes = [affine_transform(Polygon(each.outline), [a, b, d, e, c, f]) for each in shown]
    frame = gpd.GeoDataFrame(geometry=shapes, crs=made.before.crs)
    with tempfile.TemporaryDirectory() as folder, quiet_gdal():
        room = Path(folder)
        before, after = made.before.write(room / "before.tif"), made.after.write(room / "after.tif")
        joined = brought_together(Unheard(), before, after, room)
        rows = measured(Unheard(), joined, matched(joined, room), frame)
    kept = [(row, each.level) for row, each in zip(rows, shown, strict=True) if row is not None]
    table = np.array([[row[name] for name in FEATURES] for row, _ in kept]).reshape(-1, len(FEATURES))
    return table, np.array([level for _, level in kept], np.int64)


def fit(table: NDArray[np.float64], levels: NDArray[np.int64]) -> dict[str, Any]:
    """Means, deviations, weights and limits."""
    from scipy.optimize import minimize

    from data.vision.damage import expanded

    means, deviations = table.mean(axis=0), table.std(axis=0) + 1e-9
    scaled = expanded((table - means) / deviations)
    count = scaled.shape[1]

    def parts(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        first, *steps = values[count:]
        return values[:count], np.cumsum([first, *np.exp(steps)])

    def loss(values: NDArray[np.float64]) -> float:
        weights, limits = parts(values)
        below = 1 / (1 + np.exp(-(limits[None, :] - (scaled @ weights)[:, None])))
        steps = np.diff(np.concatenate([np.zeros((len(below), 1)), below, np.ones((len(below), 1))], axis=1))
        chance = np.clip(steps[np.arange(len(levels)), levels], 1e-9, 1)
        return float(-np.log(chance).mean() + RIDGE * np.square(weights).mean())

    start = np.concatenate([np.zeros(count), [-0.5, 0.0, 0.0]])
    found = minimize(loss, start, method="L-BFGS-B", options={"maxiter": 400, "maxfun": 100_000})
    weights, limits = parts(found.x)
    return {
        "means": [round(float(each), 6) for each in means],
        "deviations": [round(float(each), 6) for each in deviations],
        "weights": [round(float(each), 6) for each in weights],
        "limits": [round(float(each), 6) for each in limits],
        "buildings": len(levels),
    }


def train(
    out: Path, minutes: float = math.inf, seed: int = 0, *, pairs: int = PAIRS, side_px: int = SIDE_PX
) -> dict[str, Any]:
    """Fit on so many pairs, or as many as are rendered in so many minutes, and write `out`; what it was."""
    began, parts = time.monotonic(), []
    for at in range(pairs):
        parts.append(buildings_of_pair(1_000_000 * seed + at, 0.3 if at % 2 else 0.6, side_px))
        if time.monotonic() - began > minutes * 60.0:
            break
    table, levels = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    fitted = {
        "pairs": len(parts), **fit(np.asarray(table, np.float64), np.asarray(levels, np.int64)),
    }  # fmt: skip
    out.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    print(f"{len(levels)} buildings, {np.bincount(levels, minlength=4).tolist()} by level: {out}")
    return {"pairs": len(parts), "buildings": len(levels), "seed": seed}


def main() -> None:
    """Fit as asked and write the weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=PAIRS)
    train(WEIGHTS, pairs=parser.parse_args().pairs)


if __name__ == "__main__":
    main()
