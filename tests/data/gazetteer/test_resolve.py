"""What names resolve to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.gazetteer import Place, gazetteer
from data.gazetteer.names import normalise
from tests.suite.walking import walks

# What is typed, and the label of the place it must mean, without a question.
DOMINANT = """
Paris = Paris, Île-de-France, France
paris = Paris, Île-de-France, France
PARIS = Paris, Île-de-France, France
London = London, England, United Kingdom
Birmingham = Birmingham, England, United Kingdom
Sydney = Sydney, New South Wales, Australia
Naples = Naples, Campania, Italy
Rome = Rome, Lazio, Italy
Lima = Lima, Lima Province, Peru
Perth = Perth, Western Australia, Australia
Valencia = Valencia, Valencian Community, Spain
Barcelona = Barcelona, Catalonia, Spain
Portland = Portland, Oregon, United States
New York = New York City, New York, United States
NYC = New York City, New York, United States
LA = Los Angeles, California, United States
L.A. = Los Angeles, California, United States
SF = San Francisco, California, United States
DC = Washington, District of Columbia, United States
Washington DC = Washington, District of Columbia, United States
Washington, D.C. = Washington, District of Columbia, United States
Philly = Philadelphia, Pennsylvania, United States
Vegas = Las Vegas, Nevada, United States
Pittsburgh, PA = Pittsburgh, Pennsylvania, United States
pittsburgh pa = Pittsburgh, Pennsylvania, United States
Pittsburgh = Pittsburgh, Pennsylvania, United States
Springfield, Illinois = Springfield, Illinois, United States
Springfield, IL = Springfield, Illinois, United States
Springfield, MO, USA = Springfield, Missouri, United States
Paris, Texas = Paris, Texas, United States
Paris TX = Paris, Texas, United States
Paris, France = Paris, Île-de-France, France
London, Ontario = London, Ontario, Canada
London Ontario = London, Ontario, Canada
London, UK = London, England, United Kingdom
Vancouver BC = Vancouver, British Columbia, Canada
Vancouver, WA = Vancouver, Washington, United States
Portland, Maine = Portland, Maine, United States
Cambridge, MA = Cambridge, Massachusetts, United States
Cambridge, England = Cambridge, England, United Kingdom
Georgia (country) = Georgia
the state of Georgia = Georgia, United States
Georgia, USA = Georgia, United States
state of Washington = Washington, United States
Washington State = Washington, United States
New York State = New York, United States
city of Lagos = Lagos, Nigeria
Lagos = Lagos, Nigeria
Lagos, Portugal = Lagos, Faro, Portugal
San José, Costa Rica = San José, Costa Rica
San Jose, CA = San Jose, California, United States
St. Louis = St. Louis, Missouri, United States
Saint Louis = St. Louis, Missouri, United States
St Petersburg = Saint Petersburg, Russia
the port of Rotterdam = Port of Rotterdam, The Netherlands
Rotterdam harbour = Port of Rotterdam, The Netherlands
Rotterdam = Rotterdam, South Holland, The Netherlands
the Persian Gulf = Persian Gulf
Arabian Gulf = Persian Gulf
Gulf of Mexico = Gulf of Mexico
the Channel = English Channel
English Channel = English Channel
Sea of Japan = Sea of Japan
East Sea = Sea of Japan
USA = United States
U.S.A. = United States
US = United States
America = United States
UK = United Kingdom
Great Britain = Great Britain
Holland = The Netherlands
Netherlands = The Netherlands
Ivory Coast = Ivory Coast
Côte d'Ivoire = Ivory Coast
Burma = Myanmar
Türkiye = Turkey
Turkey = Turkey
Czechia = Czechia
Czech Republic = Czechia
Deutschland = Germany
España = Spain
UAE = United Arab Emirates
Mexico = Mexico
Singapore = Singapore
Luxembourg = Luxembourg
Panama = Panama
Kuwait = Kuwait
Jordan = Jordan
Lebanon = Lebanon
Chad = Chad
Niger = Niger
Peru = Peru
Somalia = Somalia
South Korea = South Korea
North Korea = North Korea
DRC = Democratic Republic of the Congo
Vatican = Vatican
France = France
München = Munich, Bavaria, Germany
Munich = Munich, Bavaria, Germany
Köln = Köln, North Rhine-Westphalia, Germany
Cologne = Köln, North Rhine-Westphalia, Germany
Nürnberg = Nuremberg, Bavaria, Germany
Frankfurt = Frankfurt am Main, Hesse, Germany
Wien = Vienna, Austria
Zürich = Zürich, Switzerland
Genève = Geneva, Switzerland
Milano = Milan, Lombardia, Italy
Firenze = Florence, Toscana, Italy
Venezia = Venice, Veneto, Italy
Sevilla = Sevilla, Andalusia, Spain
Seville = Sevilla, Andalusia, Spain
Antwerpen = Antwerp, Belgium
Gothenburg = Gothenburg, Västra Götaland, Sweden
København = Copenhagen, Capital Region of Denmark, Denmark
Praha = Prague, Czechia
Kraków = Kraków, Lesser Poland, Poland
Krakow = Kraków, Lesser Poland, Poland
Warszawa = Warsaw, Masovian, Poland
Gdansk = Gdańsk, Pomeranian, Poland
Moskva = Moscow, Russia
Moscow = Moscow, Russia
Москва = Moscow, Russia
Leningrad = Saint Petersburg, Russia
Kiev = Kyiv, Kyiv City, Ukraine
Lviv = Lviv, Ukraine
Bombay = Mumbai, Maharashtra, India
Calcutta = Kolkata, West Bengal, India
Bangalore = Bengaluru, Karnataka, India
Peking = Beijing, China
Beijing = Beijing, China
Saigon = Ho Chi Minh City, Vietnam
Rangoon = Yangon, Myanmar
Constantinople = Istanbul, Turkey
Istanbul = Istanbul, Turkey
東京 = Tokyo, Japan
Sao Paulo = São Paulo, Brazil
São Paulo = São Paulo, Brazil
Rio de Janeiro = Rio de Janeiro, Brazil
Reykjavik = Reykjavík, Iceland
Accra = Accra, Greater Accra, Ghana
Nairobi = Nairobi, Kenya
Cairo = Cairo, Egypt
Marseille = Marseille, Provence-Alpes-Côte d'Azur, France
Lyon = Lyon, Auvergne-Rhône-Alpes, France
Nice = Nice, Provence-Alpes-Côte d'Azur, France
Ontario = Ontario, Canada
Quebec = Québec, Canada
Texas = Texas, United States
California = California, United States
Hawaii = Hawaii, United States
Alaska = Alaska, United States
Bavaria = Bavaria, Germany
New South Wales = New South Wales, Australia
NSW = New South Wales, Australia
Catalonia = Catalonia, Spain
Scotland = Scotland, United Kingdom
Île-de-France = Île-de-France, France
Guangdong = Guangdong, China
Hokkaido = Hokkaido, Japan
Bosphorus = Bosphorus
Bosporus = Bosphorus
Straits of Malacca = Strait of Malacca
Hormuz = Strait of Hormuz
Bab el-Mandeb = Bab-el-Mandeb
Sea of Cortez = Gulf of California
Hellespont = Dardanelles
the Med = Mediterranean Sea
the Suez Canal = Suez Canal
Panama Canal = Panama Canal
the Sahel = Sahel
Horn of Africa = Horn of Africa
EU = European Union
European Union = European Union
ASEAN = ASEAN
MENA = MENA
Middle East = Middle East
Indo-Pacific = Indo-Pacific
the Balkans = Balkans
Donbass = Donbas
Bay Area = San Francisco Bay Area
Silicon Valley = Silicon Valley
Pacific Northwest = Pacific Northwest
Gaza = Gaza Strip
Crimea = Crimea
Kashmir = Kashmir
the Alps = Alps
Himalaya = Himalayas
Rockies = Rocky Mountains
Sahara Desert = Sahara
Amazon = Amazon Rainforest
Majorca = Mallorca
Formosa = Formosa
Java = Java
Sicily = Sicily
Corsica = Corsica
Galapagos = Galápagos Islands
Mount Saint Helens = Mount Saint Helens
Mt. St. Helens = Mount Saint Helens
Vesuvius = Vesuvius
Nile = Nile Basin
Lac Léman = Lake Geneva
Africa = Africa
Antarctica = Antarctica
Heathrow = Heathrow Airport, United Kingdom
LAX = Los Angeles International Airport, United States
Schiphol = Schiphol Airport, The Netherlands
Pearl Harbor = Pearl Harbor, United States
O'Hare = O'Hare Airport, United States
"""

MISSPELLED = """
Pittsburg, Pensylvania = Pittsburgh, Pennsylvania, United States
Marsielle = Marseille, Provence-Alpes-Côte d'Azur, France
Rotterdm = Rotterdam, South Holland, The Netherlands
Singapor = Singapore
Sanfrancisco = San Francisco, California, United States
Phillipines = Philippines
Meditteranean = Mediterranean Sea
Carribean = Caribbean
Reykjavic = Reykjavík, Iceland
Amsterdm = Amsterdam, North Holland, The Netherlands
Strait of Hormus = Strait of Hormuz
Pittsburhg, PA = Pittsburgh, Pennsylvania, United States
Philadelpia = Philadelphia, Pennsylvania, United States
Johanesburg = Johannesburg, Gauteng, South Africa
Los Angelos = Los Angeles, California, United States
Casablanka = Casablanca, Grand Casablanca, Morocco
Afganistan = Afghanistan
Colmbo, Sri Lanka = Colombo, Sri Lanka
Massachusets = Massachusetts, United States
Gulf of Mexcio = Gulf of Mexico
Nwe Yrok = New York City, New York, United States
"""
ONLY_ALIKE = ("Qwertyville", "Wakanda", "Gotham", "Narnia", "Mordor", "Elbonia", "Latveria", "Wentzvile")
"""What is spelled a little like a place, or quite like a small one, and named by no gazetteer."""

AMBIGUOUS = (
    "Springfield",
    "Georgia",
    "Cambridge",
    "Richmond",
    "Columbus",
    "San Jose",
    "Washington",
    "Victoria",
    "Punjab",
    "Newcastle",
    "Congo",
)

NO_PLACE = (
    "",
    " ",
    "?!",
    "table",
    "images",
    "vehicles",
    "the",
    "ship",
    "clusters",
    "everything",
    "12345",
    "Sentinel-2",
    "xview1",
    "Springfield, France",
    "qqqqxzzz",
    "Georgia (planet)",
    ",,,",
    "()",
    "aircraft",
    "buildings",
)


def pairs(table: str) -> list[tuple[str, str]]:
    lines = [line.split(" = ") for line in table.strip().splitlines()]
    return [(name, label) for name, label in lines]


@walks("name, label", pairs(DOMINANT))
def test_a_name_means_its_dominant_sense_without_a_question(name: str, label: str) -> None:
    found = gazetteer().resolve(name)
    assert found.best is not None
    assert (found.best.label, found.ambiguous, found.corrected) == (label, False, False)


@walks("name, label", pairs(MISSPELLED))
def test_a_misspelled_name_is_corrected(name: str, label: str) -> None:
    found = gazetteer().resolve(name)
    assert found.best is not None
    assert (found.best.label, found.corrected) == (label, True)


@pytest.mark.parametrize("name", ONLY_ALIKE)
def test_a_name_that_is_only_alike_means_no_place(name: str) -> None:
    assert gazetteer().resolve(name).candidates == ()
    assert gazetteer().mentions(f"show ships in {name}") == []


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_a_really_ambiguous_name_is_a_question_with_reasons(name: str) -> None:
    found = gazetteer().resolve(name)
    assert found.ambiguous
    assert len(found.candidates) > 1
    assert all(candidate.reason for candidate in found.candidates)


@walks("name", NO_PLACE)
def test_what_is_no_place_has_no_candidates(name: str) -> None:
    assert gazetteer().resolve(name).candidates == ()


def test_georgia_yields_the_country_and_the_state_with_the_reason_for_the_order() -> None:
    found = gazetteer().resolve("Georgia").candidates
    assert [(c.place.id, c.reason) for c in found] == [
        ("country:GE", "the country"),
        ("admin1:US-GA", "the US state"),
    ]


def test_new_york_is_the_city_and_offers_the_state() -> None:
    found = gazetteer().resolve("New York").candidates
    assert [c.place.label for c in found[:2]] == [
        "New York City, New York, United States",
        "New York, United States",
    ]


def test_candidates_fall_in_score_and_keep_to_the_limit() -> None:
    found = gazetteer().resolve("Springfield", limit=4).candidates
    assert len(found) == 4
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
    assert found[0].reason.startswith("largest city of that name (")


def test_a_place_carries_all_its_fields() -> None:
    best = gazetteer().resolve("Pittsburgh, PA").best
    assert best is not None
    west, south, east, north = best.bbox
    assert west < -79.99 < east and south < 40.44 < north
    assert best == Place(
        "city:5206379",
        "Pittsburgh",
        "city",
        -79.99589,
        40.44062,
        best.bbox,
        "US",
        "Pennsylvania",
        304391,
        "Pittsburgh, Pennsylvania, United States",
    )


def test_suggestions_are_the_nearest_spellings() -> None:
    assert "Rotterdam" in gazetteer().suggest("Rottterdamm")
    assert "Pittsburgh" in gazetteer().suggest("Pitsburgh")
    assert gazetteer().suggest("") == []
    assert len(gazetteer().suggest("Marsiele", 2)) == 2


ALL = list(gazetteer().places())


@given(st.sampled_from(ALL))
def test_any_places_own_label_finds_it(place: Place) -> None:
    found = gazetteer().resolve(place.label, limit=50)
    assert normalise(place.label) in {normalise(candidate.place.label) for candidate in found.candidates}


@given(st.text(max_size=60))
def test_resolving_never_raises_on_any_text(text: str) -> None:
    found = gazetteer().resolve(text)
    assert found.query == text
    assert found.ambiguous is False or len(found.candidates) > 1
    gazetteer().suggest(text)
