"""The tabs under the map."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from copilot.session import Session
from pages import panel_image, panel_layers, panel_results, panel_trace

PANELS: dict[str, Callable[[Session], None]] = {
    "Results": panel_results.show,
    "Figure": panel_results.show_figure,
    "Image": panel_image.show,
    "Layers": panel_layers.show,
    "Trace": panel_trace.show,
    "Jobs": panel_trace.show_jobs,
}


def show_panels(session: Session) -> None:
    """Draw the tabs and the chosen panel: the one that a call opened last, until the user chooses another."""
    opened = session.state.ui.panels
    seen = st.session_state.setdefault("seen_panels", {})
    if seen.get(session.id) != opened:
        if opened:
            st.session_state["panel"] = opened[-1].capitalize()
        seen[session.id] = opened
    if chosen := st.session_state.pop("next_panel", None):
        st.session_state["panel"] = chosen
    if st.session_state.get("panel") not in PANELS:
        st.session_state["panel"] = "Results"
    with st.container(key="panels", gap="small"):
        name = st.segmented_control(
            "Panel", list(PANELS), key="panel", required=True, label_visibility="collapsed"
        )
        with st.container(key="panel_body"):
            PANELS[str(name)](session)
