"""Train cover-cells: the cover of cells from colour and texture, on rendered scenes and the Dubai tiles.

    nice python -m data.models.training.cover_cells --scenes 220 --dubai ../shared/data/dubai_seg

Rendered seeds 500,000 and up; Dubai tiles 1, 4, 5 and 7 (CC0; tile 2 is kept out, as for land-cover-rgb).
About ten minutes on two cores; the same arguments give the same file.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.vision.cover import CELL_PX, COVERS, WEIGHTS, features_of

FIRST_SEED = 500_000
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


def rendered(count: int, size: int = 384) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]:
    """Pictures and the cover of their pixels, of rendered scenes; every sixth in grey."""
    from data.scenes import COVERS as PAINTED
    from data.scenes import render
    from data.scenes.themes import THEMES

    table = np.array([_OF_SCENE[each] for each in PAINTED])
    for at in range(count):
        theme = list(THEMES)[at % len(THEMES)]
        # Objects lie on their cover: a ship is no building and hides too little of the water to matter.
        scene = render(FIRST_SEED + at, "optical", size, theme=theme)
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


def main() -> None:
    """Train and write the weights."""
    import lightgbm

    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--scenes", type=int, default=220)
    asked.add_argument("--dubai", type=Path)
    asked.add_argument("--trees", type=int, default=160)
    asked.add_argument("--target", type=Path, default=WEIGHTS)
    given = asked.parse_args()
    rng = np.random.default_rng(0)
    rows, covers = [], []
    sources = [rendered(given.scenes)] + ([dubai(given.dubai)] if given.dubai else [])
    for source in sources:
        for at, (picture, classes) in enumerate(source):
            cells, told = features_of(picture), majority(classes)
            use = np.flatnonzero(told.ravel() >= 0)
            use = rng.choice(use, min(len(use), 900), replace=False)
            rows.append(cells.reshape(-1, cells.shape[2])[use])
            covers.append(told.ravel()[use])
            if at % 20 == 0:
                print(f"{at} pictures", flush=True)
    x, y = np.concatenate(rows), np.concatenate(covers)
    weight = (len(y) / np.maximum(np.bincount(y, minlength=len(COVERS)), 1)) ** 0.5
    options = {
        "objective": "multiclass", "num_class": len(COVERS), "learning_rate": 0.1, "num_leaves": 23,
        "feature_fraction": 0.3, "bagging_fraction": 0.6, "bagging_freq": 1, "min_data_in_leaf": 60,
        "lambda_l2": 5.0, "max_bin": 63, "num_threads": 1, "seed": 0, "deterministic": True, "verbosity": -1,
    }  # fmt: skip
    booster = lightgbm.train(options, lightgbm.Dataset(x, y, weight=weight[y]), given.trees)
    given.target.parent.mkdir(exist_ok=True)
    booster.save_model(str(given.target))
    print(f"{len(y):,} cells, {x.shape[1]} features, {given.target.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
