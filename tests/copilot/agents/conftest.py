"""What the tests of all agents share: a turn by a scripted model, and a record that must be whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from copilot.session import Answer, Session
from state.codec import digest
from state.log import Event
from tests.copilot.scripted import Said, Scripted, calls


@dataclass(frozen=True)
class Went:
    """How a turn went: what the model heard, and what is on record."""

    model: Scripted
    events: list[Event]
    answer: Answer

    @property
    def tools(self) -> list[str]:
        """The calls, in order."""
        return [each.tool for each in self.events if each.kind == "call"]

    @property
    def thoughts(self) -> list[str]:
        """What went on record beside the calls."""
        return [each.text for each in self.events if each.kind == "thought"]

    @property
    def ended(self) -> tuple[str, str]:
        """The outcome and the reply."""
        return self.answer.outcome, self.answer.reply


def go(session: Session, agent: str, *says: Said, **options: Any) -> Went:
    """One turn of an agent by a model that says those things; afterwards the record must be whole."""
    model = Scripted(*says)
    events = list(session.stream("Go on.", agent=agent, model=model, **options))
    check_whole(session)
    return Went(model, events, session.answer())


def check_whole(session: Session) -> None:
    """The store, the object and a replay agree; the last turn has its request and its reply."""
    again = Session.open(session.id, engine=session.engine)
    assert (again.events, again.state) == (session.events, session.state)
    assert digest(session.replay()) == session.hash == digest(session.state)
    last = next(turn for turn in reversed(session.turns) if turn.request is not None)
    assert last.reply is not None and not last.interrupted


def form(name: str, **filled: Any) -> AIMessage:
    """A form filled in."""
    return calls((f"submit_{name}", filled))


def told(heard: list[BaseMessage]) -> list[str]:
    """The texts that a model was told, without the first, which holds the rules and the state."""
    return [each.text for each in heard[1:]]
