"""Rasters on the web read by ranges: the same pixels as from the file itself, and few of its bytes."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pytest
import rasterio
from rasterio.warp import transform_bounds
from rasterio.windows import Window

from data.raster.metadata import Linear
from data.raster.told import Told
from data.raster.values import stored_as
from data.web import cog
from data.web.cog import read_window
from data.web.errors import Refused, WebError
from tests.data.web.conftest import Files
from tests.data.web.files import ORIGIN, PIXEL_M, PX, values_of
from tests.real_files import real

LEFT, TOP, SIDE = 600, 300, 100
"""A window of the scene, pixels."""


def box_of(left: int, top: int, side: int) -> tuple[float, float, float, float]:
    """A box in degrees that lies well inside the window's outer pixels, and meets all of them."""
    west, north = ORIGIN[0] + (left + 0.4) * PIXEL_M, ORIGIN[1] - (top + 0.4) * PIXEL_M
    bounds = (west, north - (side - 0.8) * PIXEL_M, west + (side - 0.8) * PIXEL_M, north)
    return transform_bounds("EPSG:32631", "EPSG:4326", *bounds)


def test_an_area_comes_with_the_values_of_the_file_s_own_pixels_and_all_that_is_said_of_them(
    files: Files, tmp_path: Path
):
    piece = read_window(f"{files.base}/files/scene.tif", tmp_path / "area.tif", box_of(LEFT, TOP, SIDE), 2048)
    with rasterio.open(tmp_path / "area.tif") as area, rasterio.open(files.folder / "scene.tif") as scene:
        left, top = (area.transform.c - ORIGIN[0]) / PIXEL_M, (ORIGIN[1] - area.transform.f) / PIXEL_M
        window = Window(left, top, area.width, area.height)
        assert (left, top) == (round(left), round(top))
        assert LEFT - 4 <= left <= LEFT and TOP - 4 <= top <= TOP  # a box in degrees leans against the grid
        assert SIDE <= area.width <= SIDE + 8 and SIDE <= area.height <= SIDE + 8
        np.testing.assert_array_equal(area.read(), values_of(scene, window=window))
        assert (area.crs, area.descriptions, set(area.scales)) == (scene.crs, scene.descriptions, {1.0})
        assert stored_as(area) == {
            "dtype": "uint16",
            "scale": list(scene.scales),
            "offset": list(scene.offsets),
            "nodata": 0,
        }
    assert piece.notes[0].endswith("in the file: value = 0.5 x number + 10, in 1 of its 3 bands.")
    with rasterio.open(tmp_path / "area.tif") as area:
        assert area.tags()["AZIMUTH_SOURCE"] == f"{files.base}/files/scene.tif"
        assert (piece.width, piece.height, piece.bands) == (area.width, area.height, 3)
    assert piece.full_px == (piece.width, piece.height) and piece.pixel == (PIXEL_M, PIXEL_M)


