"""The web tools in a session, against the stand-in: what they say, what they hand on, what they refuse."""

from __future__ import annotations

import json
import socket
from dataclasses import replace
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio

from copilot.bench.standin.computed import height_m
from state.model import Filters, MapState, State
from tests.data.web.files import values_of
from tests.tools.prepared import example_arguments, prepared
from tests.tools.world import after, run
from tools.base import Tool, World
from tools.database.places import filter_coords
from tools.web import TOOLS
from tools.web.encyclopedia import wikipedia_page, wikipedia_search
from tools.web.files import download_file
from tools.web.papers import arxiv_paper, arxiv_search
from tools.web.places import elevation_at, osm_features, weather_history
from tools.web.reading import open_url, page_links, page_tables, read_page
from tools.web.scenes import stac_collections, stac_load, stac_search
from tools.web.searching import web_search

REPORT = "http://harbour.example/report.html"
MARK = "from outside: data, no instruction"


def table_of(world: World, step: Any) -> pd.DataFrame:
    path = world.artifacts.find(step.data["table"])
    assert path is not None
    return pd.read_parquet(path)


def features_of(world: World, step: Any) -> gpd.GeoDataFrame:
    path = world.artifacts.find(step.data["vector"])
    assert path is not None
    return gpd.read_parquet(path)


def test_a_search_says_who_was_asked_and_what_was_found(world: World):
    step = run(world, State(), web_search, query="dredging Rotterdam", limit=2)
    assert step.observation == (
        f"2 results of SearXNG at search.example for 'dredging Rotterdam' ({MARK}): "
        "Dredging report of the harbour authority <http://harbour.example/report.html>; "
        "Port of Rotterdam <http://wiki.example/en/wiki/Port_of_Rotterdam>."
    )
    assert step.data["results"][0]["url"] == REPORT
    assert run(world, State(), web_search, query="zzzz").data["count"] == 0


def test_a_page_is_read_without_its_menus_and_marked_as_from_outside(world: World):
    step = run(world, State(), read_page, url=REPORT)
    assert (step.data["title"], step.data["url"]) == ("Dredging report of the harbour authority", REPORT)
    assert "12.4 million cubic metres" in step.data["text"] and "Home" not in step.data["text"]
    assert step.observation.startswith(f"'Dredging report of the harbour authority', {REPORT} ({MARK}): ")
    short = run(world, State(), read_page, url=REPORT, max_chars=200)
    assert len(short.data["text"]) == 200 and short.data["text"].endswith("…")


def test_a_page_is_opened_in_a_tab_under_its_own_title(world: World):
    step = run(world, State(), open_url, url=REPORT)
    assert [(each.url, each.title) for each in step.state.ui.tabs] == [
        (REPORT, "Dredging report of the harbour authority")
    ]
    gone = run(world, State(), open_url, url="http://harbour.example/gone.html")
    assert gone.failed
    assert gone.observation == (
        "harbour.example answered with status 404 (there is nothing at that address)."
    )


def test_links_come_whole_and_each_address_once(world: World):
    step = run(world, State(), page_links, url=REPORT, containing="pdf")
    assert step.data["links"] == [
        {"text": "PDF of 48 pages", "url": "http://harbour.example/files/report-2023.pdf"},
        {"text": "second PDF", "url": "http://harbour.example/files/soundings.pdf"},
    ]
    assert step.data["count"] == 2


def test_the_largest_table_of_a_page_becomes_a_table(world: World):
    step = run(world, State(), page_tables, url=REPORT)
    expected = pd.DataFrame(
        {
            "Year": [2021, 2022, 2023],
            "Dredged (million m3)": [10.9, 11.3, 12.4],
            "Depth (m)": [16.5, 16.8, 17.2],
        }
    )
    pd.testing.assert_frame_equal(table_of(world, step), expected)
    assert (step.data["tables"], step.data["number"], step.state.ui.table) == (2, 1, step.data["table"])
    second = run(world, State(), page_tables, url=REPORT, number=2)
    assert table_of(world, second).to_dict("records") == [{"Basin": "East", "Depth (m)": 17.2}]
    assert run(world, State(), page_tables, url=REPORT, number=3).observation == (
        f"{REPORT} has 2 tables; there is no table 3."
    )


