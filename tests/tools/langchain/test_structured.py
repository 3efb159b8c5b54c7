"""Values out of texts: what is there in its unit, and nothing that is not."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from state.model import State
from tests.tools.prepared import prepared
from tests.tools.world import run
from tools.base import World
from tools.langchain.finding import coordinates_in, dates_in, measures_in, pairs_in
from tools.langchain.structured import parse_structured

REPORT = """Survey report
Station: Maasvlakte 2
- Cloud cover: 12 %
Depth = 3.5 km
| Operator | J. O'Neill |
Wind speed (kn): 10
Flooded: yes

On 14 March 2019 the team took samples at 51.9581, 4.0312 near Rotterdam. Turbidity rose to 12.5 NTU.
The flooded area was about 1,250 ha; the temperature was 59 °F.
"""


def values(world: World, text: str, fields: list[str]) -> dict[str, Any]:
    step = run(world, State(), parse_structured, text=text, fields=fields)
    assert not step.failed, step.observation
    assert step.state == State()
    return dict(step.data["values"])


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("station", "Maasvlakte 2"),
        ("cloud cover (%)", 12.0),
        ("cloud_cover_pct", 12.0),
        ("depth (m)", 3500.0),
        ("operator: text", "J. O'Neill"),
        ("wind speed (m/s)", pytest.approx(10 * 1852 / 3600)),
        ("flooded: boolean", True),
        ("date", "2019-03-14"),
        ("coordinates", {"lon": 4.0312, "lat": 51.9581}),
        ("turbidity (NTU)", 12.5),
        ("flooded area (km2)", 12.5),
        ("area: number km2", 12.5),
        ("temperature (degC)", 15.0),
    ],
)
def test_a_value_is_found_and_brought_into_its_unit(world: World, field: str, expected: Any) -> None:
    found = values(world, REPORT, [field])
    [value] = found.values()
    assert value == expected


@pytest.mark.parametrize(
    "field",
    [
        "salinity (g/kg)",
        "humidity (%)",
        "distance (km)",
        "deadline: date",
        "home port: place",
        "vessel",
        "crew: integer",
        "chlorophyll: number",
        "pressure (hPa)",
        "captain: text",
    ],
)
def test_what_is_not_there_is_never_made_up(world: World, field: str) -> None:
    step = run(world, State(), parse_structured, text=REPORT, fields=[field])
    assert (step.data["values"], step.data["evidence"]) == ({}, {})
    assert "Found 0 of 1 value." in step.observation


def test_two_dates_are_told_and_none_is_chosen(world: World) -> None:
    text = "The scene of 2020-01-05 was compared with that of 7 May 2021."
    step = run(world, State(), parse_structured, text=text, fields=["date", "cloud"])
    assert step.data["values"] == {} and len(step.data["unclear"]["date"]) == 2
    assert step.data["missing"] == ["cloud"]
    assert "Not clear: date" in step.observation and "2020-01-05" in step.observation


def test_the_name_before_a_date_decides_between_two(world: World) -> None:
    text = "Acquired on 2020-01-05 and published on 2021-02-03."
    assert values(world, text, ["acquired: date", "published: date"]) == {
        "acquired": "2020-01-05", "published": "2021-02-03",
    }  # fmt: skip


def test_a_schema_types_and_limits_what_is_found(world: World) -> None:
    schema = {
        "type": "object",
        "properties": {
            "station": {"type": "string"},
            "cloud": {"type": "number", "title": "cloud cover", "maximum": 100, "unit": "%"},
            "depth_m": {"type": "number", "maximum": 100},
            "wind": {"type": "integer", "title": "wind speed", "unit": "knot"},
            "when": {"type": "string", "format": "date"},
            "where": {"type": "object", "format": "coordinates"},
            "state": {"type": "string", "enum": ["wet", "dry"], "title": "flooded"},
            "pilot": {"type": "string"},
        },
        "required": ["station", "pilot"],
    }
    step = run(world, State(), parse_structured, text=REPORT, json_schema=schema)
    assert step.data["values"] == {
        "station": "Maasvlakte 2", "cloud": 12.0, "wind": 10, "when": "2019-03-14",
        "where": {"lon": 4.0312, "lat": 51.9581},
    }  # fmt: skip
    assert "above 100" in step.data["unclear"]["depth_m"][0]
    assert "none of the choices" in step.data["unclear"]["state"][0]
    assert (step.data["missing"], step.data["valid"]) == (["pilot"], False)
    assert "Required and not found: pilot." in step.observation
    plain = {
        key: {k: v for k, v in each.items() if k in ("type", "maximum")}
        for key, each in schema["properties"].items()
    }  # type: ignore[attr-defined]
    jsonschema.validate(step.data["values"], {"type": "object", "properties": plain})


def test_a_document_is_read_and_quoted(world: World) -> None:
    step = run(
        world, prepared(world), parse_structured, document="Note", fields=["turbidity (NTU)", "date", "place"]
    )
    assert step.data["values"] == {
        "turbidity": 12.5, "date": "2023-07-14", "place": "Delft, South Holland, The Netherlands",
    }  # fmt: skip
    assert "12.5 NTU" in step.data["evidence"]["turbidity"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2019-03-14T10:30:00Z", ["2019-03-14"]),
        ("on March 3rd, 2019", ["2019-03-03"]),
        ("the 1st of Sept 2020", ["2020-09-01"]),
        ("24.12.2018", ["2018-12-24"]),
        ("25/12/2018 and 12/25/2018", ["2018-12-25", "2018-12-25"]),
        ("03/04/2019", []),
        ("05/05/2019", ["2019-05-05"]),
        ("2019-02-30", []),
        ("version 2019.1.2 of 31 June 2019", []),
    ],
)
def test_dates_are_read_as_written_and_doubtful_ones_are_none(text: str, expected: list[str]) -> None:
    assert [each.value for each in dates_in(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("40°26′46″N 79°58′56″W", [{"lon": -79.9822222, "lat": 40.4461111}]),
        ("33.86° S, 151.21° E", [{"lon": 151.21, "lat": -33.86}]),
        ("lat 12.5, lon -70.25", [{"lon": -70.25, "lat": 12.5}]),
        ("Longitude: 4.03 Latitude: 51.95", [{"lon": 4.03, "lat": 51.95}]),
        ("(-33.8688, 151.2093)", [{"lon": 151.2093, "lat": -33.8688}]),
        ("91.1234, 4.1234", []),
        ("12.50, 13.75", []),
    ],
)
def test_coordinates_are_read_and_pairs_of_other_numbers_are_not(text: str, expected: list[Any]) -> None:
    assert [each.value for each in coordinates_in(text)] == expected


def test_numbers_keep_their_signs_and_thousands_and_leave_dates_alone() -> None:
    found = [
        each.value.number for each in measures_in("−3.5 °C and 1,250,000 m², 1.2e3, on 2019-03-14, v2.0, 7-9")
    ]
    assert found[:3] == [-3.5, 1250000.0, 1200.0] and 2019.0 not in found and 2.0 not in found


def test_pairs_are_lines_cells_and_parts_between_semicolons() -> None:
    text = "A: 1; B = two; see https://example.org\n* C name: x\n| D | 4 |\n"
    assert [(each.key, each.value) for each in pairs_in(text)] == [
        ("A", "1"),
        ("B", "two"),
        ("C name", "x"),
        ("D", "4"),
    ]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"text": "x"}, "fields or a json_schema"),
        ({"fields": ["date"]}, "a text or a document"),
        ({"text": "x", "fields": ["()"]}, "is no field"),
        ({"text": "x", "fields": ["a: colour"]}, "no kind of value 'colour'"),
        ({"text": "x", "fields": ["date", "date"]}, "named twice"),
        ({"text": "x", "json_schema": {"type": "array"}}, "of no object"),
        (
            {"text": "x", "json_schema": {"properties": {"a": {"$ref": "http://x"}}}},
            "'$ref', which is not read",
        ),
        (
            {"text": "x", "json_schema": {"properties": {"a": {"pattern": "(a+)+$"}}}},
            "'pattern', which is not read",
        ),
        (
            {"text": "x", "json_schema": {"properties": {"a": {}}, "required": ["b"]}},
            "no property of the schema",
        ),
    ],
)
def test_what_is_no_field_and_no_schema_is_told(world: World, args: dict[str, Any], said: str) -> None:
    step = run(world, State(), parse_structured, **args)
    assert step.failed and said in step.observation, step.observation


@pytest.mark.parametrize(
    "text", ["a: " * 20_000, "1," * 50_000, "x" * 190_000, "lat " * 40_000, "; a = " * 30_000]
)
def test_a_long_odd_text_is_read_in_good_time(world: World, text: str) -> None:
    step = run(world, State(), parse_structured, text=text, fields=["depth (m)", "date", "coordinates"])
    assert not step.failed and step.data["values"] == {}


@pytest.mark.parametrize(
    ("field", "expected"),
    [("sand (m3)", 180_000.0), ("ships: integer", 12), ("mud (m3)", None), ("berths: integer", None)],
)
def test_a_measure_right_before_its_name_is_taken_and_no_other(
    world: World, field: str, expected: float | None
) -> None:
    text = "About 180,000 cubic metres of sand are moved past 12 ships; some mud stays at both berths."
    found = values(world, text, [field])
    assert list(found.values()) == ([] if expected is None else [expected])


def test_a_country_is_no_city_and_the_other_way_round(world: World) -> None:
    text = "The survey began in Lyon and covered much of Brazil."
    assert values(world, text, ["city", "country"]) == {
        "city": "Lyon, Auvergne-Rhône-Alpes, France", "country": "Brazil",
    }  # fmt: skip
