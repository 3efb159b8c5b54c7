"""The conversation as the chat shows it."""

from __future__ import annotations

from copilot.session import Session
from copilot.view.transcript import as_python, call_text, calls_summary, conversation, duration


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
