"""What a layer draws in a view: plain shapes with a weight and a text, from the catalogue's aggregates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import h3
import pandas as pd
import shapely
from shapely.geometry import Point, shape

from data.catalogue.base import Selection
from state.model import Bbox, Layer, State
from tools.artifacts import artifact_file
from tools.base import World
from tools.map.classes import classes_of
from tools.map.files import VECTOR_SUFFIXES, read_vector
from tools.map.shapes import box_shape, into_one_world
from tools.selection import geojson, selection_of_query
from tools.tables import plain_value

MOST_FEATURES = 5000
MOST_LABELS = 300


@dataclass(frozen=True)
class Feature:
    """One thing to draw."""

    shape: shapely.Geometry
    weight: float = 0.0
    """0..1: how much is there, compared with the layer's most."""
    text: str = ""
    shown: bool = False
    """Whether the text is written on the map, and not only on hover."""
    color: str | None = None
    """That of its class; None for the layer's."""


@dataclass(frozen=True)
class View:
    """The part of the world that is drawn."""

    bbox: Bbox
    zoom: float


def layer_features(state: State, world: World, layer: Layer, view: View) -> list[Feature]:
    """What the layer draws in a view, at most a few thousand features. A raster draws its outline."""
    if layer.geometry is not None:
        options = dict(layer.options)
        label = str(options.get("label", ""))
        return [Feature(shape(geojson(layer.geometry)), 1.0, label or layer.name, shown=bool(label))]
    if layer.query is not None:
        return _of_selection(world, layer, selection_of_query(layer.query), view)
    if layer.kind == "vector" and layer.artifact is not None:
        return _of_vector(state, world, layer)
    options = dict(layer.options)
    sides = [float(options[side]) for side in ("west", "south", "east", "north") if side in options]
    return (
        [Feature(box_shape((sides[0], sides[1], sides[2], sides[3])), 0.0, layer.name)]
        if len(sides) == 4
        else []
    )


def _of_selection(world: World, layer: Layer, selection: Selection, view: View) -> list[Feature]:
    if layer.kind in ("clusters", "heatmap", "density"):
        return _aggregated(world, layer, selection, view)
    if layer.kind == "choropleth" and dict(layer.options).get("by") == "country":
        return _countries(world, selection)
    if layer.kind == "labels":
        return _labels(world, layer, selection)
    if layer.kind == "detections":
        rows = world.catalogue.detections(selection, view.bbox, limit=MOST_FEATURES)
        return [Feature(_outline(row, "outline"), 0.5, str(row["class_name"])) for row in _records(rows)]
    rows = world.catalogue.points(selection, view.bbox, limit=MOST_FEATURES)
    if layer.kind == "footprints":
        return [Feature(_outline(row, "footprint"), 0.3, str(row["image_id"])) for row in _records(rows)]
    return [Feature(Point(row["lon"], row["lat"]), 1.0, str(row["image_id"])) for row in _records(rows)]


def _aggregated(world: World, layer: Layer, selection: Selection, view: View) -> list[Feature]:
    cells = world.catalogue.cells(selection, view.bbox, view.zoom)
    most = max((each.count for each in cells), default=1)
    options = dict(layer.options)
    if layer.kind == "density" and options.get("cell") == "h3":
        return _hexagons(
            [(each.lon, each.lat, each.count) for each in cells], _h3_resolution(options, view.zoom)
        )
    if layer.kind == "density":
        return [Feature(box_shape(each.bbox), each.count / most, f"{each.count:,}") for each in cells]
    counted = layer.kind == "clusters"
    return [
        Feature(Point(each.lon, each.lat), each.count / most, f"{each.count:,}", counted) for each in cells
    ]


def _h3_resolution(options: dict[str, str | float | bool], zoom: float) -> int:
    asked = options.get("resolution")
    return int(asked) if asked is not None else max(0, min(15, round(zoom * 0.7)))


def _hexagons(points: list[tuple[float, float, int]], resolution: int) -> list[Feature]:
    counts: dict[str, int] = {}
    for lon, lat, count in points:
        cell = h3.latlng_to_cell(lat, lon, resolution)
        counts[cell] = counts.get(cell, 0) + count
    most = max(counts.values(), default=1)
    found: list[Feature] = []
    for cell, count in sorted(counts.items()):
        ring = [(lon, lat) for lat, lon in h3.cell_to_boundary(cell)]
        lons = [lon for lon, _ in ring]
        if max(lons) - min(lons) > 180:
            ring = [(lon + 360 if lon < 0 else lon, lat) for lon, lat in ring]
        found.append(Feature(into_one_world(shapely.Polygon(ring)), count / most, f"{count:,}"))
    return found


def _countries(world: World, selection: Selection) -> list[Feature]:
    counts = {code: n for code, n in world.catalogue.count_by(selection, "country") if code}
    most = max(counts.values(), default=1)
    found: list[Feature] = []
    for place in world.gazetteer.places("country"):
        count = counts.get(place.country or "", 0)
        outline = world.gazetteer.polygon(place) if count else None
        if outline is not None:
            found.append(Feature(outline, count / most, f"{place.name}: {count:,}"))
    return found


def _labels(world: World, layer: Layer, selection: Selection) -> list[Feature]:
    field = str(dict(layer.options).get("field", "name"))
    columns = tuple(dict.fromkeys(("image_id", "lon", "lat", field)))
    rows = world.catalogue.rows(selection, columns, limit=MOST_LABELS)
    return [
        Feature(Point(row["lon"], row["lat"]), 1.0, _written(row[field]), shown=True)
        for row in _records(rows)
    ]


def _written(value: object) -> str:
    plain = plain_value(value)
    return "" if plain is None else f"{plain:g}" if isinstance(plain, float) else str(plain)


def _of_vector(state: State, world: World, layer: Layer) -> list[Feature]:
    assert layer.artifact is not None
    artifact = state.artifact(layer.artifact)
    path = artifact_file(state, world, layer.artifact, artifact.kind if artifact else "vector")
    if path.suffix not in VECTOR_SUFFIXES:
        return []
    frame, classes = read_vector(path).head(MOST_FEATURES), classes_of(layer)
    if classes is None or classes.field not in frame:
        return [Feature(each, 0.3, layer.name) for each in frame.geometry]
    return [
        Feature(each, 0.6, f"{layer.name}: {name}", color=classes.colour(name))
        for each, name in zip(frame.geometry, frame[classes.field], strict=True)
    ]


def _outline(row: dict[str, object], column: str) -> shapely.Geometry:
    wkb = row.get(column)
    if isinstance(wkb, (bytes, bytearray)):
        return shapely.from_wkb(bytes(wkb))
    west, south, east, north = (float(str(row[side])) for side in ("west", "south", "east", "north"))
    return box_shape((west, south, east, north))


def _records(rows: pd.DataFrame) -> Iterator[dict[str, object]]:
    for row in rows.to_dict("records"):
        yield {str(key): value for key, value in row.items()}
