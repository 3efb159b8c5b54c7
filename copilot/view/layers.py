"""What a layer shows in a viewport: few rows as themselves, many as counts per cell.

Every answer is `{"mode", "features", "shown", "total", "note"}` where `features` is a GeoJSON
FeatureCollection, longitude first. Nothing here grows with the catalogue: what is sent is capped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import h3
import pandas as pd
import shapely

from copilot.messages import number, t
from copilot.view.attributes import kept_features
from copilot.view.crowds import are_points, cell_feature, crowd, crowds_of
from data.catalogue.base import Attribute, Bbox, Catalogue, Cell, Selection
from data.profiles import nested_text
from state.model import Layer, State
from tools.base import ToolError, World
from tools.map.classes import drawn_by, label_field
from tools.map.features import fair_sample, fields_drawn, with_fields
from tools.map.files import placed
from tools.map.geometry import latitude_of, mercator_y
from tools.map.rendered import samples
from tools.selection import selection_of_query
from tools.tables import plain_value

if TYPE_CHECKING:
    import geopandas as gpd

MAX_POINTS = 3000
MAX_FOOTPRINTS = 1500
MAX_SINGLE = 250
"""Up to so many images in view a cluster layer shows each by itself."""
MAX_BOXES = 3000
MAX_LABELS = 150
MAX_VECTOR = 5000
MAX_CARD = 8
"""Columns that a feature's card shows, besides those that it is drawn by."""
MAX_CELLS = 2000
MAX_HEAT = 6000
MAX_MEMBERS = 5000
_NEAR_ZOOM = 12
_FINE_ZOOMS = 5
"""Hexagons are filled from cells so many zoom levels finer: a thirty-second of 64 pixels."""


@dataclass(frozen=True)
class Viewport:
    """What the map shows: a box (west > east crosses the antimeridian) and a zoom level."""

    bbox: Bbox
    zoom: float
    period: str | None = None
    """The step that a timeline stands on, 2019, 2019-05 or 2019-05-17: every layer of its rows shows that."""


def layer_content(layer: Layer, state: State, world: World, view: Viewport) -> dict[str, Any]:
    """The content of a layer for a viewport. Raises ToolError or CatalogueError in a sentence."""
    if layer.kind == "vector":
        return _vector(layer, state, world, view)
    if layer.query is None:
        raise ToolError(t("The layer “{name}” is not filled by a query.", name=layer.name))
    selection = selection_of_query(layer.query)
    catalogue, fields = world.catalogue, state.ui.hover_fields
    selection = _in_period(selection, view.period)
    if layer.kind == "heatmap":
        return _heat(catalogue, selection, view)
    if layer.kind == "density":
        return _density(catalogue, selection, view, dict(layer.options))
    if layer.kind == "choropleth":
        return _areas(catalogue, selection, dict(layer.options))
    if layer.kind == "detections":
        return _detections(catalogue, selection, view, layer)
    if layer.kind == "labels":
        return _labels(catalogue, selection, view, str(dict(layer.options).get("field", "name")))
    if layer.kind == "footprints":
        return _styled(
            layer, world, selection, _images(catalogue, selection, view, MAX_FOOTPRINTS, 1, fields)
        )
    if layer.kind in ("points", "timeline"):
        return _styled(layer, world, selection, _images(catalogue, selection, view, MAX_POINTS, 2, fields))
    return _styled(layer, world, selection, _clusters(catalogue, selection, view, fields))


def periods(layer: Layer, catalogue: Catalogue) -> list[tuple[str, int]]:
    """The steps of a timeline and how many rows each has, in order of time."""
    if layer.query is None:
        return []
    by = str(dict(layer.options).get("by", "month"))
    counts = catalogue.count_by(selection_of_query(layer.query), by, limit=5000)
    return sorted((key, n) for key, n in counts if key[:1].isdigit())


