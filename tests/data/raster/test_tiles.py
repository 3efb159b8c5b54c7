"""Tiles: the right pixels in the right place, seamless, and cheap however the scene meets the tile."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray
from PIL import Image

from data.raster.errors import RasterError
from data.raster.looks import Look, drawn
from data.raster.pixels import pixel_values
from data.raster.pyramids import build, building, needed, wanted
from data.raster.tiles import HALF_WORLD_M, picture, source_of, tile, tile_box
from tests.suite.waiting import wait_until

EXACT = Look(stretch="0,255")


def write(path: Path, values: NDArray[Any], transform: Affine, crs: str | None, **more: Any) -> Path:
    bands = values if values.ndim == 3 else values[None]
    count, height, width = bands.shape
    profile = {"driver": "GTiff", "count": count, "height": height, "width": width, "dtype": values.dtype}
    with rasterio.open(path, "w", **profile, crs=crs, transform=transform, **more) as target:
        target.write(bands)
    return path


def degrees(west: float, north: float, step: float) -> Affine:
    return Affine(step, 0, west, 0, -step, north)


@pytest.fixture
def ramp(tmp_path: Path) -> Path:
    """A degree a pixel from 10 E to 42 E: each column holds its own number, the last row nodata."""
    values = np.tile(np.arange(32, dtype="uint8") * 8, (32, 1))
    values[-1] = 255
    return write(tmp_path / "ramp.tif", values, degrees(10, 40, 1), "EPSG:4326", nodata=255)


def test_a_tile_shows_each_pixel_where_it_lies(ramp: Path):
    z, x, y = 5, 18, 13  # 22.5 to 33.75 E, 22 to 32 N
    found = tile(ramp, EXACT, z, x, y)
    assert found is not None
    west, _, east, _ = tile_box(z, x, y)
    lons = np.linspace(west, east, 257)[:-1] / HALF_WORLD_M * 180 + (east - west) / 512 / HALF_WORLD_M * 180
    expected = (np.floor(lons - 10) * 8).astype(int)
    assert (found[128, :, 0].astype(int) == expected).all()
    assert (found[..., 3] == 255).all()


def test_nodata_and_what_lies_outside_are_transparent(ramp: Path):
    west, _, east, north = source_of(ramp).box
    found = picture(ramp, EXACT, (west - (east - west), source_of(ramp).box[1], east, north), 64, 64)
    assert found is not None
    assert not found[:, :31, 3].any()
    assert not found[-1, :, 3].any()
    assert (found[2:60, 34:, 3] == 255).all()
    assert tile(ramp, EXACT, 5, 1, 1) is None


def test_neighbouring_tiles_are_one_picture(tmp_path: Path):
    noise = np.random.default_rng(7).normal(size=(96, 96)).astype("float32")
    path = write(tmp_path / "noise.tif", noise, Affine(500, 0, 500_000, 0, -500, 5_300_000), "EPSG:32632")
    z = 9
    box = source_of(path).box
    side = 2 * HALF_WORLD_M / 2**z
    x, y = int((box[0] + HALF_WORLD_M) / side), int((HALF_WORLD_M - box[3]) / side)
    (west, _, _, north), (_, south, east, _) = tile_box(z, x, y), tile_box(z, x + 1, y + 1)
    whole = picture(path, Look(), (west, south, east, north), 512, 512)
    parts = [[tile(path, Look(), z, x + i, y + j) for i in (0, 1)] for j in (0, 1)]
    blank = np.zeros((256, 256, 4), dtype=np.uint8)
    joined = np.vstack([np.hstack([blank if part is None else part for part in row]) for row in parts])
    assert whole is not None and (whole[..., 3] > 0).sum() > 5000
    differs = np.abs(joined.astype(int) - whole.astype(int)).max(axis=2)
    assert (differs > 3).mean() < 1e-3


@pytest.mark.parametrize(
    ("west", "crosses"), [(170.0, True), (-190.0, True), (0.0, False)], ids=["east", "west", "inside"]
)
def test_a_raster_across_the_antimeridian_is_seen_on_both_sides(tmp_path: Path, west: float, crosses: bool):
    values = np.tile(np.arange(40, dtype="uint8") * 6, (20, 1))
    path = write(tmp_path / "fiji.tif", values, degrees(west, 0, 0.5), "EPSG:4326")
    z = 6
    seen = {
        x: int(found[10, 128, 0])
        for x in (0, 1, 32, 33, 62, 63)
        if (found := tile(path, EXACT, z, x, 32)) is not None
    }
    # A tile is 5.625 degrees wide: its middle lies at -180 + 5.625 (x + 0.5).
    expected = {}
    for x in (0, 1, 32, 33, 62, 63):
        lon = -180 + 5.625 * (x + 0.5)
        column = next(
            ((lon + turn - west) / 0.5 for turn in (0, 360, -360) if 0 <= lon + turn - west < 20), None
        )
        if column is not None:
            expected[x] = int(column) * 6
    assert seen == expected
    assert ({0, 63} <= set(seen)) is crosses


def test_a_projected_raster_across_the_antimeridian_is_seen_on_both_sides(tmp_path: Path):
    # UTM zone 60 south: 180 degrees lies 315 km east of the middle of the zone at 18 S.
    values = np.full((50, 80), 100, dtype="uint8")
    path = write(tmp_path / "utm.tif", values, Affine(2000, 0, 740_000, 0, -2000, 8_010_000), "EPSG:32760")
    row = int((HALF_WORLD_M - source_of(path).box[3]) / (2 * HALF_WORLD_M / 2**7)) + 0
    there = {x for x in (0, 1, 126, 127, 64) if tile(path, EXACT, 7, x, row) is not None}
    assert {0, 127} <= there and 64 not in there


def test_a_world_from_pole_to_pole_and_one_counted_from_0_to_360_fill_the_first_tile(tmp_path: Path):
    values = np.tile(np.arange(36, dtype="uint8") * 7, (18, 1))
    one = tile(write(tmp_path / "w.tif", values, degrees(-180, 90, 10), "EPSG:4326"), EXACT, 0, 0, 0)
    two = tile(write(tmp_path / "o.tif", values, degrees(0, 90, 10), "EPSG:4326"), EXACT, 0, 0, 0)
    assert one is not None and two is not None
    assert (one[..., 3] == 255).all() and (two[..., 3] == 255).all()
    assert (one[128, :128, 0] == two[128, 128:, 0]).all()


def test_a_scene_of_a_centimetre_a_pixel_costs_nothing_in_a_world_tile(tmp_path: Path):
    values = np.full((64, 64), 9, dtype="uint8")
    path = write(tmp_path / "s.tif", values, Affine(0.01, 0, 500_000, 0, -0.01, 5_300_000), "EPSG:32632")
    for z, x, y in ((0, 0, 0), (3, 4, 2)):  # the library would lay out 4e9 pixels a side
        found = tile(path, EXACT, z, x, y)
        assert found is None or (found[..., 3] > 0).sum() == 1
    deep = tile(path, EXACT, 24, *_tile_of(source_of(path).box, 24))
    assert deep is not None and set(np.unique(deep[..., 0])) <= {0, 9}


def _tile_of(box: tuple[float, float, float, float], z: int) -> tuple[int, int]:
    side = 2 * HALF_WORLD_M / 2**z
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    return int((middle[0] + HALF_WORLD_M) / side), int((HALF_WORLD_M - middle[1]) / side)


def test_radar_in_complex_numbers_is_drawn_by_its_magnitude(tmp_path: Path):
    values = np.full((8, 8), 3 + 4j, dtype="complex64")
    path = write(tmp_path / "slc.tif", values, degrees(0, 8, 1), "EPSG:4326")
    found = tile(path, Look(stretch="0,10"), 4, 8, 7)
    assert found is not None
    assert found[250, 5].tolist() == [128, 128, 128, 255]


def test_the_files_own_colours_stand_for_its_classes(tmp_path: Path):
    values = np.tile(np.array([0, 1, 2, 3], dtype="uint8"), (4, 1))
    path = write(tmp_path / "classes.tif", values, degrees(0, 8, 2), "EPSG:4326", nodata=3)
    with rasterio.open(path, "r+") as target:
        target.write_colormap(1, {0: (10, 20, 30, 255), 1: (200, 0, 0, 255), 2: (0, 0, 200, 255)})
    found = tile(path, Look(), 5, 16, 15)
    assert found is not None
    assert {tuple(each) for each in found[200].tolist()} == {
        (10, 20, 30, 255),
        (200, 0, 0, 255),
        (0, 0, 200, 255),
        (0, 0, 0, 0),
    }


def test_an_expression_is_computed_before_the_colours_and_division_by_nothing_is_transparent(tmp_path: Path):
    bands = np.zeros((2, 4, 4), dtype="uint8")
    bands[0], bands[1] = 30, 90
    bands[:, :, 0] = 0
    path = write(tmp_path / "two.tif", bands, degrees(0, 8, 2), "EPSG:4326")
    look = Look(expression="(b2-b1)/(b2+b1)", stretch="0,1", colormap="grey")
    found = tile(path, look, 5, 16, 15)
    assert found is not None
    assert found[200, 0].tolist() == [0, 0, 0, 0]
    assert found[200, 60].tolist() == [128, 128, 128, 255]  # (90 - 30) / (90 + 30) is half
    assert drawn(path, Look(expression="b2-b1")).limits == ((0.0, 60.0),)


@pytest.mark.parametrize(
    ("look", "sentence"),
    [
        (Look(bands=(2,)), "There is no band 2: the raster has 1 band."),
        (Look(expression="b7*2"), "Nothing here is called 'b7'; there are B1, b1."),
        (Look(expression="__import__('os').system('x')"), "A function is called by its name with values in "),
        (Look(expression="2+3"), "The expression '2+3' names no band, such as b1."),
        (Look(colormap="virdis"), "There is no colormap 'virdis'; did you mean viridis?"),
    ],
)  # fmt: skip
def test_a_look_that_a_raster_cannot_have_is_told(ramp: Path, look: Look, sentence: str):
    with pytest.raises(RasterError) as error:
        tile(ramp, look, 5, 18, 12)
    assert str(error.value).startswith(sentence[:-1])


def test_a_picture_without_a_place_has_no_tiles(tmp_path: Path):
    path = tmp_path / "photo.png"
    Image.new("RGB", (8, 8), "red").save(path)
    with pytest.raises(RasterError) as error:
        tile(path, Look(), 0, 0, 0)
    assert str(error.value) == "photo.png has no coordinate system, so it has no place on the map."


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """5,000 pixels wide without overviews."""
    values = np.tile(np.linspace(0, 255, 5000).astype("uint8"), (600, 1))
    return write(tmp_path / "large.tif", values, degrees(0, 6, 0.01), "EPSG:4326", tiled=True)


def test_overviews_come_beside_a_large_file_and_change_neither_the_stretch_nor_the_picture(large: Path):
    look = Look(stretch="percentile")
    before, limits = tile(large, look, 3, 4, 3), drawn(large, look).limits
    assert needed(large)
    changed = large.stat().st_mtime_ns
    beside = build(large)
    assert large.stat().st_mtime_ns == changed
    assert beside == large.with_name("large.tif.ovr")
    assert not needed(large)
    assert sorted(each.name for each in large.parent.iterdir()) == ["large.tif", "large.tif.ovr"]
    with rasterio.open(large) as source:
        assert source.overviews(1) == [2, 4, 8, 16, 32]
    os.utime(large)  # what is known of the file is found anew
    after = tile(large, look, 3, 4, 3)
    assert drawn(large, look).limits == limits
    assert before is not None and after is not None
    assert np.abs(before.astype(int) - after.astype(int)).max() <= 3


def test_overviews_are_made_in_the_background_once_and_for_large_files_only(large: Path, ramp: Path):
    for _ in range(3):
        wanted(large)
        wanted(ramp)
    wait_until(lambda: not building(large))
    assert sorted(each.name for each in large.parent.iterdir()) == ["large.tif", "large.tif.ovr", "ramp.tif"]


def test_a_file_that_changes_meanwhile_gets_no_overviews(large: Path, monkeypatch: pytest.MonkeyPatch):
    real = rasterio.io.DatasetWriter.build_overviews

    def slowly(*given: Any) -> None:
        real(*given)
        os.utime(large)

    monkeypatch.setattr("data.raster.pyramids.made_in", slowly)
    with pytest.raises(RasterError) as error:
        build(large)
    assert str(error.value) == "large.tif changed while its overviews were made."
    assert [each.name for each in large.parent.iterdir()] == ["large.tif"]


@pytest.mark.skipif(shutil.which("gdalwarp") is None, reason="gdal-bin is not installed")
def test_a_tile_is_what_gdalwarp_makes_of_the_same_grid(tmp_path: Path):
    values = np.random.default_rng(3).integers(0, 255, (40, 40)).astype("uint8")
    path = write(tmp_path / "r.tif", values, Affine(900, 0, 480_000, 0, -900, 5_310_000), "EPSG:32632")
    z = 9
    x, y = _tile_of(source_of(path).box, z)
    bounds = [str(side) for side in tile_box(z, x, y)]
    out = tmp_path / "warped.tif"
    command = [
        "gdalwarp",
        "-q",
        "-t_srs",
        "EPSG:3857",
        "-te",
        *bounds,
        "-ts",
        "256",
        "256",
        "-r",
        "near",
        "-dstalpha",
    ]
    subprocess.run([*command, str(path), str(out)], check=True, capture_output=True)
    with rasterio.open(out) as source:
        expected, alpha = source.read(1), source.read(2)
    found = tile(path, EXACT, z, x, y)
    assert found is not None
    both = (found[..., 3] > 0) & (alpha > 0)
    assert both.sum() > 0.99 * (alpha > 0).sum() > 1000
    assert (found[..., 0] == expected)[both].mean() > 0.99


def test_the_values_at_a_point_are_the_pixels_own(tmp_path: Path):
    bands = np.arange(32, dtype="float32").reshape(2, 4, 4)
    bands[1, 0, 0] = -1
    path = write(tmp_path / "v.tif", bands, degrees(4, 52, 0.25), "EPSG:4326", nodata=-1)
    with rasterio.open(path, "r+") as target:
        target.set_band_description(1, "red")
        target.units = ("W/m2", "")
    assert pixel_values(path, Look(), 4.1, 51.9) == [
        {"name": "red", "value": 0.0, "unit": "W/m2"},
        {"name": "b2", "value": None},
    ]
    summed = pixel_values(path, Look(expression="red + b2"), 4.99, 51.01)
    assert summed is not None and summed[-1] == {"name": "red + b2", "value": 15.0 + 31.0}
    assert pixel_values(path, Look(), 5.01, 51.5) is None
    assert math.isclose(summed[1]["value"], 31.0)
