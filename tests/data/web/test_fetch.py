"""The guarded fetcher against servers of this machine: what it brings, what it refuses, what it bounds."""

from __future__ import annotations

import json
import socket
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.web.addresses import ALLOWED_VARIABLE
from data.web.errors import BadStatus, NoNetwork, Refused, WebError
from data.web.fetch import Fetcher, fetch
from data.web.wire import MIB, Limits
from tests.data.web.site import raw
from tests.data.web.test_addresses import answers
from tests.suite.walking import walks

QUICK = Limits(total_seconds=0.6, connect_seconds=0.5, silent_seconds=0.4)


def test_a_page_comes_with_its_address_its_kind_and_its_text(base: str):
    answer = fetch(f"{base}/page#part")
    assert (answer.url, answer.status, answer.kind, answer.text) == (
        f"{base}/page",
        200,
        "text/html",
        "<title>Harbour</title><p>Été",
    )


def test_a_text_is_read_in_the_charset_that_it_says(base: str):
    assert fetch(f"{base}/latin").text == "Été"


def test_a_packed_answer_is_unpacked(base: str):
    assert fetch(f"{base}/packed").body == b"unpacked " * 1000


def test_a_request_tells_nothing_but_what_was_asked(base: str):
    told = fetch(f"{base}/told?a=1", {"q": "été & co"}).json()
    assert told["query"] == {"a": "1", "q": "été & co"}
    assert told["headers"] == {
        "host": base.removeprefix("http://"),
        "user-agent": "Azimuth/0.1 (geospatial copilot)",
        "accept": "*/*",
        "accept-encoding": "gzip",
    }


def test_a_redirect_is_followed_without_the_cookie_that_came_with_it(base: str):
    answer = fetch(f"{base}/leads", {"to": "/told?x=2"})
    assert answer.url == f"{base}/told?x=2"
    assert "cookie" not in answer.json()["headers"]


def test_a_secret_does_not_follow_a_redirect_to_another_host(base: str, site_port: int, monkeypatch: Any):
    monkeypatch.setenv(
        ALLOWED_VARIABLE,
        f"harbour.test:{site_port}=127.0.0.1:{site_port},other.test:{site_port}=127.0.0.1:{site_port}",
    )
    to = {"to": f"http://other.test:{site_port}/told"}
    with Fetcher() as fetcher:
        away = fetcher.get(f"{base}/leads", to, headers={"authorization": "Bearer secret"}).json()
        home = fetcher.get(
            f"{base}/leads", {"to": "/told"}, headers={"authorization": "Bearer secret"}
        ).json()
    assert "authorization" not in away["headers"]
    assert home["headers"]["authorization"] == "Bearer secret"


def test_a_body_is_sent_and_never_redirected(base: str):
    with Fetcher() as fetcher:
        told = fetcher.post(f"{base}/told", b'{"a": 1}', "application/json").json()
        assert (told["body"], told["headers"]["content-type"]) == ('{"a": 1}', "application/json")
        with pytest.raises(WebError, match="moved the service to '/told'; set that address instead"):
            fetcher.post(f"{base}/leads?to=/told&status=307", b"secret", "text/plain")


def test_redirects_that_lead_in_a_circle_come_to_an_end(base: str):
    with pytest.raises(WebError, match=r"^harbour\.test redirects more than 5 times; it leads nowhere\.$"):
        fetch(f"{base}/circle")


@pytest.mark.parametrize(
    "to",
    ["http://127.0.0.1:{port}/page", "http://localhost:8000/", "http://[::1]:8000/", "//10.0.0.1/",
     "http://2130706433/", "http://169.254.169.254/latest/meta-data/", "http://0x7f.1/", "http://0.0.0.0/"],
)  # fmt: skip
@walks("status", [301, 302, 303, 307, 308])
def test_a_redirect_into_a_private_network_is_refused(base: str, site_port: int, to: str, status: int):
    with pytest.raises(Refused, match="is not asked"):
        fetch(f"{base}/leads", {"to": to.format(port=site_port), "status": status})


@pytest.mark.parametrize(
    "to", ["file:///etc/passwd", "ftp://example.org/x", "gopher://x/1", "data:text/plain,x"]
)
def test_a_redirect_to_another_scheme_is_refused(base: str, to: str):
    with pytest.raises(Refused, match="begins with http:// or https://"):
        fetch(f"{base}/leads", {"to": to})


def test_a_redirect_to_a_name_that_means_this_machine_is_refused(base: str, monkeypatch: pytest.MonkeyPatch):
    real = socket.getaddrinfo
    inside = answers("127.0.0.1")
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: (inside if host == "evil.test" else real)(host, *a, **k)
    )
    with pytest.raises(Refused, match=r"^evil\.test is not asked: its address 127\.0\.0\.1 lies inside"):
        fetch(f"{base}/leads", {"to": "http://evil.test:8080/"})


def test_a_name_that_changes_its_answer_is_met_at_the_address_that_was_judged(
    monkeypatch: pytest.MonkeyPatch,
):
    asked: list[str] = []
    met: list[tuple[str, int]] = []

    def resolver(host: str, port: int, *args: Any, **more: Any) -> Any:
        asked.append(host)
        return answers("93.184.216.34" if len(asked) == 1 else "127.0.0.1")(host, port)

    def connection(address: tuple[str, int], *args: Any, **more: Any) -> socket.socket:
        met.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    monkeypatch.setattr(socket, "create_connection", connection)
    with pytest.raises(NoNetwork):
        fetch("http://rebind.test/")
    assert (asked, met) == (["rebind.test"], [("93.184.216.34", 80)])


