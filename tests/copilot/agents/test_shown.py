"""The tools a model is shown: those that fit, more when it asks, and none picked for who knows them all."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from copilot import retrieval
from copilot.agents.shown import FIND_TOOLS, ToolsShown
from copilot.retrieval.tokens import count_tokens
from copilot.session import Session
from tests.copilot.agents.conftest import go, told
from tests.copilot.scripted import Scripted, calls


def names(bound: list[Any]) -> set[str]:
    return {each["function"]["name"] for each in bound}


SERVED = Scripted(AIMessage(""))


def test_a_request_is_shown_what_fits_it_and_the_way_to_more(session: Session) -> None:
    shown = names(ToolsShown(session, "make a pie of the classes").schemas(SERVED))
    assert {"pie_figure", FIND_TOOLS, "ask_user", "reject_task"} <= shown
    assert len(shown) < len(session.engine.toolbox) / 2


def test_a_model_that_asks_for_more_is_shown_more_for_the_rest_of_the_turn(session: Session) -> None:
    went = go(
        session,
        "direct",
        calls((FIND_TOOLS, {"query": "export the session as a notebook"})),
        calls(("export_notebook", {})),
        AIMessage("Written."),
    )
    before, after, last = (names(each) for each in went.model.bound)
    assert "export_notebook" not in before and "export_notebook" in after & last and before < after
    assert (
        told(went.model.heard[1])[-1].startswith("Added: ")
        and "export_notebook" in told(went.model.heard[1])[-1]
    )
    assert went.tools == ["export_notebook"] and went.answer.outcome == "done"


def test_a_model_that_asks_for_what_no_tool_does_is_told_so(session: Session) -> None:
    went = go(session, "direct", calls((FIND_TOOLS, {"query": "play some music"})), AIMessage("No."))
    said = told(went.model.heard[1])[-1]
    assert said.startswith("No tool says just that of itself; sql computes over rows and shapes of open")
    assert ". Added, as the nearest that there are: " in said


def test_asking_for_more_is_no_call_of_the_session_but_counts_as_a_step(session: Session) -> None:
    asked = [calls((FIND_TOOLS, {"query": f"tool {n}"})) for n in range(40)]
    for each in asked:  # else the tokens are estimated, and they end the turn first
        each.usage_metadata = {"input_tokens": 10, "output_tokens": 1, "total_tokens": 11}
    went = go(session, "direct", *asked)
    assert went.tools == [] and went.answer.reply.startswith("Stopped after 30 calls")


def test_a_tool_that_was_not_shown_is_run_and_shown_from_then_on(session: Session) -> None:
    went = go(session, "direct", calls(("measure_area", {"bbox": [4, 45, 5, 46]})), AIMessage("There."))
    first, second = (names(each) for each in went.model.bound)
    assert "measure_area" not in first and "measure_area" in second
    assert [event.ok for event in went.events if event.kind == "call"] in ([True], [False])


def test_a_step_of_one_category_is_shown_only_that_and_never_nothing(session: Session) -> None:
    shown = ToolsShown(session, "hello")
    box = session.engine.toolbox
    for category in ("database", "map", "ui", "data"):
        found = names(shown.schemas(SERVED, category, "say hello")) - {FIND_TOOLS}
        assert found and {box.get(each).category for each in found} == {category}


def test_what_is_shown_stays_within_the_tokens_of_the_budget(session: Session) -> None:
    shown = ToolsShown(session, "show ships near Rotterdam since 2020 as a heat map and count them per month")
    assert count_tokens(retrieval.schema.sent(shown.schemas(SERVED))) <= 2500


def test_who_knows_the_tools_by_name_is_shown_all_names_and_nothing_is_searched(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(*_: Any) -> None:
        raise AssertionError("nothing is to be searched")

    monkeypatch.setattr(retrieval, "shown_tools", search)
    assert session.ask("load fmow").outcome == "done"
