"""A session store that is a list: what a tool call costs without any database under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from copilot.engine import Engine
from state.log import Event
from state.store import SessionRow, now

TODAY = date(2024, 6, 15)
"""The clock of every measurement, as of the hand-written requests."""


class MemoryStore:
    """The parts of state.store.Store that one process with one writer needs."""

    def __init__(self) -> None:
        self._rows: dict[str, SessionRow] = {}
        self._events: dict[str, list[Event]] = {}

    def create(self, owner: str, name: str, parent: str | None = None) -> SessionRow:
        """A new, empty session."""
        at = now()
        row = SessionRow(f"bench-{len(self._rows)}", owner, name, at, at, parent)
        self._rows[row.id], self._events[row.id] = row, []
        return row

    def session(self, session_id: str) -> SessionRow:
        """The session of that id."""
        return self._rows[session_id]

    def append(self, session_id: str, events: Sequence[Event], name: str | None = None) -> None:
        """Add events at the end, and name the session where they do so."""
        self._events[session_id].extend(events)
        if name is not None:
            self.rename(session_id, name)

    def rename(self, session_id: str, name: str) -> None:
        """Give the session another name."""
        self._rows[session_id] = replace(self._rows[session_id], name=name)

    def events(self, session_id: str, after: int = 0) -> list[Event]:
        """The events with a number above `after`."""
        return self._events[session_id][after:]


def memory_engine(root: Path) -> Engine:
    """An engine over the catalogue at `root` whose sessions are lists."""
    engine = Engine.in_memory(str(root), TODAY)
    engine.__dict__["store"] = MemoryStore()  # the cached property's place, as Engine.in_memory_like does
    return engine
