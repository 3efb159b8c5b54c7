"""What the state makes possible: which tools have what they need, or get it from another that is shown."""

from __future__ import annotations

from collections.abc import Iterable, Set

from state.model import State
from tools.base import Tool

STANDS_FOR = {"document": "vector"}
"""What can also be used as something else: an exported GeoJSON is added to the map as vectors are."""


def present(state: State) -> frozenset[str]:
    """What a tool may need and the state has: parts of it, and kinds of artifacts."""
    parts = {
        "loaded": bool(state.database.loaded),
        "layer": bool(state.map.layers),
        "tab": bool(state.ui.tabs),
        "image": state.ui.selected_image is not None,
    }
    return frozenset(name for name, there in parts.items() if there) | {each.kind for each in state.artifacts}


def usable(kinds: Iterable[str]) -> frozenset[str]:
    """The kinds, and those that they can stand for."""
    there = frozenset(kinds)
    return there | {other for kind, other in STANDS_FOR.items() if kind in there}


def possible(tools: Iterable[Tool], has: Set[str]) -> frozenset[str]:
    """The names of the tools that can run: each need is there, or given by a tool that can run itself."""
    waiting = list(tools)
    there = set(usable(has))
    able: set[str] = set()
    while ready := [tool for tool in waiting if there.issuperset(tool.needs)]:
        able.update(tool.name for tool in ready)
        there |= usable(kind for tool in ready for kind in tool.gives)
        waiting = [tool for tool in waiting if tool.name not in able]
    return frozenset(able)
