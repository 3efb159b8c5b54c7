"""Shapes cut into tiles."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from data.basemap.tiling import BUFFER, EXTENT, Shapes, cut, on_grid, projected, simplified


def shapes(*geometry: shapely.Geometry, since: int = 0) -> Shapes:
    made = np.array(geometry, dtype=object)
    return Shapes(made, np.full(len(made), since), {"rank": np.arange(len(made))})


def test_the_world_becomes_the_unit_square_with_the_north_on_top():
    square = projected(shapes(shapely.box(-180, -90, 180, 90), shapely.Point(0, 0), shapely.Point(90, 60)))
    assert shapely.bounds(square.geometry[0]) == pytest.approx([0, 0, 1, 1])
    assert square.geometry[1].coords[0] == pytest.approx((0.5, 0.5))
    assert square.geometry[2].coords[0][0] == 0.75 and square.geometry[2].coords[0][1] < 0.5


def test_a_shape_is_cut_into_the_tiles_that_it_touches_with_a_buffer_around():
    half = shapes(shapely.box(0.0, 0.0, 0.4, 1.0))
    tiles = dict(cut(half, 1))
    assert set(tiles) == {(1, 0, 0), (1, 0, 1)}
    assert shapely.bounds(tiles[1, 0, 0].geometry[0]) == pytest.approx([0, 0, 0.8 * EXTENT, EXTENT + BUFFER])


def test_a_shape_waits_for_its_zoom_and_a_small_one_vanishes():
    late = shapes(shapely.box(0.1, 0.1, 0.3, 0.3), since=3)
    assert [len(simplified(late, zoom, 4, 40).geometry) for zoom in (2, 3)] == [0, 1]
    small = shapes(shapely.box(0.5, 0.5, 0.5001, 0.5001), shapely.box(0.1, 0.1, 0.3, 0.3))
    assert simplified(small, 0, 4, 40).facts["rank"].tolist() == [1]


def test_rings_on_the_grid_turn_as_the_format_wants_and_slivers_are_dropped():
    ring = shapely.Polygon(
        [(0, 0), (0, 100.4), (100.4, 100.4), (100.4, 0)], [[(20, 20), (40, 20), (40, 40), (20, 40)]]
    )
    whole, sliver = on_grid(np.array([ring, shapely.box(0, 0, 50, 0.2)], dtype=object))
    assert sliver is None
    assert whole.exterior.is_ccw and not whole.interiors[0].is_ccw
    assert shapely.bounds(whole).tolist() == [0, 0, 100, 100]
