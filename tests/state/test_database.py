"""A store that is away says so in one plain sentence, keeps nothing half, and goes on when it is back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from state.log import Event
from state.store import Behind, Store, StoreUnavailable
from tests.postgres import start_server, stop_server


def call(seq: int, text: str = "") -> Event:
    return Event(seq, seq, "call", "2026-11-20T12:00:00.000+00:00", text=text, tool="db_load")


def test_a_store_that_others_keep_locked_is_said_to_be_and_goes_on_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("state.database._BUSY_S", 0.1)
    with closing(Store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        session = store.create("ann", "Ports")
        with closing(sqlite3.connect(tmp_path / "s.db")) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreUnavailable) as met:
                store.append(session.id, [call(1)])
        store.append(session.id, [call(1, "again")])
        assert store.events(session.id) == [call(1, "again")]
    assert str(met.value) == (
        "The session store s.db cannot be used now: another program keeps it locked. Nothing was changed; "
        "try again once that is over."
    )


@pytest.mark.parametrize(
    ("pragma", "undone", "reason"),
    [
        ("max_page_count = 1", "max_page_count = 1073741823", "its disk is full"),
        ("query_only = 1", "query_only = 0", "it can only be read"),
    ],
)
def test_a_store_that_takes_no_more_is_said_to_be_and_keeps_what_it_has(
    tmp_path: Path, pragma: str, undone: str, reason: str
) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 's.db'}")) as store:
        session = store.create("ann", "Ports")
        store.append(session.id, [call(1)])
        with store.reading() as connection:
            connection.exec_driver_sql(f"PRAGMA {pragma}")
        with pytest.raises(StoreUnavailable, match=f"cannot be used now: {reason}\\. Nothing was changed"):
            store.append(session.id, [call(2, "x" * 100_000)])
        assert store.events(session.id) == [call(1)]
        with store.reading() as connection:
            connection.exec_driver_sql(f"PRAGMA {undone}")
        store.append(session.id, [call(2)])
        assert store.events(session.id) == [call(1), call(2)]


def test_a_file_that_was_overwritten_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(Store(f"sqlite:///{path}")) as store:
        session = store.create("ann", "Ports")
        other = tmp_path / "other"
        other.write_bytes(b"not a database, but long enough to be looked at" * 200)
        other.replace(path)
        with pytest.raises(StoreUnavailable, match="cannot be opened") as met:
            store.append(session.id, [call(1)])
    assert met.value.public == (
        "The session store cannot be opened now; whoever runs Azimuth finds the reason in its log."
    )


@pytest.mark.slow
def test_a_server_that_was_stopped_is_said_to_be_and_goes_on_when_it_is_back(
    postgres_server: Path, postgres_url: str
) -> None:
    with closing(Store(postgres_url)) as store:
        session = store.create("ann", "Ports")
        store.append(session.id, [call(1)])
        stop_server(postgres_server)
        try:
            with pytest.raises(StoreUnavailable) as writing:
                store.append(session.id, [call(2)])
            with pytest.raises(StoreUnavailable) as reading:
                store.events(session.id)
            with pytest.raises(StoreUnavailable) as opening:
                Store(postgres_url)
        finally:
            start_server(postgres_server)
        store.append(session.id, [call(2)])
        assert store.events(session.id) == [call(1), call(2)]
    assert {str(met.value) for met in (writing, reading)} == {
        "The session store on PostgreSQL cannot be used now: it does not answer. Nothing was changed; try "
        "again once that is over."
    }
    assert opening.value.public.startswith("The session store cannot be opened now; ")


def test_events_that_would_leave_a_gap_are_not_kept(store_url: str) -> None:
    with closing(Store(store_url)) as store:
        session = store.create("ann", "Ports")
        store.append(session.id, [call(1)])
        with pytest.raises(Behind, match=r"has no event 2\.$"):
            store.append(session.id, [call(3)])
        assert store.events(session.id) == [call(1)]
