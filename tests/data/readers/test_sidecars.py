"""What lies beside a raster, and what it calls its coordinate system, leads to no other file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine

from data.raster.errors import RasterError
from data.raster.warp import crs_of
from data.readers.base import BadRecord
from data.readers.raster_info import open_raster
from data.readers.sidecars import is_alone, names_a_file
from data.uploads.errors import UploadError
from data.uploads.gdal import opened as opened_upload
from data.uploads.placing import crs_named

VRT = """<VRTDataset rasterXSize="32" rasterYSize="32"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>
<SourceFilename relativeToVRT="0">{}</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>
</VRTDataset>"""
PAM = """<PAMDataset><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">{}</MDI></Metadata></PAMDataset>"""
NOTES = '<PAMDataset><Metadata><MDI key="note">mine</MDI></Metadata></PAMDataset>'


def square(path: Path, value: int, pixels: int = 64) -> Path:
    profile = {"driver": "GTiff", "width": pixels, "height": pixels, "count": 1, "dtype": "uint8"}
    place = {"crs": "EPSG:4326", "transform": Affine(1 / pixels, 0, 4, 0, -1 / pixels, 52)}
    with rasterio.open(path, "w", **profile, **place) as target:
        target.write(np.full((1, pixels, pixels), value, "uint8"))
    return path


def seen(path: Path) -> int:
    """The largest value of the raster drawn small, which is when overviews are read."""
    with open_raster(path) as source:
        return int(source.read(1, out_shape=(16, 16)).max())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine.tif.ovr", VRT),
        ("mine.ovr", VRT),
        ("mine.tif.OVR", VRT),
        ("mine.tif.aux.xml", PAM),
        ("mine.tif.msk", VRT),
    ],
)
def test_pixels_of_another_file_are_not_shown(tmp_path: Path, name: str, content: str) -> None:
    secret, mine = square(tmp_path / "secret.tif", 77, 32), square(tmp_path / "mine.tif", 1)
    (tmp_path / name).write_text(content.format(secret))
    assert (is_alone(mine), seen(mine)) == (True, 1)


def test_a_link_beside_a_raster_is_not_followed(tmp_path: Path) -> None:
    secret, mine = square(tmp_path / "secret.tif", 77, 32), square(tmp_path / "mine.tif", 1)
    (tmp_path / "mine.tif.ovr").symlink_to(secret)
    assert seen(mine) == 1


def test_overviews_and_notes_that_are_the_rasters_own_are_read(tmp_path: Path) -> None:
    mine = square(tmp_path / "mine.tif", 1)
    square(tmp_path / "mine.tif.ovr", 9, 32)
    (tmp_path / "mine.tif.aux.xml").write_text(NOTES)
    assert (is_alone(mine), seen(mine)) == (False, 9)
    with open_raster(mine) as source:
        assert source.tags()["note"] == "mine"


PATHS = ["+init={}:4326", "init={}:4326", "+proj=longlat +nadgrids={}", "+proj=longlat +nadgrids=@null,{}",
         "+proj=utm +zone=31 +geoidgrids=@{}", "+proj=longlat +nadgrids=../../{}"]  # fmt: skip


@pytest.mark.parametrize("text", PATHS)
def test_a_coordinate_system_that_names_a_file_is_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "grid.gsb"
    file.write_text("<4326> +proj=longlat +datum=WGS84 +title=HIDDEN <>\n")
    named = text.format(file)
    with pytest.raises(RasterError, match="There is no coordinate system"):
        crs_of(named)
    with pytest.raises(UploadError, match="is no coordinate system that is known"):
        crs_named(named)


def test_a_raster_whose_own_coordinate_system_names_a_file_is_refused(tmp_path: Path) -> None:
    grid, mine = tmp_path / "grid.gsb", square(tmp_path / "mine.tif", 1)
    grid.write_text("x")
    with rasterio.open(mine) as source:
        wkt = source.crs.to_wkt()
    proj = f'EXTENSION["PROJ4","+proj=longlat +datum=WGS84 +nadgrids={grid} +no_defs"]'
    assert names_a_file(f"{wkt[:-1]},{proj}]")
    notes = f"<PAMDataset><SRS>{wkt[:-1]},{proj}]</SRS></PAMDataset>"
    (tmp_path / "mine.tif.aux.xml").write_text(notes.replace('"', "&quot;"))
    assert seen(mine) == 1 and is_alone(mine)


USUAL = """EPSG:32631|WGS 84 / UTM zone 31N|+proj=merc +a=6378137 +nadgrids=@null +wktext|OGC:CRS84
+proj=longlat +nadgrids=us_noaa_conus.tif|urn:ogc:def:crs:EPSG::3857"""


@pytest.mark.parametrize("text", "|".join(USUAL.splitlines()).split("|"))
def test_usual_names_of_coordinate_systems_name_no_file(text: str) -> None:
    assert not names_a_file(text)
    for code in (3857, 32631, 2056, 27700):
        assert not names_a_file(rasterio.CRS.from_epsg(code).to_wkt())


@pytest.mark.parametrize(("domain", "key"), [("OVERVIEWS", "OVERVIEW_FILE"), ("GEOLOCATION", "X_DATASET")])
def test_a_raster_that_names_another_file_as_a_part_of_it_is_refused(
    tmp_path: Path, domain: str, key: str
) -> None:
    secret, mine = square(tmp_path / "secret.tif", 77, 32), square(tmp_path / "mine.tif", 1)
    with rasterio.open(mine, "r+") as target:
        target.update_tags(ns=domain, **{key: str(secret)})
    with pytest.raises(BadRecord, match="the file names another file as a part of it"):
        seen(mine)
    refused = pytest.raises(UploadError, match=r"mine\.tif' names another file as a part of it")
    with refused, opened_upload(mine, "tiff", "mine.tif"):
        pass
