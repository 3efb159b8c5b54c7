"""The Reflexion agent (Shinn et al. 2023, arXiv:2303.11366): try, reflect on the trace, try again."""

from __future__ import annotations

from collections.abc import Generator

from copilot.agents.forms import ReflectionForm, fill_in
from copilot.agents.turn import Ended, OpenTurn, Steps
from copilot.prompts import aside, call_message
from state.log import Event

_REFLECT = (
    "That was your first try; it ended as '{outcome}'. Look at the request, your calls and what they came "
    "back with, and submit your reflection."
)
_AGAIN = "What the first try did is taken back. Try again: {instead}"


def steps(turn: OpenTurn) -> Steps:
    """One try; where the model finds it wanting, what it did is undone and there is a second."""
    before = turn.session.hash
    first = yield from _attempt(turn)
    if first.for_good:
        return first
    turn.said.append(aside(_REFLECT.format(outcome=first.outcome)))
    try:
        reflection = yield from fill_in(turn, ReflectionForm)
    except Ended as end:
        # The budget or the model ended here: what the first try came to is still the answer.
        return end if end.outcome == "stopped" else first
    if reflection is None or reflection.right:
        return first
    thought = " ".join(part for part in (reflection.what_failed, reflection.why, reflection.instead) if part)
    yield turn.think(thought)
    if not reflection.again or not (yield from _taken_back(turn, before)):
        return first
    turn.said.append(aside(_AGAIN.format(instead=reflection.instead)))
    turn.try_again()
    return (yield from _attempt(turn))


def _attempt(turn: OpenTurn) -> Steps:
    try:
        return turn.answered((yield from turn.converse()))
    except Ended as end:
        return end


def _taken_back(turn: OpenTurn, before: str) -> Generator[Event, None, bool]:
    """Undo what the try did; False, with the state as the try left it, where the session's undo cannot.

    It cannot when the try went through the history itself, or when somebody else acted in between.
    """
    if turn.session.hash == before:
        return True
    for tool in ("undo", "redo"):
        turn.said.append(call_message(tool, {}, f"take-back-{tool}"))
        event = turn.call(tool, {}, f"take-back-{tool}")
        yield event
        if not event.ok or tool == "redo":
            return False
        if turn.session.hash == before:
            return True
    return False
