"""What the Models page shows of a recommendation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from copilot.view.recommendation import (
    Standing,
    asked_for,
    criteria_html,
    models_html,
    side_by_side_html,
    standing,
)
from state.log import Event
from state.model import Artifact, Question, State

EVIL = "<script>alert('x')</script>"
MODEL: dict[str, Any] = {
    "model_id": "acre",
    "name": EVIL,
    "score": 70.0,
    "criteria": [
        {"criterion": "application", "weight": 25, "rating": 5.0, "because": EVIL, "stated": True},
        {"criterion": "popularity", "weight": 5, "rating": 1.0, "because": "not stated", "stated": False},
    ],
    "reasons": ["takes SAR"],
    "weaknesses": [],
    "breaks": [],
    "does_not_state": [],
    "will_it_fit": "about 1 GB (an estimate)",
    "next_step": "`copilot models pull acre` says how.",
    "paper": "https://a.example/'x",
    "code": None,
    "weights": None,
}
DATA: dict[str, Any] = {
    "table": "t1",
    "query": {"application": "flood mapping", "modalities": ["sar"], "open_weights": True},
    "models": [MODEL],
    "trade_offs": [],
    "closest": False,
    "considered": 10,
    "satisfying": 2,
    "not_stated": 3,
    "confidence": 0.5,
}


def call(tool: str, data: dict[str, Any], seq: int = 1) -> Event:
    return Event(seq, 1, "call", "2026-11-28T00:00:00Z", text="said", tool=tool, data=data)


def holding(*handles: str, question: Question | None = None) -> State:
    made = tuple(Artifact(id=each, kind="table", name=each, summary="", made_by="x") for each in handles)
    state = State(artifacts=made)
    return replace(state, ui=replace(state.ui, question=question))


def test_the_newest_recommendation_stands_with_the_comparison_since_then() -> None:
    compared: dict[str, Any] = {"table": "t2", "comparison": {"acre": {"score": 70.0}}}
    events = [call("recommend_model", DATA), call("compare_models", compared, 2)]
    assert standing(events, holding("t1", "t2")) == Standing(
        recommended=DATA, compared=compared["comparison"], comparison="said"
    )


def test_what_was_undone_is_passed_over_and_an_open_question_stands_before_all() -> None:
    asked = call("recommend_model", {"table": "t2", "question": "Which data?"}, 2)
    events = [call("recommend_model", DATA), asked]
    assert standing(events, holding("t1")).recommended == DATA
    waiting = holding("t1", "t2", question=Question("Which data?", ("Radar", "Any")))
    assert standing(events, waiting) == Standing(question="Which data?", choices=("Radar", "Any"))
    assert standing(events, holding("t1", "t2")).recommended == DATA
    assert standing([], State()) == Standing()


def test_every_criterion_is_shown_with_its_weight_its_rating_and_why() -> None:
    markup = criteria_html(DATA)
    assert "application <small>25 %</small>" in markup
    assert "<td class='az-unknown'><b>1.0</b> not stated</td>" in markup
    assert "<b>70</b> of 100" in markup


def test_names_reasons_and_links_are_never_markup() -> None:
    markup = models_html(DATA) + criteria_html(DATA)
    markup += side_by_side_html({"acre": {"paper": "https://a.example/'x", "backbone": EVIL}}, {"acre": EVIL})
    assert "<script" not in markup and "/'x" not in markup
    assert "<code>copilot models pull acre</code> says how." in markup


def test_what_was_asked_is_told_field_by_field() -> None:
    assert asked_for(DATA) == "application: flood mapping · modalities: sar · open weights: yes"
