"""How a request ended, read off its turn: the public result of `copilot ask`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from state.codec import digest, to_json
from state.log import Event, Outcome, Turn
from state.model import State


@dataclass(frozen=True)
class Answer:
    """How a request ended: the public result of `copilot ask`."""

    request: str
    reply: str
    calls: tuple[Event, ...]
    state: State
    outcome: Outcome
    seconds: float
    tokens: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    """None where no price is known."""
    rounds: int | None = None
    """How often the model answered; None on records from before that was counted."""
    malformed_calls: int = 0
    """Calls whose arguments were no JSON object; they are not among `calls`."""
    estimated_tokens: int = 0
    """Of answers whose server counts none, and not among `tokens`."""

    def to_json(self) -> dict[str, Any]:
        """The result as plain JSON values; `usage` is there when the model's server reported any."""
        usage = {"prompt_tokens": self.prompt_tokens, "completion_tokens": self.completion_tokens}
        cost = {} if self.cost_usd is None else {"cost_usd": round(self.cost_usd, 6)}
        return {
            "reply": self.reply,
            "calls": [call_to_json(each, number) for number, each in enumerate(self.calls, 1)],
            "state": to_json(self.state),
            "state_hash": digest(self.state),
            "outcome": self.outcome,
            "seconds": round(self.seconds, 4),
            "tokens": self.tokens,
            **({"usage": usage | cost} if self.tokens else {}),
        }


def call_to_json(event: Event, number: int = 1) -> dict[str, Any]:
    """One call as the public result shows it; its `number` in the turn is what references in replies name."""
    return {
        "number": number,
        "tool": event.tool,
        "args": event.args,
        "ok": event.ok,
        "error": None if event.ok else event.text,
        "observation": event.text,
    }


def answer_of(turn: Turn, state: State) -> Answer:
    """How that turn ended, in that state."""
    reply = turn.reply
    spent = reply.data if reply else {}
    return Answer(
        request=turn.request or "",
        reply=reply.text if reply else "",
        calls=turn.calls,
        state=state,
        outcome=(reply.outcome if reply else None) or "failed",
        seconds=reply.seconds if reply else 0.0,
        tokens=reply.tokens if reply else 0,
        prompt_tokens=spent.get("prompt_tokens", 0),
        completion_tokens=spent.get("completion_tokens", 0),
        cost_usd=spent.get("cost_usd"),
        rounds=spent.get("rounds"),
        malformed_calls=spent.get("malformed_calls", 0),
        estimated_tokens=spent.get("estimated_tokens", 0),
    )
