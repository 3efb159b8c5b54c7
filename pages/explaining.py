"""Explain this: what is known of whatever is selected on the page."""

from __future__ import annotations

import html

import streamlit as st

from copilot.live import live
from copilot.messages import t, words
from copilot.session import Session
from copilot.view.knowledge import cards_html, explained
from pages.here import wish, wished
from pages.look import script
from pages.speaking import keyed
from tools.base import ToolError

_explain = st.components.v2.component("azimuth_explain", js=script("explain.js"), isolate_styles=False)


def show_explain(session: Session) -> None:
    """Draw the button that comes up beside a selection, and the answer once it is clicked."""
    with st.container(key="explain"):
        key = keyed("explain_this")
        _explain(
            key=key,
            data={"words": words()},
            width="content",
            on_explain_change=lambda: wish("explain", st.session_state[key].explain),
        )
    if text := wished("explain"):
        st.dialog(t("What this is"), width="large")(_answer)(session, str(text))


def _answer(session: Session, text: str) -> None:
    try:
        with st.spinner(t("Looking it up …")):
            said = explained(session.world(), live().engine.toolbox, session.events, text)
    except ToolError as error:
        st.info(str(error))
        return
    st.html(f"<h3 class='az-category'>{html.escape(said.of)}</h3>")
    st.html("".join(f"<p class='az-answer'>{html.escape(each)}</p>" for each in said.lines))
    if said.cards:
        st.html(cards_html(said.cards, session.id))
