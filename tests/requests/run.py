"""What one request did, as the checks read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """What one request did: the state before the first turn, and each turn's result as the CLI prints it."""

    start: Json
    results: tuple[Json, ...]

    @property
    def last(self) -> Json:
        """The last turn's result: reply, calls, state, outcome."""
        return self.results[-1]

    @property
    def before(self) -> Json:
        """The state that the last turn found."""
        return self.state_after(len(self.results) - 1)

    @property
    def filters(self) -> Json:
        """The filters after the last turn."""
        filters: Json = part(self.last["state"], "database").get("filters") or {}
        return filters

    @property
    def layers(self) -> Sequence[Json]:
        """The map's layers after the last turn."""
        layers: Sequence[Json] = part(self.last["state"], "map").get("layers") or ()
        return layers

    @property
    def tools(self) -> list[str]:
        """Tools that worked in the last turn, in order."""
        return [call["tool"] for call in self.last["calls"] if call.get("ok")]

    def state_after(self, turn: int) -> Json:
        """The state after a turn, counted from 1; 0 is the state before the first."""
        state: Json = self.start if turn == 0 else self.results[turn - 1]["state"]
        return state


def part(state: Json, name: str) -> Json:
    """One part of the state; empty when it is absent."""
    value: Json = state.get(name) or {}
    return value
