"""What the phrases of a request name: classes, events, data sets, places, colours."""

from __future__ import annotations

import itertools
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copilot.planner.reading.attributes import comparisons
from copilot.planner.spans import Names, Reader
from copilot.planner.spelling import mended
from data.gazetteer import gazetteer
from data.vocabulary.datasets import dataset_mentions
from data.vocabulary.thesaurus import Term

EVENTS = ("palu-tsunami", "guatemala-volcano", "hurricane-harvey", "mexico-earthquake", "santa-rosa-wildfire")


def reader() -> Reader:
    return Reader(
        gazetteer(), date(2024, 6, 15), Names(events=EVENTS, fields=("cloud_pct", "country", "sensor"))
    )


def named(text: str, kind: str) -> list[tuple[str, str]]:
    return [(span.text, _first(span.value)) for span in reader().read(text) if span.kind == kind]


def _first(value: object) -> str:
    return value[0].name if isinstance(value, tuple) and isinstance(value[0], Term) else str(value)


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        (
            "tennis and basketball courts",
            [("tennis", "Tennis Court"), ("basketball courts", "Basketball Court")],
        ),
        ("cargo and tanker ships", [("cargo", "cargo vessels"), ("tanker ships", "tankers")]),
        ("anything with wheels", [("anything with wheels", "vehicles")]),
        ("everything floating", [("everything floating", "vessels")]),
        ("only fishing", [("fishing", "fishing vessels")]),
        ("school buildings", [("school buildings", "educational_institution")]),
        ("military vehicles", [("vehicles", "vehicles")]),
        ("green areas", [("green areas", "Green urban areas")]),
    ],
)
def test_a_class_is_read_from_its_whole_phrase(text: str, classes: list[tuple[str, str]]) -> None:
    assert named(text, "class") == classes


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("tsunami in Palu", "palu-tsunami"),
        ("volcano eruption Guatemala", "guatemala-volcano"),
        ("the Mexico quake", "mexico-earthquake"),
        ("Santa Rosa fires", "santa-rosa-wildfire"),
    ],
)
def test_an_event_is_known_by_its_place_and_what_happened(text: str, event: str) -> None:
    assert [name for _, name in named(text, "event")] == [event]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("load the maritime datasets", ("xview3", "sarfish")),
        ("load the one with building damage", ("xview2",)),
        ("the data set about land cover", ("bigearthnet",)),
    ],
)
def test_a_data_set_is_known_by_what_it_is_about(text: str, names: tuple[str, ...]) -> None:
    assert [span.names for span in dataset_mentions(text)] == [names]


def test_the_ones_with_a_class_are_no_data_set() -> None:
    assert dataset_mentions("only the ones with ships") == []


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Nice, France: ports", "Nice, Provence-Alpes-Côte d'Azur, France"),
        ("Mobile, Alabama hospitals", "Mobile, Alabama, United States"),
        ("football fields in Rio", "Rio de Janeiro, Brazil"),
        ("across the Fiji islands", "Fiji"),
    ],
)
def test_a_place_is_read_where_its_name_is_a_common_word(text: str, label: str) -> None:
    spans = [span for span in reader().read(text) if span.kind == "place"]
    assert [span.value.resolution.best.label for span in spans] == [label]


@pytest.mark.parametrize(
    ("text", "plainer"),
    [
        ("fmow 2019, N Korea", "fmow 2019, North Korea"),
        ("Balkan countries", "Balkans"),
        ("load xview9", "load xview9"),
    ],
)
def test_short_hand_is_spelt_out_and_a_number_is_never_mended(text: str, plainer: str) -> None:
    assert mended(text, ()) == plainer


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cloud cover of 5 to 15 percent", [("cloud_pct", ">=", 5.0), ("cloud_pct", "<=", 15.0)]),
        ("How cloudy are the images", []),
        ("whose country is JPN", [("country", "=", "JPN")]),
        ("landsat images", [("sensor", "=", "Landsat")]),
    ],
)
def test_a_comparison_is_read_as_it_is_meant(text: str, found: list[tuple[str, str, object]]) -> None:
    spans = comparisons(text, ("cloud_pct", "country", "sensor"))
    assert [(each.field, each.op, each.value) for each in spans] == found


def test_a_colour_of_a_thing_is_no_style() -> None:
    assert named("red ships, in blue", "color") == [("blue", "blue")]


@given(st.text(max_size=120))
def test_no_text_breaks_the_reader(text: str) -> None:
    spans = reader().read(text)
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))


def test_a_kind_of_disaster_means_every_event_of_that_kind() -> None:
    assert named("all the earthquakes", "event") == [("earthquakes", "('mexico-earthquake',)")]


@pytest.mark.parametrize(
    ("text", "bbox"),
    [
        ("a box from 12,56 to 10,54", (10.0, 54.0, 12.0, 56.0)),
        ("box with corners (12.2, 41.7) and (12.8, 42.1)", (12.2, 41.7, 12.8, 42.1)),
    ],
)
def test_two_corners_are_a_box_longitude_first(text: str, bbox: tuple[float, ...]) -> None:
    assert [span.value.bbox for span in reader().read(text) if span.kind == "bbox"] == [bbox]


def test_a_landmark_is_a_point_and_any_white_house_is_none() -> None:
    points = [span for span in reader().read("near the Eiffel Tower") if span.kind == "point"]
    assert [(span.value.lon, span.value.lat) for span in points] == [(2.2945, 48.8584)]
    assert [span for span in reader().read("a white house") if span.kind == "point"] == []


def test_the_number_of_a_data_set_is_no_coordinate() -> None:
    (point,) = [span for span in reader().read("xview3 52.0, 3.5 within 60 km") if span.kind == "point"]
    assert (point.value.lon, point.value.lat) == (3.5, 52.0)


def test_a_range_of_slashed_dates_is_one_range() -> None:
    assert mended("01/03/2019-31/08/2019", ()) == "01/03/2019 to 31/08/2019"


def test_a_word_that_names_something_is_not_mended_beside_a_date() -> None:
    text = "tugboats close to Hamburg harbour, 2018-2020"
    assert mended(text, reader().read(text)) == "tugboats close to Hamburg harbour, 2018 to 2020"
