"""Places looked up: names, points, bounds and countries."""

from __future__ import annotations

import pyproj
import pytest

from state.model import State
from tests.tools.world import run
from tools.base import World
from tools.geotools.places import country_at, geocode, place_bounds, reverse_geocode


def test_a_name_has_one_position_and_box(world: World) -> None:
    step = run(world, State(), geocode, place="Rotterdam")
    data = dict(step.data)
    assert (data["label"], data["lon"], data["lat"]) == (
        "Rotterdam, South Holland, The Netherlands",
        pytest.approx(4.479, abs=0.01),
        pytest.approx(51.9225, abs=0.01),
    )
    assert not data["ambiguous"] and step.state == State()
    assert step.observation.startswith(
        "Rotterdam, South Holland, The Netherlands (city) is at longitude 4.479"
    )


def test_an_ambiguous_name_lists_every_place_it_may_mean(world: World) -> None:
    step = run(world, State(), geocode, place="Georgia")
    assert step.data["ambiguous"]
    assert [each["label"] for each in step.data["candidates"]] == ["Georgia", "Georgia, United States"]
    assert step.observation.startswith("'Georgia' may be any of Georgia and Georgia, United States.")
    assert len(run(world, State(), geocode, place="Springfield", limit=3).data["candidates"]) == 3


def test_a_misspelt_name_is_corrected_and_said_and_an_unknown_one_refused(world: World) -> None:
    said = run(world, State(), geocode, place="Rotterdm").observation
    assert said.startswith("'Rotterdm' was read as Rotterdam.")
    nowhere = run(world, State(), geocode, place="Xyzzyqq")
    assert nowhere.failed and nowhere.observation.startswith("No place is called 'Xyzzyqq'.")


def test_a_point_is_named_by_its_nearest_city_with_the_geodesic_distance(world: World) -> None:
    step = run(world, State(), reverse_geocode, lon=4.6, lat=51.95)
    city = next(each for each in world.gazetteer.places("city") if each.label == step.data["city"])
    azimuth, _, metres = pyproj.Geod(ellps="WGS84").inv(city.lon, city.lat, 4.6, 51.95)
    assert step.data["distance_km"] == pytest.approx(metres / 1000, abs=0.0005)
    assert step.data["azimuth_deg"] == pytest.approx(azimuth % 360, abs=0.05)
    assert (step.data["country"], step.data["country_name"]) == ("NL", "The Netherlands")
    sea = run(world, State(), reverse_geocode, lon=-140, lat=0)
    assert (
        sea.observation
        == "(-140, 0) is in no country, 985.5 km north of Taiohae, French Polynesia; no city is near."
    )


def test_bounds_cross_the_antimeridian_where_the_place_does(world: World) -> None:
    step = run(world, State(), place_bounds, place="Fiji")
    west, south, east, north = step.data["bbox"]
    assert west > east and step.observation.endswith("It crosses the antimeridian.")
    geod = pyproj.Geod(ellps="WGS84")
    assert step.data["height_km"] == pytest.approx(geod.inv(0, south, 0, north)[2] / 1000, abs=0.001)
    assert step.data["width_km"] == pytest.approx(
        geod.inv(west, (south + north) / 2, east + 360, (south + north) / 2)[2] / 1000, rel=1e-4
    )
    assert step.data["center"][0] == pytest.approx(178.17, abs=0.01)


def test_bounds_of_an_ambiguous_name_ask_which(world: World) -> None:
    step = run(world, State(), place_bounds, place="Georgia")
    assert step.failed
    assert step.observation == (
        "'Georgia' may be any of 'Georgia (country)' and 'Georgia, United States'; "
        "give one of these as the place."
    )


@pytest.mark.parametrize(
    ("lon", "lat", "country", "said"),
    [
        (36.8, -1.3, "KE", "(36.8, -1.3) lies in Kenya (KE)."),
        (-179.9, 67.5, "RU", "(-179.9, 67.5) lies in Russia (RU)."),
        (0, -90, "AQ", "(0, -90) lies in Antarctica (AQ)."),
        (0, 0, None, "(0, 0) lies in no country: more than 12 nautical miles from every coast."),
        (4.0, 52.1, "NL", "(4, 52.1) lies in The Netherlands (NL), in its waters."),
    ],
)
def test_a_point_lies_in_its_country(
    world: World, lon: float, lat: float, country: str | None, said: str
) -> None:
    step = run(world, State(), country_at, lon=lon, lat=lat)
    assert (step.data["country"], step.observation) == (country, said)
