"""The offline base map in a browser that reaches this machine only."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.app import Tab

PIXEL = """([lon, lat]) => {
    const spot = azimuth.map.latLngToContainerPoint([lat, lon]);
    const home = azimuth.map.getContainer().getBoundingClientRect();
    const [x, y] = [home.left + spot.x, home.top + spot.y];
    for (const canvas of document.querySelectorAll(".leaflet-az-land-pane canvas")) {
        const box = canvas.getBoundingClientRect();
        if (!canvas.width || x < box.left || y < box.top || x >= box.right || y >= box.bottom) continue;
        const at = [(x - box.left) / box.width * canvas.width, (y - box.top) / box.height * canvas.height];
        return [...canvas.getContext("2d").getImageData(...at.map(Math.floor), 1, 1).data];
    }
    return null;
}"""
NAMES = """() => {
    const seen = [...document.querySelectorAll(".az-name")].filter((node) => node.checkVisibility());
    return seen.map((node) => {
        const { left, top, right, bottom } = node.getBoundingClientRect();
        return [node.innerText.replace(/\\n/g, " "), left, top, right, bottom];
    });
}"""


def pixel(tab: Tab, lon: float, lat: float) -> list[int]:
    """Red, green, blue and opacity of what is painted over the relief, once it is."""
    tab.wait_until(f"({PIXEL})([{lon}, {lat}]) !== null && ({PIXEL})([{lon}, {lat}])[3] > 0")
    found = tab.see(f"({PIXEL})([{lon}, {lat}])")
    assert isinstance(found, list)
    return found


def names(tab: Tab) -> list[tuple[str, float, float, float, float]]:
    return [tuple(each) for each in tab.see(f"({NAMES})()")]  # type: ignore[union-attr, attr-defined]


@pytest.fixture
def europe(visit: Callable[..., Tab]) -> Tab:
    tab = visit(color_scheme="light")
    tab.call("set_view", lon=8, lat=48, zoom=5)
    expect(tab.map.locator(".az-name").filter(has_text="Paris")).to_be_visible()
    return tab


def test_land_lets_the_relief_through_and_water_does_not(europe: Tab):
    red, _, blue, opacity = pixel(europe, -5, 45.5)  # the Bay of Biscay
    assert blue > red and opacity == 255
    assert 0 < pixel(europe, 2, 47)[3] < 200  # the middle of France
    relief = europe.map.locator(".leaflet-az-relief-pane img.leaflet-tile-loaded")
    expect(relief.first).to_be_attached()


def test_names_have_their_rank_and_none_stands_on_another(europe: Tab):
    europe.stand()
    found = names(europe)
    assert {"FRANCE", "GERMANY", "Berlin", "Rome", "Munich", "Alps", "Bay of Biscay"} <= {
        each[0] for each in found
    }
    for i, (one, left, top, right, bottom) in enumerate(found):
        for other, west, north, east, south in found[i + 1 :]:
            assert not (left < east and west < right and top < south and north < bottom), (one, other)


def test_each_base_looks_its_own_way_and_dark_is_dark(europe: Tab):
    looks = {}
    for base in ("offline", "light", "dark"):
        europe.call("set_basemap", name=base)
        europe.wait_until("azimuth.land.base.land._loading === false")
        looks[base] = pixel(europe, -5, 45.5)[:3]
    assert min(looks["offline"]) > 150 and min(looks["light"]) > 200 and max(looks["dark"]) < 50
    expect(europe.map.get_by_role("combobox", name="Base map")).to_have_value("dark")


def test_nearer_the_towns_come_and_farther_they_go(europe: Tab):
    europe.call("set_view", lon=-79.99, lat=40.44, zoom=9)
    expect(europe.map.locator(".az-city").filter(has_text="Cranberry Township")).to_be_visible()
    assert sum(name == "Pittsburgh" for name, *_ in names(europe)) == 1
    europe.call("set_view", lon=10, lat=25, zoom=2)
    expect(europe.map.locator(".az-ocean").first).to_be_visible()
    expect(europe.map.locator(".az-city")).to_have_count(0)
