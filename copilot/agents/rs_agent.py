"""The RS-Agent way (arXiv:2406.07089): infer the task types, retrieve the solution, plan with it."""

from __future__ import annotations

from copilot.agents.turn import OpenTurn, Steps


def steps(turn: OpenTurn) -> Steps:
    """Task types, then the solutions that fit them as guidance, then calls until there is an answer."""
    return turn.answered((yield from turn.converse()))
