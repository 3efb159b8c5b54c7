"""What is said and shown is what was meant: that place, that advice, those rows, this mask, these colours."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
import rasterio
from playwright.sync_api import expect
from shapely.geometry import box

from copilot.bench.build.example_files import FOLDER
from tests.e2e.app import Tab
from tools.map.classes import LADDER

LEVELS = ["no-damage", "minor-damage", "major-damage", "destroyed"]
FILLS = """(() => {
  const paths = azimuth.layers.get(LAYER).pane.querySelectorAll("path");
  return [...paths].map((each) => each.getAttribute("fill"));
})()"""
WITHOUT_REFERENCES = """(reply) => {
  const copy = reply.cloneNode(true);
  copy.querySelectorAll(".az-ref").forEach((each) => each.remove());
  return copy.textContent;
}"""


@pytest.fixture
def parcels(tmp_path: Path) -> Path:
    """Six fields of two owners."""
    path = tmp_path / "parcels.geojson"
    rows = {"owner": ["town", "farm"] * 3, "yield_t": [5.0, 7.5, 6.25, 8.0, 4.0, 9.0]}
    shapes = [box(4 + at / 100, 52, 4.005 + at / 100, 52.005) for at in range(6)]
    gpd.GeoDataFrame(rows, geometry=shapes, crs="EPSG:4326").to_file(path, driver="GeoJSON")
    return path


def downloaded(tab: Tab, link: object, target: Path) -> Path:
    """What a click on a link of an answer brings."""
    with tab.page.expect_download() as download:
        link.click()  # type: ignore[attr-defined]
    download.value.save_as(target)
    return target


def test_places_advice_and_it_are_what_the_words_say(
    visit: Callable[..., Tab], parcels: Path, tmp_path: Path, screenshot_folder: Path
) -> None:
    tab = visit()
    expect(tab.ask("show ships in Qwertyville")).to_contain_text("I know no place called 'Qwertyville'.")
    expect(tab.ask("mark it here")).to_contain_text("Which place or point do you mean?")
    assert tab.see("azimuth.view.layers.length") == 0
    reply = tab.ask("show fair1m ships near Pittsburhg, PA from 1990").locator(".az-reply")
    said = reply.evaluate(WITHOUT_REFERENCES)
    assert "I read 'Pittsburhg, PA' as Pittsburgh, Pennsylvania, United States." in said
    advice = re.search(r"There would be without the date filter ([\d,]+)", said)
    assert advice is not None, said
    tab.page.locator(".st-key-chips").get_by_role("button", name=re.compile("1990")).click()
    expect(tab.count()).to_contain_text(advice[1])

    tab.ask("a bar chart of them by year")
    card = tab.ask("export it")
    link = card.get_by_role("link", name="Download CSV export")
    rows = pd.read_csv(downloaded(tab, link, tmp_path / "chart.csv"))
    assert rows.iloc[:, 1].sum() == int(advice[1].replace(",", "")) and len(rows.columns) == 3
    tab.shot(screenshot_folder, "answer-with-a-file")

    tab.page.get_by_label("Files to upload").set_input_files(str(parcels))
    expect(tab.page.locator(".az-upload")).to_contain_text("6 features")
    expect(tab.ask("how many are there?")).to_contain_text("6 rows")
    tab.call("top_n", table="parcels", by="yield_t", n=2)
    expect(tab.page.locator(".az-action").last).to_contain_text("2 ")
    tab.call("aggregate", table="parcels", field="yield_t", function="sum", by="owner")
    expect(tab.page.locator(".az-action").last).to_contain_text("24.5")
    kept = tab.ask("show only those with yield_t over 7")
    expect(kept).to_contain_text("3 of 6 features of parcels have yield_t > 7")
    link = tab.ask("export it").get_by_role("link", name="Download GeoJSON export")
    frame = gpd.read_file(downloaded(tab, link, tmp_path / "kept.geojson"))
    assert sorted(frame["yield_t"]) == [7.5, 8.0, 9.0]


@pytest.fixture
def town(tmp_path: Path) -> list[str]:
    """A town after and before a disaster, brought in with the later image first."""
    paths = [tmp_path / "town_20190522.tif", tmp_path / "town_20180611.tif"]
    for path, name in zip(paths, ("town_after.tif", "town_before.tif"), strict=True):
        shutil.copy(FOLDER / name, path)
        with rasterio.open(path, "r+") as file:
            file.update_tags(TIFFTAG_DATETIME="", ACQUISITIONDATETIME="")
    return [str(each) for each in paths]


def test_a_mask_a_pair_and_four_levels_of_damage_show_as_they_are(
    visit: Callable[..., Tab], town: list[str], tmp_path: Path, screenshot_folder: Path
) -> None:
    tab = visit()
    tab.page.get_by_label("Files to upload").set_input_files(str(FOLDER / "scene.tif"))
    expect(tab.page.locator(".az-upload")).to_contain_text("a GeoTIFF of 6 bands")
    water = tab.ask("where is the water?").locator(".az-reply").inner_text()
    marked = re.search(r"([\d.]+) km²", water)
    assert marked is not None, water
    hectares = re.search(r"([\d.,]+) ha", tab.ask("how many hectares?").locator(".az-reply").inner_text())
    assert hectares is not None
    assert float(hectares[1].replace(",", "")) == pytest.approx(100 * float(marked[1]), rel=0.01)

    tab.call("clear_layers")
    for path in town:
        tab.add_file(Path(path))
    tab.call("building_damage_detection", before="town_20180611", after="town_20190522")
    layers = tab.see("azimuth.view.layers.map((each) => [each.id, each.kind])")
    assert isinstance(layers, list)
    damage = next(each for each, kind in reversed(layers) if kind == "vector")
    tab.call("fit_layer", layer=damage)
    legend = tab.map.locator(".az-legend-classes li")
    expect(legend).to_have_text(LEVELS)
    expect(tab.map.locator(f"path[fill='{LADDER[0]}']").first).to_be_attached()
    tab.stand()
    drawn = set(tab.see(FILLS.replace("LAYER", repr(damage))))  # type: ignore[call-overload]
    assert drawn <= set(LADDER) and len(drawn) > 1
    tab.shot(screenshot_folder, "damage-levels")

    tab.ask("swipe between before and after")
    by_name = tab.see("Object.fromEntries(azimuth.view.layers.map((each) => [each.name, each.id]))")
    assert isinstance(by_name, dict)
    expect(tab.map.get_by_label("Swipe between the two layers")).to_be_attached()
    sides = [by_name["town_20180611"], by_name["town_20190522"]]
    tab.expect_same(lambda: tab.see("azimuth.view.swipe"), sides)
    tab.expect_same(lambda: tab.see("azimuth.view.layers.at(-1).id"), damage)
    tab.shot(screenshot_folder, "swipe-before-and-after")
