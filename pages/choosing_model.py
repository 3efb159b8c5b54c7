"""Which model? The selection agent on the Models page: a request, its questions, the models and why."""

from __future__ import annotations

import html

import streamlit as st

from copilot.messages import t
from copilot.session import Session
from copilot.view.recommendation import (
    COMPARE,
    RECOMMEND,
    asked_for,
    criteria_html,
    models_html,
    side_by_side_html,
    standing,
)
from pages.here import act

EXAMPLE = "crop types from Sentinel-2 with 50 labels and no GPU"
FOLLOW_UP = "only radar, and it must run on a laptop · and for change detection?"


def which_model(current: Session) -> None:
    """Draw the request's box, the question that is open, or what was recommended last."""
    there = standing(current.events, current.state)
    st.html(f"<h3 class='az-category'>{t('Which model?')}</h3>")
    with (
        st.container(key="which_model"),
        st.form("model_request", clear_on_submit=True, border=False),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        st.text_input(
            t("What is it for, on which data, and where is it to run?")
            if there.recommended is None
            else t("Say more, or ask anew with “which model …”"),
            key="model_words",
            placeholder=EXAMPLE if there.recommended is None else FOLLOW_UP,
            max_chars=500,
        )
        st.form_submit_button(t("Recommend"), on_click=_ask, icon=":material/search:")
    if there.question:
        _question(there.question, there.choices)
    elif there.recommended is not None:
        data = there.recommended
        st.caption(asked_for(data).replace("$", "\\$"))
        st.html(f"<div class='az-recommended'>{models_html(data)}</div>")
        st.html(f"<h4 class='az-category'>{t('Each criterion')}</h4>{criteria_html(data)}")
        if len(data["models"]) > 1:
            st.button(t("Compare the first two"), on_click=_do, args=(COMPARE,), key="compare_first")
        if there.compared is not None:
            names = {each["model_id"]: each["name"] for each in data["models"]}
            said = html.escape(there.comparison)
            st.html(f"<p class='az-pick-said'>{said}</p>{side_by_side_html(there.compared, names)}")


def _do(tool: str, **args: str) -> None:
    act(tool, **args)


def _ask() -> None:
    words = str(st.session_state.get("model_words", "")).strip()
    if words:
        act(RECOMMEND, query=words)


def _question(text: str, choices: tuple[str, ...]) -> None:
    """What is missing, with answers to click; words in the box above answer it as well."""
    st.html(f"<p class='az-pick-said'><b>{html.escape(text)}</b></p>")
    with st.container(horizontal=True, key="model_choices", gap="small"):
        for number, choice in enumerate(choices):
            st.button(
                choice, on_click=_do, args=(RECOMMEND,), kwargs={"query": choice}, key=f"choice{number}"
            )
