"""What the columns in memory say of a selection is what SQL says of it."""

from __future__ import annotations

from datetime import datetime

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from data.catalogue.base import Attribute, Selection
from data.catalogue.columns import Columns, Unanswered
from data.catalogue.counting import Counting
from data.catalogue.duck import DuckCatalogue
from data.catalogue.engine import SqlCatalogue
from data.schema import DatasetInfo
from tests.data.catalogue.test_selection import selections

QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
INFO = DatasetInfo("few", "Few", "Four rows.", "ingested", (), 4, 0, "2020-01-01", "2022-12-31", None)
TABLE = {
    "lon": pa.array([10.0, 179.9, None, -179.9]),
    "lat": pa.array([50.0, 0.0, 1.0, 0.0]),
    "acquired": pa.array([datetime(2020, 1, 1), None, datetime(2021, 5, 1), datetime(2022, 12, 31, 23, 59)]),
    "country": pa.array(["DE", None, "FJ", "FJ"]),
    "gsd_m": pa.array([0.5, float("nan"), 1.0, 2.0]),
    "cloud_pct": pa.array([5.0, None, 10.0, 15.0]),
    "detections": pa.array([1, 2, 3, 4]),
}


def few() -> Columns:
    return Columns(INFO, lambda name: pa.chunked_array([TABLE[name]]))


def count(selection: Selection) -> int:
    columns = few()
    return columns.count(columns.chosen(selection))


@QUIET
@given(selections())
def test_counts_and_bounds_are_those_of_sql(duck: DuckCatalogue, selection: Selection) -> None:
    by_sql = SqlCatalogue.count(duck, selection), SqlCatalogue.bounds(duck, selection)
    assert (duck.count(selection), duck.bounds(selection)) == by_sql


@pytest.mark.parametrize("unit", ["images", "detections"])
@pytest.mark.parametrize(
    "by",
    [
        "dataset",
        "year",
        "month",
        "day",
        "country",
        "status",
        "mixed",
        "gsd_m",
        "cloud_pct",
        "width_px",
        "tile",
    ],
)
@QUIET
@given(selections())
def test_groups_are_those_of_sql(
    duck: DuckCatalogue, monkeypatch: pytest.MonkeyPatch, by: str, unit: str, selection: Selection
) -> None:
    found = duck.count_by(selection, by, unit)  # type: ignore[arg-type]
    with monkeypatch.context() as patch:
        patch.setattr(DuckCatalogue, "_field_counts", Counting._field_counts)
        assert found == duck.count_by(selection, by, unit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("selection", "rows"),
    [
        (Selection(), 4),
        (Selection(bbox=(-180, -90, 180, 90)), 4),
        (Selection(bbox=(-179.99, -90, 180, 90)), 3),
        (Selection(bbox=(179, -1, -179, 1)), 2),
        (Selection(bbox=(10.4, 0, 10.3, 90)), 3),
        (Selection(bbox=(179.8, -1, 179.7, 1)), 2),
        (Selection(center=(180.0, 0.0), radius_km=12), 2),
        (Selection(center=(180.0, 0.0), radius_km=11), 0),
        (Selection(geometry={"type": "Polygon", "coordinates": [[[0, 0], [10, 50], [0, 50], [0, 0]]]}), 1),
        (Selection(start="2021-05-01"), 2),
        (Selection(end="2022-12-31"), 3),
        (Selection(end="9999-12-31"), 3),
        (Selection(attributes=(Attribute("country", "!=", "DE"),)), 2),
        (Selection(attributes=(Attribute("country", "!=", "no such country"),)), 3),
        (Selection(attributes=(Attribute("country", "in", ["DE", "FJ"]),)), 3),
        (Selection(attributes=(Attribute("cloud_pct", "<=", "10"),)), 2),
    ],
)
def test_a_row_without_a_value_is_taken_only_where_nothing_is_asked_of_it(
    selection: Selection, rows: int
) -> None:
    assert count(selection) == rows


@pytest.mark.parametrize(
    "selection",
    [
        Selection(attributes=(Attribute("gsd_m", ">", 1),)),
        Selection(attributes=(Attribute("country", "contains", "d"),)),
        Selection(attributes=(Attribute("country", "<", "E"),)),
        Selection(attributes=(Attribute("country", "=", 7),)),
        Selection(attributes=(Attribute("acquired", ">", "2020-01-01"),)),
        Selection(center=(10.0, 50.0), radius_km=0),
    ],
)
def test_what_may_come_out_otherwise_in_sql_is_left_to_it(selection: Selection) -> None:
    with pytest.raises(Unanswered):
        count(selection)


def test_groups_and_their_sums_are_those_of_the_rows() -> None:
    columns = few()
    assert columns.groups(slice(None), "country", None) == [(None, 1), ("DE", 1), ("FJ", 2)]
    assert columns.groups(slice(None), "dataset", "detections") == [("few", 10)]
    assert columns.groups(slice(None), "month", "detections") == [
        ("2020-01", 1), ("2021-05", 3), ("2022-12", 4), (None, 2)
    ]  # fmt: skip


def test_a_file_that_was_replaced_between_two_columns_is_left_to_sql() -> None:
    columns = Columns(
        INFO, lambda name: pa.chunked_array([TABLE[name] if name != "country" else TABLE[name][:2]])
    )
    assert columns.count(columns.chosen(Selection())) == 4
    with pytest.raises(Unanswered):
        columns.chosen(Selection(attributes=(Attribute("country", "=", "DE"),)))
