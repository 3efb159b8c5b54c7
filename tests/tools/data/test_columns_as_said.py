"""Columns and things of the session by the words that people use."""

from __future__ import annotations

import pandas as pd
import pytest

from state.model import Artifact, Layer, State
from tools.artifacts import newest_named
from tools.base import ToolError
from tools.data.source import column_in, table_key
from tools.database.attributes import field_named
from tools.map.find import layer_named

TABLE = pd.DataFrame(
    columns=["depth_m", "cloud_pct", "site", "Flow rate", "acquired", "mean_x_m", "mean_y_m", "class_name"]
)


@pytest.mark.parametrize(
    ("said", "column"),
    [
        ("depth", "depth_m"),
        ("Depths", "depth_m"),
        ("clouds", "cloud_pct"),
        ("sites", "site"),
        ("flow_rate", "Flow rate"),
        ("date", "acquired"),
    ],
)
def test_a_column_is_found_as_people_say_it(said: str, column: str) -> None:
    assert column_in(TABLE, said) == column


@pytest.mark.parametrize("said", ["mean", "class", "x", "rate", ""])
def test_a_part_of_a_name_or_of_several_is_no_column(said: str) -> None:
    with pytest.raises(ToolError, match="The table has no column"):
        column_in(TABLE, said)


def test_plurals_of_times_and_fields_are_known() -> None:
    times = pd.DataFrame({"acquired": pd.to_datetime(["2020-01-01"])})
    assert [table_key(times, each) for each in ("years", "Months", "season")] == ["year", "month", "season"]
    assert [field_named(each) for each in ("satellites", "resolutions", "dates")] == [
        "sensor",
        "gsd_m",
        "acquired",
    ]


def test_a_name_is_borne_by_the_newest_whatever_its_signs_and_number() -> None:
    names = ("fields", "town_before", "field")
    made = [Artifact(f"v{n}", "vector", name, "", "") for n, name in enumerate(names)]
    assert [newest_named(made, said).id for said in ("Field", "fields", "town before")] == ["v2", "v0", "v1"]
    assert newest_named(made[:2], "each") is None
    assert newest_named(made[:2], "field").id == "v0"


def test_a_layer_is_known_by_the_artifact_that_it_shows() -> None:
    state = State().with_layer(Layer("fields-2", "Fields", "vector", artifact="vector-1"))
    assert [layer_named(state, said).id for said in ("vector-1", "field", "FIELDS")] == ["fields-2"] * 3
