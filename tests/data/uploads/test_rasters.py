"""Rasters as they come in: their place, their pixels, and what is said of both."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from PIL import Image
from rasterio.control import GroundControlPoint

from data.uploads.bring import bring, staged
from data.uploads.brought import Asked, Brought
from data.uploads.gdal import quiet_gdal
from tests.data.uploads.samples import UTM31, photo, picture, pixels, raster, zipped


def brought(path: Path, folder: Path, keep: str = "kept.tif", **asked: Any) -> Brought:
    """What the file becomes; its raster stays as `keep`."""
    folder.mkdir(exist_ok=True)
    with staged(path, folder, asked=Asked(**asked)) as incoming:
        found = bring(incoming)
        shutil.copyfile(found.path, folder / keep)
    assert [each.name for each in folder.iterdir()] == [keep]
    return found


def read(path: Path) -> tuple[np.ndarray, str | None, Affine]:
    with quiet_gdal(), rasterio.open(path) as source:
        return source.read(), source.crs and source.crs.to_string(), source.transform


@pytest.mark.parametrize("suffix", [".pgw", ".wld", ".PGW"])
def test_a_world_file_beside_a_picture_places_it(tmp_path: Path, suffix: str) -> None:
    path = picture(tmp_path / "scan.png")
    # A world file gives the middle of the first pixel, GDAL's transform its corner.
    path.with_suffix(suffix).write_text("0.1\n0\n0\n-0.1\n4.05\n51.95\n")
    found = brought(path, tmp_path / "out")
    values, crs, transform = read(tmp_path / "out" / "kept.tif")
    assert (values == pixels()).all() and crs == "EPSG:4326"
    assert np.allclose(tuple(transform), tuple(Affine(0.1, 0, 4, 0, -0.1, 52)))
    assert found.notes[0] == "Its place comes from the world file beside it."


def test_a_world_file_and_a_projection_in_a_zip_place_the_picture(tmp_path: Path) -> None:
    from pyproj import CRS

    png = picture(tmp_path / "scan.png").read_bytes()
    world = b"10\n0\n0\n-10\n590005\n5749995\n"
    files = {"a/scan.png": png, "a/scan.pgw": world, "a/scan.prj": CRS(32631).to_wkt("WKT1_ESRI").encode()}
    found = brought(zipped(tmp_path / "scan.zip", files), tmp_path / "out")
    values, _, transform = read(tmp_path / "out" / "kept.tif")
    assert (values == pixels()).all()
    assert np.allclose(tuple(transform), tuple(UTM31))
    assert found.facts["crs"] == "EPSG:32631"


def test_a_photos_camera_is_kept_and_places_nothing(tmp_path: Path) -> None:
    found = brought(photo(tmp_path / "photo.jpg"), tmp_path / "out")
    assert (found.bbox, found.point) == (None, (4.48, 51.92))
    assert found.item["properties"]["camera"] == {"type": "Point", "coordinates": [4.48, 51.92]}
    assert found.facts["acquired"] == "2023-07-14T09:30:00"


def test_a_raster_without_a_crs_is_taken_in_degrees_only_where_that_can_be(tmp_path: Path) -> None:
    degrees = raster(tmp_path / "degrees.tif", crs=None, transform=Affine(0.1, 0, 4, 0, -0.1, 52))
    found = brought(degrees, tmp_path / "out")
    assert found.bbox == pytest.approx((4, 51.2, 5, 52))
    assert "taken as EPSG:4326" in found.notes[0]
    metres = raster(tmp_path / "metres.tif", crs=None)
    asked = brought(metres, tmp_path / "more")
    assert asked.bbox is None and "add it again with crs, such as crs=EPSG:32631" in asked.notes[0]
    told = brought(metres, tmp_path / "told", crs="EPSG:32631")
    assert told.facts["crs"] == "EPSG:32631" and told.bbox is not None
    assert read(tmp_path / "told" / "kept.tif")[2] == UTM31


@pytest.mark.skipif(shutil.which("gdalwarp") is None, reason="GDAL's command-line tools are not installed")
def test_control_points_in_the_file_are_followed_as_gdalwarp_does(tmp_path: Path) -> None:
    points = [
        GroundControlPoint(0, 0, 4.0, 52.0, 0), GroundControlPoint(0, 60, 4.6, 52.1, 0),
        GroundControlPoint(40, 0, 3.9, 51.6, 0), GroundControlPoint(40, 60, 4.5, 51.7, 0),
    ]  # fmt: skip
    path = raster(tmp_path / "gcp.tif", values=pixels(1, 40, 60), crs=None, transform=None, nodata=0)
    with quiet_gdal(), rasterio.open(path, "r+") as target:
        target.gcps = (points, rasterio.crs.CRS.from_epsg(4326))
    found = brought(path, tmp_path / "out")
    values, crs, transform = read(tmp_path / "out" / "kept.tif")
    assert "4 ground control points" in found.notes[0]
    by_gdal = tmp_path / "warped.tif"
    grid = ["-te", *map(str, rasterio.transform.array_bounds(*values.shape[1:], transform))]
    size = ["-ts", str(values.shape[2]), str(values.shape[1])]
    command = ["gdalwarp", "-q", "-t_srs", "EPSG:4326", "-r", "near", *grid, *size, str(path), str(by_gdal)]
    subprocess.run(command, check=True, capture_output=True)
    with rasterio.open(by_gdal) as source:
        assert (values == source.read()).mean() > 0.999
    assert crs == "EPSG:4326" and values.any()


def test_an_image_of_a_palette_keeps_its_colours(tmp_path: Path) -> None:
    Image.fromarray(np.moveaxis(pixels(), 0, -1)).quantize(7).save(tmp_path / "map.png")
    brought(tmp_path / "map.png", tmp_path / "out")
    kept = tmp_path / "out" / "kept.tif"
    with quiet_gdal(), rasterio.open(tmp_path / "map.png") as before, rasterio.open(kept) as after:
        assert (before.read() == after.read()).all()
        assert before.colormap(1)[3] == after.colormap(1)[3]


def test_statistics_of_a_large_raster_come_from_a_sample_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.uploads.statistics.EXACT_VALUES", 1000)
    values = np.random.default_rng(2).normal(50, 5, (1, 2048, 1500)).astype("float32")
    path = raster(tmp_path / "large.tif", values=values, tiled=True, blockxsize=256, blockysize=256)
    found = brought(path, tmp_path / "out")
    assert found.item["properties"]["statistics:sampled"] is True
    assert found.facts["statistics"][0]["mean"] == pytest.approx(50, abs=0.1)
    assert found.facts["statistics"][0]["std"] == pytest.approx(5, abs=0.1)


def test_one_value_far_down_in_a_large_raster_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.uploads.statistics.EXACT_VALUES", 1000)
    monkeypatch.setattr("data.uploads.statistics.SAMPLE_BLOCKS", 2)
    monkeypatch.setattr("data.uploads.statistics._PIECE_PX", 64)
    values = np.full((1, 600, 600), np.nan, "float32")
    values[0, 599, 599] = 3
    found = brought(raster(tmp_path / "sparse.tif", values=values), tmp_path / "out")
    assert found.facts["statistics"][0]["max"] == 3


def test_a_raster_of_one_value_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "plain.png"
    Image.new("RGB", (20, 10), (200, 200, 200)).save(path)
    assert brought(path, tmp_path / "out").notes[-1] == (
        "Every pixel has the same value, 200, so there is nothing to be seen in it."
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("harbour in 2019.png", "Its time, by its name, is the year 2019."),
        ("harbour 2019-01-01.png", "Its time, by its tags or its name, is 2019-01-01."),
    ],
)
def test_a_year_alone_in_a_name_is_said_to_be_one(tmp_path: Path, name: str, said: str) -> None:
    path = picture(tmp_path / name)
    assert brought(path, tmp_path / "out").notes[-1] == said
