"""The direct agent: the model calls tools until it answers."""

from __future__ import annotations

from copilot.agents.turn import OpenTurn, Steps


def steps(turn: OpenTurn) -> Steps:
    """Model, calls, observations, and again, until there is an answer."""
    return turn.answered((yield from turn.converse()))