def _images(
    catalogue: Catalogue,
    selection: Selection,
    view: Viewport,
    limit: int,
    finer: int,
    fields: tuple[str, ...],
) -> dict[str, Any]:
    """Each image by itself while there are at most `limit` in view, else cells `finer` levels smaller."""
    most = MAX_CELLS if finer == 0 else MAX_POINTS
    cells = catalogue.cells(selection, view.bbox, view.zoom + finer, most)
    total = sum(each.count for each in cells)
    if total > limit and not (view.zoom >= _NEAR_ZOOM and total <= MAX_POINTS):
        return _collection("cells", [cell_feature(each) for each in cells], total, total)
    rows = catalogue.points(selection, view.bbox, limit=MAX_POINTS)
    hover = _hover(catalogue, selection, rows, fields)
    near = view.zoom >= _NEAR_ZOOM
    generated = samples(catalogue) if near else frozenset[str]()
    features = [
        _image(row, hover.get(row["image_id"], ()), row["dataset"] in generated)
        for row in rows.to_dict("records")
    ]
    return _collection("images", features, len(features), total)


def _styled(layer: Layer, world: World, selection: Selection, found: dict[str, Any]) -> dict[str, Any]:
    """Single images in the colour and the size that their column says, with their labels."""
    fields = fields_drawn(layer)
    if not fields:
        return found
    if found["mode"] != "images":
        return {**found, "note": _when_near(*fields)}
    features = [each for each in found["features"]["features"] if "id" in each["properties"]]
    ids = pd.DataFrame({"image_id": [each["properties"]["id"] for each in features]})
    rows = with_fields(world, selection, ids, fields)
    for feature, row in zip(features, rows.to_dict("records"), strict=True):
        feature["properties"] |= _looks(layer, row)
        feature["properties"]["hover"] = _first(layer, row, feature["properties"]["hover"])
    return found


def _when_near(field: str, label: str | None = None) -> str:
    if label is None:
        return t("Single images, and their {field}, show when you zoom in.", field=field)
    return t("Single images, and their {field} and {label}, show when you zoom in.", field=field, label=label)


def _looks(layer: Layer, row: Mapping[Any, Any]) -> dict[str, Any]:
    """A feature's own colour, size and label, where its layer is drawn by a column."""
    style, label = drawn_by(layer), label_field(layer)
    found: dict[str, Any] = {}
    if style is not None and style.field in row:
        value = row[style.field]
        found = {"color": style.colour(value), "size": style.size(value)}
    if label is not None and label in row:
        found["label"] = _short(row[label])
    return {key: value for key, value in found.items() if value is not None and value != ""}


def _first(layer: Layer, row: Mapping[Any, Any], hover: Any) -> list[list[str]]:
    """What a feature's card says, with what it is drawn by first."""
    drawn = [[field, _short(row[field]) or t("no value")] for field in fields_drawn(layer) if field in row]
    return [*drawn, *(list(each) for each in hover if each[0] not in {field for field, _ in drawn})]


def _clusters(
    catalogue: Catalogue, selection: Selection, view: Viewport, fields: tuple[str, ...]
) -> dict[str, Any]:
    """Counts per cell, and each image that is alone in its cell by itself; near, every image by itself."""
    cells = catalogue.cells(selection, view.bbox, view.zoom, MAX_CELLS)
    found = _images(catalogue, selection, view, MAX_SINGLE, 0, fields)
    if found["mode"] == "cells":
        crowds = [crowd(each, view.zoom) for each in cells]
        return _collection("cells", crowds, found["shown"], found["total"])
    if view.zoom >= _NEAR_ZOOM:
        return found
    alone = {(round(each.lon, 5), round(each.lat, 5)) for each in cells if each.count == 1}
    images = [
        each
        for each in found["features"]["features"]
        if (round(each["properties"]["lon"], 5), round(each["properties"]["lat"], 5)) in alone
    ]
    crowds = [crowd(each, view.zoom) for each in cells if each.count > 1]
    return _collection("images", [*images, *crowds], found["shown"], found["total"])


