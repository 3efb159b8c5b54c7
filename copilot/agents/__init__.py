"""The agents: ways to put a chat model's calls through the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module

from state.log import Event

Agent = Callable[..., Iterator[Event]]
"""Called with (session, request, model) and the options of `copilot.agents.turn.run_turn`."""

NAMES = ("direct", "react", "cot", "chameleon", "reflexion", "rs-agent")


class UnknownAgent(Exception):
    """No agent has that name."""


def get_agent(name: str) -> Agent:
    """The agent of that name. Raises UnknownAgent with the names there are."""
    if name not in NAMES:
        raise UnknownAgent(f"There is no agent '{name}'. Agents: {', '.join(NAMES)}.")
    from copilot.agents.turn import run_turn

    # Each module is one way to go through a turn, its `steps`; opening and closing it is the same for all.
    return partial(run_turn, import_module(f"copilot.agents.{name.replace('-', '_')}").steps)


__all__ = ["NAMES", "Agent", "UnknownAgent", "get_agent"]
