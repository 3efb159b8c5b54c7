"""Trial: whether calls would work, found by running them on a copy of the state.

The tools check their arguments and look up what is named as they always do; what they make lies in a folder
that is thrown away. Where heavy computing begins, or something outside would be reached, a trial ends: what
came before it worked.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.engine import FolderArtifacts, ReplayedArtifacts
from copilot.language.grounding import result_of
from copilot.planner.answer_first import Done
from copilot.planner.situation import Call
from tools.base import World
from tools.run import run_call

if TYPE_CHECKING:
    from copilot.session import Session


class _Computes(BaseException):
    """Heavy computing would begin. No `except Exception` on the way keeps it."""


def trial(session: Session) -> Callable[[Sequence[Call]], str]:
    """A function that tells of calls why they would not work in this session; "" where they would."""

    def failure(calls: Sequence[Call]) -> str:
        with tempfile.TemporaryDirectory(prefix="azimuth-trial-") as folder:
            made = ReplayedArtifacts(FolderArtifacts(Path(folder)), session.engine.artifacts(session.id))
            world = replace(session.world(), artifacts=made, work=_would_compute)
            return _failure(session, calls, world)

    return failure


def _failure(session: Session, calls: Sequence[Call], world: World) -> str:
    toolbox, state, done = session.toolbox, session.state, list[Done]()
    for call in calls:
        if call.tool not in toolbox:
            return f"There is no tool '{call.tool}'."
        if toolbox.get(call.tool).external:
            return ""
        arguments = {name: result_of(value, done) for name, value in call.args.items()}
        try:
            step = run_call(toolbox, state, world, call.tool, arguments)
        except _Computes:
            return ""
        if step.failed:
            said = session.engine.mask.text(step.observation) if session.engine.served else step.observation
            return "" if step.outside else said
        state = step.state
        done.append(Done(call, True, step.observation, dict(step.data)))
    return ""


def _would_compute(title: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    raise _Computes
