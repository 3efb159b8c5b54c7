"""Troubles that people reported in public about other tools, each with its file and a value worked out apart.

`README.md` beside this file tells where each is from, and what was said of it before.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import rasterio

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
    assert "Its columns: nom text, latitude text (numbers with a decimal comma), " in said
    event = session.call("aggregate", table=points, field="surface", function="sum")
    assert event.data["value"] == pytest.approx(1270.5)
    assert event.text.startswith("surface is stored as text; its numbers were read with a decimal comma. ")


def test_18_a_shapefile_without_a_cpg_is_read_in_the_encoding_of_its_letters(session: Session) -> None:
    fields, said = added(session, "18_shp_cp1251/fields_bg.zip")
    assert "Its text was read as cp1251, as its letters tell" in said
    groups = told(session, "group_count", by="crop", table=fields)["groups"]
    assert {each["key"] for each in groups} == {"Слънчоглед", "Пшеница", "Царевица"}


def value_at(session: Session, raster: str, lon: float, lat: float) -> float:
    """The value of a raster's first band there."""
    return float(told(session, "raster_sample", raster=raster, lon=lon, lat=lat)["value"])


def test_03_longitudes_of_0_to_360_lie_where_maps_have_them(session: Session) -> None:
    warmth, said = added(session, "03_lon360/tas_0360.nc")
    assert "Its longitudes of 0 to 360" in said
    for (lon, lat), right in {(-43.2, -22.9): 316.4775085449219, (10.3, 50.2): 10.55049991607666}.items():
        assert value_at(session, warmth, lon, lat) == pytest.approx(right)


def test_10_a_turned_raster_is_sampled_and_summed_on_its_own_grid(session: Session) -> None:
    turned, _ = added(session, "10_rotated/rotated_uav.tif")
    bed, _ = added(session, "10_rotated/bed.gpkg")
    found = told(session, "zonal_stats", raster=turned, zones=bed, statistics="mean")
    assert found["mean"] == pytest.approx(994.5)
    assert value_at(session, turned, 1.7296456279396428, 45.14576642619423) == 1015


def test_14_degrees_minutes_and_seconds_are_read_in_each_way_to_write_them(session: Session) -> None:
    sites, said = added(session, "14_csv_dms/sites.csv")
    assert "The coordinates of 5 rows were read from degrees and minutes." in said
    right = {
        "a": (-59.20213888888889, 2.261),
        "b": (149.38833583333331, -41.41694444444444),
        "c": (149.38833583333331, -23.535990833333337),
        "d": (2.1738888888888885, 41.41694444444444),
        "e": (7.590933333333333, 51.968716666666666),
    }
    assert places(session, sites, "site") == {each: pytest.approx(at) for each, at in right.items()}


def places(session: Session, vector: str, name: str) -> dict[str, tuple[float, float]]:
    """Longitude and latitude of each point, by a column."""
    path = session.world().artifacts.find(vector)
    assert path is not None
    rows = gpd.read_parquet(path)
    return {str(each[name]): (each.geometry.x, each.geometry.y) for _, each in rows.iterrows()}


def test_17_a_shapefile_without_a_coordinate_system_is_asked_about(session: Session) -> None:
    path = str(real("field_reports/17_shp_no_prj/parcels.shp"))
    asked = session.call("add_file", file=path)
    assert (
        not asked.ok and "names no coordinate system" in asked.text and "add it again with crs" in asked.text
    )
    parcels, _ = added(session, "17_shp_no_prj/parcels.shp", crs="EPSG:32633")
    assert told(session, "area_of", vector=parcels, unit="ha")["area_ha"] == pytest.approx(22.01, abs=0.01)


