"""Sums over the bands of rasters, against gdal_calc.py and by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from pyproj import Geod

from copilot.bench.build.example_files import FOLDER
from data.raster.areas import row_areas_m2
from data.raster.calc import calculate
from data.raster.errors import RasterError
from data.raster.windows import Grid, grid_of
from tests.data.raster.made import gdal, needs
from tests.data.raster.test_windows import UTM, read, write


@needs("gdal_calc.py")
def test_a_sum_over_two_bands_is_gdal_calcs(tmp_path: Path) -> None:
    scene = str(FOLDER / "scene.tif")
    gdal(
        "gdal_calc.py", "--quiet", "-A", scene, "--A_band=4", "-B", scene, "--B_band=3", "--type=Float32",
        "--NoDataValue=-9", "--calc=(A.astype(float32)-B)/(A.astype(float32)+B)*100",
        f"--outfile={tmp_path}/g.tif",
    )  # fmt: skip
    calculate([FOLDER / "scene.tif"], "(nir - red) / (nir + red) * 100", tmp_path / "b.tif")
    wanted, made = read(tmp_path / "g.tif")[0], read(tmp_path / "b.tif")[0]
    there = np.isfinite(wanted) & (wanted != -9)  # gdal_calc makes not-a-number of 0 / 0 before its nodata
    np.testing.assert_array_equal(np.isfinite(made), there)
    np.testing.assert_allclose(made[there], wanted[there], rtol=1e-5, atol=1e-5)


def test_a_division_by_nought_and_a_missing_band_are_nodata(tmp_path: Path) -> None:
    one = write(tmp_path / "a.tif", np.array([[[4, 5, -1]], [[2, 0, 1]]], np.int16), nodata=-1)
    made = calculate([one], "where(b1 > 4.5, b1 / b2, b1)", tmp_path / "b.tif")
    np.testing.assert_array_equal(read(tmp_path / "b.tif")[0], [[4, np.nan, np.nan]])
    assert (made.moments.count, made.moments.mean, made.true_ha) == (1, 4, None)


def test_a_condition_is_one_byte_with_the_ground_that_it_is_true_on(tmp_path: Path) -> None:
    values = np.arange(30, dtype=np.float32).reshape(1, 5, 6)
    values[0, 0, 0] = np.nan
    one = write(tmp_path / "a.tif", values)
    made = calculate([one], "A >= 20", tmp_path / "b.tif")
    with rasterio.open(tmp_path / "b.tif") as result:
        assert (result.dtypes, result.nodata) == (("uint8",), 255)
        assert result.read(1).tolist() == [[255, *[0] * 5], *[[0] * 6] * 2, [0, 0, *[1] * 4], [1] * 6]
    # In UTM 33 on its middle meridian a metre of the map is 1 / 0.9996 m of ground.
    assert made.true_ha == pytest.approx(10 * 100 / 0.9996**2 / 10_000, rel=1e-4)


def test_a_second_raster_is_brought_onto_the_firsts_grid(tmp_path: Path) -> None:
    one = write(tmp_path / "a.tif", np.zeros((1, 4, 4), np.float32))
    coarse = write(
        tmp_path / "c.tif", np.array([[[1, 2]]], np.uint8), transform=UTM @ Affine.scale(2, 2)
    )  # two pixels of 20 m over the upper half of the four of 10 m
    calculate([one, coarse], "A + B", tmp_path / "b.tif")
    row = [1, 1, 2, 2]
    np.testing.assert_array_equal(read(tmp_path / "b.tif")[0], [row, row, [np.nan] * 4, [np.nan] * 4])


@pytest.mark.parametrize(
    ("dtype", "text", "wanted"),
    [("uint8", "A * 100", [100, 200, 255]), ("int16", "A / 2", [0, 1, 2]),
     ("float64", "A / 3", [1 / 3, 2 / 3, 1])],
)  # fmt: skip
def test_a_data_type_is_rounded_and_cut_to(
    tmp_path: Path, dtype: str, text: str, wanted: list[float]
) -> None:
    one = write(tmp_path / "a.tif", np.array([[[1, 2, 3]]], np.float64))
    calculate([one], text, tmp_path / "b.tif", dtype=dtype)
    np.testing.assert_array_equal(read(tmp_path / "b.tif")[0, 0], np.array(wanted, dtype))


def test_large_whole_numbers_are_computed_exactly(tmp_path: Path) -> None:
    one = write(tmp_path / "a.tif", np.array([[[2**31 - 1, 7]]], np.int32))
    calculate([one], "A - 1", tmp_path / "b.tif", dtype="int32")
    assert read(tmp_path / "b.tif").tolist() == [[[2**31 - 2, 6]]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 + 1", "The expression '1 + 1' names no band; there are A,"),
        ("A + C", "Nothing here is called 'C'; there are A, B,"),
        ("A9", "Nothing here is called 'A9'"),
    ],
)
def test_a_name_that_stands_for_nothing_is_said(tmp_path: Path, text: str, said: str) -> None:
    one = write(tmp_path / "a.tif", np.ones((2, 2, 2), np.float32))
    with pytest.raises(RasterError) as caught:
        calculate([one, one], text, tmp_path / "b.tif")
    assert str(caught.value).startswith(said)


def test_the_area_of_pixels_is_geodesic(tmp_path: Path) -> None:
    grid = Grid(grid_of(write(tmp_path / "a.tif", np.ones((1, 2, 2), np.uint8))).crs, UTM, 100, 100)
    corners = [UTM @ each for each in ((0, 0), (100, 0), (100, 100), (0, 100))]
    from pyproj import Transformer

    lon, lat = Transformer.from_crs("EPSG:32633", "EPSG:4326", always_xy=True).transform(
        *zip(*corners, strict=True)
    )
    whole = abs(Geod(ellps="WGS84").polygon_area_perimeter(lon, lat)[0])
    assert row_areas_m2(grid).sum() * 100 == pytest.approx(whole, rel=1e-6)
    world = Grid(rasterio.CRS.from_epsg(4326), Affine(1, 0, -180, 0, -1, 90), 360, 180)
    assert row_areas_m2(world).sum() * 360 == pytest.approx(510_065_621_724_089, rel=2e-3)  # WGS84's surface
