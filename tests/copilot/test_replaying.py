"""A replay takes from the record what something outside made fail, and says when it is cut off itself."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.engine import Engine
from copilot.session import Session
from data.catalogue.base import CatalogueAway
from state.codec import digest
from state.log import Event, ReplayCutOff
from state.store import StoreUnavailable
from tests.tools.world import TODAY
from tools.base import OutsideError

FAILURES: dict[str, Callable[[], Exception]] = {
    "a full disk": lambda: OSError(errno.ENOSPC, "No space left on device"),
    "a broken disk": lambda: OSError(errno.EIO, "Input/output error"),
    "memory": MemoryError,
    "the network": lambda: ConnectionResetError("reset by peer"),
    "a time limit": lambda: TimeoutError("too late"),
    "a lost worker": lambda: OutsideError(
        "Counting was given up: its worker died twice in the middle of it."
    ),
    "the catalogue": lambda: CatalogueAway("The catalogue does not answer."),
    "the store": lambda: StoreUnavailable("The session store does not answer."),
    "a bug": lambda: RuntimeError("what nobody thought of"),
}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("db_load", {"names": ["fair1m", "fmow"]}),
    ("db_load", {"names": ["xview1"]}),
    ("filter_date", {"start": "2017-01-01", "end": "2018-12-31"}),
    ("filter_class", {"classes": ["vehicles"]}),
    ("cluster_plot", {}),
    ("group_count", {"by": "class", "unit": "detections"}),
    ("zoom_map", {"level": 5}),
    ("undo", {}),
    ("redo", {}),
)


class Failing:
    """A catalogue that fails whatever is asked of it."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise self._error


def call_failing(session: Session, failure: str | None, tool: str, args: dict[str, Any]) -> Event:
    """Make a call while something outside fails, or nothing."""
    with failing(session, failure):
        return session.call(tool, **args)


@contextmanager
def failing(session: Session, failure: str | None) -> Iterator[None]:
    """While it lasts, the catalogue as the session's owner sees it fails, or nothing does."""
    parts, seen = session.engine.__dict__, dict(session.engine._seen)
    if failure is not None:
        parts["_seen"] = {(session.row.owner, session.engine.served): Failing(FAILURES[failure]())}
    try:
        yield
    finally:
        parts["_seen"] = seen


@pytest.fixture(scope="module")
def engine(small_catalogue: Path) -> Engine:
    return Engine.in_memory(str(small_catalogue), TODAY)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    made=st.lists(
        st.tuples(st.sampled_from(CALLS), st.sampled_from([None, *FAILURES])), min_size=1, max_size=8
    )
)
def test_a_replay_ends_where_the_session_did_whatever_failed_outside(
    engine: Engine, made: list[tuple[tuple[str, dict[str, Any]], str | None]]
) -> None:
    session = Session.open(engine=engine)
    for (tool, args), failure in made:
        before = session.state
        event = call_failing(session, failure, tool, args)
        assert event.ok or session.state == before
        assert not event.outside or (failure is not None and not event.ok)
    assert digest(session.replay()) == session.hash


@pytest.mark.parametrize("failure", FAILURES)
def test_each_failure_from_outside_is_marked_and_not_run_again(engine: Engine, failure: str) -> None:
    session = Session.open(engine=engine)
    event = call_failing(session, failure, "db_load", {"names": ["fair1m"]})
    assert (event.ok, event.outside) == (False, True)
    again = Session.open(session.id, engine=engine)
    assert again.events == session.events and digest(again.replay()) == session.hash


def test_what_is_read_of_an_added_file_is_read_again_in_a_replay_and_in_a_copy_without_the_file(
    engine: Engine, tmp_path: Path
) -> None:
    session = Session.open(engine=engine)
    (tmp_path / "my stations.csv").write_text("id,name\n1,a\n")
    session.call("add_file", file=str(tmp_path / "my stations.csv"))
    (tmp_path / "my stations.csv").unlink()
    read = session.call("read_text", document="my stations.csv")
    session.call("read_csv", document="my stations.csv", delimiter="semicolon")
    session.call("read_csv", document="my stations.csv")
    assert all(event.ok for event in session.events) and read.data["text"] == "id,name\n1,a"
    assert digest(session.replay()) == session.hash
    assert session.fork().call("read_text", document="my stations.csv").data == read.data


def test_a_mistake_of_the_caller_is_no_failure_from_outside(engine: Engine) -> None:
    session = Session.open(engine=engine)
    for tool, args in (("db_load", {"names": ["nowhere"]}), ("zoom_map", {"level": 99}), ("no_tool", {})):
        event = session.call(tool, **args)
        assert (event.ok, event.outside) == (False, False)


def test_a_replay_that_something_outside_cuts_off_says_nothing_about_the_record(engine: Engine) -> None:
    session = Session.open(engine=engine)
    session.call("db_load", names=["fair1m"])
    with failing(session, "the catalogue"), pytest.raises(ReplayCutOff) as met:
        session.replay()
    assert str(met.value) == "The replay was cut off at call 1 (db_load): The catalogue does not answer."
