"""The figures over many verdicts, and the figures step by step."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from copilot.bench.check import Player, Run, check, gold_of, measure
from copilot.bench.check.perception import Overlap, nature_of
from copilot.bench.check.play import Played
from copilot.bench.check.stepwise import StepAccuracy, step_accuracy, step_by_step
from copilot.bench.task import GoldCall, Task
from state.codec import to_json
from tests.copilot.bench import check_tasks
from tests.copilot.bench.check_tasks import TASKS, call


def run_of(player: Player, task: Task, *calls: GoldCall) -> Run:
    done = player.play(calls, player.begin(task.setup))
    return Run(done.steps, task.reply, to_json(done.state), tokens=1000, seconds=2.0)


def test_nothing_measured_is_nothing_said():
    found = measure([])
    assert (found.tasks, found.success, found.tokens_per_task, found.by_calls) == (0, None, None, {})


def test_the_figures_are_means_over_the_tasks_that_have_them(player: Player):
    plot, cover = gold_of(player, check_tasks.FILTER_PLOT), gold_of(player, check_tasks.LAND_COVER)
    half = run_of(player, plot.task, *plot.task.calls[:4])
    right = replace(cover.oracle(), tokens=500, seconds=1.0, rounds=4)
    found = measure([check(plot, half), check(cover, right)])
    assert found.tasks == 2
    assert (found.success, found.tsr) == (0.5, 0.5)
    assert found.correctness == pytest.approx((1 - 2 / 6 + 1) / 2)
    assert (found.tokens_per_task, found.seconds_per_task) == (750, 1.5)
    assert (found.detection_f1, found.land_cover_recall, found.vqa_rouge_l) == (1.0, 1.0, None)
    assert (found.inst_acc, found.tool_acc, found.arg_acc) == (1.0, 7 / 9, 7 / 9)
    assert (found.ntc, found.ni, found.fpa) == (3.5, 4, 0.5)
    assert {name: n for name, n in found.errors.items() if n} == {"missed_tools": 1, "map": 1}
    assert found.by_calls is not None
    assert {n: (each.tasks, each.success) for n, each in found.by_calls.items()} == {3: (1, 1.0), 6: (1, 0.0)}


def test_a_first_plan_that_was_mended_succeeds_and_does_not_count_as_first(player: Player):
    task = check_tasks.LAND_COVER
    run = run_of(player, task, call("filter_lccclass", classes=["zzz"]), *task.calls)
    found = measure([check(gold_of(player, task), run)])
    assert (found.tsr, found.fpa, found.inst_acc, found.arg_acc) == (1.0, 0.0, 3 / 4, 1.0)


def test_calls_that_cannot_be_read_count_as_made_and_refused(player: Player):
    gold = gold_of(player, check_tasks.LAND_COVER)
    verdict = check(gold, replace(gold.oracle(), malformed=3))
    found = measure([verdict])
    assert (verdict.success, verdict.correctness) == (True, 0.0)
    assert (found.ntc, found.inst_acc, found.fpa, found.errors["valid_tools"]) == (6, 0.5, 0.0, 1)


def test_the_figures_are_plain_json(player: Player):
    golds = [gold_of(player, task) for task in TASKS]
    plain = measure(check(gold, gold.oracle()) for gold in golds).to_json()
    assert json.loads(json.dumps(plain)) == plain
    assert sorted(plain["by_calls"], key=int) == ["1", "2", "3", "4", "6"]


def test_objects_are_counted_by_class_and_land_cover_is_recalled(player: Player):
    task = check_tasks.COUNT_CLASSES
    gold = gold_of(player, task)
    counted = check(gold, run_of(player, task, task.calls[0], call("filter_class", classes=["Building"]),
                                 call("db_count", by="class", unit="detections")))  # fmt: skip
    assert counted.detections is not None
    assert counted.detections.wanted == 40
    assert 0 < counted.detections.f1 < 1
    assert check(gold, gold.oracle()).detections == Overlap(40, 40, 40)
    assert check(gold, gold.idle()).detections == Overlap(0, 40, 0)
    cover = gold_of(player, check_tasks.LAND_COVER)
    assert check(cover, cover.oracle()).land_cover == Overlap(1, 1, 1)
    other = run_of(player, cover.task, cover.task.calls[0], call("filter_lccclass", classes=["port"]))
    missed = check(cover, other).land_cover
    assert missed is not None and missed.recall == 0.0


def test_the_overlap_of_two_counts_is_what_stands_on_both_sides():
    found = Overlap.of({"car": 3, "bus": 1}, {"car": 2, "ship": 2})
    assert (found, found.recall, found.f1) == (Overlap(2, 4, 4), 0.5, 0.5)


def test_classes_are_objects_or_whole_scenes():
    assert [nature_of(name) for name in ("Small Car", "vehicles", "golf_course", "Airport Terminal X")] == [
        "object", "object", "scene", None,
    ]  # fmt: skip


def test_step_by_step_an_oracle_is_right_in_any_order_that_is_left(player: Player):
    def forwards(task: Task, so_far: Played) -> GoldCall:
        return task.calls[len(so_far.steps)]

    def backwards(task: Task, so_far: Played) -> GoldCall:
        return task.calls[-1]

    task = check_tasks.UI
    for next_call in (forwards, backwards):
        found = step_accuracy(step_by_step(player, task, next_call))
        assert found == StepAccuracy(4, 1.0, 1.0, 1.0)


def test_step_by_step_an_early_error_costs_one_step(player: Player):
    def says(task: Task, so_far: Played) -> GoldCall | None:
        return {
            0: call("open_panle", name="layers"),
            1: call("open_tab", url="https://example.org"),
            2: None,
        }.get(len(so_far.steps), task.calls[-1])

    steps = step_by_step(player, check_tasks.UI, says)
    assert [(each.well_formed, each.tool, each.arguments) for each in steps] == [
        (False, False, False), (True, True, False), (False, False, False), (True, True, True),
    ]  # fmt: skip
    assert step_accuracy(steps) == StepAccuracy(4, 0.5, 0.5, 0.25)
    with pytest.raises(ValueError, match="no steps"):
        step_accuracy([])
