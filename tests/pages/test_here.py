"""What a widget reports is taken where it is on the page, and only there."""

from __future__ import annotations

import ast
from pathlib import Path

from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).resolve().parents[2] / "pages"


def _a_page() -> None:
    import streamlit as st

    from pages.here import changed

    said = st.session_state.setdefault("said", [])
    st.text_input("Name", key="name", on_change=changed, args=("name", said.append))
    st.button("Ask for one that has gone", on_click=changed, args=("gone", said.append))


def test_a_change_is_taken_with_its_value_and_one_of_a_widget_that_has_gone_is_not() -> None:
    page = AppTest.from_function(_a_page).run()
    page.text_input(key="name").set_value("Ports").run()
    page.button[0].click().run()
    assert not page.exception
    assert page.session_state["said"] == ["Ports"]


def test_every_widget_takes_its_change_so() -> None:
    others = [
        f"{path.name}:{each.value.lineno}"
        for path in sorted(PAGES.glob("*.py"))
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(each, ast.keyword) and each.arg == "on_change"
        if not (isinstance(each.value, ast.Name) and each.value.id == "changed")
    ]
    assert others == []
