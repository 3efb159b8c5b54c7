"""What a layer draws in a view: plain shapes with a weight and a text, from the catalogue's aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import h3
import pandas as pd
import shapely
from shapely.geometry import Point, shape

from data.catalogue.base import Attribute, Selection
from state.model import Bbox, Layer, State
from tools.artifacts import artifact_file
from tools.base import World
from tools.map.classes import drawn_by, label_field
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
    """That of its class or value; None for the layer's."""
    size: float | None = None
    """Pixels; None for the layer's."""


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
        shapes, texts = [_outline(row, "outline") for row in _records(rows)], rows["class_name"]
    else:
        rows = world.catalogue.points(selection, view.bbox, limit=MOST_FEATURES)
        texts = rows["image_id"]
        shapes = [
            _outline(row, "footprint") if layer.kind == "footprints" else Point(row["lon"], row["lat"])
            for row in _records(rows)
        ]
        rows = with_fields(world, selection, rows, fields_drawn(layer))
    usual = Feature(Point(), {"detections": 0.5, "footprints": 0.3}.get(layer.kind, 1.0))
    return _styled(layer, shapes, rows, usual, [str(each) for each in texts])


def fields_drawn(layer: Layer) -> tuple[str, ...]:
    """The columns that a layer's features are drawn and labelled by."""
    style, label = drawn_by(layer), label_field(layer)
    return tuple(dict.fromkeys(each for each in (style.field if style else None, label) if each is not None))


def with_fields(
    world: World, selection: Selection, rows: pd.DataFrame, fields: Sequence[str]
) -> pd.DataFrame:
    """Rows of images with more of their columns."""
    missing = [each for each in fields if each not in rows]
    if not missing or rows.empty:
        return rows
    wanted = replace(selection, attributes=(Attribute("image_id", "in", list(rows["image_id"])),))
    found = world.catalogue.rows(wanted, ("image_id", *missing), (), len(rows))
    return rows.merge(found, on="image_id", how="left")


def _styled(
    layer: Layer,
    shapes: Iterable[shapely.Geometry],
    rows: pd.DataFrame,
    usual: Feature,
    texts: Sequence[str] = (),
) -> list[Feature]:
    """The shapes in the colour and the size of their row's value, with its label."""
    style, label = drawn_by(layer), label_field(layer)
    styled = style is not None and style.field in rows
    values = rows[style.field] if style is not None and styled else [None] * len(rows)
    labels = rows[label] if label is not None and label in rows else [None] * len(rows)
    found = []
    for at, (each, value, written) in enumerate(zip(shapes, values, labels, strict=True)):
        feature = replace(usual, shape=each, text=texts[at] if texts else usual.text)
        if style is not None and styled:
            feature = replace(
                feature,
                weight=max(0.6, usual.weight),
                text=f"{feature.text}: {_written(value)}",
                color=style.colour(value),
                size=style.size(value),
            )
        if (said := _written(written)) != "":
            feature = replace(feature, text=said, shown=True)
        found.append(feature)
    return found


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
    frame = read_vector(path).head(MOST_FEATURES)
    return _styled(layer, frame.geometry, frame, Feature(shapely.Point(), 0.3, layer.name))


def _outline(row: dict[str, object], column: str) -> shapely.Geometry:
    wkb = row.get(column)
    if isinstance(wkb, (bytes, bytearray)):
        return shapely.from_wkb(bytes(wkb))
    west, south, east, north = (float(str(row[side])) for side in ("west", "south", "east", "north"))
    return box_shape((west, south, east, north))


def _records(rows: pd.DataFrame) -> Iterator[dict[str, object]]:
    for row in rows.to_dict("records"):
        yield {str(key): value for key, value in row.items()}
