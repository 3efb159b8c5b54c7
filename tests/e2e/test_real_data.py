"""Real files, ingested on the Data page and asked for in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.app import Browsers, Server, Tab, running_app
from tests.real_files import real


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, browsers: Browsers) -> Iterator[Server]:
    """The app over an empty catalogue, with the real files in a folder that is open to all."""
    home, inbox = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("inbox")
    (inbox / "broken.geojson").write_text("{not json")
    naip, vectors = real("naip"), real("vectors/world_cities.csv").parent
    folders = f"{naip}:{vectors}:{inbox}"
    with running_app(home, home / "catalogue", AZIMUTH_DATA_FOLDERS=folders) as server:
        yield server
        browsers.leave(server)


def ingest(tab: Tab, path: str, name: str) -> None:
    adding(tab)
    tab.page.get_by_label("File or folder").fill(path)
    tab.page.get_by_label("Name of the data set (optional)").fill(name)
    button = tab.page.get_by_role("button", name="Ingest", exact=True)
    tab.press(button, tab.page.locator(f".st-key-dataset-{name}"))
    tab.go("Map")


def adding(tab: Tab) -> None:
    """Go to where data are added."""
    tab.go("Data")
    tab.press(tab.page.get_by_text("Add your own data"), tab.page.get_by_label("File or folder"))


def test_real_images_are_asked_for_in_words_and_seen(visit: Callable[..., Tab], screenshot_folder: Path):
    tab = visit()
    ingest(tab, "naip", "naip")
    tab.ask("the naip images since 2009, newest first; show me the newest")
    tab.expect_chips("naip", "since 2009")
    expect(tab.page.locator(".st-key-header").get_by_text("sample data")).to_have_count(0)
    tab.panel("Image")
    tab.expect_picture(tab.body().locator("img"))
    tab.ask("plot the footprints and zoom to them")
    expect(tab.map.locator(".az-layer path").first).to_be_attached()
    tab.wait_until("azimuth.view.camera.zoom === 15")
    tab.panel("Image")
    newest = tab.wait_for(lambda: re.search(r"naip:\S+?\.tif", body_text(tab)), "the newest image's name")
    assert newest is not None
    tab.call("add_raster_layer", image=newest.group())
    tab.expect_picture(tab.map.locator(".az-tile img").first)
    tab.shot(screenshot_folder, "real-data")


def body_text(tab: Tab) -> str:
    """What the panel says, with its names whole."""
    return tab.body().inner_text().replace("\n", "")


def test_cities_are_points_on_the_map(visit: Callable[..., Tab]):
    tab = visit()
    ingest(tab, "vectors/world_cities.csv", "cities")
    tab.ask("load cities and plot them as points within 500 km of Lagos")
    expect(tab.map.locator(".az-layer path").first).to_be_attached()
    tab.wait_for(lambda: 0 < tab.selected() < 2000, "the cities near Lagos")


def test_a_file_that_is_none_gets_one_sentence(app: Server, visit: Callable[..., Tab]):
    inbox = app.environment["AZIMUTH_DATA_FOLDERS"].rpartition("/")[2]
    tab = visit()
    adding(tab)
    tab.page.get_by_label("File or folder").fill(f"{inbox}/broken.geojson")
    alert = tab.page.get_by_test_id("stAlert").first
    tab.press(tab.page.get_by_role("button", name="Ingest", exact=True), alert)
    assert "Traceback" not in alert.inner_text()


def test_a_file_is_uploaded_and_read(visit: Callable[..., Tab], tmp_path: Path):
    file = tmp_path / "my places.csv"
    file.write_text("name,lon,lat\nHere,3.4,6.5\nThere,4.5,7.5\n")
    tab = visit()
    adding(tab)
    tab.page.get_by_label("Files to upload").set_input_files(str(file))
    button = tab.page.get_by_role("button", name="Add my places.csv to the catalogue")
    tab.press(button, tab.page.locator("[class*='st-key-dataset-my']"))
