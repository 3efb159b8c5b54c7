"""The map: folium's base, everything else is drawn by assets/*.js from the session's state.

The HTML is the same at every run, so the frame is never built again; layers, camera and base come
through the routes.
"""

from __future__ import annotations

import folium
import streamlit as st
from branca.element import MacroElement
from folium.elements import JSCSSMixin
from folium.template import Template
from streamlit_folium import st_folium

from copilot.messages import language
from data import basemap


class Attach(JSCSSMixin, MacroElement):
    """Our layers, attached to the map."""

    _template = Template(
        """
        {% macro script(this, kwargs) %}
        AzimuthMap.attach({{ this._parent.get_name() }}, {{ this.options|tojson }});
        {% endmacro %}
        """
    )
    default_js = [  # noqa: RUF012 - the name and the type are folium's
        ("draw", "/vendor/leaflet-draw/leaflet.draw.js"),
        ("heat", "/vendor/heat/leaflet-heat.js"),
        ("fullscreen", "/vendor/fullscreen/Control.FullScreen.js"),
        ("minimap", "/vendor/minimap/Control.MiniMap.min.js"),
        ("mouse", "/vendor/mouse-position/L.Control.MousePosition.js"),
        ("words", "/assets/words.js"),
        ("parts", "/assets/parts.js"),
        ("surface", "/assets/surface.js"),
        ("objects", "/assets/objects.js"),
        ("preview", "/assets/preview.js"),
        ("rendered", "/assets/rendered.js"),
        ("labels", "/assets/labels.js"),
        ("layer", "/assets/layer.js"),
        ("protomaps", "/vendor/protomaps/protomaps-leaflet.js"),
        ("base", "/assets/base.js"),
        ("names", "/assets/names.js"),
        ("land", "/assets/land.js"),
        ("timeline", "/assets/timeline.js"),
        ("swipe", "/assets/swipe.js"),
        ("measure", "/assets/measure.js"),
        ("azimuth", "/assets/map.js"),
    ]
    default_css = [  # noqa: RUF012
        ("draw", "/vendor/leaflet-draw/leaflet.draw.css"),
        ("fullscreen", "/vendor/fullscreen/Control.FullScreen.css"),
        ("minimap", "/vendor/minimap/Control.MiniMap.min.css"),
        ("mouse", "/vendor/mouse-position/L.Control.MousePosition.css"),
        ("letters", "/vendor/source-sans/index.css"),
        ("italics", "/vendor/source-sans/wght-italic.css"),
        ("azimuth", "/assets/map.css"),
        ("base", "/assets/base.css"),
        ("objects", "/assets/objects.css"),
    ]

    def __init__(self, session_id: str) -> None:
        super().__init__()
        self._name = "Azimuth"
        base = {"version": basemap.version(), "skins": basemap.skins()}
        self.options = {"session": session_id, "base": base}
        self.default_js = [("said", f"/api/words.js?language={language()}"), *self.default_js]


def base_map(session_id: str) -> folium.Map:
    """The empty map of a session: every script and style comes from this machine."""
    made = folium.Map(
        location=(25, 10),
        zoom_start=2,
        tiles=None,
        min_zoom=1,
        max_zoom=20,
        zoom_control=True,
        world_copy_jump=True,
    )
    made.default_js = [("leaflet", "/vendor/leaflet/leaflet.js")]
    made.default_css = [("leaflet", "/vendor/leaflet/leaflet.css")]
    made.add_child(Attach(session_id))
    return made


def show_map(session_id: str) -> None:
    """Draw the map."""
    with st.container(key="map"):
        st_folium(
            base_map(session_id),
            key=f"map-{session_id}",
            height=500,
            use_container_width=True,
            returned_objects=[],
        )
