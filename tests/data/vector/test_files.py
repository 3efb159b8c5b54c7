"""A GeoParquet file is read as geopandas reads it."""

from __future__ import annotations

from pathlib import Path

import geopandas as gpd
import pandas as pd
import pytest
from geopandas.testing import assert_geodataframe_equal
from shapely.geometry import Point, box

from data.vector.files import read_geoparquet


def features(crs: str | None) -> gpd.GeoDataFrame:
    """Three features, one of them without a shape, with a second column of shapes."""
    shapes = [box(0, 0, 1, 2), None, Point(3, 4)]
    frame = gpd.GeoDataFrame({"name": ["a", None, "c"]}, geometry=shapes, crs=crs)
    return frame.assign(middle=gpd.GeoSeries([Point(0, 1), Point(1, 1), None], crs="EPSG:3857"))


@pytest.mark.parametrize("crs", ["EPSG:4326", "OGC:CRS84", "EPSG:32631", None])
def test_features_of_any_coordinate_system_are_read_as_geopandas_reads_them(
    tmp_path: Path, crs: str | None
) -> None:
    path = tmp_path / "features.parquet"
    features(crs).to_parquet(path, index=False)
    for _ in range(2):  # the second time, the coordinate systems are known
        assert_geodataframe_equal(read_geoparquet(path), gpd.read_parquet(path))


def test_the_column_of_shapes_keeps_its_name_and_the_rows_their_index(tmp_path: Path) -> None:
    path = tmp_path / "features.parquet"
    renamed = features("EPSG:4326").rename_geometry("outline").set_index(pd.Index([7, 8, 9], name="row"))
    renamed.to_parquet(path)
    assert_geodataframe_equal(read_geoparquet(path), gpd.read_parquet(path))


def test_no_features_are_features_too(tmp_path: Path) -> None:
    path = tmp_path / "features.parquet"
    features("EPSG:4326").iloc[:0].to_parquet(path)
    assert_geodataframe_equal(read_geoparquet(path), gpd.read_parquet(path))


def test_shapes_in_another_encoding_are_read(tmp_path: Path) -> None:
    path = tmp_path / "points.parquet"
    points = gpd.GeoDataFrame({"n": [1, 2]}, geometry=[Point(1, 2), Point(3, 4)], crs="EPSG:4326")
    points.to_parquet(path, geometry_encoding="geoarrow")
    assert_geodataframe_equal(read_geoparquet(path), points)


def test_a_table_without_shapes_is_refused_as_geopandas_does(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pd.DataFrame({"n": [1]}).to_parquet(path)
    with pytest.raises(ValueError, match="Missing geo metadata"):
        read_geoparquet(path)
