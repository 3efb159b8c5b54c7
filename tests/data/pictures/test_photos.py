"""EXIF as a camera writes it, in a JPEG and in the GeoTIFF that a photo becomes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine

from copilot.bench.build.example_files import FOLDER
from data.pictures.photos import Photo, read_exif

PHOTO = FOLDER / "photo.jpg"


def tagged(folder: Path, **tags: Any) -> Photo:
    path = folder / "photo.tif"
    profile = {"driver": "GTiff", "width": 2, "height": 2, "count": 1, "dtype": "uint8"}
    with rasterio.open(path, "w", transform=Affine.scale(2), **profile) as writer:
        writer.write(np.zeros((1, 2, 2), dtype="uint8"))
        writer.update_tags(**{f"EXIF_{name}": value for name, value in tags.items()})
    return read_exif(path)


def test_a_photo_tells_camera_time_place_and_exposure() -> None:
    # Written with 51°49′37.2″N 4°58′12″E, 3.5 m, 212°, 12:40:55 at +02:00, 1/250 s, f/5.6, ISO 200, 35 mm.
    photo = read_exif(PHOTO)
    assert photo == Photo(
        camera="Azimuth Field Camera 2",
        lens=None,
        taken_local="2023-07-14T12:40:55",
        taken_utc="2023-07-14T10:40:55Z",
        lon=4.97,
        lat=51.827,
        altitude_m=3.5,
        direction_deg=212.0,
        exposure_s=0.004,
        f_number=5.6,
        iso=200.0,
        focal_length_mm=35.0,
        tags=photo.tags,
    )


def test_pillow_reads_the_same_position() -> None:
    from PIL import Image

    with Image.open(PHOTO) as image:
        gps = image.getexif().get_ifd(0x8825)
    lat, lon = (sum(float(part) / 60**n for n, part in enumerate(gps[tag])) for tag in (2, 4))
    assert (round(lon, 7), round(lat, 7)) == (read_exif(PHOTO).lon, read_exif(PHOTO).lat)


def test_south_west_and_below_the_sea_are_below_zero(tmp_path: Path) -> None:
    photo = tagged(
        tmp_path, GPSLatitude="(33) (51) (30)", GPSLatitudeRef="S", GPSLongitude="(70) (30) (0)",
        GPSLongitudeRef="W", GPSAltitude="(12.5)", GPSAltitudeRef="0x01",
    )  # fmt: skip
    assert (photo.lon, photo.lat, photo.altitude_m) == (-70.5, pytest.approx(-33.8583333), -12.5)


def test_the_time_of_the_gps_is_utc_and_a_bare_clock_has_no_zone(tmp_path: Path) -> None:
    gps = tagged(tmp_path, GPSDateStamp="2021:02:03", GPSTimeStamp="(23) (5) (7.5)")
    assert gps.taken_utc == "2021-02-03T23:05:07Z"
    bare = tagged(tmp_path, DateTimeOriginal="2021:02:03 04:05:06")
    assert (bare.taken_local, bare.taken_utc) == ("2021-02-03T04:05:06", None)


@pytest.mark.parametrize(
    "tags",
    [
        {"GPSLatitude": "(99) (0) (0)", "GPSLatitudeRef": "N"},
        {"GPSLatitude": "nan", "GPSLatitudeRef": "N"},
        {"GPSLatitude": "(1) (2) (3) (4)", "GPSLatitudeRef": "N"},
        {"DateTimeOriginal": "0000:00:00 00:00:00", "OffsetTimeOriginal": "+99:99"},
        {"GPSDateStamp": "2021:99:99", "GPSTimeStamp": "(99) (0) (0)"},
        {"ExposureTime": "inf", "FNumber": "-1", "ISOSpeedRatings": "none"},
    ],
)
def test_nonsense_is_nothing(tmp_path: Path, tags: dict[str, str]) -> None:
    photo = tagged(tmp_path, **tags)
    assert photo == Photo(*[None] * 12, tags=len(tags))


def test_a_name_with_controls_is_one_line(tmp_path: Path) -> None:
    photo = tagged(tmp_path, Make="A\tB", Model="A\tB C")
    assert photo.camera == "A B C"


def test_a_copy_under_another_name_reads_alike(tmp_path: Path) -> None:
    shutil.copy(PHOTO, tmp_path / "IMG.TIF")
    assert read_exif(tmp_path / "IMG.TIF") == read_exif(PHOTO)
