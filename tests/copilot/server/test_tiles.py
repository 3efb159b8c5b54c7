"""Tiles of raster layers: whose they are, what they show, and when a browser may keep them."""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from rasterio.io import MemoryFile
from starlette.testclient import TestClient

from copilot.live import Live
from copilot.session import Session
from tests.copilot.server.conftest import owner
from tests.tools.prepared import write_raster

PLACE = "7/65/42"
"""The tile around 4.2 E, 51.5 N, in the west of the sixteen heights."""


@pytest.fixture
def heights(live: Live, client: TestClient) -> Session:
    """A session with sixteen heights, 0 to 15, over the Rhine's mouth on its map."""
    session = live.create(owner(client))
    uploads = live.engine.uploads(session.row.owner)
    uploads.mkdir(parents=True)
    write_raster(uploads / "heights.tif")
    added = session.call("add_file", file="heights.tif", name="Heights")
    assert added.ok, added.text
    return session


def tile_of(session: Session, place: str = PLACE) -> str:
    return f"/api/sessions/{session.id}/layers/heights/tiles/{place}.png"


def pixels_of(body: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(body)) as picture:
        assert (picture.format, picture.size) == ("PNG", (256, 256))
        return np.asarray(picture.convert("RGBA"))


def test_a_tile_shows_the_layers_own_look(client: TestClient, heights: Session):
    layer = heights.state.map.layers[-1]
    heights.call("add_raster_layer", artifact=layer.artifact, stretch=[0, 15], colormap="grey")
    seen = pixels_of(client.get(tile_of(heights)).content)
    there = seen[..., 3] > 0
    assert 0.1 < there.mean() < 0.9
    assert set(np.unique(seen[there][:, 0])) <= {17 * each for each in range(16)}
    heights.call("add_raster_layer", artifact=layer.artifact, colormap="green")
    greens = pixels_of(client.get(tile_of(heights)).content)
    assert [each.id for each in heights.state.map.layers] == ["heights"]
    assert ((greens[..., 3] > 0) == there).all()
    dark = greens[there][seen[there][:, 0] == seen[there][:, 0].max()][0].astype(int)
    assert dark[1] > dark[0] and dark[1] > dark[2]


def test_a_tile_beside_the_raster_is_empty(client: TestClient, heights: Session):
    answer = client.get(tile_of(heights, "7/1/1"))
    assert answer.status_code == 200
    assert not pixels_of(answer.content)[..., 3].any()


