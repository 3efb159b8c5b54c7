"""Layers: what the map shows, top first."""

from __future__ import annotations

import streamlit as st

from copilot.session import Session
from pages.header import _plain
from pages.here import act
from state.model import Layer


def show(session: Session) -> None:
    """Draw a line for each layer."""
    layers = session.state.map.layers
    if not layers:
        st.info(
            "No layers yet. Ask for a plot, such as “show them as a heat map”, or draw on the map.",
            icon=":material/layers:",
        )
        return
    for index in reversed(range(len(layers))):
        _line(layers[index], index, len(layers))
    with st.container(horizontal=True):
        st.button(
            "Remove all layers",
            key="clear_layers",
            icon=":material/layers_clear:",
            on_click=act,
            args=("clear_layers",),
            type="tertiary",
        )


def _line(layer: Layer, index: int, count: int) -> None:
    # The values are part of the keys: a layer that a call has changed shows its new values.
    key = f"{layer.id}-{int(layer.visible)}-{layer.opacity}-{layer.color}"
    name = _plain(layer.name)
    with st.container(key=f"layer-{index}", horizontal=True, vertical_alignment="center", gap="small"):
        st.checkbox(
            f"Show {name}",
            value=layer.visible,
            key=f"v-{key}",
            label_visibility="collapsed",
            on_change=_toggle,
            args=(layer,),
        )
        st.color_picker(
            f"Colour of {name}",
            value=layer.color,
            key=f"c-{key}",
            label_visibility="collapsed",
            on_change=_colour,
            args=(layer, f"c-{key}"),
        )
        counted = "" if layer.kind in ("drawing", "raster") else f" · {layer.count:,}"
        st.markdown(f"{name} :gray[{layer.kind}{counted}]", width="stretch")
        st.slider(
            f"Opacity of {name}",
            0.0,
            1.0,
            layer.opacity,
            0.05,
            key=f"o-{key}",
            label_visibility="collapsed",
            width=130,
            on_change=_opacity,
            args=(layer, f"o-{key}"),
        )
        st.button(
            f"Move {name} up",
            icon=":material/keyboard_arrow_up:",
            key=f"up-{layer.id}",
            help=f"Move {name} up",
            disabled=index == count - 1,
            type="tertiary",
            on_click=act,
            args=("reorder_layer",),
            kwargs={"layer": layer.id, "position": "up"},
        )
        st.button(
            f"Move {name} down",
            icon=":material/keyboard_arrow_down:",
            key=f"down-{layer.id}",
            help=f"Move {name} down",
            disabled=index == 0,
            type="tertiary",
            on_click=act,
            args=("reorder_layer",),
            kwargs={"layer": layer.id, "position": "down"},
        )
        st.button(
            f"Zoom to {name}",
            icon=":material/center_focus_strong:",
            key=f"fit-{layer.id}",
            help=f"Zoom to {name}",
            type="tertiary",
            on_click=act,
            args=("fit_layer",),
            kwargs={"layer": layer.id},
        )
        st.button(
            f"Remove {name}",
            icon=":material/delete:",
            key=f"remove-{layer.id}",
            help=f"Remove {name}",
            type="tertiary",
            on_click=act,
            args=("remove_layer",),
            kwargs={"layer": layer.id},
        )


def _toggle(layer: Layer) -> None:
    act("hide_layer" if layer.visible else "show_layer", layer=layer.id)


def _colour(layer: Layer, key: str) -> None:
    act("style_layer", layer=layer.id, color=st.session_state[key])


def _opacity(layer: Layer, key: str) -> None:
    act("style_layer", layer=layer.id, opacity=st.session_state[key])