def test_numbers_are_values_by_what_the_item_tells_where_the_file_does_not(files: Files, tmp_path: Path):
    numbers = np.full((64, 64), 3000, "uint16")
    numbers[:2], numbers[2:4] = 0, 1500
    with rasterio.open(files.folder / "scene.tif") as scene:
        place = {"crs": scene.crs, "transform": scene.transform, "width": 64, "height": 64, "count": 1}
    with rasterio.open(files.folder / "B04.tif", "w", driver="GTiff", dtype="uint16", **place) as target:
        target.write(numbers, 1)
    url = f"{files.base}/files/B04.tif"
    told = Told((Linear(0.0001, -0.1),), (0.0,))
    piece = read_window(url, tmp_path / "values.tif", None, 2048, told)
    assert piece.notes == (
        "Its numbers (uint16) were turned into values by the scale and offset in its STAC item: "
        "value = 0.0001 x number - 0.1.",
        "0 is nodata, as its STAC item says.",
    )
    expected = np.full((64, 64), 0.2, "float32")
    expected[:2], expected[2:4] = np.nan, 0.05
    with rasterio.open(tmp_path / "values.tif") as made:
        np.testing.assert_allclose(made.read(1), expected, rtol=1e-6)
    piece = read_window(url, tmp_path / "stored.tif", None, 2048)
    with rasterio.open(tmp_path / "stored.tif") as made:
        np.testing.assert_array_equal(made.read(1), numbers)
        assert (piece.notes, made.nodata) == ((), None)
    # Whose offset is off already has values below 0 by it.
    (files.folder / "taken.tif").write_bytes((files.folder / "B04.tif").read_bytes())
    with rasterio.open(files.folder / "taken.tif", "r+") as target:
        target.write((numbers // 2).clip(0, 900), 1)
    taken = read_window(f"{files.base}/files/taken.tif", tmp_path / "below.tif", None, 2048, told)
    assert taken.notes[1] == (
        "100 % of its values are below 0 by that: the offset may have been taken off before, whatever its "
        "STAC item says."
    )
    assert sorted(each.name for each in tmp_path.iterdir()) == ["below.tif", "stored.tif", "values.tif"]


def test_an_undeclared_value_for_nothing_is_none_of_a_file_on_the_web_too(files: Files, tmp_path: Path):
    heights = np.arange(64 * 64, dtype="int16").reshape(64, 64) % 500
    heights[0] = -9999
    with rasterio.open(files.folder / "scene.tif") as scene:
        place = {"crs": scene.crs, "transform": scene.transform, "width": 64, "height": 64, "count": 1}
    with rasterio.open(files.folder / "dem.tif", "w", driver="GTiff", dtype="int16", **place) as target:
        target.write(heights, 1)
    piece = read_window(f"{files.base}/files/dem.tif", tmp_path / "dem.tif", None, 2048)
    assert piece.notes == (
        "-9,999 lies far from all its other numbers and was taken for nodata, though the file does not say "
        "so.",
    )
    with rasterio.open(tmp_path / "dem.tif") as made:
        np.testing.assert_array_equal(made.read(1), heights)
        assert made.nodata == -9999 and made.tags()["AZIMUTH_SOURCE"] == f"{files.base}/files/dem.tif"


def test_only_the_parts_that_are_needed_are_asked_for(files: Files, tmp_path: Path):
    piece = read_window(f"{files.base}/files/scene.tif", tmp_path / "area.tif", box_of(LEFT, TOP, SIDE), 2048)
    size = (files.folder / "scene.tif").stat().st_size
    assert size > 3_000_000 and piece.bytes_read < size / 2
    assert all(each.startswith("bytes=") for each in files.asked) and len(files.asked) == len(
        set(files.asked)
    )


def test_a_large_area_is_read_from_the_overviews(files: Files, tmp_path: Path):
    piece = read_window(f"{files.base}/files/scene.tif", tmp_path / "small.tif", None, 300)
    with rasterio.open(tmp_path / "small.tif") as small, rasterio.open(files.folder / "scene.tif") as scene:
        np.testing.assert_array_equal(small.read(), values_of(scene, out_shape=(3, 300, 300)))
        assert small.bounds == scene.bounds
    assert (piece.full_px, piece.pixel) == ((PX, PX), (40.0, 40.0))
    assert piece.bytes_read < (files.folder / "scene.tif").stat().st_size / 2


def test_a_redirect_to_the_same_host_is_followed_and_one_to_a_private_address_is_refused(
    files: Files, tmp_path: Path
):
    piece = read_window(f"{files.base}/moved/scene.tif", tmp_path / "area.tif", box_of(LEFT, TOP, 20), 2048)
    assert piece.bands == 3
    with pytest.raises(Refused, match=r"127\.0\.0\.1 is not asked"):
        read_window(f"{files.base}/inside/scene.tif", tmp_path / "no.tif", None, 256)
    assert not (tmp_path / "no.tif").exists()


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("whole", "does not serve parts of files"),
        ("other_place", "does not serve parts of files"),
        ("too_much", "sent more than the part that was asked for"),
        ("grows", "changed while it was read"),
    ],
)
def test_a_server_that_gets_ranges_wrong_is_told(files: Files, tmp_path: Path, way: str, said: str):
    with pytest.raises(WebError, match=said):
        read_window(f"{files.base}/{way}/scene.tif", tmp_path / "area.tif", None, 2048)


