"""What is counted of the router, of always a tool and of never a tool."""

from __future__ import annotations

import pytest

from copilot.vague.chatting import Turns, chatted, count, tasks_of
from copilot.vague.measuring import measure
from copilot.vague.questions import Question
from state.log import Event

QUESTIONS = (
    Question("q1", "contour", "me", ("only the outlines, please",), "marina-256-17100002", ["contour"], {}),
    Question(
        "q2", "region", "me", ("hello", "what's in the left half"), "marina-256-17100002", ["water"], {}
    ),
)


def test_three_policies_are_counted_from_one_look_each(tmp_path):
    found = {name: figures.as_json() for name, figures in measure(QUESTIONS, tmp_path).items()}
    told = {
        name: [each[key] for key in ("intent", "answered_directly", "needless_calls", "missed_calls")]
        for name, each in found.items()
    }
    assert told == {
        "router": [1.0, 0.5, 0, 0],
        "always": [1.0, 0.0, 1, 0],
        "never": [1.0, 1.0, 0, 1],
    }
    assert [each["right_expert_of_dense"] for each in found.values()] == [1.0, 1.0, 0.0]
    assert found["router"]["intent_in_two_turns"] == 1.0
    assert set(found["router"]["reward_by_task"]) == {"region"}


def test_an_expert_that_is_run_is_graded_by_the_same_reward(tmp_path):
    figures = measure(QUESTIONS[:1], tmp_path, run=lambda question, wish, files: (["contour"], 0.5))["router"]
    assert (figures.as_json()["reward_by_task"], figures.expert_seconds) == ({"contour": 1.0}, [0.5])


def call(tool: str, **args: object) -> Event:
    return Event(1, 1, "call", "", tool=tool, args=args, ok=True)


LOOKED = call("look_at_image", image="r1", measure=["scene", "objects"])
EDGES, FOUND, UNDO = call("edge_detection"), call("optical_detection"), call("undo")


def test_what_a_turn_did_is_read_off_its_calls():
    cover = call("look_at_image", image="r1", measure=["cover"])
    assert [tasks_of(each) for each in ([LOOKED], [cover], [LOOKED, EDGES], [])] == [
        {"counting"}, {"region"}, {"contour"}, frozenset(),
    ]  # fmt: skip


def test_needless_missed_and_corrected_calls_of_turns_are_counted():
    found = Turns()
    boats = Question("q", "counting", "me", ("busy?",), "x", 3, {})
    lines = Question("q", "contour", "me", ("lines",), "x", ["contour"], {})
    mark = Question("q", "detection", "me", ("mark them",), "x", [[1, 2, 3, 4]], {})
    count(found, boats, [LOOKED], "done")
    count(found, boats, [call("object_count")], "done")
    count(found, lines, [LOOKED, call("ask_user")], "asked")
    count(found, mark, [LOOKED, FOUND, UNDO, call("rotated_object_detection")], "done")
    told = found.as_json()
    assert {name: told[name] for name in ("intent_by_task", "answered_directly", "needless_calls",
                                          "missed_calls", "asked_back", "corrected")} == {
        "intent_by_task": {"counting": 1.0, "contour": 0.0, "detection": 1.0}, "answered_directly": 0.25,
        "needless_calls": 1, "missed_calls": 1, "asked_back": 1, "corrected": 1,
    }  # fmt: skip
    assert found.one_expert == [False, True]


def test_whole_turns_are_asked_in_sessions(engine, tmp_path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COPILOT_READER", "interpreter")
    told = chatted(QUESTIONS[:1], tmp_path, engine).as_json()
    assert (told["intent"], told["missed_calls"], told["right_expert_of_dense"]) == (1.0, 0, 1.0)
    assert told["seconds_by"]["first"]["turns"] == 1 and told["seconds_mean"] > 0
