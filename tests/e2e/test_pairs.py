"""Two pictures without a place: found from the map, swiped, compared, and still there after a reload."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import FrameLocator, expect

from data.scenes import render
from tests.e2e.app import Tab

CLIP = "(tile) => getComputedStyle(tile).clip"


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    """A rendered picture, and the same with two bright roofs more."""
    files = []
    before = render(31, "optical", 256, 0.5, theme="town").pixels
    after = before.copy()
    after[:, 60:100, 40:90] = after[:, 150:190, 150:210] = 235
    for name, pixels in (("before", before), ("after", after)):
        files.append(tmp_path / f"{name}.png")
        Image.fromarray(pixels.transpose(1, 2, 0)).save(files[-1])
    return [str(each) for each in files]


def test_a_pair_without_a_place_is_found_from_the_map_swiped_compared_and_still_there_after_a_reload(
    visit: Callable[..., Tab], pair: list[str], screenshot_folder: Path
) -> None:
    tab = visit()
    tab.page.get_by_label("Files to upload").set_input_files(pair)
    look = tab.page.get_by_role("link", name="Not on the map: after")
    expect(look).to_be_visible()
    look.click()
    viewer = ready(tab)
    side = tab.page.locator(".st-key-image_side")

    tab.pick(side.locator(".st-key-compare [data-testid=stSelectbox]"), "before")
    line = viewer.get_by_label("Swipe between the two layers")
    expect(line).to_be_attached()
    expect(viewer.locator(".leaflet-az-other-pane img.leaflet-tile-loaded").first).to_be_attached()
    half = viewer.locator(".leaflet-az-other-pane").evaluate(CLIP)
    line.fill("250")
    assert viewer.locator(".leaflet-az-other-pane").evaluate(CLIP) != half
    tab.shot(screenshot_folder, "imagery-swipe")

    tab.settle()
    side.get_by_role("button", name="Change detection").click()
    asked = tab.page.get_by_test_id("stPopoverBody")
    expect(asked.get_by_role("combobox", name="Before")).to_have_value("before")
    tab.settle()
    asked.get_by_role("button", name="Run").click()
    expect(asked).to_have_count(0)
    expect(side.get_by_test_id("stAlert")).to_contain_text("changed between before and after")
    tab.settle()
    side.get_by_role("button", name="Look at the result").click()
    title = tab.page.locator(".st-key-image_top").get_by_role("combobox", name="Image")
    expect(title).to_have_value("Change, before to after")
    ready(tab)
    tab.page.reload()
    ready(tab)
    expect(title).to_have_value("Change, before to after")
    tab.pick(tab.page.locator(".st-key-image_top [data-testid=stSelectbox]"), "before")
    expect(side.get_by_test_id("stAlert")).to_contain_text("changed between before and after")


def ready(tab: Tab) -> FrameLocator:
    """The picture, once it is drawn."""
    viewer = tab.page.frame_locator(".st-key-viewer iframe")
    viewer.locator("#picture[data-ready]").wait_for()
    return viewer