def extent(layer: Layer, catalogue: Catalogue, view: Viewport | None = None) -> Bbox | None:
    """The box around the outlines of a layer's rows, or of those whose centres lie in the viewport's box.

    West > east crosses the antimeridian. None where there are none.
    """
    if layer.query is None:  # a crowd of own points knows its box
        return None if view is None else view.bbox
    selection = selection_of_query(layer.query)
    if view is None:
        return catalogue.bounds(selection)
    rows = catalogue.points(_in_period(selection, view.period), view.bbox, limit=MAX_MEMBERS)
    west, south, east, north = view.bbox
    there = rows[rows["lon"].between(west, east) & rows["lat"].between(south, north)]
    if len(rows) == MAX_MEMBERS or there.empty:
        return view.bbox
    # Outlines that cross the antimeridian reach beyond 180° on the side that their centre is on.
    across = there["west"] > there["east"]
    wests = there["west"].mask(across & (there["lon"] < 0), there["west"] - 360)
    easts = there["east"].mask(across & (there["lon"] >= 0), there["east"] + 360)
    found = (wests.min(), there["south"].min(), easts.max(), there["north"].max())
    return tuple(float(side) for side in found)  # type: ignore[return-value]


def _image(row: Mapping[Any, Any], hover: Any, rendered: bool) -> dict[str, Any]:
    box = [row["west"], row["south"], row["east"], row["north"]]
    properties = {
        "id": row["image_id"],
        "name": row["name"],
        "lon": row["lon"],
        "lat": row["lat"],
        "hover": hover,
    }
    if rendered:
        properties["rendered"] = True
    if isinstance(row["footprint"], bytes):
        geometry: dict[str, Any] = shapely.geometry.mapping(shapely.from_wkb(row["footprint"]))
    elif box[0] == box[2] and box[1] == box[3]:
        geometry = {"type": "Point", "coordinates": [row["lon"], row["lat"]]}
    else:
        geometry = _box(*box)
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _hover(
    catalogue: Catalogue, selection: Selection, rows: pd.DataFrame, fields: tuple[str, ...]
) -> dict[str, list[list[str]]]:
    """image_id → [[field, value], …] for tooltips; more rows than a hover can need get only their names."""
    extra = tuple(field for field in fields if field not in rows)
    if extra and 0 < len(rows) <= 500:
        wanted = replace(selection, attributes=(Attribute("image_id", "in", list(rows["image_id"])),))
        found = catalogue.rows(wanted, ("image_id", *extra), (), len(rows))
        rows = rows.merge(found, on="image_id", how="left")
    shown = [field for field in fields if field in rows]
    return {
        row["image_id"]: [[field, _short(row[field])] for field in shown if _short(row[field])]
        for row in rows[[*dict.fromkeys(("image_id", *shown))]].to_dict("records")
    }


def _short(value: Any) -> str:
    plain = plain_value(value)
    if plain is None:
        return ""
    if isinstance(plain, dict | list):
        return nested_text(plain)[:120]
    text = str(plain).partition("T00:00:00")[0] if hasattr(value, "year") else str(plain)
    return text[:120]


def _heat(catalogue: Catalogue, selection: Selection, view: Viewport) -> dict[str, Any]:
    cells = catalogue.cells(selection, view.bbox, view.zoom + 2, MAX_HEAT)
    total = sum(each.count for each in cells)
    return _collection("heat", [cell_feature(each) for each in cells], total, total)


def _density(
    catalogue: Catalogue, selection: Selection, view: Viewport, options: dict[str, Any]
) -> dict[str, Any]:
    if options.get("cell") == "square":
        zoom = float(options.get("resolution", view.zoom))
        cells = catalogue.cells(selection, view.bbox, zoom, MAX_HEAT)
        features = [{**cell_feature(each), "geometry": _square(each, zoom)} for each in cells]
        total = sum(each.count for each in cells)
        return _collection("areas", features, total, total)
    resolution = int(options.get("resolution", _h3_resolution(view.zoom)))
    fine = catalogue.cells(selection, view.bbox, view.zoom + _FINE_ZOOMS, 200_000)
    counts: dict[str, int] = {}
    for each in fine:
        cell = h3.latlng_to_cell(each.lat, each.lon, resolution)
        counts[cell] = counts.get(cell, 0) + each.count
    largest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_HEAT]
    features = [
        {"type": "Feature", "geometry": _hexagon(cell), "properties": {"count": n}} for cell, n in largest
    ]
    return _collection("areas", features, sum(n for _, n in largest), sum(counts.values()))


