"""What is seen from a point: a wall's shadow, the horizon, and gdal_viewshed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.raster import viewshed as module
from data.raster.errors import RasterError
from data.raster.viewshed import EARTH_DIAMETER_M, viewshed
from tests.data.raster.made import gdal, needs, read, write
from tests.real_files import real


def test_a_wall_hides_what_lies_below_the_line_over_its_top(tmp_path: Path) -> None:
    heights = np.zeros((1, 101), np.float32)
    heights[0, 20] = 8
    source = write(tmp_path / "wall.tif", heights, pixel=10)
    viewshed(
        source, tmp_path / "seen.tif", x=500_005, y=5_699_995, observer_height_m=10, target_height_m=4,
        max_distance_m=900, refraction=1.0,
    )  # fmt: skip
    # The line from 10 m falls 2 m in 20 pixels; it meets 4 m, the height of the targets, after 60 pixels.
    seen = read(tmp_path / "seen.tif")[0]
    assert seen.shape == (91,)
    assert (seen[:21] == 1).all() and (seen[21:60] == 0).all() and (seen[61:] == 1).all()


def test_over_the_sea_the_horizon_lies_where_the_earth_bends_away(tmp_path: Path) -> None:
    source = write(tmp_path / "sea.tif", np.zeros((1, 2000), np.float32), pixel=10)
    seen = viewshed(
        source, tmp_path / "seen.tif", x=500_005, y=5_699_995, observer_height_m=10, target_height_m=0,
        max_distance_m=50_000,
    )  # fmt: skip
    horizon_m = np.sqrt(10 * EARTH_DIAMETER_M / (1 - 0.13))
    assert seen.visible_px * 10 == pytest.approx(horizon_m, rel=0.002)
    assert horizon_m == pytest.approx(12_102, abs=1)


@needs("gdal_viewshed")
@pytest.mark.parametrize(("x", "y", "height"), [(321_800, 4_297_800, 1.7), (321_700, 4_297_700, 20.0)])
def test_a_real_surface_is_seen_as_gdal_viewshed_sees_it(
    tmp_path: Path, x: float, y: float, height: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_STRIP_PX", 2000)
    surface = real("elevation/dsm.tif")
    viewshed(
        surface,
        tmp_path / "ours.tif",
        x=x,
        y=y,
        observer_height_m=height,
        target_height_m=0.5,
        max_distance_m=200,
    )
    gdal(
        "gdal_viewshed", "-q", "-ox", x, "-oy", y, "-oz", height, "-tz", 0.5, "-md", 200, "-cc", 0.87,
        "-vv", 1, "-iv", 0, "-ov", 255, surface, tmp_path / "theirs.tif",
    )  # fmt: skip
    ours, theirs = read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif")
    theirs[theirs == 255] = np.nan
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    # gdal_viewshed lets the ground at the observer's feet hide the eight pixels around it.
    assert (ours != theirs)[np.isfinite(ours)].sum() <= 8
    assert np.nanmean(ours) > 0.005


def test_a_hole_hides_nothing_and_a_point_in_it_cannot_look(tmp_path: Path) -> None:
    heights = np.zeros((1, 50), np.float32)
    heights[0, 10] = -9999
    source = write(tmp_path / "hole.tif", heights, nodata=-9999)

    def look(x: float) -> int:
        return viewshed(
            source, tmp_path / "seen.tif", x=x, y=5_699_995, observer_height_m=2, target_height_m=0,
            max_distance_m=1000,
        ).visible_px  # fmt: skip

    assert look(500_005) == 49
    with pytest.raises(RasterError, match="no height where the observer stands"):
        look(500_105)
    with pytest.raises(RasterError, match="outside the raster"):
        look(499_000)
