"""Narrowing by a column or a property."""

from __future__ import annotations

from typing import Any

import pytest

from state.model import Attribute, State
from tests.tools.world import NAMES, after, run
from tools.base import World
from tools.database.attributes import filter_attribute
from tools.database.loading import db_load


@pytest.fixture
def full(world: World) -> State:
    return after(world, State(), (db_load, {"names": list(NAMES)}))


@pytest.mark.parametrize(
    ("args", "kept", "count"),
    [
        (("sensor", "==", "worldview3"), Attribute("sensor", "=", "WorldView-3"), 7),
        (("satellite", "is", "Sentinel 2"), Attribute("sensor", "=", "Sentinel-2"), 5),
        (("cloud cover", "lte", "10%"), Attribute("cloud_pct", "<=", 10.0), 12),
        (("gsd", "<", 0.5), Attribute("gsd_m", "<", 0.5), 7),
        (("split", "in", ["VAL", "test"]), Attribute("split", "in", ("test", "val")), 7),
        (("split", "in", "val,test"), Attribute("split", "in", ("test", "val")), 7),
        (("country", "=", "France"), Attribute("country", "=", "FR"), 3),
        (("name", "contains", "AIRPORT"), Attribute("name", "contains", "AIRPORT"), 2),
        (("acquired", ">=", "2021"), Attribute("acquired", ">=", "2021-01-01"), 4),
        (("acquired", "<=", "2016"), Attribute("acquired", "<=", "2016-12-31"), 3),
        (("detections", "≥", 7), Attribute("detections", ">=", 7.0), 3),
        (("modality", "!=", "SAR"), Attribute("modality", "!=", "sar"), 22),
    ],
)
def test_a_comparison_is_kept_in_the_catalogues_own_words(
    world: World, full: State, args: tuple[str, str, Any], kept: Attribute, count: int
) -> None:
    field, op, value = args
    step = run(world, full, filter_attribute, field=field, op=op, value=value)
    assert step.state.database.filters.attributes == (kept,), step.observation
    assert step.state.database.count == count


def test_another_value_replaces_the_one_on_that_field_and_operator(world: World, full: State) -> None:
    state = after(
        world,
        full,
        (filter_attribute, {"field": "cloud_pct", "op": ">", "value": 1}),
        (filter_attribute, {"field": "cloud_pct", "op": "<", "value": 10}),
        (filter_attribute, {"field": "cloud_pct", "op": "<", "value": 20}),
    )
    assert state.database.filters.attributes == (
        Attribute("cloud_pct", "<", 20.0),
        Attribute("cloud_pct", ">", 1.0),
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("sensor", "=", "Landsat"), "No sensor is 'Landsat'; the catalogue has Gaofen-2"),
        (("senzor", "=", "x"), "Did you mean sensor?"),
        (("confidence", ">", 0.5), "db_sql reads the detections view"),
        (("cloud_pct", "~", 3), "there are = != < <= > >= in contains"),
        (("cloud_pct", "<", "few"), "cloud_pct holds numbers, and 'few' is none"),
        (("acquired", ">", "soon"), "'soon' is not a day"),
        (("split", "=", ["train", "val"]), "takes one value, not 2"),
        (("split", "in", ""), "needs at least one value"),
    ],
)
def test_what_does_not_fit_is_one_sentence_and_changes_nothing(
    world: World, full: State, args: tuple[str, str, Any], words: str
) -> None:
    field, op, value = args
    step = run(world, full, filter_attribute, field=field, op=op, value=value)
    assert step.failed and step.state == full
    assert words in step.observation


@pytest.mark.parametrize("value", ["FR", "fr", "France"])
def test_a_country_is_known_by_its_name_and_its_code_without_reading_the_rows(
    world: World, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unread(*args: object) -> list[str]:
        raise AssertionError("the catalogue's values were read")

    monkeypatch.setattr(world.catalogue, "values", unread)
    step = run(world, State(), filter_attribute, field="country", op="=", value=value)
    assert [each.value for each in step.state.database.filters.attributes] == ["FR"]
