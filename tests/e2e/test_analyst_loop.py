"""The analyst's loop, offline: an image, a request, a click on a result, verdicts by key, and the export."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import geopandas as gpd
import pytest
from playwright.sync_api import Locator, expect

from data.scenes import render
from tests.e2e.app import Tab
from tests.e2e.test_imagery_story import fetched

OBJECTS = "[...azimuth.layers.values()].find((each) => each.objects).objects"
SPOT = f"""() => {{
  const item = [...{OBJECTS}.items.values()].sort((a, b) => a.score - b.score || a.id - b.id)[0];
  const spot = azimuth.map.latLngToContainerPoint(item.bounds.getCenter());
  return [item.id, spot.x, spot.y];
}}"""


@pytest.fixture
def scene(tmp_path: Path) -> tuple[Path, int]:
    """A rendered radar scene of the open sea, and how many ships are in it."""
    made = render(21, kind="sar", size=384, gsd_m=10, theme="sea")
    return made.write(tmp_path / "sea.tif"), len(made.objects)


def verdict(card: Locator, key: str, before: int) -> None:
    """Give a verdict by key, and wait until the next detection is open."""
    card.page.keyboard.press(key)
    expect(card).not_to_have_attribute("data-detection", str(before))


def test_what_was_found_is_reviewed_by_key_filtered_counted_undone_and_exported(
    visit: Callable[..., Tab], scene: tuple[Path, int], screenshot_folder: Path
) -> None:
    file, ships = scene
    tab = visit()
    tab.page.get_by_label("Files to upload").set_input_files(str(file))
    expect(tab.page.locator(".az-upload")).to_contain_text("a GeoTIFF of 1 band")
    expect(tab.ask("find the ships in it").locator(".az-reply")).to_contain_text(f"{ships} ships")
    box, card = tab.map.locator(".az-objects"), tab.map.locator(".az-card")
    expect(box).to_have_attribute("data-shown", str(ships))

    first = open_lowest(tab)
    expect(card).to_contain_text("Unreviewed")
    chip = card.locator("img")
    expect(chip).to_have_js_property("naturalWidth", 320)
    verdict(card, "c", first)
    second = int(str(card.get_attribute("data-detection")))
    verdict(card, "r", second)
    third = int(str(card.get_attribute("data-detection")))
    tab.page.keyboard.press("l")
    card.get_by_label("The right class").fill("tanker")
    tab.page.keyboard.press("Enter")
    expect(card).to_contain_text(f"3 of {ships} reviewed")
    tab.shot(screenshot_folder, "review")

    box.get_by_label("Verdicts shown").select_option("unreviewed")
    expect(box).to_have_attribute("data-shown", str(ships - 3))
    box.get_by_label("Verdicts shown").select_option("all")
    box.get_by_label("Least score shown").fill("1")
    expect(box).to_have_attribute(
        "data-shown", str(tab.see(f"[...{OBJECTS}.items.values()].filter((e) => e.score >= 1).length"))
    )

    wait_for_reviews(tab, 3)
    tab.go("Imagery")
    precision = tab.page.locator(".az-precision")
    expect(precision).to_contain_text(
        f"3 of {ships} reviewed 1 confirmed, 1 rejected, 1 relabelled; not drawn at random"
    )
    viewer = tab.page.frame_locator(".st-key-viewer iframe")
    expect(viewer.locator(".az-objects")).to_have_attribute("data-shown", str(ships))
    tab.shot(screenshot_folder, "imagery-page")
    tab.settle()
    tab.page.get_by_role("button", name="Undo", exact=True).click()
    expect(precision).to_contain_text(f"2 of {ships} reviewed 1 confirmed, 1 rejected; not drawn at random")
    tab.settle()
    tab.page.get_by_role("button", name="Redo", exact=True).click()
    expect(precision).to_contain_text(f"3 of {ships} reviewed")

    check_exports(
        tab, {first: ("confirmed", "ship"), second: ("rejected", None), third: ("relabelled", "tanker")}
    )


def open_lowest(tab: Tab) -> int:
    """Click the detection of the lowest score on the map; its number."""
    tab.stand()
    found = tab.see(f"({SPOT})()")
    assert isinstance(found, list)
    number, x, y = found
    tab.map.locator("#map_div").click(position={"x": x, "y": y})
    expect(tab.map.locator(".az-card")).to_have_attribute("data-detection", str(number))
    return int(number)


def wait_for_reviews(tab: Tab, count: int) -> None:
    """Wait until the session has so many verdicts: the map shows them before that."""
    tab.wait_until(
        f"""async () => {{
            const view = await azimuth.get("/view");
            const shown = view.layers.find((each) => each.objects).objects.id;
            const said = await azimuth.get("/detections/" + shown + "/reviews");
            return Object.keys(said.reviews).length === {count};
        }}"""
    )


def check_exports(tab: Tab, said: dict[int, tuple[str, str | None]]) -> None:
    """Both formats hold who, when, model and verdict of every detection."""
    tab.settle()
    tab.page.get_by_role("button", name="Export", exact=True).click()
    for name in ("GeoJSON", "GeoParquet"):
        link = tab.page.get_by_role("link", name=name, exact=True)
        content = fetched(tab, str(link.get_attribute("href")))
        frame = gpd.read_parquet(io.BytesIO(content)) if name == "GeoParquet" else as_frame(content)
        rows = frame.set_index("detection_id")
        assert set(rows["model"]) == {"ships-cfar"}
        for number, (verdict_said, right) in said.items():
            row = rows.loc[number]
            assert row["verdict"] == verdict_said
            assert (None if row.isna()["reviewed_class"] else row["reviewed_class"]) == right
            assert str(row["reviewed_by"]).startswith("analyst-") and str(row["reviewed_at"]).startswith("20")
        assert (rows.drop(index=list(said))["verdict"] == "unreviewed").all()
        assert rows.geometry.is_valid.all() and not rows.geometry.is_empty.any()


def as_frame(content: bytes) -> gpd.GeoDataFrame:
    return gpd.GeoDataFrame.from_features(json.loads(content)["features"], crs="EPSG:4326")
