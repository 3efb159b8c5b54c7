"""Grids of equal cells over an area: squares, hexagons, and the cells of H3."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import shapely
from numpy.typing import NDArray

from data.vector.cleaning import WGS84
from data.vector.errors import VectorError
from data.vector.globe import areas, into_one_world, reach_m, simple_parts, unrolled
from data.vector.local import Plane, plane_around
from data.vector.measuring import area_m2

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

MAX_CELLS = 20_000
_FARTHEST_M = 5_000_000.0
Kind = Literal["square", "hexagon"]
Cells = NDArray[np.object_]


def grid(area: shapely.Geometry, kind: Kind, size_m: float, crs: CRS | None = None) -> gpd.GeoDataFrame:
    """Squares or hexagons that meet an area, each as wide as `size_m`, row by row from the south-west.

    All cells are of one size: they are laid out on Lambert's azimuthal equal-area plane around the area
    (Snyder 1987, section 24), or with `crs` on that plane, which the area is on then. A hexagon's width is
    between opposite sides. Columns: `cell`, `row`, `column`. Raises VectorError for too many cells, or an
    area wider than 10,000 km.
    """
    import geopandas as gpd

    if crs is not None:
        size = size_m / float(crs.axis_info[0].unit_conversion_factor)
        table, cells = _laid(area, kind, size)
        return gpd.GeoDataFrame(table, geometry=list(cells), crs=crs)
    plane = plane_around(area, "laea")
    if reach_m(area, (plane.lon, plane.lat)) > _FARTHEST_M:
        raise VectorError(
            "The area is wider than 10,000 km, over which squares and hexagons of one size do not fit the "
            "globe; give kind=h3, whose cells do."
        )
    table, cells = _laid(plane.flat(area), kind, size_m)
    shapes = [plane.round(each, follow=False) for each in _stepped(cells, size_m, plane)]
    return gpd.GeoDataFrame(table, geometry=shapes, crs=WGS84)


def _laid(flat: shapely.Geometry, kind: Kind, size_m: float) -> tuple[dict[str, Any], Cells]:
    """(the columns, the cells) of those that meet an area of a plane."""
    west, south, east, north = flat.bounds
    _affordable((east - west) * (north - south) / size_m**2, "a larger size_m")
    lay = _squares if kind == "square" else _hexagons
    rows, columns, cells = lay((west, south, east, north), size_m)
    shapely.prepare(flat)
    kept = np.flatnonzero(shapely.intersects(flat, cells) & ~shapely.touches(flat, cells))
    if len(kept) > MAX_CELLS:
        _affordable(len(kept), "a larger size_m")
    table = {
        "cell": [f"r{rows[each]}c{columns[each]}" for each in kept],
        "row": rows[kept],
        "column": columns[kept],
    }
    return table, cells[kept]


def h3_grid(area: shapely.Geometry, resolution: int) -> gpd.GeoDataFrame:
    """The cells of Uber's H3 that meet an area, by their id. Columns: `cell` (the H3 index).

    Raises VectorError for too many cells.
    """
    import geopandas as gpd
    import h3

    _affordable(area_m2(area) / (h3.average_hexagon_area(resolution, unit="m^2")), "a lower resolution")
    found: set[str] = set()
    for part in simple_parts(area):
        found |= _h3_cells(part, resolution)
    _affordable(len(found), "a lower resolution")
    cells = sorted(found)
    shapes = [h3_shape(each) for each in cells]
    # What H3 gives is what may meet the area: it goes by its own boxes of cells.
    meets = shapely.intersects(area, np.array(shapes, dtype=object)) if cells else np.array([], dtype=bool)
    table = {"cell": [each for each, kept in zip(cells, meets, strict=True) if kept]}
    kept_shapes = [each for each, kept in zip(shapes, meets, strict=True) if kept]
    return gpd.GeoDataFrame(table, geometry=kept_shapes, crs=WGS84)


def h3_shape(cell: str) -> shapely.Geometry:
    """The outline of an H3 cell, cut at the antimeridian, and closed along the map's edge around a pole."""
    import h3

    ring = np.array([(lon, lat) for lat, lon in h3.cell_to_boundary(cell)])
    ring = np.vstack([ring, ring[:1]])
    corners = unrolled(ring)
    turn = corners[-1, 0] - corners[0, 0]
    if abs(turn) > 180:
        pole = 90.0 if h3.cell_to_latlng(cell)[0] > 0 else -90.0
        corners = np.vstack([corners, [(corners[-1, 0], pole), (corners[0, 0], pole)], corners[:1]])
    return into_one_world(areas(shapely.Polygon(corners)))


