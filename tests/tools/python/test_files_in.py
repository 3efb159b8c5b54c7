"""A file becomes one artifact, known by its content, on the map where it has a place."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from pathlib import Path

import geopandas as gpd
import numpy as np
import pytest
import rasterio
from affine import Affine
from PIL import Image
from shapely.geometry import Point

from data.uploads.gdal import quiet_gdal
from state.codec import digest
from state.model import State
from tests.tools.world import run, small_world
from tools.artifacts import about
from tools.base import Step, World
from tools.data.inspecting import inspect
from tools.python.files_in import add_file


@pytest.fixture
def world(small_catalogue: Path, tmp_path: Path) -> World:
    (tmp_path / "uploads").mkdir()
    return replace(small_world(small_catalogue, tmp_path / "artifacts"), uploads=tmp_path / "uploads")


def write_tiff(path: Path, values: np.ndarray, **profile: object) -> Path:
    """A GeoTIFF of (bands, rows, columns) near Rotterdam, 10 m in UTM zone 31, unless said otherwise."""
    asked = {"crs": "EPSG:32631", "transform": Affine(10, 0, 590_000, 0, -10, 5_750_000), **profile}
    bands, rows, columns = values.shape
    form = {"driver": "GTiff", "count": bands, "height": rows, "width": columns, "dtype": values.dtype.name}
    with rasterio.open(path, "w", **form, **asked) as target:
        target.write(values)
    return path


def features(*corners: list[list[float]], crs: str | None = None) -> str:
    """A GeoJSON of one polygon for each ring."""
    found = [
        {
            "type": "Feature",
            "properties": {"name": f"n{number}"},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        for number, ring in enumerate(corners)
    ]
    named = {"crs": {"type": "name", "properties": {"name": crs}}} if crs else {}
    return json.dumps({"type": "FeatureCollection", **named, "features": found})


def added(world: World, state: State, file: str, **more: object) -> Step:
    step = run(world, state, add_file, file=file, **more)
    assert not step.failed, step.observation
    return step


def test_a_geotiff_becomes_a_raster_on_the_map_with_its_own_pixels(world: World) -> None:
    values = np.arange(48, dtype="uint16").reshape(3, 4, 4)
    write_tiff(world.uploads / "field_20240517.tif", values)
    step = added(world, State(), "field_20240517.tif")
    raster, layer = step.data["raster"], step.data["layer"]
    with rasterio.open(world.artifacts.find(raster)) as source:
        assert (source.read() == values).all()
        assert source.crs.to_epsg() == 32631
    assert step.state.layer(layer).artifact == raster
    assert step.state.artifact(raster).summary == "3 bands, 4 x 4 pixels"
    west, south, east, north = step.data["bbox"]
    assert west < step.state.map.center[0] < east and south < step.state.map.center[1] < north
    spread = round(float(np.arange(16).std()), 6)
    assert step.data["statistics"][0] == {
        "band": 1, "valid_pct": 100.0, "min": 0.0, "max": 15.0, "mean": 7.5, "std": spread,
    }  # fmt: skip


def test_a_rasters_stac_item_says_where_when_and_what(world: World) -> None:
    write_tiff(world.uploads / "field_20240517.tif", np.ones((1, 4, 4), "float32"), nodata=-9999)
    raster = added(world, State(), "field_20240517.tif").data["raster"]
    item = about(world, raster)["stac"]
    assert (item["id"], item["stac_version"], item["type"]) == (raster, "1.1.0", "Feature")
    assert item["properties"]["datetime"] == "2024-05-17T00:00:00Z"
    assert item["properties"]["proj:code"] == "EPSG:32631"
    assert item["properties"]["proj:shape"] == [4, 4]
    assert item["properties"]["proj:bbox"] == [590_000, 5_749_960, 590_040, 5_750_000]
    assert item["assets"]["data"]["href"] == f"../{raster}.tif"
    band = item["assets"]["data"]["bands"][0]
    assert (band["data_type"], band["nodata"], band["statistics"]["mean"]) == ("float32", -9999, 1.0)


def test_the_id_comes_from_the_content_and_not_from_the_name(world: World) -> None:
    write_tiff(world.uploads / "a.tif", np.ones((1, 4, 4), "uint8"))
    (world.uploads / "b.tif").write_bytes((world.uploads / "a.tif").read_bytes())
    write_tiff(world.uploads / "c.tif", np.full((1, 4, 4), 2, "uint8"))
    ids = [added(world, State(), f"{name}.tif").data["raster"] for name in "abc"]
    assert ids[0] == ids[1] != ids[2]


def test_the_same_file_again_changes_nothing_and_reads_nothing(world: World) -> None:
    write_tiff(world.uploads / "a.tif", np.ones((1, 4, 4), "uint8"))
    first = added(world, State(), "a.tif")
    written = world.artifacts.find(first.data["raster"]).stat().st_mtime_ns
    again = added(world, first.state, "a.tif")
    assert digest(again.state) == digest(first.state)
    assert (again.observation, again.data) == (first.observation, first.data)
    assert world.artifacts.find(first.data["raster"]).stat().st_mtime_ns == written


def test_geojson_in_another_system_stays_in_it(world: World) -> None:
    ring = [[590_000, 5_750_000], [590_100, 5_750_000], [590_100, 5_750_100], [590_000, 5_750_000]]
    (world.uploads / "fields.geojson").write_text(features(ring, crs="EPSG:32631"))
    step = added(world, State(), "fields.geojson")
    frame = gpd.read_parquet(world.artifacts.find(step.data["vector"]))
    assert frame.crs.to_epsg() == 32631
    assert frame.total_bounds.tolist() == [590_000, 5_750_000, 590_100, 5_750_100]
    assert step.data["bbox"] == pytest.approx([4.30791, 51.89347, 4.30939, 51.89437], abs=1e-5)
    assert frame["name"].tolist() == ["n0"]
    assert (step.data["count"], step.data["crs"]) == (1, "EPSG:32631")


def test_a_raster_without_a_place_is_asked_for_one(world: World) -> None:
    Image.fromarray(np.arange(20, dtype="uint8").reshape(4, 5)).save(world.uploads / "scan.png")
    step = added(world, State(), "scan.png")
    assert "It has no place on the map: say where it lies, or draw its box" in step.observation
    assert "layer" not in step.data and step.state.map == State().map
    with quiet_gdal(), rasterio.open(world.artifacts.find(step.data["raster"])) as source:
        assert (source.driver, source.read(1).ravel().tolist()) == ("GTiff", list(range(20)))


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("fild.tif", "There is no file or folder 'fild.tif'. Did you mean 'field.tif'?"),
        ("/vsicurl/http://example.org/a.tif", "is an address and no file"),
        ("PG:host=10.0.0.1", "is an address and no file"),
        ("..", "is a folder"),
        ("no/such.tif", "There is no file or folder 'no/such.tif'; check the path."),
    ],
)
def test_a_name_that_is_no_file_gets_a_sentence(world: World, file: str, said: str) -> None:
    write_tiff(world.uploads / "field.tif", np.ones((1, 4, 4), "uint8"))
    step = run(world, State(), add_file, file=file)
    assert step.failed and said in step.observation


def test_a_link_in_the_uploads_is_not_followed(world: World, tmp_path: Path) -> None:
    write_tiff(tmp_path / "secret.tif", np.ones((1, 4, 4), "uint8"))
    (world.uploads / "mine.tif").symlink_to(tmp_path / "secret.tif")
    assert run(world, State(), add_file, file="mine.tif").failed


def test_each_layer_of_a_file_becomes_a_layer_that_can_be_named(world: World) -> None:
    boxes = gpd.read_file(
        features([[4, 51], [4.2, 51], [4.2, 51.2], [4, 51]], [[5, 52], [5.2, 52], [5.2, 52.2], [5, 52]])
    )
    boxes.iloc[:1].to_file(world.uploads / "project.gpkg", driver="GPKG", layer="trees")
    boxes.to_file(world.uploads / "project.gpkg", driver="GPKG", layer="plots")
    step = added(world, State(), "project.gpkg")
    assert [(each.name, each.count) for each in step.state.map.layers] == [("trees", 1), ("plots", 2)]
    assert [each["name"] for each in step.data["layers"]] == ["trees", "plots"]
    assert [each.name for each in step.state.artifacts] == ["trees", "plots"]
    # Each is made again by a call of its own.
    again = added(world, State(), "project.gpkg", part="plots")
    assert again.state.artifacts[0] == step.state.artifacts[1]
    west, south, east, north = (3.9, 50.9, 5.3, 52.3)
    assert west < step.state.map.center[0] < east and south < step.state.map.center[1] < north
    named = added(world, State(), "project.gpkg", name="site")
    assert [each.name for each in named.state.artifacts] == ["site", "site plots"]


def test_a_layer_that_cannot_be_used_is_told_and_the_others_come_in(world: World) -> None:
    good = gpd.read_file(features([[4, 51], [4.2, 51], [4.2, 51.2], [4, 51]]))
    good.to_file(world.uploads / "two.gpkg", driver="GPKG", layer="good")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has no coordinate system is what is meant
        lost = good.to_crs(32631).set_crs(None, allow_override=True)
        lost.to_file(world.uploads / "two.gpkg", driver="GPKG", layer="lost")
    step = added(world, State(), "two.gpkg")
    assert [each.name for each in step.state.artifacts] == ["good"]
    assert "'lost' was left out: 'two.gpkg' names no coordinate system" in step.observation


def test_of_many_layers_one_is_taken_and_the_others_are_named(world: World) -> None:
    box = gpd.read_file(features([[4, 51], [4.2, 51], [4.2, 51.2], [4, 51]]))
    for number in range(13):
        box.to_file(world.uploads / "many.gpkg", driver="GPKG", layer=f"l{number}")
    step = added(world, State(), "many.gpkg")
    assert len(step.state.artifacts) == 1
    others = [f"l{number}" for number in range(1, 13)]
    named = ", ".join(map(repr, others))
    assert step.data["not_added"] == others
    assert step.observation.endswith(
        "'many.gpkg' has 13 layers, and of more than 12 only the first is added: 'l0' is, and the other 12 "
        f"are not: {named}. part='l1' of add_file adds another one of them."
    )
    second = added(world, step.state, "many.gpkg", part="l1")
    told = run(world, second.state, inspect, source="many.gpkg")
    assert told.data["not_added"] == {"many.gpkg": others[1:]}
    assert told.observation.endswith(
        f"'many.gpkg' has 11 layers more that were not added: {named.removeprefix(repr('l1') + ', ')}. "
        "add_file with part='l2' adds that one."
    )


def test_another_part_of_a_file_is_had_by_the_files_name(world: World, tmp_path: Path) -> None:
    path = tmp_path / "survey.gpkg"
    for layer in ("wells", "pumps"):
        gpd.GeoDataFrame({"of": [layer]}, geometry=[Point(4, 51)], crs="EPSG:4326").to_file(path, layer=layer)
    first = run(world, State(), add_file, file=str(path), part="wells")
    step = run(world, first.state, add_file, file="survey.gpkg", part="pumps")
    assert [each.name for each in step.state.artifacts] == ["wells", "pumps"], step.observation
