"""The conversation as the chat shows it."""

from __future__ import annotations

from copilot.session import Session
from copilot.view.transcript import (
    as_python,
    call_text,
    calls_summary,
    conversation,
    duration,
    price,
    spent,
    turn_card,
    turn_summary,
)
from state.log import Event, Turn

AT = "2026-11-20T12:00:00.000+00:00"


def test_a_turn_shows_its_request_its_calls_and_its_reply(session: Session):
    session.ask("load xview1 and show it as clusters")
    found = conversation(session.turns, session.state, running=False)
    (turn,) = found["turns"]
    assert turn["request"] == "load xview1 and show it as clusters"
    assert [call["call"] for call in turn["calls"]] == ['db_load(names=["xview1"])', "cluster_plot()"]
    assert [(call["number"], call["ok"], call["layer"]) for call in turn["calls"]] == [
        (1, True, None),
        (2, True, "clusters"),
    ]
    assert turn["reply"] and turn["outcome"] == "done" and not turn["interrupted"]


def test_a_turn_without_a_reply_is_running_or_was_interrupted(session: Session):
    session.begin("load xview1", "chat")
    assert conversation(session.turns, session.state, running=True)["turns"][0]["running"] is True
    stopping = conversation(session.turns, session.state, running=True, stopping=True)["turns"][0]
    assert (stopping["running"], stopping["stopping"]) == (True, True)
    stopped = conversation(session.turns, session.state, running=False)["turns"][0]
    assert (stopped["running"], stopped["interrupted"]) == (False, True)


def test_a_thumb_shows_at_the_turn_it_rates_and_is_no_turn_of_its_own(session: Session):
    session.ask("load xview1")
    session.call("record_feedback", rating="up", turn=1)
    session.call("record_feedback", rating="down", turn=1, note="no")
    found = conversation(session.turns, session.state, running=False)["turns"]
    assert [(turn["turn"], turn["rating"]) for turn in found] == [(1, "down")]


def test_a_question_stands_with_its_choices_until_it_is_answered(session: Session):
    session.call("ask_user", question="Which one?", choices=["A", "B"])
    question = conversation(session.turns, session.state, running=False)["question"]
    assert question == {"text": "Which one?", "choices": ["A", "B"]}
    session.call("db_load", names=["xview1"])
    assert conversation(session.turns, session.state, running=False)["question"] is None


def test_the_calls_are_python_that_makes_them_again(session: Session, monkeypatch):
    session.ask("load xview1")
    session.call("filter_coords", bbox=[-80.5, 40, -79, 41])
    session.call("no_such_tool")
    source = as_python(session.events)
    again = Session.open(engine=session.engine)
    monkeypatch.setattr("copilot.Session.open", lambda: again)
    exec(compile(source, "copied", "exec"), {})
    assert again.state == session.state


def test_calls_and_times_are_written_short():
    assert call_text("filter_class", {"classes": ["farmer's <market>", 'a "b"']}) == (
        'filter_class(classes=["farmer\'s <market>", "a \\"b\\""])'
    )
    assert [duration(each) for each in (0.0004, 0.012, 0.94, 3.21)] == ["0.4 ms", "12 ms", "940 ms", "3.2 s"]
    assert calls_summary(()) == ""


def thinking(seq: int, text: str, **spent: float) -> Event:
    return Event(seq, 1, "thought", AT, text=text, data=dict(spent))


def test_thoughts_stand_beside_the_calls_with_their_place_in_the_order() -> None:
    call = Event(3, 1, "call", AT, tool="zoom_map", args={"level": 4}, seconds=0.2)
    thoughts = (thinking(2, "First I zoom."), thinking(4, " "), thinking(5, "x" * 9000))
    card = turn_card(Turn(1, "zoom", (call,), None, thoughts), running=True)
    assert [each["seq"] for each in card["calls"]] == [3]
    assert card["thoughts"] == [{"seq": 2, "text": "First I zoom."}, {"seq": 5, "text": "x" * 4000}]


def test_the_work_of_a_turn_is_summed_up_with_what_it_has_cost_so_far() -> None:
    call = Event(3, 1, "call", AT, tool="zoom_map", seconds=0.2)
    first = thinking(2, "First I zoom.", prompt_tokens=1200, completion_tokens=40)
    priced = thinking(4, "", prompt_tokens=2400, completion_tokens=81, cost_usd=0.0123)
    reply = Event(5, 1, "reply", AT, text="Done.", tokens=3000, data={"cost_usd": 0.25})
    assert turn_summary(Turn(1, "zoom", (), None)) == ""
    assert turn_summary(Turn(1, "zoom", (), None, (first,))) == "1 thought · 1,240 tokens"
    assert turn_summary(Turn(1, "zoom", (call,), None, (first, priced))) == (
        "1 call · 200 ms · 2,481 tokens · $0.0123"
    )
    assert turn_summary(Turn(1, "zoom", (call,), reply, (first, priced))) == (
        "1 call · 200 ms · 3,000 tokens · $0.25"
    )


def test_an_answer_that_cost_no_tokens_says_nothing_of_them(session: Session) -> None:
    session.ask("load xview1")
    assert spent(session.turns[-1]) == "" and "token" not in turn_summary(session.turns[-1])


def test_prices_are_written_as_finely_as_they_matter() -> None:
    assert [price(each) for each in (0.0, 0.00002, 0.00031, 0.0999, 0.1, 12.5, 1234.5)] == [
        "$0",
        "under $0.0001",
        "$0.0003",
        "$0.0999",
        "$0.10",
        "$12.50",
        "$1,234.50",
    ]
