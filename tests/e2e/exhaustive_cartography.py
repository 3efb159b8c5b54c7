"""Layers drawn by a column, measured and read on the map, put in order and printed, in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO

import pypdf
import pytest
from playwright.sync_api import expect

from tests.e2e.app import Tab
from tests.real_files import real

CIRCLES = '() => [...document.querySelectorAll(".az-layer path")].map((node) => node.getAttribute("fill"))'

PRINTED = """async () => {
    const headers = { "Content-Type": "application/json", "X-Azimuth": "1" };
    const args = { format: "pdf", title: "Cities of the States" };
    const body = JSON.stringify({ tool: "export_map", args });
    const answer = await fetch(azimuth.base + "/calls", { method: "POST", headers, body });
    return (await answer.json()).observation.match(/document-[0-9a-f]+/)[0];
}"""


@pytest.fixture
def cities(new_tab: Callable[..., Tab]) -> Tab:
    """Cities of the United States, uploaded, with the Layers panel open."""
    tab = new_tab(color_scheme="light").open()
    tab.add_file(real("vectors/us_cities.parquet"), name="Cities")
    tab.panel("Layers")
    expect(tab.body().get_by_role("button", name="Style Cities")).to_be_visible()
    return tab


def choose(tab: Tab, label: str, option: str) -> None:
    """Choose in the editor of a layer's style."""
    tab.pick(tab.body().get_by_role("combobox", name=re.compile(label)), option)


def test_a_layer_is_drawn_by_a_column_and_the_legend_follows(cities: Tab):
    cities.body().get_by_role("button", name="Style Cities").click()
    choose(cities, "Draw by", "POP_2010")
    legend = cities.map.locator(".az-legend")
    expect(legend.locator(".az-legend-field")).to_have_text("POP 2010")
    expect(legend.locator("li")).to_have_count(5)
    expect(cities.body().locator(".az-histogram-bars b")).to_have_count(4)
    before = legend.locator("li").all_inner_texts()
    choose(cities, "Method", "Quantiles")
    expect(legend.locator("li")).not_to_have_text(before)
    choose(cities, "Classes", "3")
    expect(legend.locator("li")).to_have_count(3)
    shades = legend.locator(".az-legend-class").evaluate_all(
        "all => all.map((each) => getComputedStyle(each).backgroundColor)"
    )
    assert len(set(shades)) == 3
    cities.wait_until(f"new Set(({CIRCLES})()).size === 3")
    choose(cities, "Labels", "STATE")
    expect(cities.map.locator(".az-feature-label").first).to_be_visible()
    undone = cities.map.locator(".az-feature-label").first.is_hidden
    cities.press(cities.page.get_by_role("button", name="Undo"), leads_to=undone)
    expect(cities.map.locator(".az-feature-label")).to_have_count(0)


def test_a_way_and_an_area_are_measured_on_the_ellipsoid(cities: Tab):
    cities.call("set_view", lon=0, lat=0, zoom=4)
    cities.map.get_by_title("Measure a distance").click()
    said = cities.map.locator(".az-measure-said")
    for lon, lat in ((0, 0), (10, 0)):
        click_at(cities, lon, lat)
    expect(said).to_have_text(re.compile(r"^1,11\d km$"))
    cities.map.get_by_title("Measure an area").click()
    for lon, lat in ((0, 0), (10, 0), (10, 10), (0, 10)):
        click_at(cities, lon, lat)
    expect(said).to_have_text(re.compile(r"^1,2[23]\d,\d{3} km² · around it 4,4\d\d km$"))
    cities.map.locator("#map_div").press("Escape")
    expect(said).to_have_count(0)
    assert cities.see("azimuth.view.layers.length") == 1


def test_it_is_measured_by_keyboard(cities: Tab):
    cities.call("set_view", lon=5, lat=5, zoom=4)
    cities.map.get_by_title("Measure a distance").press("Enter")
    home = cities.map.locator("#map_div")
    home.press("Enter")
    cities.see("azimuth.map.panTo([5, 7], { animate: false })")
    home.press("Enter")
    expect(cities.map.locator(".az-measure-said")).to_have_text(re.compile(r"^22\d km$"))


def test_a_layer_is_dragged_to_where_it_is_to_lie(cities: Tab):
    cities.call("draw_bbox", bbox=[-100, 30, -90, 40], name="Box")
    name = cities.body().locator('[class*="st-key-layer-"] [data-testid="stMarkdown"]')
    expect(name).to_have_text([re.compile("Box"), re.compile("Cities")])
    expect(name.nth(1)).to_have_class(re.compile("az-grip"))
    name.nth(1).drag_to(name.nth(0))
    expect(name).to_have_text([re.compile("Cities"), re.compile("Box")])


def test_the_map_is_printed_as_pdf(cities: Tab):
    found = cities.see(f"({PRINTED})()")
    answer = cities.page.request.get(f"{cities.server.url}/api/sessions/{cities.session}/artifacts/{found}")
    assert answer.ok
    text = pypdf.PdfReader(BytesIO(answer.body())).pages[0].extract_text()
    assert "Cities of the States" in text and "Legend" in text


def click_at(tab: Tab, lon: float, lat: float) -> None:
    """Click on the map at a position."""
    x, y = tab.see(f"(({{ x, y }}) => [x, y])(azimuth.map.latLngToContainerPoint([{lat}, {lon}]))")  # type: ignore[misc]
    tab.map.locator("#map_div").click(position={"x": x, "y": y})
