"""The frame around every page: navigation, the look, the browser's session."""

from __future__ import annotations

import streamlit as st

from copilot.live import live
from copilot.messages import t
from pages import (
    benchmark,
    data,
    help,
    home,
    imagery,
    knowledge,
    models,
    settings,
    tools,
    workflows,
)
from pages.look import style

st.set_page_config(page_title="Azimuth", page_icon="🧭", layout="wide", initial_sidebar_state="collapsed")
style()
PAGES = {
    "home": st.Page(home.show, title=t("Map"), default=True),
    "imagery": st.Page(imagery.show, title=t("Imagery"), url_path="imagery"),
    "workflows": st.Page(workflows.show, title=t("Workflows"), url_path="workflows"),
    "data": st.Page(data.show, title=t("Data"), url_path="data"),
    "tools": st.Page(tools.show, title=t("Tools"), url_path="tools"),
    "knowledge": st.Page(knowledge.show, title=t("Knowledge"), url_path="knowledge"),
    "models": st.Page(models.show, title=t("Models"), url_path="models"),
    "benchmark": st.Page(benchmark.show, title=t("Benchmark"), url_path="benchmark"),
    "help": st.Page(help.show, title=t("Help"), url_path="help"),
    "settings": st.Page(settings.show, title=t("Settings"), url_path="settings"),
}
st.session_state["pages"] = PAGES
st.session_state["page"] = st.navigation(list(PAGES.values()), position="hidden")
st.session_state["page"].run()
live().drawn.set()
