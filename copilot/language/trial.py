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
from copilot.planner.answer_first import Done
from copilot.planner.model import result_of
from copilot.planner.situation import Call
from tools.base import World
from tools.run import run_call

if TYPE_CHECKING:
    from copilot.session import Session


class _Computes(BaseException):
    """Heavy computing would begin. No `except Exception` on the way keeps it."""


def trial(session: Session) -> Callable[[Sequence[Call]], bool]:
    """A function that tells of calls whether they would work in this session."""

    def works(calls: Sequence[Call]) -> bool:
        with tempfile.TemporaryDirectory(prefix="azimuth-trial-") as folder:
            made = ReplayedArtifacts(FolderArtifacts(Path(folder)), session.engine.artifacts(session.id))
            world = replace(session.world(), artifacts=made, work=_would_compute)
            return _work(session, calls, world)

    return works


def _work(session: Session, calls: Sequence[Call], world: World) -> bool:
    toolbox, state, done = session.engine.toolbox, session.state, list[Done]()
    for call in calls:
        if call.tool not in toolbox:
            return False
        if toolbox.get(call.tool).external:
            return True
        arguments = {name: result_of(value, done) for name, value in call.args.items()}
        try:
            step = run_call(toolbox, state, world, call.tool, arguments)
        except _Computes:
            return True
        if step.failed:
            return step.outside
        state = step.state
        done.append(Done(call, True, step.observation, dict(step.data)))
    return True


def _would_compute(title: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    raise _Computes
