"""What an agent did about a task: its calls, its reply, and where it left the session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from copilot.bench.check.aspects import touched
from state.codec import from_json, to_json
from state.log import Event, Outcome
from state.model import State

if TYPE_CHECKING:
    from copilot.session import Answer


@dataclass(frozen=True)
class Made:
    """A call that was made, and what came of it."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)
    ok: bool = True
    text: str = ""
    """Its observation; where it failed, why."""
    data: dict[str, Any] = field(default_factory=dict)
    """Its result as plain values."""
    touched: tuple[str, ...] = ()
    """The aspects of the state that it changed (copilot/bench/check/aspects.py)."""


@dataclass(frozen=True)
class Run:
    """One attempt at a task, as it is graded and stored."""

    calls: tuple[Made, ...] = ()
    reply: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    """The state at the end, as the JSON of the state."""
    outcome: Outcome = "done"
    tokens: int = 0
    seconds: float = 0.0
    rounds: int | None = None
    """How often the model answered; None where nobody counted."""
    malformed: int = 0
    """Calls whose arguments were no JSON object: the session never saw them."""

    @classmethod
    def of(cls, answer: Answer, start: State) -> Run:
        """The run that a session's answer is; `start` is the state before the request."""
        return cls(
            calls=made_of(answer.calls, start),
            reply=answer.reply,
            state=to_json(answer.state),
            outcome=answer.outcome,
            tokens=answer.tokens,
            seconds=answer.seconds,
            rounds=answer.rounds,
            malformed=answer.malformed_calls,
        )

    def to_json(self) -> dict[str, Any]:
        """The run as plain JSON values."""
        plain = asdict(self)
        plain["calls"] = [{**each, "touched": list(each["touched"])} for each in plain["calls"]]
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Run:
        """The run that `to_json` wrote."""
        calls = tuple(Made(**{**each, "touched": tuple(each["touched"])}) for each in plain["calls"])
        return cls(**{**plain, "calls": calls})


def made_of(events: tuple[Event, ...], start: State) -> tuple[Made, ...]:
    """The calls that a session has on record; `start` is the state before the first."""
    before, calls = start, []
    for event in events:
        after = before if event.state is None else from_json(event.state)
        changed = touched(before, after)
        calls.append(Made(event.tool, dict(event.args), event.ok, event.text, dict(event.data), changed))
        before = after
    return tuple(calls)
