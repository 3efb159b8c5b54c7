"""What a turn may cost, and what it has cost so far."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.utils import count_tokens_approximately


@dataclass(frozen=True)
class Budget:
    """The limits of one turn."""

    steps: int = 30
    """Calls, those that failed too."""
    tokens: int = 200_000
    """Prompt and completion together, over all that the model is asked."""
    seconds: float = 120.0
    """Wall-clock, also while a model hangs; without long work, whose end nobody can know."""


@dataclass(frozen=True)
class Usage:
    """Tokens as the model's server counts them, and their price where it is known."""

    prompt: int = 0
    completion: int = 0
    cost_usd: float | None = None

    @property
    def total(self) -> int:
        """Prompt and completion together."""
        return self.prompt + self.completion

    def to_json(self) -> dict[str, Any]:
        """As plain values; empty when nothing was reported, and no cost where no price is known."""
        if not self.total:
            return {}
        cost = {} if self.cost_usd is None else {"cost_usd": round(self.cost_usd, 6)}
        return {"prompt_tokens": self.prompt, "completion_tokens": self.completion, **cost}


@dataclass
class Spent:
    """What a turn has used of its budget."""

    budget: Budget = field(default_factory=Budget)
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    unreported: int = 0
    """Tokens of answers whose server reported none, estimated: they count against the budget only."""
    rounds: int = 0
    """How often the model answered."""
    unanswered: bool = False
    """Whether the turn ended because no model answered: its server failed, and the model was not heard."""
    malformed: int = 0
    """Calls whose arguments were no JSON object: they are no call of the session."""
    worked: float = 0.0
    """Seconds of long work, which shows how far it is and can be stopped: they do not count as time spent."""
    started: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """Since the turn began."""
        return time.perf_counter() - self.started

    @property
    def seconds_left(self) -> float:
        """Until the wall-clock budget is spent; never below zero."""
        return max(0.0, self.budget.seconds - (self.seconds - self.worked))

    def take(
        self,
        said: list[BaseMessage],
        answer: AIMessage,
        cost_usd: float | None,
        tools: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Add what one answer of a model has cost; `tools` were sent with the question."""
        self.rounds += 1
        reported = answer.usage_metadata
        if reported is None:
            self.unreported += count_tokens_approximately([*said, answer], tools=list(tools) or None)
            return
        known = self.usage.cost_usd
        # One answer without a price makes the sum unknown: part of a cost is not the cost.
        priced = None if cost_usd is None or (known is None and self.usage.total) else (known or 0.0)
        self.usage = Usage(
            self.usage.prompt + reported["input_tokens"],
            self.usage.completion + reported["output_tokens"],
            None if priced is None or cost_usd is None else priced + cost_usd,
        )

    def counts(self, here: bool) -> dict[str, int]:
        """What a turn's record keeps beside its tokens, without what is zero.

        `here`: the model answers in this process, and uses no tokens.
        """
        found = {
            "rounds": self.rounds,
            "unanswered": int(self.unanswered),
            "malformed_calls": self.malformed,
            "estimated_tokens": 0 if here else self.unreported,
        }
        return {name: count for name, count in found.items() if count}

    def over(self, *, calls: bool = True) -> str | None:
        """Which limit is reached, as the sentence that ends the turn; that of calls may be left out."""
        if calls and self.steps >= self.budget.steps:
            return f"Stopped after {self.budget.steps} calls without an answer; what was done so far stands."
        if self.usage.total + self.unreported >= self.budget.tokens:
            return (
                f"Stopped after {self.usage.total + self.unreported:,} tokens without an answer; "
                "what was done so far stands."
            )
        return self.out_of_time() if not self.seconds_left else None

    def out_of_time(self) -> str:
        """The sentence that ends a turn whose time is up."""
        return f"Stopped after {self.budget.seconds:.0f} s without an answer; what was done so far stands."
