"""The conversation and where requests are written."""

from __future__ import annotations

from typing import Any

import streamlit as st

from copilot.live import live
from copilot.messages import t, words
from copilot.session import Session
from copilot.view.guided import next_request
from copilot.view.transcript import conversation
from pages.here import act, ask, noticed, open_panel
from pages.look import asset, script
from pages.sampling import examples, show_sample
from pages.speaking import keyed
from pages.uploading import show_uploads

_chat = st.components.v2.component(
    "azimuth_chat", js=script("chat.js"), css=asset("chat.css"), isolate_styles=False
)


def show_chat(session: Session, version: str) -> None:
    """Draw the conversation, the input and the stop button; `version` is that of what the page shows."""
    running, stopping = live().running(session.id) is not None, live().stopping(session.id)
    key = keyed(f"chat-{session.id}")
    with st.container(key="chat"):
        _chat(
            key=key,
            data={
                "session": session.id,
                "words": words(),
                "version": version,
                **conversation(session.turns, session.state, running, stopping),
                "job": live().job(session.id),
                "problem": live().problem(session.id),
                "examples": examples(session),
            },
            on_version_change=noticed,
            on_ask_change=lambda: ask(session.id, str(st.session_state[key].ask)),
            on_trace_change=lambda: _traced(session.id, st.session_state[key].trace),
            on_feedback_change=lambda: _rated(st.session_state[key].feedback),
        )
    show_sample(session)
    _guide(session, running)
    with st.container(key="attach"):
        show_uploads(session, key="attached", compact=True)
    _input(session, running, stopping)


def _guide(session: Session, running: bool) -> None:
    """The next step with a real scene, as a button that asks for it."""
    request = None if running else next_request(session.state, session.events)
    if request is not None:
        with st.container(key="guide", horizontal=True):
            st.button(
                request,
                key=f"guide-{request}",
                icon=":material/arrow_forward:",
                help=t("Asks this: the next step with a real scene"),
                on_click=ask,
                args=(session.id, request),
            )


def _input(session: Session, running: bool, stopping: bool) -> None:
    with st.container(key="ask", horizontal=True, vertical_alignment="bottom", gap="small"):
        st.chat_input(
            t("Ask for images or places …"),
            key="request",
            max_chars=4000,
            on_submit=lambda: ask(session.id, str(st.session_state["request"]), box="request"),
        )
        if running:
            st.button(
                t("Stopping …") if stopping else t("Stop"),
                icon=":material/stop:",
                key="stop",
                on_click=_stop,
                args=(session.id,),
                disabled=stopping,
                help=t("It ends with the step that it is at") if stopping else t("Stop the running request"),
            )


def _traced(session_id: str, call: dict[str, Any]) -> None:
    st.session_state["trace_call"] = (session_id, int(call["seq"]))
    st.session_state["trace_asked"] = st.session_state.get("trace_asked", 0) + 1
    open_panel("Trace")


def _rated(said: dict[str, Any]) -> None:
    note = str(said.get("note", "")).strip()
    more = {"note": note} if note else {}
    act("record_feedback", rating=said["rating"], turn=int(said["turn"]), **more)


def _stop(session_id: str) -> None:
    live().stop(session_id)