def test_a_browser_keeps_a_tile_until_the_look_or_the_file_changes(client: TestClient, heights: Session):
    first = client.get(tile_of(heights))
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, max-age=300"
    again = client.get(tile_of(heights), headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    layer = heights.state.map.layers[-1]
    heights.call("add_raster_layer", artifact=layer.artifact, stretch="minmax")
    restyled = client.get(tile_of(heights), headers={"If-None-Match": tag})
    assert restyled.status_code == 200
    path = heights.engine.artifacts(heights.id).find(str(layer.artifact))
    assert path is not None
    os.utime(path, ns=(1, 1))
    touched = client.get(tile_of(heights), headers={"If-None-Match": restyled.headers["etag"]})
    assert touched.status_code == 200
    assert len({tag, restyled.headers["etag"], touched.headers["etag"]}) == 3


@pytest.mark.parametrize("place", ["0/0/1", "3/8/0", "25/0/0"])
def test_a_tile_that_no_map_has_is_told(client: TestClient, heights: Session, place: str):
    answer = client.get(tile_of(heights, place))
    sentence = f"There is no tile {place}: z goes to 24, x and y to 2^z - 1."
    assert (answer.status_code, answer.json()) == (400, {"error": sentence})


def test_only_the_sessions_own_raster_layers_have_tiles(
    client: TestClient, stranger: TestClient, heights: Session, mine: Session
):
    other = f"/api/sessions/{mine.id}/layers"
    for layer in ("heights", "clusters", heights.state.map.layers[-1].artifact):
        answer = client.get(f"{other}/{layer}/tiles/0/0/0.png")
        assert (answer.status_code, answer.json()) == (
            404,
            {"error": f"The map has no raster layer {layer!r}."},
        )
    for path in (tile_of(heights), f"/api/sessions/{heights.id}/pixels?lon=4&lat=51"):
        denied = stranger.get(path)
        assert (denied.status_code, denied.json()) == (404, {"error": "There is no such session here."})
    heights.undo()
    assert client.get(tile_of(heights)).status_code == 404


def test_a_click_reads_the_visible_rasters_and_leaves_no_trace(client: TestClient, heights: Session):
    events = len(heights.events)
    path = f"/api/sessions/{heights.id}/pixels"
    answer = client.get(path, params={"lon": "4.6", "lat": "51.9"}).json()
    assert answer == {
        "layers": [{"layer": "heights", "name": "Heights", "values": [{"name": "b1", "value": 2}]}]
    }
    assert client.get(path, params={"lon": "9", "lat": "51.9"}).json() == {"layers": []}
    heights.call("hide_layer", layer="heights")
    assert client.get(path, params={"lon": "4.6", "lat": "51.9"}).json() == {"layers": []}
    assert len(heights.events) == events + 1
    wrong = client.get(path, params={"lon": "400", "lat": "51.9"})
    assert wrong.json() == {"error": "'lon' must be a number from -180 to 180; '400' came in."}


def test_the_view_says_which_layers_come_as_tiles(client: TestClient, heights: Session):
    heights.call("draw_marker", lon=4.5, lat=51.5)
    layers = client.get(f"/api/sessions/{heights.id}/view").json()["layers"]
    assert [(each["kind"], each["tiles"]) for each in layers] == [("raster", True), ("drawing", False)]
    ramp = layers[0]["ramp"]
    assert (ramp["low"], ramp["high"], layers[1]["ramp"]) == (0.3, 14.7, None)
    assert (ramp["colours"][0], ramp["colours"][-1]) == ("#000000", "#ffffff")


def test_a_file_that_broke_is_told_in_a_sentence(client: TestClient, heights: Session):
    path = heights.engine.artifacts(heights.id).find(str(heights.state.map.layers[-1].artifact))
    assert path is not None
    path.write_bytes(path.read_bytes()[:200])
    answer = client.get(tile_of(heights))
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".") and "\n" not in answer.json()["error"]


def test_an_artifact_is_downloaded_in_the_format_that_is_asked_for(client: TestClient, heights: Session):
    artifact = heights.state.map.layers[-1].artifact
    path = f"/api/sessions/{heights.id}/artifacts/{artifact}"
    cog = client.get(path, params={"format": "cog"})
    assert cog.headers["content-disposition"].startswith('attachment; filename="Heights.tif"')
    with MemoryFile(cog.content) as memory, memory.open() as source:
        assert source.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert source.read(1).tolist() == np.arange(16).reshape(4, 4).tolist()
    picture = client.get(path, params={"format": "png"})
    assert (picture.headers["content-type"], picture.content[:4]) == ("image/png", b"\x89PNG")
    wrong = client.get(path, params={"format": "exe"})
    assert (wrong.status_code, wrong.json()) == (
        422,
        {"error": f"{artifact} cannot be had as 'exe'; its formats are cog, geotiff, png."},
    )
    assert list(Path(tempfile.gettempdir()).glob(f"azimuth-download-*/{artifact}*")) == []


def test_the_session_is_downloaded_as_a_stac_catalogue(
    client: TestClient, stranger: TestClient, heights: Session
):
    path = f"/api/sessions/{heights.id}/stac"
    answer = client.get(path)
    assert answer.headers["content-disposition"].startswith('attachment; filename="session.stac.zip"')
    with zipfile.ZipFile(io.BytesIO(answer.content)) as packed:
        names = packed.namelist()
    artifact = heights.state.map.layers[-1].artifact
    assert names == ["catalog.json", f"{artifact}/{artifact}.json", f"{artifact}/{artifact}.tif"]
    assert stranger.get(path).status_code == 404
