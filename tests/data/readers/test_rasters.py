"""A folder of rasters."""

import json
import os
from datetime import datetime

import pytest
import rasterio
from affine import Affine
from rasterio.control import GroundControlPoint

from data.readers.base import Rejected
from data.readers.rasters import NO_PLACE, READER
from data.readers.when import day_in_name, parse_time, year_in_name
from tests.real_files import real


def test_naip_images_have_place_pixel_size_bands_sensor_and_day(read):
    found = read(READER, real("naip"))
    first = found.images[0]
    assert len(found.images) == 8
    assert (found.rejected, found.noted) == ([], [])
    assert first.name == "m_4709963_se_14_1_20090818.tif"
    assert (first.sensor, first.modality, first.bands) == (
        "NAIP",
        "multispectral",
        ("red", "green", "blue", "nir"),
    )
    assert first.acquired == datetime(2009, 8, 18)
    assert first.gsd_m == pytest.approx(5.0, abs=0.01)
    assert (first.extent.lon, first.extent.lat) == pytest.approx((-99.1554, 47.0174), abs=1e-3)
    assert first.extent.outline is not None, "a UTM image is not quite a box of longitudes and latitudes"


def test_landsat_images_named_by_year_begin_that_year(read):
    found = read(READER, real("landsat"))
    assert [row.acquired.year for row in found.images] == [1985, 1990, 2000, 2005, 2015, 2020]
    assert {row.sensor for row in found.images} == {"Landsat"}


def test_oddities_are_each_told_in_one_sentence(read):
    found = read(READER, real("rasterio_fixtures"))
    reasons = {item.file: item.reason for item in found.rejected}
    assert reasons["corrupt.tif"] == "some of the pixels cannot be read: the file is damaged or cut short"
    assert reasons["RGB.byte.gcp.vrt"] == ".vrt files are not read; a GeoTIFF of it would have worked"
    unplaced = {item.file for item in found.noted if item.reason == NO_PLACE}
    assert unplaced == {
        "389225main_sw_1965_1024.jpg",
        "float.tif",
        "float32.tif",
        "float_nan.tif",
        "rotated.tif",
    }
    by_name = {row.name: row for row in found.images}
    assert by_name["rotated.tif"].extent is None
    assert by_name["all-nodata.tif"].acquired == datetime(2022, 1, 17, 10, 43, 43)
    world = by_name["world.byte.tif"].extent
    assert (world.west, world.south, world.east, world.north) == (-180, -75, 180, 75)


def test_a_rotated_radar_image_has_its_oblique_outline(read):
    row = read(READER, real("spacenet/sar_hh.tif")).images[0]
    assert (row.modality, row.gsd_m) == ("sar", pytest.approx(2.5, abs=0.01))
    assert row.extent.outline is not None
    assert (row.extent.lon, row.extent.lat) == pytest.approx((4.349, 51.888), abs=0.01)


def test_an_image_with_control_points_only_is_placed_by_them(tmp_path, geotiff, read):
    corners = [(0, 0, 10, 50), (0, 20, 10.2, 50), (10, 0, 10, 49.9), (10, 20, 10.2, 49.9)]
    points = [GroundControlPoint(row=row, col=col, x=x, y=y) for row, col, x, y in corners]
    path = geotiff(tmp_path / "gcp.tif", transform=None, gcps=points)
    row = read(READER, path).images[0]
    assert (row.extent.lon, row.extent.lat) == pytest.approx((10.1, 49.95))
    assert (row.extent.west, row.extent.north) == pytest.approx((10, 50))


def test_a_raster_across_the_antimeridian_has_west_beyond_east(tmp_path, geotiff, read):
    path = geotiff(
        tmp_path / "fiji.tif", crs="EPSG:32760", transform=Affine(10_000, 0, 740_000, 0, -10_000, 8_100_000)
    )
    extent = read(READER, path).images[0].extent
    assert extent.west > 170
    assert extent.east < -170
    assert abs(extent.lon) > 178


