"""Contour lines against a cone's circles, a plane's straight lines and gdal_contour."""

from __future__ import annotations

import math
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import shapely

from data.raster import contours as module
from data.raster.contours import contours
from data.raster.errors import RasterError
from tests.data.raster.made import gdal, needs, write
from tests.real_files import real


def cone(tmp_path: Path, side: int = 61) -> Path:
    """60 m high in the middle, 1 m lower every 10 m outwards."""
    rows, columns = np.mgrid[0:side, 0:side]
    away = np.hypot(rows - side // 2, columns - side // 2)
    return write(tmp_path / "cone.tif", (60 - away).astype(np.float32), pixel=10)


def test_the_contours_of_a_cone_are_circles(tmp_path: Path) -> None:
    frame = contours(cone(tmp_path), interval_m=10, base_m=5)
    closed = frame[frame.geometry.is_ring]
    assert closed["elevation_m"].tolist() == [35.0, 45.0, 55.0]
    for height, line in zip(closed["elevation_m"], closed.geometry, strict=True):
        radius = 10 * (60 - height)
        assert line.length == pytest.approx(2 * math.pi * radius, rel=0.01)
        assert shapely.Polygon(line).area == pytest.approx(math.pi * radius**2, rel=0.02)
        centre = line.centroid
        assert (centre.x, centre.y) == pytest.approx((500_305, 5_699_695), abs=1e-6)


def test_a_line_is_as_long_on_the_ellipsoid_as_the_map_says_at_its_scale(tmp_path: Path) -> None:
    frame = contours(cone(tmp_path), interval_m=10, base_m=5)
    # On the central meridian of UTM the map's scale is 0.9996.
    np.testing.assert_allclose(frame["length_m"], frame.length / 0.9996, rtol=1e-5)


def test_lines_are_joined_across_the_seams_of_the_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, columns = np.mgrid[0:1300, 0:600]
    waves = 20 * np.sin(columns / 40) + 20 * np.cos(rows / 60)
    source = write(tmp_path / "waves.tif", waves.astype(np.float32))
    whole = contours(source, interval_m=8, base_m=1)
    monkeypatch.setattr(module, "_WINDOW_PX", 512 * 512)
    parts = contours(source, interval_m=8, base_m=1)
    assert len(parts) == len(whole)
    np.testing.assert_allclose(sorted(parts.length), sorted(whole.length), rtol=1e-6)


@needs("gdal_contour")
def test_a_real_terrain_has_the_lines_that_gdal_contour_draws(tmp_path: Path) -> None:
    terrain = real("elevation/dtm.tif")
    gdal("gdal_contour", "-q", "-i", 2, "-a", "height", terrain, tmp_path / "theirs.gpkg")
    theirs = gpd.read_file(tmp_path / "theirs.gpkg")
    ours = contours(terrain, interval_m=2)
    theirs, ours = (each.assign(long=each.length) for each in (theirs, ours))
    expected = theirs.groupby("height")["long"].sum()
    found = ours.groupby("elevation_m")["long"].sum()
    # gdal_contour goes on for half a pixel beyond the outermost centres; levels hit by a pixel or two differ.
    long = expected[expected > 200]
    np.testing.assert_allclose(found[long.index], long, rtol=0.03)
    assert len(long) >= 5


def test_a_hole_ends_the_lines_and_an_empty_raster_has_none(tmp_path: Path) -> None:
    slope = np.mgrid[0:40, 0:40][1].astype(np.float32)
    slope[10:20, 10:20] = -1
    frame = contours(write(tmp_path / "hole.tif", slope, nodata=-1), interval_m=15.5)
    assert sorted(frame.length.round(3).tolist()) == [90.0, 190.0, 390.0, 390.0]
    empty = contours(write(tmp_path / "empty.tif", np.full((9, 9), -1, np.float32), nodata=-1), interval_m=1)
    assert empty.empty and list(empty.columns) == ["elevation_m", "geometry", "length_m"]


def test_too_fine_an_interval_is_refused_with_what_would_do(tmp_path: Path) -> None:
    with pytest.raises(RasterError, match="too small for heights"):
        contours(cone(tmp_path), interval_m=0.01)
