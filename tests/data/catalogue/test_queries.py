"""What a catalogue answers: right against the rows, and the same from both engines."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from data.catalogue import scanning
from data.catalogue.base import Attribute, CatalogueError, Selection
from data.catalogue.duck import DuckCatalogue
from data.catalogue.engine import SqlCatalogue
from data.catalogue.postgres import PostgresCatalogue
from data.catalogue.write import read_info
from tests.data.catalogue.small import (
    all_rows,
    class_names,
    detection_rows,
    distance_km,
    image_rows,
    write_small_catalogue,
)

ROWS = all_rows()
BOXES = detection_rows(image_rows("alpha", 900, 70))
EVERYTHING = Selection()
SOME = Selection(start="2018-01-01", bbox=(-120, -60, 100, 60), classes=("vehicles",))
SELECTIONS = (
    EVERYTHING,
    SOME,
    Selection(datasets=("gamma",), attributes=(Attribute("population", ">", 100_000),)),
    Selection(classes=("no such thing",)),
    Selection(center=(179.5, 0.0), radius_km=2000),
)


def rows_of(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """A frame's rows with None for what is missing."""
    return list(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None))


def answers(catalogue: SqlCatalogue, selection: Selection) -> dict[str, Any]:
    """Everything a catalogue says of a selection, as plain values."""
    groupings = (
        "class",
        "group",
        "dataset",
        "year",
        "month",
        "season",
        "day",
        "gsd",
        "cloud",
        "sensor",
        "tile",
        "mixed",
    )
    frames = {
        "rows": catalogue.rows(
            selection, order_by=(("country", "desc"), ("cloud_pct", "asc")), limit=40, offset=5
        ),
        "by property": catalogue.rows(
            selection, ("image_id", "tile", "mixed"), order_by=(("mixed", "asc"),), limit=50
        ),
        "points": catalogue.points(selection, bbox=(150, -60, -150, 60), limit=100),
        "near": catalogue.images_near(selection, 179.9, 3.0, limit=7),
        "detections": catalogue.detections(selection, bbox=(-90, -60, 90, 60), limit=300),
    }
    return {
        **{
            name: frame.astype(object).where(frame.notna(), None).to_dict("list")
            for name, frame in frames.items()
        },
        **{
            (by, unit): catalogue.count_by(selection, by, unit)
            for by in groupings
            for unit in ("images", "detections")
        },
        "count": catalogue.count(selection),
        "cells": catalogue.cells(selection, (-180, -85, 180, 85), 2),
        "bounds": catalogue.bounds(selection),
        "values": {
            f: catalogue.values(f, selection)
            for f in ("country", "gsd_m", "class", "year", "status", "acquired")
        },
    }


@pytest.mark.parametrize("selection", SELECTIONS, ids=range(len(SELECTIONS)))
def test_both_engines_give_the_same_answers(
    duck: DuckCatalogue, postgres: PostgresCatalogue, selection: Selection
) -> None:
    assert rounded(answers(duck, selection)) == rounded(answers(postgres, selection))


def rounded(value: Any) -> Any:
    """Distances to a micrometre: the engines' sines may differ in the last bit."""
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 9)
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list) else value


def test_both_engines_list_the_same_columns_and_data_sets(
    duck: DuckCatalogue, postgres: PostgresCatalogue
) -> None:
    assert duck.datasets() == postgres.datasets()
    assert duck.columns() == postgres.columns()
    assert {f: duck.field_type(f) for f in ("tile", "mixed", "acquired", "sensor", "nothing")} == {
        "tile": "number",
        "mixed": "text",
        "acquired": "time",
        "sensor": "text",
        "nothing": None,
    }


def test_an_image_counts_once_for_each_of_its_classes(catalogue: SqlCatalogue, small_root: Path) -> None:
    infos = {name: read_info(small_root / name) for name in ("alpha", "beta", "gamma")}
    names = Counter(name for row in ROWS for name in class_names(row, infos[row["dataset"]]))
    assert dict(catalogue.count_by(EVERYTHING, "class")) == dict(names)
    assert dict(catalogue.count_by(Selection(classes=("vehicles",)), "class")) == {
        name: names[name] for name in ("Cargo Truck", "Small Car")
    }


