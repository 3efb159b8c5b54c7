"""A clause while its arguments are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from copilot.planner.declared.things import Thing
from copilot.planner.situation import Situation
from copilot.planner.spans import Span


@dataclass
class Said:
    """A clause while its arguments are read: what it says, and what of it is taken already."""

    tool: str
    text: str
    situation: Situation
    things: Sequence[Thing]
    spans: Sequence[Span]
    taken: list[tuple[int, int]] = field(default_factory=list)
    """Stretches of the text that stand for something else than a number."""

    def take(self, start: int, end: int) -> None:
        """Nothing else is read from there."""
        self.taken.append((start, end))

    def free(self, start: int, end: int) -> bool:
        """Whether nothing was read from there."""
        return not any(left < end and start < right for left, right in self.taken)

    def of(self, *kinds: str) -> list[Span]:
        """The free spans of those kinds."""
        return [each for each in self.spans if each.kind in kinds and self.free(each.start, each.end)]
