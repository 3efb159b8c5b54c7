"""What is said is what was meant: that place, that advice, that chart, those rows of one's own file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
from playwright.sync_api import expect
from shapely.geometry import box

from tests.e2e.app import Tab

WITHOUT_REFERENCES = """(reply) => {
  const copy = reply.cloneNode(true);
  copy.querySelectorAll(".az-ref").forEach((each) => each.remove());
  return copy.textContent;
}"""


@pytest.fixture
def parcels(tmp_path: Path) -> Path:
    """Six fields of two owners."""
    path = tmp_path / "parcels.geojson"
    rows = {"owner": ["town", "farm"] * 3, "yield_t": [5.0, 7.5, 6.25, 8.0, 4.0, 9.0]}
    shapes = [box(4 + at / 100, 52, 4.005 + at / 100, 52.005) for at in range(6)]
    gpd.GeoDataFrame(rows, geometry=shapes, crs="EPSG:4326").to_file(path, driver="GeoJSON")
    return path


def downloaded(tab: Tab, link: object, target: Path) -> Path:
    """What a click on a link of an answer brings."""
    with tab.page.expect_download() as download:
        link.click()  # type: ignore[attr-defined]
    download.value.save_as(target)
    return target


def test_places_advice_and_it_are_what_the_words_say(
    visit: Callable[..., Tab], parcels: Path, tmp_path: Path, screenshot_folder: Path
) -> None:
    tab = visit()
    expect(tab.ask("show ships in Qwertyville")).to_contain_text("I know no place called 'Qwertyville'.")
    expect(tab.ask("mark it here")).to_contain_text("Which place or point do you mean?")
    assert tab.see("azimuth.view.layers.length") == 0
    reply = tab.ask("show fair1m ships near Pittsburhg, PA from 1990").locator(".az-reply")
    said = reply.evaluate(WITHOUT_REFERENCES)
    assert "I read 'Pittsburhg, PA' as Pittsburgh, Pennsylvania, United States." in said
    advice = re.search(r"There would be without the date filter ([\d,]+)", said)
    assert advice is not None, said
    tab.page.locator(".st-key-chips").get_by_role("button", name=re.compile("1990")).click()
    expect(tab.count()).to_contain_text(advice[1])

    tab.ask("a bar chart of them by year")
    card = tab.ask("export it")
    link = card.get_by_role("link", name="Download CSV export")
    rows = pd.read_csv(downloaded(tab, link, tmp_path / "chart.csv"))
    assert rows.iloc[:, 1].sum() == int(advice[1].replace(",", "")) and len(rows.columns) == 3
    tab.shot(screenshot_folder, "answer-with-a-file")

    tab.page.get_by_label("Files to upload").set_input_files(str(parcels))
    expect(tab.page.locator(".az-upload")).to_contain_text("6 features")
    expect(tab.ask("how many are there?")).to_contain_text("6 rows")
    tab.call("top_n", table="parcels", by="yield_t", n=2)
    expect(tab.page.locator(".az-action").last).to_contain_text("2 ")
    tab.call("aggregate", table="parcels", field="yield_t", function="sum", by="owner")
    expect(tab.page.locator(".az-action").last).to_contain_text("24.5")
    kept = tab.ask("show only those with yield_t over 7")
    expect(kept).to_contain_text("3 of 6 features of parcels have yield_t > 7")
    link = tab.ask("export it").get_by_role("link", name="Download GeoJSON export")
    frame = gpd.read_file(downloaded(tab, link, tmp_path / "kept.geojson"))
    assert sorted(frame["yield_t"]) == [7.5, 8.0, 9.0]