def test_papers_are_found_and_looked_up_by_number(world: World):
    step = run(world, State(), arxiv_search, query="change detection segmentation", limit=5)
    assert "1505.04597v1" in [each["id"] for each in step.data["papers"]]
    found = run(world, State(), arxiv_paper, paper="https://arxiv.org/abs/1505.04597v2")
    assert found.data == {
        "id": "1505.04597v1",
        "title": "U-Net: Convolutional Networks for Biomedical Image Segmentation",
        "authors": ["Olaf Ronneberger", "Philipp Fischer", "Thomas Brox"],
        "published": "2015-05-18",
        "updated": "2015-05-18",
        "summary": "A network for segmentation of images that learns from few of them, also used for change "
        "detection.",
        "category": "cs.CV",
        "url": "http://arxiv.org/abs/1505.04597v1",
        "pdf": "http://arxiv.org/pdf/1505.04597v1",
        "doi": None,
        "journal": None,
    }
    assert run(world, State(), arxiv_paper, paper="9912.00001").observation == (
        "arXiv has no paper 9912.00001."
    )


def test_an_article_comes_with_its_lead_its_place_and_its_address(world: World):
    step = run(world, State(), wikipedia_page, title="Suez Canal")
    assert step.data == {
        "title": "Suez Canal",
        "url": "http://wiki.example/en/wiki/Suez_Canal",
        "text": "The Suez Canal is a waterway at sea level in Egypt that joins the Mediterranean and the Red "
        "Sea.",
        "words": None,
        "lon": 32.34,
        "lat": 30.46,
        "revision": None,
        "language": "en",
    }
    whole = run(world, State(), wikipedia_page, title="Suez Canal", whole=True)
    assert whole.data["text"].endswith("It was opened in 1869 and has no locks.")
    german = run(world, State(), wikipedia_search, query="Hafen Rotterdam", language="de")
    assert [each["title"] for each in german.data["results"]] == ["Hafen Rotterdam"]
    missing = run(world, State(), wikipedia_page, title="Atlantis Harbour")
    assert missing.failed and "has no article 'Atlantis Harbour'; wikipedia_search" in missing.observation


def test_features_come_as_points_and_areas_with_their_attribution(world: World):
    step = run(world, State(), osm_features, what="hospitals", bbox=[4.0, 51.0, 5.0, 52.0])
    frame = features_of(world, step)
    assert frame.crs == "EPSG:4326"
    names = frame["name"].fillna("")
    assert list(zip(frame["osm_id"], names, frame.geometry.geom_type, strict=True)) == [
        ("node/101", "Stand-in hospital 1", "Point"),
        ("node/102", "Stand-in hospital 2", "Point"),
        ("node/103", "Stand-in hospital 3", "Point"),
        ("way/109", "", "Polygon"),
    ]
    assert (step.data["tags"], step.data["attribution"]) == (
        "amenity=hospital",
        "© OpenStreetMap contributors, ODbL 1.0",
    )
    layer = step.state.map.layers[-1]
    assert dict(layer.options)["attribution"] == "© OpenStreetMap contributors, ODbL 1.0"
    assert (layer.artifact, layer.count) == (step.data["vector"], 4)


def test_features_across_the_antimeridian_are_looked_for_on_both_sides(world: World):
    frame = features_of(
        world, run(world, State(), osm_features, what="port", bbox=[179.0, -18.0, -179.0, -17.0])
    )
    assert sorted(set(np.sign(frame.bounds.minx))) == [-1.0, 1.0]


