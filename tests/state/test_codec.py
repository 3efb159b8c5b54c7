"""The state as JSON: the public contract, and one text and one hash for equal states."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from state.codec import canonical, canonical_bytes, digest, filters_to_json, from_json, recorded, to_json
from state.model import (
    UI,
    Artifact,
    Attribute,
    Database,
    Filters,
    Geometry,
    Layer,
    MapState,
    Query,
    Question,
    State,
    Tab,
)
from tests.state.states import filters, states

ROOT = Path(__file__).resolve().parents[2]
EMPTY_HASH = "fc2d1ddcd6138f5b332f080950ad0351cdc5cbadcef847539d8b0f5d95ad6de3"


@given(states)
def test_a_state_comes_back_from_its_json_text_equal_and_with_the_same_hash(state: State) -> None:
    back = from_json(json.loads(json.dumps(to_json(state))))
    assert (back, digest(back)) == (state, digest(state))


@given(states, states)
def test_states_are_equal_exactly_when_their_texts_are(one: State, other: State) -> None:
    assert (one == other) == (canonical(to_json(one)) == canonical(to_json(other)))


@given(st.floats(-180, 180), st.integers(0, 22))
def test_how_a_number_is_written_leaves_no_trace_in_the_hash(lon: float, zoom: int) -> None:
    one = State(map=MapState(center=(lon, 0.0), zoom=zoom))
    other = State(map=MapState(center=(lon, -0.0), zoom=float(zoom)))
    assert one == other and digest(one) == digest(other)


@given(filters)
def test_what_is_not_set_is_absent_and_what_is_set_is_there(each: Filters) -> None:
    assert set(filters_to_json(each)) == {key for key, value in vars(each).items() if value not in (None, ())}


def test_the_json_of_an_empty_state_is_the_contract_word_for_word() -> None:
    assert to_json(State()) == {
        "map": {
            "center": [10, 25],
            "zoom": 2,
            "basemap": "offline",
            "layers": [],
            "swipe": None,
            "controls": ["legend", "scale_bar"],
        },
        "database": {"loaded": [], "filters": {}, "count": 0},
        "ui": {
            "page": "home",
            "tabs": [],
            "active_tab": None,
            "panels": [],
            "selected_image": None,
            "compared": None,
            "hover_fields": ["name", "acquired", "sensor"],
            "table": None,
            "figure": None,
            "notice": None,
            "question": None,
        },
        "artifacts": [],
    }


def test_the_json_of_a_full_state_has_every_part_where_the_contract_says() -> None:
    chosen = Filters(
        start="2018-05-01",
        end="2018-05-31",
        place="Pittsburgh",
        bbox=(-80.5, 40.1, -79.5, 40.8),
        center=(-80.0, 40.44),
        radius_km=40.0,
        geometry=Geometry("Point", (1.0, 2.5)),
        classes=("Bus", "Truck"),
        match="any",
        attributes=(Attribute("cloud_pct", "<", 10.0), Attribute("split", "in", ("train", "val"))),
    )
    layer = Layer(
        "l1", "Ships", "clusters", query=Query(("fmow",), chosen), options=(("by", "month"),), count=4
    )
    state = State(
        map=MapState(center=(-80.0, 40.44), zoom=9.5, layers=(layer,)),
        database=Database(("fair1m", "xview1"), chosen, 412),
        ui=UI(
            tabs=(Tab("https://example.org/", "Example"),),
            active_tab=0,
            panels=("results",),
            selected_image="fmow:1",
            question=Question("Which Paris?", ("France", "Texas")),
        ),
        artifacts=(Artifact("table-1", "table", "By class", "3 rows", "group_count(by=class)"),),
    )
    plain = to_json(state)
    in_json = {
        "start": "2018-05-01",
        "end": "2018-05-31",
        "place": "Pittsburgh",
        "bbox": [-80.5, 40.1, -79.5, 40.8],
        "center": [-80, 40.44],
        "radius_km": 40,
        "geometry": {"type": "Point", "coordinates": [1, 2.5]},
        "classes": ["Bus", "Truck"],
        "match": "any",
        "attributes": [
            {"field": "cloud_pct", "op": "<", "value": 10},
            {"field": "split", "op": "in", "value": ["train", "val"]},
        ],
    }
    assert plain["database"] == {"loaded": ["fair1m", "xview1"], "filters": in_json, "count": 412}
    assert plain["map"]["layers"] == [
        {
            "id": "l1",
            "name": "Ships",
            "kind": "clusters",
            "visible": True,
            "opacity": 0.8,
            "color": "#3388ff",
            "size": 6,
            "query": {"datasets": ["fmow"], "filters": in_json},
            "artifact": None,
            "geometry": None,
            "live": False,
            "options": {"by": "month"},
            "count": 4,
        }
    ]
    assert plain["ui"]["tabs"] == [{"url": "https://example.org/", "title": "Example"}]
    assert plain["ui"]["question"] == {"text": "Which Paris?", "choices": ["France", "Texas"]}
    assert plain["artifacts"] == [
        {
            "id": "table-1",
            "kind": "table",
            "name": "By class",
            "summary": "3 rows",
            "made_by": "group_count(by=class)",
        }
    ]


def test_the_canonical_text_has_sorted_keys_no_spaces_and_letters_as_they_are() -> None:
    assert canonical({"b": [1, None], "a": "é</x>"}) == '{"a":"é</x>","b":[1,null]}'


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_hold_is_an_error(number: float) -> None:
    with pytest.raises(ValueError):
        digest(State(map=MapState(zoom=number)))


def test_what_is_no_state_is_refused() -> None:
    plain = to_json(State())
    with pytest.raises(ValidationError):
        from_json({**plain, "database": {"loaded": 5, "filters": {}, "count": 0}})


def test_a_file_name_that_is_no_text_can_be_hashed() -> None:
    odd = State(ui=UI(notice=os.fsdecode(b"caf\xe9.tif")))
    assert from_json(to_json(odd)) == odd and digest(odd) != digest(State())


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_the_hash_is_the_same_in_another_process_whatever_its_hash_seed(seed: str) -> None:
    program = "from state.model import State; from state.codec import digest; print(digest(State()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest(State()) == EMPTY_HASH


@given(states)
def test_a_state_keeps_the_hash_of_its_record(state: State) -> None:
    back, size = recorded(state)
    text = canonical_bytes(to_json(state))
    assert (back, digest(back), size) == (state, sha256(text).hexdigest(), len(text))
    assert back == from_json(to_json(back)) and to_json(back) == to_json(state)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_is_no_number_is_refused_and_does_not_become_nothing(value: float) -> None:
    state = State().with_layer(Layer("a", "a", "drawing", geometry=Geometry("Point", (value, 1.0))))
    with pytest.raises(ValueError):
        recorded(state)


def test_half_a_surrogate_pair_is_kept_as_any_other_character() -> None:
    state = State().with_map(basemap="\ud800", center=(5.0, 0.5))
    assert to_json(state)["map"]["basemap"] == "\ud800" and recorded(state)[0] == state
    assert to_json(state)["map"]["center"] == [5, 0.5]