def cell_width_m(resolution: int) -> float:
    """The width of an average H3 hexagon between opposite sides, metres."""
    import h3

    return math.sqrt(3) * float(h3.average_hexagon_edge_length(resolution, unit="m"))


def clipped(cells: gpd.GeoDataFrame, area: shapely.Geometry) -> gpd.GeoDataFrame:
    """The cells cut to the area."""
    shapes = [areas(each) for each in shapely.intersection(cells.geometry.to_numpy(), area)]
    found = cells.set_geometry(_series(shapes, cells))
    return found[~found.geometry.is_empty].reset_index(drop=True)


def _series(shapes: Sequence[shapely.Geometry], frame: gpd.GeoDataFrame) -> gpd.GeoSeries:
    import geopandas as gpd

    return gpd.GeoSeries(list(shapes), index=frame.index, crs=frame.crs)


def _h3_cells(part: shapely.Geometry, resolution: int) -> set[str]:
    """The cells that a point, a line or a polygon may meet."""
    import h3

    if part.geom_type == "Point":
        return {str(h3.latlng_to_cell(part.y, part.x, resolution))}
    if part.geom_type != "Polygon":
        step_deg = cell_width_m(resolution) / 4 / 111_195
        _affordable(part.length / step_deg / 4, "a lower resolution")
        corners = shapely.get_coordinates(shapely.segmentize(part, step_deg))
        on_it = {str(h3.latlng_to_cell(lat, lon, resolution)) for lon, lat in corners}
        return {str(near) for each in on_it for near in h3.grid_disk(each, 1)}
    # Pieces of at most 60 degrees: H3 takes an edge of over 180 degrees to go the other way around.
    west, south, east, north = part.bounds
    sides = np.arange(math.floor(west / 60) * 60, east, 60)
    pieces = [
        each
        for side in sides
        for each in simple_parts(shapely.clip_by_rect(part, side, south, min(side + 60, east), north))
        if each.geom_type == "Polygon"
    ]
    found: set[str] = set()
    for piece in pieces or [part]:
        shape = h3.geo_to_h3shape(shapely.geometry.mapping(shapely.segmentize(piece, 1.0)))
        found |= set(h3.h3shape_to_cells_experimental(shape, resolution, contain="overlap"))
    return found


def _squares(bounds: tuple[float, float, float, float], size_m: float) -> tuple[np.ndarray, ...]:
    west, south, east, north = bounds
    across, up = max(1, math.ceil((east - west) / size_m)), max(1, math.ceil((north - south) / size_m))
    x0 = (west + east) / 2 - across * size_m / 2
    y0 = (south + north) / 2 - up * size_m / 2
    rows, columns = (each.ravel() for each in np.mgrid[0:up, 0:across])
    x, y = x0 + columns * size_m, y0 + rows * size_m
    return rows, columns, shapely.box(x, y, x + size_m, y + size_m)


def _hexagons(bounds: tuple[float, float, float, float], size_m: float) -> tuple[np.ndarray, ...]:
    """Hexagons with a corner up; every other row is half a width further."""
    west, south, east, north = bounds
    edge = size_m / math.sqrt(3)
    rise = 1.5 * edge
    across = math.ceil((east - west) / size_m) + 2
    up = math.ceil((north - south) / rise) + 2
    rows, columns = (each.ravel() for each in np.mgrid[0:up, 0:across])
    x = (west + east) / 2 + (columns - (across - 1) / 2 + (rows % 2) / 2 - 0.25) * size_m
    y = (south + north) / 2 + (rows - (up - 1) / 2) * rise
    turns = np.radians(np.arange(30, 391, 60))
    corners = np.stack([x[:, None] + edge * np.cos(turns), y[:, None] + edge * np.sin(turns)], axis=-1)
    return rows, columns, shapely.polygons(corners)


def _stepped(cells: Cells, size_m: float, plane: Plane) -> Cells:
    """Cells with their edges in equal steps, the same ones for the cells on both sides: no gaps between.

    In more of them within some cells of a pole, where straight edges of the plane bend on the map.
    """
    away = [shapely.distance(cells, pole) for pole in plane.poles if np.isfinite([pole.x, pole.y]).all()]
    cells_away = np.min(away, axis=0) / size_m
    steps = np.select([cells_away < 3, cells_away < 20], [128, 32], 8)
    # A hair more, so that rounding does not make one step more on one side of an edge than on the other.
    stepped: Cells = shapely.segmentize(cells, size_m / steps * (1 + 1e-9))
    return stepped


def _affordable(cells: float, remedy: str) -> None:
    if cells > MAX_CELLS:
        raise VectorError(
            f"That would be about {cells:,.0f} cells, and at most {MAX_CELLS:,} are made; give {remedy}."
        )
