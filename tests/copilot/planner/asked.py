"""What the planner's tests share: a plan for a request, and the calls of turns that really run."""

from __future__ import annotations

from collections.abc import Sequence

from copilot.engine import Engine
from copilot.planner.head import Head
from copilot.planner.plan import Plan, Planner
from copilot.planner.situation import Situation
from copilot.session import Session
from state.codec import to_json
from state.model import State
from tests.tools.world import TODAY


def situation(engine: Engine) -> Situation:
    """The situation at the start of a session."""
    return Situation(to_json(State()), TODAY, engine.catalogue, engine.gazetteer)


def planned(request: str, engine: Engine) -> Plan:
    """The plan of a first request."""
    return Planner(Head.load()).plan(request, situation(engine))


def tools(request: str, engine: Engine) -> list[str]:
    """The names of the planned calls."""
    return [call.tool for call in planned(request, engine).calls]


def last_calls(turns: Sequence[str], engine: Engine) -> list[tuple[str, dict[str, object]]]:
    """The calls of the last of some turns, run for real."""
    session = Session.open(engine=engine)
    answers = [session.ask(turn) for turn in turns]
    return [(call.tool, dict(call.args)) for call in answers[-1].calls]
