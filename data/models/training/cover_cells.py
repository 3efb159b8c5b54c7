"""Train cover-cells: the cover of cells from colour and texture, on rendered scenes and the Dubai tiles.

    nice python -m data.models.training.cover_cells --scenes 200 --dubai ../shared/data/dubai_seg

Rendered seeds 500,000 and up; Dubai tiles 1, 4, 5 and 7 (CC0; tile 2 is kept out, as for land-cover-rgb).
About ten minutes on two cores; the same arguments give the same file. `copilot models train cover-cells` does
the same; the tiles must lie beside the repository.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.vision.cover import CELL_PX, COVERS, WEIGHTS, features_of

FIRST_SEED = 500_000
FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "dubai_seg"
"""Where the tiles lie: beside the repository."""
SUFFIX = ".txt"
"""Of the file that is made: LightGBM's own format."""
SCENES, TREES = 200, 160
_OF_SCENE = {
    "water": 0, "grass": 1, "crops": 1, "trees": 1, "soil": 2, "sand": 2, "road": 3, "paved": 3,
    "building": 4, "burned": 2, "snow": 2,
}  # fmt: skip
_OF_DUBAI = {
    (60, 16, 152): 4, (132, 41, 246): 2, (110, 193, 228): 3, (254, 221, 58): 1, (226, 169, 41): 0,
}  # fmt: skip
PURE = 0.7
"""A cell counts when so much of it is one cover."""


def majority(classes: NDArray[Any]) -> NDArray[np.int64]:
    """(cell rows, columns) of the cover of each cell; -1 for a mixed one. `classes` is -1 where unknown."""
    rows, columns = classes.shape[0] // CELL_PX, classes.shape[1] // CELL_PX
    cut = classes[: rows * CELL_PX, : columns * CELL_PX].reshape(rows, CELL_PX, columns, CELL_PX)
    shares = np.stack([(cut == each).mean(axis=(1, 3)) for each in range(len(COVERS))])
    return np.where(shares.max(axis=0) >= PURE, shares.argmax(axis=0), -1)


def rendered(
    count: int, size: int = 384, first_seed: int = FIRST_SEED
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]:
    """Pictures and the cover of their pixels, of rendered scenes; every sixth in grey."""
    from data.scenes import COVERS as PAINTED
    from data.scenes import render
    from data.scenes.themes import THEMES

    table = np.array([_OF_SCENE[each] for each in PAINTED])
    for at in range(count):
        theme = list(THEMES)[at % len(THEMES)]
        # Objects lie on their cover: a ship is no building and hides too little of the water to matter.
        scene = render(first_seed + at, "optical", size, theme=theme)
        picture = np.ascontiguousarray(scene.pixels.transpose(1, 2, 0))
        if at % 6 == 5:
            picture = np.repeat(picture.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2)
        yield picture, table[scene.landcover]


def dubai(folder: Path, tiles: tuple[int, ...] = (1, 4, 5, 7)) -> Iterator[tuple[Any, NDArray[np.int64]]]:
    """Pictures and the cover of their pixels, of the Dubai tiles."""
    from PIL import Image

    for tile in tiles:
        for path in sorted((folder / f"tile_{tile}" / "images").glob("*.jpg")):
            picture = np.asarray(Image.open(path).convert("RGB"))
            painted = np.asarray(Image.open(path.parents[1] / "masks" / f"{path.stem}.png").convert("RGB"))
            classes = np.full(painted.shape[:2], -1, np.int64)
            for colour, cover in _OF_DUBAI.items():
                classes[(painted == colour).all(axis=2)] = cover
            yield picture, classes


def train(
    out: Path,
    minutes: float = math.inf,
    seed: int = 0,
    *,
    folder: Path | None = FOLDER,
    scenes: int = SCENES,
    trees: int = TREES,
) -> dict[str, Any]:
    """Train and write `out`; what was trained on.

    Scenes are looked at for half of the minutes at most, the tiles of Dubai for the rest: one of each at
    least. Without a folder, and where it is missing, rendered scenes are all there is.
    """
    import lightgbm

    random, began = np.random.default_rng(seed), time.monotonic()
    sources = [rendered(scenes, first_seed=FIRST_SEED + 1_000_000 * seed)]
    if folder is not None and folder.is_dir():
        sources.append(dubai(folder))
    rows, covers, looked_at = [], [], [0, 0]
    for number, source in enumerate(sources, start=1):
        for at, (picture, classes) in enumerate(source, start=1):
            cells, told = features_of(picture), majority(classes)
            use = np.flatnonzero(told.ravel() >= 0)
            use = random.choice(use, min(len(use), 900), replace=False)
            rows.append(cells.reshape(-1, cells.shape[2])[use])
            covers.append(told.ravel()[use])
            looked_at[number - 1] = at
            if at % 20 == 1:
                print(f"{at} pictures", flush=True)
            if time.monotonic() - began > minutes * 60.0 * number / len(sources):
                break
    x, y = np.concatenate(rows), np.concatenate(covers)
    weight = (len(y) / np.maximum(np.bincount(y, minlength=len(COVERS)), 1)) ** 0.5
    options = {
        "objective": "multiclass", "num_class": len(COVERS), "learning_rate": 0.1, "num_leaves": 23,
        "feature_fraction": 0.3, "bagging_fraction": 0.6, "bagging_freq": 1, "min_data_in_leaf": 60,
        "lambda_l2": 5.0, "max_bin": 63, "num_threads": 1, "seed": seed, "deterministic": True,
        "verbosity": -1,
    }  # fmt: skip
    booster = lightgbm.train(options, lightgbm.Dataset(x, y, weight=weight[y]), trees)
    out.parent.mkdir(parents=True, exist_ok=True)
    booster.save_model(str(out))
    print(f"{len(y):,} cells, {x.shape[1]} features, {out.stat().st_size / 1e6:.2f} MB")
    return {"cells": len(y), "scenes": looked_at[0], "dubai": looked_at[1], "seed": seed}


def main() -> None:
    """Train as asked and write the weights."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--scenes", type=int, default=SCENES)
    asked.add_argument("--dubai", type=Path)
    asked.add_argument("--trees", type=int, default=TREES)
    asked.add_argument("--target", type=Path, default=WEIGHTS)
    given = asked.parse_args()
    train(given.target, folder=given.dubai, scenes=given.scenes, trees=given.trees)


if __name__ == "__main__":
    main()
