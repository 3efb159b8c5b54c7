"""Follows a workflow node by node: live where it runs in this process, else by the session's log alone."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from copilot.workflows.engine import Report, Run, StepRun, Trouble
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Step, Workflow, WorkflowError, bound
from copilot.workflows.procedures import looked, started

if TYPE_CHECKING:
    from copilot.session import Session

NodeStatus = Literal["waiting", "running", "finished", "repaired", "failed", "skipped", "held"]
_STATUS: Mapping[str, NodeStatus] = {
    "waiting": "waiting", "running": "running", "done": "finished", "reused": "finished",
    "failed": "failed", "held": "held",
}  # fmt: skip
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Node:
    """One step as a graph shows it."""

    id: str
    tool: str
    status: NodeStatus
    why: str = ""
    method: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    """With the handles and values that it is given, as far as they are there; else the references."""
    before: tuple[str, ...] = ()
    """The nodes that it hangs on."""
    level: int = 0
    said: str = ""
    repair: str = ""
    """What was changed for it, and against what."""
    seq: int | None = None
    results: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[Mapping[str, Any], ...] = ()
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return asdict(self)


class Live:
    """A run of this process while it goes on."""

    def __init__(self, handle: str, instance: Instance) -> None:
        self.handle = handle
        self.instance = instance
        self.stop = threading.Event()
        self.running: str = ""
        self.failed: StepRun | None = None


_live: dict[str, Live] = {}
_lock = threading.Lock()
_listeners: list[Callable[[str, str], None]] = []


@contextmanager
def live(
    session: Session, handle: str, instance: Instance
) -> Iterator[tuple[Live, Callable[[StepRun], None]]]:
    """While a run of that session goes on: its live state, and what hears of its steps."""
    mine = Live(handle, instance)
    with _lock:
        _live[session.id] = mine

    def heard(step: StepRun) -> None:
        mine.running = step.step if step.status == "running" else ""
        mine.failed = step if step.status == "failed" else None
        _tell(session.id, handle)

    try:
        yield mine, heard
    finally:
        with _lock:
            if _live.get(session.id) is mine:
                _live.pop(session.id)
        _tell(session.id, handle)


def is_running(session_id: str) -> str | None:
    """The workflow of a session that runs in this process; None where none does."""
    found = _live.get(session_id)
    return found.handle if found is not None else None


def stop(session_id: str) -> bool:
    """Have the run of a session end before its next step; False where none runs in this process."""
    found = _live.get(session_id)
    if found is not None:
        found.stop.set()
    return found is not None


def listen(listener: Callable[[str, str], None]) -> Callable[[], None]:
    """Be told (session id, workflow) whenever a node has changed; the result ends it. Must not block."""
    _listeners.append(listener)

    def leave() -> None:
        with suppress(ValueError):
            _listeners.remove(listener)

    return leave


def _tell(session_id: str, handle: str) -> None:
    for each in tuple(_listeners):
        try:
            each(session_id, handle)
        except Exception:
            _log.exception("a listener failed on the workflow %s of %s", handle, session_id)


def latest(session: Session, handle: str) -> str:
    """What a started workflow has become by repairs of its run; itself where none was made."""
    for event in session.events:
        if (
            event.tool == "workflow_adjust"
            and event.ok
            and event.source == "workflow"
            and event.args.get("workflow") == handle
        ):
            handle = str(event.data["workflow"])
    return handle


def nodes(session: Session, handle: str) -> tuple[Node, ...]:
    """The nodes of a started workflow in their order, those left out at the end. Raises WorkflowError."""
    instance = started(session.world(), handle)
    report = looked(session.state, session.world(), instance)
    running = _live.get(session.id)
    mine = (
        running
        if running is not None and handle in (running.handle, latest(session, running.handle))
        else None
    )
    return _nodes(instance, report, mine)


def _nodes(instance: Instance, report: Report, running: Live | None) -> tuple[Node, ...]:
    workflow = instance.workflow
    values: dict[str, Any] = {**instance.parameters, **instance.inputs}
    from copilot.workflows.engine import values_of

    values |= values_of(report.steps, instance)
    level = {step.id: at for at, each in enumerate(workflow.levels()) for step in each}
    runs = {each.step: each for each in report.steps}
    made = []
    for step in workflow.order():
        run = runs[step.id]
        repair = _repair(instance, step)
        status = _STATUS[run.status]
        if running is not None and running.running == step.id and status == "waiting":
            status = "running"
        if status == "finished" and repair:
            status = "repaired"
        made.append(
            Node(
                step.id,
                step.tool,
                status,
                step.why,
                step.method,
                _arguments(step, values),
                tuple(first for first, then in workflow.edges if then == step.id),
                level[step.id],
                run.said,
                repair,
                run.seq,
                run.results,
                tuple(
                    {"measure": r.check.measure, "value": r.value, "met": r.met, "said": str(r)}
                    for r in run.readings
                ),
                run.seconds,
            )
        )
    return (*made, *_left_out(instance, workflow))


def _arguments(step: Step, values: Mapping[str, Any]) -> dict[str, Any]:
    full = {key: bound(value, values) for key, value in step.args.items()}
    return {key: step.args[key] if value is None else value for key, value in full.items()}


def _repair(instance: Instance, step: Step) -> str:
    """What was changed for a step because something failed; empty where nothing was."""
    said = [
        f"{each.get('failed')} So: {each.get('said')}."
        for each in instance.adjustments
        if each.get("failed")
        and (each.get("step") == step.id or each.get("change", {}).get("step") == step.id)
    ]
    if step.method == "repair" and not said:
        return step.why
    return " ".join(said)


def _left_out(instance: Instance, workflow: Workflow) -> Iterator[Node]:
    seen = set(workflow.step_ids)
    for each in instance.adjustments:
        for gone in each.get("gone", ()):
            if gone["id"] not in seen:
                seen.add(gone["id"])
                yield Node(gone["id"], gone["tool"], "skipped", gone.get("why", ""), repair=str(each["said"]))


__all__ = [
    "Live",
    "Node",
    "Run",
    "Trouble",
    "WorkflowError",
    "is_running",
    "latest",
    "listen",
    "live",
    "nodes",
    "stop",
]
