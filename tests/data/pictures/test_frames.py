"""Resizing, cropping and turning, against numpy and the places of single pixels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray

from copilot.bench.build.example_files import FOLDER
from data.pictures.frames import crop, resize, rotate
from data.raster.errors import RasterError
from data.raster.files import opened

SCENE = FOLDER / "scene.tif"
PHOTO = FOLDER / "photo.jpg"


def pixels(path: Path) -> NDArray[Any]:
    with opened(path) as source:
        return np.asarray(source.read())


def value_at(path: Path, x: float, y: float) -> NDArray[Any]:
    """All bands at a place in the raster's own coordinates."""
    with opened(path) as source:
        column, row = ~source.transform @ (x, y)
        return np.asarray(source.read()[:, int(row), int(column)])


def test_a_window_is_cut_out_with_its_place(tmp_path: Path) -> None:
    target = tmp_path / "cut.tif"
    assert crop(SCENE, target, 10, 20, 40, 30) == (10, 20, 40, 30)
    assert (pixels(target) == pixels(SCENE)[:, 20:50, 10:50]).all()
    with opened(SCENE) as one, opened(target) as other:
        assert other.transform == one.transform @ Affine.translation(10, 20)
        assert (other.crs, other.descriptions, other.nodata) == (one.crs, one.descriptions, one.nodata)


def test_a_window_over_the_edge_is_what_lies_on_the_picture(tmp_path: Path) -> None:
    assert crop(SCENE, tmp_path / "cut.tif", 90, 90, 40, 30) == (90, 90, 6, 6)
    with pytest.raises(RasterError, match="lies beside the picture, which has 96 x 96 pixels"):
        crop(SCENE, tmp_path / "none.tif", 96, 0, 10, 10)


def test_halving_averages_and_keeps_the_box(tmp_path: Path) -> None:
    target = tmp_path / "half.tif"
    assert resize(SCENE, target, 48, 48) == "average"
    blocks = pixels(SCENE).astype(float).reshape(6, 48, 2, 48, 2).mean(axis=(2, 4))
    apart = np.abs(pixels(target) - blocks)
    apart[:, 0, 0] = 0  # the scene's first pixel has no value
    assert apart.max() <= 0.5 + 1e-9
    with opened(SCENE) as one, opened(target) as other:
        assert other.bounds == pytest.approx(one.bounds)


def test_the_nearest_pixel_is_taken_when_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "large.tif"
    assert resize(SCENE, target, 192, 192, "nearest") == "nearest"
    assert (pixels(target) == pixels(SCENE).repeat(2, axis=1).repeat(2, axis=2)).all()


@pytest.mark.parametrize("turns", [0, 1, 2, 3, -1])
def test_quarter_turns_move_pixels_and_change_none(tmp_path: Path, turns: int) -> None:
    for source in (SCENE, PHOTO):
        target = tmp_path / f"{source.stem}.tif"
        rotate(source, target, 90 * turns)
        assert (pixels(target) == np.rot90(pixels(source), -turns, axes=(1, 2))).all()


@pytest.mark.parametrize("degrees", [90, 180, 270, 30, -45.5])
def test_a_turned_scene_shows_the_same_at_the_same_place(tmp_path: Path, degrees: float) -> None:
    target = tmp_path / "turned.tif"
    rotate(SCENE, target, degrees)
    with opened(SCENE) as source, opened(target) as turned:
        assert turned.crs == source.crs
        # Middles of even covers, so that a bilinear pixel is the pixel itself up to the covers' own noise.
        for column, row in ((20, 15), (68, 23), (27, 67), (75, 72)):
            x, y = source.transform @ (column + 0.5, row + 0.5)
            assert value_at(target, x, y) == pytest.approx(value_at(SCENE, x, y), abs=250)


def test_turning_a_square_by_an_angle_widens_the_frame_and_leaves_its_corners_empty(tmp_path: Path) -> None:
    target = tmp_path / "turned.tif"
    rotate(SCENE, target, 45)
    with opened(target) as turned:
        side = turned.width
        assert side == turned.height == 136  # 96 times the root of two, rounded up
        mask = turned.dataset_mask()
        assert not mask[0, 0] and not mask[-1, -1] and mask[side // 2, side // 2]
        assert mask.astype(bool).sum() == pytest.approx(96 * 96, rel=0.02)


def test_a_picture_without_a_place_stays_without_one(tmp_path: Path) -> None:
    for name, make in (
        ("crop", lambda path: crop(PHOTO, path, 5, 5, 20, 20)),
        ("resize", lambda path: resize(PHOTO, path, 20, 20)),
        ("turn", lambda path: rotate(PHOTO, path, 90)),
    ):
        target = tmp_path / f"{name}.tif"
        make(target)
        with opened(target) as made:
            assert (made.crs, made.transform) == (None, Affine.identity())


def test_a_result_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RasterError, match="100,000 x 100,000 pixels are too many for a picture"):
        resize(SCENE, tmp_path / "huge.tif", 100_000, 100_000)


def test_nodata_stays_out_of_the_average(tmp_path: Path) -> None:
    source, target = tmp_path / "holes.tif", tmp_path / "half.tif"
    values = np.array([[[-9999, 4], [6, 8]]], dtype="float32")
    profile = {
        "driver": "GTiff",
        "width": 2,
        "height": 2,
        "count": 1,
        "dtype": "float32",
        "crs": "EPSG:32631",
    }
    place = Affine(10, 0, 500_000, 0, -10, 5_000_000)
    with rasterio.open(source, "w", nodata=-9999, transform=place, **profile) as writer:
        writer.write(values)
    resize(source, target, 1, 1)
    assert pixels(target).item() == 6.0