def _h3_resolution(zoom: float) -> int:
    """Hexagons about 40 to 70 pixels across at that zoom."""
    return max(0, min(11, round((zoom - 1.2) / 1.4)))


def _hexagon(cell: str) -> dict[str, Any]:
    ring = [[lng, lat] for lat, lng in h3.cell_to_boundary(cell)]
    if max(lon for lon, _ in ring) - min(lon for lon, _ in ring) > 180:
        ring = [[lon + 360 if lon < 0 else lon, lat] for lon, lat in ring]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def _square(cell: Cell, zoom: float) -> dict[str, Any]:
    """The grid square that holds a cell's centre: 64 pixels at that zoom."""
    across = 4 * 2 ** max(0, min(22, int(zoom + 0.5)))
    x = int((cell.lon + 180) / 360 * across)
    y = int((0.5 - mercator_y(cell.lat)) * across)
    west, east = x / across * 360 - 180, (x + 1) / across * 360 - 180
    return _box(west, latitude_of(0.5 - (y + 1) / across), east, latitude_of(0.5 - y / across))


def _areas(catalogue: Catalogue, selection: Selection, options: dict[str, Any]) -> dict[str, Any]:
    """Counts per country (the page has the outlines), or a box around each group of another field."""
    by = str(options.get("by", "country"))
    counts = catalogue.count_by(selection, by, limit=400)
    total = sum(n for _, n in counts)
    if by == "country":
        features = [
            {"type": "Feature", "geometry": None, "properties": {"key": key, "count": n}} for key, n in counts
        ]
        return _collection("countries", features, total, total)
    return _groups(catalogue, selection, by, counts[:100], total)


def _groups(
    catalogue: Catalogue, selection: Selection, by: str, counts: list[tuple[str, int]], total: int
) -> dict[str, Any]:
    features: list[dict[str, Any]] = []
    shown = 0
    for key, n in counts:
        part = replace(selection, attributes=(*selection.attributes, Attribute(by, "=", key)))
        box = catalogue.bounds(part) if catalogue.field_type(by) == "text" else None
        if box is not None:
            east = box[2] if box[2] >= box[0] else box[2] + 360
            geometry = _box(box[0], box[1], east, box[3])
            features.append({"type": "Feature", "geometry": geometry, "properties": {"key": key, "count": n}})
            shown += n
    return _collection("areas", features, shown, total)


def _detections(catalogue: Catalogue, selection: Selection, view: Viewport, layer: Layer) -> dict[str, Any]:
    rows = catalogue.detections(selection, view.bbox, MAX_BOXES + 1) if view.zoom >= 9 else None
    if rows is None or len(rows) > MAX_BOXES:
        cells = catalogue.cells(selection, view.bbox, view.zoom, MAX_CELLS)
        total = sum(each.count for each in cells)
        found = _collection("cells", [cell_feature(each) for each in cells], total, total)
        return {**found, "note": t("The counts are images; their objects show when you zoom in.")}
    features = [_detection(row, layer) for row in rows.to_dict("records")]
    return _collection("boxes", features, len(features), len(features))


def _detection(row: Mapping[Any, Any], layer: Layer) -> dict[str, Any]:
    outline = row["outline"]
    geometry = (
        shapely.geometry.mapping(shapely.from_wkb(outline))
        if isinstance(outline, bytes)
        else _box(row["west"], row["south"], row["east"], row["north"])
    )
    hover = [[t("object"), str(row["class_name"])], [t("image"), str(row["image_id"])]]
    if not pd.isna(row["confidence"]):
        hover.append([t("confidence"), number(float(row["confidence"]), ".2f")])
    properties = {
        "id": row["image_id"],
        "lon": row["lon"],
        "lat": row["lat"],
        "hover": hover,
        "name": row["class_name"],
        **_looks(layer, row),
    }
    return {"type": "Feature", "geometry": geometry, "properties": properties}


