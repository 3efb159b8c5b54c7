"""The map as one HTML file that opens without a network: folium, with every asset inside."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import folium
import numpy as np
import shapely
from branca.element import Element, MacroElement
from folium.template import Template
from PIL import Image

from data.basemap import skins
from data.basemap.lettering import lettered
from data.basemap.painting import Window, painted
from data.gazetteer import Gazetteer
from state.model import Layer, MapState, State
from tools.base import ToolError, World
from tools.map.classes import CONTINUOUS, Classes, Graded, drawn_by
from tools.map.features import Drawn, Feature, View, drawn_features
from tools.map.geometry import MAX_LATITUDE, visible
from tools.map.picture import Frame
from tools.map.rasters import map_picture, png_of

NODE_MODULES = Path(__file__).parents[2] / "node_modules"
_ID = re.compile(r"([a-z]_)([0-9a-f]{32})(?![0-9a-f])")
_PICTURE = re.compile(r"url\((images/[\w.-]+\.png)\)")
_ASSETS, _LAND = "\x02assets\x03", "\x02land\x03"
"""Where the assets and the countries go in the page: no text of a map holds such characters."""
_PLACE = re.compile("\x02[^\x02\x03]*\x03")
_TOLD = (
    "(feature, layer) => layer.bindTooltip(feature.properties.text,"
    " {permanent: feature.properties.stands, sticky: !feature.properties.stands, direction: 'right'})"
)
_LAND_TOLERANCE_DEG = 0.05
_MOST_WRITTEN = 200
BASE_WORLD_PX, BASE_SCALE, BASE_AROUND = 2048, 1.5, 1.6
"""The base's pictures: how wide the world is, and of what is shown first the pixels for each of the map's and
how much of what lies around it is there too."""
MOST_RASTER_PX = 1500
"""The longer side of a raster's picture in the page, so that it stays small enough to send; of more than
four rasters less, so that all together are no larger."""


def write_html(state: State, world: World, path: Path, title: str, notes: Sequence[str]) -> list[str]:
    """Write the map with its layers, a layer control, a title and the notes.

    What its layers leave out comes back, and stands with the notes.
    Raises ToolError when the browser parts are not installed.
    """
    view = state.map
    frame = Frame(view, scale=BASE_SCALE)
    lon, lat = view.center
    page = folium.Map(
        location=[lat, lon], zoom_start=int(view.zoom), tiles=None, control_scale="scale_bar" in view.controls
    )
    # What folium would fetch from elsewhere is put into the file instead.
    page.default_js, page.default_css = [], []
    head = page.get_root().header  # type: ignore[attr-defined]
    head.add_child(Element(_ASSETS), name="assets")
    _base(page, frame)
    _borders(frame).add_to(page)
    put = {_ASSETS: _assets(frame), _LAND: _outlines(world.gazetteer)}
    seen = View(visible(view.center, view.zoom), view.zoom)
    rasters = sum(each.kind == "raster" for each in view.layers)
    most_px = round(MOST_RASTER_PX / max(1.0, rasters / 4) ** 0.5)
    left_out = []
    for layer in view.layers:
        drawn = drawn_features(state, world, layer, seen)
        left_out += [drawn.left_out] if drawn.left_out else []
        put |= _layer(page, world, layer, drawn, most_px)
    folium.LayerControl(collapsed=False).add_to(page)
    about = f"<b>{_text(title)}</b><br>{_text('  ·  '.join([*notes, *left_out]))}{_legend(view.layers)}"
    caption = f'<div class="azimuth-title">{about}</div>'
    page.get_root().html.add_child(Element(caption), name="caption")  # type: ignore[attr-defined]
    # Put in last: what is given to folium is read as a template, and these are long.
    text = _PLACE.sub(lambda found: put[found[0]], _numbered(page.get_root().render()))
    path.write_text(text, encoding="utf-8")
    return left_out


def _assets(frame: Frame) -> str:
    dist = NODE_MODULES / "leaflet" / "dist"
    try:
        script = (dist / "leaflet.js").read_text(encoding="utf-8")
        style = (dist / "leaflet.css").read_text(encoding="utf-8")
        pictures = {name: _data_url(dist / name) for name in set(_PICTURE.findall(style))}
    except OSError as error:
        raise ToolError(
            "The browser parts of the map are not installed (npm ci does); format=png needs none."
        ) from error
    style = _PICTURE.sub(lambda found: f"url({pictures[found[1]]})", style)
    own = (
        f".leaflet-container {{background: {skins()[frame.skin]['water']}}} "
        ".leaflet-tooltip {padding: 0 4px; font-size: 11px} "
        ".azimuth-title {position: fixed; left: 60px; top: 10px; z-index: 1000;"
        " background: #fffd; color: #111827;"
        " padding: 6px 12px; border-radius: 6px; font: 13px/1.4 sans-serif} "
        ".azimuth-class {display: inline-block; width: 10px; height: 10px; margin: 0 4px 0 10px;"
        " border: 1px solid #111827}"
    )
    return f"<style>{style}</style><style>{own}</style><script>{script}</script>"


def _data_url(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


class _Shapes(MacroElement):
    """Features as folium draws them, but for what they are: that is put in after the page is made."""

    _template = Template(
        """
        {% macro script(this, kwargs) %}
        L.geoJSON({{ this.place }}, {{ this.options }}).addTo({{ this._parent.get_name() }});
        {% endmacro %}
        """
    )

    def __init__(self, place: str, options: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.place, self.options = place, options


def _base(page: folium.Map, frame: Frame) -> None:
    """The base map as two pictures: the world, and sharper and with its names what the map shows first."""
    side = BASE_WORLD_PX
    world = painted(Window(0.5, 0.5, side, side, side, 3.0), frame.skin)
    _laid(page, world, (-180.0, -MAX_LATITUDE, 180.0, MAX_LATITUDE))
    near = replace(frame, width_px=frame.width_px * BASE_AROUND, height_px=frame.height_px * BASE_AROUND)
    if near.size[0] >= near.world_px:
        return
    picture = painted(near.window(), frame.skin)
    lettered(picture, near.window(), dark=frame.dark)
    _laid(page, picture, near.bounds())


def _laid(page: folium.Map, picture: Image.Image, bounds: tuple[float, float, float, float]) -> None:
    """A picture in its place, below all layers."""
    west, south, east, north = bounds
    target = io.BytesIO()
    picture.save(target, "WEBP", quality=82)
    url = f"data:image/webp;base64,{base64.b64encode(target.getvalue()).decode()}"
    folium.raster_layers.ImageOverlay(
        url, [[south, west], [north, east]], control=False, zindex=0, pane="tilePane"
    ).add_to(page)


def _borders(frame: Frame) -> _Shapes:
    """The countries' outlines as lines, which stay sharp where the pictures do not."""
    style = {"color": skins()[frame.skin]["border"], "weight": 0.8, "opacity": 0.7, "fill": False}
    return _Shapes(_LAND, f"{{interactive: false, style: {json.dumps(style)}}}")


