"""What is shown is what was meant: this mask, this pair, these colours."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import rasterio
from playwright.sync_api import expect

from copilot.bench.build.example_files import FOLDER
from tests.e2e.app import Tab
from tools.map.classes import LADDER

LEVELS = ["no-damage", "minor-damage", "major-damage", "destroyed"]
FILLS = """(() => {
  const paths = azimuth.layers.get(LAYER).pane.querySelectorAll("path");
  return [...paths].map((each) => each.getAttribute("fill"));
})()"""


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
