"""What a session needs to know of workflows before any is used; nothing heavy is imported for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copilot.workflows.procedures import Library
    from state.log import Event
    from state.model import State
    from tools.base import World


def starts(event: Event) -> bool:
    """Whether an event started a workflow whose steps are to follow."""
    return event.tool == "workflow_run" and event.ok and bool(event.data.get("workflow"))


@dataclass(frozen=True)
class LateProcedures:
    """tools.base.Procedures that read the library when they are first asked."""

    home: Path
    owner: str

    @property
    def _library(self) -> Library:
        from copilot.workflows.memory import Memory
        from copilot.workflows.procedures import Library

        return Library(Memory.of(self.home, self.owner))

    def search(self, goal: str, most: int) -> list[dict[str, Any]]:
        """As Library.search."""
        return self._library.search(goal, most)

    def bound(
        self, state: State, world: World, workflow: str, data: Mapping[str, str], values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """As Library.bound."""
        return self._library.bound(state, world, workflow, data, values)

    def changed(self, bound: Mapping[str, Any], change: Mapping[str, Any], **note: str) -> dict[str, Any]:
        """As Library.changed."""
        return self._library.changed(bound, change, **note)

    def report(self, state: State, world: World, bound: Mapping[str, Any]) -> dict[str, Any]:
        """As Library.report."""
        return self._library.report(state, world, bound)

    def kept(self, state: State, world: World, name: str, goal: str, turns: int) -> dict[str, Any]:
        """As Library.kept."""
        return self._library.kept(state, world, name, goal, turns)


def procedures_of(home: Path, owner: str) -> LateProcedures:
    """The workflows as the owner of a session sees them."""
    return LateProcedures(home, owner)


__all__ = ["LateProcedures", "procedures_of", "starts"]
