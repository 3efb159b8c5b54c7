"""Worked cases: what says the same is planned the same, with its own places, dates and classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from copilot.bench.build.intents import load_intents
from copilot.engine import Engine
from copilot.planner.cases import Case, Cases, CaseSlot, known_cases
from copilot.planner.fitting import fitted
from copilot.planner.head import shared_encoder
from copilot.planner.learn import source_of
from copilot.planner.likeness import contrast, masked_request, signature
from copilot.planner.politeness import without_politeness
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Reader
from state.codec import to_json
from state.model import Database, State
from tests.tools.world import TODAY

PLOTS = Case(
    "points-of-a-class",
    "Put {class} of {dataset} near {city} from {year} on the map as {color} points",
    {
        "class": CaseSlot("class", (), ("class", 0)),
        "dataset": CaseSlot("dataset", (), ("dataset", 0)),
        "city": CaseSlot("city", (), ("place", 0)),
        "year": CaseSlot("year", (), ("date", 0)),
        "color": CaseSlot("literal", (("red", "red"), ("green", "green")), ("color", 0)),
    },
    (
        ("db_load", {"names": ["{dataset}"]}),
        ("filter_class", {"classes": ["{class}"]}),
        ("filter_coords", {"place": "{city}"}),
        ("filter_date", {"start": "{year.start}", "end": "{year.end}"}),
        ("scatter_plot", {"color": "{color}"}),
    ),
    starts=True,
)
TABLE = Case(
    "keep-rows-of-the-table",
    "Keep the rows of this table with a count of at least {n}",
    {"n": CaseSlot("literal", (("20", 20), ("30", 30)))},
    (("filter_rows", {"table": "{s2.data.table}", "field": "count", "op": ">=", "value": "{n}"}),),
    starts=False,
)
SHIPS = [
    Call("db_load", {"names": ["fair1m"]}),
    Call("filter_class", {"classes": ["Passenger Ship"]}),
    Call("filter_coords", {"place": "Lisbon, Lisboa, Portugal"}),
    Call("filter_date", {"start": "2019-01-01", "end": "2019-12-31"}),
    Call("zoom_map", {"place": "Lisbon, Lisboa, Portugal"}),
    Call("scatter_plot", {"color": "green"}),
]


def situation(engine: Engine, state: State | None = None) -> Situation:
    return Situation(to_json(state or State()), TODAY, engine.catalogue, engine.gazetteer)


def cases(engine: Engine, *each: Case) -> Cases:
    """Those cases, with the vectors that a request like their wording has."""
    said = [
        case.wording.format_map(
            {
                "class": "passenger ships",
                "dataset": "fair1m",
                "city": "Lisbon",
                "year": "2019",
                "color": "green",
                "n": "20",
            }
        )
        for case in each
    ]
    reader = Reader(engine.gazetteer, TODAY, situation(engine).names())
    spans = [reader.read(text) for text in said]
    read = [
        Case(case.intent, case.wording, case.slots, case.calls, case.starts, signature(found))
        for case, found in zip(each, spans, strict=True)
    ]
    vectors = shared_encoder().encode([masked_request(*pair) for pair in zip(said, spans, strict=True)])
    return Cases(tuple(read), vectors)


def test_a_known_wording_is_planned_with_the_values_it_says(engine: Engine):
    said = "Put passenger ships of FAIR1M near Lisbon from 2019 on the map as green points"
    assert fitted(said, cases(engine, PLOTS), situation(engine)) == SHIPS


def test_slots_side_by_side_are_told_apart_by_what_was_read_in_them(engine: Engine):
    short = replace(PLOTS, wording="{city} {class} {dataset} {year} | points {color}")
    said = "Lisbon passenger ships fair1m 2019 | points green"
    assert fitted(said, cases(engine, short), situation(engine)) == SHIPS


def test_a_wording_with_a_plea_in_it_is_known_without_it(engine: Engine):
    wordy = replace(PLOTS, wording=f"Hello. {PLOTS.wording}, please.")
    said = "Put passenger ships of FAIR1M near Lisbon from 2019 on the map as green points"
    assert fitted(said, cases(engine, wordy), situation(engine)) == SHIPS


def test_what_an_earlier_call_brings_may_be_styled(engine: Engine):
    fetch = Case(
        "fetch-and-colour",
        "fetch {url} from the web and show it in {color}",
        {
            "url": CaseSlot("literal", (("http://harbour.example/fields.geojson", "http://harbour.example/fields.geojson"),)),
            "color": PLOTS.slots["color"],
        },
        (
            ("download_file", {"url": "{url}"}),
            ("style_layer", {"layer": "{1.data.layer}", "color": "{color}"}),
        ),
        starts=True,
    )  # fmt: skip
    url = "http://harbour.example/fields.geojson"
    known = Cases((fetch,), shared_encoder().encode([fetch.wording]))
    assert fitted(f"fetch {url} from the web and show it in green", known, situation(engine)) == [
        Call("download_file", {"url": url}),
        Call("style_layer", {"layer": "@1.layer", "color": "green"}),
    ]


def test_a_wording_that_is_near_and_names_the_same_kinds_of_things_is_planned_too(engine: Engine):
    said = "On the map, as green points: the passenger ships that fair1m has near Lisbon from 2019"
    assert fitted(said, cases(engine, PLOTS), situation(engine)) == SHIPS


@pytest.mark.parametrize(
    "said",
    [
        "Put passenger ships of FAIR1M near Lisbon from 2019 on the map as green points with cloud below 10 %",
        "Put passenger ships of FAIR1M near Lisbon from 2019 on the map as green clusters",
        "Never put passenger ships of FAIR1M near Lisbon from 2019 on the map as green points",
        "Put passenger ships of FAIR1M near Springfield from 2019 on the map as green points",
        "Which ships are there?",
    ],
)
def test_a_request_that_says_more_or_something_else_is_left_to_the_rules(engine: Engine, said: str):
    assert fitted(said, cases(engine, PLOTS), situation(engine)) is None


def test_a_case_that_begins_anew_is_not_used_in_the_middle_of_a_session(engine: Engine):
    busy = State(database=Database(loaded=("xview1",)))
    said = "Put passenger ships of FAIR1M near Lisbon from 2019 on the map as green points"
    assert fitted(said, cases(engine, PLOTS), situation(engine, busy)) is None


def test_this_table_is_the_one_that_is_shown(engine: Engine):
    shown = State(database=Database(loaded=("xview1",))).with_ui(table="table-1a2b3c")
    said = "Keep the rows of this table with a count of at least 25"
    assert fitted(said, cases(engine, TABLE), situation(engine, shown)) == [
        Call("filter_rows", {"table": "table-1a2b3c", "field": "count", "op": ">=", "value": 25})
    ]


def test_cases_come_back_from_their_file_as_they_were(engine: Engine, tmp_path: Path):
    kept = cases(engine, PLOTS, TABLE)
    kept.save(tmp_path / "cases.npz")
    back = known_cases(tmp_path / "cases.npz")
    assert (back.cases, back.source) == (kept.cases, kept.source)
    assert np.allclose(back.vectors, kept.vectors, atol=1e-3)


def test_without_a_file_there_are_no_cases(engine: Engine, tmp_path: Path):
    none = known_cases(tmp_path / "none.npz")
    assert (none.cases, fitted("show ships", none, situation(engine))) == ((), None)


def test_cases_can_be_left_out_by_intent_and_by_wording(engine: Engine):
    both = cases(engine, PLOTS, TABLE)
    assert both.without(intents=["points-of-a-class"]).intents == {"keep-rows-of-the-table"}
    assert both.without(wordings=[TABLE.wording]).intents == {"points-of-a-class"}


def test_the_cases_shipped_are_those_of_the_intents():
    assert known_cases().source == source_of(load_intents())


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("open the newest image", "open the oldest image", True),
        ("hide the layer", "remove the layer", True),
        ("a pie of the sensors", "the sensors", True),
        ("the mean cloud cover", "the average cloud cover", False),
    ],
)
def test_words_that_turn_a_request_round_keep_two_apart(one: str, other: str, differ: bool):
    assert contrast(one, other) is differ


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Sorry to bother you again. Load xBD, keep Nepal", "Load xBD, keep Nepal"),
        ("Hi, show ships. Thank you.", "show ships"),
        ("Load xView1; pickup truck; Miami", "Load xView1; pickup truck; Miami"),
        ("now only 2019", "now only 2019"),
        ("please", "please"),
        ("For 2021: how many FAIR1M images per sensor?", "For 2021: how many FAIR1M images per sensor?"),
    ],
)
def test_what_is_only_polite_is_read_past(said: str, left: str):
    assert without_politeness(said) == left
