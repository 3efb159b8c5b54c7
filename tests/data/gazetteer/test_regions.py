"""The named regions' bounds: their ranges, their number, and known points in them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from data.gazetteer import Place, gazetteer
from data.gazetteer.names import normalise
from tests.suite.walking import walks

FOLDER = Path(__file__).parents[3] / "data" / "gazetteer"
REGION_FILES = ("regions_water.csv", "regions_land.csv", "regions_human.csv")

# Region, and a point (longitude, latitude) known to lie in it.
POINTS = [
    ("Red Sea", 38, 20),
    ("Suez Canal", 32.35, 30.5),
    ("Panama Canal", -79.7, 9.1),
    ("Strait of Hormuz", 56.4, 26.6),
    ("Strait of Malacca", 100, 3.5),
    ("Bab-el-Mandeb", 43.3, 12.6),
    ("Bosphorus", 29.06, 41.1),
    ("Dardanelles", 26.4, 40.2),
    ("English Channel", -1, 50),
    ("Strait of Dover", 1.5, 51),
    ("Strait of Gibraltar", -5.6, 35.95),
    ("Black Sea", 34, 43),
    ("Sea of Azov", 36.5, 46),
    ("Caspian Sea", 51, 41),
    ("Baltic Sea", 19, 57),
    ("North Sea", 3, 56),
    ("Mediterranean Sea", 18, 35),
    ("Adriatic Sea", 16, 43),
    ("Aegean Sea", 25, 38.5),
    ("Persian Gulf", 51.5, 27),
    ("Gulf of Oman", 58.5, 24.8),
    ("Gulf of Aden", 47, 12.2),
    ("Arabian Sea", 65, 15),
    ("Bay of Bengal", 88, 15),
    ("South China Sea", 114, 13),
    ("East China Sea", 125, 29),
    ("Yellow Sea", 123, 36),
    ("Sea of Japan", 135, 40),
    ("Taiwan Strait", 119.5, 24.5),
    ("Bering Sea", 180, 58),
    ("Bering Strait", -169, 65.8),
    ("Coral Sea", 155, -18),
    ("Tasman Sea", 160, -38),
    ("Great Barrier Reef", 147, -18.3),
    ("Gulf of Mexico", -90, 25),
    ("Caribbean Sea", -75, 15),
    ("Gulf of Guinea", 2, 3),
    ("Mozambique Channel", 41, -18),
    ("Hudson Bay", -85, 60),
    ("Bay of Biscay", -4, 45),
    ("Lake Victoria", 33, -1),
    ("Lake Superior", -87.5, 47.7),
    ("Lake Baikal", 107.7, 53.5),
    ("Great Lakes", -82.4, 44.8),
    ("Sahara", 5, 24),
    ("Gobi", 105, 43),
    ("Atacama Desert", -69, -24),
    ("Namib", 15, -24),
    ("Kalahari", 22, -24),
    ("Taklamakan", 83, 39),
    ("Great Victoria Desert", 129, -29),
    ("Alps", 10, 46.5),
    ("Himalayas", 86.9, 27.99),
    ("Andes", -70, -32.6),
    ("Rocky Mountains", -106, 40),
    ("Ural Mountains", 59, 60),
    ("Kilimanjaro", 37.35, -3.07),
    ("Tibetan Plateau", 88, 33),
    ("Nile Delta", 31, 31),
    ("Mekong Delta", 106, 10),
    ("Danube Delta", 29.3, 45.1),
    ("Amazon Rainforest", -62, -4),
    ("Congo Basin", 22, 0),
    ("Sumatra", 101, -0.5),
    ("Borneo", 114, 1),
    ("Luzon", 121, 16),
    ("Sicily", 14, 37.5),
    ("Crete", 25, 35.2),
    ("Crimea", 34.1, 45),
    ("Kamchatka", 159, 56),
    ("Sahel", 5, 14),
    ("Horn of Africa", 46, 6),
    ("Donbas", 38, 48.3),
    ("Gaza Strip", 34.4, 31.45),
    ("West Bank", 35.25, 32),
    ("Kashmir", 75, 34),
    ("Indo-Pacific", 100, 0),
    ("Indo-Pacific", 179, 0),
    ("Silicon Valley", -122, 37.37),
    ("Rust Belt", -80, 40.44),
    ("Ruhr", 7.2, 51.5),
    ("Benelux", 4.9, 52.4),
    ("Balkans", 21, 43),
    ("Maghreb", 3, 36),
    ("Levant", 35.5, 33.9),
    ("Southeast Asia", 103.8, 1.35),
    ("Aleutian Islands", -176, 52),
    ("Aleutian Islands", 173, 52.8),
    ("Galápagos Islands", -91, -0.5),
    ("Svalbard", 16, 78.5),
    ("Spratly Islands", 114, 10),
    ("Heathrow Airport", -0.45, 51.47),
    ("JFK Airport", -73.78, 40.64),
    ("Port of Rotterdam", 4.05, 51.95),
    ("Port of Singapore", 103.75, 1.27),
    ("Pearl Harbor", -157.96, 21.36),
    ("Cape of Good Hope", 18.47, -34.36),
    ("Great Bear Lake", -121, 66),
]

# Region, and a point that is near but not in it.
OUTSIDE = [
    ("Red Sea", 51.5, 27),
    ("Black Sea", 51, 41),
    ("Suez Canal", 34.5, 29),
    ("Lake Victoria", 30, -6),
    ("Sicily", 9, 40),
    ("Gaza Strip", 35.2, 31.8),
    ("Indo-Pacific", -100, 40),
    ("Bering Sea", 100, 60),
    ("Aleutian Islands", 0, 52),
    ("Crimea", 30.7, 46.5),
    ("Silicon Valley", -118, 34),
    ("Sahara", 25, -20),
    ("Gulf of Oman", 50, 27),
]


def read_csv(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((FOLDER / name).read_text(encoding="utf-8").splitlines()))


def holds(place: Place, lon: float, lat: float) -> bool:
    west, south, east, north = place.bbox
    across = west <= lon <= east if west <= east else lon >= west or lon <= east
    return across and south <= lat <= north


def region(name: str) -> Place:
    found = [place for place in NAMED if place.name == name]
    assert len(found) == 1, name
    return found[0]


NAMED = [p for p in gazetteer().places() if p.kind not in ("city", "country", "admin1")]


def test_at_least_eight_hundred_and_fifty_named_regions_have_bounds() -> None:
    lines = [line for file in REGION_FILES for line in read_csv(file)]
    names = [normalise(line["name"]) for line in lines]
    assert len(names) == len(set(names))
    assert len(names) >= 850


def test_the_well_known_sites_are_at_least_two_hundred_and_unique() -> None:
    lines = read_csv("sites.csv")
    assert len({normalise(line["name"]) for line in lines}) == len(lines) >= 200


def test_every_place_has_bounds_in_range_around_its_point() -> None:
    wrong = []
    for place in gazetteer().places():
        west, south, east, north = place.bbox
        in_range = -180 <= west <= 180 and -180 <= east <= 180 and -90 <= south < north <= 90 and west != east
        if not (in_range and holds(place, place.lon, place.lat)):
            wrong.append((place.label, place.bbox))
    assert wrong == []


def test_only_regions_at_the_antimeridian_have_a_west_beyond_their_east() -> None:
    across = {place.name for place in NAMED if place.bbox[0] > place.bbox[2]}
    assert across == {
        "Pacific Ocean",
        "North Pacific Ocean",
        "South Pacific Ocean",
        "East Siberian Sea",
        "Chukchi Sea",
        "Ross Sea",
        "Bering Sea",
        "Gulf of Anadyr",
        "Northern Sea Route",
        "Wrangel Island",
        "Aleutian Islands",
        "Polynesia",
        "Oceania",
        "Indo-Pacific",
        "Asia-Pacific",
        "North Asia",
        "Russian Far East",
        "Ring of Fire",
        "Ross Ice Shelf",
    }


@walks("name, lon, lat", POINTS)
def test_a_region_holds_a_point_known_to_lie_in_it(name: str, lon: float, lat: float) -> None:
    assert holds(region(name), lon, lat)


@pytest.mark.parametrize(("name", "lon", "lat"), OUTSIDE)
def test_a_region_does_not_hold_a_point_beside_it(name: str, lon: float, lat: float) -> None:
    assert not holds(region(name), lon, lat)


def test_ids_are_unique() -> None:
    ids = [place.id for place in gazetteer().places()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("population_at_most", "half_km"),
    [(16_000, 8), (300_000, 17), (40_000_000, 40)],
    ids=["town", "city", "megacity"],
)
def test_a_citys_box_grows_with_its_people(population_at_most: int, half_km: float) -> None:
    cities = gazetteer().places("city")
    city = next(c for c in cities if (c.population or 0) <= population_at_most and abs(c.lat) < 60)
    _, south, _, north = city.bbox
    assert (north - south) * 111.2 / 2 == pytest.approx(half_km, abs=1)
