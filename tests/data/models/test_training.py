"""Short trainings write what the app reads."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from data.models.training import cover_cells, damage
from data.scenes import render
from data.vision.cover import COVERS, features_of
from data.vision.damage import FEATURES
from tests.real_files import real


def test_cells_are_trained_on_scenes_and_tiles_and_twice_the_same(tmp_path: Path) -> None:
    import lightgbm

    for tile in (1, 4, 5, 7):
        for kind in ("images", "masks"):
            source = sorted(real(f"dubai_seg/tile_{tile}/{kind}").iterdir())[0]
            (tmp_path / f"tile_{tile}" / kind).mkdir(parents=True)
            (tmp_path / f"tile_{tile}" / kind / source.name).symlink_to(source)
    made = [tmp_path / "one.txt", tmp_path / "new" / "two.txt"]
    told = [cover_cells.train(each, folder=tmp_path, scenes=2, trees=4) for each in made]
    assert told[0] == told[1] and {**told[0], "cells": 0} == {"cells": 0, "scenes": 2, "dubai": 4, "seed": 0}
    assert made[0].read_bytes() == made[1].read_bytes()
    picture = np.ascontiguousarray(render(1, "optical", 64, theme="harbour").pixels.transpose(1, 2, 0))
    cells = features_of(picture)
    likely = lightgbm.Booster(model_file=str(made[0])).predict(
        cells.reshape(-1, cells.shape[2]), num_threads=1
    )
    assert np.shape(likely) == (64, len(COVERS))
    np.testing.assert_allclose(np.sum(likely, axis=1), 1)


def test_when_the_time_is_over_cells_are_trained_on_what_was_looked_at(tmp_path: Path) -> None:
    told = cover_cells.train(tmp_path / "made.txt", minutes=0, folder=tmp_path / "nowhere", trees=2)
    assert (told["scenes"], told["dubai"], 0 < told["cells"] <= 900) == (1, 0, True)
    other = cover_cells.train(tmp_path / "other.txt", minutes=0, seed=1, folder=None, trees=2)
    assert (tmp_path / "made.txt").read_bytes() != (tmp_path / "other.txt").read_bytes() and other[
        "seed"
    ] == 1


def test_damage_is_fitted_on_pairs_for_as_long_as_there_is_time(tmp_path: Path) -> None:
    told = damage.train(tmp_path / "made.json", minutes=0, pairs=3, side_px=192)
    fitted = json.loads((tmp_path / "made.json").read_text())
    assert (told["pairs"], fitted["pairs"], fitted["buildings"]) == (1, 1, told["buildings"])
    assert told["buildings"] > 3 and np.diff(fitted["limits"]).min() > 0
    assert len(fitted["means"]) == len(FEATURES)
