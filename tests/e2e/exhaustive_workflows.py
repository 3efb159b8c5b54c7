"""A workflow from the page: a pair comes in, is assessed, repaired, changed, run elsewhere, and reported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, TimeoutError, expect

from data.scenes import pair
from tests.e2e.app import Tab
from tests.e2e.test_page import CONTRAST

PLACES = {"river": 4, "delta": 5, "plain": 6, "valley": 7}
TOO_MUCH = "1.5"
"""A rise of the index that no flood reaches: nothing is marked, and the check after the step says so."""
SEEN = """() => {
    window.seen = [];
    const look = () => document.querySelectorAll(".az-flow-node").forEach((node) => {
        const now = node.dataset.node + " " + node.dataset.status;
        if (!window.seen.includes(now)) window.seen.push(now);
    });
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
}"""


@pytest.fixture
def pairs(tmp_path: Path) -> dict[str, list[str]]:
    """Rendered optical images from before and after a flood, by place."""
    found = {}
    for name, seed in PLACES.items():
        made = pair(seed, "flood", sensor="multispectral", size=96, gsd_m=10, same_season=True)
        sides = (("before", made.before), ("after", made.after))
        found[name] = [str(scene.write(tmp_path / f"{name}_{side}.tif")) for side, scene in sides]
    return found


def opened(new_tab: Callable[..., Tab], **options: object) -> Tab:
    tab = new_tab(**options)
    tab.page.goto(f"{tab.server.url}/workflows")
    expect(tab.page.get_by_text("checked against their sources and run")).to_be_visible()
    return tab


def upload(tab: Tab, files: list[str]) -> None:
    tab.page.get_by_label("Files to upload").set_input_files(files)
    done = tab.page.locator(".az-upload-done")
    expect(done).to_have_count(len(files))
    settled(tab)


def settled(tab: Tab) -> None:
    tab.page.wait_for_timeout(300)
    expect(tab.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")


def node(tab: Tab, name: str, status: str | None = None) -> Locator:
    of_status = f"[data-status={status}]" if status else ""
    return tab.page.locator(f".az-flow-node[data-node={name}]{of_status}")


def set_to(tab: Tab, field: Locator, value: str) -> None:
    field.fill(value)
    field.press("Tab")
    settled(tab)


@pytest.mark.timeout(900)  # a long story: one machine that does ten other things took five minutes for it
def test_a_flood_is_assessed_repaired_changed_run_elsewhere_saved_and_reported(
    new_tab: Callable[..., Tab], pairs: dict[str, list[str]], screenshot_folder: Path
) -> None:
    tab = opened(new_tab)
    page = tab.page
    upload(tab, pairs["river"])
    page.get_by_role("radio", name="For these data").click()
    about = page.get_by_label("About", exact=True)
    expect(about).to_be_visible()
    about.fill("flood")
    about.press("Enter")
    page.get_by_role("button", name="Flood extent optical").first.click()
    expect(node(tab, "flood", "waiting")).to_be_visible()
    tab.pick(page.get_by_role("combobox", name="Workflow"), "Rise of MNDWI")
    expect(node(tab, "outlines", "waiting")).to_be_visible()
    before = page.get_by_role("combobox", name="Before")
    expect(before).to_have_value(re.compile("^river_before"))
    set_to(tab, page.get_by_role("spinbutton", name="Rise from"), TOO_MUCH)
    tab.shot(screenshot_folder, "workflow")

    runs = page.get_by_text("Runs, the newest first")
    click_until(tab, page.get_by_role("button", name="Run", exact=True), runs)
    page.reload()  # in the middle: the run goes on, and the page comes back to it
    page.evaluate(SEEN)
    expect(node(tab, "flood", "repaired")).to_be_visible()
    expect(node(tab, "outlines", "finished")).to_be_visible()
    settled(tab)
    assert "flood repaired" in page.evaluate("window.seen")

    chosen = node(tab, "flood")
    chosen.focus()
    chosen.press("Enter")
    step = page.locator(".st-key-flow_step")
    expect(step).to_contain_text("Why this step: Wet ground raises the index")
    expect(step).to_contain_text("Flood failed: share_pct is 0")
    expect(step).to_contain_text("Changed: rise_from set to 0.775.")
    expect(node(tab, "flood")).to_have_attribute("aria-pressed", "true")
    tab.shot(screenshot_folder, "workflow-run")

    page.get_by_role("radio", name="Values").click()
    set_to(tab, page.get_by_role("spinbutton", name="Rise from"), "0.5")
    page.get_by_role("button", name="Change and run").click()
    expect(page.get_by_text("rise_from = 0.5")).to_be_visible()
    expect(node(tab, "outlines", "finished")).to_be_visible()
    settled(tab)

    upload(tab, [each for name in ("delta", "plain", "valley") for each in pairs[name]])
    page.get_by_role("radio", name="Elsewhere").click()
    page.get_by_role("button", name="Run on 3 sets of data").click()
    results = page.locator("[class*='st-key-flow_batch_']")
    expect(results).to_contain_text("3 finished")
    expect(results.get_by_role("link", name="Download the table")).to_be_visible()
    settled(tab)

    page.get_by_role("radio", name="Report and files").click()
    report = downloaded(tab, "Report (HTML)")
    assert "<script" not in report and "rise_from" in report and "river_after" in report
    assert json.loads(downloaded(tab, "CWL"))["class"] == "Workflow"

    settled(tab)
    name = page.get_by_test_id("stPopoverBody").get_by_role("textbox", name="Name", exact=True)
    click_until(tab, page.get_by_role("button", name="Save what I did"), name)
    name.fill("My flood")
    name.press("Tab")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="My flood")).to_be_visible()
    expect(page.locator(".az-flow-node").first).to_be_visible()


def click_until(tab: Tab, button: Locator, shown: Locator) -> None:
    """Click, and again where the page was drawn anew under the click and lost it."""
    for _ in range(3):
        button.click()
        try:
            shown.wait_for()
            return
        except TimeoutError:
            settled(tab)
    expect(shown).to_be_visible()


def downloaded(tab: Tab, name: str) -> str:
    """What a download button of the page gives."""
    with tab.page.expect_download() as found:
        tab.page.get_by_role("button", name=name).click()
    return Path(found.value.path()).read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "theme"), [(390, "light"), (1024, "dark")])
def test_the_graph_fits_and_reads_on_narrow_and_dark_screens(
    new_tab: Callable[..., Tab], screenshot_folder: Path, width: int, theme: str
) -> None:
    tab = opened(new_tab, viewport={"width": width, "height": 844})
    page = tab.page
    page.goto(f"{tab.server.url}/workflows?task=flood_extent_optical&flow=flood_extent_optical/rise")
    expect(node(tab, "outlines", "waiting")).to_be_visible()
    if theme == "dark":
        page.get_by_role("button", name="Dark theme").click()
        expect(page.locator("html")).to_have_attribute("data-az-theme", "dark")
    settled(tab)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    first, last = node(tab, "before").bounding_box(), node(tab, "outlines").bounding_box()
    assert first is not None and last is not None
    downwards = last["y"] > first["y"] + first["height"]
    assert downwards == (width == 390)
    assert page.evaluate(CONTRAST) == {}
    node(tab, "before").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-flow_step")).to_contain_text("Wet ground raises")
    tab.shot(screenshot_folder, f"workflow-{width}-{theme}")
