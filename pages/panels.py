"""The tabs under the map."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from copilot.session import Session
from copilot.view.panels import front
from pages import panel_image, panel_jobs, panel_layers, panel_results, panel_trace
from pages.here import open_panel

PANELS: dict[str, Callable[[Session], None]] = {
    "Results": panel_results.show,
    "Figure": panel_results.show_figure,
    "Image": panel_image.show,
    "Layers": panel_layers.show,
    "Trace": panel_trace.show,
    "Jobs": panel_jobs.show,
}


def show_panels(session: Session) -> None:
    """Draw the tabs and the chosen panel: the one that a call opened last, until the user chooses another."""
    memory = st.session_state
    opened = front(session.state, session.events, session.world())
    seen = memory.setdefault("seen_panels", {})
    if seen.get(session.id) != opened.key:
        seen[session.id] = opened.key
        open_panel((opened.panel or "results").capitalize())
    chosen = memory.get("panel_shown", "Results")
    with st.container(key="panels", gap="small"):
        st.segmented_control(
            "Panel",
            list(PANELS),
            default=chosen,
            key=f"panel-{memory.get('panel_turn', 0)}",
            required=True,
            on_change=_chosen,
            label_visibility="collapsed",
        )
        with st.container(key="panel_body"):
            PANELS[chosen](session)


def _chosen() -> None:
    st.session_state["panel_shown"] = st.session_state[f"panel-{st.session_state.get('panel_turn', 0)}"]
