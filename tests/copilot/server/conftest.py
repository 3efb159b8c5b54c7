"""The routes over a small real catalogue, and a browser's cookie."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from copilot.engine import Engine
from copilot.live import Live
from copilot.server import OwnerAndHeaders, guard, routes
from copilot.server import owner as server_owner
from copilot.server.owner import COOKIE
from copilot.session import Session

HEADERS = {"X-Azimuth": "1"}


@pytest.fixture
def live(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Live:
    """The open sessions of a process of this test alone."""
    found = Live(engine)
    monkeypatch.setattr(guard, "live", lambda: found)
    monkeypatch.setattr(server_owner, "live", lambda: found)
    return found


@pytest.fixture
def client(live: Live) -> Iterator[TestClient]:
    """A browser that has its cookie."""
    app = Starlette(routes=routes(), middleware=[Middleware(OwnerAndHeaders)])
    with TestClient(app, base_url="http://localhost:8501") as opened:
        opened.get("/api/health")
        yield opened


@pytest.fixture
def stranger(client: TestClient) -> TestClient:
    """Another browser."""
    other = TestClient(client.app, base_url="http://localhost:8501")
    other.get("/api/health")
    return other


def owner(client: TestClient) -> str:
    """Whose browser that is, as sessions and uploads know it."""
    found = guard.the_live().engine.owners.of(client.cookies[COOKIE])
    assert found is not None
    return found


@pytest.fixture
def mine(client: TestClient, live: Live) -> Session:
    """A session of the browser, with a layer of clusters."""
    session = live.create(owner(client))
    session.call("db_load", names=["xview1", "fair1m"])
    session.call("cluster_plot")
    return session
