"""Shade, slope and aspect against gdaldem and against surfaces whose slope is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.raster import terrain
from data.raster.errors import RasterError
from data.raster.ground import height_unit
from tests.data.raster.made import gdal, needs, read, write
from tests.real_files import real


def plane(east: float, north: float, side: int = 12) -> np.ndarray[Any, Any]:
    """Heights that rise by `east` a column and by `north` a row upwards."""
    rows, columns = np.mgrid[0:side, 0:side]
    return (100 + east * columns - north * rows).astype(np.float32)


@needs("gdaldem")
@pytest.mark.parametrize(
    ("options", "make"),
    [
        ([], lambda s, t: terrain.hillshade(s, t)),
        (
            ["-az", "60", "-alt", "30", "-z", "2.5"],
            lambda s, t: terrain.hillshade(s, t, azimuth_deg=60, altitude_deg=30, z_factor=2.5),
        ),
        (["-multidirectional"], lambda s, t: terrain.hillshade(s, t, light="multidirectional")),
    ],
)
def test_every_pixel_of_a_real_surface_is_shaded_as_gdaldem_shades_it(
    tmp_path: Path, options: list[str], make: Callable[[Path, Path], None]
) -> None:
    surface = real("elevation/dsm.tif")
    gdal("gdaldem", "hillshade", surface, tmp_path / "theirs.tif", *options)
    make(surface, tmp_path / "ours.tif")
    np.testing.assert_array_equal(read(tmp_path / "ours.tif"), read(tmp_path / "theirs.tif"))


@needs("gdaldem")
@pytest.mark.parametrize(("unit", "options"), [("degrees", []), ("percent", ["-p"])])
def test_the_slope_of_a_real_surface_is_gdaldems(
    tmp_path: Path, unit: terrain.SlopeUnit, options: list[str]
) -> None:
    surface = real("elevation/dsm.tif")
    gdal("gdaldem", "slope", surface, tmp_path / "theirs.tif", *options)
    summary = terrain.slope(surface, tmp_path / "ours.tif", unit=unit)
    theirs = read(tmp_path / "theirs.tif")
    np.testing.assert_allclose(read(tmp_path / "ours.tif"), theirs, atol=5e-4)
    assert summary.count == np.isfinite(theirs).sum()
    assert (summary.mean, summary.greatest) == pytest.approx(
        (np.nanmean(theirs), np.nanmax(theirs)), abs=1e-3
    )


@needs("gdaldem")
def test_the_aspect_of_a_real_surface_is_gdaldems_but_where_it_is_all_but_flat(tmp_path: Path) -> None:
    surface = real("elevation/dsm.tif")
    gdal("gdaldem", "aspect", surface, tmp_path / "theirs.tif")
    shares = terrain.aspect(surface, tmp_path / "ours.tif")
    apart = np.abs(read(tmp_path / "ours.tif") - read(tmp_path / "theirs.tif"))
    apart = np.minimum(apart, 360 - apart)[np.isfinite(apart)]
    # gdaldem adds heights up in single precision, which turns the direction of a slope of 0.00001 degrees.
    assert np.mean(apart < 0.01) > 0.999
    assert sum(shares.values()) == pytest.approx(100)


@pytest.mark.parametrize(
    ("east", "north", "faces", "wind"),
    [(1, 0, 270, "W"), (-1, 0, 90, "E"), (0, 2, 180, "S"), (-3, -3, 45, "NE")],
)
def test_a_plane_slopes_and_faces_as_its_equation_says(
    tmp_path: Path, east: float, north: float, faces: float, wind: str
) -> None:
    source = write(tmp_path / "plane.tif", plane(east, north), pixel=10)
    terrain.slope(source, tmp_path / "slope.tif")
    shares = terrain.aspect(source, tmp_path / "aspect.tif")
    inside = (slice(1, -1), slice(1, -1))
    steep = np.degrees(np.arctan(np.hypot(east, north) / 10))
    np.testing.assert_allclose(read(tmp_path / "slope.tif")[inside], steep, rtol=1e-5)
    np.testing.assert_allclose(read(tmp_path / "aspect.tif")[inside], faces, atol=1e-4)
    assert shares[wind] == 100
    assert np.isnan(read(tmp_path / "slope.tif")[0]).all()


@pytest.mark.parametrize("latitude", [0.0, 60.0, -75.0])
def test_a_slope_in_degrees_of_longitude_and_latitude_is_one_in_metres(
    tmp_path: Path, latitude: float
) -> None:
    from pyproj import Geod

    pixel = 1 / 3600
    grid = Affine(pixel, 0, 10, 0, -pixel, latitude + 6 * pixel)
    east_m = Geod(ellps="WGS84").inv(10, latitude, 10 + pixel, latitude)[2]
    north_m = Geod(ellps="WGS84").inv(10, latitude, 10, latitude + pixel)[2]
    heights = plane(0.1 * east_m, 0.2 * north_m)
    source = write(tmp_path / "plane.tif", heights, crs="EPSG:4326", transform=grid)
    terrain.slope(source, tmp_path / "slope.tif", unit="percent")
    middle = read(tmp_path / "slope.tif")[5:7, 5:7]
    np.testing.assert_allclose(middle, 100 * np.hypot(0.1, 0.2), rtol=1e-3)


def test_flat_ground_is_lit_by_the_sine_of_the_height_of_the_light_and_faces_nowhere(tmp_path: Path) -> None:
    source = write(tmp_path / "flat.tif", plane(0, 0))
    terrain.hillshade(source, tmp_path / "shade.tif", altitude_deg=30)
    shares = terrain.aspect(source, tmp_path / "aspect.tif")
    assert set(read(tmp_path / "shade.tif")[1:-1, 1:-1].ravel()) == {1 + 254 * 0.5}
    assert np.isnan(read(tmp_path / "aspect.tif")).all() and set(shares.values()) == {0.0}


def test_pixels_beside_one_without_a_value_have_none(tmp_path: Path) -> None:
    heights = plane(1, 1)
    heights[5, 5] = -9999
    source = write(tmp_path / "hole.tif", heights, nodata=-9999)
    summary = terrain.slope(source, tmp_path / "slope.tif")
    expected = np.ones((12, 12), bool)
    expected[[0, -1]] = expected[:, [0, -1]] = False
    expected[4:7, 4:7] = False
    np.testing.assert_array_equal(np.isfinite(read(tmp_path / "slope.tif")), expected)
    assert summary.count == 91


def test_the_strips_leave_no_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heights = np.random.default_rng(1).normal(0, 50, (1100, 16)).astype(np.float32)
    source = write(tmp_path / "rough.tif", heights)
    whole = terrain.slope(source, tmp_path / "whole.tif")
    real = terrain.compute
    monkeypatch.setattr(terrain, "compute", lambda *a, **k: real(*a, **k, pixels=4096))
    parts = terrain.slope(source, tmp_path / "parts.tif")
    np.testing.assert_array_equal(read(tmp_path / "parts.tif"), read(tmp_path / "whole.tif"))
    assert parts.mean == pytest.approx(whole.mean, rel=1e-12) and parts.count == whole.count


@pytest.mark.parametrize(
    ("crs", "transform", "words"),
    [(None, None, "no CRS"), ("EPSG:32631", Affine(7, 7, 0, 7, -7, 0), "raster_reproject")],
)
def test_a_raster_without_a_place_or_turned_round_is_refused_in_a_sentence(
    tmp_path: Path, crs: str | None, transform: Affine | None, words: str
) -> None:
    source = write(tmp_path / "odd.tif", plane(1, 1), crs=crs, transform=transform)
    with pytest.raises(RasterError, match=words):
        terrain.slope(source, tmp_path / "slope.tif")


@pytest.mark.parametrize(("unit", "metres"), [("ft", 0.3048), ("US survey foot", 1200 / 3937), ("m", 1.0)])
def test_heights_in_the_unit_of_the_file_are_as_steep_as_in_metres(
    tmp_path: Path, unit: str, metres: float
) -> None:
    in_metres = write(tmp_path / "metres.tif", plane(3, 1)[None])
    told = write(tmp_path / "told.tif", plane(3, 1)[None] / np.float32(metres))
    with rasterio.open(told, "r+") as target:
        target.units = (unit,)
    for path in (in_metres, told):
        terrain.slope(path, path.with_suffix(".slope.tif"))
        terrain.hillshade(path, path.with_suffix(".shade.tif"))
    slopes = [read(path.with_suffix(".slope.tif")) for path in (in_metres, told)]
    np.testing.assert_allclose(*slopes, rtol=1e-5)
    shades = [read(path.with_suffix(".shade.tif")) for path in (in_metres, told)]
    np.testing.assert_allclose(*shades, atol=1)
    assert height_unit(told).metres == pytest.approx(metres) and height_unit(in_metres).said == ""


def test_the_vertical_axis_of_a_crs_tells_the_unit_of_heights(tmp_path: Path) -> None:
    found = height_unit(write(tmp_path / "navd88.tif", plane(3, 1)[None], crs="EPSG:2263+6360"))
    assert (found.name, found.metres) == ("US survey foot", pytest.approx(1200 / 3937))
    assert found.said == " Its heights, in US survey foot by its file, were converted."
