"""Candidate solutions: ten different ones, honest orders, and equivalences that hold."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from copilot.bench.build.alternatives import DEFAULTS, TABLE, Means, Moment, swaps
from copilot.bench.build.candidates import (
    AGREEING,
    CANDIDATES,
    IDEMPOTENT,
    LOOKS,
    Candidate,
    Vote,
    agrees,
    candidates,
    vote,
)
from copilot.bench.build.fill import Drawer, filled
from copilot.bench.build.rows import Pool
from copilot.bench.check import Gold, gold_of
from copilot.bench.lint import SolvedTask
from copilot.bench.spread import Bench
from copilot.bench.task import GoldCall, Task
from state.codec import canonical
from tests.copilot.bench.build.small_intents import small_intents
from tools.toolbox import toolbox

LOAD = GoldCall("db_load", {"names": ["xview1", "fair1m"]})
PITTSBURGH = GoldCall("filter_coords", {"place": "Pittsburgh"})
CARS = GoldCall("filter_class", {"classes": ["Small Car"]})
YEAR = GoldCall("filter_date", {"start": "2018-01-01", "end": "2018-12-31"})
CLEAR = GoldCall("filter_attribute", {"field": "cloud_pct", "op": "<=", "value": 50})
POINTS = GoldCall("scatter_plot", {"color": "red"})


def call(tool: str, **args: Any) -> GoldCall:
    return GoldCall(tool, args)


def solved(
    bench: Bench, calls: Sequence[GoldCall], setup: Sequence[GoldCall] = ()
) -> tuple[SolvedTask, Gold]:
    task = Task("it", "it", "load-filter-plot", "", tuple(calls), "", {}, tuple(setup))
    gold = gold_of(bench.player, task)
    begun = bench.player.begin(setup)
    return SolvedTask(task.calls, begun, bench.player.play(calls, begun)), gold


@pytest.fixture
def means(bench: Bench, pool: Pool) -> Means:
    return Means(bench.world.gazetteer, pool.words)


def test_a_task_has_ten_different_candidates_and_none_is_the_gold(
    bench: Bench, drawer: Drawer, means: Means
) -> None:
    for each in small_intents():
        made = filled(each, drawer, bench.player, Random(1))
        found = candidates(made, means, Random(1))
        chains = {canonical([[call.tool, call.args] for call in one.calls]) for one in found}
        assert len(found) == len(chains) == CANDIDATES
        assert made.calls not in [one.calls for one in found]


def test_every_candidate_of_the_small_intents_ends_as_the_gold_does(
    bench: Bench, drawer: Drawer, means: Means
) -> None:
    for each in small_intents():
        made = filled(each, drawer, bench.player, Random(2))
        task = Task("it", each.id, each.category, "", made.calls, made.reply, {}, made.setup)
        ended = vote(made, gold_of(bench.player, task), bench.player, means, Random(2))
        assert ended.holds and not [(one.kind, one.reason) for one in ended.dissent]


def test_filters_change_places_and_what_reads_the_selection_stays_behind_them(
    bench: Bench, means: Means
) -> None:
    made, _ = solved(bench, (LOAD, PITTSBURGH, CARS, YEAR, POINTS, call("db_count", by="year")))
    orders = [one.calls for one in candidates(made, means, Random(0)) if one.kind == "order"]
    assert len(orders) >= 2
    for order in orders:
        assert sorted(map(repr, order)) == sorted(map(repr, made.calls))
        assert {one.tool for one in order[4:]} == {"scatter_plot", "db_count"}


def test_two_filters_of_one_kind_keep_their_order(bench: Bench, means: Means) -> None:
    named = call("scatter_plot", name="Then")
    later = call("filter_date", start="2019-01-01", end="2019-12-31")
    made, _ = solved(bench, (LOAD, YEAR, named, later, call("heatmap_plot", name="Now")))
    for one in candidates(made, means, Random(0)):
        if one.kind == "order":
            assert [c for c in one.calls if c.tool != "db_load"] == list(made.calls[1:])


NEAR_THE_AIRPORT = call("filter_coords", lon=-80.234, lat=40.493, radius_km=1)
MAY_2018 = call("filter_date", start="2018-05-01", end="2018-05-31")
FIRST, SECOND = "https://first.example", "https://second.example"
NAVY = call("style_layer", layer="points", color="navy", opacity=0.5)
TRIED: tuple[tuple[tuple[GoldCall, ...], tuple[GoldCall, ...]], ...] = (
    ((), (LOAD, PITTSBURGH, CARS, YEAR, CLEAR, POINTS)),
    ((LOAD, YEAR), (call("db_unload"), call("filter_clear"))),
    ((LOAD,), (call("filter_coords", place="California"), MAY_2018)),
    ((LOAD,), (call("zoom_map", place="Lyon"), call("set_basemap", name="dark"))),
    ((LOAD,), (call("fit_selection"),)),
    ((LOAD, call("set_view", lon=3, lat=40, zoom=9), call("set_basemap", name="dark")), (call("reset_map"),)),
    ((LOAD, POINTS), (NAVY, call("hide_layer", layer="points"))),
    ((LOAD, call("scatter_plot", name="One")), (call("rename_layer", layer="one", name="Two"),)),
    ((LOAD, POINTS), (call("remove_layer", layer="points"),)),
    ((LOAD, POINTS, call("heatmap_plot")), (call("clear_layers"),)),
    ((), (call("draw_bbox", place="France"), call("draw_circle", place="Lyon", radius_km=20))),
    ((), (call("measure_distance", start="Lyon", end="Lagos"),)),
    ((LOAD,), (call("select_image", rank="newest"), call("show_image", rank="oldest"))),
    ((call("db_load", names=["fair1m", "fmow"]), NEAR_THE_AIRPORT), (call("compare_images"),)),
    ((call("open_tab", url=FIRST), call("open_tab", url=SECOND)), (call("close_tab"),)),
    ((), (call("toggle_control", control="graticule"),)),
    ((LOAD,), (call("db_query"), call("group_count", by="year"), call("bar_figure", by="year"))),
)
"""(setup, calls) that every equivalence is tried on."""


def test_every_equivalence_is_offered_somewhere_and_holds_where_it_is(bench: Bench, means: Means) -> None:
    offered: set[str] = set()
    failed = []
    for setup, calls in TRIED:
        made, gold = solved(bench, calls, setup)
        before = made.begun.state
        for index, (one, step, after) in enumerate(
            zip(calls, made.played.steps, made.played.states, strict=True)
        ):
            for reason, chain in swaps(Moment(one, before, step, after, means, tuple(calls[index + 1 :]))):
                offered.add(reason)
                ended = bench.player.play((*calls[:index], *chain, *calls[index + 1 :]), made.begun)
                if not agrees(gold, ended):
                    failed.append((one.tool, reason, chain, [each.text for each in ended.failed]))
            before = after
    assert failed == []
    assert {each.reason for each in TABLE} - offered == set()


def test_what_is_said_to_be_idempotent_is(bench: Bench) -> None:
    known = {each.name for each in toolbox()}
    assert known >= IDEMPOTENT and {each.tool for each in LOOKS} <= known
    for setup, calls in TRIED:
        for index, one in enumerate(calls):
            if one.tool in IDEMPOTENT:
                once = bench.player.play(calls[: index + 1], bench.player.begin(setup))
                twice = bench.player.play((*calls[: index + 1], one), bench.player.begin(setup))
                assert once.state == twice.state and not twice.failed


def test_the_defaults_that_may_be_said_are_the_tools_own() -> None:
    for tool, arguments in DEFAULTS.items():
        fields = toolbox().get(tool).arguments.model_fields
        assert {name: fields[name].default for name in arguments} == arguments


def test_looking_changes_nothing(bench: Bench) -> None:
    begun = bench.player.begin((LOAD, POINTS))
    assert bench.player.play(LOOKS, begun).state == begun.state


def test_a_candidate_that_fails_or_ends_elsewhere_does_not_agree(bench: Bench) -> None:
    made, gold = solved(bench, (LOAD, YEAR, call("db_count", by="class")))
    assert agrees(gold, made.played)
    for wrong in (
        (LOAD, YEAR),
        (LOAD, call("db_count", by="class")),
        (LOAD, YEAR, call("db_count", by="year")),
        (LOAD, YEAR, call("db_count", by="class"), call("filter_clear")),
        (call("db_load", names=["nothing"]), LOAD, YEAR, call("db_count", by="class")),
    ):
        assert not agrees(gold, bench.player.play(wrong, made.begun))


def test_nine_of_ten_have_to_agree_and_there_have_to_be_ten() -> None:
    def held(count: int, agreeing: int) -> bool:
        some = tuple(Candidate("order", "", (call("map_state"),)) for _ in range(count))
        return Vote(some, tuple(n < agreeing for n in range(count))).holds

    assert (CANDIDATES, AGREEING) == (10, 9)
    assert held(10, 10) and held(10, 9) and held(11, 10)
    assert not held(10, 8) and not held(9, 9) and not held(11, 9)


def test_an_intent_whose_order_matters_loses_its_vote(bench: Bench, means: Means) -> None:
    made, gold = solved(bench, (LOAD, PITTSBURGH, POINTS))
    swapped = Candidate("order", "", (POINTS, LOAD, PITTSBURGH))
    ended = vote(made, gold, bench.player, means, Random(0), [swapped] * 3)
    assert not ended.holds and len(ended.dissent) == 3
