"""Proving a file of tasks: a good one passes, and each flaw is told by what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from copilot.bench.build.fill import Drawer, filled
from copilot.bench.build.rows import draw_pool
from copilot.bench.build.slots import Filler
from copilot.bench.build.wording import worded
from copilot.bench.lint import lint, prove, summed
from copilot.bench.oracle import by_beginnings, replay
from copilot.bench.spread import Bench, over_tasks
from copilot.bench.task import GoldCall, Task
from state.codec import to_json
from tests.copilot.bench.build.small_intents import small_intents


@pytest.fixture(scope="module")
def bench(small_catalogue: Path) -> Iterator[Bench]:
    made = Bench.over(str(small_catalogue))
    yield made
    made.player.close()


@pytest.fixture(scope="module")
def tasks(bench: Bench) -> list[Task]:
    """A task of each of the small intents."""
    pool = draw_pool(bench.world)
    drawer = Drawer(pool, Filler(bench.world.gazetteer, pool.words))
    found = []
    for each in small_intents():
        made = filled(each, drawer, bench.player, Random(5))
        state = to_json(made.played.state)
        request = worded(made, Random(5))
        found.append(
            Task(
                each.id,
                each.id,
                each.category,
                request,
                made.calls,
                made.reply,
                state,
                made.setup,
                version="v",
            )
        )
    return found


def task(tasks: list[Task], name: str) -> Task:
    return next(each for each in tasks if each.id == name)


def with_calls(bench: Bench, wrong: Task, *calls: GoldCall) -> Task:
    """The task with other calls, and the state that they end in."""
    played = bench.player.play(calls, bench.player.begin(wrong.setup))
    return replace(wrong, calls=calls, state=to_json(played.state))


def test_nothing_is_found_in_good_tasks(bench: Bench, tasks: list[Task]) -> None:
    found = summed((prove(bench, each) for each in tasks), "v")
    assert (found.tasks, found.wrong, found.problems) == (6, 0, [])
    assert found.by_category == {"load-filter-plot": 2, "information": 2, "ui-web": 2}
    assert found.to_json()["mean_calls"] == round(sum(len(each.calls) for each in tasks) / 6, 3)


def test_a_call_that_is_not_needed_is_told(bench: Bench, tasks: list[Task]) -> None:
    some = task(tasks, "page-and-base")
    wrong = with_calls(bench, some, GoldCall("open_panel", {"name": "jobs"}), *some.calls)
    assert prove(bench, wrong).problems == ()  # a panel that is opened shows
    wrong = with_calls(bench, some, GoldCall("set_basemap", {"name": "topo"}), *some.calls)
    told = "Call 1, set_basemap, is not needed: without it the rest passes."
    assert prove(bench, wrong).problems == (told,)


def test_a_count_that_a_filter_has_already_said_is_not_needed(bench: Bench, tasks: list[Task]) -> None:
    some = task(tasks, "several-sets-in-a-country")
    wrong = with_calls(bench, some, *some.calls, GoldCall("db_count"))
    told = "Call 5, db_count, is not needed: without it the rest passes."
    assert prove(bench, wrong).problems == (told,)


def test_a_gold_that_fails_or_ends_elsewhere_is_told(bench: Bench, tasks: list[Task]) -> None:
    some = task(tasks, "page-and-base")
    failing = replace(some, calls=(GoldCall("open_page", {"name": "moon"}),))
    assert prove(bench, failing).problems[0].startswith("Task page-and-base: open_page failed:")
    elsewhere = replace(some, state={**some.state, "artifacts": [1]})
    assert prove(bench, elsewhere).problems == (
        "Task page-and-base: its calls end in another state than the one that it was built with.",
    )


def test_a_task_that_asks_for_nothing_is_told(bench: Bench, tasks: list[Task]) -> None:
    some = task(tasks, "page-and-base")
    wrong = with_calls(bench, replace(some, reply="Yes."), GoldCall("open_page", {"name": "home"}))
    assert "Doing nothing passes." in prove(bench, wrong).problems


def test_an_other_end_that_does_not_work_is_told(bench: Bench, tasks: list[Task]) -> None:
    wrong = replace(task(tasks, "page-and-base"), also=((GoldCall("fit_layer", {"layer": "x"}),),))
    assert prove(bench, wrong).problems[0].startswith("Task page-and-base: fit_layer failed:")


def test_an_empty_request_is_told(bench: Bench, tasks: list[Task]) -> None:
    assert prove(bench, replace(task(tasks, "page-and-base"), request=" ")).problems == (
        "Its request is empty.",
    )


def test_an_unfilled_brace_and_a_missing_state_are_told(bench: Bench, tasks: list[Task]) -> None:
    wrong = replace(task(tasks, "page-and-base"), request="Open {page}", state={})
    assert prove(bench, wrong).problems == (
        "The request has an unfilled brace: 'Open {page}'.",
        "It has no state to end in.",
    )


def test_a_copy_and_a_foreign_version_are_told(bench: Bench, tasks: list[Task]) -> None:
    copy = replace(tasks[0], id="copy")
    other = replace(tasks[1], id="other", request="Anything else", version="w")
    found = summed((prove(bench, each) for each in (*tasks, copy, other)), "v")
    assert found.wrong == 2
    assert found.problems == [
        f"copy: It is the same as {tasks[0].id}: the same request in the same session.",
        "other: Its version is 'w', not the file's 'v'.",
    ]


def test_the_same_request_in_another_session_is_another_task(bench: Bench, tasks: list[Task]) -> None:
    some = task(tasks, "page-and-base")
    setup = (GoldCall("db_load", {"names": ["fmow"]}),)
    other = with_calls(bench, replace(some, id="other", setup=setup), *some.calls)
    assert summed(prove(bench, each) for each in (some, other)).problems == []


def test_processes_find_the_same_in_the_same_order(small_catalogue: Path, tasks: list[Task]) -> None:
    many = [replace(tasks[n % 6], id=f"{n}", request=f"{n}") for n in range(120)]
    many[70] = replace(many[70], request="{page}")
    alone, spread = (lint(many, str(small_catalogue), jobs, "v").to_json() for jobs in (1, 2))
    assert alone == spread
    assert alone["wrong"] == 1


def test_a_replay_counts_calls_and_tells_what_no_longer_holds(
    small_catalogue: Path, tasks: list[Task]
) -> None:
    wrong = replace(tasks[0], id="wrong", state={})
    elsewhere = replace(tasks[2], id="elsewhere", state={**tasks[2].state, "ui": {}})
    found = replay([*tasks, wrong, elsewhere], str(small_catalogue))
    calls = sum(len(each.setup) + len(each.calls) for each in (*tasks, wrong, elsewhere))
    assert found.to_json() == {
        "tasks": 8,
        "calls": calls,
        "wrong": 1,
        "problems": ["Task elsewhere: its calls end in another state than the one that it was built with."],
    }


def test_tasks_that_begin_alike_are_replayed_one_after_another() -> None:
    def of(name: str, *tools: str) -> Task:
        calls = tuple(GoldCall(tool) for tool in tools)
        return Task(name, name, "information", name, calls[1:], "", {}, setup=calls[:1])

    mixed = [of("1", "b", "x"), of("2", "a", "z", "y"), of("3", "b", "x", "w"), of("4", "a", "z")]
    assert [each.id for each in by_beginnings(mixed)] == ["2", "4", "3", "1"]


def test_no_tasks_are_no_work(small_catalogue: Path) -> None:
    assert list(over_tasks([], prove, str(small_catalogue), 2)) == []
