"""Session: the one way through which anybody changes the state."""

from __future__ import annotations

import json
import logging
import re
import threading
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from copilot.bounds import SessionFull
from copilot.engine import Engine
from copilot.session import Session
from state.codec import digest, to_json
from state.log import Event, ReplayDiverged, UnknownTurn
from state.model import MapState, State
from state.store import UnknownSession
from tests.tools.world import TODAY
from tools.base import Step, World, tool
from tools.run import MAX_STATE_BYTES
from tools.toolbox import Toolbox


def zoomed(level: float) -> State:
    return State(map=MapState(zoom=level))


# -- one call ---------------------------------------------------------------------------------


def test_a_call_is_one_event_with_all_there_is_to_know_of_it(session: Session) -> None:
    event = session.call("db_load", names=["fair1m"])
    expected = Event(
        seq=1,
        turn=1,
        kind="call",
        at=event.at,
        text="Loaded fair1m. 5 images are selected.",
        source="script",
        tool="db_load",
        args={"names": ["fair1m"]},
        data={"count": 5, "loaded": ["fair1m"]},
        state=to_json(session.state),
        hash=digest(session.state),
        seconds=event.seconds,
    )
    assert event == expected
    assert session.events == (event,) and session.engine.store.events(session.id) == [event]


def test_a_tool_may_have_arguments_of_any_name(session: Session) -> None:
    session.call("zoom_map", level=4)
    session.call("zoom_map", level=5)
    went = session.call("goto_turn", turn=1)
    assert (went.ok, went.turn, session.state) == (True, 3, zoomed(4.0))


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("zoom_mapp", {}, "There is no tool 'zoom_mapp'. Did you mean zoom_map"),
        ("db_load", {}, "db_load needs the argument 'names'."),
        (
            "db_load",
            {"name": ["fmow"]},
            "db_load has no argument 'name'. Did you mean 'names'? Its arguments: names",
        ),
        ("db_load", {"names": ["fnow"]}, "fmow"),
        ("zoom_map", {"level": float("nan")}, "zoom_map cannot take nan as 'level'"),
        ("zoom_map", {"level": {1, 2}}, "zoom_map cannot take {1, 2} as 'level'"),
        ("set_view", {"lon": 200, "lat": 95, "zoom": 3}, "set_view cannot take 200 as 'lon'"),
        ("zoom_map", {"level": "x" * 100_000}, "zoom_map cannot take 'xxx"),
    ],
)
def test_a_call_that_is_wrong_is_an_event_that_says_how(
    session: Session, name: str, args: dict[str, Any], said: str
) -> None:
    session.call("zoom_map", level=4)
    event = session.call_tool(name, args)
    assert not event.ok and said in event.text and len(event.text) < 500
    assert (event.state, event.hash, session.state) == (None, digest(zoomed(4.0)), zoomed(4.0))
    assert Session.open(session.id, engine=session.engine).events == session.events


def test_a_date_given_as_one_is_kept_as_json(session: Session) -> None:
    event = session.call_tool(
        "no_such_tool", {"day": date(2018, 5, 1), "path": Path("a/b"), "list": (1, None)}
    )
    assert event.args == {"day": "2018-05-01", "path": "a/b", "list": [1, None]}


def test_names_and_requests_are_kept_as_text_whatever_they_hold(session: Session) -> None:
    nasty = "a'b\"c\n<script>alert(1)</script>; DROP TABLE events; -- </state>"
    session.begin(nasty, "chat")
    event = session.call("draw_marker", lon=1, lat=2, name=nasty)
    assert event.ok
    again = Session.open(session.id, engine=session.engine)
    assert again.turns[0].request == nasty
    assert "<script>alert(1)</script>; DROP TABLE events; -- </state>" in again.state.map.layers[0].name


def test_half_a_character_in_a_request_becomes_a_question_mark(session: Session) -> None:
    assert session.begin("ships\ud800 near Lagos", "chat").text == "ships? near Lagos"


@tool("data", changes_state=True)
def break_down(state: State, world: World) -> Step:
    """Fail with a bug of our own."""
    raise ZeroDivisionError("a secret detail")


@tool("data", changes_state=True)
def grow(state: State, world: World, *, kib: int) -> Step:
    """Make the state large."""
    return Step(state.with_ui(notice="x" * kib * 1024), "Grown.")


@tool("data", changes_state=True)
def misplace(state: State, world: World) -> Step:
    """Give what is no JSON and no state."""
    return Step(state.with_map(zoom="near"), "Misplaced.", {"when": object()})


