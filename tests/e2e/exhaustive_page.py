"""The sample, built by a click on the page; every text in the dark; a precision of a random sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import expect

from pages.sampling import WITHOUT
from tests.e2e.app import Browsers, Tab, running_app
from tests.e2e.test_benchmark import run_id
from tests.e2e.test_page import fill, read_through, unplaced, upload

__all__ = ["run_id", "unplaced"]  # fixtures


def test_without_a_sample_the_page_offers_it_and_examples_that_work(
    browsers: Browsers, tmp_path: Path, screenshot_folder: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with (
        running_app(home, tmp_path / "catalogue") as server,
        browsers.stranger(server) as tab,
    ):
        tab.open()
        shown = tab.page.locator(".az-example")
        expect(shown).to_have_text(list(WITHOUT))
        expect(tab.page.get_by_text("There is no sample catalogue yet")).to_be_visible()
        tab.shot(screenshot_folder, "no-sample")
        tab.page.get_by_role("button", name="Build the sample").click()
        expect(tab.page.locator(".st-key-sample").get_by_role("progressbar")).to_be_visible()
        expect(tab.page.locator(".st-key-sample")).to_have_count(0)
        expect(shown.filter(has_text="fair1m").first).to_be_visible()
        tab.call("db_load", names=["fair1m"])
        expect(tab.count()).to_contain_text("24,775")


def test_every_text_can_be_read_in_the_dark(
    new_tab: Callable[..., Tab], unplaced: Callable[[str, int], tuple[Path, int]], run_id: str
) -> None:
    tab = new_tab().open()
    fill(tab, unplaced("sea", 20)[0])
    tab.page.get_by_role("button", name="Dark theme").click()
    tab.map.locator("html[data-base='dark']").wait_for()
    assert read_through(tab) == ({}, {})


def test_a_precision_is_shown_of_a_random_sample_and_not_of_the_lowest_scores(
    visit: Callable[..., Tab], unplaced: Callable[[str, int], tuple[Path, int]], screenshot_folder: Path
) -> None:
    file, ships = unplaced("sea", 20)
    tab = visit()
    upload(tab, file)
    tab.ask("find the ships in it")
    tab.call("review_detection", detection_id=1, verdict="reject")
    tab.go("Imagery")
    told = tab.page.locator(".az-precision")
    expect(told).to_contain_text("no estimate for the others")
    expect(told).not_to_contain_text("Precision")
    tab.settle()
    tab.page.get_by_role("button", name="Review a random sample").click()
    expect(told).to_contain_text(f"of the {ships} drawn at random are reviewed")
    viewer = tab.page.frame_locator(".st-key-viewer iframe")
    viewer.get_by_role("button", name="Open the first that nobody reviewed").click()
    expect(viewer.locator(".az-card").get_by_label("Order of the review")).to_have_value("sample")
    tab.shot(screenshot_folder, "sample")
    for reviewed in range(ships - 1):
        card = viewer.locator(".az-card")
        open_now = str(card.get_attribute("data-detection"))
        card.press("c")
        if reviewed < ships - 2:
            expect(card).not_to_have_attribute("data-detection", open_now)
    expect(told).to_contain_text(f"Precision {(ships - 1) / ships:.2f}")
