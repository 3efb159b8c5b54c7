"""Pixels behind the main job: a record's rendered scene, opened as a raster; and a real scene, measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from data.public.ingesting import ensure_scenes
from tests.e2e.app import Server, Tab, running_app

LOADED = "[...document.querySelectorAll('img.az-rendered')].some((each) => each.naturalWidth > 100)"


def test_a_record_shows_its_rendered_scene_and_opens_it(tab: Tab, screenshot_folder: Path):
    tab.ask("Plot the fair1m images around Pittsburgh, PA from May 2018 with vehicles")
    tab.ask("show the newest image")
    figures = tab.body().locator(".az-figures figure")
    expect(figures.first).to_contain_text("rendered")
    expect(figures.first).to_contain_text("not imagery")
    figures.first.locator("img").evaluate("each => each.scrollIntoView()")
    tab.page.wait_for_function(
        "[...document.querySelectorAll('.az-figures img')].every((each) => each.naturalWidth > 100)"
    )
    tab.wait_until(LOADED)
    expect(tab.map.locator(".az-rendered-label")).to_have_text("rendered")
    tab.shot(screenshot_folder, "rendered")

    tab.page.get_by_role("button", name="Open as a raster").click()
    expect(tab.map.locator(".az-legend")).to_contain_text("(rendered)")


@pytest.fixture
def with_scenes(tmp_path: Path, sample_catalogue: Path) -> Iterator[Server]:
    """The app with the sample and the real scenes."""
    catalogue = tmp_path / "catalogue"
    catalogue.mkdir()
    for each in sample_catalogue.iterdir():
        (catalogue / each.name).symlink_to(each, target_is_directory=True)
    ensure_scenes(catalogue)
    with running_app(_made(tmp_path / "home"), catalogue) as server:
        yield server


def test_a_real_scene_leads_to_hectares_and_an_export(
    with_scenes: Server, new_tab: Callable[..., Tab], screenshot_folder: Path
):
    tab = new_tab(with_scenes).open()
    tab.page.get_by_role("button", name="Show the newest landsat image").click()
    for step in ("Find the water in it", "How many hectares is that?"):
        button = tab.page.get_by_role("button", name=step, exact=False)
        expect(button).to_be_visible()
        button.click()
    expect(tab.page.locator(".az-reply").last).to_contain_text("6,901.56 ha")
    tab.shot(screenshot_folder, "real-scene")
    tab.page.get_by_role("button", name="Export the map as an HTML file").click()
    expect(tab.page.locator(".st-key-files a").first).to_be_visible()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
