"""Models: what is known of remote-sensing foundation models, to filter, compare and take along."""

from __future__ import annotations

import json

import streamlit as st

from copilot.engine import default_home
from copilot.view.modelzoo import MOST, comparison_html, results, sources_html, table
from data.modelzoo.exporting import as_csv, as_json_ld
from data.modelzoo.finding import Wanted, choices, find
from data.modelzoo.reading import Zoo, zoo
from data.modelzoo.schema import ModelRecord
from pages.header import header
from pages.here import session


def show() -> None:
    """Draw the page."""
    header(session())
    with st.container(key="prose"):
        st.html("<h2 class='az-title'>Models</h2>")
        known = zoo(default_home() / "modelzoo")
        st.caption(
            f"{len(known.records)} remote-sensing foundation models, from public papers, repositories, cards "
            "and tables. What no source states is unknown; values less sure than 0.75 are marked."
        )
        for problem in known.problems:
            st.warning(problem, icon=":material/warning:")
        found = find(known.records, _wanted(known))
        if not found:
            st.info("No model says all of that. Ask for less: a model that does not say it is left out.")
            return
        st.dataframe(
            table(found),
            hide_index=True,
            height=380,
            column_config={
                "paper": st.column_config.LinkColumn(display_text="paper"),
                "repository": st.column_config.LinkColumn(display_text="code"),
            },
        )
        _take_along(found)
        _compare(found)


def _wanted(known: Zoo) -> Wanted:
    """What the filters ask for."""
    there = choices(known.records)
    words = st.text_input(
        "Find a model", placeholder="prithvi, masked, ViT-L …", key="find_model", max_chars=80
    )
    with st.container(horizontal=True):
        modalities = st.multiselect("Modalities, all of them", there.modalities, key="model_modalities")
        sensor = st.selectbox("Sensor", there.sensors, index=None, key="model_sensor", placeholder="any")
        application = st.selectbox(
            "Evaluated for", there.applications, index=None, key="model_application", placeholder="anything"
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        largest = st.number_input(
            "Most parameters, millions",
            min_value=0.1,
            value=None,
            key="model_largest",
            placeholder="any number",
        )
        weights = st.checkbox("With published weights", key="model_weights")
        loadable = st.checkbox("Loaded by a library by name", key="model_loadable")
    return Wanted(words, tuple(modalities), sensor, application, largest, weights, loadable)


def _compare(found: tuple[ModelRecord, ...]) -> None:
    """Some of the models side by side, with their results on the same data and their sources."""
    names = {each.model_id: each.model_name for each in found}
    kept = [each for each in st.session_state.get("models_compared", []) if each in names]
    st.session_state["models_compared"] = kept
    st.html("<h3 class='az-category'>Compare</h3>")
    chosen = st.multiselect(
        f"Up to {MOST} models",
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
        st.caption("Results, as published: shares in per cent, the higher the better; errors the other way.")
        st.dataframe(shared, hide_index=True)
    for each in side_by_side:
        with st.expander(f"Sources of {each.model_id}"):
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