def _labels(catalogue: Catalogue, selection: Selection, view: Viewport, field: str) -> dict[str, Any]:
    cells = catalogue.cells(selection, view.bbox, view.zoom, MAX_CELLS)
    total = sum(each.count for each in cells)
    if total > MAX_LABELS:
        found = _collection("cells", [cell_feature(each) for each in cells], total, total)
        return {
            **found,
            "note": t(
                "Labels show where at most {MAX_LABELS} images are in view; zoom in.", MAX_LABELS=MAX_LABELS
            ),
        }
    rows = catalogue.points(selection, view.bbox, limit=MAX_LABELS)
    hover = _hover(catalogue, selection, rows, (field,))
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [row["lon"], row["lat"]]},
            "properties": {
                "id": row["image_id"],
                "text": next((v for _, v in hover.get(row["image_id"], ())), ""),
            },
        }
        for row in rows.to_dict("records")
    ]
    return _collection("labels", features, len(features), total)


def _vector(layer: Layer, state: State, world: World, view: Viewport) -> dict[str, Any]:
    path = world.artifacts.find(str(layer.artifact))
    if path is None:
        raise ToolError(t("The file of the layer “{name}” is gone.", name=layer.name))
    frame = placed(kept_features(path))
    west, south, east, north = view.bbox
    inside = frame.cx[west:east, south:north] if west <= east else frame
    if drawn_by(layer) is None and label_field(layer) is None and are_points(inside):
        near = view.zoom >= _NEAR_ZOOM and len(inside) <= MAX_POINTS
        if len(inside) > MAX_SINGLE and not near:
            crowds, alone = crowds_of(inside, view.zoom)
            features = [*crowds, *_single(layer, inside[alone], view)]
            return _collection("vector", features, len(inside), len(inside))
    drawn = fair_sample(inside, MAX_VECTOR)
    found = _collection("vector", _single(layer, drawn, view), len(drawn), len(inside))
    if len(drawn) == len(inside):
        return found
    note = t(
        "{shown:,} of the {total:,} features in view are drawn, chosen by chance; zoom in to see all.",
        shown=len(drawn),
        total=len(inside),
    )
    return {**found, "note": note}


def _single(layer: Layer, shown: gpd.GeoDataFrame, view: Viewport) -> list[dict[str, Any]]:
    """Own features, each by itself."""
    tolerance = 360 / (256 * 2**view.zoom) / 2
    shapes = shown.geometry.simplify(tolerance) if len(shown) else shown.geometry
    known = [name for name in shown.columns if name != shown.geometry.name]
    columns = known[:MAX_CARD]
    spots = shown.geometry.representative_point() if label_field(layer) in known else shown.geometry
    return [
        {
            "type": "Feature",
            "geometry": shapely.geometry.mapping(shape),
            "properties": {
                "row": int(at) + 1,
                "hover": _first(
                    layer, row, [[str(name), _short(row[name])] for name in columns if _short(row[name])]
                ),
                **(looks := _looks(layer, row)),
                **({"spot": [spot.x, spot.y]} if "label" in looks else {}),
            },
        }
        for at, shape, row, spot in zip(
            shown.index, shapes, shown[known].to_dict("records"), spots, strict=True
        )
        if not shape.is_empty
    ]


def _in_period(selection: Selection, period: str | None) -> Selection:
    """The selection narrowed to a year, a month or a day, within its own dates."""
    if not period:
        return selection
    parts = [int(each) for each in period.split("-")]
    year, month, day = (*parts, None, None)[:3]
    first = date(year or 1, month or 1, day or 1)
    if day:
        last = first
    elif month:
        last = date(first.year + month // 12, month % 12 + 1, 1) - date.resolution
    else:
        last = date(first.year, 12, 31)
    start = max(filter(None, (selection.start, first.isoformat())))
    end = min(filter(None, (selection.end, last.isoformat())))
    return replace(selection, start=start, end=end)


def _box(west: float, south: float, east: float, north: float) -> dict[str, Any]:
    east = east + 360 if east < west else east
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def _collection(mode: str, features: list[dict[str, Any]], shown: int, total: int) -> dict[str, Any]:
    return {
        "mode": mode,
        "features": {"type": "FeatureCollection", "features": features},
        "shown": shown,
        "total": total,
        "note": "",
    }
