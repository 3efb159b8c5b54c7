"""Three bands as a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.enums import ColorInterp

from copilot.bench.build.example_files import FOLDER
from data.raster.composite import PRESETS, composite, preset_bands
from data.raster.errors import RasterError
from tests.data.raster.made import gdal, needs
from tests.data.raster.test_windows import read, write

SCENE = FOLDER / "scene.tif"


def test_a_composite_is_stretched_from_percentile_to_percentile(tmp_path: Path) -> None:
    ends = composite(SCENE, tmp_path / "c.tif", [3, 2, 1])
    red = read(SCENE)[2].astype(float)
    low, high = np.percentile(red[red > 0], [2, 98])
    assert ends[0] == pytest.approx((low, high))
    wanted = np.where(red > 0, np.rint(np.clip((red - low) / (high - low), 0, 1) * 254 + 1), 0)
    np.testing.assert_allclose(read(tmp_path / "c.tif")[0], wanted, atol=1)
    with rasterio.open(tmp_path / "c.tif") as made:
        assert (
            made.descriptions == ("red", "green", "blue")
            and made.nodata == 0
            and made.dtypes == ("uint8",) * 3
        )
        assert made.colorinterp == (ColorInterp.red, ColorInterp.green, ColorInterp.blue)


@needs("gdal_translate")
def test_limits_stretch_as_gdal_translate_does(tmp_path: Path) -> None:
    gdal(
        "gdal_translate", "-q", "-ot", "Byte", "-b", 4, "-scale", 500, 5000, 1, 255, SCENE, tmp_path / "g.tif"
    )
    composite(SCENE, tmp_path / "c.tif", [4], limits=(500, 5000))
    ours, theirs = read(tmp_path / "c.tif")[0].astype(int), read(tmp_path / "g.tif")[0].astype(int)
    valid = (theirs > 1) & (theirs < 255)
    assert valid.mean() > 0.5 and np.abs(ours - theirs)[valid].max() <= 1


def test_a_gamma_lightens_the_middle_and_keeps_the_ends(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.array([[[0, 25, 100]]], np.uint8))
    composite(path, tmp_path / "c.tif", [1], limits=(0, 100), gamma=2)
    assert read(tmp_path / "c.tif").tolist() == [[[1, 128, 255]]]


@pytest.mark.parametrize(
    ("name", "bands"), [("true_colour", [3, 2, 1]), ("false_colour", [4, 3, 2]), ("swir", [6, 4, 3])]
)
def test_a_preset_finds_its_bands(name: str, bands: list[int]) -> None:
    assert preset_bands(SCENE, name) == bands


def test_a_preset_whose_bands_are_not_told_is_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.ones((5, 2, 2), np.uint16))
    with pytest.raises(
        RasterError, match=r"True colour needs the bands red, green, blue, and which is red and"
    ):
        preset_bands(path, "true_colour")
    assert preset_bands(write(tmp_path / "b.tif", np.ones((3, 2, 2), np.uint16)), "true_colour") == [1, 2, 3]
    assert set(PRESETS) >= {"true_colour", "false_colour", "agriculture", "swir"}


def test_a_band_without_values_has_nothing_to_show(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.zeros((1, 2, 2), np.uint8), nodata=0)
    with pytest.raises(
        RasterError, match=r"Band 1 of a\.tif has no valid pixel, so there is nothing to show"
    ):
        composite(path, tmp_path / "c.tif", [1])
    flat = write(tmp_path / "f.tif", np.full((1, 2, 2), 9, np.uint8))
    assert composite(flat, tmp_path / "c.tif", [1]) == [(9, 9)]
