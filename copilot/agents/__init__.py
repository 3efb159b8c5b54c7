"""The agents: loops that put a chat model's calls through the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from state.log import Event

Agent = Callable[..., Iterator[Event]]

NAMES = ("direct",)


class UnknownAgent(Exception):
    """No agent has that name."""


def get_agent(name: str) -> Agent:
    """The agent of that name. Raises UnknownAgent with the names there are."""
    if name == "direct":
        from copilot.agents.direct import run

        return run
    raise UnknownAgent(f"There is no agent '{name}'. Agents: {', '.join(NAMES)}.")


__all__ = ["NAMES", "Agent", "UnknownAgent", "get_agent"]
