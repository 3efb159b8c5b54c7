"""Troubles that people reported in public about other tools, each with its file and a value worked out apart.

`README.md` beside this file tells where each is from, and what was said of it before.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from copilot.engine import Engine
from copilot.session import Session
from tests.real_files import real
from tests.tools.conftest import small_catalogue
from tests.tools.world import TODAY

__all__ = ["small_catalogue"]


@pytest.fixture
def session(small_catalogue: Path, tmp_path: Path) -> Session:
    """A session over a catalogue of its own."""
    shutil.copytree(small_catalogue, tmp_path / "catalogue")
    engine = Engine(home=tmp_path, catalogue_url=str(tmp_path / "catalogue"), today=TODAY)
    return Session.open(engine=engine)


def added(session: Session, path: str, **asked: Any) -> tuple[str, str]:
    """The artifact that a report's file becomes, and what is said of it."""
    event = session.call("add_file", file=str(real(f"field_reports/{path}")), **asked)
    assert event.ok, event.text
    found = next(event.data[kind] for kind in ("raster", "vector", "table", "document") if kind in event.data)
    return str(found), event.text


def told(session: Session, tool: str, **args: Any) -> dict[str, Any]:
    """What a call brought."""
    event = session.call(tool, **args)
    assert event.ok, event.text
    return dict(event.data)


def test_01_every_tool_takes_a_geotiffs_scale(session: Session) -> None:
    ndvi, said = added(session, "01_scale_offset/ndvi_modis.tif")
    assert "value = 0.0001 x number" in said
    stats = told(session, "raster_stats", raster=ndvi)
    assert (stats["mean"], stats["min"], stats["max"]) == pytest.approx((0.4752034, -0.04, 0.9897), abs=1e-6)
    share = told(session, "raster_calc", raster=ndvi, expression="b1 > 0.4")
    assert share["true_pct"] == pytest.approx(57.11363636, abs=1e-5)
    outlined = told(session, "polygonize", raster=ndvi, where="> 0.4")
    assert outlined["area_ha"] == pytest.approx(0.5711363636 * 4400 * 1.000222, rel=1e-3)


def test_05_a_value_for_nothing_that_is_not_declared_is_left_out_and_said(session: Session) -> None:
    population, said = added(session, "05_undeclared_nodata/population.tif")
    assert "-99,999 lies far from all its other numbers and was taken for nodata" in said
    district, _ = added(session, "05_undeclared_nodata/district.geojson")
    found = told(session, "zonal_stats", raster=population, zones=district, statistics="sum")
    assert found["sum"] == pytest.approx(97030.55588605581, rel=1e-6)
    as_it_is, _ = added(session, "05_undeclared_nodata/population.tif", nodata="none")
    found = told(session, "zonal_stats", raster=as_it_is, zones=district, statistics="sum")
    assert found["sum"] == pytest.approx(-349899469.44411397, rel=1e-6)


S2 = "S2A_MSIL2A_20230821T221941_N0509_R029_T01KAB_20230822T021825.tif"


def test_07_sentinel_2s_offset_since_baseline_4_is_taken_off(session: Session) -> None:
    scene, said = added(session, f"07_s2_offset/{S2}")
    assert "value = 0.0001 x number - 0.1" in said
    assert told(session, "spectral_index", raster=scene, index="NDVI")["mean"] == pytest.approx(
        0.7503061210588137, abs=1e-6
    )
    again = session.call("toa_reflectance", raster=scene, gain=0.0001)
    assert not again.ok and "holds values already: its numbers (uint16) were turned into them" in again.text
    again = session.call("spectral_index", raster=scene, index="EVI", scale=0.0001)
    assert not again.ok and "holds values already" in again.text


def test_09_a_nodata_told_with_fewer_digits_than_the_pixels_have_is_nodata(session: Session) -> None:
    heights, _ = added(session, "09_float_nodata_mismatch/dem_esri.tif")
    stats = told(session, "raster_stats", raster=heights)
    right = (100.69408416748047, 999.3248901367188, 548.0028686523438)
    assert (stats["min"], stats["max"], stats["mean"]) == pytest.approx(right, abs=1e-4)
    assert stats["valid_pct"] == pytest.approx(60)
    assert told(session, "slope", raster=heights)["max"] < 89


