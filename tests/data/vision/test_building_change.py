"""New and lost buildings: the same wherever an image is cut, and what tells one from what was there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from numpy.typing import NDArray
from rasterio.windows import Window

from data.progress import Unheard
from data.raster.windows import Grid, Place
from data.scenes import Scene, pair
from data.vision import building_change
from data.vision.building_change import Part, best_apart, building_parts, changed_parts, painted, tones_of
from data.vision.change import map_change


def write(scene: Scene, path: Path, rows: int) -> Path:
    """The upper rows of a scene."""
    scene.write(path)
    with rasterio.open(path) as source:
        values, profile = source.read()[:, :rows], {**source.profile, "height": rows}
    with rasterio.open(path, "w", **profile) as target:
        target.write(values)
    return path


def read(path: Path) -> NDArray[Any]:
    with rasterio.open(path) as source:
        values: NDArray[Any] = source.read()
    return values


@pytest.mark.parametrize(
    ("seed", "gsd_m", "rows", "strip_px"),
    [
        (31, 0.5, 190, 512 * 70),
    ],
)
def test_what_was_built_and_lost_does_not_depend_on_where_the_image_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, gsd_m: float, rows: int, strip_px: int
) -> None:
    made = pair(seed, "change", 560, gsd_m)
    before = write(made.before, tmp_path / "a.tif", rows)
    after = write(made.after, tmp_path / "b.tif", rows)
    map_change(Unheard(), before, after, tmp_path / "whole.tif", "buildings")
    monkeypatch.setattr(building_change, "_STRIP_PX", strip_px)
    map_change(Unheard(), before, after, tmp_path / "parts.tif", "buildings")
    whole, parts = read(tmp_path / "whole.tif"), read(tmp_path / "parts.tif")
    assert (whole[0] == 1).sum() > 500
    np.testing.assert_array_equal(whole, parts)


def roof(
    row: int, column: int, evidence: float, rows: int = 20, columns: int = 20, alike: float = 0.0
) -> Part:
    where = slice(row, row + rows), slice(column, column + columns)
    return Part(where, np.ones((rows, columns), bool), evidence, alike, (0, 0))


def test_of_patches_that_overlap_by_more_than_a_fifth_the_best_stays() -> None:
    best, under, beside, far = roof(0, 50, 0.9), roof(0, 57, 0.8), roof(0, 66, 0.7), roof(500, 900, 0.1)
    assert best_apart([far, under, beside, best]) == [best, beside, far]
    # Two that cover a tenth each cover a fifth together, and one pixel more is too much.
    left, right, middle = roof(0, 0, 0.9), roof(0, 36, 0.9), roof(0, 18, 0.5)
    assert best_apart([middle, right, left]) == [left, right, middle]
    assert best_apart([middle, right, left, roof(19, 20, 0.95, 1, 1)]) == [
        roof(19, 20, 0.95, 1, 1),
        left,
        right,
    ]


def test_a_building_is_new_where_the_other_image_has_none_and_looks_otherwise() -> None:
    stays, alike = roof(0, 0, 0.5), roof(200, 0, 0.5, alike=0.6)
    new, doubtful, lost = roof(100, 0, 0.1), roof(300, 0, 0.04), roof(400, 0, 0.2)
    before, after = [stays, lost, roof(500, 0, 0.1)], [roof(2, 2, 0.3), alike, new, doubtful]
    assert changed_parts(before, after) == [new, lost]


def test_changes_are_painted_into_each_block_that_they_reach() -> None:
    changes = [roof(10, 10, 0.4), roof(60, 5, 2.0)]
    grid = Grid(None, rasterio.Affine.identity(), 50, 80)
    whole = painted(changes, Place(grid, Window(0, 0, 50, 80)), (80, 50))
    assert whole[0].sum() == 2 * (22 * 22 - 4) - 20 and whole[1].max() == 1.0
    halves = [painted(changes, Place(grid, Window(0, row, 50, 25), 1), (27, 52)) for row in (0, 25, 50)]
    for at in (0, 1):
        joined = np.concatenate([each[at][1:-1, 1:-1] for each in halves])
        np.testing.assert_array_equal(joined[:75], whole[at][:75])


def test_what_the_block_cuts_is_no_building_and_the_ground_s_tones_are_the_image_s() -> None:
    ground = np.full((3, 120, 200), 90.0, np.float32) + np.random.default_rng(1).normal(0, 2, (3, 120, 200))
    ground[:, 40:64, 80:110] = 200
    known = np.ones((120, 200), bool)
    tones = tones_of([ground[:, :, :100], ground[:, :, 100:]], [known[:, :100], known[:, 100:]])
    picture = building_change.as_picture(ground, known, tones.span)
    alike = np.zeros(known.shape, np.float32)
    (found,) = best_apart(building_parts(picture, known, alike, tones, 1.0))
    assert [(each.start, each.stop) for each in found.where] == [(40, 64), (80, 110)]
    part = np.s_[:, :100]
    assert best_apart(building_parts(picture[part], known[part], alike[part], tones, 1.0)) == []