@lru_cache(maxsize=1)
def _outlines(gazetteer: Gazetteer) -> str:
    """The countries as GeoJSON: the same in every map."""
    known = [(place.name, gazetteer.polygon(place)) for place in gazetteer.places("country")]
    there = [(name, outline.simplify(_LAND_TOLERANCE_DEG)) for name, outline in known if outline is not None]
    return _geojson([shape for _, shape in there], [{"name": escape(name)} for name, _ in there], 2)


def _layer(page: folium.Map, world: World, layer: Layer, drawn: Drawn, most_px: int) -> dict[str, str]:
    """Add a layer; what is to be put into the page for it, by the place where it goes."""
    group = folium.FeatureGroup(name=_text(layer.name), show=layer.visible)
    found = map_picture(layer, world, most_px) if layer.kind == "raster" else None
    if found is not None:
        picture, (west, south, east, north) = found
        bounds = [[south, west], [north, east]]
        url = f"data:image/png;base64,{base64.b64encode(png_of(picture)).decode()}"
        folium.raster_layers.ImageOverlay(url, bounds, opacity=layer.opacity).add_to(group)
    features = drawn.features
    group.add_to(page)
    if not features:
        return {}
    place = f"\x02{layer.id}\x03"
    marker = f"(feature, at) => L.circleMarker(at, {{radius: feature.properties.px || {layer.size:g}}})"
    options = (
        f"{{style: feature => feature.properties.style, pointToLayer: {marker}, onEachFeature: {_TOLD}}}"
    )
    _Shapes(place, options).add_to(group)
    written = {id(each) for each in [each for each in features if each.shown][:_MOST_WRITTEN]}
    looks = [_look(layer, each, id(each) in written) for each in features]
    return {place: _geojson([each.shape for each in features], looks, 6)}


