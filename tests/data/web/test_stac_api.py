"""Searches of a real STAC API: stac-fastapi over pgstac, started on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from rasterio.warp import transform_bounds

from data.web import stac
from data.web.addresses import ALLOWED_VARIABLE
from data.web.errors import WebError
from data.web.stac import Wanted, collections, search
from state.model import State
from tests.data.web.conftest import Files
from tests.data.web.files import values_of
from tests.data.web.stac_server import SCENES, stac_api
from tests.postgres import new_postgres_database, postgres_server, postgres_template
from tests.tools.world import run, small_world, write_small_catalogue
from tools.selection import current_selection
from tools.web.scenes import stac_load, stac_search

__all__ = ["new_postgres_database", "postgres_server", "postgres_template"]
pytestmark = pytest.mark.slow
ROTTERDAM = (4.2, 51.8, 4.6, 52.0)


@pytest.fixture(scope="module")
def api_port(
    new_postgres_database: Callable[[], str], tmp_path_factory: pytest.TempPathFactory, file_folder: Any
) -> Iterator[int]:
    """The port of the running API."""
    href = f"http://files.test:{file_folder[2]}/files/scene.tif"
    with stac_api(new_postgres_database(), tmp_path_factory.mktemp("stac"), href) as port:
        yield port


@pytest.fixture
def api(api_port: int, files: Files, monkeypatch: pytest.MonkeyPatch) -> str:
    """The API's root, at names that may be asked."""
    port = files.base.rpartition(":")[2]
    hosts = f"stac.test:{api_port}=127.0.0.1:{api_port},files.test:{port}=127.0.0.1:{port}"
    # The API names itself in its links by the host that it was asked at.
    monkeypatch.setenv(ALLOWED_VARIABLE, hosts)
    return f"http://stac.test:{api_port}"


@pytest.fixture
def small_catalogue_copy(tmp_path: Path) -> Path:
    """A small catalogue that may be written to."""
    folder = tmp_path / "catalogue"
    folder.mkdir()
    return write_small_catalogue(folder)


def ids(api: str, **wanted: Any) -> list[str]:
    return sorted(str(each["id"]) for each in search(api, Wanted(**wanted)).items)


def test_the_collections_come_with_their_titles_and_spans(api: str):
    found = collections(api)
    assert [(each.id, each.title, each.start, each.end, each.bbox) for each in found] == [
        ("landsat-c2-l2", "Landsat Collection 2 Level-2", "2013-01-01", None, (-180, -90, 180, 90)),
        ("sentinel-2-l2a", "Sentinel-2 Level-2A", "2013-01-01", None, (-180, -90, 180, 90)),
    ]


def test_an_area_brings_the_scenes_that_touch_it(api: str):
    assert ids(api, bbox=ROTTERDAM) == [
        "LC08_RTM_20240506",
        "S2A_RTM_20230601",
        "S2A_RTM_20240505",
        "S2B_RTM_20240510",
    ]


def test_a_collection_days_and_a_cloud_limit_narrow_the_search(api: str):
    sentinel = {"bbox": ROTTERDAM, "collections": ("sentinel-2-l2a",)}
    assert ids(api, **sentinel, start="2024-05-05", end="2024-05-10") == [
        "S2A_RTM_20240505",
        "S2B_RTM_20240510",
    ]
    assert ids(api, **sentinel, start="2024-05-06") == ["S2B_RTM_20240510"]
    assert ids(api, **sentinel, end="2023-12-31") == ["S2A_RTM_20230601"]
    assert ids(api, **sentinel, cloud_pct=12) == ["S2A_RTM_20230601", "S2A_RTM_20240505"]


def test_a_box_across_the_antimeridian_finds_both_sides(api: str):
    assert ids(api, bbox=(178.0, -19.0, -179.0, -17.0)) == ["S2A_FJI_EAST", "S2A_FJI_WEST"]
    assert ids(api, bbox=(178.0, -19.0, 180.0, -17.0)) == ["S2A_FJI_WEST"]


def test_scenes_are_found_by_their_ids(api: str):
    assert ids(api, ids=("S2A_LYS_20240507",)) == ["S2A_LYS_20240507"]


def test_pages_are_followed_until_there_are_enough(api: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stac, "_PAGE_ITEMS", 2)
    everything = search(api, Wanted(limit=50))
    some = search(api, Wanted(limit=5))
    assert (sorted(str(each["id"]) for each in everything.items), everything.more) == (sorted(SCENES), False)
    assert (len(some.items), some.more) == (5, True)


def test_a_collection_that_is_not_there_brings_nothing(api: str):
    assert ids(api, collections=("no-such",)) == []


def test_an_item_says_where_its_files_are_and_how_cloudy_it_is(api: str, files: Files):
    (item,) = search(api, Wanted(ids=("S2A_RTM_20240505",))).items
    assert stac.assets(item) == {
        "visual": (f"{files.base}/files/scene.tif", "image/tiff; application=geotiff")
    }
    assert (stac.cloud_pct(item), stac.taken(item)) == (3.5, "2024-05-05T10:40:21Z")
    assert stac.own_address(item) == f"{api}/collections/sentinel-2-l2a/items/S2A_RTM_20240505"


def test_an_address_that_is_no_stac_api_is_told(api: str, files: Files):
    with pytest.raises(WebError, match="is not there; is this the address of a STAC API's root"):
        search(f"{files.base}/nowhere", Wanted())
    with pytest.raises(WebError, match="is not there; is this the address of a STAC API's root"):
        collections(f"{api}/collections")


def test_the_tools_search_this_api_load_its_scenes_and_read_one_s_pixels(
    api: str, files: Files, small_catalogue_copy: Path, tmp_path: Path
):
    world = small_world(small_catalogue_copy, tmp_path / "artifacts")
    where = {
        "api": api,
        "place": "Rotterdam",
        "start": "2024-05",
        "end": "2024-05",
        "collections": "sentinel-2-l2a",
    }
    found = run(world, State(), stac_search, **where, cloud_pct=50)
    assert (found.data["rows"], found.data["first"][0]["id"]) == (1, "S2A_RTM_20240505"), found.observation
    loaded = run(world, found.state, stac_load)
    assert not loaded.failed, loaded.observation
    assert (loaded.data["images"], loaded.state.database.count) == (1, 1)
    rows = world.catalogue.rows(
        current_selection(loaded.state, world), ("name", "sensor", "cloud_pct"), (), 5
    )
    assert rows.to_dict("records") == [{"name": "S2A_RTM_20240505", "sensor": "s2a", "cloud_pct": 3.5}]
    again = run(world, loaded.state, stac_load)
    assert again.data["dataset"] == loaded.data["dataset"] and again.state.database.count == 1
    with rasterio.open(files.folder / "scene.tif") as scene:
        west, south, east, north = transform_bounds(scene.crs, "EPSG:4326", *scene.bounds)
        middle = [west + (east - west) * 0.4, south + (north - south) * 0.4]
        box = [*middle, middle[0] + 0.01, middle[1] + 0.01]
        read = run(world, loaded.state, stac_load, asset="visual", bbox=box)
        assert not read.failed, read.observation
        path = world.artifacts.find(read.data["raster"])
        assert path is not None
        with rasterio.open(path) as area:
            window = scene.window(*area.bounds).round_offsets().round_lengths()
            np.testing.assert_array_equal(area.read(), values_of(scene, window=window))
    assert read.state.map.layers[-1].artifact == read.data["raster"]
