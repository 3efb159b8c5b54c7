"""What a layer draws in a view: plain shapes with a weight and a text, from the catalogue's aggregates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import h3
import numpy as np
import pandas as pd
import shapely
from shapely.geometry import Point, shape

from data.catalogue.base import Attribute, Selection
from state.model import Bbox, Layer, State
from tools.artifacts import artifact_file
from tools.base import World
from tools.map.classes import drawn_by, label_field
from tools.map.files import VECTOR_SUFFIXES, read_vector
from tools.map.geometry import MAX_LATITUDE
from tools.map.shapes import box_shape, into_one_world
from tools.selection import geojson, selection_of_query
from tools.tables import plain_value

if TYPE_CHECKING:
    import geopandas as gpd

MOST_FEATURES = 5000
"""In a page that can be moved: a browser draws each of them again and again."""
MOST_IN_PICTURE = 100_000
"""In a picture, of what does not fall on the same pixel: about ten seconds."""
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
    pixel_deg: float | None = None
    """Of a picture, which draws what is in the box: the width of its pixels, degrees of longitude."""

    @property
    def most(self) -> int:
        """How many features of a layer are drawn."""
        return MOST_FEATURES if self.pixel_deg is None else MOST_IN_PICTURE


@dataclass(frozen=True)
class Drawn:
    """What a layer draws."""

    features: list[Feature]
    left_out: str = ""
    """What is not drawn, in a sentence without its full stop; empty where all is."""


def layer_features(state: State, world: World, layer: Layer, view: View) -> list[Feature]:
    """What the layer draws in a view, without what it leaves out."""
    return drawn_features(state, world, layer, view).features


def drawn_features(state: State, world: World, layer: Layer, view: View) -> Drawn:
    """What the layer draws in a view, and what it leaves out. A raster draws its outline."""
    if layer.geometry is not None:
        options = dict(layer.options)
        label = str(options.get("label", ""))
        return Drawn([Feature(shape(geojson(layer.geometry)), 1.0, label or layer.name, shown=bool(label))])
    if layer.query is not None:
        return _of_selection(world, layer, selection_of_query(layer.query), view)
    if layer.kind == "vector" and layer.artifact is not None:
        return _of_vector(state, world, layer, view)
    options = dict(layer.options)
    sides = [float(options[side]) for side in ("west", "south", "east", "north") if side in options]
    if len(sides) != 4:
        return Drawn([])
    return Drawn([Feature(box_shape((sides[0], sides[1], sides[2], sides[3])), 0.0, layer.name)])


def fair_sample(frame: gpd.GeoDataFrame, most: int) -> gpd.GeoDataFrame:
    """Rows by chance in their order, all where there are no more: of one row it is the same each time."""
    if len(frame) <= most:
        return frame
    drawn = pd.util.hash_array(frame.index.to_numpy())
    return frame.iloc[np.sort(np.argsort(drawn, kind="stable")[:most])]


def _left_out(layer: Layer, shown: int, total: int, how: str) -> str:
    return "" if shown >= total else f"{layer.name}: {shown:,} of {total:,} features are drawn, {how}"


def _of_selection(world: World, layer: Layer, selection: Selection, view: View) -> Drawn:
    if layer.kind in ("clusters", "heatmap", "density"):
        return Drawn(_aggregated(world, layer, selection, view))
    if layer.kind == "choropleth" and dict(layer.options).get("by") == "country":
        return Drawn(_countries(world, selection))
    if layer.kind == "labels":
        labels = _labels(world, layer, selection)
        total = world.catalogue.count(selection) if len(labels) == MOST_LABELS else 0
        return Drawn(labels, _left_out(layer, len(labels), total, "the first of the selection"))
    most = view.most
    if layer.kind == "detections":
        rows = world.catalogue.detections(selection, view.bbox, limit=most)
        shapes, texts = [_outline(row, "outline") for row in _records(rows)], rows["class_name"]
    else:
        rows = world.catalogue.points(selection, view.bbox, limit=most)
        texts = rows["image_id"]
        shapes = [
            _outline(row, "footprint") if layer.kind == "footprints" else Point(row["lon"], row["lat"])
            for row in _records(rows)
        ]
        rows = with_fields(world, selection, rows, fields_drawn(layer))
    usual = Feature(Point(), {"detections": 0.5, "footprints": 0.3}.get(layer.kind, 1.0))
    features = _styled(layer, shapes, rows, usual, [str(each) for each in texts])
    more = f"{layer.name}: {most:,} features are drawn, and there are more" if len(rows) >= most else ""
    return Drawn(features, more)


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


def _of_vector(state: State, world: World, layer: Layer, view: View) -> Drawn:
    assert layer.artifact is not None
    artifact = state.artifact(layer.artifact)
    path = artifact_file(state, world, layer.artifact, artifact.kind if artifact else "vector")
    if path.suffix not in VECTOR_SUFFIXES:
        return Drawn([])
    frame = apart = read_vector(path)
    if view.pixel_deg is not None:
        west, south, east, north = view.bbox
        frame = apart = frame.cx[west:east, south:north] if west <= east else frame
        if len(frame) > MOST_FEATURES:
            apart = _on_pixels_of_their_own(frame, fields_drawn(layer), view.pixel_deg)
    shown = fair_sample(apart, view.most)
    features = _styled(layer, shown.geometry, shown, Feature(shapely.Point(), 0.3, layer.name))
    total = len(frame) if len(shown) < len(apart) else 0
    return Drawn(features, _left_out(layer, len(shown), total, "chosen by chance"))


def _on_pixels_of_their_own(
    frame: gpd.GeoDataFrame, fields: Sequence[str], pixel_deg: float
) -> gpd.GeoDataFrame:
    """Features without those that lie within a pixel of one that looks alike: it is drawn over them."""
    west, south, east, north = shapely.bounds(frame.geometry.array).T
    lat = np.radians(np.clip((south + north) / 2, -MAX_LATITUDE, MAX_LATITUDE))
    down = np.degrees(np.arctanh(np.sin(lat)))
    small = np.maximum(east - west, north - south) < pixel_deg
    places = pd.DataFrame(
        {
            "across": np.floor((west + east) / 2 / pixel_deg).astype("int64"),
            "down": np.floor(down / pixel_deg).astype("int64"),
            "large": np.where(small, -1, np.arange(len(frame))),
            **{f"value {each}": frame[each].astype(str).to_numpy() for each in fields if each in frame},
        }
    )
    return frame[~places.duplicated(keep="last").to_numpy()]


def _outline(row: dict[str, object], column: str) -> shapely.Geometry:
    wkb = row.get(column)
    if isinstance(wkb, (bytes, bytearray)):
        return shapely.from_wkb(bytes(wkb))
    west, south, east, north = (float(str(row[side])) for side in ("west", "south", "east", "north"))
    return box_shape((west, south, east, north))


def _records(rows: pd.DataFrame) -> Iterator[dict[str, object]]:
    for row in rows.to_dict("records"):
        yield {str(key): value for key, value in row.items()}
