"""What the coordinate reader makes of points and boxes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.planner.reading.coordinates import CoordSpan, coordinates
from tests.suite.walking import walks

# sentence -> (phrase, longitude, latitude, order, assumed) of each point; (phrase, box); the error
POINTS = {
    "40.44, -79.99": [("40.44, -79.99", -79.99, 40.44, "lat,lon", True)],
    "at 40.44 -79.99": [("40.44 -79.99", -79.99, 40.44, "lat,lon", True)],
    "(40.44, -79.99)": [("(40.44, -79.99)", -79.99, 40.44, "lat,lon", True)],
    "[-79.99, 40.44]": [("[-79.99, 40.44]", -79.99, 40.44, "lon,lat", False)],
    "POINT(-79.99 40.44)": [("(-79.99 40.44)", -79.99, 40.44, "lon,lat", False)],
    "-79.99, 40.44": [("-79.99, 40.44", 40.44, -79.99, "lat,lon", True)],
    "-122.42, 37.77": [("-122.42, 37.77", -122.42, 37.77, "lon,lat", False)],
    "37.77, -122.42": [("37.77, -122.42", -122.42, 37.77, "lat,lon", False)],
    "40.44N 79.99W": [("40.44N 79.99W", -79.99, 40.44, "lat,lon", False)],
    "40.44 N, 79.99 W": [("40.44 N, 79.99 W", -79.99, 40.44, "lat,lon", False)],
    "N40.44 W79.99": [("N40.44 W79.99", -79.99, 40.44, "lat,lon", False)],
    "40°26′N 79°59′W": [("40°26′N 79°59′W", -79.98333, 40.43333, "lat,lon", False)],
    "40°26'46\"N 79°58'56\"W": [("40°26'46\"N 79°58'56\"W", -79.98222, 40.44611, "lat,lon", False)],
    "40° 26' 46.5\" N, 79° 58' 56\" W": [
        ("40° 26' 46.5\" N, 79° 58' 56\" W", -79.98222, 40.44625, "lat,lon", False)
    ],
    "lat 40.44 lon -79.99": [("lat 40.44 lon -79.99", -79.99, 40.44, "lat,lon", False)],
    "latitude: 40.44, longitude: -79.99": [
        ("latitude: 40.44, longitude: -79.99", -79.99, 40.44, "lat,lon", False)
    ],
    "lon=-79.99, lat=40.44": [("lon=-79.99, lat=40.44", -79.99, 40.44, "lon,lat", False)],
    "within 40 km of 40.44, -79.99": [("40.44, -79.99", -79.99, 40.44, "lat,lon", True)],
    "[-5, 80]": [("[-5, 80]", -5.0, 80.0, "lon,lat", False)],
    "go to -5, 80": [("-5, 80", 80.0, -5.0, "lat,lon", True)],
    "33.9S, 18.4E": [("33.9S, 18.4E", 18.4, -33.9, "lat,lon", False)],
    "5 s 10 e": [("5 s 10 e", 10.0, -5.0, "lat,lon", False)],
    "−33.9, 18.4": [("−33.9, 18.4", 18.4, -33.9, "lat,lon", True)],
    "the points 40.44, -79.99 and 41.5, -80.1": [
        ("40.44, -79.99", -79.99, 40.44, "lat,lon", True),
        ("41.5, -80.1", -80.1, 41.5, "lat,lon", True),
    ],
    "40.44°, -79.99°": [("40.44°, -79.99°", -79.99, 40.44, "lat,lon", True)],
}
BOXES = {
    "[-80.2, 40.3, -79.8, 40.6]": ("[-80.2, 40.3, -79.8, 40.6]", (-80.2, 40.3, -79.8, 40.6)),
    "bbox -80.2 40.3 -79.8 40.6": ("bbox -80.2 40.3 -79.8 40.6", (-80.2, 40.3, -79.8, 40.6)),
    "bounding box: -80.2, 40.3, -79.8, 40.6": (
        "bounding box: -80.2, 40.3, -79.8, 40.6",
        (-80.2, 40.3, -79.8, 40.6),
    ),
    "from 40N 80W to 41N 79W": ("from 40N 80W to 41N 79W", (-80.0, 40.0, -79.0, 41.0)),
    "between 10N and 20N and 30E and 40E": ("between 10N and 20N and 30E and 40E", (30.0, 10.0, 40.0, 20.0)),
    "between 10°N and 20°N, 30°E and 40°E": (
        "between 10°N and 20°N, 30°E and 40°E",
        (30.0, 10.0, 40.0, 20.0),
    ),
    "west=-80 south=40 east=-79 north=41": (
        "west=-80 south=40 east=-79 north=41",
        (-80.0, 40.0, -79.0, 41.0),
    ),
    "min_lon: -80, min_lat: 40, max_lon: -79, max_lat: 41": (
        "min_lon: -80, min_lat: 40, max_lon: -79, max_lat: 41",
        (-80.0, 40.0, -79.0, 41.0),
    ),
    "lat 10 to 20, lon 30 to 40": ("lat 10 to 20, lon 30 to 40", (30.0, 10.0, 40.0, 20.0)),
    "latitude between -10 and 20 and longitude between 30 and 40": (
        "latitude between -10 and 20 and longitude between 30 and 40",
        (30.0, -10.0, 40.0, 20.0),
    ),
    "north of 60°N": ("north of 60°N", (-180.0, 60.0, 180.0, 90.0)),
    "south of the equator": ("south of the equator", (-180.0, -90.0, 180.0, 0.0)),
    "above 60 north": ("above 60 north", (-180.0, 60.0, 180.0, 90.0)),
    "east of -80": ("east of -80", (-80.0, -90.0, 180.0, 90.0)),
    "from 170E 10S to 170W 10N": ("from 170E 10S to 170W 10N", (170.0, -10.0, -170.0, 10.0)),
    "[170, -20, -170, 10]": ("[170, -20, -170, 10]", (170.0, -20.0, -170.0, 10.0)),
    "between 10 and 20°N": ("between 10 and 20°N", (-180.0, 10.0, 180.0, 20.0)),
}
ERRORS = {
    "north of 95°N": "There is no latitude 95; latitudes run from -90 to 90.",
    "lat 95 lon 10": "There is no latitude 95; latitudes run from -90 to 90.",
    "[10, 50, 20, 40]": "South 50 is above north 40; a box is west, south, east, north.",
    "-40N 20E": "-40 has a minus and also a letter for north; keep one of them.",
}
NOTHING = [
    "95.5, 200.25",
    "between 0.3 and 0.5 m resolution",
    "top 5, 10",
    "confidence above 0.85, 0.95 max",
    "from 2017 to 2019",
    "bbox 1 2 3",
    "north of Paris",
    "3 ships, 5 planes",
    "images from 5.5 to 6.5",
]


def only(text: str) -> CoordSpan:
    """The one span of a text."""
    (span,) = coordinates(text)
    return span


@walks("sentence", POINTS)
def test_a_point_reads_with_its_signs_and_order(sentence: str) -> None:
    found = [
        (span.text, round(span.lon or 0.0, 5), round(span.lat or 0.0, 5), span.order, span.assumed)
        for span in coordinates(sentence)
    ]
    assert found == POINTS[sentence]


@walks("sentence", BOXES)
def test_a_box_reads_as_west_south_east_north(sentence: str) -> None:
    span = only(sentence)
    assert (span.text, span.bbox) == BOXES[sentence]


@pytest.mark.parametrize("sentence", ERRORS)
def test_a_place_off_the_earth_says_why(sentence: str) -> None:
    span = only(sentence)
    assert (span.error, span.lon, span.lat, span.bbox) == (ERRORS[sentence], None, None, None)


@pytest.mark.parametrize("sentence", NOTHING)
def test_other_numbers_are_left_alone(sentence: str) -> None:
    assert coordinates(sentence) == []


LON, LAT = st.integers(-1800000, 1800000), st.integers(-900000, 900000)


def letters(lon: float, lat: float) -> str:
    return f"{abs(lat):.4f}{'S' if lat < 0 else 'N'} {abs(lon):.4f}{'W' if lon < 0 else 'E'}"


def sexagesimal(value: float, positive: str, negative: str) -> str:
    seconds = round(abs(value) * 3600, 2)
    degrees, rest = divmod(seconds, 3600)
    minutes, left = divmod(rest, 60)
    left = min(left, 59.99)
    return f"{int(degrees)}°{int(minutes)}′{left:.2f}″{negative if value < 0 else positive}"


NOTATIONS = (
    lambda lon, lat: f"lat {lat:.4f} lon {lon:.4f}",
    lambda lon, lat: f"[{lon:.4f}, {lat:.4f}]",
    lambda lon, lat: f"POINT({lon:.4f} {lat:.4f})",
    lambda lon, lat: f"longitude={lon:.4f}, latitude={lat:.4f}",
    letters,
    lambda lon, lat: f"{sexagesimal(lat, 'N', 'S')} {sexagesimal(lon, 'E', 'W')}",
)


@settings(deadline=None)
@given(LON, LAT, st.sampled_from(range(len(NOTATIONS))))
def test_a_point_in_any_notation_reads_back(lon_e4: int, lat_e4: int, notation: int) -> None:
    lon, lat = lon_e4 / 10000, lat_e4 / 10000
    span = only(f"images near {NOTATIONS[notation](lon, lat)} please")
    assert span.lon == pytest.approx(lon, abs=1e-5)
    assert span.lat == pytest.approx(lat, abs=1e-5)
    assert (span.assumed, span.error) == (False, None)


@settings(deadline=None)
@given(LON, LAT)
def test_a_plain_pair_is_latitude_first_where_it_can_be(lon_e4: int, lat_e4: int) -> None:
    lon, lat = lon_e4 / 10000, lat_e4 / 10000
    span = (
        only(f"at {lat:.4f}, {lon:.4f}")
        if abs(lat) > 1 or abs(lon) > 1
        else CoordSpan(0, 0, "", "point", lon, lat)
    )
    assert (span.lon, span.lat) == (lon, lat)


@settings(deadline=None)
@given(LON, LAT, LON, LAT)
def test_a_box_in_brackets_reads_back(west: int, south: int, east: int, north: int) -> None:
    box = (west / 10000, min(south, north) / 10000, east / 10000, max(south, north) / 10000)
    assert only("in [" + ", ".join(f"{side:.4f}" for side in box) + "]").bbox == box


WORDS = st.sampled_from(" ".join([*POINTS, *BOXES, *ERRORS, *NOTHING]).split())


@settings(deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=9).map(" ".join)))
def test_any_text_gives_ordered_spans_that_quote_it(text: str) -> None:
    end = 0
    for span in coordinates(text):
        assert end <= span.start_index < span.end_index
        assert text[span.start_index : span.end_index] == span.text
        assert (span.error is None) == (span.bbox is not None or span.lon is not None)
        end = span.end_index
