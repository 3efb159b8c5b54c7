"""What is seen is what is meant: pictures without a place, references, clusters, themes, words, contrast."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from affine import Affine
from playwright.sync_api import Error, Locator, Route, expect
from rasterio.errors import NotGeoreferencedWarning

from data.scenes import render
from tests.e2e.app import Tab
from tests.suite.walking import share

CONTRAST = (Path(__file__).parent / "contrast.js").read_text(encoding="utf-8")
VIEW = "(await (await fetch(azimuth.base + '/view')).json())"


@pytest.fixture
def unplaced(tmp_path: Path) -> Callable[[str, int], tuple[Path, int]]:
    """Writes a rendered radar scene of the sea without coordinates; the file, and how many ships it has."""

    def write(name: str, seed: int) -> tuple[Path, int]:
        made = render(seed, kind="sar", size=384, gsd_m=10, theme="sea")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotGeoreferencedWarning)
            file = replace(made, crs=None, transform=Affine.identity()).write(tmp_path / f"{name}.tif")
        return file, len(made.objects)

    return write


def upload(tab: Tab, file: Path) -> None:
    tab.page.get_by_label("Files to upload").first.set_input_files(str(file))
    expect(tab.page.locator(".az-upload", has_text=file.name)).to_contain_text("a GeoTIFF")


def test_an_image_without_coordinates_is_shown_with_its_boxes_beside_the_map(
    visit: Callable[..., Tab], unplaced: Callable[[str, int], tuple[Path, int]], screenshot_folder: Path
) -> None:
    file, ships = unplaced("sea", 20)
    tab = visit()
    upload(tab, file)
    expect(tab.ask("find the ships in it").locator(".az-reply")).to_contain_text(f"{ships} ships")
    front = tab.page.locator(".st-key-panels").get_by_role("radio", name="Image", exact=True)
    expect(front).to_be_checked()
    picture = tab.body().frame_locator("iframe")
    expect(picture.locator(".az-objects")).to_have_attribute("data-shown", str(ships))
    expect(picture.locator(".az-pixel-tile img").first).to_have_js_property("complete", True)
    tab.shot(screenshot_folder, "picture")
    tab.ask("load fair1m and draw the images per year as bars")
    expect(tab.page.locator(".st-key-panels").get_by_role("radio", name="Figure")).to_be_checked()
    tab.panel("Image").get_by_role("link", name="Open on the Imagery page").click()
    viewer = tab.page.frame_locator(".st-key-viewer iframe")
    expect(viewer.locator(".az-objects")).to_have_attribute("data-shown", str(ships))


def test_what_was_found_in_one_image_is_not_said_of_the_next(
    new_tab: Callable[..., Tab], unplaced: Callable[[str, int], tuple[Path, int]]
) -> None:
    tab = new_tab().open()
    upload(tab, unplaced("first", 21)[0])
    tab.ask("find the ships in it")
    upload(tab, unplaced("second", 22)[0])
    tab.go("Imagery")
    frame = tab.page.locator(".st-key-viewer iframe")
    newest = str(frame.get_attribute("src"))
    choose(tab, "first")
    expect(tab.page.locator(".st-key-image_said")).to_contain_text("ships-cfar")
    # The words come before the picture: what follows begins once both are of the first.
    expect(frame).not_to_have_attribute("src", newest)
    # Whether the picture of the one and the words of the other are ever there together.
    tab.page.evaluate("""() => {
        const frame = () => document.querySelector(".st-key-viewer iframe");
        const before = frame().src;
        window.mixed = 0;
        const look = () => {
            const said = document.querySelector(".st-key-image_said");
            const other = frame() && frame().src !== before;
            if (other && said && said.innerText.includes("ships-cfar")) window.mixed++;
        };
        const what = { subtree: true, childList: true, attributes: true, attributeFilter: ["src"] };
        new MutationObserver(look).observe(document.body, what);
    }""")
    choose(tab, "second")
    expect(tab.page.get_by_text("Nothing was looked for in this image yet")).to_be_visible()
    expect(tab.page.locator(".st-key-image_said")).not_to_contain_text("ships-cfar")
    assert tab.page.evaluate("window.mixed") == 0


def choose(tab: Tab, name: str) -> None:
    tab.pick(tab.page.locator(".st-key-image_top [data-testid='stSelectbox'] input"), name)
    expect(tab.page.frame_locator(".st-key-viewer iframe").locator("#picture[data-ready]")).to_be_visible()


def test_a_filter_closes_the_image_that_it_drops_and_goes_to_what_it_leaves(
    visit: Callable[..., Tab],
) -> None:
    tab = visit()
    tab.call("db_load", names=["fair1m"])
    tab.call("footprint_plot")
    tab.call("show_image", rank="oldest")
    expect(tab.body().locator(".az-record")).to_be_visible()
    assert tab.see("Boolean(azimuth.mark)") is True
    tab.call("filter_date", start="2020-01-01", end="2020-12-31")
    expect(tab.body().locator(".az-record")).to_have_count(0)
    expect(tab.page.locator(".st-key-panels").get_by_role("radio", name="Results")).to_be_checked()
    assert tab.see("Boolean(azimuth.mark)") is False
    tab.wait_until(holds_the_rows("footprints"))


def test_footprints_all_over_the_world_are_fitted(visit: Callable[..., Tab]) -> None:
    tab = visit()
    tab.call("set_view", lon=2.35, lat=48.85, zoom=11)
    tab.call("db_load", names=["xview2"])
    tab.call("footprint_plot")
    tab.wait_until(holds_the_rows("footprints"))
    tab.call("set_view", lon=2.35, lat=48.85, zoom=11)
    tab.stand()
    assert tab.see("azimuth.map.getZoom()") == 11  # who moves the camera says what is to be seen


def test_a_fit_that_comes_late_leaves_the_map_where_it_was_moved_meanwhile(
    new_tab: Callable[..., Tab],
) -> None:
    tab = new_tab().open()
    held: list[Route] = []
    tab.page.route(re.compile("/extent$"), lambda route: held.append(route))
    tab.call("set_view", lon=2.35, lat=48.85, zoom=11)
    tab.call("db_load", names=["xview2"])
    tab.call("footprint_plot")
    tab.wait_for(lambda: held, "the question where all of them are")
    tab.call("set_view", lon=4.83, lat=45.76, zoom=10)
    with tab.page.expect_response(re.compile("/extent$")):
        held[0].continue_()
    tab.stand()
    assert tab.see("azimuth.map.getZoom()") == 10


def test_what_was_asked_for_of_a_view_that_was_left_is_not_drawn(new_tab: Callable[..., Tab]) -> None:
    tab = new_tab().open()
    tab.call("db_load", names=["xview2"])
    tab.call("footprint_plot")
    near, far = {"lon": -95.4, "lat": 29.8, "zoom": 9}, {"lon": -95.4, "lat": 29.8, "zoom": 3}
    tab.call("set_view", **near)
    tab.stand()
    held: list[Route] = []
    tab.page.route(re.compile(r"/layers/footprints\?"), lambda route: held.append(route))
    tab.call("set_view", **far)
    tab.wait_for(lambda: held, "the question what is in the far view")
    tab.call("set_view", **near)
    with suppress(Error):  # it was taken back, as it should be
        held[0].continue_()
    asked = held[0].request
    tab.wait_for(lambda: asked.failure or asked.response(), "the end of that question")
    tab.stand()
    assert tab.see("azimuth.layers.get('footprints').loaded.zoom") == 9


def holds_the_rows(layer: str, within: str = "") -> str:
    """Whether the map's view holds the box of all that a layer shows, or of what is centred in a box."""
    return f"""async () => {{
        const {{ bbox: [west, south, east, north] }} = await azimuth.get("/layers/{layer}/extent{within}");
        return azimuth.map.getBounds().contains([[south, west], [north, east]]);
    }}"""


