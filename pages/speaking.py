"""The language of whoever looks: chosen in the settings, else the one that their browser asks for."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from copilot.messages import COOKIE, LANGUAGES, RIGHT_TO_LEFT, preferred, spoken_by, words
from pages.look import asset

_language = st.components.v2.component("azimuth_language", js=asset("language.js"), isolate_styles=False)


def language() -> str:
    """The language of the tab that this run draws; English where nobody looks, as in a worker."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return "en"
    found = st.session_state.get("spoken")
    if found not in LANGUAGES:
        found = preferred(st.context.headers.get("Accept-Language"), st.context.cookies.get(COOKIE))
        st.session_state["spoken"] = found
    return str(found)


def choose(code: str) -> None:
    """Say everything in that language from now on, in this browser."""
    st.session_state["spoken"] = code


def keyed(key: str) -> str:
    """The key of a component whose script says something: in another language it is another one."""
    code = language()
    return key if code == "en" else f"{key}-{code}"


def tell_page() -> None:
    """Let the page know its language and direction, and the browser keep the choice."""
    code = language()
    direction = "rtl" if code in RIGHT_TO_LEFT else "ltr"
    _language(
        key="language", data={"cookie": COOKIE, "direction": direction, "words": words()}, width="content"
    )


spoken_by(language)
