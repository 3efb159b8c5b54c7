"""Features burnt into pixels, against gdal_rasterize."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from shapely.geometry import LineString, Point, Polygon, box

from data.raster import burning
from data.raster.burning import grid_around, rasterize
from data.raster.errors import RasterError
from data.raster.windows import grid_of, windows
from tests.data.raster.made import UTM, gdal, needs, read, write


def features() -> gpd.GeoDataFrame:
    """Two triangles that overlap, a line and a point, over 60 x 40 pixels of 10 m."""
    shapes = [
        Polygon([(500_013, 5_699_987), (500_400, 5_699_900), (500_120, 5_699_650)]),
        Polygon([(500_200, 5_699_990), (500_590, 5_699_800), (500_210, 5_699_700)]),
        LineString([(500_000, 5_699_605), (500_600, 5_699_805)]),
        Point(500_555, 5_699_635),
    ]
    return gpd.GeoDataFrame({"height": [3.0, 8.5, 2.0, 11.0]}, geometry=shapes, crs=UTM)


@needs("gdal_rasterize")
@pytest.mark.parametrize("touched", [False, True])
def test_the_pixels_are_those_of_gdal_rasterize(
    tmp_path: Path, touched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    like = write(tmp_path / "like.tif", np.zeros((40, 60), np.uint8))
    frame = features()
    frame.to_file(tmp_path / "features.gpkg")
    options = ["-at"] if touched else []
    gdal(
        "gdal_rasterize", "-q", "-a", "height", *options, "-te", 500_000, 5_699_600, 500_600, 5_700_000,
        "-tr", 10, 10, "-ot", "Float32", "-init", "nan", tmp_path / "features.gpkg", tmp_path / "theirs.tif",
    )  # fmt: skip
    covered = rasterize(
        frame,
        frame["height"].tolist(),
        grid_of(like),
        tmp_path / "ours.tif",
        all_touched=touched,
    )
    ours, theirs = read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif")
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    # An edge that lies on the border of two pixels touches the other one or not by its last bit.
    assert same.mean() >= (0.98 if touched else 1.0)
    assert covered == np.isfinite(ours).sum() > 500


def test_windows_leave_no_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    like = write(tmp_path / "like.tif", np.zeros((1100, 700), np.uint8))
    disc = gpd.GeoDataFrame(geometry=[Point(503_500, 5_694_500).buffer(3400, quad_segs=64)], crs=UTM)
    rasterize(disc, None, grid_of(like), tmp_path / "whole.tif")
    monkeypatch.setattr(burning, "windows", lambda grid: windows(grid, 512 * 512))
    covered = rasterize(disc, None, grid_of(like), tmp_path / "parts.tif")
    whole = read(tmp_path / "whole.tif")
    np.testing.assert_array_equal(read(tmp_path / "parts.tif"), whole)
    assert set(np.unique(whole)) == {0.0, 1.0}
    assert covered * 100 == pytest.approx(np.pi * 3400**2, rel=1e-3)


def test_a_grid_around_features_is_aligned_to_its_pixels_in_their_utm_zone() -> None:
    frame = gpd.GeoDataFrame(geometry=[box(4.0, 52.0, 4.01, 52.01)], crs="EPSG:4326")
    grid = grid_around(frame, 20)
    assert grid.crs == rasterio.crs.CRS.from_epsg(32631)
    assert (grid.transform.c % 20, grid.transform.f % 20) == (0, 0)
    west, south, east, north = frame.to_crs(grid.crs).total_bounds
    assert 0 <= west - grid.transform.c < 20 and 0 <= grid.transform.f - north < 20
    assert grid.width == np.ceil((east - grid.transform.c) / 20)
    assert grid.height == np.ceil((grid.transform.f - south) / 20)


def test_pixels_far_too_small_are_refused() -> None:
    frame = gpd.GeoDataFrame(geometry=[box(4.0, 52.0, 5.0, 53.0)], crs="EPSG:4326")
    with pytest.raises(RasterError, match=r"Pixels of 0\.1 m would make"):
        grid_around(frame, 0.1)
