"""The ReAct agent (Yao et al. 2022, arXiv:2210.03629): thought, call, observation, one at a time."""

from __future__ import annotations

from copilot.agents.turn import OpenTurn, Steps
from copilot.prompts import THINK_FIRST


def steps(turn: OpenTurn) -> Steps:
    """Have the model say why before every call, and look at what came back before the next."""
    turn.guidance = THINK_FIRST
    return turn.answered((yield from turn.converse(one_at_a_time=True)))
