"""The chain-of-thought agent: everything is planned before anything is done, then the plan is run."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from copilot.agents.forms import PlanForm, PlannedCall, fill_in
from copilot.agents.turn import OpenTurn, Steps
from copilot.language.grounding import result_of
from copilot.planner.situation import SELECTED
from copilot.prompts import call_message
from state.log import Event
from tools.base import ToolError

_PLAN = "Plan the whole request before anything is done: think it through, and submit every call it needs."


def steps(turn: OpenTurn) -> Steps:
    """One plan, its calls one after another, then the answer; what fails is left to the direct way."""
    turn.guidance = _PLAN
    plan = yield from fill_in(turn, PlanForm, turn.shown.schemas, lambda form: _unknown(turn, form))
    turn.guidance = ""
    if plan is not None:
        chain = " → ".join(call.tool for call in plan.calls) or "no calls"
        yield turn.think(f"Plan: {chain}. {plan.thought}".strip())
        yield from _run(turn, plan.calls)
    return turn.answered((yield from turn.converse()))


def _unknown(turn: OpenTurn, plan: PlanForm) -> str | None:
    """What is wrong with a plan that names a tool there is not, with the nearest names."""
    for call in plan.calls:
        try:
            turn.session.toolbox.get(call.tool)
        except ToolError as error:
            return f"{error} Submit the plan again."
    return None


def _run(turn: OpenTurn, calls: Sequence[PlannedCall]) -> Generator[Event, None, None]:
    """Make the calls up to the first that fails: the model then sees why, and goes on from there."""
    for number, call in enumerate(calls, 1):
        args = {key: _filled(turn, value) for key, value in call.args.items()}
        turn.said.append(call_message(call.tool, args, f"plan-{number}"))
        event = turn.call(call.tool, args, f"plan-{number}")
        turn.shown.add(call.tool)
        yield event
        turn.check(event)
        if not event.ok:
            return


def _filled(turn: OpenTurn, value: Any) -> Any:
    """A planned argument with what only the run could know; one that points nowhere stays as it is."""
    return turn.session.state.ui.selected_image if value == SELECTED else result_of(value, turn.calls)
