"""Long work in the browser: how far it is shows at once, outlives a reload, can be stopped and run again."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from playwright.sync_api import Locator, expect

from tests.e2e.app import Tab

SIDE_PX = 2600
"""Enough for some seconds of work on any machine."""


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    """A large image that is nothing but grain."""
    values = np.random.default_rng(7).normal(120, 25, (3, SIDE_PX, SIDE_PX)).clip(0, 255).astype("uint8")
    profile = {"driver": "GTiff", "width": SIDE_PX, "height": SIDE_PX, "count": 3, "dtype": "uint8"}
    place = {"crs": "EPSG:32633", "transform": Affine(2, 0, 600_000, 0, -2, 5_000_000)}
    path = tmp_path / "grain.tif"
    with rasterio.open(path, "w", **profile, **place, tiled=True) as target:
        target.write(values)
    return path


def job_of(tab: Tab) -> Locator:
    """The job that the chat shows."""
    return tab.page.locator(".az-job:visible")


def badge(panel: Locator) -> Locator:
    """The state of the newest job."""
    return panel.locator(".stMarkdownBadge").first


def stop(tab: Tab, within: Locator) -> None:
    """Press Stop, until the server has told one more job so."""
    told = tab.server.told_to_stop()
    button = within.get_by_role("button", name="Stop", exact=True)
    tab.press(button, lambda: tab.server.told_to_stop() > told)


def test_a_job_shows_how_far_it_is_outlives_a_reload_is_stopped_and_run_again(
    tab: Tab, noisy: Path, screenshot_folder: Path
) -> None:
    tab.add_file(noisy, name="grain")
    tab.send("remove the noise from the grain raster")
    expect(job_of(tab).locator(".az-job-title")).to_have_text("Removing noise from grain")
    begun = "[...document.querySelectorAll('.az-job-bar')].some((bar) => Number(bar.ariaValueNow) > 0)"
    with tab.server.held_worker(until=lambda: tab.page.evaluate(begun)):
        panel = tab.panel("Jobs")
        expect(badge(panel)).to_contain_text("running")
        tab.shot(screenshot_folder, "job-running")

        tab.page.reload()
        tab.map.locator("#map_div[data-version]").wait_for()
        expect(job_of(tab).locator(".az-job-title")).to_have_text("Removing noise from grain")
        stop(tab, tab.page.locator(".st-key-stop"))
    expect(tab.page.locator(".az-reply")).to_have_text(re.compile("^Stopped"))
    expect(job_of(tab)).to_have_count(0)
    panel = tab.panel("Jobs")
    expect(badge(panel)).to_contain_text("stopped")
    assert tab.see("azimuth.view.layers.length") == 1

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
