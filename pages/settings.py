"""Settings: the language of the page, who answers, how the session's agent goes about a request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from copilot.agents import NAMES
from copilot.live import live
from copilot.local_servers import LocalServer, local_servers
from copilot.messages import LANGUAGES, language, later, t, tn
from copilot.models import EMBEDDED, answering, configured_model
from copilot.session import Session
from copilot.settings import MAX_SHOTS, keep, settings_of
from pages.header import _plain, header, said_of
from pages.here import changed, session
from pages.speaking import choose, keyed

AGENTS = {
    "direct": (later("Direct"), later("Calls tools until it can answer.")),
    "react": (later("ReAct"), later("Says what it thinks before each call.")),
    "cot": (later("Chain of thought"), later("Plans every call first, then makes them.")),
    "chameleon": (
        later("Chameleon"),
        later("Splits the request into modules, each with a step of its own."),
    ),
    "reflexion": (later("Reflexion"), later("Looks back at what went wrong, and tries again.")),
    "rs-agent": (
        later("RS-Agent"),
        later("Names the kind of task, looks up how it is solved, and plans with that."),
    ),
}


def show() -> None:
    """Draw the page."""
    current = session()
    header(current)
    with st.container(key="prose"):
        st.html(f"<h2 class='az-title'>{t('Settings')}</h2>")
        _language()
        st.markdown(f"### {t('Who answers')}")
        word, about = said_of(answering())
        st.markdown(f"**{_plain(word)}**")
        st.caption(_plain(about))
        for server in _local_servers():
            st.text(f"{server.offer}.")  # a model's name is no markup
        _agent(current)


def _language() -> None:
    st.markdown(f"### {t('Language')}")
    st.segmented_control(
        t("Language"),
        list(LANGUAGES),
        default=language(),
        format_func=lambda code: LANGUAGES[code],
        required=True,
        key=f"language_choice-{language()}",
        label_visibility="collapsed",
        on_change=changed,
        args=(f"language_choice-{language()}", choose),
    )
    st.caption(t("Of the page, in this browser. Requests are read in English for now."))


@st.fragment
def _agent(session: Session) -> None:
    """How the session's requests are gone about; a choice draws nothing else again."""
    settings = settings_of(live().engine.store, session.id)
    running = live().running(session.id) is not None
    st.markdown(f"### {t('How a request is answered')}")
    name, count = t(AGENTS[settings.agent][0]), tn("{n} example", "{n} examples", settings.shots)
    agent_key, shots_key = keyed(f"agent-{session.id}"), f"shots-{session.id}"
    # What another tab has set shows here too; what was chosen here is kept by then.
    for key, kept in ((agent_key, settings.agent), (shots_key, settings.shots)):
        # Only what differs: what is set comes back to the browser, and can undo a click made meanwhile.
        if st.session_state.get(key) != kept:
            st.session_state[key] = kept
    with st.container(key="agent"):
        said = t("For this session: {agent}, {examples}. {hint}", agent=name, examples=count, hint=_hint())
        st.caption(said)
        st.radio(
            t("Agent"),
            NAMES,
            format_func=lambda name: t(AGENTS[name][0]),
            captions=[t(AGENTS[name][1]) for name in NAMES],
            key=agent_key,
            on_change=changed,
            args=(agent_key, lambda agent: _change(session, agent=agent)),
            disabled=running,
        )
        st.segmented_control(
            t("Examples shown to the model"),
            range(MAX_SHOTS + 1),
            key=shots_key,
            required=True,
            on_change=changed,
            args=(shots_key, lambda shots: _change(session, shots=shots)),
            disabled=running,
        )


@st.cache_data(ttl=60, show_spinner=False)
def _local_servers() -> tuple[LocalServer, ...]:
    """Servers of this machine that could answer; none where one is configured."""
    return local_servers() if configured_model() == EMBEDDED else ()


def _hint() -> str:
    if configured_model() == EMBEDDED:
        return t("Offline it plans by itself, so the ways differ little.")
    return t("Examples are answers you marked as right, then ones that come with Azimuth. Each costs tokens.")


def _change(session: Session, **changes: Any) -> None:
    store = live().engine.store
    keep(store, session.id, replace(settings_of(store, session.id), **changes))
