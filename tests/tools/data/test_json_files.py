"""What is said of features that become GeoJSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import shapely

from tools.data.json_files import geojson
from tools.data.to_save import Layer, Rows


def test_shells_and_holes_that_are_turned_are_counted_apart(tmp_path: Path) -> None:
    shell, hole = [(0, 0), (0, 9), (9, 9), (9, 0)], [(1, 1), (2, 1), (2, 2), (1, 2)]
    both = shapely.Polygon(shell, [hole, hole[::-1]])
    right = shapely.Polygon(shell[::-1], [hole[::-1]])
    inside = shapely.GeometryCollection([shapely.MultiPolygon([both]), shapely.Point(1, 1)])
    shapes = np.array([both, None, right, inside, shapely.Polygon(), shapely.Point(0, 0)], dtype=object)
    table = pa.table({"n": list(range(6))})
    path = tmp_path / "a.geojson"
    said = geojson(path, [Layer("a", Rows("a", "a", "a", table, shapes))], {})
    assert said == ["2 shells turned counter-clockwise and 2 holes turned clockwise (RFC 7946)"]
    written = shapely.geometry.shape(json.loads(path.read_text())["features"][0]["geometry"])
    assert (written.exterior.is_ccw, [each.is_ccw for each in written.interiors]) == (True, [False, False])
    assert geojson(path, [Layer("a", Rows("a", "a", "a", table.slice(0, 1), shapes[2:3]))], {}) == []