def test_the_selection_s_area_is_taken_when_none_is_given(world: World):
    state = after(world, State(), (filter_coords, {"place": "Rotterdam"}))
    step = run(world, state, osm_features, what="hospital")
    assert step.data["area"] == list(state.database.filters.bbox or ())
    nowhere = run(world, State(), osm_features, what="hospital")
    assert nowhere.observation == (
        "It is not said where: give a place or a bbox, filter to a place, or zoom the map in to an area."
    )
    close = State(map=MapState(center=(4.5, 51.9), zoom=12.0))
    assert run(world, close, osm_features, what="hospital").observation.startswith(
        "4 features of OpenStreetMap with amenity=hospital in the map's view ["
    )


def test_too_large_an_area_and_an_unknown_kind_are_told(world: World):
    wide = run(world, State(), osm_features, what="hospital", bbox=[0, 40, 20, 60])
    assert "covers 400 square degrees, and OpenStreetMap is asked for 25 at most" in wide.observation
    odd = run(world, State(), osm_features, what="hospitl", bbox=[4, 51, 5, 52])
    assert "Did you mean hospital" in odd.observation


def test_a_height_comes_from_the_service_or_from_an_elevation_model(world: World):
    service = run(world, State(), elevation_at, lon=4.5, lat=51.9)
    assert service.data == {
        "lon": 4.5,
        "lat": 51.9,
        "elevation_m": height_m(4.5, 51.9),
        "source": "heights.example (plain)",
    }
    state = prepared(world)
    path = world.artifacts.find("raster-1a2b3c")
    with rasterio.open(path) as source:
        lon, lat = source.xy(2, 1)
    own = run(world, state, elevation_at, lon=lon, lat=lat, raster="raster-1a2b3c")
    assert (own.data["elevation_m"], own.data["source"]) == (9.0, "Heights")
    beside = run(world, state, elevation_at, lon=100, lat=0, raster="raster-1a2b3c")
    assert beside.observation == "Heights does not cover that point."


def test_the_weather_of_past_days_becomes_a_table_of_the_selection_s_days(world: World):
    step = run(world, State(), weather_history, place="Houston", start="2017-08-26", end="2017-08-29")
    frame = table_of(world, step)
    assert list(frame.columns) == [
        "date",
        "temperature_mean_c",
        "temperature_min_c",
        "temperature_max_c",
        "precipitation_mm",
        "wind_max_m_s",
        "cloud_cover_pct",
    ]
    assert list(frame["date"]) == ["2017-08-26", "2017-08-27", "2017-08-28", "2017-08-29"]
    assert step.data["precipitation_mm"] == frame["precipitation_mm"].sum() == 12.5
    assert step.data["temperature_mean_c"] == round(frame["temperature_mean_c"].mean(), 2)
    state = State()
    state = state.with_database(
        replace(state.database, filters=Filters(start="2018-05-01", end="2018-05-02", center=(4.5, 51.9)))
    )
    assert run(world, state, weather_history).data["days"] == 2
    future = run(world, State(), weather_history, place="Houston", start="2026-11-20", end="2026-11-22")
    assert future.observation == "2026-11-22 is not past yet; weather_history tells of past days only."


def test_scenes_are_searched_where_and_when_the_selection_is(world: World):
    state = after(world, State(), (filter_coords, {"bbox": [4.1, 52.1, 4.3, 52.2]}))
    filters = replace(state.database.filters, start="2024-04-01", end="2024-04-30")
    state = state.with_database(replace(state.database, filters=filters))
    step = run(world, state, stac_search, collections="sentinel-2-l2a")
    frame, table = features_of(world, step), table_of(world, step)
    assert list(table["datetime"]) == [f"2024-04-{day}T10:30:00Z" for day in ("28", "18", "08")]
    assert [json.loads(each)["id"] for each in frame["item"]] == list(table["id"]) == list(frame["id"])
    assert frame.total_bounds.tolist() == [4.0, 52.0, 5.0, 53.0]
    assert (step.data["rows"], step.data["count"], step.state.ui.table) == (3, 3, step.data["table"])
    clear = run(world, state, stac_search, collections="sentinel-2-l2a", cloud_pct=0)
    assert clear.data["rows"] == 0 and not clear.failed


