"""Artifacts in other formats, each read back by another reader than wrote it."""

from __future__ import annotations

import csv
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import openpyxl
import pandas as pd
import pytest
import rasterio
from affine import Affine
from PIL import Image
from rio_cogeo import cog_validate
from shapely.geometry import LineString, Point, box

from state.model import Artifact, Layer, State
from tests.tools.prepared import write_raster
from tools.base import ToolError
from tools.data.downloads import format_named, formats, write_as

Writer = Callable[[Artifact, Path, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Writer:
    def written(artifact: Artifact, path: Path, name: str, state: State | None = None) -> Path:
        wanted = format_named(artifact, path, name)
        target = tmp_path / "out" / f"{artifact.id}{wanted.suffix}"
        target.parent.mkdir(exist_ok=True)
        write_as(state or State(), artifact, path, wanted, target)
        assert [each.name for each in target.parent.iterdir()] == [target.name]  # nothing half-made stays
        kept = tmp_path / target.name
        return target.replace(kept if not kept.exists() else tmp_path / f"again-{target.name}")

    return written


def made(kind: Any, name: str = "Thing") -> Artifact:
    return Artifact(f"{kind}-1a2b3c", kind, name, "", "test()")


@pytest.fixture
def heights(tmp_path: Path) -> Path:
    path = tmp_path / "raster-1a2b3c.tif"
    write_raster(path)
    return path


def test_a_raster_comes_as_a_valid_cog_with_the_same_pixels(write: Writer, tmp_path: Path):
    path = tmp_path / "raster-1a2b3c.tif"
    profile = {"driver": "GTiff", "width": 700, "height": 600, "count": 2, "dtype": "int16", "nodata": -9}
    values = np.random.default_rng(1).integers(-9, 3000, (2, 600, 700)).astype("int16")
    place = {"crs": "EPSG:32632", "transform": Affine(10, 0, 5e5, 0, -10, 5.3e6)}
    with rasterio.open(path, "w", **profile, **place) as target:
        target.write(values)
    cog = write(made("raster"), path, "cog")
    valid, errors, warnings = cog_validate(cog)
    assert (valid, errors, warnings) == (True, [], [])
    with rasterio.open(cog) as source:
        assert (source.read() == values).all()
        assert (source.crs.to_epsg(), source.nodata, source.transform.c) == (32632, -9, 5e5)
    assert write(made("raster"), path, "geotiff").read_bytes() == path.read_bytes()


def test_a_rasters_picture_looks_as_its_layer_does(write: Any, heights: Path):
    look = (("colormap", "greens"), ("stretch", "0,15"))
    layer = Layer("heights", "Heights", "raster", artifact="raster-1a2b3c", options=look)
    state = State().with_layer(layer)
    with Image.open(write(made("raster"), heights, "png", state)) as picture:
        assert (picture.format, picture.size, picture.mode) == ("PNG", (4, 4), "RGBA")
        dark, light = picture.getpixel((3, 3)), picture.getpixel((0, 0))
    assert (dark, light) == ((0, 68, 27, 255), (247, 252, 245, 255))  # the ends of matplotlib's Greens


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A point, a line and a box, in UTM, with names that a spreadsheet would run."""
    frame = gpd.GeoDataFrame(
        {"name": ["=1+1", "@home", "Zürich"], "n": [1, -2, 3], "tags": [["a"], None, ["b", "c"]]},
        geometry=[
            Point(5e5, 5.3e6),
            LineString([(5e5, 5.3e6), (5.1e5, 5.3e6)]),
            box(5e5, 5.3e6, 5.1e5, 5.31e6),
        ],
        crs="EPSG:32632",
    )
    path = tmp_path / "vector-1a2b3c.parquet"
    frame.to_parquet(path)
    return path


def test_features_come_as_geojson_of_degrees(write: Writer, places: Path):
    found = json.loads(write(made("vector"), places, "geojson").read_text(encoding="utf-8"))
    assert [each["geometry"]["type"] for each in found["features"]] == ["Point", "LineString", "Polygon"]
    lon, lat = found["features"][0]["geometry"]["coordinates"]
    assert (lon, lat) == (9.0, pytest.approx(47.8536, abs=1e-3))
    assert found["features"][2]["properties"] == {"name": "Zürich", "n": 3, "tags": ["b", "c"]}


@pytest.mark.parametrize("name", ["geoparquet", "geopackage"])
def test_features_come_whole_in_their_own_system(write: Writer, places: Path, name: str):
    path = write(made("vector"), places, name)
    frame = gpd.read_parquet(path) if name == "geoparquet" else gpd.read_file(path)
    assert frame.crs == "EPSG:32632"
    assert list(frame["name"]) == ["=1+1", "@home", "Zürich"]
    assert frame.geometry.geom_type.tolist() == ["Point", "LineString", "Polygon"]


def test_features_as_csv_have_their_shape_as_wkt_and_no_formulas(write: Writer, places: Path):
    rows = list(csv.DictReader(write(made("vector"), places, "csv").read_text("utf-8").splitlines()))
    assert [each["name"] for each in rows] == ["'=1+1", "'@home", "Zürich"]
    assert [each["n"] for each in rows] == ["1", "-2", "3"]
    assert rows[0]["geometry"].startswith("POINT (9 47.8")


def test_features_of_several_kinds_come_as_several_shapefiles(write: Writer, places: Path, tmp_path: Path):
    path = write(made("vector"), places, "shapefile")
    with zipfile.ZipFile(path) as packed:
        names = [each for each in packed.namelist() if each.endswith(".shp")]
        assert names == ["features_linestring.shp", "features_point.shp", "features_polygon.shp"]
        packed.extractall(tmp_path / "shp")
    frame = gpd.read_file(tmp_path / "shp" / "features_polygon.shp")
    assert (list(frame["name"]), frame.crs.to_epsg()) == (["Zürich"], 32632)


@pytest.mark.parametrize("name", ["geojson", "geoparquet", "geopackage", "csv", "shapefile"])
def test_no_features_are_a_file_too(write: Writer, tmp_path: Path, name: str):
    path = tmp_path / "vector-1a2b3c.parquet"
    gpd.GeoDataFrame({"name": pd.Series(dtype=str)}, geometry=[], crs="EPSG:4326").to_parquet(path)
    assert write(made("vector"), path, name).stat().st_size > 0


@pytest.fixture
def table(tmp_path: Path) -> Path:
    frame = pd.DataFrame({"=name": ["+44 20", "-5", "plain", None], "value": [1.5, -2.0, None, 4.0]})
    path = tmp_path / "table-1a2b3c.parquet"
    frame.to_parquet(path)
    return path


def test_a_table_comes_as_csv_and_workbook_without_formulas(write: Writer, table: Path):
    text = write(made("table"), table, "csv").read_text("utf-8")
    assert text.splitlines() == ["'=name,value", "+44 20,1.5", "-5,-2.0", "plain,", ",4.0"]
    book = openpyxl.load_workbook(write(made("table"), table, "xlsx"))
    rows = list(book["rows"].iter_rows(values_only=True))
    assert rows == [("=name", "value"), ("+44 20", 1.5), ("-5", -2), ("plain", None), (None, 4)]
    assert {cell.data_type for row in book["rows"].iter_rows() for cell in row} <= {"s", "n"}


def test_a_figure_comes_as_a_page_that_fetches_nothing(write: Writer, tmp_path: Path):
    path = tmp_path / "figure-1a2b3c.json"
    path.write_text('{"data": [{"type": "bar", "x": ["a"], "y": [3]}], "layout": {}}', encoding="utf-8")
    page = write(made("figure"), path, "html").read_text(encoding="utf-8")
    assert "Plotly.newPlot" in page and 'src="http' not in page
    assert json.loads(write(made("figure"), path, "json").read_text()) == json.loads(path.read_text())


def test_a_format_that_there_is_not_is_told_with_those_that_there_are(table: Path, heights: Path):
    with pytest.raises(ToolError) as error:
        format_named(made("table"), table, "gpkg")
    assert str(error.value) == "table-1a2b3c cannot be had as 'gpkg'; its formats are csv, xlsx, parquet."
    with pytest.raises(ToolError) as error:
        format_named(made("document"), heights, "pdf")
    assert str(error.value) == (
        "document-1a2b3c cannot be had as 'pdf'; its formats are none but its own (tif)."
    )


def test_a_picture_of_a_figure_is_offered_only_where_it_can_be_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "figure-1a2b3c.json"
    monkeypatch.setattr("tools.data.downloads.find_spec", lambda name: None)
    assert [each.name for each in formats(made("figure"), path)] == ["html", "json"]
    with pytest.raises(ToolError) as error:
        format_named(made("figure"), path, "png")
    assert str(error.value) == (
        "figure-1a2b3c cannot be had as 'png'; its formats are html, json; a PNG needs kaleido and a "
        "browser, which are not installed."
    )


@pytest.mark.parametrize("form", ["geopackage", "shapefile", "geojson", "csv", "geoparquet"])
def test_columns_of_any_name_are_in_every_format(write: Writer, tmp_path: Path, form: str):
    import geopandas as gpd
    from shapely.geometry import Point

    names = ["Name", "name", "fid", "geom", "größe", "größe_der_fläche", "人口密度"]
    rows = {name: [f"{name} 1", f"{name} 2"] for name in names}
    path = tmp_path / "vector-1a2b3c.parquet"
    gpd.GeoDataFrame(rows, geometry=[Point(4, 51), Point(5, 51)], crs=4326).to_parquet(path)
    written = write(made("vector"), path, form)
    if form == "csv":
        found = pd.read_csv(written)
    elif form == "geoparquet":
        found = gpd.read_parquet(written)
    else:
        found = gpd.read_file(f"zip://{written}" if form == "shapefile" else written)
    texts = [found[name].tolist() for name in found.columns if name != "geometry"]
    assert texts == [rows[name] for name in names]
