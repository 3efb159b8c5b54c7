"""The frame around every page: navigation, the look, the browser's session."""

from __future__ import annotations

import streamlit as st

from copilot.live import live
from pages import benchmark, data, help, home, imagery, models, tools
from pages.look import style

st.set_page_config(page_title="Azimuth", page_icon="🧭", layout="wide", initial_sidebar_state="collapsed")
style()
PAGES = {
    "home": st.Page(home.show, title="Map", default=True),
    "imagery": st.Page(imagery.show, title="Imagery", url_path="imagery"),
    "data": st.Page(data.show, title="Data", url_path="data"),
    "tools": st.Page(tools.show, title="Tools", url_path="tools"),
    "models": st.Page(models.show, title="Models", url_path="models"),
    "benchmark": st.Page(benchmark.show, title="Benchmark", url_path="benchmark"),
    "help": st.Page(help.show, title="Help", url_path="help"),
}
st.session_state["pages"] = PAGES
st.session_state["page"] = st.navigation(list(PAGES.values()), position="hidden")
st.session_state["page"].run()
live().drawn.set()