def _legend(layers: Sequence[Layer]) -> str:
    """What the colours and sizes of features mean, a line a layer, the topmost first."""
    lines = []
    for layer in reversed(layers):
        if layer.visible and (style := drawn_by(layer)) is not None:
            swatches = "".join(
                f'<span class="azimuth-class" style="background: {_text(colour)}"></span>{_text(name)}'
                for name, colour in _shades(layer, style)
            )
            lines.append(f"<br>{_text(layer.name)}:{swatches}")
    return "".join(lines)


def _shades(layer: Layer, style: Classes | Graded) -> list[tuple[str, str]]:
    """Each class, or each end of a ramp, and its colour."""
    if isinstance(style, Classes):
        return style.legend
    shades = style.colours or (layer.color,) * len(style.labels)
    if style.method == CONTINUOUS:
        shades = (shades[0], shades[-1])
    return list(zip(style.labels, shades, strict=True))


def _text(text: str) -> str:
    """A text as markup shows it, without control characters."""
    return escape("".join(each for each in text if each.isprintable()))


def _look(layer: Layer, feature: Feature, stands: bool) -> dict[str, Any]:
    """A feature's properties in the page; the text is escaped, since a tooltip is markup."""
    style: dict[str, Any] = {
        "color": feature.color or layer.color,
        "weight": 1,
        "opacity": layer.opacity,
        "fillColor": feature.color or layer.color,
        "fillOpacity": round(layer.opacity * (0.15 + 0.7 * feature.weight), 3),
    }
    if layer.kind in ("clusters", "heatmap"):
        style["radius"] = round(8 + 16 * feature.weight**0.5, 1)
    found = {"text": escape(feature.text) or "&nbsp;", "stands": stands, "style": style}
    return found if feature.size is None else {**found, "px": feature.size}


def _geojson(shapes: Sequence[shapely.Geometry], properties: Sequence[dict[str, Any]], decimals: int) -> str:
    """A feature collection as text that a page's script may hold."""
    rounded = shapely.transform(np.array(shapes, dtype=object), lambda xy: xy.round(decimals))
    features = ",".join(
        f'{{"type":"Feature","properties":{json.dumps(each)},"geometry":{shape}}}'
        for each, shape in zip(properties, shapely.to_geojson(rounded), strict=True)
    )
    # A script ends at the first "</", even within a text.
    return f'{{"type":"FeatureCollection","features":[{features}]}}'.replace("<", "\\u003c")


def _numbered(text: str) -> str:
    """The page with counted names in place of folium's random ones: the same map is the same file."""
    known: dict[str, str] = {}
    return _ID.sub(lambda found: found[1] + known.setdefault(found[2], f"{len(known):032x}"), text)


def map_title(view: MapState) -> str:
    """A title for a map that was given none."""
    shown = [each.name for each in view.layers if each.visible]
    return ", ".join(shown[:4]) if shown else "Map"
