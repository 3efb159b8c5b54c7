"""The data page."""

from __future__ import annotations

import streamlit as st

from pages.header import header
from pages.here import session


def show() -> None:
    """Draw the page."""
    header(session())
    st.write("data")
