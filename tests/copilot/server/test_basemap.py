"""The base map's routes: anybody's, kept by a browser for good, and nothing but tiles."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from data import basemap

LAND, RELIEF, NAMES = "/api/basemap/land/5/8/12", "/api/basemap/relief/4/8/5", "/api/basemap/names"


@pytest.mark.parametrize(
    ("path", "media_type", "zipped"),
    [
        (LAND, "application/vnd.mapbox-vector-tile", "gzip"),
        (RELIEF, "image/webp", None),
        (NAMES, "application/json", "gzip"),
    ],
)
def test_a_part_comes_whole_and_is_asked_for_once(
    client: TestClient, path: str, media_type: str, zipped: str | None
):
    answer = client.get(path, params={"v": basemap.version()})
    assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
    assert answer.headers.get("content-encoding") == zipped
    assert len(answer.content) > 1000
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    known = {"If-None-Match": answer.headers["etag"]}
    again = client.get(path, params={"v": basemap.version()}, headers=known)
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("asked", [{}, {"v": "older"}])
def test_an_address_that_does_not_name_the_version_is_kept_for_an_hour(
    client: TestClient, asked: dict[str, str]
):
    assert client.get(LAND, params=asked).headers["cache-control"] == "public, max-age=3600"


def test_where_there_is_nothing_but_land_the_tile_is_empty(client: TestClient):
    missing = next((x, y) for x in range(64) for y in range(64) if basemap.land().tile(6, x, y) is None)
    answer = client.get("/api/basemap/land/6/{}/{}".format(*missing))
    assert (answer.status_code, answer.content, answer.headers.get("content-encoding")) == (200, b"", None)


@pytest.mark.parametrize(
    "path",
    [
        "/api/basemap/land/7/0/0",
        "/api/basemap/land/999999999/0/0",
        "/api/basemap/relief/2/4/0",
        "/api/basemap/relief/2/0/4",
        "/api/basemap/land/1/-1/0",
        "/api/basemap/roads/1/0/0",
        "/api/basemap/land/..%2f..%2fnames/0/0",
        "/api/basemap/land.mbtiles",
    ],
)
def test_there_is_nothing_else(client: TestClient, path: str):
    assert client.get(path).status_code == 404
