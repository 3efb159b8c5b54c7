"""Files brought in through the page: several at once, chosen or dropped, watched and cancelled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from tests.data.uploads.samples import GEOJSON, picture, raster
from tests.e2e.app import MAP, Server, Tab
from tests.suite.waiting import wait_until

ROW_PX = 35
"""The height of a row of a table on the page."""
DROP = """([files]) => {
    const carried = new DataTransfer();
    for (const [name, text] of files) carried.items.add(new File([text], name));
    for (const kind of ["dragenter", "dragover", "drop"]) {
        const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: carried });
        document.body.dispatchEvent(event);
        const shown = document.querySelector(".az-drop");
        if (kind === "dragover" && !shown) throw new Error("nothing says where to drop");
    }
}"""


def row(page: Page, name: str):  # type: ignore[no-untyped-def]
    """The line of one file."""
    return page.locator(".az-upload", has=page.get_by_text(name, exact=True))


def layers(tab: Tab) -> list[str]:
    """What the map shows, by the session's own view."""
    found = tab.page.evaluate(
        "session => fetch(`/api/sessions/${session}/view`).then(a => a.json())", tab.session
    )
    return [each["name"] for each in found["layers"]]


def uploaded(server: Server) -> list[str]:
    """The names in all owners' folders, half-written ones too."""
    return sorted(path.name for path in (server.home / "uploads").rglob("*") if path.is_file())


def test_several_files_are_added_with_a_line_for_each(
    visit: Callable[..., Tab], app: Server, tmp_path: Path
) -> None:
    good = raster(tmp_path / "field.tif")
    points = tmp_path / "points.geojson"
    points.write_text(GEOJSON)
    bad = tmp_path / "lie.tif"
    bad.write_bytes(b"MZ\x90\0" + bytes(100))
    scan = picture(tmp_path / "scan.png")
    world = tmp_path / "scan.pgw"
    world.write_text("0.1\n0\n0\n-0.1\n4.05\n51.95\n")
    tab = visit()
    tab.page.get_by_label("Files to upload").set_input_files(
        [str(each) for each in (good, points, bad, scan, world)]
    )
    expect(row(tab.page, "field.tif")).to_contain_text("is a GeoTIFF of 3 bands")
    expect(row(tab.page, "points.geojson")).to_contain_text("2 features")
    expect(row(tab.page, "lie.tif")).to_contain_text("is a Windows program")
    expect(row(tab.page, "scan.png")).to_contain_text("world file beside it")
    expect(row(tab.page, "scan.pgw")).to_contain_text("Goes with the file of its name")
    assert sorted(layers(tab)) == ["field", "points", "scan"]
    tab.page.get_by_role("button", name="Dismiss lie.tif").click()
    expect(row(tab.page, "lie.tif")).to_have_count(0)


def test_the_table_of_an_own_layer_and_the_map_pick_the_same_feature(
    visit: Callable[..., Tab], tmp_path: Path
) -> None:
    wards = tmp_path / "wards.csv"
    wards.write_text("ward,people,lon,lat\nNorth,120,4.5,52.5\nSouth,80,5.5,51.5\n")
    tab = visit()
    tab.add_file(wards)
    # What is open is said, and not that nothing is loaded.
    expect(tab.body()).to_contain_text("wards 2 features")
    expect(tab.page.locator(".st-key-chips")).to_contain_text("Your own data: wards")
    head = tab.page.locator(".st-key-table_head")
    tab.press(tab.panel("Layers").get_by_role("button", name="Open the table of wards"), leads_to=head)
    expect(head).to_contain_text("2 rows · WGS 84 (EPSG:4326)")
    picked = "azimuth.view.picked && azimuth.view.picked.row"
    tab.stand()
    grid = tab.body().locator(".dvn-scroller")
    grid.click(position={"x": 15, "y": 2.5 * ROW_PX})
    tab.wait_until(f"({picked}) === 2")
    tab.see("azimuth.map.setView([52.5, 4.5], 7, { animate: false })")
    tab.stand()
    tab.page.locator(MAP).click()  # in its middle, where the first point is
    tab.wait_until(f"({picked}) === 1")
    expect(tab.page.locator(".az-chat")).to_contain_text("Row 1 is marked.")


def test_files_are_dropped_onto_the_chat_and_onto_the_data_page(visit: Callable[..., Tab]) -> None:
    tab = visit()
    tab.page.evaluate(DROP, [[["dropped.csv", "name,lon,lat\na,4.5,51.5\n"]]])
    expect(row(tab.page, "dropped.csv")).to_contain_text("1 feature")
    expect(tab.page.locator(".az-drop")).to_have_count(0)
    tab.go("Data")
    tab.page.get_by_text("Add your own data").click()
    # The list is the tab's own: what was dropped on the other page is still told of.
    expect(row(tab.page, "dropped.csv")).to_be_visible()
    tab.page.evaluate(DROP, [[["more.csv", "name,lon,lat\nb,5.5,52.5\n"]]])
    expect(row(tab.page, "more.csv")).to_contain_text("1 feature")
    own = tab.page.locator(".st-key-own_data")
    expect(own.locator(".az-own")).to_have_count(2)
    expect(own.locator(".az-own").first).to_contain_text("more features, added")
    head = tab.page.locator(".st-key-table_head")
    tab.press(own.get_by_role("button", name="Open the table").last, leads_to=head)
    expect(head).to_contain_text("dropped 1 row")
    tab.map.locator("#map_div[data-version]").wait_for()
    assert sorted(layers(tab)) == ["dropped", "more"]


def test_an_upload_is_watched_and_cancelled_and_leaves_nothing(
    visit: Callable[..., Tab], app: Server, tmp_path: Path
) -> None:
    large = tmp_path / "large.tif"
    raster(large, values=np.random.default_rng(0).integers(0, 255, (3, 2000, 2000), "uint8"))
    tab = visit()
    network = tab.context.new_cdp_session(tab.page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 1_000_000}
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", slow)
    tab.page.get_by_label("Files to upload").set_input_files(str(large))
    bar = row(tab.page, "large.tif").locator("progress")
    expect(bar).to_be_visible()
    tab.page.wait_for_function("document.querySelector('.az-upload progress')?.value > 0.05")
    tab.page.get_by_role("button", name="Cancel large.tif").click()
    expect(row(tab.page, "large.tif")).to_contain_text("Cancelled; nothing of it was kept.")
    left = ("large.tif", ".part")
    wait_until(lambda: not any(each.endswith(left) for each in uploaded(app)), "the end of what was uploaded")
    assert "large" not in json.dumps(layers(tab))
