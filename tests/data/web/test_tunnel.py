"""The proxy for libraries that make their own requests: where it leads, how much passes, and for how long."""

from __future__ import annotations

import os
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from data.web.addresses import ALLOWED_VARIABLE
from data.web.errors import WebError
from data.web.tunnel import tunnel
from data.web.wire import Limits
from tests.data.web.site import raw


def asked(address: str, head: bytes, body: bytes = b"") -> bytes:
    """All that comes back through the proxy."""
    parts = urlsplit(address)
    with socket.create_connection((str(parts.hostname), int(parts.port or 0)), 5) as connection:
        connection.sendall(head)
        found = connection.recv(4096)
        if found.startswith(b"HTTP/1.1 200"):
            connection.sendall(body)
        while piece := connection.recv(65536):
            found += piece
    return found


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        (b"CONNECT localhost:443 HTTP/1.1\r\n\r\n", "its address 127.0.0.1 lies inside a private"),
        (b"CONNECT 169.254.169.254:443 HTTP/1.1\r\n\r\n", "169.254.169.254:443, which is none of its own"),
        (b"CONNECT localhost:22 HTTP/1.1\r\n\r\n", "localhost:22, which is none of its own"),
        (b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", "something that is not encrypted"),
        (b"CONNECT [::1]:443 HTTP/1.1\r\n\r\n", "something that is not encrypted"),
        (b"x" * 20_000, "in a way that is not understood"),
    ],
)
def test_it_leads_to_no_other_host_and_no_private_address(head: bytes, problem: str) -> None:
    with tunnel(["localhost"]) as way:
        assert asked(way.address, head).startswith(b"HTTP/1.1 403 Forbidden")
    assert isinstance(way.problem, WebError) and problem in str(way.problem)
    assert str(way.problem).endswith(".") and "\n" not in str(way.problem)


@pytest.fixture
def many_files() -> Iterator[None]:
    """A process with more open files than `select` can count."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    yield
    for each in files:
        os.close(each)
    resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@pytest.mark.usefixtures("many_files")
def test_what_passes_is_the_same_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []

    def answer(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            heard.append(connection.recv(100))
            connection.sendall(bytes(range(256)) * 500)

    with closing(socket.create_server(("127.0.0.1", 0))) as listening, tunnel(["far.test"]) as way:
        threading.Thread(target=answer, args=(listening,), daemon=True).start()
        port = listening.getsockname()[1]
        monkeypatch.setenv(ALLOWED_VARIABLE, f"far.test:443=127.0.0.1:{port}")
        found = asked(way.address, b"CONNECT far.test:443 HTTP/1.1\r\nHost: far.test\r\n\r\n", b"hello")
    assert found.partition(b"\r\n\r\n")[2] == bytes(range(256)) * 500
    assert (heard, way.problem) == ([b"hello"], None)


@pytest.mark.parametrize("limits", [Limits(most_bytes=50_000), Limits(total_seconds=0.5)])
def test_it_ends_when_too_much_has_come_or_the_time_is_over(
    monkeypatch: pytest.MonkeyPatch, limits: Limits
) -> None:
    def talk(connection: socket.socket) -> None:
        for _ in range(200):
            connection.sendall(b"x" * 1000)
            time.sleep(0.01)

    with raw(talk) as port, tunnel(["far.test"], limits) as way:
        monkeypatch.setenv(ALLOWED_VARIABLE, f"far.test:443=127.0.0.1:{port}")
        found = asked(way.address, b"CONNECT far.test:443 HTTP/1.1\r\n\r\n", b"hello")
    assert len(found) < 100_000


def test_it_is_gone_after_its_block() -> None:
    with tunnel(["localhost"]) as way:
        pass
    with pytest.raises(OSError, match="refused"):
        asked(way.address, b"CONNECT localhost:443 HTTP/1.1\r\n\r\n")
