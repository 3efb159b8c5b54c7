"""Azimuth's agent: sessions, agents, the planner and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copilot.session import Session

__all__ = ["Session"]


def __getattr__(name: str) -> Any:
    # Deferred, so that `copilot tools` and `copilot doctor` start without loading the engine.
    if name == "Session":
        from copilot.session import Session

        return Session
    raise AttributeError(f"module 'copilot' has no attribute {name!r}")
