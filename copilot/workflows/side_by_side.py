"""Computes steps that need nothing of each other side by side, in the processes of the background worker.

Each is run in a worker on a copy of the state from before all of them, and writes what it makes where the
call itself would (an artifact's id says its content, so it is the same file). Then the steps are called one
by one as ever, and each call takes what was computed (`tools.made_ahead`): the log is that of a run one
step after another, and a replay computes everything again and comes to the same states.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.workflows.engine import Run
from copilot.workflows.model import Step
from data.progress import Progress
from state.codec import canonical, from_json, to_json
from state.jobs import Caller
from state.model import State
from tools.base import Step as Made
from tools.base import Tool, ToolError
from tools.made_ahead import moved, taking

if TYPE_CHECKING:
    from copilot.engine import Engine
    from copilot.session import Session

WORTH_PX = 4_000_000
"""From so many pixels on, a raster's step takes longer than a worker takes to be told of it (0.1 s)."""
_CATEGORIES = ("geotools", "vision")


class SideBySide:
    """An `engine.Ahead` whose places are those of the session's background worker."""

    def __init__(self, worth_px: int = WORTH_PX) -> None:
        self.worth_px = worth_px
        self._made: dict[str, tuple[State, Made]] = {}
        self.computed = 0
        """How many steps were computed ahead."""

    def compute(self, run: Run, steps: Sequence[Step]) -> None:
        """Compute what is worth it of steps that are ready: two of them or none."""
        chosen = [each for each in steps if self._is_worth(run, each)]
        if len(chosen) < 2:
            return
        before = run.session.state
        with ThreadPoolExecutor(len(chosen), thread_name_prefix="ahead") as pool:
            pending = [(each, pool.submit(_on_worker, run, before, each)) for each in chosen]
            for step, future in pending:
                try:
                    made = _step_of(future.result(), before)
                except ToolError:
                    continue  # the call itself will say what is wrong
                if not made.failed:
                    self._made[_key(step.tool, run.arguments(step))] = before, made
                    self.computed += 1

    def calling(self, run: Run, step: Step) -> AbstractContextManager[None]:
        """Within it, the step's call takes what was computed of it."""
        found = self._made.pop(_key(step.tool, run.arguments(step)), None)
        if found is None:
            return nullcontext()
        before, made = found

        def take(present: State, name: str, _arguments: Mapping[str, Any]) -> Made | None:
            return moved(made, before, present) if name == step.tool else None

        return taking(take)

    def _is_worth(self, run: Run, step: Step) -> bool:
        box = run.session.engine.toolbox
        if step.tool not in box or _key(step.tool, run.arguments(step)) in self._made:
            return False
        tool = box.get(step.tool)
        if not _is_pure(tool) or run.is_there(step) or run.lacking(step, tool, run.arguments(step)):
            return False
        return tool.category == "vision" or _pixels(run, step) >= self.worth_px


def side_by_side(session: Session) -> SideBySide | None:
    """What a run of a session computes ahead with; None where there is no background worker."""
    engine = session.engine
    return SideBySide() if engine.background and engine.store_url != "sqlite://" else None


def _is_pure(tool: Tool) -> bool:
    """Whether a call only makes artifacts and shows them, and asks nobody."""
    return tool.category in _CATEGORIES and not (tool.external or tool.reads_files or tool.asks_approval)


def _pixels(run: Run, step: Step) -> int:
    from data.raster.errors import RasterError
    from data.raster.files import opened

    total = 0
    for value in run.arguments(step).values():
        path = run.session.world().artifacts.find(value) if _is_handle(run, value) else None
        if path is None:
            continue
        try:
            with opened(path) as source:
                total += source.width * source.height * source.count
        except RasterError:
            continue
    return total


def _is_handle(run: Run, value: Any) -> bool:
    found = run.session.state.artifact(value) if isinstance(value, str) else None
    return found is not None and found.kind == "raster"


def _on_worker(run: Run, before: State, step: Step) -> dict[str, Any]:
    session = run.session
    arguments = run.arguments(step)
    caller = Caller(
        session.id, run.turn or 0, len(session.events) + 1, session.hash, step.tool, arguments, "workflow"
    )
    engine = session.engine
    place = engine_place(engine)
    found: dict[str, Any] = engine.desk.run(
        caller, f"{step.tool} of {run.instance.workflow.id}", compute_step, place, session.id,
        to_json(before), step.tool, arguments,
    )  # fmt: skip
    return found


def compute_step(
    progress: Progress,
    place: Mapping[str, Any],
    session_id: str,
    before: dict[str, Any],
    tool: str,
    arguments: Mapping[str, Any],
) -> dict[str, Any]:
    """One call on a copy of a state, in a worker: what it leads to, as plain JSON. No session is changed."""
    from copilot.session import Session
    from tools.run import run_call

    engine = engine_at(canonical_place(place))
    session = Session.open(session_id, engine=engine)
    progress.tell(0.05, f"{tool} runs.")
    made = run_call(session.toolbox, from_json(before), session.world(), tool, arguments)
    return {
        "state": to_json(made.state),
        "observation": made.observation,
        "data": json.loads(json.dumps(dict(made.data), default=str)),
        "failed": made.failed,
        "outside": made.outside,
        "name": made.session_name,
    }


def engine_place(engine: Engine) -> dict[str, Any]:
    """What a worker needs to open an engine's home for itself."""
    return {
        "home": str(engine.home),
        "store": engine.store_url,
        "catalogue": engine.catalogue_address,
        "served": engine.served,
        "today": engine.today,
    }


def canonical_place(place: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """What says which engine, as a key."""
    return tuple(sorted(place.items()))


@lru_cache(maxsize=4)
def engine_at(place: tuple[tuple[str, Any], ...]) -> Engine:
    """The engine of a home in this worker; what it computes it computes here."""
    from copilot.engine import Engine

    said = dict(place)
    return Engine(
        Path(said["home"]), said["store"], said["catalogue"], said["today"], served=said["served"],
        background=None,
    )  # fmt: skip


def _step_of(plain: Mapping[str, Any], before: State) -> Made:
    state = from_json(plain["state"])
    return Made(
        before if state == before else state,
        plain["observation"],
        plain["data"],
        plain["failed"],
        plain["outside"],
        plain["name"],
    )


def _key(tool: str, arguments: Mapping[str, Any]) -> str:
    return canonical([tool, dict(arguments)])


__all__ = ["SideBySide", "compute_step", "engine_at", "engine_place", "side_by_side"]
