"""What holds for any run: the order of filters changes no verdict, a larger ε loses nothing."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copilot.bench.check import Gold, Player, Run, Settings, check, gold_of
from copilot.bench.check.same import differences, matching, near
from copilot.bench.task import GoldCall, Task
from state.codec import to_json
from tests.copilot.bench.check_tasks import LOADED, PLOTTED, call, task

SLOW_OK = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
FILTERS = (
    call("filter_date", start="2017-01-01", end="2019-12-31"),
    call("filter_coords", place="Pittsburgh", radius_km=40),
    call("filter_class", classes=["vehicles"]),
    call("filter_attribute", field="cloud_pct", op="<=", value=60),
    call("filter_attribute", field="gsd_m", op="<", value=0.5),
    call("set_basemap", name="dark"),
    call("open_panel", name="layers"),
)
"""Calls of which each leaves alone what the others set."""
COMMUTING = task("commuting", "load-filter-plot", "Narrow it down", FILTERS, "2 images.", setup=PLOTTED)
NUMBERS = task(
    "numbers",
    "ui-web",
    "Look there and keep the clear ones",
    (
        call("filter_coords", lon=-80.0, lat=40.4, radius_km=60),
        call("filter_attribute", field="cloud_pct", op="<=", value=25.5),
        call("set_view", lon=-80.0, lat=40.4, zoom=8.5),
        call("draw_bbox", bbox=[-80.5, 40.0, -79.5, 41.0]),
        call("scatter_plot", color="red"),
        call("style_layer", layer="points", opacity=0.5, size=8),
    ),
    "The mean is 12.5 % over 4.25 km.",
    setup=LOADED,
)


def run_of(player: Player, of: Task, calls: tuple[GoldCall, ...], reply: str) -> Run:
    done = player.play(calls, player.begin(of.setup))
    assert [each.text for each in done.failed] == []
    return Run(done.steps, reply, to_json(done.state))


@given(order=st.permutations(FILTERS))
@SLOW_OK
def test_permuting_calls_that_commute_changes_no_verdict(player: Player, order: list[GoldCall]):
    gold = gold_of(player, COMMUTING)
    run = run_of(player, COMMUTING, tuple(order), COMMUTING.reply)
    assert run.state == gold.oracle().state
    assert check(gold, run) == check(gold, gold.oracle())
    strict = Settings(by_effect=False)
    assert check(gold, run, strict) == check(gold, gold.oracle(), strict)


off = st.floats(-0.2, 0.2).map(lambda share: round(share, 4))


def nudged(calls: tuple[GoldCall, ...], shares: Iterator[float]) -> tuple[GoldCall, ...]:
    """The calls with each number, whole ones aside, off by the next share."""

    def value(old: Any) -> Any:
        if isinstance(old, list):
            return [value(each) for each in old]
        return old + next(shares) if isinstance(old, float) else old

    return tuple(GoldCall(each.tool, {k: value(v) for k, v in each.args.items()}) for each in calls)


@given(shares=st.lists(off, min_size=16, max_size=16), said=off, steps=st.lists(st.floats(0, 1), max_size=4))
@SLOW_OK
def test_a_larger_epsilon_finds_nothing_new_and_loses_no_success(
    player: Player, shares: list[float], said: float, steps: list[float]
):
    gold = gold_of(player, NUMBERS)
    calls = nudged(NUMBERS.calls, itertools.cycle(shares))
    run = run_of(player, NUMBERS, calls, f"The mean is {12.5 + said:.4f} % over {4.25 - said:.4f} km.")
    for by_effect in (True, False):
        verdicts = [
            check(gold, run, Settings(epsilon=epsilon, by_effect=by_effect))
            for epsilon in sorted([0.0, 0.01, *steps, 1.0])
        ]
        for tight, loose in itertools.pairwise(verdicts):
            assert set(loose.wrong) <= set(tight.wrong)
            assert loose.success >= tight.success
            assert loose.correctness >= tight.correctness


def test_epsilon_is_where_it_says(player: Player):
    gold = gold_of(player, NUMBERS)
    for apart, right in ((0.009, True), (0.011, False)):
        calls = list(NUMBERS.calls)
        calls[2] = call("set_view", lon=-80.0 + apart, lat=40.4, zoom=8.5)
        run = run_of(player, NUMBERS, tuple(calls), NUMBERS.reply)
        assert check(gold, run).success is right
        assert check(gold, run, Settings(epsilon=0.02)).success
        assert not check(gold, run, Settings(epsilon=0.001)).success


def test_the_same_runs_come_out_the_same_whoever_plays_them(player: Player):
    gold = gold_of(player, COMMUTING)
    other = Player(player._world)
    assert check(gold_of(other, COMMUTING), gold.oracle()) == check(gold, gold.oracle())
    other.close()


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12)


@given(wanted=st.integers(0, 4), got=st.integers(0, 4), fits=pairs)
@settings(deadline=None)
def test_matching_finds_the_most_pairs_there_are(wanted: int, got: int, fits: list[tuple[int, int]]):
    allowed = set(fits)
    found = matching(range(wanted), range(got), lambda i, j: (i, j) in allowed)
    assert len(set(found.values())) == len(found) and all(pair in allowed for pair in found.items())
    most = max(
        sum((i, j) in allowed for i, j in zip(range(wanted), order, strict=False))
        for order in itertools.permutations([*range(got), *[-1] * wanted], wanted)
    )
    assert len(found) == most


number = st.one_of(st.integers(-1000, 1000), st.floats(-1e6, 1e6))


@given(one=number, other=number, epsilon=st.floats(0, 1), degrees=st.booleans())
def test_near_is_symmetric_reflexive_and_grows_with_epsilon(
    one: float, other: float, epsilon: float, degrees: bool
):
    assert near(one, one, 0.0, degrees)
    assert near(one, other, epsilon, degrees) == near(other, one, epsilon, degrees)
    if near(one, other, epsilon, degrees):
        assert near(one, other, epsilon + 0.1, degrees)


@pytest.mark.parametrize(
    ("wanted", "got", "natures"),
    [
        ({"place": "São Paulo"}, {"place": "sao  paulo."}, []),
        ({"place": "Lyon"}, {"place": "Lagos"}, ["string"]),
        ({"n": 2019}, {"n": 2018}, ["number"]),
        ({"value": 2019.0}, {"value": 2018.0}, []),
        ({"radius_km": 40.0}, {"radius_km": 40.3}, []),
        ({"radius_km": 40.0}, {"radius_km": 41.0}, ["number"]),
        ({"lon": -80.0}, {"lon": -80.3}, ["number"]),
        ({"lon": 179.999}, {"lon": -179.999}, []),
        ({"bbox": [1.0, 2.0, 3.0, 4.0]}, {"bbox": [1.0, 2.0, 3.5, 4.5]}, ["number", "number"]),
        ({"bbox": [1.0, 2.0, 3.0, 4.0]}, {"bbox": None}, ["number"]),
        ({"on": True}, {"on": 1}, ["string"]),
        ({"classes": ["Bus", "Truck"]}, {"classes": ["truck", "bus"]}, []),
        ({"classes": ["Bus"]}, {"classes": ["Bus", "Truck"]}, ["string"]),
        ({"choices": None}, {"choices": ["Paris"]}, ["string"]),
        ({"limit": None}, {"limit": 5}, ["number"]),
        ({"value": "10"}, {"value": 10}, ["string"]),
    ],
)
def test_differences_are_told_by_what_they_are_of(wanted: Any, got: Any, natures: list[str]):
    assert [each.nature for each in differences(wanted, got, 0.01)] == natures


def test_a_gold_is_made_once_and_never_changed(player: Player):
    gold: Gold = gold_of(player, NUMBERS)
    before = replace(gold)
    check(gold, gold.idle())
    assert gold == before
