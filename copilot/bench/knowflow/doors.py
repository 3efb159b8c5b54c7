"""Faults at the door of a call: what a full disk, a killed worker or a slow tool makes of it at first.

The tool itself is untouched; its function raises what the outside would make it raise, and works after that.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

from copilot.engine import Engine
from state.model import State
from tools.base import OutsideError, Step, Tool, World
from tools.toolbox import Toolbox, toolbox

ALWAYS = 1_000_000

DOOR_FAULTS: Mapping[str, tuple[Callable[[], Exception], int]] = {
    "disk_full": (lambda: OSError(errno.ENOSPC, "No space left on device"), 1),
    "worker_killed": (lambda: OutsideError("The background worker was lost; it is started again."), 1),
    "times_out": (lambda: TimeoutError("The call took longer than it may."), 1),
    "out_of_memory": (MemoryError, 1),
    "file_busy": (lambda: PermissionError(errno.EACCES, "The file is in use by another process"), 1),
    "worker_killed_twice": (lambda: OutsideError("The background worker was lost; it is started again."), 2),
    "tool_broken": (lambda: RuntimeError("a bug"), ALWAYS),
    "always_times_out": (lambda: TimeoutError("The call took longer than it may."), ALWAYS),
}
"""By name: what is raised, and how many times."""


@dataclass
class FaultyEngine(Engine):
    """An engine one of whose tools fails the first times that it is called."""

    fault: str = ""
    tool: str = ""
    raised: list[int] = field(default_factory=lambda: [0])

    @property
    def toolbox(self) -> Toolbox:
        """Every tool; the one behind the door of which the fault stands is replaced."""
        if not hasattr(self, "_box"):
            self._box = Toolbox(
                tuple(self._behind(each) if each.name == self.tool else each for each in toolbox())
            )
        return self._box

    def _behind(self, tool: Tool) -> Tool:
        make, times = DOOR_FAULTS[self.fault]

        @wraps(tool.function)
        def called(state: State, world: World, **arguments: Any) -> Step:
            if self.raised[0] < times:
                self.raised[0] += 1
                raise make()
            return tool.function(state, world, **arguments)

        return replace(tool, function=called)


__all__ = ["ALWAYS", "DOOR_FAULTS", "FaultyEngine"]