def test_an_area_beside_the_raster_is_told(files: Files, tmp_path: Path):
    with pytest.raises(WebError, match=r"^The raster and the area do not meet; give another area"):
        read_window(f"{files.base}/files/scene.tif", tmp_path / "area.tif", (10.0, 10.0, 11.0, 11.0), 2048)


def test_a_vrt_that_would_send_gdal_elsewhere_is_not_opened(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    met: list[object] = []
    vrt = """<VRTDataset rasterXSize="1" rasterYSize="1"><VRTRasterBand dataType="Byte" band="1">
    <SimpleSource><SourceFilename>/vsicurl/http://127.0.0.1:1/x.tif</SourceFilename></SimpleSource>
    </VRTRasterBand>
    </VRTDataset>"""
    (files.folder / "evil.tif").write_text(vrt)
    real = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda to, *a, **k: met.append(to) or real(to, *a, **k))
    with pytest.raises(WebError, match="is no GeoTIFF that can be read"):
        read_window(f"{files.base}/files/evil.tif", tmp_path / "area.tif", None, 256)
    assert len(set(met)) == 1


def test_a_geotiff_that_names_another_file_as_its_overviews_is_refused(files: Files, tmp_path: Path):
    source = files.folder / "leads.tif"
    (tmp_path / "plain.tif").write_bytes((files.folder / "scene.tif").read_bytes())
    with rasterio.open(tmp_path / "plain.tif") as scene:
        profile = {**scene.profile, "width": 64, "height": 64, "count": 1, "driver": "GTiff"}
        for key in ("blockxsize", "blockysize", "tiled"):
            profile.pop(key, None)
    with rasterio.open(source, "w", **profile) as target:
        target.write(np.ones((1, 64, 64), "uint16"))
        target.update_tags(ns="OVERVIEWS", OVERVIEW_FILE="/vsicurl/http://127.0.0.1:1/x.tif")
    with pytest.raises(WebError, match="sends its reader to other files, which is not followed"):
        read_window(f"{files.base}/files/leads.tif", tmp_path / "area.tif", None, 256)


@pytest.mark.parametrize("content", [b"", b"II*\x00", b"no raster at all" * 100])
def test_what_is_no_geotiff_is_told(files: Files, tmp_path: Path, content: bytes):
    (files.folder / "broken.tif").write_bytes(content)
    with pytest.raises(WebError) as caught:
        read_window(f"{files.base}/files/broken.tif", tmp_path / "area.tif", None, 256)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_a_real_scene_is_read_as_from_its_own_file(files: Files, tmp_path: Path):
    found = sorted(real("naip").glob("*.tif"))
    (files.folder / "naip.tif").write_bytes(found[0].read_bytes())
    with rasterio.open(found[0]) as scene:
        middle = [(scene.bounds.left + scene.bounds.right) / 2, (scene.bounds.bottom + scene.bounds.top) / 2]
        bounds = (middle[0], middle[1], middle[0] + 200, middle[1] + 200)
        box = transform_bounds(scene.crs, "EPSG:4326", *bounds)
        read_window(f"{files.base}/files/naip.tif", tmp_path / "area.tif", box, 2048)
        with rasterio.open(tmp_path / "area.tif") as area:
            window = scene.window(*area.bounds).round_offsets().round_lengths()
            np.testing.assert_array_equal(area.read(), scene.read(window=window))


def test_a_piece_or_a_block_that_would_fill_the_memory_is_refused(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cog, "MAX_PIECE_BYTES", 300 * 300 * 3 * 2 - 1)
    with pytest.raises(WebError, match=r"^That is 90,000 pixels of 3 bands, too much to read at once"):
        read_window(f"{files.base}/files/scene.tif", tmp_path / "area.tif", None, 300)
    monkeypatch.setattr(cog, "MAX_PIECE_BYTES", 300 * 300 * 3 * 2)
    monkeypatch.setattr(cog, "MAX_BLOCK_BYTES", 256 * 256 * 2 - 1)
    with pytest.raises(WebError, match=r"^The file is not tiled"):
        read_window(f"{files.base}/files/scene.tif", tmp_path / "area.tif", None, 300)
