"""What the routes answer, and to whom."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from copilot.engine import Engine
from copilot.live import Live
from copilot.messages import COOKIE as LANGUAGE
from copilot.server.owner import COOKIE
from copilot.session import Session
from tests.copilot.server.conftest import HEADERS, owner

NO_SESSION = (404, {"error": "There is no such session here."})


def said(answer: object) -> tuple[int, object]:
    return answer.status_code, answer.json()  # type: ignore[attr-defined]


def test_the_first_answer_gives_a_cookie_that_scripts_cannot_read(client: TestClient):
    client.cookies.clear()
    header = client.get("/api/health").headers["set-cookie"]
    assert header.startswith(f"{COOKIE}=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= {part.strip() for part in header.split(";")}
    assert "set-cookie" not in client.get("/api/health").headers


def test_a_made_up_cookie_is_replaced(client: TestClient):
    answer = client.get("/api/health", headers={"Cookie": f"{COOKIE}=../../etc"})
    assert answer.headers["set-cookie"].startswith(f"{COOKIE}=")


def test_every_answer_forbids_guessing_types_and_loading_from_elsewhere(client: TestClient, mine: Session):
    for path in ("/api/health", "/assets/map.js", f"/api/sessions/{mine.id}/view", "/api/sessions/none/view"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in headers["content-security-policy"]


ROUTES = (
    "view",
    "stream",
    "layers/clusters",
    "layers/clusters/steps",
    "layers/x/picture.png",
    "artifacts/table-123456",
)


@pytest.mark.parametrize("route", ROUTES)
def test_a_session_of_another_browser_is_not_even_confirmed(stranger: TestClient, mine: Session, route: str):
    assert said(stranger.get(f"/api/sessions/{mine.id}/{route}")) == NO_SESSION
    assert said(stranger.get(f"/api/sessions/there-is-none/{route}")) == NO_SESSION


def test_the_view_is_the_map_of_the_state(client: TestClient, mine: Session):
    view = client.get(f"/api/sessions/{mine.id}/view").json()
    assert [each["id"] for each in view["layers"]] == ["clusters"]
    assert view["layers"][0]["count"] == mine.state.database.count
    assert view["camera"] == {"center": [10.0, 25.0], "zoom": 2.0, "seq": 1}
    assert (view["version"], view["swipe"], view["selected"], view["area"]) == ("2", None, None, None)


@pytest.mark.parametrize(
    ("headers", "cookie", "expected"),
    [
        ({}, None, "The map has no layer “x”."),
        ({"Accept-Language": "fr-CA"}, None, "La carte n'a pas de couche « x »."),
        ({"Accept-Language": "fr-CA"}, "zh", "地图中没有图层“x”。"),
    ],
)
def test_what_the_map_is_told_is_in_the_language_that_was_chosen_or_else_the_browsers(
    client: TestClient, mine: Session, headers: dict[str, str], cookie: str | None, expected: str
):
    if cookie is not None:
        client.cookies.set(LANGUAGE, cookie)
    answer = client.get(f"/api/sessions/{mine.id}/layers/x", params={"zoom": 2}, headers=headers)
    assert said(answer) == (404, {"error": expected})


def test_clusters_in_view_add_up_to_the_images_there(client: TestClient, mine: Session):
    path = f"/api/sessions/{mine.id}/layers/clusters"
    whole = client.get(path, params={"bbox": "-180,-85,180,85", "zoom": "2"}).json()
    counted = sum(each["properties"].get("count", 1) for each in whole["features"]["features"])
    assert counted == whole["total"] == mine.state.database.count
    near = client.get(path, params={"bbox": "-80.3,40.3,-79.7,40.6", "zoom": "13"}).json()
    ids = {each["properties"]["id"] for each in near["features"]["features"]}
    assert {"xview1:1001.tif", "xview1:1002.tif"} <= ids
    assert near["mode"] == "images"


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"bbox": "1,2,3", "zoom": "3"}, "'bbox' is west,south,east,north in degrees; '1,2,3' came in."),
        (
            {"bbox": "-200,0,0,1", "zoom": "3"},
            "'bbox' lies outside -180..180, -90..90, or upside down: '-200,0,0,1'.",
        ),
        ({"bbox": "0,0,1,1"}, "'zoom' must be a number from 0 to 24; None came in."),
        ({"bbox": "0,0,1,1", "zoom": "nan"}, "'zoom' must be a number from 0 to 24; 'nan' came in."),
        (
            {"bbox": "0,0,1,1", "zoom": "3", "period": "2019;drop"},
            "'period' is a year, a month (2019-05) or a day; '2019;drop' came in.",
        ),
        (
            {"bbox": "0,0,1,1", "zoom": "3", "period": "2019-99"},
            "'period' is a year, a month (2019-05) or a day; '2019-99' came in.",
        ),
    ],
)
def test_a_bad_viewport_gets_one_sentence(
    client: TestClient, mine: Session, query: dict[str, str], sentence: str
):
    answer = client.get(f"/api/sessions/{mine.id}/layers/clusters", params=query)
    assert said(answer) == (400, {"error": sentence})


def test_a_call_from_the_page_goes_through_the_session(client: TestClient, mine: Session):
    body = {"tool": "show_image", "args": {"image": "xview1:1001.tif"}}
    answer = client.post(f"/api/sessions/{mine.id}/calls", json=body, headers=HEADERS)
    assert answer.status_code == 200
    assert mine.state.ui.selected_image == "xview1:1001.tif"
    assert (mine.events[-1].source, mine.events[-1].tool) == ("page", "show_image")


def test_a_call_that_fails_says_why_and_changes_nothing(client: TestClient, mine: Session):
    before = mine.state
    answer = client.post(
        f"/api/sessions/{mine.id}/calls", json={"tool": "show_imag", "args": {}}, headers=HEADERS
    )
    assert answer.status_code == 422
    assert "Did you mean show_image" in answer.json()["error"]
    assert mine.state == before


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({}, {"tool": "undo"}, 403),
        ({**HEADERS, "Origin": "https://evil.example"}, {"tool": "undo"}, 403),
        ({**HEADERS, "Origin": "null"}, {"tool": "undo"}, 403),
        (HEADERS, ["undo"], 400),
        (HEADERS, {"tool": 3}, 400),
        (HEADERS, {"tool": "undo", "args": []}, 400),
        (HEADERS, {"tool": "undo", "args": {"x": "y" * 300_000}}, 413),
    ],
)
def test_a_call_that_is_not_our_pages_is_turned_down(
    client: TestClient, mine: Session, headers: dict[str, str], body: object, status: int
):
    count = len(mine.events)
    answer = client.post(f"/api/sessions/{mine.id}/calls", content=json.dumps(body), headers=headers)
    assert (answer.status_code, len(mine.events)) == (status, count)
    assert list(answer.json()) == ["error"]


def test_an_artifact_is_downloaded_under_a_plain_name(
    client: TestClient, stranger: TestClient, mine: Session
):
    made = mine.call("export_csv").data["document"]
    answer = client.get(f"/api/sessions/{mine.id}/artifacts/{made}")
    assert answer.headers["content-disposition"].startswith('attachment; filename="CSV-export.csv"')
    assert len(answer.text.splitlines()) > mine.state.database.count
    assert said(stranger.get(f"/api/sessions/{mine.id}/artifacts/{made}")) == NO_SESSION


def test_a_delivered_file_is_downloaded_under_its_own_name(client: TestClient, mine: Session):
    made = mine.call("save_file", name="Käln ก.gpkg", layers=[{"from": "selection", "layer": "images"}])
    answer = client.get(f"/api/sessions/{mine.id}/artifacts/{made.data['document']}")
    assert answer.headers["content-type"] == "application/geopackage+sqlite3"
    assert answer.headers["content-disposition"] == (
        "attachment; filename=\"K_ln-_.gpkg\"; filename*=UTF-8''K%C3%A4ln-%E0%B8%81.gpkg"
    )
    assert answer.content.startswith(b"SQLite format 3")
    beside = client.get(f"/api/sessions/{mine.id}/artifacts/{made.data['document']}?format=provenance")
    assert beside.json()["file"] == "Käln-ก.gpkg"
    assert "K_ln-_.gpkg.provenance.json" in beside.headers["content-disposition"]


@pytest.mark.parametrize("name", ["..%2F..%2Fsessions.db", "table-000000", "document-*", ".", "%2e%2e"])
def test_only_ids_of_the_state_lead_to_files(client: TestClient, mine: Session, name: str):
    assert client.get(f"/api/sessions/{mine.id}/artifacts/{name}").status_code in (404, 405)


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../app.py",
        "/assets/%2e%2e/app.py",
        "/assets/..%2fpyproject.toml",
        "/vendor/leaflet/../package.json",
        "/vendor/none/x.js",
        "/vendor/leaflet/leaflet-src.js.map",
        "/api/basemap/nowhere",
        "/api/quicklooks/xview1:1001.tif",
        "/api/quicklooks/..%2f..%2fetc%2fpasswd",
    ],
)
def test_no_path_leads_out_of_what_is_served(client: TestClient, path: str):
    assert client.get(path).status_code == 404


def test_the_base_map_has_every_large_country_inside_the_world(client: TestClient):
    world = client.get("/api/basemap/world").json()
    names = {each["properties"]["code"] for each in world["features"]}
    assert {"US", "FR", "RU", "BR", "NG", "FJ"} <= names

    def longitudes(part: object) -> list[float]:
        if isinstance(part, list) and part and isinstance(part[0], (int, float)):
            return [part[0]]
        return [lon for each in part for lon in longitudes(each)]  # type: ignore[union-attr]

    for each in world["features"]:
        found = longitudes(each["geometry"]["coordinates"])
        assert -180 <= min(found) <= max(found) <= 180


def test_an_upload_goes_to_the_owners_folder(client: TestClient, engine: Engine):
    answer = client.put("/api/uploads/my%20cities.csv", content=b"name,lon,lat\na,1,2\n", headers=HEADERS)
    assert (answer.status_code, answer.json()) == (200, {"name": "my_cities.csv", "bytes": 19})
    path = engine.uploads(owner(client)) / "my_cities.csv"
    assert path.read_bytes() == b"name,lon,lat\na,1,2\n"


def test_a_name_that_is_too_long_keeps_its_beginning_and_its_end(client: TestClient):
    name = f"S2A_MSIL2A_{'over_the_fields_' * 20}_final_v2.tif"
    stored = client.put(f"/api/uploads/{name}", content=b"x", headers=HEADERS).json()["name"]
    assert len(stored) == 120
    assert stored.startswith("S2A_MSIL2A_over_the_fields_") and stored.endswith("_fields__final_v2.tif")


def test_an_upload_over_the_limit_gets_one_sentence_and_leaves_nothing(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AZIMUTH_MAX_UPLOAD_GB", "0.000001")
    sentence = (
        "The file is larger than 1e-06 GB, which is the most that can be uploaded; "
        "whoever runs Azimuth can bring it in there, with copilot data ingest."
    )

    def chunks():  # type: ignore[no-untyped-def]
        for _ in range(10):
            yield b"x" * 300

    for content in (b"x" * 5000, chunks()):
        assert said(client.put("/api/uploads/a.bin", content=content, headers=HEADERS)) == (
            413,
            {"error": sentence},
        )
    left = [path for path in (engine.home / "uploads").rglob("*") if path.is_file()]
    assert left == []


def test_uploads_over_the_quota_get_one_sentence_and_leave_nothing_but_what_was_there(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AZIMUTH_QUOTA_GB", "0.000001")
    assert client.put("/api/uploads/a.bin", content=b"x" * 600, headers=HEADERS).status_code == 200
    folder = engine.uploads(owner(client))
    sentence = (
        "With this file the uploads of this browser take more than 1e-06 GB ($AZIMUTH_QUOTA_GB), which is "
        "the most; whoever runs Azimuth can make room, and a file under a name that is there already takes "
        "that one's place."
    )

    def chunks():  # type: ignore[no-untyped-def]
        for _ in range(5):
            yield b"x" * 100

    for content in (b"x" * 500, chunks()):
        answer = client.put("/api/uploads/b.bin", content=content, headers=HEADERS)
        assert said(answer) == (413, {"error": sentence})
    assert [path.name for path in folder.iterdir()] == ["a.bin"]
    # A file that takes another's place needs no room beside it.
    assert client.put("/api/uploads/a.bin", content=b"x" * 900, headers=HEADERS).status_code == 200


def test_an_upload_to_a_disk_that_is_nearly_full_is_turned_down(
    client: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("data.room.KEEP_FREE_BYTES", 1 << 62)
    assert client.put("/api/uploads/a.bin", content=b"x", headers=HEADERS).status_code == 507
    left = [path for path in (engine.home / "uploads").rglob("*") if path.is_file()]
    assert left == []


@pytest.mark.parametrize("name", ["%2e%2e%2fx", "..%5c..%5cx", "a%2fb", "%00", "..."])
def test_an_uploads_name_never_leaves_its_folder(client: TestClient, engine: Engine, name: str):
    client.put(f"/api/uploads/{name}", content=b"x", headers=HEADERS)
    files = [path for path in engine.home.rglob("*") if path.is_file() and path.read_bytes() == b"x"]
    assert [path for path in files if path.parent != engine.uploads(owner(client))] == []


def test_an_upload_without_our_header_is_turned_down(client: TestClient):
    assert client.put("/api/uploads/a.csv", content=b"x").status_code == 403


def test_a_failure_inside_gives_a_sentence_and_no_traceback(
    client: TestClient, mine: Session, live: Live, monkeypatch: pytest.MonkeyPatch
):
    def broken(_: str) -> str:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(live, "version", broken)
    answer = client.get(f"/api/sessions/{mine.id}/view")
    assert said(answer) == (
        500,
        {"error": "This failed inside Azimuth; nothing was changed. The details are in the log."},
    )


def test_an_uploaded_file_is_added_to_the_session_of_its_owner_only(
    client: TestClient, stranger: TestClient, mine: Session, live: Live
):
    client.put("/api/uploads/my%20places.csv", content=b"name,lon,lat\na,4.5,51.5\n", headers=HEADERS)
    body = {"tool": "add_file", "args": {"file": "my_places.csv"}}
    answer = client.post(f"/api/sessions/{mine.id}/calls", json=body, headers=HEADERS)
    assert answer.status_code == 200
    assert [each.name for each in mine.state.artifacts] == ["my_places"]
    theirs = live.create(owner(stranger))
    refused = stranger.post(f"/api/sessions/{theirs.id}/calls", json=body, headers=HEADERS)
    assert refused.status_code == 422 and "There is no file 'my_places.csv' that" in refused.json()["error"]
    assert theirs.state.artifacts == ()
