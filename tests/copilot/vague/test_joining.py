"""A vague wish in the chat: a look on record, one expert at most, a bad result undone, turn after turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from copilot.answer import Answer
from copilot.engine import Engine
from copilot.planner.model import EmbeddedPlanner
from copilot.planner.plan import Plan
from copilot.planner.situation import Call, Situation
from copilot.session import Session
from copilot.vague.pictures import write
from copilot.vague.seen import Seen
from data.vision.look import LOOKS
from state.log import Event

PORT = "marina-512-17100002"


@pytest.fixture(scope="module")
def marina(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rendered marina of 512 pixels a side, full of boats."""
    return write(PORT, tmp_path_factory.mktemp("scenes"))[0]


@pytest.fixture
def session(engine: Engine, marina: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("COPILOT_READER", "interpreter")
    session = Session.open(engine=engine)
    assert session.call("add_file", file=str(marina)).ok
    return session


def asked(session: Session, request: str) -> tuple[Answer, Sequence[Event]]:
    answer = session.ask(request)
    return answer, answer.calls


class Lost:
    """A reader that understands nothing, so that all is left to the wishes."""

    def plan(self, request: str, situation: Situation) -> Plan:
        return Plan((Call("ask_user", {"question": "What exactly do you mean?"}),))


def tools(calls: Sequence[Event]) -> list[str]:
    return [str(each.tool) for each in calls]


def test_a_vague_question_is_answered_from_a_look_on_record(session, marina):
    before = session.state
    answer, calls = asked(session, "is the harbour busy?")
    assert tools(calls) == ["look_at_image"]
    assert session.state == before
    count = Seen(calls[0].data).count("ship")
    assert count == LOOKS.at(marina).count("ship") > 0
    assert answer.reply.startswith(f"I count {count:,} ships: ") and "⁽¹⁾" in answer.reply
    assert session.replay() == session.state


def test_the_look_is_taken_up_again_in_later_turns(session):
    asked(session, "is the harbour busy?")
    part, _ = asked(session, "what's in the top left corner?")
    assert part.reply.startswith("The top left part is mostly ")
    trees, calls = asked(session, "and the trees?")
    assert tools(calls) == ["look_at_image"] and "vegetation covers" in trees.reply.casefold()


def test_a_dense_wish_goes_to_one_expert_and_can_be_undone_replayed_and_forked(session):
    before = session.state
    _, calls = asked(session, "could you give me just the outlines, like a drawing of it")
    assert tools(calls) == ["look_at_image", "edge_detection"]
    assert session.replay() == session.state
    assert session.fork().state.artifacts == session.state.artifacts
    session.undo()
    assert session.state.artifacts == before.artifacts


def test_a_result_that_can_not_be_right_is_undone_on_record_and_said(session, monkeypatch):
    """A count is far from the look's where the look is made to have seen four times as much."""
    from copilot.vague import steps

    class Exaggerating(Seen):
        def count(self, thing: str) -> int:
            return 4 * super().count(thing) + 20

    monkeypatch.setattr(steps, "Seen", Exaggerating)
    model = EmbeddedPlanner(
        planner=Lost(), catalogue=session.engine.catalogue, gazetteer=session.engine.gazetteer
    )
    answer = session.ask("put a box round every last one of the boats", model=model)
    calls = answer.calls
    assert tools(calls) == ["look_at_image", "optical_detection", "undo", "rotated_object_detection"]
    assert "was not believed" in answer.reply and "it was undone ⁽³⁾" in answer.reply
    assert [each.kind for each in session.state.artifacts] == ["raster", "detections"]
    assert session.replay() == session.state


def test_a_comparison_with_one_image_asks_for_the_other(session):
    answer, calls = asked(session, "did they build here?")
    assert (tools(calls), answer.outcome) == (["look_at_image", "ask_user"], "asked")
    assert answer.reply.startswith("Which earlier image is it to be compared with?")


def test_what_is_asked_back_is_completed_by_the_answer(session, marina):
    first, calls = asked(session, "what is going on in that corner?")
    assert (tools(calls), first.outcome) == (["look_at_image", "ask_user"], "asked")
    assert first.reply.startswith("Which part of the image is meant?")
    second, calls = asked(session, "left")
    shares = LOOKS.at(marina).shares("left")
    best = max(shares, key=lambda name: shares[name])
    assert tools(calls) == ["look_at_image"]
    assert second.reply.startswith(f"The left half is mostly {best}: {shares[best]:.0%} of it ⁽¹⁾.")


def test_without_an_image_nothing_is_taken_for_a_wish_on_one(engine, monkeypatch):
    monkeypatch.setenv("COPILOT_READER", "interpreter")
    session = Session.open(engine=engine)
    _, calls = asked(session, "is the harbour busy?")
    assert "look_at_image" not in tools(calls)


@pytest.mark.parametrize("said", ["thanks a lot", "zoom to Lyon", "load fmow"])
def test_what_is_no_wish_on_an_image_is_left_to_the_reader(session, said):
    _, calls = asked(session, said)
    assert "look_at_image" not in tools(calls)
