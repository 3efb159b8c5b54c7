"""Where on the Workflows page a tab is: kept for the tab and in its address, so that a reload comes back."""

from __future__ import annotations

import streamlit as st

from copilot.messages import later

NAMES = ("view", "field", "task", "flow", "run", "part", "step")
VIEWS = (later("Library"), later("For these data"), later("Runs"))
PARTS = (later("Step"), later("Values"), later("Elsewhere"), later("Compare"), later("Report and files"))
"""Of a run."""


def at(name: str) -> str | None:
    """The view, task, workflow, run or step that is shown; None where none was chosen."""
    if "workflows_at" not in st.session_state:
        asked = {each: str(st.query_params[each]) for each in NAMES if each in st.query_params}
        st.session_state["workflows_at"] = asked
    found: str | None = st.session_state["workflows_at"].get(name)
    return found


def go(**where: str | None) -> None:
    """Show something else from the next drawing on; None takes a choice away."""
    at("view")
    st.session_state["workflows_at"] |= where
    if {"view", "flow", "part"} & set(where):
        st.session_state["workflows_turn"] = turn() + 1


def turn() -> int:
    """Part of the key of what shows the place: a value that is set from here on a widget that stays would be
    undone by a run that the browser had asked for just before, so it becomes a new one.
    """
    return int(st.session_state.get("workflows_turn", 0))


def chose(value: str, name: str) -> None:
    """Take over what was chosen in a widget that shows the place."""
    at("view")
    other = {"step": None} if name == "flow" else {}
    st.session_state["workflows_at"] |= {name: value, **other}


def keep() -> None:
    """Put the place into the address."""
    for name in NAMES:
        wanted = at(name)
        if wanted is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != wanted:
            st.query_params[name] = wanted
