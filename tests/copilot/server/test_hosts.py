"""By which names and for which pages the server answers, and who a browser is to it."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from copilot.live import Live
from copilot.owners import hash_kept, owner_id
from copilot.server import OwnerAndHeaders
from copilot.server.hosts import named_hosts, unread_hosts
from copilot.server.owner import COOKIE
from copilot.session import Session
from tests.copilot.server.conftest import HEADERS, owner

CALL = {"tool": "zoom_map", "args": {"level": 5}}


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8501", "127.0.0.1:8501", "[::1]:8501", "LOCALHOST:80"]
)
def test_the_loopbacks_names_are_answered_to(client: TestClient, host: str) -> None:
    assert client.get("/api/health", headers={"Host": host}).status_code == 200


NOT_OURS = """
evil.example|evil.example:8501|localhost.evil.example|127.0.0.1.evil.example|localhost@evil|192.168.1.5:8501
0.0.0.0:8501|[::]:8501|localhost:8501, evil.example|localhost:x|<b>x</b>|
"""


@pytest.mark.parametrize("host", "|".join(NOT_OURS.strip().splitlines()).split("|"))
def test_a_name_that_nobody_gave_is_not_answered_to(client: TestClient, mine: Session, host: str) -> None:
    for path in ("/api/health", "/assets/map.js", f"/api/sessions/{mine.id}/view", "/nothing"):
        answer = client.get(path, headers={"Host": host})
        assert answer.status_code == 421 and "set-cookie" not in answer.headers
        assert answer.json()["error"].endswith("whoever runs it can add a name to $AZIMUTH_HOSTS.")
    body = client.post(f"/api/sessions/{mine.id}/calls", json=CALL, headers={**HEADERS, "Host": host})
    assert body.status_code == 421 and mine.state.map.zoom != 5


def test_a_name_that_the_operator_gives_is_answered_to(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZIMUTH_HOSTS", "maps.lan, gis.lan:9000, https://maps.example.org")
    hosts = ("maps.lan", "maps.lan:8501", "gis.lan:9000", "gis.lan", "maps.example.org", "other.example.org")
    found = {host: client.get("/api/health", headers={"Host": host}).status_code for host in hosts}
    assert found == {
        "maps.lan": 200,
        "maps.lan:8501": 200,
        "gis.lan:9000": 200,
        "gis.lan": 421,
        "maps.example.org": 200,
        "other.example.org": 421,
    }
    assert named_hosts("a.b, https://c:1/") == {"a.b": None, "c:1": "https"}
    assert unread_hosts("a.b, http:/x y, *") == ["http:/x y", "*"]


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("localhost:8501", "http://localhost:8501", 200),
        ("localhost", "http://localhost:80", 200),
        ("LocalHost:8501", "http://localhost:8501", 200),
        ("localhost:8501", "https://localhost:8501", 403),
        ("localhost:8501", "http://localhost:8502", 403),
        ("localhost:8501", "http://localhost", 403),
        ("localhost:8501", "http://127.0.0.1:8501", 403),
        ("localhost:8501", "http://evil.example", 403),
        ("localhost:8501", "null", 403),
        ("localhost:8501", "evil://localhost:8501", 403),
        ("maps.example.org", "https://maps.example.org", 200),
        ("maps.example.org", "http://maps.example.org", 403),
    ],
)
def test_only_a_page_of_the_same_scheme_host_and_port_may_change_something(
    client: TestClient, mine: Session, monkeypatch: pytest.MonkeyPatch, host: str, origin: str, status: int
) -> None:
    monkeypatch.setenv("AZIMUTH_HOSTS", "https://maps.example.org")
    cookie = f"{COOKIE}={client.cookies[COOKIE]}"
    headers = {**HEADERS, "Host": host, "Origin": origin, "Cookie": cookie, "X-Forwarded-Proto": "https"}
    answer = client.post(f"/api/sessions/{mine.id}/calls", json=CALL, headers=headers)
    assert answer.status_code == status, answer.text


@pytest.mark.parametrize(
    ("host", "origin", "opens"),
    [
        ("localhost:8501", "http://localhost:8501", True),
        ("localhost:8501", None, True),
        ("evil.example:8501", "http://evil.example:8501", False),
        ("localhost:8501", "http://evil.example", False),
    ],
)
def test_websockets_are_opened_for_our_names_and_pages_only(
    live: Live, host: str, origin: str | None, opens: bool
) -> None:
    async def echo(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text("open")
        await socket.close()

    app = Starlette(
        routes=[WebSocketRoute("/_stcore/stream", echo)], middleware=[Middleware(OwnerAndHeaders)]
    )
    headers = {"Host": host, **({"Origin": origin} if origin else {})}
    client = TestClient(app, base_url="http://localhost:8501")
    try:
        with client.websocket_connect("/_stcore/stream", headers=headers) as socket:
            found = socket.receive_text() == "open"
    except WebSocketDisconnect:
        found = False
    assert found is opens


def test_a_made_up_cookie_is_nobodys(client: TestClient, live: Live, mine: Session) -> None:
    token, _, signature = client.cookies[COOKIE].partition(".")
    turned = signature[:-2] + ("AA" if signature[-2:] != "AA" else "BB")
    made_up = ["a" * 32, f"{'a' * 32}.{signature}", f"{token}.{turned}", f"{token}.", mine.row.owner, "local"]
    for cookie in (*made_up, f"{token}.{signature}.x", "../../etc"):
        shown = {"Cookie": f"{COOKIE}={cookie}"}
        other = TestClient(client.app, base_url="http://localhost:8501", headers=shown)
        answer = other.get(f"/api/sessions/{mine.id}/view")
        assert (answer.status_code, "set-cookie" in answer.headers) == (404, True), cookie
        assert other.put("/api/uploads/a.csv", content=b"x", headers=HEADERS).status_code == 403
    assert live.engine.owners.of(client.cookies[COOKIE]) == mine.row.owner


def test_the_store_keeps_no_cookie_and_none_can_be_made_of_what_it_keeps(
    client: TestClient, mine: Session
) -> None:
    token = client.cookies[COOKIE].partition(".")[0]
    assert mine.row.owner == owner(client) == owner_id(token) != token
    client.put("/api/uploads/a.csv", content=b"x", headers=HEADERS)
    home = mine.engine.home
    kept = [each for each in home.rglob("*") if each.is_file() and token.encode() in each.read_bytes()]
    assert kept == [] and not any(token in str(each) for each in home.rglob("*"))


def test_a_browser_from_before_cookies_were_signed_finds_its_sessions_and_uploads(
    client: TestClient, live: Live
) -> None:
    old = "Zx3_0123456789abcdefghijklmnopqr"
    session = live.create(old, "From before")
    uploads = live.engine.home / "uploads" / old
    uploads.mkdir(parents=True)
    (uploads / "mine.csv").write_text("name,lon,lat\na,1,2\n")
    assert hash_kept(live.engine.store, live.engine.home / "uploads") == 1
    assert hash_kept(live.engine.store, live.engine.home / "uploads") == 0
    assert live.engine.store.session(session.id).owner == owner_id(old)
    assert not uploads.exists() and (live.engine.uploads(owner_id(old)) / "mine.csv").is_file()
    browser = TestClient(client.app, base_url="http://localhost:8501", cookies={COOKIE: old})
    first = browser.get("/api/health")
    assert first.headers["set-cookie"].startswith(f"{COOKIE}={old}.")
    assert live.engine.owners.of(first.headers["set-cookie"].split("=", 1)[1].split(";")[0]) == owner_id(old)
    never = TestClient(client.app, base_url="http://localhost:8501", cookies={COOKIE: "b" * 32})
    assert not never.get("/api/health").headers["set-cookie"].startswith(f"{COOKIE}={'b' * 32}")


def test_a_cookie_is_for_https_only_where_the_operator_says_that_it_comes_by_it(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZIMUTH_HOSTS", "https://maps.example.org")
    client.cookies.clear()
    plain = client.get("/api/health", headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"]
    client.cookies.clear()
    secure = client.get("/api/health", headers={"Host": "maps.example.org"}).headers["set-cookie"]
    assert ("Secure" in plain, "Secure" in secure) == (False, True)
