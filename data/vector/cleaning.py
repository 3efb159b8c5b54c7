"""Features made fit to compute with, and every change said: valid, two-dimensional, within ±180 degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from data.vector.errors import VectorError
from data.vector.globe import areas, collected, into_one_world, jumps, short_way, simple_parts

if TYPE_CHECKING:
    import geopandas as gpd

WGS84 = "EPSG:4326"
_FARTHEST_DEG = 900
_SLIVER_DEG = 1e-7
MAX_PAIRS = 1_000_000
CUT = "cut at 180 degrees of longitude"
MOVED = "moved by 360 degrees of longitude, to within ±180"
ROUND = "taken the shorter way round, as an edge spans over 180 degrees of longitude"
KINDS = ("point", "line", "polygon")
"""What a feature is, by its dimension."""


@dataclass(frozen=True)
class Placing:
    """What was done to bring shapes to within ±180 degrees."""

    cut: int = 0
    """Shapes that were cut at 180 degrees; what lay beyond was moved."""
    moved: int = 0
    """Shapes that were moved and not cut."""
    rings: int = 0
    """Rings and lines of which an edge is over 180 degrees wide: it goes the shorter way round."""

    def __bool__(self) -> bool:
        return self.cut + self.moved + self.rings > 0

    def __add__(self, other: Placing) -> Placing:
        return Placing(self.cut + other.cut, self.moved + other.moved, self.rings + other.rings)

    def said(self, one: str, many: str) -> list[str]:
        """`2 shapes were cut at 180 degrees …`, for each that was done; `one` and `many`: shape, shapes."""
        counted = ((self.cut, one, many, CUT), (self.moved, one, many, MOVED),
                   (self.rings, "ring or line", "rings or lines", ROUND))  # fmt: skip
        return [
            f"{count:,} {f'{noun} was' if count == 1 else f'{nouns} were'} {what}"
            for count, noun, nouns, what in counted
            if count
        ]


@dataclass(frozen=True)
class Cleaned:
    """Features in EPSG:4326 that can be computed with, and what had to be done for that."""

    frame: gpd.GeoDataFrame
    notes: tuple[str, ...]
    """Sentences' parts: `2 invalid shapes were made valid`."""
    repaired: int = 0
    dropped: int = 0


def cleaned(frame: gpd.GeoDataFrame, *, on_plane: bool = False) -> Cleaned:
    """Features without empty shapes, made valid, flat and within ±180 degrees; the rows keep their order.

    With `on_plane` they stay on the plane that they are on. Without a coordinate system, longitude and
    latitude are assumed. Raises VectorError when no feature is left, or when positions are no longitudes and
    latitudes.
    """
    notes: list[str] = []
    if frame.crs is None:
        frame = frame.set_crs(WGS84)
        notes.append("without a coordinate system, longitude and latitude were assumed")
    elif not on_plane and frame.crs != WGS84:
        frame = frame.to_crs(WGS84)
    there = ~(frame.geometry.isna() | frame.geometry.is_empty).to_numpy(dtype=bool)
    if dropped := int((~there).sum()):
        notes.append(
            _counted(dropped, "feature without a shape was", "features without a shape were", "left out")
        )
    frame = frame[there].reset_index(drop=True)
    if frame.empty:
        raise VectorError("There are no features with a shape to work with.")
    shapes = frame.geometry.to_numpy()
    if not on_plane:
        _on_the_globe(shapes)
    if flat := int(shapely.has_z(shapes).sum()):
        shapes = shapely.force_2d(shapes)
        notes.append(_counted(flat, "shape's heights were", "shapes' heights were", "left out"))
    broken = ~shapely.is_valid(shapes)
    repaired = [repair(each) if bad else each for each, bad in zip(shapes, broken, strict=True)]
    if count := int(broken.sum()):
        notes.append(_counted(count, "invalid shape was", "invalid shapes were", "made valid"))
    placed, placing = (_objects(repaired), Placing()) if on_plane else on_the_map(_objects(repaired))
    notes += placing.said("shape", "shapes")
    lost = np.array([each.is_empty for each in placed], dtype=bool)
    frame = frame.set_geometry(_series(placed, frame))[~lost].reset_index(drop=True)
    if lost.any():
        gone = int(lost.sum())
        dropped += gone
        notes.append(
            _counted(gone, "shape that covers nothing was", "shapes that cover nothing were", "left out")
        )
    if frame.empty:
        raise VectorError("There are no features with a shape to work with.")
    return Cleaned(frame, tuple(notes), count, dropped)


def repair(shape: shapely.Geometry) -> shapely.Geometry:
    """A valid shape of the same kind that covers the same: a bow tie becomes its two halves.

    By GEOS' structure method: rings are made valid apart, holes are then cut out (what collapses to a
    line or a point is left out of polygons).
    """
    if shapely.is_valid(shape):
        return shape
    valid = shapely.make_valid(shape, method="structure", keep_collapsed=False)
    return areas(valid) if shapely.get_dimensions(shape) == 2 else valid


