"""Long work in the browser: how far it is shows at once, and it can be stopped.

`exhaustive_jobs.py` reloads the page meanwhile, runs it again to its end and stops it on the Imagery page.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import rasterio
from affine import Affine
from playwright.sync_api import Locator, expect

from tests.e2e.app import Tab

BEGUN = "[...document.querySelectorAll('.az-job-bar')].some((bar) => Number(bar.ariaValueNow) > 0)"
"""Whether the page shows how far a job is."""

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


def begin(tab: Tab, image: Path) -> None:
    """Ask for what takes a while."""
    tab.add_file(image, name="grain")
    tab.send("remove the noise from the grain raster")
    expect(job_of(tab).locator(".az-job-title")).to_have_text("Removing noise from grain")


def expect_stopped(tab: Tab) -> Locator:
    """The turn has ended so, and left the map as it was; the panel of jobs."""
    expect(tab.page.locator(".az-reply")).to_have_text(re.compile("^Stopped"))
    expect(job_of(tab)).to_have_count(0)
    panel = tab.panel("Jobs")
    expect(badge(panel)).to_contain_text("stopped")
    assert tab.see("azimuth.view.layers.length") == 1
    return panel


def test_a_job_shows_how_far_it_is_and_is_stopped(tab: Tab, noisy: Path) -> None:
    begin(tab, noisy)
    with tab.server.held_worker(until=lambda: tab.page.evaluate(BEGUN)):
        expect(badge(tab.panel("Jobs"))).to_contain_text("running")
        stop(tab, tab.page.locator(".st-key-stop"))
    expect_stopped(tab)
