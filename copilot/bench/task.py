"""What a task of the benchmark is: a request, and the end that counts as having answered it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Literal

Kind = Literal["load-filter-plot", "ui-web", "information"]
"""The three kinds of request of GeoLLM-Engine's mix."""
KINDS: tuple[Kind, ...] = ("load-filter-plot", "ui-web", "information")

TODAY = date(2024, 1, 15)
"""The day on which every task is set, whenever it is built or run: what "last year" means."""


@dataclass(frozen=True)
class GoldCall:
    """One call of a solution."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One request with its ground truth."""

    id: str
    intent: str
    """The hand-written intent that it was made from."""
    category: Kind
    request: str
    calls: tuple[GoldCall, ...]
    """One right way; what is graded is where it ends."""
    reply: str
    """What a right answer says."""
    state: dict[str, Any]
    """The state after the gold calls, as the JSON of the state."""
    setup: tuple[GoldCall, ...] = ()
    """Calls made before the request: a session in progress."""
    also: tuple[tuple[GoldCall, ...], ...] = ()
    """Other ends that are right too, where a request leaves a choice."""
    needs: tuple[str, ...] = ()
    """What the task needs beyond the sample catalogue: "network", "upload"."""
    version: str = ""
    """Stamp of what it was built from; results of different stamps are never compared."""

    @property
    def complexity(self) -> int:
        """How many calls the gold makes."""
        return len(self.calls)

    def to_json(self) -> dict[str, Any]:
        """The task as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Task:
        """The task that `to_json` wrote."""
        for name in _NEEDED:
            plain[name]  # so that what is missing has a name
        chains = {name: _calls(plain.get(name, ())) for name in ("calls", "setup")}
        also = tuple(_calls(chain) for chain in plain.get("also", ()))
        return cls(**{**plain, **chains, "also": also, "needs": tuple(plain.get("needs", ()))})


_NEEDED = ("id", "intent", "category", "request", "calls", "reply", "state")


def _calls(plain: Iterable[Mapping[str, Any]]) -> tuple[GoldCall, ...]:
    return tuple(GoldCall(each["tool"], dict(each.get("args", {}))) for each in plain)
