"""Coordinates in four forms, against GeographicLib's published examples and PROJ."""

from __future__ import annotations

from typing import Any

import pytest
from pyproj import Transformer
from pyproj.aoi import AreaOfInterest
from pyproj.database import query_utm_crs_info

from state.model import State
from tests.tools.world import run
from tools.base import World
from tools.python.coordinates import convert_coordinates, utm_zone


def converted(world: World, text: str | None = None, **more: Any) -> dict[str, Any]:
    step = run(world, State(), convert_coordinates, coordinates=text, **more)
    assert not step.failed, step.observation
    return dict(step.data)


def test_the_examples_in_geographiclibs_manual_of_geoconvert_come_out(world: World) -> None:
    # GeoConvert(1): 38SMB4488 is 33.33424 44.40363, 33:20:03.25N 44:24:13.06E and 38n 444500 3688500.
    read = converted(world, "38SMB4488")
    assert (round(read["lat"], 5), round(read["lon"], 5)) == (33.33424, 44.40363)
    assert read["dms"] == "33°20′03.25″N 44°24′13.06″E"
    assert read["utm"] == "zone 38 north, 444500.0 m E, 3688500.0 m N"
    # … and E44d24 N33d20 at a precision of -3 is 38SMB4488.
    assert converted(world, "N33 20 E44 24", mgrs_digits=2)["mgrs"] == "38SMB4488"


@pytest.mark.parametrize(
    "text",
    [
        "48.858222, 2.2945", "48.858222 2.2945", "lat 48.858222 lon 2.2945", "2.2945 E, 48.858222 N",
        "48°51′29.6″N 2°17′40.2″E", "48:51:29.6 N, 2:17:40.2 E", "N48 51 29.6 E2 17 40.2",
        "48° 51.49332' north 2° 17.67' east", "31U 448251.9 5411935.2",
        "utm zone 31 north 448251.9 5411935.2",
        "31U DQ 48251 11935",
    ],
)  # fmt: skip
def test_the_eiffel_tower_is_read_however_it_is_written(world: World, text: str) -> None:
    read = converted(world, text)
    assert (read["lon"], read["lat"]) == pytest.approx((2.2945, 48.858222), abs=1.5e-5)
    assert read["mgrs"].startswith("31UDQ48251193") or read["mgrs"].startswith("31UDQ4825")


def test_of_two_bare_numbers_the_first_is_the_latitude_unless_it_is_beyond_90(world: World) -> None:
    assert (converted(world, "40.5 -79.9")["lat"], converted(world, "121.5 25.0")["lat"]) == (40.5, 25.0)


@pytest.mark.parametrize(("lon", "lat"), [(-180, -79.9), (-70.5, -33.4), (0, 0), (24.9, 60.2), (179.9, 12)])
def test_utm_is_projs(world: World, lon: float, lat: float) -> None:
    data = converted(world, None, lon=lon, lat=lat)
    area = AreaOfInterest(lon, lat, lon, lat)
    codes = {int(each.code) for each in query_utm_crs_info("WGS 84", area)}
    assert data["epsg"] in codes
    back = Transformer.from_crs(data["epsg"], 4326, always_xy=True).transform(
        data["easting_m"], data["northing_m"]
    )
    assert ((back[0] - lon + 180) % 360 - 180, back[1] - lat) == pytest.approx((0, 0), abs=1e-7)


def test_zones_follow_norway_and_svalbard_as_mgrs_does(world: World) -> None:
    for lat in (-50, 0, 55.9, 56, 60, 63.9, 64, 71.9, 72, 80):
        for lon in range(-180, 180, 3):
            found = converted(world, None, lon=lon + 0.5, lat=lat)
            assert int(found["mgrs"][:2]) == found["zone"] == utm_zone(lon + 0.5, lat), (lon, lat)


def test_at_the_poles_ups_takes_over(world: World) -> None:
    assert converted(world, None, lon=0, lat=90)["utm"] == "UPS north, 2000000.0 m E, 2000000.0 m N"
    south = converted(world, None, lon=90, lat=-85)
    assert south["utm"].startswith("UPS south") and south["mgrs"][0] == "B" and south["zone"] is None
    again = converted(world, f"UPS S {south['easting_m']} {south['northing_m']}")
    assert (again["lon"], again["lat"]) == pytest.approx((90, -85), abs=1e-7)


def test_rounding_to_a_whole_minute_carries_over(world: World) -> None:
    data = converted(world, None, lon=-0.9999999999, lat=59.9999999999)
    assert data["dms"] == "60°00′00.00″N 1°00′00.00″W"


def test_the_form_that_is_asked_for_is_the_one_that_is_said(world: World) -> None:
    step = run(world, State(), convert_coordinates, lon=-79.9959, lat=40.4406, to="mgrs", mgrs_digits=3)
    assert step.observation == "Longitude -79.9959, latitude 40.4406 is MGRS 17TNE851771."


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("foo", "'foo' cannot be read as coordinates; write"),
        ("95, 95", "'95, 95' lies beyond longitude 180 or latitude 90; write"),
        ("40°61′N 3°E", "'40°61′N 3°E' has minutes or seconds of 60 or more, or two signs; write"),
        ("10 N 20 S", "'10 N 20 S' does not name one latitude and one longitude; write"),
        ("61N 500000 0", "There is no UTM zone 61; they go from 1 to 60."),
        ("31N 99999999 0", "'31N 99999999 0' lies outside its zone; eastings are near"),
        ("31UZZ4825111932", "No square of MGRS is named 31UZZ4825111932; one is"),
    ],
)
def test_what_is_no_place_is_refused(world: World, text: str, part: str) -> None:
    step = run(world, State(), convert_coordinates, coordinates=text)
    assert step.failed and step.observation.startswith(part)
