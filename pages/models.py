"""Models: what is known of remote-sensing foundation models, to filter, compare and take along."""

from __future__ import annotations

import json

import streamlit as st

from copilot.engine import default_home
from copilot.messages import t
from copilot.view.modelzoo import MOST, comparison_html, results, sources_html, table
from data.modelzoo.exporting import as_csv, as_json_ld
from data.modelzoo.finding import Wanted, choices, find
from data.modelzoo.reading import Zoo, zoo
from data.modelzoo.schema import ModelRecord
from pages.choosing_model import which_model
from pages.header import header
from pages.here import session


def show() -> None:
    """Draw the page."""
    current = session()
    header(current)
    with st.container(key="prose"):
        st.html(f"<h2 class='az-title'>{t('Models')}</h2>")
        known = zoo(default_home() / "modelzoo")
        st.caption(
            t(
                "{records} remote-sensing foundation models, from public papers, repositories, cards and "
                "tables. What no source states is unknown; values less sure than 0.75 are marked.",
                records=len(known.records),
            )
        )
        which_model(current)
        st.html(f"<h3 class='az-category'>{t('All models')}</h3>")
        for problem in known.problems:
            st.warning(problem, icon=":material/warning:")
        found = find(known.records, _wanted(known))
        if not found:
            st.info(t("No model says all of that. Ask for less: a model that does not say it is left out."))
            return
        st.dataframe(
            table(found),
            hide_index=True,
            height=380,
            column_config={
                "paper": st.column_config.LinkColumn(display_text=t("paper")),
                "repository": st.column_config.LinkColumn(display_text=t("code")),
            },
        )
        _take_along(found)
        _compare(found)


def _wanted(known: Zoo) -> Wanted:
    """What the filters ask for."""
    there = choices(known.records)
    words = st.text_input(
        t("Find a model"), placeholder=t("prithvi, masked, ViT-L …"), key="find_model", max_chars=80
    )
    with st.container(horizontal=True):
        modalities = st.multiselect(t("Modalities, all of them"), there.modalities, key="model_modalities")
        sensor = st.selectbox(
            t("Sensor"), there.sensors, index=None, key="model_sensor", placeholder=t("any")
        )
        application = st.selectbox(
            t("Evaluated for"),
            there.applications,
            index=None,
            key="model_application",
            placeholder=t("anything"),
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        largest = st.number_input(
            t("Most parameters, millions"),
            min_value=0.1,
            value=None,
            key="model_largest",
            placeholder=t("any number"),
        )
        weights = st.checkbox(t("With published weights"), key="model_weights")
        loadable = st.checkbox(t("Loaded by a library by name"), key="model_loadable")
    return Wanted(words, tuple(modalities), sensor, application, largest, weights, loadable)


def _compare(found: tuple[ModelRecord, ...]) -> None:
    """Some of the models side by side, with their results on the same data and their sources."""
    names = {each.model_id: each.model_name for each in found}
    kept = [each for each in st.session_state.get("models_compared", []) if each in names]
    st.session_state["models_compared"] = kept
    st.html(f"<h3 class='az-category'>{t('Compare')}</h3>")
    chosen = st.multiselect(
        t("Up to {MOST} models", MOST=MOST),
        list(names),
        format_func=lambda each: names[each],
        max_selections=MOST,
        key="models_compared",
    )
    side_by_side = [each for each in found if each.model_id in chosen]
    if not side_by_side:
        return
    st.html(comparison_html(side_by_side))
    shared = results(side_by_side)
    if not shared.empty:
        st.caption(
            t("Results, as published: shares in per cent, the higher the better; errors the other way.")
        )
        st.dataframe(shared, hide_index=True)
    for each in side_by_side:
        with st.expander(t("Sources of {model_id}", model_id=each.model_id)):
            st.html(sources_html(each))


def _take_along(found: tuple[ModelRecord, ...]) -> None:
    """What is shown as files."""
    with st.container(horizontal=True):
        st.download_button(
            "CSV",
            lambda: as_csv(found),
            "models.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        st.download_button(
            "JSON-LD",
            lambda: json.dumps(as_json_ld(found), ensure_ascii=False, indent=1),
            "models.jsonld",
            "application/ld+json",
            icon=":material/download:",
            on_click="ignore",
        )
