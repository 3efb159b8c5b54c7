"""Who knows the answer has everything right, who does nothing has nothing, and other right ways pass."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

from copilot.bench.check import (
    CHECKS,
    GoldFails,
    Player,
    Run,
    Settings,
    Verdict,
    check,
    gold_of,
    measure,
)
from copilot.bench.task import GoldCall, Task
from state.codec import to_json
from tests.copilot.bench import check_tasks
from tests.copilot.bench.check_tasks import TASKS, call

each_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)


def played(player: Player, task: Task, calls: tuple[GoldCall, ...], reply: str | None = None) -> Run:
    """The run of somebody who makes those calls and says the gold reply."""
    done = player.play(calls, player.begin(task.setup))
    return Run(done.steps, task.reply if reply is None else reply, to_json(done.state))


@each_task
def test_an_oracle_has_everything_right(player: Player, task: Task):
    gold = gold_of(player, task)
    verdict = check(gold, gold.oracle())
    assert (verdict.wrong, verdict.success, verdict.correctness, verdict.rouge) == ((), True, 1.0, 1.0)
    assert verdict.made == verdict.valid == verdict.wanted == verdict.picked == verdict.right


@each_task
def test_an_oracle_has_everything_right_to_the_letter(player: Player, task: Task):
    gold = gold_of(player, task)
    verdict = check(gold, gold.oracle(), Settings(epsilon=0.0, least_rouge=1.0, by_effect=False))
    assert (verdict.wrong, verdict.success, verdict.correctness) == ((), True, 1.0)


@each_task
def test_who_does_nothing_has_nothing_right(player: Player, task: Task):
    gold = gold_of(player, task)
    verdict = check(gold, gold.idle())
    assert (verdict.success, verdict.correctness, verdict.right, verdict.picked) == (False, 0.0, 0, 0)
    assert verdict.rouge == 0.0 and len(verdict.check("missed_tools").wrong) == verdict.wanted


@each_task
def test_who_says_the_reply_and_does_nothing_fails(player: Player, task: Task):
    gold = gold_of(player, task)
    verdict = check(gold, replace(gold.idle(), reply=task.reply))
    assert (verdict.success, verdict.correctness) == (False, 0.0)


@each_task
def test_a_right_run_of_another_task_fails(player: Player, task: Task):
    gold = gold_of(player, task)
    for other in TASKS:
        if other is not task:
            run = gold_of(player, other).oracle()
            assert not check(gold, run).success, other.id


@each_task
def test_the_gold_without_one_of_its_calls_fails_unless_another_brings_the_same(player: Player, task: Task):
    gold = gold_of(player, task)
    passed = []
    for number, left_out in enumerate(task.calls):
        calls = task.calls[:number] + task.calls[number + 1 :]
        done = player.play(calls, player.begin(task.setup))
        right = [each for each in done.steps if each.ok]
        run = Run(tuple(right), task.reply, to_json(done.state), gold.oracle().outcome)
        if check(gold, run).success:
            passed.append(left_out.tool)
    # The filter has said the count already; it need not be asked for again.
    assert passed == (["db_count"] if task is check_tasks.CLOUD else [])


def test_other_right_ends_pass_and_are_named(player: Player):
    gold = gold_of(player, check_tasks.CAMERA)
    verdict = check(gold, gold.oracle(end=1))
    assert (verdict.end, verdict.success, verdict.correctness, verdict.wrong) == (1, True, 1.0, ())


def test_at_another_right_end_the_numbers_are_those_of_that_end(player: Player):
    other = (call("db_load", names=["fair1m"]), call("scatter_plot"))
    task = replace(
        check_tasks.LAND_COVER,
        request="Show me something",
        reply="1 image of 5 in fMoW.",
        also=(other,),
    )
    gold = gold_of(player, task)
    assert not check(gold, replace(gold.oracle(), reply="Here you are.")).success
    run = replace(gold.oracle(end=1), reply="5 images are plotted.")
    assert (check(gold, run).end, check(gold, run).success) == (1, True)
    silent = check(gold, replace(run, reply="Here you are."))
    assert silent.check("reply_numbers").wrong == ("The reply does not say 5.",)


OTHER_WAYS = [
    (
        check_tasks.FILTER_PLOT,
        (
            call("set_basemap", name="dark"),
            call("db_load", names=["xview1"]),
            call("filter_class", classes=["vehicles"]),
            call("scatter_plot"),
            call("filter_coords", place="Pittsburgh, Pennsylvania", radius_km=40),
            call("filter_date", start="2018-01-01", end="2018-12-31"),
            call("style_layer", layer="points", color="#ff0000"),
        ),
    ),
    (
        check_tasks.LAND_COVER,
        (
            call("db_load", names=["fmow"]),
            call("filter_lccclass", classes=["golf course"]),
            call("footprint_plot"),
        ),
    ),
    (
        check_tasks.DRAWINGS,
        (
            call("draw_marker", place="Lagos", label="Depot"),
            call("draw_polygon", points=[[4.0, 51.8], [4.6, 51.8], [4.6, 52.0], [4.0, 52.0]]),
            call("toggle_control", control="graticule", on=True),
            call("draw_circle", place="Rotterdam", radius_km=40),
        ),
    ),
    (
        check_tasks.UI,
        (
            call("open_page", name="data"),
            call("open_tab", url="https://www.portofrotterdam.com/"),
            call("display_hover", fields=["cloud_pct", "name"]),
            call("open_panel", name="layers"),
        ),
    ),
]


@pytest.mark.parametrize(("task", "calls"), OTHER_WAYS, ids=[task.id for task, _ in OTHER_WAYS])
def test_another_way_to_the_same_end_is_right_in_every_call(
    player: Player, task: Task, calls: tuple[GoldCall, ...]
):
    done = player.play(calls, player.begin(task.setup))
    assert [each.text for each in done.failed] == []
    verdict = check(gold_of(player, task), played(player, task, calls))
    assert (verdict.wrong, verdict.success, verdict.correctness) == ((), True, 1.0)


def test_a_call_that_changes_and_says_nothing_may_be_left_out(player: Player):
    twice = replace(check_tasks.UI, calls=(*check_tasks.UI.calls, call("open_page", name="data")))
    once = gold_of(player, check_tasks.UI).oracle()
    verdict = check(gold_of(player, twice), once)
    assert (verdict.wrong, verdict.success, verdict.correctness, verdict.wanted) == ((), True, 1.0, 4)


def test_a_table_made_on_the_way_is_needless_and_no_failure(player: Player):
    task = check_tasks.FILTER_PLOT
    verdict = check(
        gold_of(player, task), played(player, task, (*task.calls, call("group_count", by="class")))
    )
    assert (verdict.wrong, verdict.success) == (("needed_tools",), True)


def test_a_step_that_the_gold_itself_overwrites_may_be_left_out(player: Player):
    first = call("zoom_map", place="Lagos")
    detour = replace(check_tasks.CAMERA, calls=(first, *check_tasks.CAMERA.calls), also=())
    verdict = check(gold_of(player, detour), gold_of(player, check_tasks.CAMERA).oracle())
    assert (verdict.wrong, verdict.success, verdict.correctness, verdict.right) == ((), True, 1.0, 3)


def test_a_change_that_the_gold_takes_back_is_missed_and_no_failure(player: Player):
    there_and_back = (call("toggle_control", control="minimap"),) * 2
    longer = replace(check_tasks.UI, calls=(*there_and_back, *check_tasks.UI.calls))
    verdict = check(gold_of(player, longer), gold_of(player, check_tasks.UI).oracle())
    assert (verdict.wrong, verdict.success) == (("missed_tools",), True)
    assert verdict.correctness == 1 - 2 / 6


@pytest.mark.parametrize("order", list(itertools.permutations(range(1, 4))))
def test_the_order_of_filters_changes_no_verdict(player: Player, order: tuple[int, ...]):
    task = check_tasks.FILTER_PLOT
    gold = gold_of(player, task)
    calls = (task.calls[0], *(task.calls[i] for i in order), *task.calls[4:])
    assert replace(check(gold, played(player, task, calls)), seconds=0.0) == check(gold, gold.oracle())


def test_a_gold_that_fails_is_told_by_its_call(player: Player):
    broken = replace(check_tasks.LAND_COVER, calls=(call("db_load", names=["xview9"]),))
    with pytest.raises(GoldFails, match=r"Task land-cover: db_load failed: There is no data set"):
        gold_of(player, broken)
    with pytest.raises(GoldFails, match=r"Task land-cover: the setup's hide_layer failed"):
        gold_of(player, replace(check_tasks.LAND_COVER, setup=(call("hide_layer", layer="ships"),)))


def test_a_gold_that_ends_elsewhere_than_it_was_built_is_told(player: Player):
    gold = gold_of(player, check_tasks.UI)
    built = replace(check_tasks.UI, state=gold.oracle().state)
    assert gold_of(player, built).ends[0].state == gold.ends[0].state
    with pytest.raises(GoldFails, match="end in another state"):
        gold_of(player, replace(check_tasks.UI, state=gold.idle().state))


@each_task
def test_runs_and_verdicts_come_back_from_json_as_they_were(player: Player, task: Task):
    gold = gold_of(player, task)
    run = gold.oracle()
    assert Run.from_json(json.loads(json.dumps(run.to_json()))) == run
    for verdict in (check(gold, run), check(gold, gold.idle())):
        assert Verdict.from_json(json.loads(json.dumps(verdict.to_json()))) == verdict


def test_over_all_tasks_an_oracle_has_100_percent_and_who_does_nothing_0(player: Player):
    golds = [gold_of(player, task) for task in TASKS]
    right = measure(check(gold, gold.oracle()) for gold in golds)
    shares = ("success", "correctness", "rouge_l", "detection_f1", "land_cover_recall", "inst_acc")
    assert {getattr(right, name) for name in (*shares, "tool_acc", "arg_acc", "fpa", "tsr")} == {1.0}
    assert right.errors == dict.fromkeys(CHECKS, 0)
    idle = measure(check(gold, gold.idle()) for gold in golds)
    assert {getattr(idle, name) for name in shares[:-1]} == {0.0}
    assert (idle.inst_acc, idle.tool_acc, idle.arg_acc, idle.fpa, idle.ntc) == (None, 0.0, 0.0, 0.0, 0.0)
