"""Reports: tables, figures, two runs side by side, versions kept apart."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from copilot.bench.figures import figures
from copilot.bench.html import html_report
from copilot.bench.published import ROWS
from copilot.bench.report import Graded, apart, by_version, differences, graded, longest, summary
from copilot.bench.run.store import Progress, Run, Runs, Settings
from copilot.bench.run.work import Work, run_task
from copilot.bench.tables import Table, overall, tables
from copilot.bench.task import GoldCall, Task
from copilot.engine import Engine
from tests.copilot.bench.run.hand import hand_tasks, made

SETTINGS = Settings(
    tasks="hand", version="hand-1", digest="", total=5, agent="direct", model="embedded", shots=0,
    epsilon=0.01, today="2026-11-20", catalogue="", code="", skipped={"network": 2},
    created_at="2026-11-21T20:00:00+00:00",
)  # fmt: skip


def finished(engine: Engine, tasks: list[Task], **changed: object) -> Run:
    """A run with a real result of every task."""
    work = Work(engine.catalogue_address, engine.clock().isoformat(), "direct", "embedded", 0, 0.01)
    run = Runs(engine.home).new(replace(SETTINGS, total=len(tasks), **changed))  # type: ignore[arg-type]
    inner = Engine.in_memory_like(engine)
    rows = [run_task(task, work, inner) for task in tasks]
    run.write_part(0, rows)
    progress = Progress(seconds=12.5)
    progress.add(rows)
    run.note(progress)
    return run


def far_task(engine: Engine) -> Task:
    """A task of nine calls, which the planner does not see through."""
    levels = [GoldCall("zoom_map", {"level": level}) for level in range(3, 12)]
    task = Task(
        "far-000", "far", "ui-web", "zoom in like a falling leaf", tuple(levels), "", {}, version="hand-1"
    )
    return made(engine, task)


@pytest.fixture
def run(engine: Engine) -> Graded:
    return graded(finished(engine, [*hand_tasks(engine, 4), far_task(engine)]))


def named(found: list[Table], title: str) -> Table:
    return next(each for each in found if each.title == title)


def test_a_run_is_summed_up_with_every_measure_of_the_checker(run: Graded):
    told = summary(run)
    assert (told["tasks"], told["success"], told["seconds"], told["finished"]) == (5, 0.6, 12.5, True)
    assert told["tsr"] == told["success"] and 0 < told["tool_acc"] <= 1 and told["errors"]["ui"] == 1
    assert [(each["calls"], each["tasks"]) for each in told["by_calls"]] == [(1, 3), (2, 1), (9, 1)]
    assert longest(run.rows) == {"tasks": 1, "success": 0.0, "correctness": run.rows[-1]["correctness"]}
    assert json.loads(json.dumps(told)) == told


def test_the_published_row_stands_below_and_is_called_so(run: Graded):
    table = named(tables([run]), "Overall")
    assert table.head == ("", "tasks", "success", "correctness", "ROUGE-L", "tokens a task", "seconds")
    assert [row[:3] for row in table.rows] == [
        ("direct, embedded", "5", "60.0%"),
        ("published: GPT-4 Turbo, ReAct, few-shot", "", "81.1%"),
    ]
    assert table.rows[1][3:] == ("84.3%", "", "", "")
    assert "other tasks" in table.note and "2404.15500, Table 4" in table.note
    assert "2 tasks left out, for want of network" in table.note


def test_tables_tell_success_by_calls_kind_error_and_intent(run: Graded):
    found = tables([run])
    assert named(found, "By number of calls").rows[-1][:3] == ("more than 8", "1", "0.0%")
    kinds = {row[0]: row[1:3] for row in named(found, "By kind of request").rows}
    assert kinds == {
        "information seeking": ("1", "0.0%"),
        "load, filter, plot": ("1", "100.0%"),
        "user interface and web": ("3", "66.7%"),
    }
    assert ("wrong page or panel", "1 (20.0%)") in named(found, "Kinds of error").rows
    intents = [row[0] for row in named(found, "By intent").rows]
    assert set(intents[:2]) == {"far", "riddle"} and set(intents[2:]) == {"load", "zoom", "page"}
    assert all(len(row) == len(table.head) for table in found for row in table.rows)


def test_two_runs_side_by_side_name_the_tasks_that_differ(engine: Engine, run: Graded):
    tasks = hand_tasks(engine, 4)
    solved = replace(tasks[3], request="open the help page")
    broken = replace(tasks[0], request="good morning")
    other = graded(finished(engine, [broken, tasks[1], tasks[2], solved], agent="react"))
    gaps = differences(run, other)
    assert ([row["id"] for row in gaps.only_first], [row["id"] for row in gaps.only_second]) == (
        ["hand-000"],
        ["hand-003"],
    )
    assert (gaps.both, gaps.neither) == (2, 0)
    table = named(tables([run, other]), "Side by side")
    assert [row[:2] for row in table.rows] == [
        ("hand-000", "direct, embedded"),
        ("hand-003", "react, embedded"),
    ]


def test_versions_are_never_put_into_one_table(engine: Engine, run: Graded):
    newer = graded(
        finished(
            engine, [replace(each, version="hand-2") for each in hand_tasks(engine, 2)], version="hand-2"
        )
    )
    stricter = graded(finished(engine, hand_tasks(engine, 2), epsilon=0.0))
    groups = by_version([run, newer, stricter])
    assert {name: len(each) for name, each in groups.items()} == {
        "hand-1, ε 0.01": 1,
        "hand-2, ε 0.01": 1,
        "hand-1, ε 0": 1,
    }
    page = html_report([run, newer])
    assert page.count("<h2>Version ") == 2 and "<p>These are other tasks. Their figures do not" in page
    assert apart([run, newer]).startswith("These are other tasks. Their figures do not compare")
    assert apart([run]) == ""


def test_tokens_that_nobody_counted_are_told_as_estimated(engine: Engine, run: Graded):
    rows = tuple({**row, "estimated_tokens": 1200} for row in run.rows)
    guessed = replace(run, rows=rows)
    assert overall([guessed]).rows[0][5] == "≈ 1,200" and overall([run]).rows[0][5] == "0"
    assert summary(guessed)["estimated_tokens_per_task"] == 1200
    old = replace(run, rows=tuple({**row, "estimated_tokens": None} for row in run.rows))
    assert overall([old]).rows[0][5] == "0"


def test_a_task_whose_gold_does_not_work_here_grades_nobody(engine: Engine):
    tasks = hand_tasks(engine, 2)
    foreign = replace(tasks[0], id="foreign", calls=(GoldCall("db_load", {"names": ["sarfish"]}),))
    found = graded(finished(engine, [foreign, tasks[1]]))
    assert (found.ungraded, found.metrics.tasks, found.metrics.success) == (1, 1, 1.0)
    assert summary(found)["finished"] is True
    assert "1 task could not be graded" in tables([found])[0].note


def test_figures_show_the_runs_and_the_published_rate(run: Graded):
    by_calls, errors, epsilon, tokens = figures([run])
    assert (list(by_calls.data[0].x), list(by_calls.data[0].y)) == ([1, 2, 9], [2 / 3, 1.0, 0.0])
    assert [shape.y0 for shape in by_calls.layout.shapes] == [ROWS[0].success]
    assert "published, on other tasks" in by_calls.layout.annotations[0].text
    assert dict(zip(errors.data[0].y, errors.data[0].customdata, strict=True))["wrong page or panel"] == 1
    assert next(iter(epsilon.data[0].x)) == "0" and len(epsilon.data[0].y) == 6
    assert list(tokens.data[0].text) == ["1", "2", "9"]


def test_the_html_report_needs_nothing_beside_it(run: Graded):
    page = html_report([run])
    fetched: list[str] = []

    class Fetched(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            fetched.extend(f"{tag} {value}" for key, value in attrs if key in ("src", "href"))

    Fetched().feed(page)
    assert fetched == [] and page.count("Plotly.newPlot") == 4
    assert "published: GPT-4 Turbo, ReAct, few-shot" in page
