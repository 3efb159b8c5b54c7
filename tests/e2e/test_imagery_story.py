"""One real scene, from the upload to a GeoPackage, in words; each number as another library computes it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from playwright.sync_api import expect
from pyproj import Geod
from rasterio import features
from scipy.ndimage import label

from tests.e2e.app import Tab
from tests.real_files import real

SCENE = "m_4709963_se_14_1_20200831.tif"
THRESHOLD = 0.3


@pytest.fixture
def expected() -> tuple[float, int, float]:
    """Mean NDVI, number of regions above the threshold, their area in hectares: not by Azimuth."""
    with rasterio.open(real("naip") / SCENE) as source:
        red, nir = source.read(1).astype(float), source.read(4).astype(float)
        transform, crs = source.transform, source.crs
    ndvi = (nir - red) / (nir + red)
    above = ndvi > THRESHOLD
    regions = label(above)[1]
    shapes = [shape for shape, value in features.shapes(above.astype(np.uint8), above, transform=transform)]
    rows = [{"geometry": shape, "properties": {}} for shape in shapes]
    frame = gpd.GeoDataFrame.from_features(rows, crs=crs).to_crs("EPSG:4326")
    geod = Geod(ellps="WGS84")
    area_m2 = sum(abs(geod.geometry_area_perimeter(each)[0]) for each in frame.geometry)
    return float(np.nanmean(ndvi)), regions, area_m2 / 1e4


def number_after(text: str, words: str) -> float:
    found = re.search(rf"{words}\s+([\d,]+(?:\.\d+)?)", text)
    assert found is not None, text
    return float(found[1].replace(",", ""))


def test_a_scene_becomes_an_index_polygons_hectares_a_figure_and_a_geopackage(
    visit: Callable[..., Tab],
    expected: tuple[float, int, float],
    screenshot_folder: Path,
    tmp_path: Path,
):
    mean, regions, hectares = expected
    tab = visit()
    tab.page.get_by_label("Files to upload").set_input_files(str(real("naip") / SCENE))
    expect(tab.page.locator(".az-upload")).to_contain_text("a GeoTIFF of 4 bands")
    expect(tab.ask("true colour composite of it")).to_contain_text("True colour")
    index = tab.ask("compute the NDVI of the scene").inner_text()
    assert number_after(index, "mean") == pytest.approx(mean, abs=1e-3)
    tab.ask(f"threshold the NDVI at {THRESHOLD}")
    polygons = tab.ask("polygonize the mask")
    expect(polygons).to_contain_text(f"{regions:,} polygons of")
    link = polygons.get_by_role("link", name=re.compile("^Download ")).last.get_attribute("href") or ""
    area = tab.ask("how big are the polygons in hectares?").inner_text()
    assert number_after(area, "cover") == pytest.approx(hectares, rel=1e-3)
    tab.ask("histogram of the NDVI")
    tab.panel("Figure")
    expect(tab.body().locator(".js-plotly-plot")).to_be_visible()
    tab.shot(screenshot_folder, "imagery")
    file = tmp_path / "polygons.gpkg"
    made = re.search(r"vector-[0-9a-f]{6}", link)
    assert made is not None, link
    file.write_bytes(fetched(tab, f"/api/sessions/{tab.session}/artifacts/{made[0]}?format=geopackage"))
    frame = gpd.read_file(file)
    assert (len(frame), str(frame.crs)) == (regions, "EPSG:26914")


def fetched(tab: Tab, address: str) -> bytes:
    """What the page itself gets at an address of the app."""
    script = """async (address) => {
        const answer = await fetch(address);
        if (!answer.ok) throw new Error(await answer.text());
        return [...new Uint8Array(await answer.arrayBuffer())];
    }"""
    return bytes(tab.page.evaluate(script, address))