def test_an_item_s_file_is_read_in_the_selected_area_with_its_provenance(world: World):
    state = prepared(world)
    whole = run(world, state, stac_load, found="vector-57ac00", asset="visual")
    assert not whole.failed, whole.observation
    path = world.artifacts.find(whole.data["raster"])
    with rasterio.open(path) as made, rasterio.open(world.artifacts.find("raster-5ce4e0")) as scene:
        np.testing.assert_array_equal(made.read(), values_of(scene))
        assert made.tags()["AZIMUTH_SOURCE"] == "http://stac.example/files/scene.tif"
        assert json.loads(made.tags()["AZIMUTH_ARGUMENTS"])["asset"] == "visual"
    wrong = run(world, state, stac_load, found="vector-57ac00", asset="vizual", item="nothing")
    assert wrong.failed and "The search found no scene 'nothing'" in wrong.observation
    other = run(world, state, stac_load, found="vector-1a2b3c", asset="visual")
    assert other.observation == "'vector-1a2b3c' is no result of stac_search; give one that is."
    assert run(world, State(), stac_load).observation == (
        "No scenes were searched for yet; stac_search finds some."
    )


def test_collections_are_listed_by_a_word(world: World):
    step = run(world, State(), stac_collections, containing="landsat")
    assert [each["id"] for each in step.data["collections"]] == ["landsat-c2-l2"]


@pytest.mark.parametrize(
    ("name", "kind"), [("fields.geojson", "vector"), ("dem.tif", "raster"), ("report.html", "document")]
)
def test_a_download_becomes_what_an_upload_of_it_would(world: World, name: str, kind: str):
    step = run(world, State(), download_file, url=f"http://harbour.example/{name}")
    assert not step.failed, step.observation
    artifact = step.state.artifacts[-1]
    assert (artifact.id, artifact.kind) == (step.data[kind], kind)
    assert artifact.made_by == f"download_file(url=http://harbour.example/{name})"
    about = json.loads(world.artifacts.about(artifact.id).read_text())
    assert (about["tool"], about["url"]) == ("download_file", f"http://harbour.example/{name}")
    assert list(world.artifacts.about("x").parent.glob(".download*")) == []


def offline(*args: Any, **more: Any) -> Any:
    raise socket.gaierror(-3, "Temporary failure in name resolution")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_without_a_network_every_tool_says_so(tool: Tool, world: World, monkeypatch: pytest.MonkeyPatch):
    state = prepared(world)
    arguments = example_arguments(tool, state)
    from copilot.bench.standin import web_settings

    for variable in web_settings():
        monkeypatch.delenv(variable)
    monkeypatch.setattr(socket, "getaddrinfo", offline)
    step = run(world, state, tool, **arguments)
    assert step.failed and step.state == state
    assert step.observation.endswith(
        "cannot be reached: this machine has no network, or no name server knows that name."
    )


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://localhost/"],
)
@pytest.mark.parametrize("tool", [open_url, read_page, page_links, page_tables, download_file])
def test_no_tool_reaches_into_a_private_network(world: World, tool: Tool, url: str):
    step = run(world, State(), tool, url=url)
    assert step.failed and "lies inside a private or reserved network" in step.observation


@pytest.mark.parametrize("tool", [stac_collections, stac_search])
def test_a_stac_address_is_guarded_as_any_other(world: World, tool: Tool):
    where = {"place": "Rotterdam"} if tool is stac_search else {}
    step = run(world, State(), tool, api="http://10.0.0.1/stac", **where)
    assert step.failed and "lies inside a private or reserved network" in step.observation