@pytest.mark.parametrize("file", ["survey.kml", "survey.kmz"])
def test_19_a_kml_of_folders_is_read_whole_with_or_without_its_icon(session: Session, file: str) -> None:
    survey, said = added(session, f"19_kml_folders/{file}")
    assert "KML of 6 features" in said
    groups = told(session, "group_count", by="folder", table=survey)["groups"]
    assert {each["key"]: each["count"] for each in groups} == {
        "wells": 2,
        "deep": 1,
        "springs": 2,
        "survey": 1,
    }
    assert ("Its pictures and icons (1) were left out." in said) == file.endswith(".kmz")


def test_20_all_layers_of_a_geopackage_come_in_by_their_names(session: Session) -> None:
    event = session.call("add_file", file=str(real("field_reports/20_gpkg_layers/project.gpkg")))
    layers = [(each["name"], each.get("count")) for each in event.data["layers"]]
    assert layers == [("trees", 7), ("plots", 3), ("metadata", None)]
    assert "metadata is a GeoPackage table of " in event.text
    area = told(session, "area_of", vector="plots", unit="m2")
    assert area["area_ha"] == pytest.approx(6338.48, abs=0.01)


def test_21_the_track_of_a_gpx_is_a_line_and_its_waypoint_a_point(session: Session) -> None:
    event = session.call("add_file", file=str(real("field_reports/21_gpx/hike.gpx")))
    assert [(each["name"], each["count"]) for each in event.data["layers"]] == [
        ("hike waypoints", 1),
        ("hike tracks", 1),
    ]
    assert told(session, "length_of", vector="hike tracks", unit="m")["length_m"] == pytest.approx(
        2660.64, abs=0.01
    )
    _, said = added(session, "21_gpx/hike.gpx", part="track_points")
    assert "GPX of 4 features (4 points)" in said


def test_31_a_topojson_has_its_features(session: Session) -> None:
    for name in ("regions.topojson", "regions.json"):
        regions, said = added(session, f"31_topojson/{name}")
        assert "TopoJSON of 2 features" in said
        each = told(session, "area_of", vector=regions, unit="km2")["each"]
        assert each == pytest.approx([7892.061583206543] * 2, rel=1e-3)


def test_33_wkt_with_its_srid_and_pairs_of_coordinates_are_places(session: Session) -> None:
    _, said = added(session, "33_csv_wkt_utm/wkt.csv")
    assert "2 features (1 point, 1 polygon)" in said
    cities, said = added(session, "33_csv_wkt_utm/one_col.csv")
    assert "Its column 'coordinates' was read as latitude, longitude." in said
    assert places(session, cities, "name") == {"A": (2.3522, 48.8566), "B": (5.3698, 43.2965)}


def test_37_a_gml_lies_by_the_axes_that_its_system_has(session: Session) -> None:
    found, _ = added(session, "37_gml_axis/places.gml")
    assert places(session, found, "name") == {"Troyes": (4.0744, 48.2973)}


@pytest.mark.parametrize("file", ["towns.geojsonl", "towns_seq.geojson", "towns.fgb"])
def test_40_features_one_a_line_and_a_flatgeobuf_are_read(session: Session, file: str) -> None:
    towns, said = added(session, f"40_fgb_ndjson/{file}")
    assert "of 3 features (3 points)" in said
    assert session.call("aggregate", table=towns, field="pop", function="sum").data["value"] == 60


def test_52_a_curvilinear_grid_is_refused_with_a_reason(session: Session) -> None:
    event = session.call("add_file", file=str(real("field_reports/52_curvilinear/wrf.nc")))
    assert "no evenly spaced coordinates" in event.text


def said_to(session: Session, request: str) -> tuple[list[tuple[str, bool]], str]:
    """The calls of a request in words, each with whether it worked, and the reply."""
    before = len(session.events)
    reply = session.ask(request).reply
    return [(each.tool, each.ok) for each in session.events[before:] if each.tool], reply


def test_03b_a_clip_that_was_never_made_is_not_the_whole_raster(session: Session) -> None:
    added(session, "03_lon360/tas_0360.nc")
    calls, reply = said_to(session, "clip tas_0360 to Brazil")
    assert calls == [("raster_clip", False)] and "Neither shapes nor a box were given" in reply
    calls, reply = said_to(session, "statistics of the clip")
    assert "There is no clip in this conversation" in reply and "raster_stats" not in dict(calls)