@tool("data", changes_state=True)
def overflow(state: State, world: World) -> Step:
    """Write to a disk that is full."""
    try:
        Path("/dev/full").write_bytes(b"x" * 10_000)
    except OSError as error:
        raise RuntimeError("the library's own words") from error
    return Step(state, "Written.")


@tool("web", changes_state=True, external=True)
def fetch_level(state: State, world: World) -> Step:
    """Ask the outside, which says something else each time."""
    OUTSIDE.append(len(OUTSIDE) + 3)
    return Step(state.with_map(zoom=float(OUTSIDE[-1])), f"The outside says {OUTSIDE[-1]}.")


OUTSIDE: list[int] = []


@pytest.fixture
def odd_session(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session that has, besides all tools, some that go wrong or reach outside."""
    tools = Toolbox((*engine.toolbox, break_down, grow, misplace, overflow, fetch_level))
    monkeypatch.setattr("copilot.engine.toolbox", lambda: tools)
    OUTSIDE.clear()
    return Session.open(engine=engine)


def test_a_full_disk_is_a_sentence_for_the_user_and_no_bug(odd_session: Session) -> None:
    before = odd_session.state
    event = odd_session.call("overflow")
    assert (event.ok, odd_session.state) == (False, before)
    assert event.text == (
        "The disk has less than 1 GiB free, which Azimuth leaves alone; delete sessions or files that are "
        "not needed any more."
    )


def test_a_session_over_its_quota_makes_no_more_files_and_can_still_be_used(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session.open(engine=engine)
    session.call("db_load", names=["fmow"])
    made = session.call("export_csv")
    folder = engine.artifacts(session.id).folder
    files = sorted(folder.iterdir())
    monkeypatch.setenv("AZIMUTH_QUOTA_GB", "0.00000001")
    assert session.call("export_csv").ok, "the same file is there already"
    refused = session.call("export_geojson")
    assert made.ok and not refused.ok and sorted(folder.iterdir()) == files
    assert re.fullmatch(
        r"This session's files and record take \S+ GB, and those of a session may take 1e-08 GB "
        r"\(\$AZIMUTH_QUOTA_GB\); go on in a new session\.",
        refused.text,
    )
    assert session.call("zoom_map", level=4).ok


def test_a_sessions_record_counts_to_its_quota(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.open(engine=engine)
    session.call("db_load", names=["fmow"])
    for _ in range(20):
        session.call("zoom_map", level=99)  # which makes no files
    monkeypatch.setenv("AZIMUTH_QUOTA_GB", "0.000005")
    refused = session.call("export_csv")
    assert (refused.ok, refused.outside) == (False, True)
    assert refused.text.startswith("This session's files and record take ")
    again = Session.open(session.id, engine=engine)
    assert not again.call("export_csv").ok, "also where the record was read from the store"
    assert Session.open(engine=engine).call("zoom_map", level=4).ok


def test_a_session_whose_record_is_full_says_so_and_ends_what_it_began(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session.open(engine=engine)
    turn = session.begin("Zoom in.", "chat").turn
    session.call_tool("zoom_map", {"level": 4}, turn=turn)
    monkeypatch.setattr("copilot.bounds.MOST_LOG_BYTES", 1_000)
    sentence = r"^This session's record takes \S+ MB, and 0\.001 MB are the most; go on in a new session\."
    for opened in (session, Session.open(session.id, engine=engine)):
        with pytest.raises(SessionFull, match=sentence):
            opened.call("zoom_map", level=5)
        with pytest.raises(SessionFull, match=sentence):
            opened.ask("zoom out")
    assert session.end(turn, "Done.", "done", 0.1).kind == "reply"
    assert session.state == zoomed(4.0) and [each.kind for each in session.events] == [
        "request",
        "call",
        "reply",
    ]


def test_texts_and_names_of_any_length_are_cut_and_say_so(engine: Engine) -> None:
    session = Session.open(engine=engine)
    turn = session.begin("a" * 300_000, "chat").turn
    session.call_tool("b" * 300_000, {"c" * 300_000: "d" * 300_000}, turn=turn)
    session.end(turn, "e" * 300_000, "done", 0.1)
    request, call, reply = session.events
    assert [len(each.text) for each in (request, reply)] == [64_000, 64_000]
    assert request.text.endswith("aa… (cut)") and call.tool.endswith("bb… (cut)") and len(call.tool) == 100
    assert len(json.dumps(call.args)) < 500 and len(call.text) < 500


@pytest.mark.parametrize("name", ["break_down", "misplace"])
def test_a_bug_of_a_tool_is_a_sentence_for_the_user_and_a_traceback_in_the_log(
    odd_session: Session, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    odd_session.call("zoom_map", level=4)
    event = odd_session.call(name)
    assert event.text == f"{name} failed inside Azimuth; nothing was changed. The details are in the log."
    assert (event.ok, odd_session.state) == (False, zoomed(4.0))
    assert "Traceback" in caplog.text and name in caplog.text


def test_a_state_of_64_kib_is_refused_and_one_just_below_is_kept(odd_session: Session) -> None:
    assert odd_session.call("grow", kib=62).ok
    held = odd_session.state
    event = odd_session.call("grow", kib=64)
    assert event.text == (
        "grow would make the session's state larger than 64 KiB; "
        "remove some layers, drawings or filters first."
    )
    assert odd_session.state == held and len(json.dumps(to_json(held))) < MAX_STATE_BYTES


# -- history ----------------------------------------------------------------------------------


def test_undo_and_redo_walk_over_turns(session: Session) -> None:
    session.call("zoom_map", level=4)
    session.call("zoom_map", level=5)
    assert session.undo().ok and session.state == zoomed(4.0)
    assert session.undo().ok and session.state == State()
    assert not session.undo().ok
    assert session.redo().ok and session.redo().ok and session.state == zoomed(5.0)
    assert not session.redo().ok


def test_a_replay_takes_from_the_record_what_came_from_outside(odd_session: Session) -> None:
    odd_session.call("fetch_level")
    odd_session.call("db_load", names=["fmow"])
    reached = odd_session.replay()
    assert (reached, digest(reached)) == (odd_session.state, odd_session.hash)
    assert OUTSIDE == [3]


def test_a_replay_makes_tables_again_and_leaves_the_sessions_files_alone(session: Session) -> None:
    session.call("db_load", names=["xview1"])
    made = session.call("group_count", by="class", unit="detections")
    session.call("sort_table", table=made.data["table"], by="class")
    folder = session.engine.artifacts(session.id).folder

    def kept() -> dict[Path, tuple[int, bytes]]:
        files = (path for path in folder.rglob("*") if path.is_file())
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    before = kept()
    assert digest(session.replay()) == session.hash
    assert kept() == before


def test_a_record_that_was_tampered_with_is_named_by_the_replay(session: Session) -> None:
    session.call("zoom_map", level=4)
    session.call("zoom_map", level=5)
    database = create_engine(f"sqlite:///{session.engine.home / 'sessions.db'}")
    with database.begin() as connection:
        sql = """UPDATE events SET body = replace(body, '"level": 5', '"level": 6') WHERE seq = 2"""
        assert connection.execute(text(sql)).rowcount == 1
    database.dispose()
    with pytest.raises(ReplayDiverged, match=r"^Call 2 \(zoom_map\) ended in state"):
        Session.open(session.id, engine=session.engine).replay()


# -- copies -----------------------------------------------------------------------------------


def test_a_fork_has_the_same_past_and_then_a_life_of_its_own(session: Session) -> None:
    session.call("zoom_map", level=4)
    session.call("zoom_map", level=5)
    fork = session.fork(1)
    assert (fork.name, fork.row.parent, fork.state) == ("Untitled session (copy)", session.id, zoomed(4.0))
    fork.call("zoom_map", level=9)
    assert (session.state, fork.state, len(session.events)) == (zoomed(5.0), zoomed(9.0), 2)
    assert fork.undo().ok and fork.undo().ok and fork.state == State()
    assert digest(fork.replay()) == fork.hash


def test_a_fork_takes_the_files_along_that_were_made_by_then(session: Session) -> None:
    session.call("db_load", names=["xview1"])
    first = session.call("group_count", by="class", unit="detections").data["table"]
    second = session.call("group_count", by="country").data["table"]
    fork = session.fork(2)
    mine, copied = session.engine.artifacts(session.id), session.engine.artifacts(fork.id)
    assert copied.find(first).read_bytes() == mine.find(first).read_bytes()  # type: ignore[union-attr]
    assert copied.find(second) is None
    assert fork.call("sort_table", table=first, by="class").ok
    assert not fork.call("sort_table", table=second, by="class").ok


def test_a_delivered_file_goes_along_and_is_made_again_by_a_replay(session: Session) -> None:
    session.call("db_load", names=["xview1"])
    given = [{"from": "selection", "columns": ["image_id"]}]
    made = session.call("save_file", name="images.csv", layers=given).data
    session.call("save_file", name="later.csv", layers=given)
    assert digest(session.replay()) == session.hash
    fork = session.fork(2)
    folder = fork.engine.artifacts(fork.id).folder
    assert sorted(each.name for each in folder.rglob("*.csv*")) == [
        "images.csv", "images.csv.provenance.json",
    ]  # fmt: skip
    found = fork.engine.artifacts(fork.id).find(made["document"])
    assert found is not None and found.read_bytes() == Path(made["path"]).read_bytes()


def test_a_copy_speaks_of_its_own_files(session: Session) -> None:
    session.call("db_load", names=["xview1"])
    written = session.call("export_csv").data["path"]
    fork = session.fork()
    path = fork.events[-1].data["path"]
    assert path != written and Path(path).read_bytes() == Path(written).read_bytes()
    assert session.id not in json.dumps([event.data for event in fork.events])


def test_a_fork_of_turns_that_were_interleaved_can_go_on_and_be_replayed(session: Session) -> None:
    asked = session.begin("Zoom twice.", "chat").turn
    session.call_tool("zoom_map", {"level": 4}, turn=asked)
    clicked = session.call("db_load", names=["fmow"])
    session.call_tool("zoom_map", {"level": 5}, turn=asked)
    session.end(asked, "Done.", "done", 0.1)
    assert session.call("notify", text="x").turn == clicked.turn + 1
    fork = session.fork(asked)
    assert fork.events == session.events[:5]
    assert fork.call("zoom_map", level=6).seq == 6
    assert digest(fork.replay()) == fork.hash


def test_a_turn_that_is_not_there_cannot_be_forked_or_shared(session: Session) -> None:
    for act in (session.fork, session.share):
        with pytest.raises(UnknownTurn, match=r"The session has no turn 7; there are 0 \(its start\) to 0\."):
            act(7)


def test_a_share_opens_the_session_as_it_was_for_another_owner(session: Session) -> None:
    session.call("zoom_map", level=4)
    token = session.share()
    session.call("zoom_map", level=5)
    copy = Session.open_shared(token, owner="ben", engine=session.engine)
    assert (copy.row.owner, copy.state, copy.id != session.id) == ("ben", zoomed(4.0), True)
    with pytest.raises(UnknownSession, match=r"^This share link"):
        Session.open_shared("guessed", engine=session.engine)


def test_sessions_never_see_each_others_rows_files_or_events(engine: Engine) -> None:
    one, other = Session.open(engine=engine), Session.open(engine=engine)
    one.call("db_load", names=["xview1"])
    table = one.call("group_count", by="class", unit="detections").data["table"]
    assert (other.state, other.events) == (State(), ())
    assert not other.call("sort_table", table=table, by="class").ok
    assert engine.artifacts(other.id).find(table) is None
    assert not other.undo().ok


# -- names ------------------------------------------------------------------------------------


def test_saving_under_a_name_renames_the_session_for_all_who_have_it_open(session: Session) -> None:
    other = Session.open(session.id, engine=session.engine)
    event = session.call("save_session", name="Port study")
    assert (event.ok, session.name) == (True, "Port study")
    other.refresh()
    assert other.name == session.engine.store.session(session.id).name == "Port study"


def test_saving_without_a_name_keeps_the_name(session: Session) -> None:
    session.rename("Ports")
    assert session.call("save_session").ok
    assert session.name == session.engine.store.session(session.id).name == "Ports"


def test_a_name_is_one_line_of_plain_text(engine: Engine) -> None:
    named = Session.open(name="  Ports\n\tof \x00 Lagos\ud800 ", engine=engine)
    assert named.name == "Ports of Lagos"
    named.rename("\n")
    assert named.name == "Untitled session"
    named.rename("x" * 500)
    assert named.name == "x" * 200


# -- several at once --------------------------------------------------------------------------


def test_two_objects_on_one_session_stay_in_step(session: Session) -> None:
    other = Session.open(session.id, engine=session.engine)
    session.call("zoom_map", level=4)
    event = other.call("db_load", names=["fmow"])
    assert (event.seq, event.turn) == (2, 2)
    assert other.state.map.zoom == 4.0
    session.refresh()
    assert (session.events, session.state) == (other.events, other.state)


def test_calls_from_many_threads_come_one_after_another_and_none_is_lost(session: Session) -> None:
    other = Session.open(session.id, engine=session.engine)

    def draw(drawer: Session, number: int) -> None:
        for step in range(6):
            assert drawer.call("draw_marker", lon=number, lat=step).ok

    threads = [threading.Thread(target=draw, args=((session, other)[n % 2], n)) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    session.refresh()
    stored = session.engine.store.events(session.id)
    assert [event.seq for event in stored] == list(range(1, 25))
    assert sorted({event.turn for event in stored}) == list(range(1, 25))
    assert len(session.state.map.layers) == 24
    assert digest(session.replay()) == session.hash


def test_a_listener_hears_every_event_once_and_after_it_is_stored(session: Session) -> None:
    heard: list[tuple[int, int]] = []
    leave = session.listen(
        lambda event: heard.append((event.seq, len(session.engine.store.events(session.id))))
    )
    session.call("zoom_map", level=4)
    Session.open(session.id, engine=session.engine).call("zoom_map", level=5)
    session.call("zoom_map", level=6)
    leave()
    leave()
    session.call("zoom_map", level=7)
    assert [seq for seq, _ in heard] == [1, 2, 3]
    assert all(stored >= seq for seq, stored in heard)


def test_a_listener_that_fails_stops_neither_the_call_nor_the_others(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[int] = []

    def fail(event: Event) -> None:
        raise RuntimeError("the browser went away")

    session.listen(fail)
    session.listen(lambda event: heard.append(event.seq))
    with caplog.at_level(logging.ERROR):
        assert session.call("zoom_map", level=4).ok
    assert heard == [1] and "the browser went away" in caplog.text


def test_a_session_deleted_meanwhile_is_told_as_unknown(session: Session) -> None:
    session.call("zoom_map", level=4)
    session.engine.remove_session(session.id)
    with pytest.raises(UnknownSession, match=session.id):
        session.call("zoom_map", level=5)


# -- asking -----------------------------------------------------------------------------------


def test_a_request_in_words_ends_in_a_state_and_a_sentence_without_any_key(session: Session) -> None:
    answer = session.ask("Plot the fair1m and xview1 images around Pittsburgh, PA from May 2018")
    assert answer.outcome == "done" and all(call.ok for call in answer.calls)
    assert session.state.database.loaded == ("fair1m", "xview1")
    assert session.state.database.count == 4 and "4" in answer.reply
    plain = answer.to_json()
    assert set(plain) == {"reply", "calls", "state", "state_hash", "outcome", "seconds", "tokens"}
    assert plain["state_hash"] == session.hash == digest(session.state)
    keys = {"number", "tool", "args", "ok", "error", "observation"}
    assert [set(call) for call in plain["calls"]] == [keys] * len(answer.calls)
    assert [call["number"] for call in plain["calls"]] == list(range(1, len(answer.calls) + 1))
    assert digest(session.replay()) == session.hash


def test_a_stream_gives_the_request_every_call_and_the_reply_as_they_are_stored(session: Session) -> None:
    kinds = []
    for event in session.stream("show the fmow images"):
        assert session.engine.store.events(session.id)[-1] == event
        kinds.append(event.kind)
    assert kinds[0] == "request" and kinds[-1] == "reply" and set(kinds[1:-1]) == {"call"}


def test_a_follow_up_and_an_undo_in_words_keep_the_thread(session: Session) -> None:
    session.ask("show the xview1 images around Pittsburgh")
    wide = session.state
    session.ask("now only the ones from 2019")
    assert session.state.database.filters.start == "2019-01-01" and session.state.database.count == 1
    session.ask("undo that")
    assert session.state == wide


def test_the_answer_to_an_earlier_turn_has_the_state_of_its_end(session: Session) -> None:
    first = session.ask("show the fmow images")
    session.ask("zoom to level 9")
    again = session.answer(1)
    assert replace(again, seconds=0.0) == replace(first, seconds=0.0)
    with pytest.raises(ValueError, match="Turn 9 is no request"):
        session.answer(9)


def test_sessions_on_postgresql_behave_the_same(
    small_catalogue: Path, tmp_path: Path, postgres_url: str
) -> None:
    engine = Engine(tmp_path, store_url=postgres_url, catalogue_url=str(small_catalogue), today=TODAY)
    try:
        session = Session.open(name="Ports \x00 of\nLagos", engine=engine)
        session.call("save_session", name="Port study")
        session.ask("show the fair1m images around Pittsburgh\ud800 \x00")
        other = Session.open(session.id, engine=engine)
        assert (other.name, other.state, other.hash) == ("Port study", session.state, session.hash)
        other.call("zoom_map", level=4)
        assert session.call("zoom_map", level=5).seq == len(other.events) + 1
        assert digest(Session.open_shared(session.share(), engine=engine).replay()) == session.hash
        engine.remove_session(session.id)
        with pytest.raises(UnknownSession):
            Session.open(session.id, engine=engine)
    finally:
        engine.store.close()
