"""The direct agent: whatever a model does, the turn ends with a reply on record and a whole state."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from copilot.agents import UnknownAgent, get_agent
from copilot.agents.budget import Budget
from copilot.planner.model import EmbeddedPlanner
from copilot.session import Session
from state.codec import digest
from state.log import Event
from state.model import MapState, Question, State
from tests.copilot.scripted import Said, Scripted, calls

NO_ANSWER = "The model could not be reached or did not answer properly. Nothing was lost; try again."


def run(session: Session, *says: Said, **options: Any) -> tuple[Scripted, list[Event]]:
    """One turn by a model that says those things; afterwards the record must be whole."""
    model = Scripted(*says)
    events = list(session.stream("Go on.", model=model, **options))
    check_whole(session)
    return model, events


def check_whole(session: Session) -> None:
    """The store, the object and a replay agree; the last turn has its request and its reply."""
    again = Session.open(session.id, engine=session.engine)
    assert (again.events, again.state) == (session.events, session.state)
    assert digest(session.replay()) == session.hash == digest(session.state)
    last = next(turn for turn in reversed(session.turns) if turn.request is not None)
    assert last.reply is not None and not last.interrupted


def ended(session: Session) -> tuple[str | None, str]:
    reply = session.turns[-1].reply
    assert reply is not None
    return reply.outcome, reply.text


def zoomed(level: float) -> State:
    return State(map=MapState(zoom=level))


def test_calls_are_made_until_the_model_answers(session: Session) -> None:
    _, events = run(
        session, calls(("zoom_map", {"level": 4})), calls(("zoom_map", {"level": 5})), AIMessage("There.")
    )
    assert [event.kind for event in events] == ["request", "call", "call", "reply"]
    assert {event.turn for event in events} == {1} and {event.source for event in events[:3]} == {"chat"}
    assert ended(session) == ("done", "There.") and session.state == zoomed(5.0)


def test_the_model_hears_the_rules_the_request_and_what_each_call_came_to(session: Session) -> None:
    model, _ = run(
        session, calls(("zoom_map", {"level": 4}), ("zoom_map", {"level": "near"})), AIMessage("There.")
    )
    first, second = model.heard
    assert [message.type for message in first] == ["system", "human"] and first[1].text == "Go on."
    assert [message.type for message in second] == ["system", "human", "ai", "tool", "tool"]
    told = [message for message in second if isinstance(message, ToolMessage)]
    assert [(each.status, each.tool_call_id) for each in told] == [("success", "c0"), ("error", "c1")]
    assert '"zoom":2' in first[0].text and '"zoom":4' in second[0].text
    shown = {each["function"]["name"] for each in model.tools}
    assert {"db_load", "ask_user", "reject_task", "find_tools"} < shown
    assert shown - {"find_tools"} < {each.name for each in session.engine.toolbox}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("fly_to", {"place": "Mars"}), "There is no tool 'fly_to'."),
        (("zoom_map", {"level": "near"}), "zoom_map cannot take 'near' as 'level'"),
        (("db_load", {}), "db_load needs the argument 'names'."),
    ],
)
def test_a_wrong_call_is_told_to_the_model_which_can_put_it_right(
    session: Session, wrong: tuple[str, dict[str, Any]], said: str
) -> None:
    model, events = run(session, calls(wrong), calls(("zoom_map", {"level": 4})), AIMessage("Put right."))
    assert [event.ok for event in events if event.kind == "call"] == [False, True]
    assert said in events[1].text and said in model.heard[1][-1].text
    assert ended(session) == ("done", "Put right.") and session.state == zoomed(4.0)


def test_arguments_that_are_no_json_are_sent_back_to_be_written_right(session: Session) -> None:
    unread = {
        "name": "zoom_map",
        "args": '{"level": ',
        "id": "c9",
        "error": None,
        "type": "invalid_tool_call",
    }
    broken = AIMessage("", invalid_tool_calls=[unread])
    model, _ = run(session, broken, calls(("zoom_map", {"level": 4})), AIMessage("There."))
    told = model.heard[1][-1]
    assert isinstance(told, ToolMessage) and (told.tool_call_id, told.status) == ("c9", "error")
    assert told.text == "The arguments of zoom_map are no JSON object; send the call again, written right."
    assert (session.answer().malformed_calls, session.answer().rounds) == (1, 3)
    assert ended(session) == ("done", "There.") and session.state == zoomed(4.0)


@pytest.mark.parametrize("same", [("map_state", {}), ("db_load", {"names": ["atlantis"]}), ("fly_to", {})])
def test_the_same_call_without_effect_is_stopped_the_second_time(
    session: Session, same: tuple[str, Any]
) -> None:
    _, events = run(session, calls(same))
    assert [event.kind for event in events] == ["request", "call", "call", "reply"]
    assert ended(session) == ("failed", "Stopped: the same call came again without any effect.")


def test_the_same_call_with_an_effect_each_time_is_no_circle(session: Session) -> None:
    session.call("zoom_map", level=4)
    session.call("zoom_map", level=5)
    run(session, calls(("undo", {}), ("redo", {}), ("undo", {})), AIMessage("There."))
    assert ended(session) == ("done", "There.") and session.state == zoomed(4.0)


def test_a_model_that_never_ends_is_stopped_after_so_many_calls(session: Session) -> None:
    def more(heard: list[BaseMessage]) -> AIMessage:
        return calls(*(("zoom_map", {"level": (len(heard) + n) % 20}) for n in range(7)))

    model, events = run(session, more)
    assert sum(event.kind == "call" for event in events) == Budget().steps
    told = [[each.text for each in heard if "more call" in each.text] for heard in model.heard]
    warned = (
        "2 more calls can be made in this turn. Finish with what you have, and answer: what is done, and "
        "what is left."
    )
    assert told[-2:] == [[warned], [warned]] and told[:-2] == [[]] * (len(told) - 2)
    assert ended(session) == (
        "failed",
        "Stopped after 30 calls without an answer; what was done so far stands.",
    )


def test_a_model_whose_calls_are_used_up_still_answers(session: Session) -> None:
    levels = [("zoom_map", {"level": level % 20}) for level in range(Budget().steps + 2)]
    model, events = run(session, calls(*levels), AIMessage("Zoomed 30 times."))
    assert sum(event.kind == "call" for event in events) == Budget().steps
    assert [each.text for each in model.heard[-1][-3:]] == [
        "Not run.",
        "Not run.",
        "No call is left in this turn. Answer now, in words: what is done, and what is left.",
    ]
    assert ended(session) == ("done", "Zoomed 30 times.")


def test_a_turn_that_takes_too_long_is_stopped(session: Session) -> None:
    run(session, calls(("zoom_map", {"level": 4})), budget=Budget(seconds=0.0))
    said = "Stopped after 0 s without an answer; what was done so far stands."
    assert ended(session) == ("failed", said) and session.state == State()


def test_a_question_ends_the_turn_and_stands(session: Session) -> None:
    asked = ("ask_user", {"question": "Which Paris?", "choices": ["Paris, France", "Paris, Texas"]})
    _, events = run(session, calls(asked, ("zoom_map", {"level": 9})))
    assert [event.kind for event in events] == ["request", "call", "reply"]
    outcome, reply = ended(session)
    assert outcome == "asked" and reply.startswith("Which Paris?")
    assert session.state.ui.question == Question("Which Paris?", ("Paris, France", "Paris, Texas"))


def test_a_question_is_closed_by_what_is_then_done(session: Session) -> None:
    run(session, calls(("ask_user", {"question": "Which one?"})))
    run(session, calls(("zoom_map", {"level": 4})), AIMessage("That one."))
    assert session.state == zoomed(4.0)


def test_a_refusal_ends_the_turn(session: Session) -> None:
    run(session, calls(("reject_task", {"reason": "There are no images of the Moon."})))
    assert ended(session) == ("rejected", "This cannot be done: There are no images of the Moon.")


def test_a_model_that_fails_leaves_what_was_done_and_a_sentence(
    session: Session, caplog: pytest.LogCaptureFixture
) -> None:
    run(session, calls(("zoom_map", {"level": 4})), ConnectionError("proxy.internal:8080 refused"))
    assert ended(session) == ("failed", NO_ANSWER) and session.state == zoomed(4.0)
    assert "proxy.internal:8080 refused" in caplog.text


def test_a_model_that_cannot_call_tools_leaves_a_sentence(session: Session) -> None:
    class Mute(Scripted):
        def bind_tools(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError("no tools here")

    session.ask("Go on.", model=Mute(AIMessage("x")))
    check_whole(session)
    assert ended(session) == ("failed", NO_ANSWER)


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_answer_is_no_answer(session: Session, text: str) -> None:
    run(session, AIMessage(text))
    assert ended(session) == ("failed", NO_ANSWER)


def test_a_stop_ends_the_turn_between_two_calls(session: Session) -> None:
    stop = threading.Event()
    session.listen(lambda event: stop.set() if event.tool == "zoom_map" else None)
    _, events = run(session, calls(("zoom_map", {"level": 4}), ("zoom_map", {"level": 5})), stop=stop)
    assert [event.kind for event in events] == ["request", "call", "reply"]
    assert ended(session) == ("stopped", "Stopped. What was done so far stands.")
    assert session.state == zoomed(4.0)


@pytest.mark.parametrize("read", [1, 2, 3])
def test_a_reader_that_goes_away_leaves_a_turn_that_is_closed(session: Session, read: int) -> None:
    model = Scripted(calls(("zoom_map", {"level": 4}), ("zoom_map", {"level": 5})), AIMessage("There."))
    stream = session.stream("Go on.", model=model)
    for _ in range(read):
        next(stream)
    stream.close()
    check_whole(session)
    assert ended(session)[0] == "stopped"
    assert session.state == (State(), zoomed(4.0), zoomed(5.0))[read - 1]


def test_a_turn_goes_on_while_somebody_else_clicks(session: Session) -> None:
    other = Session.open(session.id, engine=session.engine)

    def click(heard: list[BaseMessage]) -> AIMessage:
        other.call("db_load", names=["fmow"])
        return calls(("zoom_map", {"level": 4}))

    run(session, click, AIMessage("There."))
    assert session.state.database.loaded == ("fmow",) and session.state.map.zoom == 4.0
    assert [(turn.number, turn.request, len(turn.calls)) for turn in session.turns] == [
        (1, "Go on.", 1),
        (2, None, 1),
    ]


def test_the_tokens_a_model_reports_are_added_up(session: Session) -> None:
    first, last = calls(("zoom_map", {"level": 4})), AIMessage("There.")
    for message, total in ((first, 120), (last, 30)):
        message.usage_metadata = {"input_tokens": total - 10, "output_tokens": 10, "total_tokens": total}
    run(session, first, last)
    assert session.answer().tokens == 150


def test_an_agent_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(
        UnknownAgent,
        match=r"^There is no agent 'crew'\. Agents: direct, react, cot, chameleon, reflexion, rs-agent\.$",
    ):
        get_agent("crew")


def test_what_no_call_of_a_model_has_is_named_whatever_the_model_says(session: Session) -> None:
    model = Scripted(calls(("zoom_map", {"place": "Oslo"})), AIMessage("Here are both."))
    list(session.stream("zoom to Oslo and to Lisbon", agent="direct", model=model))
    assert ended(session) == ("done", "Here are both. No call used “Lisbon”.")


def test_nothing_is_named_where_every_value_is_in_a_call_or_nothing_was_called(session: Session) -> None:
    model = Scripted(calls(("zoom_map", {"place": "Oslo"})), AIMessage("There."), AIMessage("It is far."))
    list(session.stream("zoom to Oslo", agent="direct", model=model))
    assert ended(session) == ("done", "There.")
    list(session.stream("how far is Lisbon?", agent="direct", model=model))
    assert ended(session) == ("done", "It is far.")


def test_a_choice_that_a_tool_offered_goes_back_to_that_tool(session: Session) -> None:
    session.call("recommend_model", query="a model for floods")
    question = session.state.ui.question
    assert question is not None
    engine = session.engine
    silent = EmbeddedPlanner(planner=None, catalogue=engine.catalogue, gazetteer=engine.gazetteer)
    answer = session.ask(question.choices[0], model=silent)
    assert [(each.tool, each.args) for each in session.turns[-1].calls] == [
        ("recommend_model", {"query": question.choices[0]})
    ]
    assert answer.outcome == "asked"  # the next thing that it has to know
    assert session.state.ui.question not in (None, question)


def test_what_is_no_choice_is_read_as_a_request(session: Session) -> None:
    session.call("recommend_model", query="a model for floods")
    run(session, calls(("zoom_map", {"level": 4})), AIMessage("Zoomed."))
    assert session.state.map.zoom == 4.0 and session.state.ui.question is None
