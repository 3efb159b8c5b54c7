"""Rasters in other formats: what is written is what was read."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rio_cogeo.cogeo import cog_validate

from copilot.bench.build.example_files import FOLDER
from data.raster.errors import RasterError
from data.raster.formats import FORMATS, convert, to_cog
from tests.data.raster.made import gdal, needs
from tests.data.raster.test_windows import read, write

SCENE = FOLDER / "scene.tif"


def test_a_cog_is_one_by_the_validator_and_has_the_same_pixels(tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 4000, (2, 700, 900)).astype(np.uint16)
    path = write(tmp_path / "a.tif", values, nodata=0)
    to_cog(path, tmp_path / "c.tif", tags={"AZIMUTH_CALL": "raster_to_cog(raster=a)"})
    valid, errors, _ = cog_validate(tmp_path / "c.tif", strict=True)
    assert (valid, errors) == (True, [])
    np.testing.assert_array_equal(read(tmp_path / "c.tif"), values)
    with rasterio.open(tmp_path / "c.tif") as made:
        assert (made.nodata, made.overviews(1), made.block_shapes[0]) == (0, [2], (512, 512))
        assert made.tags()["AZIMUTH_CALL"] == "raster_to_cog(raster=a)"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.tif", "c.tif"]


def test_the_overviews_of_classes_hold_no_class_that_is_not_there(tmp_path: Path) -> None:
    classes = np.random.default_rng(1).choice([1, 9], (1, 600, 600)).astype(np.uint8)
    to_cog(write(tmp_path / "a.tif", classes), tmp_path / "c.tif", tags={})
    with rasterio.open(tmp_path / "c.tif", overview_level=0) as small:
        assert set(np.unique(small.read())) == {1, 9}


def test_a_scene_keeps_its_names_and_scales_in_a_cog(tmp_path: Path) -> None:
    to_cog(SCENE, tmp_path / "c.tif", tags={})
    with rasterio.open(tmp_path / "c.tif") as made, rasterio.open(SCENE) as source:
        assert (made.descriptions, made.scales, made.nodata, made.crs) == (
            source.descriptions, source.scales, source.nodata, source.crs,
        )  # fmt: skip
        assert made.tags()["ACQUISITIONDATETIME"] == "2023-07-14T10:40:00Z"


def test_jpeg_compresses_bytes_alone(tmp_path: Path) -> None:
    with pytest.raises(RasterError, match="JPEG compresses 1, 3 or 4 bands of 8 bits; take deflate"):
        to_cog(SCENE, tmp_path / "c.tif", tags={}, compression="jpeg")


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"cog", "jpeg"}))
def test_a_format_gives_back_the_pixels_and_the_place(tmp_path: Path, name: str) -> None:
    wanted = FORMATS[name]
    kind = "float32" if name in ("netcdf", "ascii", "imagine") else "uint16"
    values = np.random.default_rng(1).integers(1, 4000, (1, 40, 50)).astype(kind)
    target = tmp_path / f"out{wanted.suffix}"
    convert(write(tmp_path / "a.tif", values), target, wanted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)  # a PNG has no place
        with rasterio.open(target) as made:
            np.testing.assert_array_equal(made.read(), values)
            if name != "png":
                assert made.transform.almost_equals(rasterio.open(tmp_path / "a.tif").transform)


@needs("gdal_translate")
def test_a_data_type_is_cut_to_as_gdal_translate_does(tmp_path: Path) -> None:
    values = np.array([[[-5.0, 3.4, 3.6, 250.2, 400]]])
    path = write(tmp_path / "a.tif", values)
    gdal("gdal_translate", "-q", "-ot", "Byte", path, tmp_path / "g.tif")
    convert(path, tmp_path / "b.tif", FORMATS["geotiff"], dtype="uint8")
    assert read(tmp_path / "b.tif").tolist() == read(tmp_path / "g.tif").tolist() == [[[0, 3, 4, 250, 255]]]


def test_missing_pixels_survive_a_change_of_type(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.array([[[1.0, np.nan, -9999.0, 7.0]]]), nodata=-9999)
    convert(path, tmp_path / "b.tif", FORMATS["geotiff"], dtype="uint8")
    with rasterio.open(tmp_path / "b.tif") as made:
        assert made.read_masks(1).tolist() == [[255, 0, 0, 255]] and made.read(1)[0, [0, 3]].tolist() == [
            1,
            7,
        ]
    convert(path, tmp_path / "c.tif", FORMATS["geotiff"], dtype="int16")
    assert read(tmp_path / "c.tif").tolist() == [[[1, -9999, -9999, 7]]]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "ascii",
            "Esri ASCII grid holds 1 bands, and this has 6; raster_calc or band_composite makes one of",
        ),
        ("jpeg", "JPEG holds uint8, and this is uint16; dtype=uint8 brings it into that."),
    ],
)
def test_what_a_format_cannot_hold_is_said(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(RasterError) as caught:
        convert(SCENE, tmp_path / "b.tif", FORMATS[name])
    assert str(caught.value).startswith(said)
