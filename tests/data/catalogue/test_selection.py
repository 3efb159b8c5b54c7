"""A selection gives the rows its words say, on both engines."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from data.catalogue.base import Attribute, CatalogueError, Selection
from data.catalogue.duck import DuckCatalogue
from data.catalogue.engine import SqlCatalogue
from data.catalogue.postgres import PostgresCatalogue
from data.catalogue.write import read_info
from tests.data.catalogue.small import WORDS, all_rows, class_names, matches

ROWS = all_rows()
TRIANGLE = {"type": "Polygon", "coordinates": [[[-100, 10], [30, 60], [-20, -50], [-100, 10]]]}
ACROSS = {
    "type": "MultiPolygon",
    "coordinates": [
        [[[170, -20], [180, -20], [180, 20], [170, -20]]],
        [[[-180, -20], [-170, 20], [-180, 20], [-180, -20]]],
    ],
}
longitudes = st.floats(-180, 180, allow_nan=False).map(lambda v: round(v, 2))
latitudes = st.floats(-90, 90, allow_nan=False).map(lambda v: round(v, 2))
boxes = st.tuples(longitudes, latitudes, longitudes, latitudes).map(
    lambda b: (b[0], min(b[1], b[3]), b[2], max(b[1], b[3]))
)
days = st.dates(date(2015, 6, 1), date(2022, 6, 1)).map(str)
attributes = st.one_of(
    st.builds(
        Attribute,
        st.just("cloud_pct"),
        st.sampled_from(["=", "!=", "<", "<=", ">", ">="]),
        st.integers(0, 100),
    ),
    st.builds(
        Attribute,
        st.just("sensor"),
        st.sampled_from(["=", "!="]),
        st.sampled_from(["GeoEye-1", "x' OR 1=1 --"]),
    ),
    st.builds(
        Attribute,
        st.just("split"),
        st.just("in"),
        st.lists(st.sampled_from(["train", "val", "test"]), min_size=1),
    ),
    st.builds(
        Attribute,
        st.just("name"),
        st.just("contains"),
        st.sampled_from(["évreux", "o'hare", "LAG", "%", "tile 1"]),
    ),
    st.builds(Attribute, st.just("tile"), st.sampled_from(["=", "<", ">="]), st.integers(0, 13)),
    st.builds(Attribute, st.just("population"), st.sampled_from(["<", ">="]), st.floats(0, 300_000)),
    st.builds(Attribute, st.just("mixed"), st.sampled_from(["=", "<", ">"]), st.sampled_from([5, 6, 7.5])),
    st.builds(Attribute, st.just("status"), st.sampled_from(["=", "!="]), st.sampled_from(["ok", "o'k"])),
    st.builds(Attribute, st.just("a b/c"), st.just("="), st.sampled_from(["v1", "v2"])),
)


@st.composite
def selections(draw: st.DrawFn) -> Selection:
    """Up to four parts at once: with all of them nearly nothing would be left to compare."""
    parts = draw(
        st.sets(
            st.sampled_from(["datasets", "days", "bbox", "circle", "geometry", "classes", "attributes"]),
            max_size=3,
        )
    )
    first, last = sorted((draw(days), draw(days)))
    circle = "circle" in parts
    return Selection(
        datasets=("alpha", "beta", "gamma") if "datasets" not in parts else ("alpha", "gamma"),
        start=first if "days" in parts else None,
        end=last if "days" in parts and draw(st.booleans()) else None,
        bbox=draw(boxes) if "bbox" in parts else None,
        center=(draw(longitudes), draw(latitudes)) if circle else None,
        radius_km=draw(st.floats(1, 20_100)) if circle else None,
        geometry=draw(st.sampled_from([TRIANGLE, ACROSS])) if "geometry" in parts else None,
        classes=tuple(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3)))
        if "classes" in parts
        else (),
        match=draw(st.sampled_from(["any", "all"])),
        attributes=tuple(draw(st.lists(attributes, min_size=1, max_size=2))) if "attributes" in parts else (),
    )


def expected(selection: Selection, root: Path) -> list[str]:
    """The ids of the rows that Python selects."""
    infos = {name: read_info(root / name) for name in ("alpha", "beta", "gamma")}
    return sorted(row["image_id"] for row in ROWS if matches(selection, row, infos[row["dataset"]]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(selections())
def test_duckdb_selects_the_rows_that_python_selects(
    duck: DuckCatalogue, small_root: Path, selection: Selection
) -> None:
    ids = expected(selection, small_root)
    assert duck.count(selection) == len(ids)
    assert list(duck.rows(selection, columns=("image_id",), limit=3000)["image_id"]) == ids


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(selections())
def test_postgresql_selects_the_rows_that_python_selects(
    postgres: PostgresCatalogue, small_root: Path, selection: Selection
) -> None:
    ids = expected(selection, small_root)
    assert postgres.count(selection) == len(ids)
    assert list(postgres.rows(selection, columns=("image_id",), limit=3000)["image_id"]) == ids


@given(selections(), boxes, st.floats(0, 8))
def test_the_cells_of_a_viewport_hold_each_of_its_rows_once(
    duck: DuckCatalogue,
    small_root: Path,
    selection: Selection,
    view: tuple[float, float, float, float],
    zoom: float,
) -> None:
    inside = set(expected(selection, small_root)) & set(expected(Selection(bbox=view), small_root))
    cells = duck.cells(selection, view, zoom)
    assert sum(cell.count for cell in cells) == len(inside)
    assert cells == duck.cells(selection, view, zoom)
    assert len(duck.cells(selection, view, zoom, limit=3)) <= 3


@given(selections())
def test_a_selection_survives_json(selection: Selection) -> None:
    raw = json.loads(json.dumps(asdict(selection)))
    parts = [Attribute(**a) for a in raw.pop("attributes")]
    tuples = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
    assert Selection(**tuples, attributes=tuple(parts)) == selection


def test_a_word_that_no_data_set_has_selects_nothing(catalogue: SqlCatalogue) -> None:
    assert catalogue.count(Selection(classes=("no such thing",))) == 0
    assert catalogue.count(Selection(classes=("small car", "no such thing"), match="all")) == 0


def test_all_means_that_each_word_is_there(catalogue: SqlCatalogue, small_root: Path) -> None:
    info = read_info(small_root / "alpha")
    both = [r for r in ROWS if r["dataset"] == "alpha" and {"Small Car", "Tugboat"} <= class_names(r, info)]
    assert catalogue.count(Selection(classes=("Small Car", "Tugboat"), match="all")) == len(both) > 0


def test_a_polygon_drawn_past_the_antimeridian_is_the_one_on_its_other_side(catalogue: SqlCatalogue) -> None:
    drawn = {"type": "Polygon", "coordinates": [[[170, -25], [190, -25], [190, 25], [170, 25], [170, -25]]]}
    count = catalogue.count(Selection(geometry=drawn))
    assert count == catalogue.count(Selection(bbox=(170, -25, -170, 25))) > 50


def test_a_circle_around_a_pole_takes_every_longitude(catalogue: SqlCatalogue) -> None:
    polar = [r for r in ROWS if r["lat"] >= 87]
    assert catalogue.count(Selection(center=(12.0, 90.0), radius_km=333.5858)) == len(polar) > 20


def test_the_last_day_counts_until_its_midnight(catalogue: SqlCatalogue) -> None:
    per_day = Counter(str(r["acquired"].date()) for r in ROWS if r["acquired"])
    for day in ("2018-02-28", "2016-02-29", "2021-07-01"):
        assert catalogue.count(Selection(start=day, end=day)) == per_day[day]


@pytest.mark.parametrize(
    ("selection", "sentence"),
    [
        (Selection(datasets=("alhpa",)), "There is no data set 'alhpa'; did you mean 'alpha'?"),
        (
            Selection(start="2019-02-30"),
            "'2019-02-30' is not a day; write it YYYY-MM-DD, such as 2018-05-31.",
        ),
        (
            Selection(start="2020-01-02", end="2020-01-01"),
            "The start 2020-01-02 is after the end 2020-01-01; swap them.",
        ),
        (Selection(bbox=(0, 5, 1, -5)), "The box's south edge 5 is north of its north edge -5; swap them."),
        (
            Selection(center=(0, 91), radius_km=5),
            "(0, 91) is not a point; give longitude, then latitude between -90 and 90.",
        ),
        (Selection(center=(0, 1)), "A center needs a radius_km, such as 40."),
        (
            Selection(center=(0, 1), radius_km=-1),
            "A radius of -1 km is not a distance; give a positive number.",
        ),
        (
            Selection(geometry={"type": "Point", "coordinates": [0, 0]}),
            "A geometry of type 'Point' does not select an area; give a Polygon or MultiPolygon.",
        ),
        (
            Selection(attributes=(Attribute("clowd_pct", "<", 3),)),
            "There is no column 'clowd_pct'; did you mean 'cloud_pct'?",
        ),
        (
            Selection(attributes=(Attribute("cloud_pct", "<", "low"),)),
            "'cloud_pct' holds numbers, and 'low' is not one.",
        ),
        (
            Selection(attributes=(Attribute("split", "in", "train"),)),
            "'in' needs a list of values, not 'train'.",
        ),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(
    duck: DuckCatalogue, selection: Selection, sentence: str
) -> None:
    with pytest.raises(CatalogueError) as raised:
        duck.count(selection)
    assert str(raised.value) == sentence
