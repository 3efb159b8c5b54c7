"""The map as one HTML file that opens without a network: folium, with every asset inside."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import folium
import numpy as np
import shapely
from branca.element import Element, MacroElement
from folium.template import Template

from data.gazetteer import Gazetteer
from state.model import Layer, MapState, State
from tools.base import ToolError, World
from tools.map.classes import classes_of
from tools.map.features import Feature, View, layer_features
from tools.map.geometry import visible
from tools.map.picture import LAND, THEMES, Theme
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
MOST_RASTER_PX = 1500
"""The longer side of a raster's picture in the page, so that it stays small enough to send; of more than
four rasters less, so that all together are no larger."""


def write_html(state: State, world: World, path: Path, title: str, notes: Sequence[str]) -> None:
    """Write the map with its layers, a layer control, a title and the notes.

    Raises ToolError when the browser parts are not installed.
    """
    view = state.map
    theme = THEMES.get(view.basemap, LAND)
    lon, lat = view.center
    page = folium.Map(
        location=[lat, lon], zoom_start=int(view.zoom), tiles=None, control_scale="scale_bar" in view.controls
    )
    # What folium would fetch from elsewhere is put into the file instead.
    page.default_js, page.default_css = [], []
    head = page.get_root().header  # type: ignore[attr-defined]
    head.add_child(Element(_ASSETS), name="assets")
    _land(theme).add_to(page)
    put = {_ASSETS: _assets(theme), _LAND: _outlines(world.gazetteer)}
    seen = View(visible(view.center, view.zoom), view.zoom)
    rasters = sum(each.kind == "raster" for each in view.layers)
    most_px = round(MOST_RASTER_PX / max(1.0, rasters / 4) ** 0.5)
    for layer in view.layers:
        put |= _layer(page, state, world, layer, seen, most_px)
    folium.LayerControl(collapsed=False).add_to(page)
    about = f"<b>{_text(title)}</b><br>{_text('  ·  '.join(notes))}{_legend(view.layers)}"
    caption = f'<div class="azimuth-title">{about}</div>'
    page.get_root().html.add_child(Element(caption), name="caption")  # type: ignore[attr-defined]
    # Put in last: what is given to folium is read as a template, and these are long.
    text = _PLACE.sub(lambda found: put[found[0]], _numbered(page.get_root().render()))
    path.write_text(text, encoding="utf-8")


def _assets(theme: Theme) -> str:
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
        f".leaflet-container {{background: {theme.water}}} "
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


def _land(theme: Theme) -> _Shapes:
    style = {"color": theme.border, "weight": 1, "fillColor": theme.land, "fillOpacity": 1.0}
    return _Shapes(_LAND, f"{{interactive: false, style: {json.dumps(style)}}}")


@lru_cache(maxsize=1)
def _outlines(gazetteer: Gazetteer) -> str:
    """The countries as GeoJSON: the same in every map."""
    known = [(place.name, gazetteer.polygon(place)) for place in gazetteer.places("country")]
    there = [(name, outline.simplify(_LAND_TOLERANCE_DEG)) for name, outline in known if outline is not None]
    return _geojson([shape for _, shape in there], [{"name": escape(name)} for name, _ in there], 2)


def _layer(
    page: folium.Map, state: State, world: World, layer: Layer, view: View, most_px: int
) -> dict[str, str]:
    """Add a layer; what is to be put into the page for it, by the place where it goes."""
    group = folium.FeatureGroup(name=_text(layer.name), show=layer.visible)
    found = map_picture(layer, world, most_px) if layer.kind == "raster" else None
    if found is not None:
        picture, (west, south, east, north) = found
        bounds = [[south, west], [north, east]]
        url = f"data:image/png;base64,{base64.b64encode(png_of(picture)).decode()}"
        folium.raster_layers.ImageOverlay(url, bounds, opacity=layer.opacity).add_to(group)
    features = layer_features(state, world, layer, view)
    group.add_to(page)
    if not features:
        return {}
    place = f"\x02{layer.id}\x03"
    marker = f"(feature, at) => L.circleMarker(at, {{radius: {layer.size:g}}})"
    options = (
        f"{{style: feature => feature.properties.style, pointToLayer: {marker}, onEachFeature: {_TOLD}}}"
    )
    _Shapes(place, options).add_to(group)
    written = {id(each) for each in [each for each in features if each.shown][:_MOST_WRITTEN]}
    looks = [_look(layer, each, id(each) in written) for each in features]
    return {place: _geojson([each.shape for each in features], looks, 6)}


def _legend(layers: Sequence[Layer]) -> str:
    """What the colours of classes mean, a line a layer, the topmost first."""
    lines = []
    for layer in reversed(layers):
        if layer.visible and (classes := classes_of(layer)) is not None:
            swatches = "".join(
                f'<span class="azimuth-class" style="background: {_text(colour)}"></span>{_text(name)}'
                for name, colour in classes.colours.items()
            )
            lines.append(f"<br>{_text(layer.name)}:{swatches}")
    return "".join(lines)


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
    return {"text": escape(feature.text) or "&nbsp;", "stands": stands, "style": style}


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