def tidied(shapes: NDArray[np.object_]) -> tuple[NDArray[np.object_], int, int]:
    """Valid shapes with shells that run counter-clockwise (RFC 7946, 3.1.6) and no slivers among their parts.

    How many shapes were turned, and how many slivers went. A sliver is a part of a polygon that is less
    than a centimetre wide on average; a shape that is nothing else stays.
    """
    slivers, kept = 0, []
    for shape in shapes:
        parts = simple_parts(shape) if shape.geom_type in ("MultiPolygon", "GeometryCollection") else []
        fit = [each for each in parts if not _is_sliver(each)]
        slivers += len(parts) - len(fit) if fit else 0
        kept.append(collected(fit) if 0 < len(fit) < len(parts) else shape)
    before = _objects(kept)
    after = shapely.orient_polygons(before)
    turned = shapely.to_wkb(before) != shapely.to_wkb(after)
    return after, int(turned.sum()), slivers


def _is_sliver(part: shapely.Geometry) -> bool:
    return bool(part.geom_type == "Polygon" and 2 * part.area < _SLIVER_DEG * part.length)


def dimension(frame: gpd.GeoDataFrame) -> np.ndarray[Any, np.dtype[np.int_]]:
    """Of every feature 0 for points, 1 for lines, 2 for polygons; the highest of what a collection holds."""
    return np.asarray(shapely.get_dimensions(frame.geometry.to_numpy()), dtype=int)


def only(frame: gpd.GeoDataFrame, kind: int, wanted: str) -> gpd.GeoDataFrame:
    """The features of a kind (0 points, 1 lines, 2 polygons). Raises VectorError when there are none."""
    kept = frame[dimension(frame) == kind].reset_index(drop=True)
    if kept.empty:
        raise VectorError(f"{wanted} has no {KINDS[kind]}s; it has {kinds_in_words(frame)}.")
    return kept


def affordable(pairs: int) -> None:
    """Raises VectorError for more pairs of features than are worked with."""
    if pairs > MAX_PAIRS:
        raise VectorError(
            f"The features meet in {pairs:,} pairs, and at most {MAX_PAIRS:,} are worked with; take fewer."
        )


def kinds_in_words(frame: gpd.GeoDataFrame) -> str:
    """`3 polygons and 1 point`."""
    counts = np.bincount(dimension(frame).clip(0), minlength=3)
    said = [
        _counted(int(n), kind, f"{kind}s", "").strip() for kind, n in zip(KINDS, counts, strict=True) if n
    ]
    return " and ".join(said) or "no features"


def on_the_map(
    shapes: NDArray[np.object_], farthest_deg: float = _FARTHEST_DEG
) -> tuple[NDArray[np.object_], Placing]:
    """Shapes within ±180 degrees, their edges the shorter way round; and what was done for that.

    Only those that reach beyond, or are over 180 degrees wide, are looked at one by one; what lies farther
    out than `farthest_deg` stays.
    """
    bounds = shapely.bounds(shapes)
    with np.errstate(invalid="ignore"):
        there = (np.abs(bounds[:, [0, 2]]) <= farthest_deg).all(axis=1) & np.isfinite(bounds).all(axis=1)
        beyond = there & ((bounds[:, 0] < -180) | (bounds[:, 2] > 180))
        wide = there & (bounds[:, 2] - bounds[:, 0] > 180)
    done = Placing()
    if not (beyond | wide).any():
        return shapes, done
    placed = shapes.copy()
    for at in np.flatnonzero(beyond | wide):
        placed[at], rings = _placed(shapes[at])
        cut = len(simple_parts(placed[at])) > len(simple_parts(shapes[at]))
        done += Placing(int(cut), int(beyond[at] and not cut), rings)
    return placed, done


def _placed(shape: shapely.Geometry) -> tuple[shapely.Geometry, int]:
    """(a shape within ±180 degrees, how many of its rings and lines have edges that take the shorter way)."""
    west, _, east, _ = shape.bounds
    beyond = west < -180 or east > 180
    if shape.geom_type in ("Point", "MultiPoint"):
        return (shapely.transform(shape, _wrapped) if beyond else shape), 0
    if shape.geom_type == "GeometryCollection":
        found = [_placed(each) for each in simple_parts(shape)]
        return collected([each for each, _ in found]), sum(rings for _, rings in found)
    if beyond:
        return into_one_world(shape, geodesic=True), 0
    return short_way(shape), sum(jumps(each) for each in simple_parts(shape))


def _wrapped(xy: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    beyond = np.abs(xy[:, 0]) > 180
    lon = np.where(beyond, (xy[:, 0] + 180) % 360 - 180, xy[:, 0])
    return np.column_stack([lon, xy[:, 1]])


def _on_the_globe(shapes: np.ndarray[Any, np.dtype[np.object_]]) -> None:
    bounds = shapely.bounds(shapes)
    if not np.isfinite(bounds).all():
        raise VectorError("Some shapes have positions that are not numbers.")
    if np.abs(bounds[:, [1, 3]]).max() > 90 + 1e-9 or np.abs(bounds[:, [0, 2]]).max() > 900:
        worst = bounds[int(np.argmax(np.abs(bounds).max(axis=1)))]
        raise VectorError(
            f"The shapes reach [{', '.join(f'{side:g}' for side in worst)}], which are no longitudes and "
            "latitudes; their coordinate system is missing or wrong."
        )


def _objects(shapes: list[shapely.Geometry]) -> NDArray[np.object_]:
    found = np.empty(len(shapes), object)
    found[:] = shapes
    return found


def _series(shapes: Any, frame: gpd.GeoDataFrame) -> gpd.GeoSeries:
    import geopandas as gpd

    return gpd.GeoSeries(shapes, index=frame.index, crs=frame.crs)


def _counted(count: int, one: str, many: str, rest: str) -> str:
    return f"{count:,} {one if count == 1 else many} {rest}"
