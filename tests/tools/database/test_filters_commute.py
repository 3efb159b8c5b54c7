"""Filters are a set: the order in which different ones were set leaves no trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state.codec import digest
from state.model import State
from tests.tools.world import NAMES, after
from tools.base import Tool, World
from tools.database.attributes import filter_attribute
from tools.database.dates import filter_date
from tools.database.filters import filter_class, filter_clear, filter_lccclass
from tools.database.loading import db_load
from tools.database.places import filter_coords

Call = tuple[Tool, dict[str, Any]]

_years = st.integers(2015, 2022)
_OBJECTS = ("cars", "vehicles", "Bus", "bridges", "planes", "fishing vessel", "buildings")
_SCENES = ("golf course", "airport", "bridges", "Vineyards", "forests", "water")
_objects = st.lists(st.sampled_from(_OBJECTS), min_size=1, max_size=3)
_scenes = st.lists(st.sampled_from(_SCENES), min_size=1, max_size=3)
_places = st.sampled_from(
    [
        {"place": "Pittsburgh"},
        {"place": "France"},
        {"place": "Pennsylvania"},
        {"bbox": [-80, 30, 10, 60]},
        {"lon": 4.1, "lat": 51.9, "radius_km": 100},
    ]
)
KINDS: dict[str, st.SearchStrategy[Call]] = {
    "load": st.sets(st.sampled_from(NAMES), min_size=1).map(
        lambda names: (db_load, {"names": sorted(names)})
    ),
    "date": st.tuples(_years, _years).map(
        lambda y: (filter_date, {"start": str(min(y)), "end": str(max(y))})
    ),
    "place": _places.map(lambda args: (filter_coords, args)),
    "class": st.tuples(_objects, st.sampled_from(["any", "all"])).map(
        lambda both: (filter_class, {"classes": both[0], "match": both[1]})
    ),
    "scene": st.one_of(
        _scenes.map(lambda classes: (filter_lccclass, {"classes": classes})),
        st.just((filter_lccclass, {"classes": ["Vineyards", "Pastures"], "match": "all"})),
    ),
    "cloud": st.integers(0, 100).map(
        lambda v: (filter_attribute, {"field": "cloud_pct", "op": "<", "value": v})
    ),
    "split": st.sampled_from(["train", "val"]).map(
        lambda v: (filter_attribute, {"field": "split", "op": "=", "value": v})
    ),
}


@st.composite
def two_orders(draw: st.DrawFn) -> tuple[Sequence[Call], Sequence[Call]]:
    """Calls of different kinds, each kind at most once, in two orders."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=2, unique=True))
    calls = [draw(KINDS[kind]) for kind in kinds]
    return calls, draw(st.permutations(calls))


@given(orders=two_orders())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_calls_of_different_kinds_commute(
    world: World, orders: tuple[Sequence[Call], Sequence[Call]]
) -> None:
    one, other = orders
    assert after(world, State(), *one) == after(world, State(), *other)


@given(orders=two_orders(), again=st.sampled_from(sorted(KINDS)), data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_filter_set_before_leaves_no_trace_in_the_one_that_replaces_it(
    world: World, orders: tuple[Sequence[Call], Sequence[Call]], again: str, data: st.DataObject
) -> None:
    if again == "load":
        return  # loading adds, it does not replace
    first, last = data.draw(KINDS[again]), data.draw(KINDS[again])
    others = [
        call for call in orders[0] if (call[0], call[1].get("field")) != (last[0], last[1].get("field"))
    ]
    assert after(world, State(), first, *others, last) == after(world, State(), last, *others)


@given(orders=two_orders())
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_count_is_that_of_the_rows_and_clearing_gives_back_what_is_loaded(
    world: World, orders: tuple[Sequence[Call], Sequence[Call]]
) -> None:
    loads = [call for call in orders[0] if call[0] is db_load]
    state = after(world, State(), *orders[0], (filter_clear, {}))
    assert digest(state) == digest(after(world, State(), *loads))


@pytest.mark.parametrize("match", ["any", "all"])
def test_the_way_classes_match_does_not_depend_on_who_came_first(world: World, match: str) -> None:
    objects: Call = (filter_class, {"classes": ["cars"], "match": match})
    scenes: Call = (filter_lccclass, {"classes": ["airport"]})
    one, other = after(world, State(), objects, scenes), after(world, State(), scenes, objects)
    assert one == other and one.database.filters.match == match
