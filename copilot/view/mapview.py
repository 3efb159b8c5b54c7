"""The map of a state as plain values: camera, base, layers, and what each layer's content depends on."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from copilot.messages import t
from data.catalogue.base import Catalogue
from state.codec import canonical, filters_to_json
from state.log import START, Event
from state.model import Layer, Query, State
from tools.map.classes import CONTINUOUS, Classes, drawn_by
from tools.map.picked import without_pick
from tools.map.rendered import has_rendering
from tools.map.shapes import box_shape, circle_shape, geometry_value
from tools.selection import geojson
from tools.toolbox import toolbox

FILLED_BY_VIEWPORT = frozenset(
    {"points", "clusters", "heatmap", "density", "footprints", "detections", "timeline", "labels", "vector"}
)


def map_view(state: State, events: tuple[Event, ...], catalogue: Catalogue) -> dict[str, Any]:
    """What the map draws; layers bottom first, `camera.seq` grows when somebody moved the camera."""
    return {
        "camera": {"center": list(state.map.center), "zoom": state.map.zoom, "seq": camera_seq(events)},
        "basemap": state.map.basemap,
        "controls": list(state.map.controls),
        "swipe": list(state.map.swipe) if state.map.swipe else None,
        "layers": [layer_view(each) for each in state.map.layers],
        "hover_fields": list(state.ui.hover_fields),
        "fit": fitted(events),
        "selected": selected_image(state, catalogue),
        "area": selected_area(state),
        "table": state.ui.table if "results" in state.ui.panels else None,
    }


def selected_area(state: State) -> dict[str, Any] | None:
    """The outline of the place filter as GeoJSON; None without one, and for a whole country."""
    filters = state.database.filters
    if filters.bbox is None or filters.country is not None:
        return None
    if filters.geometry is not None:
        return geojson(filters.geometry)
    if filters.center is not None and filters.radius_km is not None:
        return geojson(geometry_value(circle_shape(filters.center, filters.radius_km)))
    return geojson(geometry_value(box_shape(filters.bbox)))


def layer_view(layer: Layer) -> dict[str, Any]:
    """One layer. `fill` changes when its content has to be fetched again, and not with its style."""
    return {
        "id": layer.id,
        "name": layer.name,
        "kind": layer.kind,
        "visible": layer.visible,
        "opacity": layer.opacity,
        "color": layer.color,
        "size": layer.size,
        "count": layer.count,
        "options": dict(layer.options),
        "style": style_view(layer),
        "geometry": None if layer.geometry is None else geojson(layer.geometry),
        "fill": fill_of(layer),
        "artifact": layer.artifact,
        "rows": None if layer.query is None else rows_of(layer.query),
    }


def style_view(layer: Layer) -> dict[str, Any] | None:
    """How a layer's features differ: `field`, and `classes` of [text, colour, pixels] or a `ramp`.

    None where all are drawn alike.
    """
    style = drawn_by(layer)
    if style is None:
        return None
    if isinstance(style, Classes):
        classes = [[name, colour, None] for name, colour in style.colours.items()]
        rest = [] if style.rest is None else [[t("other"), style.rest, None]]
        return {"field": style.field, "classes": [*classes, *rest]}
    if style.method == CONTINUOUS and style.colours:
        low, high = style.written
        return {"field": style.field, "ramp": {"colours": list(style.colours), "low": low, "high": high}}
    texts, count = style.labels, len(style.labels)
    shades, sizes = style.colours or (layer.color,) * count, style.sizes or (None,) * count
    return {"field": style.field, "classes": [list(each) for each in zip(texts, shades, sizes, strict=True)]}


def rows_of(query: Query) -> str:
    """A digest of which rows fill a layer: the same for layers of the same rows, however they show them."""
    return sha256(canonical([list(query.datasets), filters_to_json(query.filters)]).encode()).hexdigest()[:12]


def fill_of(layer: Layer) -> str:
    """A digest of what fills a layer."""
    query = layer.query
    parts = [
        layer.kind,
        None if query is None else [list(query.datasets), filters_to_json(query.filters)],
        layer.artifact,
        without_pick(dict(layer.options)),
    ]
    return sha256(canonical(parts).encode()).hexdigest()[:12]


def camera_seq(events: tuple[Event, ...]) -> int:
    """The number of the last event that moved the camera: a page moves its map once for each.

    One that goes to where the state's camera is already moves a map that was panned since.
    """
    last, camera = 0, None
    for event in events:
        if _aims(event):
            last = event.seq
        if event.state is None:
            continue
        now = (event.state["map"]["center"], event.state["map"]["zoom"])
        if now != camera:
            last, camera = event.seq, now
    return last


def _aims(event: Event) -> bool:
    """Whether a call says where the camera is to be; one that only reads the map says where it is."""
    if not (event.ok and event.kind == "call" and {"center", "zoom"} <= event.data.keys()):
        return False
    return event.tool in toolbox() and toolbox().get(event.tool).changes_state


def fitted(events: tuple[Event, ...]) -> dict[str, Any]:
    """`seq`, `layers`: where rows were shown last that the map may have to go to, to be seen.

    Those are the layers that one turn plotted, or whose selection it changed. A turn that moves the camera
    says itself what is to be seen, and what was shown before it is left alone.
    """
    found, plotted, moved = Fit(), 0, 0
    camera: tuple[Any, Any] = (list(START.map.center), START.map.zoom)
    queries: dict[str, Any] = {}
    for event in events:
        if _aims(event):
            moved, found = event.turn, Fit()
        if event.state is None:
            continue
        shown = event.state["map"]
        if (now := (shown["center"], shown["zoom"])) != camera:
            camera, moved, found = now, event.turn, Fit()
        filled = {each["id"]: each.get("query") for each in shown["layers"]}
        new = [key for key, query in filled.items() if query is not None and queries.get(key) != query]
        queries = filled
        if new and event.turn != moved:
            before = found.layers if event.turn == plotted else ()
            found, plotted = Fit(event.seq, tuple(dict.fromkeys((*before, *new)))), event.turn
    return {"seq": found.seq, "layers": list(found.layers)}


@dataclass(frozen=True)
class Fit:
    """Layers that were filled, and by which event last."""

    seq: int = 0
    layers: tuple[str, ...] = ()


def selected_image(state: State, catalogue: Catalogue) -> dict[str, Any] | None:
    """Id and box of the image whose record is open, and whether there is a rendered scene of it."""
    if state.ui.selected_image is None:
        return None
    row = catalogue.image(state.ui.selected_image)
    if row is None:
        return None
    box = [row["west"], row["south"], row["east"], row["north"]]
    return {"id": state.ui.selected_image, "bbox": box, "rendered": has_rendering(catalogue, row)}
