"""What is drawn on pictures is where it was asked for, and as long as the ground is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from PIL import Image
from pyproj import Geod

from copilot.bench.build.example_files import FOLDER
from data.pictures import drawing
from data.pictures.drawing import (
    Marks,
    annotate,
    bar_of,
    metres_per_pixel,
    montage,
    nice_length,
    picture_of,
    save_png,
)
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.looks import Look

SCENE = FOLDER / "scene.tif"
PHOTO = FOLDER / "photo.jpg"


def test_a_box_is_drawn_on_its_pixels_and_the_place_is_kept(tmp_path: Path) -> None:
    target = tmp_path / "marked.tif"
    annotate(
        PHOTO, target, Look(stretch="none"), Marks(boxes=((10, 12, 30, 40),), color=(0, 255, 0), size_px=6)
    )
    before = picture_of(PHOTO, Look(stretch="none"))[..., :3]
    with opened(target) as made:
        after = np.moveaxis(made.read(), 0, 2)
    changed = np.argwhere((after != before).any(axis=2))
    assert (changed.min(axis=0).tolist(), changed.max(axis=0).tolist()) == ([12, 10], [40, 30])
    assert (after[12, 10:31] == (0, 255, 0)).all() and (after[12:41, 30] == (0, 255, 0)).all()
    annotate(SCENE, target, Look(), Marks(text="Lake"))
    with opened(SCENE) as one, opened(target) as other:
        assert (other.crs, other.transform) == (one.crs, one.transform)
        assert other.count == 4 and other.read(4)[0, 0] == 0  # its pixel without a value is transparent


def test_the_scale_is_the_geodesic_width_of_a_pixel(tmp_path: Path) -> None:
    path = tmp_path / "north.tif"
    place = Affine(0.01, 0, 10, 0, -0.01, 60.5)
    profile = {
        "driver": "GTiff",
        "width": 100,
        "height": 100,
        "count": 1,
        "dtype": "uint8",
        "crs": "EPSG:4326",
    }
    with rasterio.open(path, "w", transform=place, **profile) as writer:
        writer.write(np.zeros((1, 100, 100), dtype="uint8"))
    _, _, expected = Geod(ellps="WGS84").inv(10.495, 60.0, 10.505, 60.0)
    assert metres_per_pixel(path) == pytest.approx(expected)
    assert bar_of(path) == 10_000  # 0.3 of 55.8 km is 16.7 km
    assert metres_per_pixel(SCENE) == pytest.approx(10, rel=0.002)  # UTM's own scale, 0.9997 here
    assert metres_per_pixel(PHOTO) is None and bar_of(PHOTO) is None


@pytest.mark.parametrize(
    ("metres", "nice"), [(1, 1), (19.9, 10), (20, 20), (49, 20), (730, 500), (0.07, 0.05)]
)
def test_a_bar_is_one_two_or_five_times_a_power_of_ten(metres: float, nice: float) -> None:
    assert nice_length(metres) == pytest.approx(nice)


def test_a_sheet_holds_each_picture_in_its_square(tmp_path: Path) -> None:
    target = tmp_path / "sheet.tif"
    size = montage([PHOTO, SCENE, PHOTO], target, [Look(stretch="none")] * 3, ["", "", ""], 2, 64)
    assert size == (2 * 66 + 2, 2 * 66 + 2)
    with opened(target) as sheet:
        assert (sheet.crs, sheet.shape) == (None, (134, 134))
        # The photo is 64 x 48: it fills the width of its square, 8 rows below its top.
        tile = np.moveaxis(sheet.read()[:, 10:58, 2:66], 0, 2)
    assert (tile == picture_of(PHOTO, Look(stretch="none"))[..., :3]).all()


def test_a_png_is_as_the_map_shows_it_and_no_longer_than_asked(tmp_path: Path) -> None:
    target = tmp_path / "scene.png"
    look = Look(bands=(3, 2, 1))
    assert save_png(SCENE, target, look, 96) == (96, 96)
    with Image.open(target) as image:
        assert (np.asarray(image) == picture_of(SCENE, look)).all()
    assert save_png(PHOTO, target, Look(), 32) == (32, 24)


def test_a_picture_that_is_too_large_is_not_held(tmp_path: Path) -> None:
    path = tmp_path / "huge.tif"
    profile = {
        "driver": "GTiff",
        "width": 50_000,
        "height": 50_000,
        "count": 1,
        "dtype": "uint8",
        "sparse_ok": True,
    }
    with rasterio.open(path, "w", crs="EPSG:3857", transform=Affine.scale(10, -10), tiled=True, **profile):
        pass
    with pytest.raises(RasterError, match="50,000 x 50,000 pixels are too many to be drawn on"):
        picture_of(path, Look())


def test_marks_do_not_depend_on_where_the_strips_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = Marks(
        "Lake near Delft", (3.3, 20.7), ((4.5, 5.5, 40.2, 60.8),), ("north",), bar_of(SCENE), size_px=9
    )
    annotate(SCENE, tmp_path / "whole.tif", Look(), marks)
    monkeypatch.setattr(drawing, "_STRIP_PX", 7)
    annotate(SCENE, tmp_path / "parts.tif", Look(), marks)
    with opened(tmp_path / "whole.tif") as whole, opened(tmp_path / "parts.tif") as parts:
        np.testing.assert_array_equal(parts.read(), whole.read())
