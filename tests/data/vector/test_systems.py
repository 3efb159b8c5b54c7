"""Coordinate systems by what people call them."""

from __future__ import annotations

import pytest
from pyproj import CRS

from data.vector.errors import VectorError
from data.vector.systems import code_of, crs_named

CAIRO = (31.1, 29.9, 31.5, 30.2)
SVALBARD = (10.5, 76.5, 33.0, 80.7)
OSLO = (10.4, 59.8, 10.9, 60.0)
DENVER = (-105.2, 39.5, -104.6, 40.0)


@pytest.mark.parametrize(
    ("text", "bbox", "code"),
    [
        ("EPSG:2263", None, "EPSG:2263"),
        ("epsg:4326", None, "EPSG:4326"),
        ("32631", None, "EPSG:32631"),
        ("OGC:CRS84", None, "OGC:CRS84"),
        ("urn:ogc:def:crs:EPSG::31287", None, "EPSG:31287"),
        ("WGS 84 / UTM zone 33N", None, "EPSG:32633"),
        ("ETRS89-extended / LAEA Europe", None, "EPSG:3035"),
        ("Web Mercator", None, "EPSG:3857"),
        ("British National Grid", None, "EPSG:27700"),
        ("Lambert-93", (2.2, 48.8, 2.4, 48.9), "EPSG:2154"),
        ("UTM", CAIRO, "EPSG:32636"),
        ("utm", (18.4, -34.0, 18.6, -33.8), "EPSG:32734"),
        ("utm", (5.2, 60.3, 5.4, 60.5), "EPSG:32632"),
        ("best equal-area", SVALBARD, "EPSG:3575"),
        ("equal area", (-60.0, -80.0, 60.0, -70.0), "EPSG:6932"),
        ("equal area", OSLO, "EPSG:3035"),
        ("equal area", DENVER, "EPSG:5070"),
        ("equal area", CAIRO, "ESRI:102022"),
        ("equal area", (-120.0, -30.0, 150.0, 50.0), "EPSG:6933"),
        ("national grid of Egypt", CAIRO, "EPSG:22992"),
        ("Egypt's national grid", (27.0, 29.0, 28.0, 30.0), "EPSG:22993"),
        ("national grid of the Netherlands", (4.8, 52.3, 5.0, 52.4), "EPSG:28992"),
        ("national grid", (4.8, 52.3, 5.0, 52.4), "EPSG:28992"),
        ("British National Grid", (-0.5, 51.3, 0.2, 51.7), "EPSG:27700"),
    ],
)  # fmt: skip
def test_what_people_call_a_system_is_the_system(text: str, bbox: tuple[float, ...] | None, code: str):
    found, said = crs_named(text, bbox)
    assert code_of(found) == code and code in said and said.endswith(".")


def test_a_definition_is_taken_as_it_is():
    crs = CRS.from_epsg(22992)
    for text in (crs.to_wkt(), crs.to_json()):
        assert crs_named(text, None)[0] == crs


def test_the_choice_and_the_others_are_said():
    _, said = crs_named("national grid of Egypt", CAIRO)
    assert said.startswith("The coordinate system is EPSG:22992 (Egypt 1907 / Red Belt), the grid of Egypt")
    assert "EPSG:22991 (Egypt 1907 / Blue Belt)" in said


@pytest.mark.parametrize(
    "text",
    ["", "EPSG:999999", "nonsense", "+proj=utm +zone=33", "+init=file:code", "{}", "[]", "١٢", "\ud800",
     "+proj=longlat +nadgrids=/etc/passwd", "national grid of Nowhere", "a\x00b", "EPSG:5703", "x" * 30_000],
    ids=str.isprintable,
)  # fmt: skip
def test_what_is_no_system_or_could_name_a_file_is_refused(text: str):
    with pytest.raises(VectorError, match=r"no coordinate system; EPSG:32631"):
        crs_named(text, CAIRO)


def test_a_definition_that_names_a_file_is_refused():
    datum = 'DATUM["d",SPHEROID["s",6378137,298.25],EXTENSION["PROJ4_GRIDS","/etc/passwd"]]'
    with pytest.raises(VectorError, match="no coordinate system"):
        crs_named(f'GEOGCS["x",{datum},PRIMEM["G",0],UNIT["degree",0.0174]]', None)


def test_what_needs_a_place_asks_for_one():
    for text in ("utm", "equal area", "national grid"):
        with pytest.raises(VectorError, match="There is no place to choose"):
            crs_named(text, None)