def test_only_detections_of_the_named_classes_count(catalogue: SqlCatalogue) -> None:
    cars = sum(box["class_id"] == 1 for box in BOXES)
    trucks = sum(box["class_id"] == 0 for box in BOXES)
    vehicles = Selection(classes=("vehicles",))
    assert dict(catalogue.count_by(vehicles, "class", "detections")) == {
        "Small Car": cars,
        "Cargo Truck": trucks,
    }
    assert catalogue.count_by(vehicles, "dataset", "detections") == [("alpha", cars + trucks)]
    assert catalogue.count_by(EVERYTHING, "dataset", "detections") == [("alpha", len(BOXES))]


def test_seasons_are_those_of_the_rows_own_hemisphere(catalogue: SqlCatalogue) -> None:
    names = ("winter", "spring", "summer", "autumn")
    timed = [r for r in ROWS if r["acquired"]]
    local = Counter(names[(r["acquired"].month % 12 // 3 + (2 if r["lat"] < 0 else 0)) % 4] for r in timed)
    local["unknown"] = len(ROWS) - len(timed)
    assert dict(catalogue.count_by(EVERYTHING, "season")) == dict(local)


def test_pages_of_rows_put_together_are_all_rows_once(catalogue: SqlCatalogue) -> None:
    order = (("sensor", "desc"),)
    pages = [
        catalogue.rows(EVERYTHING, ("image_id",), order, limit=300, offset=n) for n in range(0, 2100, 300)
    ]
    ids = [i for page in pages for i in page["image_id"]]
    known = sorted((r for r in ROWS if r["sensor"]), key=lambda r: r["image_id"])
    known.sort(key=lambda r: r["sensor"], reverse=True)
    unknown = sorted(r["image_id"] for r in ROWS if not r["sensor"])
    assert ids == [r["image_id"] for r in known] + unknown


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("columns", [None, ("image_id", "lon"), ("tile", "footprint", "mixed", "dataset")])
def test_a_scan_gives_every_selected_row_once_with_the_values_of_rows(
    catalogue: SqlCatalogue,
    selection: Selection,
    columns: tuple[str, ...] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scanning, "ROWS_A_PAGE", 137)
    pages = list(catalogue.scan(selection, columns))
    assert sum(map(len, pages)) == catalogue.count(selection)
    scanned = [row for page in pages for row in rows_of(page)]
    wanted = rows_of(catalogue.rows(selection, columns, (), 10_000))
    assert sorted(scanned, key=repr) == sorted(wanted, key=repr)


@pytest.mark.parametrize("limit", [150, 900])
def test_records_of_few_and_of_many_rows_are_those_that_were_asked_for(
    catalogue: SqlCatalogue, limit: int
) -> None:
    few = catalogue.rows(EVERYTHING, ("image_id", "footprint", "tile"), (("country", "desc"),), limit)
    by_id = catalogue.rows(EVERYTHING, ("image_id",), (("country", "desc"),), limit)
    assert list(few["image_id"]) == list(by_id["image_id"])
    assert len(few) == limit


def test_an_images_record_is_whole(catalogue: SqlCatalogue, small_root: Path) -> None:
    row = next(r for r in ROWS if r["dataset"] == "alpha" and r["detections"] > 2)
    info = read_info(small_root / "alpha")
    names = {c.id: c.name for c in info.classes}
    counts = Counter(names[b["class_id"]] for b in BOXES if b["image_num"] == row["image_num"])
    record = catalogue.image(row["image_id"])
    assert record is not None
    assert record.pop("classes") == sorted(class_names(row, info))
    assert record.pop("class_counts") == dict(counts)
    assert {name: record[name] for name in row if name != "class_words"} == {
        name: value for name, value in row.items() if name != "class_words"
    }
    assert len(catalogue.image_detections(row["image_id"])) == row["detections"]


def test_an_unknown_image_has_no_record(catalogue: SqlCatalogue) -> None:
    assert catalogue.image("alpha:' OR 1=1 --") is None
    with pytest.raises(CatalogueError, match="There is no image 'nowhere:1'"):
        catalogue.image_detections("nowhere:1")


def test_the_nearest_images_come_first_where_none_holds_the_point(catalogue: SqlCatalogue) -> None:
    point = (-135.0, -47.0)
    nearest = sorted(ROWS, key=lambda row: distance_km(point, row))[:3]
    found = catalogue.images_near(EVERYTHING, *point, limit=3)
    assert list(found["image_id"]) == [row["image_id"] for row in nearest]
    assert list(found["distance_km"]) == pytest.approx([distance_km(point, row) for row in nearest])


def test_images_that_hold_the_point_come_smallest_first(catalogue: SqlCatalogue) -> None:
    row = next(r for r in ROWS if r["west"] > r["east"])
    found = catalogue.images_near(EVERYTHING, row["lon"], row["lat"], limit=100)
    assert row["image_id"] in list(found["image_id"])
    width = (found["east"] - found["west"]) % 360
    assert list(width * (found["north"] - found["south"])) == sorted(
        width * (found["north"] - found["south"])
    )


def test_the_bounds_of_rows_around_the_antimeridian_are_narrow(catalogue: SqlCatalogue) -> None:
    selection = Selection(bbox=(174, -31, -174, 31))
    inside = [r for r in ROWS if abs(r["lon"]) >= 174 and abs(r["lat"]) <= 31]
    west = min(r["west"] for r in inside if r["west"] > 0)
    east = max(r["east"] for r in inside if r["east"] < 0)
    south, north = min(r["south"] for r in inside), max(r["north"] for r in inside)
    assert catalogue.bounds(selection) == pytest.approx((west, south, east, north))


def test_the_bounds_of_one_row_are_its_footprints_box(catalogue: SqlCatalogue) -> None:
    for row in (ROWS[0], next(r for r in ROWS if r["west"] > r["east"])):
        box = (row["west"], row["south"], row["east"], row["north"])
        near = Selection(datasets=(row["dataset"],), bbox=(row["lon"], row["lat"], row["lon"], row["lat"]))
        assert catalogue.count(near) == 1
        assert catalogue.bounds(near) == pytest.approx(box)


def test_an_unknown_column_names_the_nearest(catalogue: SqlCatalogue) -> None:
    for ask in (
        lambda: catalogue.count_by(EVERYTHING, "sensr"),
        lambda: catalogue.rows(EVERYTHING, order_by=(("sensr", "asc"),)),
        lambda: catalogue.rows(EVERYTHING, columns=("sensr",)),
        lambda: catalogue.values("sensr"),
    ):
        with pytest.raises(CatalogueError) as raised:
            ask()
        assert str(raised.value) == "There is no column 'sensr'; did you mean 'sensor'?"


@pytest.mark.parametrize("field", ["event", "sensor", "country", "place"])
def test_values_read_off_the_files_are_those_of_the_rows(small_root: Path, field: str) -> None:
    fresh = DuckCatalogue(small_root)
    before = fresh.values(field)
    assert fresh.count(Selection()) > 0
    assert before == fresh.values(field)
    fresh.close()


def test_a_file_that_goes_while_its_rows_are_in_memory_sets_its_data_set_aside(tmp_path: Path) -> None:
    write_small_catalogue(tmp_path)
    catalogue = DuckCatalogue(tmp_path)
    assert len(catalogue.rows(Selection(), ("image_id",), limit=1)) == 1
    for file in tmp_path.glob("*/images.parquet"):
        file.unlink()
    assert [each.reason for each in catalogue.set_aside()] == ["its images.parquet is missing"] * 3
    assert catalogue.datasets() == () and list(catalogue.scan(Selection())) == []
    catalogue.close()
