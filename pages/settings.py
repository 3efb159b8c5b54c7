"""The settings of a session: which agent answers, and how many examples the model is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from copilot.agents import NAMES
from copilot.live import live
from copilot.local_servers import LocalServer, local_servers
from copilot.models import EMBEDDED, configured_model
from copilot.session import Session
from copilot.settings import MAX_SHOTS, Settings, keep, settings_of

AGENTS = {
    "direct": ("Direct", "Calls tools until it can answer."),
    "react": ("ReAct", "Says what it thinks before each call."),
    "cot": ("Chain of thought", "Plans every call first, then makes them."),
    "chameleon": ("Chameleon", "Splits the request into modules, each with a step of its own."),
    "reflexion": ("Reflexion", "Looks back at what went wrong, and tries again."),
    "rs-agent": ("RS-Agent", "Names the kind of task, looks up how it is solved, and plans with that."),
}


@st.fragment
def show_settings(session: Session) -> None:
    """Draw the button that says what is set, and the menu behind it; a choice draws nothing else again."""
    settings = settings_of(live().engine.store, session.id)
    running = live().running(session.id) is not None
    with st.popover(f"Agent: {_said(settings)}", icon=":material/tune:", key="settings"):
        agent_key, shots_key = f"agent-{session.id}", f"shots-{session.id}"
        # What another tab has set shows here too; what was chosen here is kept by then.
        for key, kept in ((agent_key, settings.agent), (shots_key, settings.shots)):
            # Only what differs: what is set comes back to the browser, and can undo a click made meanwhile.
            if st.session_state.get(key) != kept:
                st.session_state[key] = kept
        st.radio(
            "Agent",
            NAMES,
            format_func=lambda name: AGENTS[name][0],
            captions=[AGENTS[name][1] for name in NAMES],
            key=agent_key,
            on_change=lambda: _change(session, agent=st.session_state[agent_key]),
            disabled=running,
        )
        st.segmented_control(
            "Examples shown to the model",
            range(MAX_SHOTS + 1),
            key=shots_key,
            required=True,
            on_change=lambda: _change(session, shots=st.session_state[shots_key]),
            disabled=running,
        )
        st.caption(_hint())
        for server in _local_servers():
            st.text(f"{server.offer}.")  # a model's name is no markup


def _said(settings: Settings) -> str:
    name = AGENTS[settings.agent][0]
    if not settings.shots:
        return name
    return f"{name} · {settings.shots} example{'' if settings.shots == 1 else 's'}"


@st.cache_data(ttl=60, show_spinner=False)
def _local_servers() -> tuple[LocalServer, ...]:
    """Servers of this machine that could answer; none where one is configured."""
    return local_servers() if configured_model() == EMBEDDED else ()


def _hint() -> str:
    if configured_model() == EMBEDDED:
        return "The embedded planner answers offline: it plans by itself, so the agents differ little."
    return "Examples are answers you marked as right, then ones that come with Azimuth. Each costs tokens."


def _change(session: Session, **changes: Any) -> None:
    store = live().engine.store
    keep(store, session.id, replace(settings_of(store, session.id), **changes))
