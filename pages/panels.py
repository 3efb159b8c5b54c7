"""The tabs under the map."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from copilot.messages import later, t
from copilot.session import Session
from copilot.view.panels import front
from pages import panel_image, panel_jobs, panel_layers, panel_results, panel_trace
from pages.here import changed, open_panel
from pages.speaking import keyed

PANELS: dict[str, Callable[[Session], None]] = {
    later("Results"): panel_results.show,
    later("Figure"): panel_results.show_figure,
    later("Image"): panel_image.show,
    later("Layers"): panel_layers.show,
    later("Trace"): panel_trace.show,
    later("Jobs"): panel_jobs.show,
}


def show_panels(session: Session) -> None:
    """Draw the tabs and the chosen panel: the one that a call opened last, until the user chooses another."""
    memory = st.session_state
    opened = front(session.state, session.events, session.world())
    seen = memory.setdefault("seen_panels", {})
    if seen.get(session.id) != opened.key:
        seen[session.id] = opened.key
        open_panel((opened.panel or "results").capitalize())
    chosen = memory.get("panel_shown", t("Results"))
    key = _key()
    with st.container(key="panels", gap="small"):
        st.segmented_control(
            t("Panel"),
            list(PANELS),
            format_func=t,
            default=chosen,
            key=key,
            required=True,
            on_change=changed,
            args=(key, _chosen, key),
            label_visibility="collapsed",
        )
        # Another panel is another container: nothing of the one before stays in it while it is drawn.
        with st.container(key=f"panel_body_{list(PANELS).index(chosen)}"):
            PANELS[chosen](session)


def _chosen(panel: str, key: str) -> None:
    if key == _key():  # tabs that others have taken the place of may still report what they showed
        st.session_state["panel_shown"] = panel


def _key() -> str:
    return keyed(f"panel-{st.session_state.get('panel_turn', 0)}")
