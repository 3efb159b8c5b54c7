"""The store keeps events whole and apart, and SQLite and PostgreSQL do so alike."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from state.log import Event
from state.store import Conflict, SessionRow, Store, StoreUnavailable, UnknownSession

ROOT = Path(__file__).resolve().parents[2]
NASTY = 'it\'s "quoted"; DROP TABLE events; --\n<script>alert(1)</script> \x00 \ud800 é 海'


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    opened = Store(store_url)
    yield opened
    opened.close()


def call(seq: int, turn: int = 1, text: str = "") -> Event:
    return Event(seq, turn, "call", "2026-11-20T12:00:00.000+00:00", text=text, tool="db_load")


def test_an_event_comes_back_as_it_was_written(store: Store) -> None:
    session = store.create("ann", "Ports")
    full = Event(
        seq=1,
        turn=1,
        kind="call",
        at="2026-11-20T12:00:00.000+00:00",
        text=NASTY,
        source="chat",
        tool="db_load",
        args={"names": [NASTY], "lon": -79.5},
        ok=False,
        data={"count": 3, "rows": [{"a": None}]},
        state={"map": {"zoom": 2.5}},
        hash="ab" * 32,
        seconds=0.25,
        outcome="asked",
        tokens=7,
    )
    store.append(session.id, [full, call(2)])
    assert store.events(session.id) == [full, call(2)]
    assert store.events(session.id, after=1) == [call(2)]


def test_events_are_appended_all_or_none(store: Store) -> None:
    session = store.create("ann", "Ports")
    store.append(session.id, [call(1), call(2)])
    with pytest.raises(Conflict):
        store.append(session.id, [call(3), call(2, text="again")], name="Other")
    assert store.events(session.id) == [call(1), call(2)]
    assert store.session(session.id).name == "Ports"


def test_a_number_that_is_taken_is_a_conflict_that_names_it(store: Store) -> None:
    session = store.create("ann", "Ports")
    store.append(session.id, [call(1)])
    with pytest.raises(Conflict, match=f"^Event 1 of session {session.id} is already there\\.$"):
        store.append(session.id, [call(1, text="other")])


@pytest.mark.parametrize("act", ["session", "append", "rename", "share"])
def test_a_session_that_is_not_there_is_told_in_one_sentence(store: Store, act: str) -> None:
    acts: dict[str, Callable[[], object]] = {
        "session": lambda: store.session("nowhere"),
        "append": lambda: store.append("nowhere", [call(1)]),
        "rename": lambda: store.rename("nowhere", "x"),
        "share": lambda: store.share("nowhere", 1),
    }
    with pytest.raises(UnknownSession, match=r"^There is no session 'nowhere'\.$"):
        acts[act]()


def test_a_session_is_renamed_alone_or_together_with_its_events(store: Store) -> None:
    session, other = store.create("ann", "Ports"), store.create("ann", "Other")
    store.rename(session.id, "Harbours")
    assert store.session(session.id).name == "Harbours"
    store.append(session.id, [call(1)], name="Quays")
    assert (store.session(session.id).name, store.session(other.id).name) == ("Quays", "Other")


def test_what_is_removed_takes_its_events_and_its_shares_along(store: Store, store_url: str) -> None:
    session, other = store.create("ann", "Ports"), store.create("ann", "Other")
    for each in (session, other):
        store.append(each.id, [call(1)])
    token, kept = store.share(session.id, 1), store.share(other.id, 1)
    store.remove(session.id)
    with pytest.raises(UnknownSession, match="not known here, or its session was deleted"):
        store.shared(token)
    assert store.events(session.id) == []
    assert store.shared(kept) == (other.id, 1)
    with closing(Store(store_url)) as again:
        assert [row.id for row in again.sessions()] == [other.id]


def test_the_last_used_session_is_listed_first_and_owners_see_their_own(store: Store) -> None:
    first, second = store.create("ann", "First"), store.create("ben", "Second")
    store.append(first.id, [call(1)])
    assert {row.id for row in store.sessions()} == {first.id, second.id}
    assert [row.name for row in store.sessions("ann")] == ["First"]
    assert store.sessions("carl") == []
    assert store.session(first.id).updated_at >= first.created_at


def test_names_and_owners_are_values_and_never_part_of_the_sql(store: Store) -> None:
    name = NASTY.replace("\x00", "").replace("\ud800", "")
    row = store.create("x' OR '1'='1", name, parent=None)
    assert (
        store.session(row.id)
        == row
        == SessionRow(row.id, "x' OR '1'='1", name, row.created_at, row.updated_at, None)
    )
    assert store.sessions("nobody' OR '1'='1") == []


def test_settings_are_kept_with_their_session_until_they_are_set_again(store: Store, store_url: str) -> None:
    ann, bob = store.create("ann", "Ports"), store.create("bob", "Farms")
    assert store.settings(ann.id) == {}
    store.set_settings(ann.id, {"agent": "react", "shots": 3})
    store.set_settings(ann.id, {"agent": NASTY})
    again = Store(store_url) if store_url != "sqlite://" else store
    assert (again.settings(ann.id), again.settings(bob.id)) == ({"agent": NASTY}, {})
    again.remove(ann.id)
    assert again.settings(ann.id) == {}
    with pytest.raises(UnknownSession):
        again.set_settings(ann.id, {"agent": "react"})
    again.close()


def test_ids_and_tokens_cannot_be_guessed(store: Store) -> None:
    rows = [store.create("ann", "x") for _ in range(20)]
    tokens = {store.share(rows[0].id, 0) for _ in range(20)}
    assert len({row.id for row in rows}) == len(tokens) == 20
    assert min(len(text) for text in [*tokens, *(row.id for row in rows)]) >= 16


def test_processes_that_write_to_one_session_lose_and_double_nothing(store: Store, store_url: str) -> None:
    session, count = store.create("ann", "Ports"), 25
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.state.append_many", store_url, session.id, name, str(count)],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in "abc"
    ]
    for each in writers:
        assert each.communicate(timeout=120)[1] == ""
    events = store.events(session.id)
    assert [event.seq for event in events] == list(range(1, 3 * count + 1))
    for name in "abc":
        assert [event.text for event in events if event.source == name] == [str(n) for n in range(count)]


def test_threads_that_write_to_one_store_in_memory_lose_nothing(request: pytest.FixtureRequest) -> None:
    store = Store("sqlite://")
    request.addfinalizer(store.close)
    session, lost = store.create("ann", "Ports"), []

    def write(name: str) -> None:
        done = 0
        while done < 50:
            seq = len(store.events(session.id)) + 1
            try:
                store.append(session.id, [Event(seq, seq, "call", "", source=name, text=str(done))])
                done += 1
            except Conflict:
                continue
            except Exception as error:
                lost.append(repr(error))
                return

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert lost == []
    events = store.events(session.id)
    assert [event.seq for event in events] == list(range(1, 201))
    assert all([e.text for e in events if e.source == name] == [str(n) for n in range(50)] for name in "abcd")


def test_processes_that_open_a_new_store_at_once_all_find_it_there(store_url: str) -> None:
    program = f"from state.store import Store; print(len(Store({store_url!r}).create('a', 'b').id) > 0)"
    openers = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(5)
    ]
    assert [each.communicate(timeout=120) for each in openers] == [("True\n", "")] * 5
    with closing(Store(store_url)) as store:
        assert len(store.sessions()) == 5


def test_sqlite_is_in_write_ahead_mode_so_that_readers_never_wait(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 's.db'}")
    session = store.create("ann", "Ports")
    with closing(store), closing(sqlite3.connect(tmp_path / "s.db")) as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        other.execute("BEGIN IMMEDIATE")
        assert store.events(session.id) == []


def test_an_address_that_is_no_store_is_told_in_one_sentence() -> None:
    for url in ("not an address", "mysql://root@host/db", "oracle://x", "sqlite"):
        with pytest.raises(StoreUnavailable, match=r"^The session store's address is not one of sqlite://"):
            Store(url)


def test_a_server_that_refuses_is_told_without_its_password() -> None:
    with pytest.raises(StoreUnavailable, match="cannot be opened") as met:
        Store("postgresql://ann:s3cret@127.0.0.1:1/azimuth")
    assert "s3cret" not in str(met.value) and "\n" not in str(met.value)


def test_a_file_that_is_no_database_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "s.db").write_text("not a database, but long enough to be looked at" * 50)
    with pytest.raises(StoreUnavailable, match="file is not a database"):
        Store(f"sqlite:///{tmp_path / 's.db'}")
