"""The map and its panels: drawing, layers, the time slider, theme, keyboard, narrow windows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.e2e.app import Browsers, Server, Tab


def test_a_drawn_rectangle_is_a_place_to_ask_about(tab: Tab):
    tab.ask("load fair1m and show it as clusters")
    tab.map.get_by_role("button", name="Draw a rectangle").click()
    box = tab.page.locator("iframe[title='streamlit_folium.st_folium']").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] * 0.35, box["y"] + box["height"] * 0.2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 140, y + 90, steps=4)
    tab.page.mouse.up()
    expect(tab.page.locator("article.az-action")).to_contain_text("Drew a box")
    tab.wait_for(lambda: tab.selected() == 24_775, "the count of all")
    tab.ask("show only what is in here")
    tab.wait_for(lambda: 0 < tab.selected() < 24_775, "the count of what is in the box")


def test_layers_are_hidden_moved_and_removed_in_their_panel(tab: Tab, screenshot_folder: Path):
    tab.ask("load fair1m and show it as clusters")
    tab.ask("show it as a heat map")
    body = tab.panel("Layers")
    lines = body.locator("[class*='st-key-layer-']")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("Heatmap")
    tab.shot(screenshot_folder, "layers")
    lines.first.get_by_text("Show Heatmap").locator("xpath=ancestor::label").click()
    tab.page.wait_for_function("() => true")
    expect(tab.map.locator(".az-legend")).not_to_contain_text("Heatmap")
    expect(tab.map.locator("canvas.leaflet-heatmap-layer")).to_be_hidden()
    slider = body.get_by_role("slider", name="Opacity of Clusters")
    slider.focus()
    slider.press("ArrowLeft")
    notes = tab.page.locator("article.az-action")
    expect(notes).to_have_text([re.compile("Heatmap.*hidden"), re.compile("Clusters.*0.75")])
    body.get_by_role("button", name="Move Heatmap down").click()
    expect(lines.first).to_contain_text("Clusters")
    body.get_by_role("button", name="Remove Heatmap").click()
    expect(lines).to_have_count(1)
    expect(tab.map.locator(".az-layer")).to_have_count(1)


def test_a_pan_keeps_the_map_and_asks_for_what_comes_into_view(tab: Tab):
    tab.ask("load fmow and show it as clusters")
    expect(tab.map.locator(".az-cluster").first).to_be_visible()
    tab.see("window.azimuth.kept = true")
    tab.see("void azimuth.map.setView([48, 10], 6, {animate: false})")
    # which names have room depends on the clusters, which come later than the names
    expect(tab.map.locator(".az-city:visible").first).to_be_visible()
    before = tab.see("azimuth.map.getCenter().lng")
    tab.ask("how many are there?")
    assert tab.see("azimuth.map.getCenter().lng") == before
    assert tab.see("window.azimuth.kept") is True


def test_the_time_slider_shows_one_step_at_a_time(tab: Tab):
    tab.ask("load xview1 and show a time slider by year")
    slider = tab.map.get_by_role("slider", name="Time")
    expect(slider).to_be_visible()
    slider.focus()
    slider.press("ArrowRight")
    expect(tab.map.locator(".az-time-text")).to_contain_text("20")


HIDDEN_AND_BACK = """(() => {
    const { map } = azimuth, frame = map.getContainer();
    for (const shown of ["none", ""]) {
        frame.style.display = shown;
        map.invalidateSize();
        map.fire("moveend");
    }
})()"""
"""As another page or session hides the map: it has no size then."""


@pytest.mark.parametrize(
    ("tool", "args", "kind", "drawn"),
    [
        ("scatter_plot", {}, "points", "path[aria-label]"),
        ("cluster_plot", {}, "clusters", ".az-cluster"),
        ("heatmap_plot", {}, "heatmap", "canvas.leaflet-heatmap-layer"),
        ("density_plot", {}, "density", "path"),
        ("footprint_plot", {}, "footprints", "path[aria-label^='Open the record of']"),
        ("detection_plot", {}, "detections", "path"),
        ("choropleth_plot", {}, "choropleth", "path"),
        ("label_plot", {"field": "name"}, "labels", ".az-label"),
        ("time_slider_plot", {}, "timeline", "path[aria-label]"),
    ],
)  # fmt: skip
def test_every_kind_of_layer_is_drawn_in_its_own_pane(
    kinds_tab: Tab, tool: str, args: dict[str, str], kind: str, drawn: str
):
    tab = kinds_tab
    tab.call("clear_layers")
    tab.call("zoom_map", place="Houston", level=4 if kind == "clusters" else 12)
    tab.call(tool, **args)
    expect(tab.map.locator(".az-layer")).to_have_count(1)
    expect(tab.map.locator(f".az-layer {drawn}").first).to_be_attached()
    tab.expect_same(lambda: tab.see("[...azimuth.layers.values()].map((each) => each.view.kind)"), [kind])
    tab.stand()
    expect(tab.map.locator(f".az-layer {drawn}").first).to_be_attached()  # where the map has gone too
    tab.see(HIDDEN_AND_BACK)
    tab.judge()


@pytest.fixture(scope="module")
def kinds_tab(browsers: Browsers, app: Server) -> Iterator[Tab]:
    """One session for all kinds of layers, over Houston."""
    with browsers.stranger(app) as tab:
        tab.open().ask("load xview1")
        yield tab


def test_a_swipe_clips_each_layer_on_its_side(tab: Tab):
    tab.ask("load fair1m")
    tab.call("cluster_plot")
    tab.call("heatmap_plot")
    tab.call("swipe_layers", left="clusters", right="heatmap")
    expect(tab.map.locator(".az-swipe-line")).to_be_visible()
    expect(tab.map.get_by_label("Swipe between the two layers")).to_be_attached()
    clips = tab.see("[...azimuth.layers.values()].map((each) => each.pane.style.clip)")
    assert isinstance(clips, list) and len({*clips}) == 2 and all(each.startswith("rect(") for each in clips)
    tab.call("swipe_layers")
    expect(tab.map.locator(".az-swipe")).to_have_count(0)
    assert tab.see("[...azimuth.layers.values()].map((each) => each.pane.style.clip)") == ["", ""]


def test_the_maps_controls_come_and_go(tab: Tab):
    tab.ask("load fair1m and show it as clusters")
    parts = {"legend": ".az-legend", "minimap": ".leaflet-control-minimap", "graticule": ".az-degree span"}
    for control, part in parts.items():
        tab.call("toggle_control", control=control, on=True)
        expect(tab.map.locator(part).first).to_be_visible()
        tab.call("toggle_control", control=control, on=False)
        expect(tab.map.locator(f"{part}:visible")).to_have_count(0)


def test_an_opened_page_is_followed_and_web_tabs_are_links_to_the_outside(tab: Tab):
    tab.call("open_tab", url="https://example.org/a", title="<b>One</b>")
    link = tab.page.locator(".st-key-chips a:visible")
    expect(link).to_contain_text("<b>One</b>")
    for name, value in (("href", "https://example.org/a"), ("target", "_blank"), ("rel", "noreferrer")):
        expect(link).to_have_attribute(name, value)
    tab.send("open the data page")
    tab.page.wait_for_url("**/data?*")
    expect(tab.page.get_by_text("Add your own data")).to_be_visible()
    tab.go("Map")
    expect(tab.page.locator("article.az-turn .az-reply")).to_contain_text("data page")


class HeldAnswers:
    """What the server tells a page, kept from it while it is held; what the page sends still goes out."""

    def __init__(self, page: Page) -> None:
        self.sent, self._held = 0, False
        self._kept: list[tuple[WebSocketRoute, str | bytes]] = []
        page.route_web_socket(re.compile("_stcore/stream"), self._join)

    def _join(self, page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        page.on_message(lambda said: self._send(server, said))
        server.on_message(lambda said: self._kept.append((page, said)) if self._held else page.send(said))

    def _send(self, server: WebSocketRoute, said: str | bytes) -> None:
        self.sent += 1
        server.send(said)

    def hold(self) -> None:
        self.sent, self._held = 0, True

    def let_go(self) -> None:
        self._held = False
        for page, said in self._kept:
            page.send(said)


def test_what_a_page_asks_for_after_it_was_left_does_not_bring_it_back(new_tab: Callable[..., Tab]):
    tab = new_tab()
    answers = HeldAnswers(tab.page)
    tab.open()
    answers.hold()
    tab.send("open the data page")
    waited_for = "(async () => (await (await fetch(azimuth.base + '/view')).json()).version)()"
    tab.wait_for(lambda: re.fullmatch(r"[1-9]\d*", str(tab.see(waited_for))), "the end of the turn")
    tab.page.wait_for_timeout(
        2000
    )  # the server has gone to the data page, of which the browser knows nothing
    before = answers.sent
    tab.call("toggle_control", control="legend", on=True)
    tab.wait_for(lambda: answers.sent > before, "what the page asks for")
    tab.page.wait_for_timeout(2000)
    answers.let_go()
    expect(tab.page.get_by_text("Add your own data")).to_be_visible()
    expect(tab.page).to_have_url(re.compile(r"/data\?"))


def test_the_story_works_with_the_keyboard_alone(tab: Tab):
    tab.page.get_by_test_id("stChatInputTextArea").focus()
    tab.page.keyboard.type("Plot the fair1m images around Pittsburgh from May 2018")
    tab.page.keyboard.press("Enter")
    expect(tab.page.locator("article.az-turn .az-reply")).to_be_visible()
    cluster = tab.map.locator(".az-cluster-box").first
    expect(cluster).to_be_visible()
    cluster.focus()
    tab.page.keyboard.press("Enter")
    expect(tab.map.locator("path[role=button]").first).to_be_attached()
    tab.stand()
    tab.map.locator("path[role=button]").first.focus()
    tab.page.keyboard.press("Enter")
    expect(tab.body().locator(".az-record")).to_be_visible()


def test_every_control_has_a_name(tab: Tab):
    tab.ask("load fair1m and show it as clusters")
    nameless = """() => [...document.querySelectorAll('button, input, select, textarea, a')]
        .filter((node) => node.offsetParent && !(node.getAttribute('aria-label') || node.innerText.trim()
            || node.title || (node.labels && node.labels.length) || node.getAttribute('aria-labelledby')))
        .map((node) => node.outerHTML.slice(0, 200))"""
    tab.expect_same(lambda: tab.page.evaluate(nameless), [])
    tab.expect_same(lambda: tab.see(f"({nameless})()"), [])


def test_smaller_windows_hold_everything(new_tab: Callable[..., Tab], screenshot_folder: Path):
    tab = new_tab(viewport={"width": 1024, "height": 768}).open()
    tab.ask("Plot the fair1m images around Pittsburgh from May 2018")
    for width, height in ((1024, 768), (700, 900)):
        tab.page.set_viewport_size({"width": width, "height": height})
        expect(tab.map.locator(".az-cluster, .az-layer path").first).to_be_visible()
        fits = "document.scrollingElement.scrollWidth <= innerWidth"
        tab.expect_same(lambda fits=fits: tab.page.evaluate(fits), True)
        tab.shot(screenshot_folder, f"window-{width}")


def test_pages_for_data_tools_and_help(tab: Tab, screenshot_folder: Path):
    tab.go("Data")
    expect(tab.page.get_by_text("FAIR1M").first).to_be_visible()
    tab.shot(screenshot_folder, "data")
    tab.go("Tools")
    expect(tab.page.locator(".az-tool").first).to_be_visible()
    tab.shot(screenshot_folder, "tools")
    tab.go("Help")
    expect(tab.page.get_by_text("What leaves this machine")).to_be_visible()
    tab.shot(screenshot_folder, "help")