YEARS = """async (session) => {
    const headers = { "Content-Type": "application/json", "X-Azimuth": "1" };
    for (let year = 2015; year < 2021; year++) {
        const asked = { tool: "filter_date", args: { start: year + "-01-01", end: year + "-12-31" } };
        const sent = { method: "POST", headers, body: JSON.stringify(asked) };
        await fetch("/api/sessions/" + session + "/calls", sent);
    }
}"""
"""Six calls, so that what came before them is out of sight in the trace."""


def test_a_reference_names_the_call_that_the_trace_shows_and_brings_it_into_sight(
    visit: Callable[..., Tab],
) -> None:
    tab = visit()
    tab.page.evaluate(YEARS, tab.session)
    tab.call("filter_clear")
    card = tab.ask("load fair1m, show it as clusters and draw the images per year as bars")
    tab.page.evaluate(YEARS, tab.session)
    tab.call("db_unload", names=["fair1m"])
    reference = card.locator(".az-ref").last
    number = reference.inner_text()
    called = str(reference.get_attribute("title")).removeprefix(f"Call {number}: ")
    reference.click()
    row = tab.body().locator(".az-wanted")
    expect(row.locator("td").first).to_have_text(number)
    expect(row.locator("code").first).to_have_text(called)
    expect(row).to_be_in_viewport(ratio=0.9)
    answered = tab.page.evaluate(
        """async (session) => {
            const asked = { tool: "db_load", args: { names: ["fair1m"] } };
            const headers = { "Content-Type": "application/json", "X-Azimuth": "1" };
            const sent = { method: "POST", headers, body: JSON.stringify(asked) };
            return (await fetch("/api/sessions/" + session + "/calls", sent)).json();
        }""",
        tab.session,
    )
    assert answered["number"] == 1
    tab.page.locator("article.az-turn summary").first.click()
    shown = tab.page.locator("article.az-turn .az-no")
    expect(shown.first).to_have_text("1")