@pytest.mark.parametrize(
    "url",
    ["", "example.org", "file:///etc/passwd", "ftp://example.org", "javascript:alert(1)", "http://", "http:///x",
     "http://a b/", "http://example.org/\nx", "https://user:pass@example.org/", "http://user@example.org",
     "http://example.org:99999/", "http://example.org:0/", "http://[::1", "http://\ud800/",
     "http://" + "a" * 5000, "/vsicurl/http://example.org/x.tif", "http://exa\u0000mple.org"],
)  # fmt: skip
def test_what_is_no_web_address_is_refused_in_a_sentence(url: str):
    with pytest.raises(Refused) as caught:
        fetch(url)
    said = str(caught.value)
    assert said.endswith(".") and "\n" not in said and "pass@" not in said


def test_an_answer_of_another_kind_is_not_read(base: str):
    with pytest.raises(WebError) as caught:
        fetch(f"{base}/image", kinds=("text/html", "text/plain"))
    assert str(caught.value) == f"{base}/image is image/png, and what is read here is text/html, text/plain."


def test_an_endless_answer_is_cut_at_the_bound(base: str):
    with pytest.raises(WebError, match="/endless is larger than the 1 MiB that are read of it"):
        fetch(f"{base}/endless", most_bytes=MIB)


def test_a_bomb_is_not_unpacked_beyond_the_bound(base: str):
    tracemalloc.start()
    with pytest.raises(WebError, match="/bomb is larger than the 1 MiB that are read of it"):
        fetch(f"{base}/bomb", most_bytes=MIB)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * MIB


def test_an_answer_packed_in_a_way_that_was_not_asked_for_is_refused(base: str):
    with pytest.raises(WebError, match="packs its answer as 'br', which was not asked for"):
        fetch(f"{base}/brotli")


def test_a_packed_answer_that_ends_in_the_middle_is_told(base: str):
    with pytest.raises(WebError, match="ends in the middle"):
        fetch(f"{base}/half_packed")


def test_a_number_that_json_has_not_is_told(base: str):
    with pytest.raises(WebError, match="sent something that is no JSON"):
        fetch(f"{base}/not_a_number").json()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (404, "harbour.test answered with status 404 (there is nothing at that address)."),
        (401, "harbour.test answered with status 401 (it wants a key or a password)."),
        (418, "harbour.test answered with status 418."),
        (429, "harbour.test says that it was asked too often; wait a minute and ask again."),
        (503, "harbour.test answered with status 503 (it is overloaded; try again later)."),
    ],
)
def test_a_status_is_said_with_what_it_means(base: str, status: int, said: str):
    with pytest.raises(BadStatus) as caught:
        fetch(f"{base}/status", {"of": status})
    assert (str(caught.value), caught.value.status) == (said, status)


@pytest.mark.parametrize("path", ["late", "dripping"])
def test_a_server_that_takes_its_time_is_given_up_in_time(base: str, path: str):
    with (
        Fetcher(QUICK) as fetcher,
        pytest.raises(WebError, match="too slow: its answer did not come in time"),
    ):
        fetcher.get(f"{base}/{path}")


def drips_its_head(connection: socket.socket) -> None:
    for letter in b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100:
        connection.sendall(bytes([letter]))
        time.sleep(0.05)


def breaks_off(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this")


def speaks_something_else(connection: socket.socket) -> None:
    connection.sendall(b"220 mail.example.org ESMTP\r\n")


def has_a_head_without_end(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for _ in range(3000):
        connection.sendall(b"x: " + b"y" * 1000 + b"\r\n")


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        (drips_its_head, "is too slow: its answer did not come in time."),
        (breaks_off, "broke off its answer, or does not speak HTTP."),
        (speaks_something_else, "broke off its answer, or does not speak HTTP."),
        (has_a_head_without_end, "broke off its answer, or does not speak HTTP."),
    ],
)
def test_a_server_that_does_not_speak_properly_is_left_in_time(
    talk: Callable[[socket.socket], None], said: str, monkeypatch: pytest.MonkeyPatch
):
    with raw(talk) as port:
        monkeypatch.setenv(ALLOWED_VARIABLE, f"127.0.0.1:{port}")
        with Fetcher(QUICK) as fetcher, pytest.raises(WebError) as caught:
            fetcher.get(f"http://127.0.0.1:{port}/")
        assert str(caught.value) == f"127.0.0.1 {said}"


def test_where_nothing_listens_is_told_at_once(monkeypatch: pytest.MonkeyPatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    monkeypatch.setenv(ALLOWED_VARIABLE, f"127.0.0.1:{port}")
    with pytest.raises(NoNetwork, match="nothing listens there, or this machine has no network"):
        fetch(f"http://127.0.0.1:{port}/")


def test_a_server_that_only_claims_to_be_safe_is_not_believed(base: str):
    with pytest.raises(WebError):
        fetch(base.replace("http://", "https://") + "/page")


def test_a_download_that_fails_leaves_nothing_behind(base: str, tmp_path: Path):
    with Fetcher() as fetcher:
        head = fetcher.download(f"{base}/packed", tmp_path / "kept", most_bytes=MIB)
        with pytest.raises(WebError):
            fetcher.download(f"{base}/endless", tmp_path / "gone", most_bytes=MIB)
    assert (head.kind, [each.name for each in tmp_path.iterdir()]) == ("text/plain", ["kept"])
    assert (tmp_path / "kept").read_bytes() == b"unpacked " * 1000


def test_one_connection_serves_many_requests(base: str, monkeypatch: pytest.MonkeyPatch):
    made: list[Any] = []
    real = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda *a, **k: made.append(a) or real(*a, **k))
    with Fetcher() as fetcher:
        bodies = [json.loads(fetcher.get(f"{base}/told", {"n": n}).body)["query"] for n in range(3)]
    assert (bodies, len(made)) == ([{"n": "0"}, {"n": "1"}, {"n": "2"}], 1)
