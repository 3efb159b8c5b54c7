"""The Workflows page as Streamlit draws it, without a browser."""

from __future__ import annotations

import time
from pathlib import Path
from shutil import copy
from typing import Any

import pytest
import streamlit
from streamlit.testing.v1 import AppTest

from copilot.engine import Engine
from copilot.live import Live
from copilot.session import Session
from data.scenes import pair
from tests.copilot.conftest import engine
from tests.suite.waiting import wait_until
from tests.tools.conftest import small_catalogue

__all__ = ["engine", "small_catalogue"]
MODULES = (
    "workflows",
    "workflow_task",
    "workflow_run",
    "workflow_step",
    "workflow_elsewhere",
    "here",
    "imagery",
)
RISE = "flood_extent_optical/rise"


@pytest.fixture
def live(engine: Engine) -> Live:
    return Live(engine)


@pytest.fixture
def session(live: Live, tmp_path: Path) -> Session:
    """A session with a rendered pair of a flood."""
    found = live.create("local")
    made = pair(4, "flood", sensor="multispectral", size=96, gsd_m=10, same_season=True)
    folder = live.engine.uploads("local")
    folder.mkdir(parents=True)
    for side, scene in (("before", made.before), ("after", made.after)):
        copy(scene.write(tmp_path / f"river_{side}.tif"), folder)
        assert found.call("add_file", file=f"river_{side}.tif").ok
    return found


@pytest.fixture
def drawn(live: Live, session: Session, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page, without the header and links to other pages, which need the whole app."""
    for each in MODULES:
        monkeypatch.setattr(f"pages.{each}.live", lambda: live)
    monkeypatch.setattr("pages.workflows.header", lambda session: None)
    monkeypatch.setattr("pages.workflows.session", lambda: session)
    monkeypatch.setattr(streamlit, "page_link", lambda *args, **kwargs: None)
    page = AppTest.from_function(_script, default_timeout=120)
    page.session_state["session"] = session.id
    page.session_state["pages"] = {"home": "home", "imagery": "imagery"}
    page.session_state["page"] = "workflows"
    return page


def _script() -> None:
    from pages import workflows

    workflows.show()


def labels(page: AppTest) -> list[str]:
    return [each.label for each in page.button]


def said(page: AppTest) -> str:
    parts = [*page.markdown, *page.caption, *page.warning, *page.info]
    markup = [str(each.proto.body) for each in page.get("html")]
    return " ".join([*(str(each.value).replace("\\", "") for each in parts), *markup])


def started(page: AppTest, live: Live, session: Session, **where: Any) -> AppTest:
    """The page once what was clicked has ended."""
    page.run()
    wait_until(lambda: live.running(session.id) is None)
    return gone(page, **where)


def gone(page: AppTest, **where: Any) -> AppTest:
    """The page at another place, as its own buttons go there."""
    page.session_state["workflows_at"] |= where
    page.session_state["workflows_turn"] = time.monotonic_ns()
    return page.run()


def chosen(page: AppTest, flow: str) -> AppTest:
    return gone(page.run(), task=flow.partition("/")[0], flow=flow)


def test_fields_and_words_lead_to_tasks_and_the_statement_is_true(drawn: AppTest) -> None:
    drawn.run()
    assert not drawn.exception
    assert "checked against their sources and run" in said(drawn)
    assert any(each.startswith("Disasters :gray[22 tasks]") for each in labels(drawn))
    drawn.button(key="field-snow_ice").click().run()
    assert any(each.startswith("Glacier") for each in labels(drawn))
    drawn.button(key="flow_all").click().run()
    drawn.text_input(key="flow_words").set_value("burn severity").run()
    drawn.button(key="task-burn_severity").click().run()
    assert not drawn.exception
    assert "Burn severity" in [each.value for each in drawn.subheader]
    drawn.text_input(key="flow_words").set_value("xyzzy plugh").run()
    assert drawn.info[0].value.startswith("No task is about that.")


def test_what_the_images_allow_is_listed_and_its_data_are_filled_in(drawn: AppTest, session: Session) -> None:
    gone(drawn.run(), view="For these data")
    drawn.text_input(key="flow_about").set_value("flood").run()
    drawn.button(key="can-flood_extent_optical").click().run()
    assert not drawn.exception
    names = {each.label: str(each.value) for each in drawn.selectbox}
    by_name = {each.name: each.id for each in session.state.artifacts}
    assert (names["Before"], names["After"]) == (by_name["river_before"], by_name["river_after"])


def test_a_run_that_repairs_itself_shows_what_failed_and_goes_on_with_another_value(
    drawn: AppTest, live: Live, session: Session
) -> None:
    chosen(drawn, RISE)
    drawn.number_input(key=f"value-{RISE}-rise_from").set_value(1.5).run()
    drawn.button(key="flow_go").click()
    started(drawn, live, session, step="flood")
    assert not drawn.exception
    assert "Cause: tight limit. Changed: rise_from set to 0.775." in said(drawn)
    assert "Why this step:** Wet ground raises the index" in said(drawn)
    calls = [each.tool for each in session.events if each.tool == "workflow_run"]
    gone(drawn, part="Values")
    field = next(each for each in drawn.number_input if str(each.key).startswith("set-"))
    assert field.label == "Rise from"
    field.set_value(0.5)
    next(each for each in drawn.button if each.label == "Change and run").click()
    started(drawn, live, session)
    assert not drawn.exception
    assert "rise_from = 0.5" in said(drawn)
    assert len([each for each in session.events if each.tool == "workflow_run"]) == len(calls) + 1
    gone(drawn, part="Compare", step=None)
    other = next(each for each in drawn.selectbox if each.label == "Compare with")
    other.select_index(0).run()
    assert not drawn.exception
    frames = [each.value for each in drawn.dataframe if "the other" in each.value.columns]
    assert ["rise_from", "0.5", "0.775"] in frames[0].values.tolist()


def test_a_step_can_be_skipped_and_a_workflow_of_ones_own_is_found_in_the_library(
    drawn: AppTest, live: Live, session: Session
) -> None:
    chosen(drawn, RISE)
    drawn.button(key="flow_go").click()
    started(drawn, live, session, step="outlines")
    drawn.button(key="edit-skip").click().run()
    assert not drawn.exception
    assert "Run the changed workflow" in labels(drawn)
    assert session.events[-1].args["change"] == {"kind": "skip", "step": "outlines"}
    drawn.text_input(key="save_name").set_value("My flood")
    next(each for each in drawn.button if each.label == "Save").click().run()
    assert not drawn.exception
    assert "My flood" in [each.value for each in drawn.subheader]


def test_what_could_not_start_says_why(drawn: AppTest, session: Session) -> None:
    session.call("workflow_run", workflow="xyzzy plugh")
    gone(drawn.run(), view="Runs")
    assert not drawn.exception
    assert "No workflow is called" in said(drawn)
