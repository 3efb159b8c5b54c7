"""What the quantity reader makes of phrases."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.planner.reading.quantities import quantities
from tests.suite.walking import walks

# sentence -> (phrase, kind, value, comparison, role) of each quantity
READ = {
    "within 40 km of Pittsburgh": [("within 40 km", "distance_km", 40.0, "<=", "radius")],
    "25 miles around Paris": [("25 miles", "distance_km", 40.2336, "=", "radius")],
    "500m": [("500m", "distance_km", 0.5, "=", "")],
    "10 nautical miles": [("10 nautical miles", "distance_km", 18.52, "=", "")],
    "a 30-kilometre radius": [("30-kilometre radius", "distance_km", 30.0, "=", "radius")],
    "half a kilometre": [("half a kilometre", "distance_km", 0.5, "=", "")],
    "twenty km": [("twenty km", "distance_km", 20.0, "=", "")],
    "an area of 12 km²": [("12 km²", "area_km2", 12.0, "=", "")],
    "3 square miles": [("3 square miles", "area_km2", 7.769964, "=", "")],
    "100 hectares": [("100 hectares", "area_km2", 1.0, "=", "")],
    "under 10 %": [("under 10 %", "percent", 10.0, "<", "")],
    "5 percent": [("5 percent", "percent", 5.0, "=", "")],
    "top 5": [("top 5", "count", 5.0, "=", "top")],
    "the first ten": [("the first ten", "count", 10.0, "=", "top")],
    "the five largest cities": [("the five largest", "count", 5.0, "=", "top")],
    "at most 20 images": [("at most 20 images", "count", 20.0, "<=", "limit")],
    "a dozen ships": [("a dozen ships", "count", 12.0, "=", "")],
    "zoom level 9": [("zoom level 9", "zoom_level", 9.0, "=", "")],
    "set zoom to 12": [("zoom to 12", "zoom_level", 12.0, "=", "")],
    "zoom in": [("zoom in", "zoom_steps", 1.0, "=", "")],
    "zoom in twice": [("zoom in twice", "zoom_steps", 2.0, "=", "")],
    "zoom out by 3 levels": [("zoom out by 3 levels", "zoom_steps", -3.0, "=", "")],
    "1,200 images": [("1,200 images", "count", 1200.0, "=", "")],
    "1.2k images": [("1.2k images", "count", 1200.0, "=", "")],
    "over a million people": [("over a million people", "population", 1000000.0, ">", "")],
    "cities of more than 2.5 million inhabitants": [
        ("more than 2.5 million inhabitants", "population", 2500000.0, ">", "")
    ],
    "with more than 10 detections": [("more than 10 detections", "count", 10.0, ">", "")],
    "at least 3 ships": [("at least 3 ships", "count", 3.0, ">=", "")],
    "limit 2000": [("limit 2000", "count", 2000.0, "<=", "limit")],
    "show 50 rows": [("50 rows", "count", 50.0, "=", "")],
    "population over 1 million": [("population over 1 million", "population", 1000000.0, ">", "")],
    "WorldView-2 and xview3 and Sentinel-2": [],
    "in the last 3 months": [],
    "images from 2018": [],
    "10 or more ships": [("10 or more ships", "count", 10.0, ">=", "")],
    "within a mile of the port": [("within a mile", "distance_km", 1.609344, "<=", "radius")],
    "about 300 km": [("about 300 km", "distance_km", 300.0, "~", "")],
    "1 m": [("1 m", "distance_km", 0.001, "=", "")],
    "zoom 99": [("zoom 99", "zoom_level", 99.0, "=", "")],
    "two and a half miles": [("two and a half miles", "distance_km", 4.02336, "=", "")],
    "less than 500 metres away": [("less than 500 metres", "distance_km", 0.5, "<", "")],
    "hundreds of ships": [],
    "the last 5 results": [("the last 5", "count", 5.0, "=", "bottom")],
    "0.5 m resolution": [("0.5 m", "distance_km", 0.0005, "=", "")],
    "half a million people": [("half a million people", "population", 500000.0, "=", "")],
    "limit to 10": [("limit to 10", "count", 10.0, "<=", "limit")],
    "the 10 newest images": [("the 10 newest", "count", 10.0, "=", "top")],
    "level 12": [("level 12", "zoom_level", 12.0, "=", "")],
    "2355.tif": [],
}


@walks("sentence", READ)
def test_a_phrase_reads_as_its_quantity(sentence: str) -> None:
    found = [
        (span.text, span.kind, round(span.value, 6), span.op, span.role) for span in quantities(sentence)
    ]
    assert found == READ[sentence]


def test_a_zoom_level_that_does_not_exist_says_so() -> None:
    (span,) = quantities("zoom 99")
    assert span.error == "There is no zoom level 99; levels run from 0 (the world) to 24."


def test_a_number_too_large_to_hold_says_so() -> None:
    (span,) = quantities("9" * 400 + " km")
    assert span.error == "The number is too large to be read; write a smaller one."


@settings(deadline=None)
@given(st.integers(1, 10**9))
def test_thousands_with_and_without_commas_are_the_same(value: int) -> None:
    assert [span.value for text in (f"{value:,} ships", f"{value} ships") for span in quantities(text)] == [
        value
    ] * 2


@settings(deadline=None)
@given(
    st.floats(0.001, 1e6),
    st.sampled_from([("km", 1.0), ("miles", 1.609344), ("m", 0.001), ("nautical miles", 1.852)]),
)
def test_a_distance_in_any_unit_reads_as_kilometres(value: float, unit: tuple[str, float]) -> None:
    (span,) = quantities(f"within {value:.3f} {unit[0]} of the port")
    assert (span.role, span.op) == ("radius", "<=")
    assert span.value == pytest.approx(round(value, 3) * unit[1])


WORDS = st.sampled_from(" ".join(READ).split())


@settings(deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=9).map(" ".join)))
def test_any_text_gives_ordered_spans_that_quote_it(text: str) -> None:
    end = 0
    for span in quantities(text):
        assert end <= span.start_index < span.end_index
        assert text[span.start_index : span.end_index] == span.text
        end = span.end_index
