"""The event log: the history of a session, and what it adds up to.

A turn is what undo undoes: one request with all its calls, or one call made outside a request (a
click, a command). Events are only ever appended; an undo is an event too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from state.codec import digest, from_json
from state.model import State

START = State()
"""What every session begins with."""

Outcome = Literal["done", "asked", "rejected", "failed", "stopped"]


@dataclass(frozen=True)
class Event:
    """One line of the log."""

    seq: int
    """1.. within the session."""
    turn: int
    """1.. within the session."""
    kind: Literal["request", "call", "thought", "reply"]
    at: str
    """ISO 8601, UTC."""
    text: str = ""
    """The request, the call's observation, what the model thinks beside its calls, or the reply."""
    source: str = ""
    """Who acted: chat, page, cli, script, bench."""
    tool: str = ""
    args: dict[str, Any] = field(default_factory=dict)
    ok: bool = True
    outside: bool = False
    """Whether what it came to is something outside's, as where a disk is full, or a server of somebody else
    answered: it is not run again, and taken from the record."""
    data: dict[str, Any] = field(default_factory=dict)
    """The call's result as plain values: what an answer may quote. Of a thought and a reply: what the
    turn has cost so far, as `Usage.to_json` gives it."""
    state: dict[str, Any] | None = None
    """The state after the call, where the call changed it."""
    hash: str = ""
    """The hash of the state after the call."""
    seconds: float = 0.0
    outcome: Outcome | None = None
    tokens: int = 0


@dataclass(frozen=True)
class Turn:
    """The events of one turn, seen as request, calls and reply."""

    number: int
    request: str | None
    calls: tuple[Event, ...]
    reply: Event | None
    thoughts: tuple[Event, ...] = ()

    @property
    def interrupted(self) -> bool:
        """True when the process ended before the turn did."""
        return self.request is not None and self.reply is None


@dataclass(frozen=True)
class History:
    """Where undo and redo lead: states by turn, oldest first, the nearest last."""

    present: State
    past: tuple[State, ...] = ()
    future: tuple[State, ...] = ()


class ReplayDiverged(Exception):
    """A call that no longer ends in the state on record."""

    def __init__(self, event: Event, reached: str) -> None:
        super().__init__(
            f"Call {event.seq} ({event.tool}) ended in state {reached[:12]}, on record is {event.hash[:12]}."
        )
        self.event = event


class ReplayCutOff(Exception):
    """A replay that something outside cut off: it says nothing about the record."""

    def __init__(self, event: Event, reason: str) -> None:
        super().__init__(f"The replay was cut off at call {event.seq} ({event.tool}): {reason}")
        self.event = event


class UnknownTurn(Exception):
    """The session has no turn of that number."""

    def __init__(self, asked: int, last: int) -> None:
        super().__init__(f"The session has no turn {asked}; there are 0 (its start) to {last}.")


def turns(events: Iterable[Event]) -> tuple[Turn, ...]:
    """The log cut into turns, in order."""
    found: dict[int, Turn] = {}
    for event in events:
        turn = found.get(event.turn, Turn(event.turn, None, (), None))
        if event.kind == "request":
            turn = replace(turn, request=event.text)
        elif event.kind == "call":
            turn = replace(turn, calls=(*turn.calls, event))
        elif event.kind == "thought":
            turn = replace(turn, thoughts=(*turn.thoughts, event))
        else:
            turn = replace(turn, reply=event)
        found[event.turn] = turn
    return tuple(found.values())


def history(events: Sequence[Event], start: State = START) -> History:
    """What the log adds up to. An undo takes back the last turn that changed the state."""
    fold = Fold(start)
    for event in events:
        fold.take(event)
    return fold.history()


def until(events: Sequence[Event], turn: int) -> tuple[Event, ...]:
    """The log up to the end of that turn; nothing for turn 0. Raises UnknownTurn.

    What others did before the turn ended is part of it: its last state was reached with that.
    """
    if turn == 0:
        return ()
    ends = [index for index, event in enumerate(events, 1) if event.turn == turn]
    if not ends:
        raise UnknownTurn(turn, max((event.turn for event in events), default=0))
    return tuple(events[: ends[-1]])


def state_after(events: Sequence[Event], turn: int, start: State = START) -> State | None:
    """The state at the end of that turn; None when there is no such turn."""
    if not any(event.turn == turn for event in events):
        return None
    states = (event.state for event in reversed(until(events, turn)))
    last = next((state for state in states if state is not None), None)
    return start if last is None else from_json(last)


def replay(
    start: State,
    events: Iterable[Event],
    run: Callable[[State, Event, Sequence[Event]], State],
) -> State:
    """Run every recorded call again, stopping at the first that no longer comes out the same.

    `run` gets the state before the call, the recorded event, and the events before it.
    """
    state = start
    before: list[Event] = []
    for event in events:
        if event.kind == "call":
            state = run(state, event, tuple(before))
            if (reached := digest(state)) != event.hash:
                raise ReplayDiverged(event, reached)
        before.append(event)
    return state


class Fold:
    """The running sum of a log. Segments end where a turn ends and around every history call."""

    def __init__(self, start: State = START) -> None:
        self.present = start
        self._past: list[State] = []
        self._future: list[State] = []
        self._segment_start = start
        self._turn = 0

    def take(self, event: Event, after: State | None = None) -> None:
        """Add one event. `after` is its state where the caller has it at hand: reading it costs."""
        if event.turn != self._turn:
            self._close_segment()
            self._turn = event.turn
        if event.state is None:
            return
        after = from_json(event.state) if after is None else after
        if event.tool in ("undo", "redo"):
            self._close_segment()
            taken, given = (self._past, self._future) if event.tool == "undo" else (self._future, self._past)
            taken.pop()
            given.append(self.present)
            self._segment_start = after
        self.present = after

    def history(self) -> History:
        """What it adds up to so far."""
        if self._segment_is_open():
            return History(self.present, (*self._past, self._segment_start), ())
        return History(self.present, tuple(self._past), tuple(self._future))

    def _segment_is_open(self) -> bool:
        return _lasting(self.present) != _lasting(self._segment_start)

    def _close_segment(self) -> None:
        if self._segment_is_open():
            self._past.append(self._segment_start)
            self._future.clear()
        self._segment_start = self.present


def _lasting(state: State) -> State:
    """The state without what was only said: nobody means a question or a notice by "undo"."""
    if state.ui.question is None and state.ui.notice is None:
        return state
    return state.with_ui(question=None, notice=None)
