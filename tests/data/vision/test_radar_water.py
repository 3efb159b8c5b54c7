"""Water in radar: the darkest bodies, told from paved ground, from shadow and from an image that has none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.vision.radar_water import dark_bodies, highest_db, marked

SIDE = 128


def write(path: Path, values: np.ndarray, name: str | None = None) -> Path:
    profile = {"driver": "GTiff", "count": 1, "height": values.shape[0], "width": values.shape[1]}
    place = {"crs": "EPSG:32631", "transform": Affine(1, 0, 600_000, 0, -1, 5_760_000)}
    with rasterio.open(path, "w", dtype=values.dtype, **profile, **place) as target:
        target.write(values, 1)
        target.set_band_description(1, name or "")
    return path


def decibels(classes: np.ndarray, levels: dict[int, float]) -> np.ndarray:
    """Filtered backscatter of classes, with 0.8 dB of speckle left."""
    means = np.vectorize(levels.__getitem__)(classes)
    return (means + np.random.default_rng(1).normal(0, 0.8, classes.shape)).astype(np.float32)


def water_of(folder: Path, values: np.ndarray, highest: float | None) -> np.ndarray:
    level = write(folder / "level.tif", values)
    marked(level, folder / "water.tif", dark_bodies(level, highest, 1.0))
    with rasterio.open(folder / "water.tif") as reader:
        return reader.read(1)


def overlap(mask: np.ndarray, truth: np.ndarray) -> float:
    return float((mask & truth).sum() / (mask | truth).sum())


def bands_of_ground(*widths: int) -> np.ndarray:
    return np.repeat(np.arange(len(widths)), widths)[None, :].repeat(SIDE, axis=0)


@pytest.mark.parametrize("highest", [-19.0, None])
def test_paved_ground_beside_the_water_is_no_water(tmp_path, highest):
    classes = bands_of_ground(48, 40, 40)
    found = water_of(tmp_path, decibels(classes, {0: -22, 1: -15, 2: -8}), highest)
    assert overlap(found == 1, classes == 0) > 0.95


def test_a_dark_apron_without_water_is_none_where_sigma_nought_is_known(tmp_path):
    classes = bands_of_ground(60, 68)
    values = decibels(classes, {0: -16, 1: -8})
    assert not (water_of(tmp_path, values, -19.0) == 1).any()
    assert overlap(water_of(tmp_path, values, None) == 1, classes == 0) > 0.95


def test_the_shadow_of_a_bright_wall_is_no_water_and_a_pond_of_its_size_is(tmp_path):
    classes = np.zeros((SIDE, SIDE), int)
    classes[20:60, 30:38], classes[20:60, 38:52] = 1, 2
    classes[80:120, 60:74] = 2
    found = water_of(tmp_path, decibels(classes, {0: -10, 1: 0, 2: -24}), -19.0)
    assert not (found[:70] == 1).any()
    assert overlap(found[70:] == 1, classes[70:] == 2) > 0.85


def test_open_sea_alone_is_water_only_where_sigma_nought_is_known(tmp_path):
    values = decibels(np.zeros((SIDE, SIDE), int), {0: -22})
    assert (water_of(tmp_path, values, -19.0) == 1).mean() > 0.99
    assert not (water_of(tmp_path, values, None) == 1).any()


def test_the_highest_backscatter_of_water_is_known_for_named_polarisations_alone(tmp_path):
    values = np.ones((4, 4), np.float32)
    asked = [highest_db(write(tmp_path / "a.tif", values, name), False) for name in ("vv", "Sigma0_VH", "")]
    assert asked == [-19.0, -25.0, None]
    assert highest_db(write(tmp_path / "b.tif", values.astype(np.uint8), "vv"), False) is None


def test_dark_ground_that_trees_stand_and_throw_shadows_on_is_dry(tmp_path):
    classes = np.zeros((SIDE, SIDE), int)
    classes[8:120, 8:120] = 1
    with_trees = classes.copy()
    for row in (20, 55, 90):
        for column in (20, 55, 90):
            with_trees[row : row + 10, column : column + 10] = 2
            with_trees[row : row + 10, column + 10 : column + 20] = 3
    levels = {0: -10, 1: -20, 2: -7, 3: -27}
    assert (water_of(tmp_path, decibels(classes, levels), -19.0) == 1)[classes == 1].mean() > 0.95
    assert not (water_of(tmp_path, decibels(with_trees, levels), -19.0) == 1)[with_trees == 1].any()


def test_the_water_on_both_sides_of_a_pier_with_a_ship_is_no_shadow(tmp_path):
    classes = np.zeros((SIDE, SIDE), int)
    classes[:, :60], classes[:, 30:34], classes[40:60, 20:26] = 1, 2, 3
    found = water_of(tmp_path, decibels(classes, {0: -12, 1: -22.5, 2: -14, 3: -2}), -19.0)
    assert (found == 1)[classes == 1].mean() > 0.9
