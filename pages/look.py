"""The look: our own style sheet, put into every page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st

ASSETS = Path(__file__).resolve().parent.parent / "assets"


@cache
def asset(name: str) -> str:
    """A file of assets/."""
    return (ASSETS / name).read_text(encoding="utf-8")


@cache
def script(name: str) -> str:
    """A script of assets/ for a component, with what says its texts in the page's language."""
    return f"{asset('words.js')}\n{asset(name)}"


def style() -> None:
    """Put the style sheet into the page."""
    st.html(f"<style>{asset('page.css')}</style>")
