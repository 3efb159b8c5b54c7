"""The Benchmark page as Streamlit draws it, without a browser."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from copilot.bench.build.stamp import Stamp, comparable
from copilot.bench.replay import replay
from copilot.bench.report import apart, graded
from copilot.bench.run.background import command
from copilot.bench.run.store import Runs
from copilot.bench.task import GoldCall
from copilot.engine import Engine
from copilot.live import Live
from copilot.session import Session
from copilot.view.benchmark import trace
from pages.benchmark import trace_html
from state.codec import to_json
from tests.copilot.bench.run.hand import hand_tasks
from tests.copilot.bench.test_report import finished
from tests.copilot.conftest import engine
from tests.tools.conftest import small_catalogue

__all__ = ["engine", "small_catalogue"]


@pytest.fixture
def drawn(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page over a home of the test's own, without the header, which needs a browser's components."""
    live = Live(engine)
    monkeypatch.setattr("pages.benchmark.live", lambda: live)
    monkeypatch.setattr("pages.benchmark.header", lambda session: None)
    monkeypatch.setattr("pages.benchmark.session", lambda: None)
    return AppTest.from_function(_script, default_timeout=60)


def _script() -> None:
    from pages import benchmark

    benchmark.show()


def shown(drawn: AppTest) -> str:
    """All markup of the page."""
    return " ".join(str(each.proto.body) for each in drawn.get("html"))


def test_without_a_run_the_page_says_how_to_make_one(drawn: AppTest):
    drawn.run()
    assert not drawn.exception
    assert "There is no run yet" in drawn.info[0].value and "bench run --tasks 500" in drawn.info[0].value
    assert drawn.code[0].value == f"python -m copilot {' '.join(command('500', 'direct'))}"
    assert drawn.selectbox(key="bench_agent").options[0] == "direct"


def test_a_run_shows_its_rates_its_tables_and_its_failures(drawn: AppTest, engine: Engine):
    finished(engine, hand_tasks(engine, 4))
    drawn.run()
    assert not drawn.exception
    rates = {each.label: each.value for each in drawn.metric}
    assert rates["Success"] == "75.0%" and rates["Long tasks"] == "–"
    assert "published: GPT-4 Turbo, ReAct, few-shot" in shown(drawn)
    assert [tab.label for tab in drawn.tabs] == [
        "Step by step", "By number of calls", "By kind of request", "Kinds of error", "By intent",
    ]  # fmt: skip
    assert list(drawn.dataframe[0].value["task"]) == ["hand-003"]
    drawn.text_input(key="bench_find").set_value("no such words").run()
    assert drawn.info[0].value == "No failed task matches."


def test_a_run_of_which_nothing_could_be_graded_is_not_said_to_be_right(drawn: AppTest, engine: Engine):
    finished(engine, [replace(each, calls=(GoldCall("no_such_tool"),)) for each in hand_tasks(engine, 2)])
    drawn.run()
    assert not drawn.exception
    assert ([each.value for each in drawn.info], list(drawn.success)) == (["No task could be graded."], [])


def test_runs_of_two_versions_are_said_not_to_compare(drawn: AppTest, engine: Engine):
    finished(engine, hand_tasks(engine, 2))
    newer = [replace(each, version="hand-2") for each in hand_tasks(engine, 2)]
    finished(engine, newer, version="hand-2")
    drawn.run()
    picker = drawn.multiselect(key="bench_runs")
    picker.set_value(picker.options).run()
    assert not drawn.exception
    assert "Their figures do not compare" in drawn.warning[0].value
    assert shown(drawn).count("published: GPT-4 Turbo") == 2
    assert drawn.success[0].value == "Every task was answered rightly."


def test_what_differs_between_two_sets_of_tasks_is_said(engine: Engine):
    stamp = Stamp(1, "i", "c", "t", "sample", "2024-01-15", "all", "", "", 2, 0)
    runs = [
        graded(finished(engine, hand_tasks(engine, 1), version=each.version, stamp=each.to_json()))
        for each in (stamp, replace(stamp, tools="others", seed=1))
    ]
    assert apart(runs[:1]) == ""
    assert apart(runs).startswith(
        f"{comparable(stamp, replace(stamp, tools='others', seed=1))} Their figures"
    )
    stricter = graded(finished(engine, hand_tasks(engine, 1), epsilon=0.0))
    looser = graded(finished(engine, hand_tasks(engine, 1)))
    assert apart([looser, stricter]).startswith("They were graded with another ε.")


def test_a_failed_task_opens_up_with_what_was_done_and_what_was_right(engine: Engine):
    run = finished(engine, hand_tasks(engine, 4))
    opened = trace(_result(run.id, engine, "hand-003"))
    assert (opened.success, opened.gold) == (False, ('open_page(name="help")',))
    assert [call for call, _, _ in opened.made if call] == ['open_page(name="tools")']
    kinds = [kind for kind, _ in opened.wrong]
    assert "wrong page or panel" in kinds
    markup = trace_html(replace(opened, request="<b>bold</b>", reply="a <script>"))
    assert "&lt;b&gt;bold&lt;/b&gt;" in markup and "a &lt;script&gt;" in markup and "<script>" not in markup


@pytest.mark.parametrize("gold", [False, True])
def test_a_trace_is_made_again_in_a_session_and_can_be_undone(engine: Engine, gold: bool):
    task = hand_tasks(engine, 1)[0]
    run = finished(engine, [task])
    session = Session.open(engine=engine)
    before = to_json(session.state)
    result = {**_result(run.id, engine, task.id), "tokens": 900}
    assert replay(session, result, gold=gold) == 0
    assert to_json(session.state) == task.state
    assert {event.source for event in session.events if event.kind == "call"} == {"bench"}
    assert session.turns[-1].request == task.request and session.answer().outcome == "done"
    session.undo()
    assert to_json(session.state) == before


def test_what_reaches_outside_is_not_made_again(engine: Engine, tmp_path: Path):
    run = finished(engine, hand_tasks(engine, 1))
    result = _result(run.id, engine, "hand-000")
    outside = {"kind": "call", "tool": "db_ingest", "args": {"path": str(tmp_path)}, "ok": True, "text": ""}
    session = Session.open(engine=engine)
    assert replay(session, {**result, "trace": json.dumps([outside])}) == 1
    assert session.turns[-1].calls == ()


def _result(run_id: str, engine: Engine, task_id: str) -> dict[str, Any]:
    found = Runs(engine.home).get(run_id).result(task_id)
    assert found is not None
    return found
