"""A model that calls wrongly: nothing wrong is run, and the model is told what would have been right."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copilot.agents import NAMES
from copilot.session import Session
from tests.copilot.reality.conftest import Turn, told_after
from tests.copilot.reality.player import FORMS, Player, form_asked
from tests.openai_server import Asked, Reply, Says, calls, says
from tests.suite.walking import share

RIGHT = calls(("zoom_map", {"level": 4}))

WRONG: dict[str, tuple[tuple[str, Any], str]] = {
    "unknown tool": (
        ("zoom_mapp", {"level": 4}),
        "There is no tool 'zoom_mapp'. Did you mean zoom_map",
    ),
    "no name": (("", {"level": 4}), "There is no tool ''."),
    "a sentence for a name": (("please zoom the map", {}), "There is no tool 'please zoom the map'."),
    "wrong type": (("zoom_map", {"level": "near"}), "zoom_map cannot take 'near' as 'level'"),
    "wrong argument": (
        ("zoom_map", {"levle": 4}),
        "zoom_map has no argument 'levle'. Did you mean 'level'? Its arguments: place, level, delta.",
    ),
    "missing argument": (("db_load", {}), "db_load needs the argument 'names'."),
    "unknown handle": (("remove_layer", {"layer": "layer-7"}), "layer-7"),
    "unknown data set": (("db_load", {"names": ["atlantis"]}), "xview1"),
    "a nested bomb": (("zoom_map", {"level": [[[[[[[[[[4]]]]]]]]]]}), "zoom_map cannot take"),
    "infinity": (("zoom_map", '{"level": 1e999}'), "zoom_map cannot take"),
    "a path outside": (("db_ingest", {"path": "/proc/self/environ"}), "environ"),
}
BROKEN = {
    "cut off": '{"level": ',
    "no JSON": "level=4",
    "a list": "[4]",
    "a string": '"4"',
    "null": "null",
    "nested too deep": '{"level":' + "[" * 50_000,
    "two objects": '{"level": 4}{"level": 5}',
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_call_goes_back_with_what_is_wrong(
    turn: Turn, session: Session, streamed: bool, wrong: str
) -> None:
    call, said = WRONG[wrong]
    server, answer = turn(Player([calls(call), RIGHT]))
    assert (answer.outcome, answer.reply) == ("done", "Done.") and session.state.map.zoom == 4.0
    assert [event.ok for event in answer.calls] == [False, True]
    [told] = told_after(server, 1)
    assert set(told) == {"call", "error"} and said in told["error"]


@pytest.mark.parametrize(
    ("agent", "wrong"),
    [*((agent, "unknown tool") for agent in NAMES), ("react", "wrong type"), ("react", "wrong argument")],
)
def test_every_agent_tells_its_model_the_nearest_names(
    turn: Turn, session: Session, streamed: bool, agent: str, wrong: str
) -> None:
    call, said = WRONG[wrong]
    server, answer = turn(Player([calls(call), RIGHT]), agent=agent)
    assert (answer.outcome, answer.reply) == ("done", "Done.") and session.state.map.zoom == 4.0
    assert [event.ok for event in answer.calls] == [False, True]
    sent = [str(each.get("content")) for asked in server.asked for each in asked["messages"]]
    assert any(said in json.loads(text).get("error", "") for text in sent if text.startswith('{"call"'))


@pytest.mark.parametrize(
    ("agent", "broken"),
    [*((agent, "cut off") for agent in NAMES), *(("direct", broken) for broken in BROKEN)],
)
def test_arguments_that_are_no_json_object_go_back_to_be_written_right(
    turn: Turn, session: Session, streamed: bool, agent: str, broken: str
) -> None:
    player = Player([calls(("zoom_map", BROKEN[broken])), RIGHT])
    server, answer = turn(player, agent=agent)
    assert (answer.outcome, answer.reply) == ("done", "Done.") and session.state.map.zoom == 4.0
    assert [(event.tool, event.ok) for event in answer.calls] == [("zoom_map", True)]
    sent = [str(each.get("content")) for asked in server.asked for each in asked["messages"]]
    assert "The arguments of zoom_map are no JSON object; send the call again, written right." in sent


@pytest.mark.parametrize("arguments", ["", " "])
def test_a_call_without_arguments_may_come_without_an_object(
    turn: Turn, session: Session, streamed: bool, arguments: str
) -> None:
    _, answer = turn(calls(("reset_map", arguments)), says("There."))
    assert answer.outcome == "done" and [(each.tool, each.ok) for each in answer.calls] == [
        ("reset_map", True)
    ]


@pytest.mark.parametrize("agent", NAMES)
def test_several_calls_at_once_are_each_answered(
    turn: Turn, session: Session, streamed: bool, agent: str
) -> None:
    both = calls(("zoom_map", {"level": 4}), ("fly_to", {}), ("db_load", {"names": ["xview1"]}))
    server, answer = turn(Player([both]), agent=agent)
    made = [(event.tool, event.ok) for event in answer.calls]
    every = [("zoom_map", True), ("fly_to", False), ("db_load", True)]
    assert made == (every[:1] if agent == "react" else every)  # react looks at each before the next
    for asked in server.asked:
        check_answered(asked)
    assert answer.outcome == "done" and session.state.map.zoom == 4.0


@pytest.mark.parametrize("agent", NAMES)
def test_what_is_said_beside_a_call_is_a_thought_and_no_answer(
    turn: Turn, session: Session, streamed: bool, agent: str
) -> None:
    beside = calls(("zoom_map", {"level": 4}), text="First I zoom in.")
    _, answer = turn(Player([beside], answer=says("It is zoomed in.")), agent=agent)
    assert (answer.outcome, answer.reply) == ("done", "It is zoomed in.") and session.state.map.zoom == 4.0
    assert "First I zoom in." in [event.text for event in session.events if event.kind == "thought"]


@pytest.mark.parametrize("agent", NAMES)
def test_a_model_that_only_calls_what_there_is_not_is_stopped(
    turn: Turn, session: Session, streamed: bool, agent: str
) -> None:
    _, answer = turn(Player(answer=calls(("fly_to", {"place": "Mars"}))), agent=agent)
    assert (answer.outcome, answer.reply) == (
        "failed",
        "Stopped: the same call came again without any effect.",
    )
    assert [event.tool for event in answer.calls] == ["fly_to", "fly_to"] and session.state.map.zoom == 2.0


@pytest.mark.parametrize("agent", NAMES)
def test_a_model_that_never_writes_json_is_stopped_too(
    turn: Turn, session: Session, streamed: bool, agent: str
) -> None:
    _, answer = turn(Player(answer=calls(("zoom_map", '{"level": '))), agent=agent, steps=6)
    assert (answer.outcome, answer.reply) == (
        "failed",
        "Stopped after 6 calls without an answer; what was done so far stands.",
    )
    assert answer.calls == () and session.state.map.zoom == 2.0


BAD_FORMS: dict[str, Says] = {
    "words instead of the form": says("I would rather talk."),
    "another call instead": calls(("clear_layers", {"keep_drawings": False})),
    "broken JSON": calls(*((name, '{"thought": ') for name in FORMS)),
    "the wrong types": calls(
        *((name, {"calls": 7, "modules": "map", "right": "so", "tasks": 1}) for name in FORMS)
    ),
    "unknown names": calls(
        ("submit_plan", {"calls": [{"tool": "fly_to"}]}),
        ("submit_modules", {"modules": [{"module": "engine", "task": "x"}]}),
        ("submit_task_types", {"tasks": ["flying"]}),
    ),
}


@pytest.mark.parametrize(
    ("agent", "bad"),
    [
        (agent, bad)
        for n, bad in enumerate(BAD_FORMS)
        for agent in share(["cot", "chameleon", "reflexion", "rs-agent"], n, of=2)
    ],
)
def test_an_agent_whose_form_is_not_filled_in_goes_on_without_it(
    turn: Turn, session: Session, streamed: bool, agent: str, bad: str
) -> None:
    player = Player([RIGHT])

    def never_fills_in(asked: Asked) -> Reply:
        said = BAD_FORMS[bad]
        assert isinstance(said, Reply)
        return said if form_asked(asked) else player(asked)

    session.call("db_load", names=["xview1"])
    session.call("cluster_plot")
    server, answer = turn(never_fills_in, agent=agent)
    assert (answer.outcome, answer.reply) == ("done", "Done.") and session.state.map.zoom == 4.0
    assert [layer.kind for layer in session.state.map.layers] == ["clusters"]
    assert [(event.tool, event.ok) for event in answer.calls] == [("zoom_map", True)]
    for asked in server.asked:
        check_answered(asked)


def test_a_plan_that_names_an_unknown_tool_goes_back_with_the_nearest(
    turn: Turn, session: Session, streamed: bool
) -> None:
    plans = [[{"tool": "zoom_mapp", "args": {"level": 4}}], [{"tool": "zoom_map", "args": {"level": 4}}]]
    scripts = [calls(("submit_plan", {"thought": "", "calls": plan})) for plan in plans]
    server, answer = turn(*scripts, says("Done."), agent="cot")
    [told] = [each["content"] for each in server.last_told(1)]
    assert told.startswith("There is no tool 'zoom_mapp'. Did you mean zoom_map")
    assert [(event.tool, event.ok) for event in answer.calls] == [("zoom_map", True)]


def check_answered(asked: Asked) -> None:
    """Every call in a prompt has exactly one answer: a server refuses a prompt where one has none."""
    made = [call["id"] for each in asked["messages"] for call in each.get("tool_calls") or ()]
    answered = [each["tool_call_id"] for each in asked["messages"] if each["role"] == "tool"]
    assert sorted(made) == sorted(answered)
