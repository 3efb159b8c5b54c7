"""Countries at points, outlines, and nearest cities."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from data.gazetteer import Place, gazetteer
from tests.suite.walking import walks

AT = [
    (2.35, 48.85, "FR"),
    (-80, 40.44, "US"),
    (139.7, 35.7, "JP"),
    (37.6, 55.75, "RU"),
    (-175, 66, "RU"),
    (178, -17.8, "FJ"),
    (0, -89, "AQ"),
    (-179.9, -86, "AQ"),
    (21, 42.6, "XK"),
    (103.8, 1.35, "SG"),
    (-53, 4, "FR"),
    (149.1, -35.3, "AU"),
    (0, 0, None),
    (-150, 30, None),
    (-30, 40, None),
    (4.0, 52.0, "NL"),
    (56.4, 25.2, "AE"),
    (float("nan"), 3, None),
    (28, -29.5, "LS"),
    (-157.9, 21.3, "US"),
    (14.4, 35.9, "MT"),
    (382.35 - 20, 48.85, "FR"),
]


@walks("lon, lat, code", AT)
def test_a_point_is_in_its_country(lon: float, lat: float, code: str | None) -> None:
    assert gazetteer().country_at(lon, lat) == code


def test_the_territorial_sea_counts_and_ends_at_twelve_nautical_miles() -> None:
    at = gazetteer().country_at
    assert (at(-9.6, 39.35), at(-9.6, 39.35, sea_km=0), at(-10.4, 39.35)) == ("PT", None, None)


def test_many_points_at_once_are_the_same_as_one_by_one() -> None:
    lons, lats = [lon for lon, _, _ in AT], [lat for _, lat, _ in AT]
    assert gazetteer().countries_at(lons, lats) == [code for _, _, code in AT]
    assert gazetteer().countries_at([], []) == []


COUNTRIES = [c for c in gazetteer().places("country") if gazetteer().polygon(c) is not None]


@walks("country", COUNTRIES, lambda c: c.country)
def test_a_countrys_own_point_is_in_its_outline_and_in_the_country(country: Place) -> None:
    outline = gazetteer().polygon(country)
    assert outline is not None
    assert outline.is_valid
    west, south, east, north = outline.bounds
    assert -180 <= west <= east <= 180 and -90 <= south <= north <= 90
    assert outline.covers(shapely.Point(country.lon, country.lat))
    assert gazetteer().country_at(country.lon, country.lat) == country.country


def test_nearly_every_country_has_an_outline() -> None:
    assert len(COUNTRIES) >= 235
    without = {c.country for c in gazetteer().places("country")} - {c.country for c in COUNTRIES}
    assert without == {"BQ", "CC", "CX", "GF", "GI", "GP", "MQ", "RE", "SJ", "TK", "TV", "YT"}


def test_countries_over_the_antimeridian_have_a_west_beyond_their_east() -> None:
    across = {c.country for c in COUNTRIES if c.bbox[0] > c.bbox[2]}
    assert across == {"RU", "FJ", "NZ"}


def test_a_countrys_box_leaves_out_what_lies_oceans_away() -> None:
    boxes = {c.country: c.bbox for c in COUNTRIES}
    assert boxes["FR"] == pytest.approx((-5, 41.3, 9.6, 51.1), abs=0.3)
    assert boxes["NL"] == pytest.approx((3.4, 50.8, 7.2, 53.5), abs=0.3)


def test_every_us_state_has_an_outline_and_other_places_have_none() -> None:
    g = gazetteer()
    states = [p for p in g.places("admin1") if p.country == "US"]
    assert len(states) == 51
    assert all(g.polygon(state) is not None for state in states)
    paris = g.resolve("Paris").best
    assert paris is not None
    assert g.polygon(paris) is None


@pytest.mark.parametrize(
    ("lon", "lat", "name"),
    [(-79.99, 40.44, "Pittsburgh"), (4.85, 45.75, "Lyon"), (179.99, -17, "Savusavu"), (3.4, 6.45, "Lagos")],
)
def test_the_nearest_city_is_found(lon: float, lat: float, name: str) -> None:
    assert gazetteer().nearest_city(lon, lat)[0].name == name


CITIES = [p for p in gazetteer().places("city") if (p.population or 0) > 1_000_000]


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(CITIES), st.floats(0.0, 0.001), st.floats(0, 6.28))
def test_no_city_is_nearer_than_the_nearest(city: Place, degrees: float, angle: float) -> None:
    lon, lat = city.lon + degrees * math.cos(angle), city.lat + degrees * math.sin(angle)
    _, km = gazetteer().nearest_city(lon, lat)
    assert 0 <= km <= 111.3 * degrees + 1e-6


def test_points_off_the_globe_and_masked_are_in_no_country() -> None:
    assert gazetteer().countries_at(np.array([np.nan, np.inf]), np.array([0.0, np.nan])) == [None, None]
