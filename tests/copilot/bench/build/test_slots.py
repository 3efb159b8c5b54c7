"""What slots are filled with: what is said means what the call takes, and both are true of the row."""

from __future__ import annotations

from datetime import date
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.bench.build.fill import Drawer, NotFilled
from copilot.bench.build.rows import Pool
from copilot.bench.build.slots import KINDS, BadSlot, Slot, Value
from copilot.bench.spread import Bench
from data.vocabulary import find
from tests.copilot.bench.build.small_intents import intent
from tools.class_words import ClassWords
from tools.database.loading import known_names
from tools.map.shapes import path_km


def slot(kind: str) -> Slot:
    return Slot.declared("it", kind)


def test_a_slot_says_its_kind_its_group_and_its_data_sets() -> None:
    assert Slot.declared("city@2", "city") == Slot("city@2", "city", 2)
    assert Slot.declared("other", "city@2") == Slot("other", "city", 2)
    assert Slot.declared("set", "dataset:fmow, fair1m") == Slot("set", "dataset", only=("fmow", "fair1m"))
    assert Slot.declared("n", [3, {"say": "four", "is": 4}]).choices == (Value("3", 3), Value("four", 4))


@pytest.mark.parametrize("kind", ["town", "city@x", "city:fmow", [], 7])
def test_a_slot_of_no_kind_is_refused(kind: object) -> None:
    with pytest.raises(BadSlot):
        Slot.declared("it", kind)


@given(st.randoms(use_true_random=False), st.sampled_from(KINDS))
def test_what_is_said_of_a_row_means_what_the_call_takes(
    drawer: Drawer, bench: Bench, pool: Pool, rng: Random, kind: str
) -> None:
    filler, known = drawer.filler, ClassWords.of(bench.world)
    fitting = [row for row in pool.rows if filler.may_fit(slot(kind), row) and filler.fits(slot(kind), row)]
    if not fitting:
        assert kind == "event"  # the small catalogue has no disasters
        return
    row = rng.choice(fitting)
    value = filler.value(slot(kind), row, rng)
    day = date.fromisoformat(row.day)
    if kind == "dataset":
        assert known_names([value.say], bench.world.catalogue.datasets()) == (row.dataset,) == (value.arg,)
    elif kind in ("class", "scene"):
        assert known.canonical(value.say) == known.canonical(row.class_name)
        assert [term.kind for term in find(value.say)] == ["class"]
        assert known.is_scene(row.class_name) == (kind == "scene")
    elif kind == "city":
        resolved = bench.world.gazetteer.resolve(value.say)
        assert resolved.best is not None and not resolved.ambiguous and resolved.best.kind == "city"
        assert path_km([(row.lon, row.lat), (resolved.best.lon, resolved.best.lat)])[0] < 40
    elif kind == "country":
        best = bench.world.gazetteer.resolve(value.say).best
        assert best is not None and best.country == row.country
    elif value.parts:
        start, end = (date.fromisoformat(value.parts[side].arg) for side in ("start", "end"))
        assert start <= day <= end
        assert (kind == "range") == (value.arg is None)
    else:
        assert value.say == value.arg == {"sensor": row.sensor, "image": row.image}[kind]


def test_every_class_of_a_pool_comes_from_a_row_that_has_it(bench: Bench, pool: Pool) -> None:
    for row in pool.rows:
        record = bench.world.catalogue.image(row.image)
        assert record is not None and row.class_name in record["classes"]


def test_a_second_row_is_another_one(drawer: Drawer) -> None:
    for seed in range(20):
        values = drawer.values(intent("how-far-apart"), Random(seed))
        assert values["city"].say != values["other"].say


def test_what_no_row_has_cannot_be_drawn(drawer: Drawer) -> None:
    wanted = intent("cannot-sail")
    unlikely = type(wanted)(**{**vars(wanted), "slots": {"city": Slot("city", "event")}})
    with pytest.raises(NotFilled, match="no row of the catalogue has event"):
        drawer.values(unlikely, Random(0))