def test_the_quicklook_is_a_png_of_at_most_512_pixels(read):
    png = read(READER, real("joplin/0_post.tif")).images[0].quicklook_png
    assert png.startswith(b"\x89PNG")
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (512, 512)


def test_a_stac_item_beside_a_raster_says_when_and_how_cloudy(tmp_path, geotiff, read):
    geotiff(tmp_path / "scene.tif")
    item = {
        "type": "Feature",
        "stac_version": "1.0.0",
        "geometry": None,
        "properties": {
            "datetime": "2021-06-01T10:00:00+02:00",
            "eo:cloud_cover": 12.5,
            "platform": "sentinel-2a",
        },
    }
    (tmp_path / "scene.json").write_text(json.dumps(item))
    row = read(READER, tmp_path).images[0]
    assert (row.acquired, row.cloud_pct, row.sensor) == (datetime(2021, 6, 1, 8), 12.5, "sentinel-2a")


def test_tags_say_when_before_the_name_does(tmp_path, geotiff, read):
    path = geotiff(tmp_path / "scene_20090818.tif")
    with rasterio.open(path, "r+") as target:
        target.update_tags(ACQUISITIONDATETIME="2015-03-04T05:06:07Z", TIFFTAG_DATETIME="2022:01:17 10:43:43")
    assert read(READER, path).images[0].acquired == datetime(2015, 3, 4, 5, 6, 7)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (
            b"<VRTDataset/>",
            "the file is not a TIFF, PNG, JPEG or JPEG 2000, although its name ends in '.tif'",
        ),
    ],
)
def test_what_only_calls_itself_a_tiff_is_rejected(tmp_path, read, content, reason):
    (tmp_path / "scene.tif").write_bytes(content)
    assert read(READER, tmp_path).rejected == [Rejected("scene.tif", None, reason)]


def test_a_truncated_raster_is_rejected_and_the_next_one_read(tmp_path, geotiff, read):
    whole = geotiff(tmp_path / "a.tif", width=400, height=400).read_bytes()
    (tmp_path / "a.tif").write_bytes(whole[: len(whole) // 2])
    geotiff(tmp_path / "b.tif")
    found = read(READER, tmp_path)
    assert [item.file for item in found.rejected] == ["a.tif"]
    assert [row.name for row in found.images] == ["b.tif"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path, geotiff, read):
    geotiff(tmp_path / "outside.tif")
    inside = tmp_path / "inside"
    geotiff(inside / "own.tif")
    os.symlink(tmp_path / "outside.tif", inside / "link.tif")
    assert [row.name for row in read(READER, inside).images] == ["own.tif"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("m_4709963_se_14_1_20090818", datetime(2009, 8, 18)),
        ("S2A_MSIL2A_20170613T101031_N9999", datetime(2017, 6, 13, 10, 10, 31)),
        ("scene-2015-03-04T05:06:07Z", datetime(2015, 3, 4, 5, 6, 7)),
        ("2015_03_04", datetime(2015, 3, 4)),
        ("P0123_4800_5600_4800_5600", None),
        ("20231399", None),
    ],
)
def test_a_day_is_read_from_a_name(name, found):
    assert day_in_name(name) == found


def test_a_year_counts_only_when_it_stands_alone():
    assert year_in_name("1985") == datetime(1985, 1, 1)
    assert year_in_name("P2015x") is None
    assert year_in_name("tile_4800") is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2017/07/24 12:49:09", datetime(2017, 7, 24, 12, 49, 9)),
        ("2012-04-02T10:32:22Z", datetime(2012, 4, 2, 10, 32, 22)),
        ("2020", datetime(2020, 1, 1)),
        ("soon", None),
        (None, None),
    ],
)
def test_a_time_is_read_as_metadata_writes_it(text, found):
    assert parse_time(text) == found
