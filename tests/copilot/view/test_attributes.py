"""The results panel as the attribute table of what is open, and the feature that is picked in it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from copilot.session import Session
from copilot.view.attributes import (
    Narrowing,
    Opened,
    choices_of,
    narrowed,
    opened,
    picked_feature,
    statistics,
)
from copilot.view.layers import Viewport, layer_content
from copilot.view.mapview import fill_of

SQUARE = [[4.0, 51.0], [4.2, 51.0], [4.2, 51.2], [4.0, 51.2], [4.0, 51.0]]
PLACES = [{"type": "Polygon", "coordinates": [SQUARE]}, None, {"type": "Point", "coordinates": [5.5, 52.5]}]


@pytest.fixture
def own(session: Session, tmp_path: Path) -> Session:
    """A session with a file of three features, one of which has no place."""
    features = [
        {"type": "Feature", "geometry": place, "properties": {"name": name, "people": people}}
        for place, name, people in zip(PLACES, ("b", "a", "c"), (20, None, 10), strict=True)
    ]
    written = json.dumps({"type": "FeatureCollection", "features": features})
    (tmp_path / "wards.geojson").write_text(written)
    assert session.call("add_file", file=str(tmp_path / "wards.geojson")).ok
    return session


def shown(session: Session) -> Opened:
    found = opened(session.state, session.world(), session.state.artifacts[-1])
    assert found is not None
    return found


def test_features_are_shown_by_their_attributes_with_numbers_from_one(own: Session) -> None:
    found = shown(own)
    assert list(found.rows["name"]) == ["b", "a", "c"] and list(found.rows.index) == [1, 2, 3]
    assert "footprint" not in found.rows and "geometry" not in found.rows
    assert (found.crs, found.picked) == ("WGS 84 (EPSG:4326)", None)
    assert found.layer is not None and found.layer.id == "wards"


def test_a_row_that_is_picked_is_marked_on_the_map_and_what_fills_the_layer_stays(own: Session) -> None:
    before, table = own.state.map.layers[0], own.state.artifacts[-1].id
    first = own.call("fit_layer", layer="wards", row=1)
    assert first.text.startswith("The map shows row 1 of 'wards': centre (4.1, 51.1)")
    found = picked_feature(own.state, own.world())
    assert found is not None
    assert (found["layer"], found["row"], found["geometry"]["type"]) == ("wards", 1, "Polygon")
    assert fill_of(own.state.map.layers[0]) == fill_of(before)
    center = own.state.map.center
    assert own.call("show_table", table=table, row=3).text.startswith(
        "The results panel shows the 3 rows of 'wards'. Row 3 is marked."
    )
    assert (shown(own).picked, own.state.ui.table, own.state.map.center) == (3, table, center)
    drawn = layer_content(own.state.map.layers[0], own.state, own.world(), Viewport((0, 50, 9, 53), 7))
    assert [each["properties"]["row"] for each in drawn["features"]["features"]] == [1, 3]
    assert own.call("fit_layer", layer="wards", row=3).ok and own.state.map.zoom == 12
    assert own.call("show_table", table="wards").ok
    assert (shown(own).picked, picked_feature(own.state, own.world())) == (None, None)
    assert own.call("fit_layer", layer="wards", row=1).ok and own.call("show_table").ok
    assert (shown(own).picked, own.state.ui.table) == (None, None)
    assert own.replay() == own.state


def test_a_row_that_is_not_there_is_refused(own: Session) -> None:
    assert own.call("fit_layer", layer="wards", row=4).text == "'wards' has 3 rows; there is no row 4."
    placeless = own.call("fit_layer", layer="wards", row=2)
    assert placeless.text == "Row 2 of 'wards' has no place, so the map cannot go to it."
    assert own.call("show_table", row=1).text == "A row is one of a layer's features; say which with table=."
    own.call("draw_bbox", bbox=[4, 50, 5, 51])
    drawn = own.call("fit_layer", layer=own.state.map.layers[-1].id, row=1)
    assert not drawn.ok and "no rows of their own" in drawn.text


def test_rows_are_narrowed_and_sorted_and_keep_their_numbers() -> None:
    rows = pd.DataFrame({"name": ["Oak", "elm", None], "m": [3.0, None, 1.0]}, index=[1, 2, 3])
    assert list(narrowed(rows, Narrowing("name", ("elm",))).index) == [2]
    assert list(narrowed(rows, Narrowing("name", words="OA")).index) == [1]
    assert list(narrowed(rows, Narrowing("m", least=0, most=2, sort_by="m")).index) == [3]
    assert list(narrowed(rows, Narrowing(sort_by="m", descending=True)).index) == [1, 3, 2]
    mixed = pd.DataFrame({"x": ["b", 1, "a"]}, index=[1, 2, 3])
    assert list(narrowed(mixed, Narrowing(sort_by="x")).index) == [2, 3, 1]
    assert choices_of(pd.Series([3, 1, "a", 1])) == [1, 3, "a"]
    assert choices_of(pd.Series(range(100))) == (0.0, 99.0)
    assert choices_of(pd.Series([str(each) for each in range(100)])) is None
    assert choices_of(pd.Series([[1], [2]])) is None


def test_columns_are_told_with_their_type_their_gaps_and_their_range() -> None:
    rows = pd.DataFrame({"name": ["a", "b", " "], "m": [1.5, None, 2.5]})
    told = statistics(rows).to_dict("records")
    assert list(told[0].values())[:7] == ["name", "text", 0, 1, 2, "a", "b"] and pd.isna(told[0]["Mean"])
    assert list(told[1].values()) == ["m", "float64", 1, 0, 2, "1.5", "2.5", 2.0]
