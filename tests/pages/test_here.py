"""What a widget reports is taken where it is on the page, and only there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
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


def _a_page_that_is_cut_short() -> None:
    import streamlit as st

    from pages.here import wish, wished

    st.button("Plain", key="plain")
    st.button("Run", key="run", on_click=wish, args=("run",))
    runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    if runs % 2 == 0:  # another run cuts this one short, as a change of the session does
        st.rerun()
    if wished("run"):
        st.session_state["taken"] = st.session_state.get("taken", 0) + 1


def test_a_click_is_taken_once_though_its_run_is_cut_short() -> None:
    page = AppTest.from_function(_a_page_that_is_cut_short).run()
    page.button(key="run").click().run()
    page.button(key="plain").click().run()
    assert not page.exception
    assert page.session_state["taken"] == 1


def test_what_was_asked_for_on_a_page_that_was_left_is_not_done_when_it_is_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pages.here.WISH_S", -1.0)
    page = AppTest.from_function(_a_page_that_is_cut_short).run()
    page.button(key="run").click().run()
    assert not page.exception
    assert "taken" not in page.session_state


def test_no_page_takes_a_click_in_the_middle_of_a_run() -> None:
    """What a button or a component returns is gone when the run is cut short: a callback takes it."""
    assert [each for path in sorted(PAGES.glob("*.py")) for each in _taken_in_the_run(path)] == []


def _taken_in_the_run(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    components = {
        target.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Assign) and "components.v2.component" in ast.unparse(each.value)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    clicks = ("button", "form_submit_button", "download_button")
    for each in ast.walk(tree):
        if not isinstance(each, ast.Call) or id(each) in alone:
            continue
        name = each.func.attr if isinstance(each.func, ast.Attribute) else ast.unparse(each.func)
        if name in components or (isinstance(each.func, ast.Attribute) and name in clicks):
            yield f"{path.name}:{each.lineno}"
