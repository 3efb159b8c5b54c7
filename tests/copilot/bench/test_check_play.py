"""Playing chains of calls in memory: the same ends as in a session, remembered, and files that last."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from copilot.agents.budget import Usage
from copilot.bench.check import Player, Run, check, gold_of
from copilot.bench.task import GoldCall, Task
from copilot.engine import Engine
from copilot.session import Session
from state.codec import digest, to_json
from tests.copilot.bench import check_tasks
from tests.copilot.bench.check_tasks import LOADED, TASKS, call
from tests.tools.world import small_world


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_chain_ends_where_it_ends_in_a_session(player: Player, session: Session, task: Task):
    start = player.begin(task.setup)
    done = player.play(task.calls, start)
    for each in task.setup:
        session.call_tool(each.tool, each.args)
    before = session.state
    opened = session.begin(task.request, "bench")
    for each in task.calls:
        session.call_tool(each.tool, each.args, source="bench", turn=opened.turn)
    session.end(
        opened.turn, task.reply, gold_of(player, task).ends[0].outcome, 0.1, Usage(40, 2), {"rounds": 3}
    )
    assert digest(done.state) == session.hash
    run = Run.of(session.answer(), before)
    assert [each.tool for each in run.calls] == [each.tool for each in done.steps]
    assert [each.touched for each in run.calls] == [each.touched for each in done.steps]
    verdict = check(gold_of(player, task), run)
    assert (verdict.wrong, verdict.success, verdict.correctness) == ((), True, 1.0)
    assert (verdict.tokens, verdict.rounds) == (42, 3)


def test_a_call_is_remembered_by_the_state_that_it_was_made_in(
    player: Player, monkeypatch: pytest.MonkeyPatch
):
    fresh = Player(player._world)
    first = fresh.play(check_tasks.FILTER_PLOT.calls)
    monkeypatch.setattr("copilot.bench.check.play.run_call", lambda *_: pytest.fail("it was run again"))
    again = fresh.play(check_tasks.FILTER_PLOT.calls)
    assert (again.state, again.steps) == (first.state, first.steps)
    fresh.close()


def test_undo_where_nothing_was_done_is_refused_each_time(player: Player):
    done = player.play((call("undo"), call("undo"), call("redo")))
    nothing = "There is nothing to undo: nothing has changed since the session began."
    assert [each.text for each in done.steps[:2]] == [nothing, nothing]
    assert done.steps[2].text.startswith("There is nothing to redo")


def test_what_reads_the_sessions_past_is_never_remembered(player: Player):
    undo = (call("undo"),)
    near_pittsburgh = call("filter_coords", place="Pittsburgh", radius_km=40)
    one = player.play(undo, player.begin((*LOADED, near_pittsburgh)))
    other = player.play(undo, player.begin((call("db_load", names=["xview1"]), near_pittsburgh, *LOADED)))
    assert one.state.database.filters.place is None
    assert other.state.database.loaded == ("xview1",)
    assert other.state.database.filters.place is not None


def test_the_calls_of_a_request_are_one_turn_and_those_of_a_setup_one_each(player: Player):
    start = player.begin((*LOADED, call("open_page", name="data")))
    done = player.play((call("open_page", name="help"), call("open_panel", name="jobs")), start)
    assert [turn for turn, _, _ in done.past] == [1, 2, 3, 3]
    back = player.play((call("undo"),), done)
    assert (back.state.ui.page, back.state.ui.panels) == ("data", ())


def test_a_failed_call_is_a_step_and_the_next_ones_are_made(player: Player):
    done = player.play((call("db_load", names=["xview9"]), call("open_page", name="help")))
    assert [each.ok for each in done.steps] == [False, True]
    assert (done.failed, done.state.ui.page) == (done.steps[:1], "help")


def test_files_of_a_remembered_call_are_found_by_the_calls_after_it(player: Player):
    made = player.play((call("group_count", by="sensor"),), player.begin(LOADED))
    table = str(made.steps[0].data["table"])
    for field, rows in (("count", 1), ("sensor", 0)):
        value = 7 if field == "count" else "none"
        chain = (
            call("group_count", by="sensor"),
            call("filter_rows", table=table, field=field, op="=", value=value),
        )
        done = player.play(chain, player.begin(LOADED))
        assert [each.text for each in done.failed] == []
        result = pd.read_parquet(done.files[str(done.steps[1].data["table"])])
        assert len(result) == rows


def test_the_oldest_calls_are_forgotten_with_their_files(player: Player):
    small = Player(player._world, remembered=3)
    start = small.begin(LOADED)
    first = small.play((call("group_count", by="sensor"),), start)
    path = next(iter(first.files.values()))
    assert path.is_file()
    for name in ("data", "tools", "help"):
        small.play((call("open_page", name=name),), start)
    assert not path.exists()
    again = small.play((call("group_count", by="sensor"),), start)
    assert next(iter(again.files.values())).is_file()
    assert (again.steps, again.state) == (first.steps, first.state)
    small.close()


def test_closing_removes_every_file(player: Player):
    passing = Player(player._world)
    done = passing.play((call("group_count", by="sensor"),), passing.begin(LOADED))
    path = next(iter(done.files.values()))
    passing.close()
    assert not path.exists()


def test_what_reaches_outside_is_not_run(small_catalogue: Path, tmp_path: Path):
    inside = Player(replace(small_world(small_catalogue, tmp_path), catalogue_root=tmp_path / "catalogue"))
    done = inside.play((call("db_ingest", path="/etc/hosts"),))
    assert done.failed[0].text == "db_ingest reaches outside; here only what stays inside is run."
    assert list(tmp_path.iterdir()) == []
    inside.close()


def test_a_player_over_an_engine_sees_its_catalogue_and_its_day(engine: Engine):
    over = Player.over(engine)
    done = over.play((call("db_load", names=["fair1m"]), call("filter_date", start="last year")))
    assert done.steps[0].data["count"] == 5
    assert not engine.home.exists() or not list(engine.home.glob("sessions*"))
    over.close()


@pytest.mark.parametrize("args", [{"names": object()}, {"names": float("nan")}, {1: 2}])
def test_arguments_that_are_no_json_are_refused_and_not_raised(
    player: Player, args: dict[str, object], caplog: pytest.LogCaptureFixture
):
    with_odd = GoldCall("db_load", args)  # type: ignore[arg-type]
    caplog.set_level(logging.CRITICAL, "tools.run")
    done = player.play((with_odd,))
    assert [each.ok for each in done.steps] == [False]
    assert to_json(done.state) == to_json(player.begin().state)
