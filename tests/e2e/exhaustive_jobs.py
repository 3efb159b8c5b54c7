"""Long work in the browser outlives a reload, is run again to its end, and is stopped on the Imagery page."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.app import Tab
from tests.e2e.test_jobs import BEGUN, badge, begin, expect_stopped, job_of, noisy, stop

__all__ = ["noisy"]  # a fixture


def test_a_job_shows_how_far_it_is_outlives_a_reload_is_stopped_and_run_again(
    tab: Tab, noisy: Path, screenshot_folder: Path
) -> None:
    begin(tab, noisy)
    with tab.server.held_worker(until=lambda: tab.page.evaluate(BEGUN)):
        panel = tab.panel("Jobs")
        expect(badge(panel)).to_contain_text("running")
        tab.shot(screenshot_folder, "job-running")

        tab.page.reload()
        tab.map.locator("#map_div[data-version]").wait_for()
        expect(job_of(tab).locator(".az-job-title")).to_have_text("Removing noise from grain")
        stop(tab, tab.page.locator(".st-key-stop"))
    panel = expect_stopped(tab)
    tab.settle()
    panel.get_by_role("button", name="Run again").click()
    expect(badge(panel)).to_contain_text("done")
    expect(tab.page.locator(".az-action").last).to_contain_text("The raster is raster-")
    tab.shot(screenshot_folder, "job-done")

    tab.go("Imagery")
    tab.settle()
    tab.page.locator(".st-key-image_tools").get_by_role("button", name="Denoising", exact=True).click()
    said = tab.page.locator(".st-key-image_said")
    with tab.server.held_worker(until=said.get_by_role("progressbar").is_visible):
        stop(tab, said)
    expect(said.get_by_test_id("stAlert")).to_contain_text("was stopped")
    expect(said.get_by_role("button", name="Stop")).to_have_count(0)
