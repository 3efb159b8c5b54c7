"""Layers: what the map shows, top first."""

from __future__ import annotations

import streamlit as st

from copilot.live import live
from copilot.messages import later, number, t, words
from copilot.session import Session
from copilot.view.brought import brought_as
from pages.downloads import menu
from pages.header import _plain
from pages.here import act, changed, offer
from pages.look import script
from pages.speaking import keyed
from pages.styling import editor, open_for, toggle
from state.model import Layer
from tools.artifacts import FEATURES

KINDS = {
    "points": later("points"),
    "clusters": later("clusters"),
    "heatmap": later("heatmap"),
    "density": later("density"),
    "footprints": later("footprints"),
    "detections": later("detections"),
    "choropleth": later("choropleth"),
    "timeline": later("timeline"),
    "labels": later("labels"),
    "vector": later("vector"),
    "raster": later("raster"),
    "drawing": later("drawing"),
}
_order = st.components.v2.component("azimuth_order", js=script("order.js"), isolate_styles=False)


def show(session: Session) -> None:
    """Draw a line for each layer."""
    layers = session.state.map.layers
    if not layers:
        st.info(
            t("No layers yet. Ask for a plot, such as “show them as a heat map”, or draw on the map."),
            icon=":material/layers:",
        )
        if session.state.database.loaded:
            offer(session, "show them as a heat map")
        return
    for index in reversed(range(len(layers))):
        _line(session, layers[index], index, len(layers))
        if open_for(layers[index]):
            editor(session, layers[index])
    if len(layers) > 1:
        _order(
            key=keyed("order"),
            data={"session": session.id, "ids": [each.id for each in layers], "words": words()},
        )
    with st.container(horizontal=True):
        st.button(
            t("Remove all layers"),
            key="clear_layers",
            icon=":material/layers_clear:",
            on_click=act,
            args=("clear_layers",),
            type="tertiary",
        )


def _line(session: Session, layer: Layer, index: int, count: int) -> None:
    # The values are part of the keys: a layer that a call has changed shows its new values.
    key = f"{layer.id}-{int(layer.visible)}-{layer.opacity}-{layer.color}"
    name = _plain(layer.name)
    with st.container(key=f"layer-{index}", horizontal=True, vertical_alignment="center", gap="small"):
        st.checkbox(
            t("Show {name}", name=name),
            value=layer.visible,
            key=f"v-{key}",
            label_visibility="collapsed",
            on_change=changed,
            args=(f"v-{key}", _toggle, layer),
        )
        st.color_picker(
            t("Colour of {name}", name=name),
            value=layer.color,
            key=f"c-{key}",
            label_visibility="collapsed",
            on_change=changed,
            args=(f"c-{key}", _colour, layer),
        )
        counted = "" if layer.kind in ("drawing", "raster") else f" · {number(layer.count)}"
        artifact = session.state.artifact(layer.artifact) if layer.artifact else None
        told = None if artifact is None else brought_as(session.world(), artifact)
        st.markdown(
            f"{name} :gray[{t(KINDS[layer.kind])}{counted}]",
            width="stretch",
            help=None if told is None else _plain(told),
        )
        st.slider(
            t("Opacity of {name}", name=name),
            0.0,
            1.0,
            layer.opacity,
            0.05,
            key=f"o-{key}",
            label_visibility="collapsed",
            width=130,
            on_change=changed,
            args=(f"o-{key}", _opacity, layer),
        )
        if layer.kind in ("vector", "points", "clusters", "footprints", "timeline", "detections"):
            st.button(
                t("Style {name}", name=name),
                icon=":material/palette:",
                key=f"style-{layer.id}",
                help=t("Draw {name} by a column", name=name),
                type="tertiary",
                on_click=toggle,
                args=(layer.id,),
            )
        if artifact is not None and artifact.kind in FEATURES:
            st.button(
                t("Open the table of {name}", name=name),
                icon=":material/table:",
                key=f"table-{layer.id}",
                help=t("Open the table of {name}", name=name),
                type="tertiary",
                on_click=act,
                args=("show_table",),
                kwargs={"table": artifact.id},
            )
        _moves(layer, name, top=index == count - 1, bottom=index == 0)
        if artifact is not None:
            menu(session, artifact, f"download-{layer.id}")


def _moves(layer: Layer, name: str, *, top: bool, bottom: bool) -> None:
    _do(layer, t("Move {name} up", name=name), "keyboard_arrow_up", "up", "reorder_layer", top, position="up")
    _do(
        layer,
        t("Move {name} down", name=name),
        "keyboard_arrow_down",
        "down",
        "reorder_layer",
        bottom,
        position="down",
    )
    _do(layer, t("Zoom to {name}", name=name), "center_focus_strong", "fit", "fit_layer")
    _do(layer, t("Remove {name}", name=name), "delete", "remove", "remove_layer")


def _do(
    layer: Layer, label: str, icon: str, key: str, tool: str, disabled: bool = False, **args: str
) -> None:
    """A button that shows an icon and makes one call on the layer."""
    st.button(
        label,
        icon=f":material/{icon}:",
        key=f"{key}-{layer.id}",
        help=label,
        disabled=disabled,
        type="tertiary",
        on_click=act,
        args=(tool,),
        kwargs={"layer": layer.id, **args},
    )


def _toggle(wanted: bool, layer: Layer) -> None:
    # A widget that is drawn anew with the layer's new values reports them once more: that is no wish.
    if wanted != _now(layer).visible:
        act("show_layer" if wanted else "hide_layer", layer=layer.id)


def _colour(wanted: str, layer: Layer) -> None:
    if wanted != _now(layer).color:
        act("style_layer", layer=layer.id, color=wanted)


def _opacity(wanted: float, layer: Layer) -> None:
    if wanted != _now(layer).opacity:
        act("style_layer", layer=layer.id, opacity=wanted)


def _now(layer: Layer) -> Layer:
    """The layer as the session has it now, which a call may have changed since it was drawn."""
    layers = live().session(st.session_state["session"]).state.map.layers
    return next((each for each in layers if each.id == layer.id), layer)
