"""A store or a catalogue that is away is one sentence, and what is asked next works when it is back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from copilot.engine import Engine
from copilot.live import Live
from copilot.server import OwnerAndHeaders, guard, routes
from copilot.server import owner as server_owner
from copilot.session import Session
from state.store import StoreUnavailable
from tests.copilot.server.conftest import HEADERS, owner
from tests.data.catalogue.small import write_small_catalogue
from tests.tools.world import TODAY

ZOOM = {"tool": "zoom_map", "args": {"level": 5}}
GONE = (
    "The session store sessions.db is gone: it was moved or deleted. Put it back, or start Azimuth again to "
    "begin with an empty one."
)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """An engine over a home and a catalogue of this test alone."""
    write_small_catalogue(tmp_path / "catalogue")
    return Engine(tmp_path / "home", catalogue_url=str(tmp_path / "catalogue"), today=TODAY)


@pytest.fixture
def client(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    live = Live(engine)
    monkeypatch.setattr(guard, "live", lambda: live)
    monkeypatch.setattr(server_owner, "live", lambda: live)
    app = Starlette(routes=routes(), middleware=[Middleware(OwnerAndHeaders)])
    with TestClient(app, base_url="http://localhost:8501") as opened:
        opened.get("/api/health")
        yield opened


@pytest.fixture
def path(client: TestClient, engine: Engine) -> str:
    """Where calls of a session of that browser go."""
    session = Session.open(owner=owner(client), engine=engine)
    return f"/api/sessions/{session.id}/calls"


def test_a_store_that_was_moved_away_is_told_and_found_again(
    client: TestClient, engine: Engine, path: str
) -> None:
    assert client.post(path, json=ZOOM, headers=HEADERS).status_code == 200
    store = engine.home / "sessions.db"
    store.rename(away := engine.home / "away.db")
    answer = client.post(path, json=ZOOM, headers=HEADERS)
    assert (answer.status_code, answer.json()) == (503, {"error": GONE})
    away.rename(store)
    assert client.post(path, json=ZOOM, headers=HEADERS).status_code == 200


def test_a_backup_in_the_stores_place_is_told_once_and_shown_from_then_on(
    client: TestClient, engine: Engine, path: str
) -> None:
    store = engine.home / "sessions.db"
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(f"{store}.bak")) as copy:
        source.backup(copy)
    for level in (5, 6):
        call = {"tool": "zoom_map", "args": {"level": level}}
        assert client.post(path, json=call, headers=HEADERS).status_code == 200
    os.replace(f"{store}.bak", store)
    view = path.replace("calls", "view")
    first, second = client.get(view), client.get(view)
    answers = [first, second] if first.status_code == 200 else [first]
    while answers[-1].status_code == 200:
        answers.append(client.post(path, json=ZOOM, headers=HEADERS))
    assert (answers[-1].status_code, answers[-1].json()) == (
        503,
        {
            "error": "The session store was replaced while Azimuth ran: it has this session up to event 0, "
            "where 2 had been. The session goes on from there; ask again for what is gone."
        },
    )
    assert client.get(view).json()["camera"]["zoom"] == 2.0
    assert client.post(path, json=ZOOM, headers=HEADERS).status_code == 200


def test_a_catalogue_that_is_gone_is_told_and_read_again(
    client: TestClient, engine: Engine, path: str, tmp_path: Path
) -> None:
    listed = {"tool": "db_list", "args": {}}
    assert client.post(path, json=listed, headers=HEADERS).status_code == 200
    (tmp_path / "catalogue").rename(tmp_path / "away")
    answer = client.post(path, json=listed, headers=HEADERS)
    assert answer.status_code == 422 and answer.json()["error"].startswith("The catalogue's folder is gone, ")
    (tmp_path / "away").rename(tmp_path / "catalogue")
    assert client.post(path, json=listed, headers=HEADERS).status_code == 200


def test_a_turn_ends_in_the_stores_own_words(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.open(engine=engine)

    def refuse(*_: object, **__: object) -> None:
        raise StoreUnavailable("The session store sessions.db cannot be used now: its disk is full.")

    monkeypatch.setattr(session, "call_tool", refuse)
    answer = session.ask("zoom to level 9")
    assert (answer.outcome, answer.reply) == (
        "failed",
        "The session store sessions.db cannot be used now: its disk is full.",
    )
