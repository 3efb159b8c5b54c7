"""Rasters in the browser: tiles, looks, a swipe of two, the values under a click, and taking them away."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import Request, urlopen

import numpy as np
import pytest
import rasterio
from affine import Affine
from playwright.sync_api import expect

from tests.e2e.app import Tab

SEEN = """() => {
  const names = {};
  for (const [id, layer] of azimuth.layers)
    names[id] = { pane: layer.paneName, clip: layer.pane.style.clip, opacity: layer.pane.style.opacity };
  return names;
}"""
COLOUR = """async ([layer, lon, lat]) => {
  const pane = azimuth.layers.get(layer).pane;
  const spot = azimuth.map.latLngToContainerPoint([lat, lon]);
  const frame = azimuth.map.getContainer().getBoundingClientRect();
  const at = [frame.left + spot.x, frame.top + spot.y];
  for (const tile of pane.querySelectorAll("img")) {
    const box = tile.getBoundingClientRect();
    if (at[0] < box.left || at[0] >= box.right || at[1] < box.top || at[1] >= box.bottom) continue;
    await tile.decode();
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 256;
    canvas.getContext("2d").drawImage(tile, 0, 0);
    const [x, y] = [(at[0] - box.left) / box.width * 256, (at[1] - box.top) / box.height * 256];
    return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
  }
  return null;
}"""


@pytest.fixture
def scenes(tmp_path: Path) -> tuple[Path, Path]:
    """A ramp from 0 in the west to 250 in the east, and one the other way, each a degree wide."""
    ramp = np.tile((np.arange(100) * 2.5).astype("uint8"), (100, 1))
    paths = tmp_path / "before.tif", tmp_path / "after.tif"
    for path, values in zip(paths, (ramp, ramp[:, ::-1]), strict=True):
        profile = {"driver": "GTiff", "width": 100, "height": 100, "count": 1, "dtype": "uint8"}
        place = {"crs": "EPSG:4326", "transform": Affine(0.01, 0, 4, 0, -0.01, 52)}
        with rasterio.open(path, "w", **profile, **place) as target:
            target.write(values, 1)
            target.set_band_description(1, "height")
    return paths


def shown(tab: Tab, path: Path, **look: object) -> str:
    """Bring a raster in, show it as asked, wait for its tiles; its layer's id."""
    tab.add_file(path)
    layers = tab.see("azimuth.view.layers")
    assert isinstance(layers, list)
    tab.call("add_raster_layer", artifact=artifact_of(tab), stretch=[0, 250], **look)
    return str(layers[-1]["id"])


def artifact_of(tab: Tab) -> str:
    """The newest raster."""
    from copilot.engine import Engine
    from copilot.session import Session

    engine = Engine(home=tab.server.home, catalogue_url=tab.server.environment["AZIMUTH_CATALOGUE"])
    return Session.open(tab.session, engine=engine).state.artifacts[-1].id


def colour(tab: Tab, layer: str, lon: float, lat: float) -> list[int]:
    frame = next(each for each in tab.page.frames if "streamlit_folium" in each.url)
    expect(tab.map.locator(".az-tile img").first).to_be_visible()
    tab.stand()
    found = frame.evaluate(COLOUR, [layer, lon, lat])
    assert isinstance(found, list)
    return found


def test_a_raster_is_seen_restyled_swiped_asked_and_taken_away(
    tab: Tab, scenes: tuple[Path, Path], screenshot_folder: Path
):
    before = shown(tab, scenes[0])
    tab.call("fit_layer", layer=before)
    # Column 75 holds 187: grey 187/250 of the way to white.
    seen = colour(tab, before, 4.755, 51.5)
    assert seen == [191, 191, 191, 255]
    tab.call("add_raster_layer", artifact=artifact_of(tab), colormap="green")
    assert tab.see("azimuth.view.layers.length") == 1
    green = colour(tab, before, 4.755, 51.5)
    assert green[1] > green[0] and green[1] > green[2]
    expect(tab.map.locator(".az-ramp")).to_have_text("0250")

    after = shown(tab, scenes[1], colormap="magma")
    tab.call("swipe_layers", left=before, right=after)
    frame = next(each for each in tab.page.frames if "streamlit_folium" in each.url)
    clips = frame.evaluate(SEEN)
    left, right = clips[before]["clip"], clips[after]["clip"]
    assert left.startswith("rect(") and right.startswith("rect(") and left != right
    width = float(tab.see("azimuth.map.getSize().x"))
    edges = [float(part.removesuffix("px")) for part in left[5:-1].split(", ")]
    assert edges[1] - edges[3] == pytest.approx(width / 2, abs=1)
    tab.map.get_by_role("slider", name="Swipe between the two layers").fill("250")
    moved = frame.evaluate(SEEN)[before]["clip"]
    edges = [float(part.removesuffix("px")) for part in moved[5:-1].split(", ")]
    assert edges[1] - edges[3] == pytest.approx(width / 4, abs=2)
    tab.shot(screenshot_folder, "raster-swipe")

    box = tab.page.locator("iframe[title='streamlit_folium.st_folium']").bounding_box()
    spot = tab.see("(({x, y}) => [x, y])(azimuth.map.latLngToContainerPoint([51.6, 4.255]))")
    assert box is not None and isinstance(spot, list)
    tab.page.mouse.click(box["x"] + spot[0], box["y"] + spot[1])
    popup = tab.map.locator(".az-pixels")
    expect(popup).to_be_visible()
    tables = popup.locator("table")
    expect(tables).to_have_text(["afterheight185", "beforeheight62"])
    tab.shot(screenshot_folder, "raster-values")

    # By its name: a panel that is still drawn shows the lines of a moment ago.
    line = tab.panel("Layers").locator("[class*='st-key-layer-']").filter(has_text="after")
    line.get_by_role("button", name="Download").click()
    menu = tab.page.get_by_test_id("stPopoverBody")
    links = menu.get_by_role("link")
    expect(links).to_have_text(["Cloud-optimised GeoTIFF", "GeoTIFF", "PNG, as it looks on the map"])
    with tab.page.expect_download() as download, tab.page.expect_popup():
        links.first.click()
    with rasterio.open(download.value.path()) as source:
        assert source.tags(ns="IMAGE_STRUCTURE")["LAYOUT"] == "COG"
        assert source.read(1)[0, :3].tolist() == [247, 245, 242]
    tab.shot(screenshot_folder, "raster-downloads")


def test_another_browser_sees_none_of_it(tab: Tab, scenes: tuple[Path, Path]):
    layer = shown(tab, scenes[0])
    url = f"{tab.server.url}/api/sessions/{tab.session}/layers/{layer}/tiles/7/65/42.png"
    frame = next(each for each in tab.page.frames if "streamlit_folium" in each.url)
    assert frame.evaluate("async (url) => (await fetch(url)).status", url) == 200
    with pytest.raises(OSError, match="404") as denied:
        urlopen(Request(url), timeout=20).close()
    assert json.loads(denied.value.read())["error"] == "There is no such session here."  # type: ignore[attr-defined]
