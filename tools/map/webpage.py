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
import shapely
from branca.element import Element, MacroElement
from folium.template import Template
from folium.utilities import JsCode

from data.gazetteer import Gazetteer
from state.model import Layer, MapState, State
from tools.base import ToolError, World
from tools.map.features import Feature, View, layer_features
from tools.map.geometry import visible
from tools.map.picture import LAND, THEMES, Theme
from tools.map.rasters import map_picture, png_of

NODE_MODULES = Path(__file__).parents[2] / "node_modules"
_ID = re.compile(r"([a-z]_)([0-9a-f]{32})(?![0-9a-f])")
_PICTURE = re.compile(r"url\((images/[\w.-]+\.png)\)")
_HERE = "<!-- assets -->"
"""Where the assets go in the page."""
_LAND = "/* land */"
"""Where the countries go."""
_TOOLTIP = JsCode(
    "(feature, layer) => layer.bindTooltip(feature.properties.text,"
    " {permanent: feature.properties.stands, sticky: !feature.properties.stands, direction: 'right'})"
)
"""A text a feature: folium's own tooltip is one for a whole layer."""
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
    head.add_child(Element(_HERE), name="assets")
    _Land(theme).add_to(page)
    seen = View(visible(view.center, view.zoom), view.zoom)
    rasters = sum(each.kind == "raster" for each in view.layers)
    most_px = round(MOST_RASTER_PX / max(1.0, rasters / 4) ** 0.5)
    for layer in view.layers:
        _layer(page, state, world, layer, seen, most_px)
    folium.LayerControl(collapsed=False).add_to(page)
    caption = f'<div class="azimuth-title"><b>{escape(title)}</b><br>{escape("  ·  ".join(notes))}</div>'
    page.get_root().html.add_child(Element(caption), name="caption")  # type: ignore[attr-defined]
    # Put in last: what is given to folium is read as a template, and these are long.
    text = _numbered(page.get_root().render()).replace(_LAND, _outlines(world.gazetteer), 1)
    text = text.replace(_HERE, _assets(theme), 1)
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
        " padding: 6px 12px; border-radius: 6px; font: 13px/1.4 sans-serif}"
    )
    return f"<style>{style}</style><style>{own}</style><script>{script}</script>"


def _data_url(path: Path) -> str:
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


class _Land(MacroElement):
    """The countries under everything else; what they are is put in after the page is made."""

    _template = Template(
        """
        {% macro script(this, kwargs) %}
        L.geoJSON({{ this.place }}, {style: {{ this.style }}, interactive: false})
            .addTo({{ this._parent.get_name() }});
        {% endmacro %}
        """
    )

    def __init__(self, theme: Theme) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.place = _LAND
        self.style = json.dumps(
            {"color": theme.border, "weight": 1, "fillColor": theme.land, "fillOpacity": 1.0}
        )


@lru_cache(maxsize=1)
def _outlines(gazetteer: Gazetteer) -> str:
    """The countries as GeoJSON: the same in every map."""
    outlines = ((place, gazetteer.polygon(place)) for place in gazetteer.places("country"))
    countries = [
        _geojson(outline.simplify(_LAND_TOLERANCE_DEG), {"name": escape(place.name)}, 2)
        for place, outline in outlines
        if outline is not None
    ]
    # A page's script ends at the first "</", wherever it stands.
    return json.dumps(_collection(countries), separators=(",", ":")).replace("</", "<\\/")


def _layer(page: folium.Map, state: State, world: World, layer: Layer, view: View, most_px: int) -> None:
    group = folium.FeatureGroup(name=escape(layer.name), show=layer.visible)
    found = map_picture(layer, world, most_px) if layer.kind == "raster" else None
    if found is not None:
        picture, (west, south, east, north) = found
        bounds = [[south, west], [north, east]]
        url = f"data:image/png;base64,{base64.b64encode(png_of(picture)).decode()}"
        folium.raster_layers.ImageOverlay(url, bounds, opacity=layer.opacity).add_to(group)
    features = layer_features(state, world, layer, view)
    written = {id(each) for each in [each for each in features if each.shown][:_MOST_WRITTEN]}
    if features:
        folium.GeoJson(
            _collection([_styled(layer, each, id(each) in written) for each in features]),
            style_function=lambda feature: feature["properties"]["style"],
            marker=folium.CircleMarker(radius=layer.size, fill=True),
            on_each_feature=_TOOLTIP,
        ).add_to(group)
    group.add_to(page)


def _styled(layer: Layer, feature: Feature, stands: bool) -> dict[str, Any]:
    """A GeoJSON feature with its look; the text is escaped, since a tooltip is markup."""
    style: dict[str, Any] = {
        "color": layer.color,
        "weight": 1,
        "opacity": layer.opacity,
        "fillColor": layer.color,
        "fillOpacity": round(layer.opacity * (0.15 + 0.7 * feature.weight), 3),
    }
    if layer.kind in ("clusters", "heatmap"):
        style["radius"] = round(8 + 16 * feature.weight**0.5, 1)
    text = escape(feature.text) or "&nbsp;"
    return _geojson(feature.shape, {"text": text, "stands": stands, "style": style}, 6)


def _geojson(shape: shapely.Geometry, properties: dict[str, Any], decimals: int) -> dict[str, Any]:
    rounded = shapely.transform(shape, lambda xy: xy.round(decimals))
    return {"type": "Feature", "properties": properties, "geometry": shapely.geometry.mapping(rounded)}


def _collection(features: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "FeatureCollection", "features": features}


def _numbered(text: str) -> str:
    """The page with counted names in place of folium's random ones: the same map is the same file."""
    known: dict[str, str] = {}
    return _ID.sub(lambda found: found[1] + known.setdefault(found[2], f"{len(known):032x}"), text)


def map_title(view: MapState) -> str:
    """A title for a map that was given none."""
    shown = [each.name for each in view.layers if each.visible]
    return ", ".join(shown[:4]) if shown else "Map"