def test_10b_a_files_name_is_no_instruction(session: Session) -> None:
    added(session, "10_rotated/rotated_uav.tif")
    added(session, "10_rotated/bed.gpkg")
    assert said_to(session, "raster info of rotated_uav")[0] == [("raster_info", True)]
    assert said_to(session, "clip rotated_uav to bed")[0] == [("raster_clip", True)]
    _, reply = said_to(session, "statistics of the clip")
    assert "mean 994.5" in reply


def test_20b_a_count_is_of_ones_own_layer(session: Session) -> None:
    added(session, "20_gpkg_layers/project.gpkg")
    assert said_to(session, "how many trees are there?") == ([], "trees: 7 features.")


def test_38_a_mosaic_of_two_nodata_has_the_values_of_both_and_is_called_so(session: Session) -> None:
    for name in ("west", "east"):
        added(session, f"38_merge_nodata/{name}.tif")
    assert said_to(session, "mosaic them")[0] == [("raster_mosaic", True)]
    calls, reply = said_to(session, "statistics of the mosaic")
    assert calls == [("raster_stats", True)] and "from 100 to 200, mean 150" in reply


def test_08_classes_stay_classes_in_another_system(session: Session) -> None:
    cover, _ = added(session, "08_palette_classes/worldcover.tif")
    moved = told(session, "raster_reproject", raster=cover, crs="EPSG:3035")["raster"]
    path = session.world().artifacts.find(str(moved))
    assert path is not None
    with rasterio.open(path) as source:
        assert set(np.unique(source.read(1, masked=True).compressed())) == {10, 20, 40, 80}


def test_13_points_with_a_bom_semicolons_and_decimal_commas_lie_where_they_should(session: Session) -> None:
    points, _ = added(session, "13_csv_decimal_comma/points.csv")
    path = session.world().artifacts.find(points)
    assert path is not None and len(gpd.read_parquet(path)) == 3
    west, _, east, _ = gpd.read_parquet(path).total_bounds
    assert (west, east) == pytest.approx((1.25, 5.37), abs=1e-3)


def test_17b_the_size_of_ones_own_parcels_is_asked_for_in_words(session: Session) -> None:
    added(session, "17_shp_no_prj/parcels.shp", crs="EPSG:32633")
    calls, reply = said_to(session, "how big are the parcels in hectares?")
    assert calls == [("area_of", True)] and "22.01 ha together" in reply


def test_29_codes_with_leading_zeros_are_joined_as_they_are(session: Session) -> None:
    counties, _ = added(session, "29_leading_zeros/counties.geojson")
    rates, _ = added(session, "29_leading_zeros/rates.csv")
    joined = told(session, "join_tables", table=counties, other=rates, on="GEOID", other_on="fips")
    path = session.world().artifacts.find(str(joined["table"]))
    assert path is not None
    rows = pd.read_parquet(path)
    assert (len(rows), rows["GEOID"].iloc[0], int(rows["rate"].notna().sum())) == (3, "01001", 3)


def test_45_distances_go_the_short_way_over_the_dateline(session: Session) -> None:
    boats, _ = added(session, "45_dateline_distance/boats.geojson")
    ports, _ = added(session, "45_dateline_distance/ports.geojson")
    near = session.call("nearest", vector=boats, other=ports)
    assert near.ok and "near" in near.text
    path = session.world().artifacts.find(str(near.data["vector"]))
    assert path is not None
    assert gpd.read_parquet(path)["distance_m"].tolist() == pytest.approx([21297.1652279988], rel=1e-6)
    station, _ = added(session, "45_dateline_distance/station.geojson")
    around = told(session, "buffer", vector=station, distance_m=50_000)
    area = told(session, "area_of", vector=str(around["vector"]), unit="km2")["area_km2"]
    assert area == pytest.approx(7853.981625, rel=1e-3)