OVERLAPS = """() => {
    const box = (node) => node.getBoundingClientRect();
    const seen = (node) => getComputedStyle(node).visibility === "visible";
    const round = [...document.querySelectorAll(".az-cluster")].map(box);
    const named = [...document.querySelectorAll(".az-country, .az-city")].filter(seen).map(box);
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
    const found = [];
    round.forEach((a, i) => {
        for (const b of round.slice(i + 1)) {
            const [[x, y], [u, v]] = [middle(a), middle(b)];
            if (Math.hypot(x - u, y - v) < (a.width + b.width) / 2 - 0.5) found.push(["cluster", x, y, u, v]);
        }
        for (const b of named) if (meet(a, b)) found.push(["name", a.x, a.y]);
    });
    return [round.length, named.length, found];
}"""


def test_clusters_cover_neither_one_another_nor_names(visit: Callable[..., Tab]) -> None:
    tab = visit()
    tab.call("db_load", names=["fair1m", "fmow"])
    tab.call("cluster_plot")
    for lon, lat, zoom in ((10, 25, 2), (10, 48, 5), (-79.9, 40.4, 8)):
        tab.call("set_view", lon=lon, lat=lat, zoom=zoom)
        tab.wait_until(f"azimuth.map.getZoom() === {zoom}")
        tab.stand()
        clusters, names, overlaps = tab.see(f"({OVERLAPS})()")  # type: ignore[misc]
        assert clusters > 4 and names > 0, (lon, lat)
        assert overlaps == [], (lon, lat)


def test_a_click_on_a_cluster_shows_all_that_it_counts(visit: Callable[..., Tab]) -> None:
    tab = visit()
    tab.call("db_load", names=["xview3"])
    tab.call("cluster_plot")
    tab.call("set_view", lon=4, lat=52, zoom=9)
    expect(tab.map.locator(".az-cluster").first).to_be_visible()
    # The fit to all of them may still be on its way: what was fetched has to be what is in sight now.
    there = "azimuth.map.getZoom() === 9 && azimuth.map.getBounds().contains([52, 4])"
    tab.wait_until(f"{there} && azimuth.layers.get('clusters').covers()")
    wanted = tab.see("""[...azimuth.layers.values()][0].content.features.features
        .filter(({ properties: { count }, geometry: { coordinates: [lon, lat] } }) =>
            count > 1 && azimuth.map.getBounds().contains([lat, lon]))
        .sort((a, b) => b.properties.count - a.properties.count)[0].properties""")
    assert isinstance(wanted, dict)
    west, south, east, north = wanted["bbox"]
    tab.see(f"""void [...document.querySelectorAll(".az-cluster-box")]
        .find((node) => node.title === "{wanted["count"]:,} images").click()""")
    tab.wait_until("azimuth.map.getZoom() > 9")
    tab.stand()
    assert tab.see(f"({holds_the_rows('clusters', f'?bbox={west},{south},{east},{north}')})()") is True


def test_the_theme_changes_in_place(new_tab: Callable[..., Tab], screenshot_folder: Path) -> None:
    tab = new_tab().open()
    tab.ask("load fair1m and show it as clusters")
    tab.panel("Layers")
    tab.page.get_by_test_id("stChatInputTextArea").fill("half a question")
    tab.page.evaluate("window.kept = true")
    tab.see("window.azimuth.kept = true")
    for wanted, base in (("Dark theme", "dark"), ("Light theme", "light"), ("Dark theme", "dark")):
        tab.page.get_by_role("button", name=wanted).click()
        tab.map.locator(f"html[data-base='{base}']").wait_for()
    tab.shot(screenshot_folder, "dark")
    assert tab.page.evaluate("window.kept") is True and tab.see("window.azimuth.kept") is True
    expect(tab.map.locator(".az-cluster").first).to_be_visible()
    expect(tab.page.locator(".st-key-panels").get_by_role("radio", name="Layers")).to_be_checked()
    expect(tab.page.get_by_test_id("stChatInputTextArea")).to_have_value("half a question")
    tab.page.reload()
    tab.map.locator("html[data-base='dark']").wait_for()
    tab.go("Help")
    expect(tab.page.get_by_role("button", name="Light theme")).to_be_visible()


