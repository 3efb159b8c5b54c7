"""Other grids, against gdalwarp."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from rasterio.crs import CRS

from copilot.bench.build.example_files import FOLDER
from data.raster.errors import RasterError
from data.raster.warp import crs_of, grid_in, resized, utm_of, warp
from data.raster.windows import Grid, grid_of
from tests.data.raster.made import gdal, needs
from tests.data.raster.test_windows import UTM, read, write

SCENE, DEM = FOLDER / "scene.tif", FOLDER / "dem.tif"


@needs("gdalwarp")
@pytest.mark.parametrize("method", ["nearest", "bilinear", "cubic", "average"])
def test_a_reprojected_raster_is_gdalwarps(tmp_path: Path, method: str) -> None:
    name = method.replace("nearest", "near")
    gdal("gdalwarp", "-q", "-t_srs", "EPSG:3857", "-r", name, DEM, tmp_path / "g.tif")
    grid = grid_in(grid_of(DEM), CRS.from_epsg(3857))
    assert grid.same_as(grid_of(tmp_path / "g.tif"))
    warp(DEM, tmp_path / "b.tif", grid, method=method)
    # GDAL 3.6 and 3.10 differ in how far an average reaches beyond the edge.
    inner = (0, slice(4, -4), slice(4, -4)) if method == "average" else (0,)
    wanted, made = read(tmp_path / "g.tif")[inner], read(tmp_path / "b.tif")[inner]
    # Both GDALs pick the same pixels but where a point lies between two by less than the last digit.
    assert method != "nearest" or np.mean(made != wanted) < 0.005
    np.testing.assert_array_equal(made == -9999, wanted == -9999)
    close = np.isclose(made, wanted, atol=1.0 if method == "nearest" else 1e-2)
    assert close.mean() > 0.995


@needs("gdalwarp")
@pytest.mark.parametrize(("method", "pixel_m"), [("average", 25), ("bilinear", 4), ("mode", 30)])
def test_a_resampled_raster_is_gdalwarps(tmp_path: Path, method: str, pixel_m: float) -> None:
    gdal("gdalwarp", "-q", "-tr", pixel_m, pixel_m, "-r", method, SCENE, tmp_path / "g.tif")
    grid = resized(grid_of(SCENE), pixel_m, pixel_m)
    assert grid.same_as(grid_of(tmp_path / "g.tif"))
    warp(SCENE, tmp_path / "b.tif", grid, method=method)
    np.testing.assert_allclose(
        read(tmp_path / "b.tif").astype(int), read(tmp_path / "g.tif").astype(int), atol=1
    )
    with rasterio.open(tmp_path / "b.tif") as made:
        assert (made.descriptions[3], made.scales[3], made.nodata) == ("nir", 1e-4, 0)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_what_lies_beside_a_raster_is_missing_even_where_no_value_means_that(
    tmp_path: Path, dtype: str
) -> None:
    path = write(tmp_path / "a.tif", np.zeros((3, 40, 40), dtype), transform=UTM @ Affine.rotation(30))
    warp(path, tmp_path / "b.tif", grid_in(grid_of(path), CRS.from_epsg(3035)))
    with rasterio.open(tmp_path / "b.tif") as made:
        valid = made.dataset_mask() > 0
        assert not made.read(1)[valid].any()
    assert 0.3 < valid.mean() < 0.7  # a square turned by 30 degrees fills just over half of its box
    assert valid[valid.shape[0] // 2, valid.shape[1] // 2] and not valid[0, 0]


def test_a_mask_in_the_file_goes_along(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.full((1, 20, 20), 7, np.uint8))
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(path, "r+") as target:
        target.write_mask(np.arange(400).reshape(20, 20) >= 200)
    warp(path, tmp_path / "b.tif", resized(grid_of(path), 5, 5))
    with rasterio.open(tmp_path / "b.tif") as made:
        np.testing.assert_array_equal(made.dataset_mask() > 0, (np.arange(1600) >= 800).reshape(40, 40))


def test_a_grid_beside_the_raster_gets_nothing_but_nodata(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tif", np.ones((1, 4, 4), np.int16), nodata=-1)
    away = Grid(CRS.from_epsg(32633), UTM @ Affine.translation(100, 0), 4, 4)
    warp(path, tmp_path / "b.tif", away)
    assert (read(tmp_path / "b.tif") == -1).all()


@pytest.mark.parametrize(
    ("lon", "lat", "code"),
    [(4.4, 52.0, 32631), (-179.9, -18, 32701), (179.9, -18, 32760), (15, -33, 32733), (0, 88, 32661),
     (0, -85, 32761)],
)  # fmt: skip
def test_the_utm_zone_is_that_of_the_middle(lon: float, lat: float, code: int) -> None:
    grid = Grid(CRS.from_epsg(4326), Affine(0.01, 0, lon - 0.05, 0, -0.01, lat + 0.05), 10, 10)
    assert utm_of(grid).to_epsg() == code


@pytest.mark.parametrize(("text", "code"), [("EPSG:3857", 3857), ("32631", 32631), ("epsg:4326", 4326)])
def test_a_coordinate_system_is_known_by_its_code(text: str, code: int) -> None:
    assert crs_of(text).to_epsg() == code


@pytest.mark.parametrize("text", ["EPSG:1", "mercator", "", "99999999999999999999", "+proj=nothing"])
def test_what_is_no_coordinate_system_is_said(text: str) -> None:
    with pytest.raises(
        RasterError, match=r"There is no coordinate system '.*'; give a code such as EPSG:32631"
    ):
        crs_of(text)


def test_a_grid_that_cannot_be_is_refused() -> None:
    grid = grid_of(SCENE)
    with pytest.raises(
        RasterError, match="and at most 2,000,000,000 can be made; a larger pixel size has fewer"
    ):
        resized(grid, 0.001, 0.001)
    with pytest.raises(RasterError, match="at most 2,000,000,000"):
        grid_in(grid, CRS.from_epsg(4326), 1e-12)
    with pytest.raises(RasterError, match="The raster has no coordinate system"):
        grid_in(Grid(None, UTM, 4, 4), CRS.from_epsg(4326))