def test_11_complex_pixels_are_read_by_their_amplitude_which_is_no_power(session: Session) -> None:
    radar, _ = added(session, "11_complex_slc/slc_vv.tif")
    event = session.call("raster_stats", raster=radar)
    assert event.data["mean"] == pytest.approx(44.50550842285156, abs=1e-4)
    assert event.text.endswith("These are the amplitudes of its complex pixels.")
    event = session.call("to_decibel", raster=radar)
    assert event.data["mean"] == pytest.approx(31.51, abs=0.01)
    assert "from the amplitude of its complex pixels, not power, to decibels" in event.text


def test_51_a_netcdf_stored_by_longitude_first_lies_as_it_should(session: Session) -> None:
    rain, said = added(session, "51_imerg_transposed/imerg.nc4")
    assert "Its dimensions ('time, lon, lat') were read as 'time, lat, lon'." in said
    info = told(session, "raster_info", raster=rain)
    assert (info["width_px"], info["height_px"]) == (200, 100)
    at = told(session, "raster_sample", raster=rain, lon=5.05, lat=45.05)
    assert at["value"] == pytest.approx(50.9505, abs=1e-4)


def test_16_a_polygon_over_the_antimeridian_is_cut_and_measured_the_short_way(session: Session) -> None:
    fiji, said = added(session, "16_antimeridian/fiji.geojson")
    assert "1 of its features was cut at 180 degrees" in said and "1 of its features was moved by 360" in said
    sizes = told(session, "area_of", vector=fiji, unit="km2")
    # Of geodesic edges; here they are straight in longitude and latitude.
    right = (23631.413768383423, 2917.996841862198, 3539.99338654039)
    assert sizes["each"] == pytest.approx(right, rel=1e-4)
    around = told(session, "length_of", vector=fiji, unit="km")
    assert around["each"][0] == pytest.approx(2 * (110.7 + 213.4), rel=0.01)
    middle = told(session, "centroid", vector=fiji)
    assert middle["bbox"][0] > 178 and middle["bbox"][2] < -178
    for tool, args in (("convex_hull", {}), ("buffer", {"distance_m": 1000})):
        made = told(session, tool, vector=fiji, **args)
        west, _, east, _ = made["bbox"]
        assert (east - west) % 360 < 5


def months(session: Session, path: str) -> tuple[dict[str, int], str]:
    """The months of an ingested file with how many rows each has, and what is said of it."""
    event = session.call("db_ingest", path=str(real(f"field_reports/{path}")))
    assert event.ok, event.text
    found = told(session, "group_count", by="month")
    return {str(row["month"]): int(row["count"]) for row in found["first"]}, event.text


@pytest.mark.parametrize(
    ("name", "right", "way"),
    [
        ("turtles", {"2020-01": 1, "2020-02": 1, "2020-04": 2, "2020-12": 1}, "with the day first, as "),
        ("us", {"2026-12": 2, "2026-07": 1}, "with the month first, as '12/31/2026' shows"),
    ],
    ids=["day first", "month first"],
)
def test_25_a_column_of_dates_has_one_order_which_one_of_them_tells(
    session: Session, name: str, right: dict[str, int], way: str
) -> None:
    found, said = months(session, f"25_dates_dayfirst/{name}.csv")
    assert found == right
    assert f"its times in 'date' were read {way}" in said


@pytest.mark.parametrize(
    "way", ["compact", "dotted", "epoch", "excel", "iso", "iso_time", "iso_z", "slash_ymd", "words"]
)
def test_47_dates_are_read_in_each_way_to_write_them(session: Session, way: str) -> None:
    found, _ = months(session, f"47_dates_variety/d_{way}.csv")
    assert found == {"2020-01": 1, "2020-04": 2}


def test_13_numbers_with_a_decimal_comma_are_summed_and_it_is_said(session: Session) -> None:
    points, said = added(session, "13_csv_decimal_comma/points.csv")
    assert "Its columns: nom text, surface text (numbers with a decimal comma)." in said
    event = session.call("aggregate", table=points, field="surface", function="sum")
    assert event.data["value"] == pytest.approx(1270.5)
    assert event.text.startswith("surface is stored as text; its numbers were read with a decimal comma. ")


def test_18_a_shapefile_without_a_cpg_is_read_in_the_encoding_of_its_letters(session: Session) -> None:
    fields, said = added(session, "18_shp_cp1251/fields_bg.zip")
    assert "Its text was read as cp1251, as its letters tell" in said
    groups = told(session, "group_count", by="crop", table=fields)["groups"]
    assert {each["key"] for each in groups} == {"Слънчоглед", "Пшеница", "Царевица"}