def test_all_that_shows_a_timelines_rows_follows_its_slider(visit: Callable[..., Tab]) -> None:
    tab = visit()
    tab.call("db_load", names=["xview1"])
    tab.call("footprint_plot")
    tab.call("time_slider_plot", by="year")
    tab.call("set_view", lon=151.2, lat=-33.87, zoom=10)
    slider = tab.map.get_by_role("slider", name="Time")
    expect(slider).to_be_visible()
    slider.focus()
    slider.press("ArrowRight")
    shown = "[...azimuth.layers.values()].map((each) => [each.view.kind, each.content && each.content.total])"
    tab.wait_until(f"new Set({shown}.map(([, total]) => total)).size === 1")
    step = tab.map.locator(".az-time-text")
    expect(step).to_have_text(re.compile(r"^20\d\d · [1-9]\d*$"))
    count = step.inner_text().split(" · ")[1]
    everything = tab.see("[...azimuth.layers.values()][0].view.count")
    assert isinstance(everything, int) and int(count) < everything
    expect(tab.map.locator(".az-legend-count")).to_have_text([count, count])
    tab.call("remove_layer", layer="timeline")
    expect(tab.map.locator(".az-legend-count")).to_have_text([f"{everything:,}"])


def test_a_refusal_is_said_once(new_tab: Callable[..., Tab]) -> None:
    tab = new_tab().open()
    # What was said in between counts too: whatever is ever put into a box of passing words.
    tab.page.evaluate("""() => {
        window.said = [];
        new MutationObserver((all) => all.forEach((each) => each.addedNodes.forEach((node) => {
            if (node.parentElement?.closest(".az-notices")) window.said.push(node.textContent);
        }))).observe(document.body, { subtree: true, childList: true });
    }""")
    expect(tab.ask("book me a flight to Paris").locator(".az-reply")).to_contain_text("cannot be done")
    tab.see("void azimuth.call('filter_class', { classes: ['no such thing'] })")
    expect(tab.page.locator("article.az-action .az-failed")).to_have_count(1)
    tab.call("notify", text="well done")
    expect(tab.page.locator(".az-notices p")).to_have_count(1)
    assert tab.page.evaluate("window.said") == ["well done"]
    expect(tab.map.locator(".az-toast.az-shown")).to_have_count(0)


def contrasts(tab: Tab) -> dict[str, object]:
    """What cannot be read on the page and in its frames, by where it stands."""
    tab.settle()
    tab.page.wait_for_timeout(400)
    frames = [each for each in tab.page.frames if each.url.startswith("http") and not each.is_detached()]
    found: dict[str, object] = {}
    for each in frames:
        try:
            found |= each.evaluate(CONTRAST)
        except Error:  # a frame that a panel took away meanwhile shows nothing
            if not each.is_detached():
                raise
    return found


PAGES = ("Imagery", "Data", "Tools", "Benchmark", "Help")
PANELS = ("Image", "Layers", "Trace", "Jobs", "Results")


def test_every_text_can_be_read_and_headings_go_down_a_level_at_a_time(
    visit: Callable[..., Tab], unplaced: Callable[[str, int], tuple[Path, int]]
) -> None:
    tab = visit()
    fill(tab, unplaced("sea", 20)[0])
    assert read_through(tab) == ({}, {})


def fill(tab: Tab, file: Path) -> None:
    """Bring something to read into every panel."""
    tab.call("db_load", names=["fair1m"])
    tab.call("cluster_plot")
    upload(tab, file)
    card = tab.ask("find the ships in it")
    tab.ask("book me a flight to Paris")
    card.locator("summary").first.click()


def read_through(tab: Tab) -> tuple[dict[str, object], dict[str, list[int]]]:
    """What cannot be read in any panel or page, and where headings leave a level out.

    `make test` looks at every second of them, `make test-all` at all.
    """
    unread: dict[str, object] = {}
    skipped: dict[str, list[int]] = {}

    def look(name: str) -> None:
        unread.update({f"{name}: {key}": value for key, value in contrasts(tab).items()})
        levels = heading_levels(tab.page.locator("h1, h2, h3, h4, h5, h6, [role=heading]"))
        if levels[0] != 1 or any(after > before + 1 for before, after in pairwise(levels)):
            skipped[name] = levels

    for panel in share(PANELS, 0, of=2):
        tab.panel(panel)
        look(panel)
    tab.call("select_image", rank="oldest")
    expect(tab.body().locator(".az-record")).to_be_visible()
    look("Record")
    tab.call("set_view", lon=10, lat=48, zoom=6)
    look("Map")
    for page in share(PAGES, 0, of=2):
        tab.go(page)
        expect(tab.page.locator("h2", has_text=page)).to_be_visible()
        look(page)
    return unread, skipped


def heading_levels(headings: Locator) -> list[int]:
    found = headings.evaluate_all(
        """(all) => all.filter((each) => each.offsetParent)
            .map((each) => Number(each.getAttribute("aria-level") || each.tagName.slice(1)))"""
    )
    return [int(level) for level in found]
