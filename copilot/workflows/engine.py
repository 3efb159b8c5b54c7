"""Runs a workflow in a session: each step one `Session.call`, checked, repaired where it can be, resumed.

What was run is read off the session's log: a step is done when its call, with the same arguments, ended well
and what it made is still there. So a run goes on after a kill where it stopped, an undone step runs again,
and the same call is never computed twice. The log and the state hold everything; the engine holds nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from copilot.workflows import actions
from copilot.workflows.facts import known
from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Input, Reference, Step, WorkflowError, bound, reference, references
from copilot.workflows.quality import Reading, reading
from state.log import Event
from tools.base import Tool
from tools.conditions import KINDS, Thing, Unmet, unmet

if TYPE_CHECKING:
    from copilot.session import Session

Status = Literal["waiting", "running", "done", "reused", "failed", "held"]
Kind = Literal["precondition", "error", "quality"]
SOURCE = "workflow"
REPAIR = "repair"
"""The method of steps that a repair has put in."""
GIVEN_BY_TOOLS = frozenset({"done", "level", "grid_of", "metric"})
"""What data lack that a tool can give: the run begins, and its steps are repaired."""
MOST_ADJUSTMENTS = 4
"""Changes of the graph that one run may make; what fails after that is told."""


@dataclass(frozen=True)
class Trouble:
    """Why a step did not end well."""

    step: str
    tool: str
    kind: Kind
    said: str
    lacks: tuple[Unmet, ...] = ()
    readings: tuple[Reading, ...] = ()
    outside: bool = False
    """Whether something outside made it fail, as a full disk does: it may work another time."""


@dataclass(frozen=True)
class StepRun:
    """How one step went."""

    step: str
    tool: str
    status: Status
    said: str = ""
    seq: int | None = None
    """The event of its call."""
    results: Mapping[str, str] = field(default_factory=dict)
    readings: tuple[Reading, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """How a run went, and what came of it."""

    instance: Instance
    steps: tuple[StepRun, ...]
    trouble: Trouble | None = None
    """What ended it; None where it went to its end."""
    cancelled: bool = False
    seconds: float = 0.0
    calls: int = 0
    """Calls made: those of steps and of what was tried, without what was there already."""
    again: Mapping[str, str] = field(default_factory=dict)
    """By step, what came from outside and made it be called once more."""

    @property
    def ok(self) -> bool:
        """Whether every step ended well."""
        return self.trouble is None and not self.cancelled

    @property
    def answer(self) -> dict[str, str]:
        """What the workflow gives, by reference, as far as it is there."""
        values = values_of(self.steps, self.instance)
        given = self.instance.workflow.gives
        return {each: values[each.lstrip("$")] for each in given if each.lstrip("$") in values}

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        trouble = self.trouble
        return {
            "id": self.instance.id,
            "workflow": self.instance.workflow.id,
            "ok": self.ok,
            "cancelled": self.cancelled,
            "inputs": dict(self.instance.inputs),
            "parameters": dict(self.instance.parameters),
            "steps": [
                {
                    "step": each.step,
                    "tool": each.tool,
                    "status": each.status,
                    "said": each.said,
                    "event": each.seq,
                    "results": dict(each.results),
                    "checks": [
                        {"measure": r.check.measure, "value": r.value, "met": r.met} for r in each.readings
                    ],
                    "seconds": round(each.seconds, 4),
                }
                for each in self.steps
            ],
            "answer": self.answer,
            "trouble": None
            if trouble is None
            else {"step": trouble.step, "tool": trouble.tool, "kind": trouble.kind, "said": trouble.said},
            "adjustments": [dict(each) for each in self.instance.adjustments],
            "again": dict(self.again),
            "calls": self.calls,
            "seconds": round(self.seconds, 3),
        }


Heard = Callable[[StepRun], None]
Repair = Callable[["Run", Trouble], Instance | None]
"""What a failed step's workflow becomes; None where nothing helps."""


Before = Callable[["Run", Step], str | None]
"""Asked before a step's call; a text is why the call cannot be made, and so is what it raises."""


class Ahead(Protocol):
    """Computes steps that need nothing of each other side by side, before they are called one by one."""

    def compute(self, run: Run, steps: Sequence[Step]) -> None:
        """Compute what is worth it of steps that are ready."""

    def calling(self, run: Run, step: Step) -> AbstractContextManager[None]:
        """Within it, the call of a step takes what was computed of it, where that still holds."""


class Run:
    """One run of an instance in a session."""

    def __init__(
        self,
        session: Session,
        instance: Instance,
        *,
        turn: int | None = None,
        heard: Heard | None = None,
        stop: threading.Event | None = None,
        repair: Repair | None = None,
        before: Before | None = None,
        ahead: Ahead | None = None,
    ) -> None:
        self.session = session
        self.instance = instance
        self.turn = turn
        self.heard = heard or (lambda _: None)
        self.stop = stop or threading.Event()
        self.repair = repair
        self.before = before
        self.ahead = ahead
        self.calls = 0
        self.again: dict[str, str] = {}
        self.done: dict[str, StepRun] = {}

    def run(self) -> Report:
        """Run every step that is not done, in order, to the end or to what cannot be repaired."""
        started = time.perf_counter()
        trouble: Trouble | None = None
        repaired = 0
        while (step := self._next()) is not None and not self.stop.is_set():
            trouble = None
            if self.ahead is not None:
                self.ahead.compute(self, self.ready())
            trouble = self.attempt(step)
            if trouble is not None and trouble.outside and step.id not in self.again:
                self.again[step.id] = trouble.said
                continue  # it may work another time, and the next time is now
            if trouble is None:
                continue
            changed = None
            if self.repair is not None and repaired < MOST_ADJUSTMENTS:
                repaired += 1
                changed = self.repair(self, trouble)
            if changed is None:
                break
            self.adopt(changed)
            trouble = None
        return Report(
            self.instance,
            self._all_steps(trouble),
            trouble,
            cancelled=trouble is None and self._next() is not None,
            seconds=time.perf_counter() - started,
            calls=self.calls,
            again=dict(self.again),
        )

    def adopt(self, instance: Instance) -> None:
        """Go on with a changed workflow: what is the same call is done already."""
        self.instance = instance
        self.done = {}

    def attempt(self, step: Step) -> Trouble | None:
        """Run one step whose inputs are there; what went wrong, or None. Its result is kept in `done`."""
        box = self.session.engine.toolbox
        if step.tool not in box:
            return self._failed(step, "error", f"There is no tool {step.tool!r} here.")
        tool = box.get(step.tool)
        arguments = self.arguments(step)
        lacks = self.lacking(step, tool, arguments)
        if lacks:
            return self._failed(step, "precondition", f"{'; '.join(map(str, lacks))}.", lacks=lacks)
        event = self._remembered(tool, arguments)
        reused = event is not None
        if event is None:
            self.heard(StepRun(step.id, step.tool, "running"))
            refused = self._refused(step)
            if refused is not None:
                return refused
            with self.ahead.calling(self, step) if self.ahead is not None else nullcontext():
                event = self.session.call_tool(step.tool, arguments, source=SOURCE, turn=self.turn)
            self.calls += 1
        if not event.ok:
            return self._failed(step, "error", event.text, event=event)
        results = results_of(tool, event)
        readings = tuple(
            reading(each, self._file(results.get(each.of or actions.main_key(tool))), event.data)
            for each in step.checks
        )
        missed = tuple(each for each in readings if not each.met)
        if missed:
            return self._failed(
                step, "quality", f"{'; '.join(map(str, missed))}.", event=event, readings=readings
            )
        status: Status = "reused" if reused else "done"
        self._keep(
            StepRun(step.id, step.tool, status, event.text, event.seq, results, readings, event.seconds)
        )
        return None

    def _refused(self, step: Step) -> Trouble | None:
        """What stands before the call, where somebody watches over calls."""
        if self.before is None:
            return None
        try:
            said = self.before(self, step)
        except (OSError, MemoryError) as error:  # TimeoutError is an OSError too
            self.calls += 1
            return replace(self._failed(step, "error", str(error) or type(error).__name__), outside=True)
        if said:
            self.calls += 1
        return self._failed(step, "error", said) if said else None

    def ready(self) -> tuple[Step, ...]:
        """The steps that are not done and whose inputs are there, in order."""
        workflow = self.instance.workflow
        waiting = [each for each in workflow.order() if each.id not in self.done]
        ids = {each.id for each in waiting}
        held = {then for first, then in workflow.edges if first in ids}
        return tuple(each for each in waiting if each.id not in held)

    def is_there(self, step: Step) -> bool:
        """Whether a step that is ready was called already, with what it made still there."""
        box = self.session.engine.toolbox
        return step.tool in box and self._remembered(box.get(step.tool), self.arguments(step)) is not None

    def arguments(self, step: Step) -> dict[str, Any]:
        """A step's arguments with the values of its references; what is left out is not among them."""
        values = {
            **self.instance.parameters,
            **self.instance.inputs,
            **values_of(self.done.values(), self.instance),
        }
        full = {name: bound(value, values) for name, value in step.args.items()}
        return {name: value for name, value in full.items() if value is not None}

    def facts(self, step: Step) -> dict[str, Thing | list[Thing]]:
        """What is known of each argument of a step that is a handle."""
        arguments = self.arguments(step)
        found: dict[str, Thing | list[Thing]] = {}
        for name, value in step.args.items():
            if not any(self._is_thing(each) for each in references(value)) or name not in arguments:
                continue
            given = arguments[name]
            if isinstance(value, str) and reference(value) is not None and isinstance(given, str):
                found[name] = self.thing(given)
            elif isinstance(given, list):
                found[name] = [self.thing(each) for each in given if isinstance(each, str)]
        return found

    def thing(self, handle: str) -> Thing:
        """What is known of a handle of the session."""
        return known(self.session.state, self.session.world(), handle, self.session.events)

    def lacking(self, step: Step, tool: Tool, arguments: Mapping[str, Any]) -> tuple[Unmet, ...]:
        """The preconditions of a step that are known not to hold: its tool's, and those of the data."""
        facts = self.facts(step)
        return (
            *actions.lacking(tool, actions.with_defaults(tool, arguments), facts),
            *self._of_data(step, facts),
        )

    def lacking_of(self, step: Step, facts: Mapping[str, Thing]) -> tuple[Unmet, ...]:
        """As `lacking`, were those the facts."""
        tool = self.session.engine.toolbox.get(step.tool)
        arguments = actions.with_defaults(tool, self.arguments(step))
        return (*actions.lacking(tool, arguments, facts), *self._of_data(step, facts))

    def _of_data(self, step: Step, facts: actions.Facts) -> tuple[Unmet, ...]:
        """What the workflow says that its data must be, of the arguments that are data as they came."""
        found: dict[tuple[str, str], Unmet] = {}
        if step.method == REPAIR:  # it is there to make of the data what they must be
            return ()
        for name, value in step.args.items():
            wanted = self._data_behind(reference(value) if isinstance(value, str) else None)
            thing = facts.get(name)
            if wanted is None or not isinstance(thing, Thing):
                continue
            others = {key: self.thing(handle) for key, handle in self.instance.inputs.items()}
            for each in unmet(wanted.needs, thing, others):
                if each.property in GIVEN_BY_TOOLS:
                    found[name, each.property] = replace(each, argument=name)
        return tuple(found.values())

    def _data_behind(self, of: Reference | None) -> Input | None:
        """The input that a reference is, or that repairs were put in front of."""
        workflow = self.instance.workflow
        while of is not None and of.name in workflow.step_ids:
            step = workflow.step(of.name)
            of = next(iter(step.references), None) if step.method == REPAIR else None
        return workflow.input(of.name) if of is not None else None

    def _is_thing(self, found: Any) -> bool:
        return self.instance.workflow.parameter(found.name) is None

    def _next(self) -> Step | None:
        order = self.instance.workflow.order()
        return next((each for each in order if each.id not in self.done), None)

    def _remembered(self, tool: Tool, arguments: Mapping[str, Any]) -> Event | None:
        """The call of the log that did the same and whose results are still there."""
        makes = {each.argument for each in tool.effects if each.kind in KINDS and not each.in_place}
        if tool.external or (tool.changes_state and not makes):
            return None
        wanted = dict(arguments)
        for event in reversed(self.session.events):
            if event.kind != "call" or event.tool != tool.name or not event.ok or event.args != wanted:
                continue
            results = results_of(tool, event)
            if all(self._file(each) is not None for each in results.values()) and (results or not makes):
                return event
        return None

    def _file(self, artifact_id: str | None) -> Any:
        if artifact_id is None or self.session.state.artifact(artifact_id) is None:
            return None
        return self.session.world().artifacts.find(artifact_id)

    def _keep(self, run: StepRun) -> None:
        self.done[run.step] = run
        self.heard(run)

    def _failed(
        self, step: Step, kind: Kind, said: str, *, event: Event | None = None, **more: Any
    ) -> Trouble:
        self.heard(StepRun(step.id, step.tool, "failed", said, event.seq if event else None))
        outside = bool(event is not None and event.outside)
        return Trouble(step.id, step.tool, kind, said, outside=outside, **more)

    def _all_steps(self, trouble: Trouble | None) -> tuple[StepRun, ...]:
        workflow = self.instance.workflow
        held = workflow.downstream(trouble.step) if trouble is not None else frozenset()
        found = []
        for step in workflow.order():
            if step.id in self.done:
                found.append(self.done[step.id])
            elif trouble is not None and step.id == trouble.step:
                found.append(StepRun(step.id, step.tool, "failed", trouble.said, readings=trouble.readings))
            else:
                found.append(StepRun(step.id, step.tool, "held" if step.id in held else "waiting"))
        return tuple(found)


def results_of(tool: Tool, event: Event) -> dict[str, str]:
    """The artifacts that a call made, by the keys of its data that the tool's effects name."""
    return {
        each.argument: str(event.data[each.argument])
        for each in tool.effects
        if each.kind in KINDS and not each.in_place and event.data.get(each.argument)
    }


def values_of(steps: Any, instance: Instance) -> dict[str, str]:
    """The results of steps as references name them."""
    from tools.toolbox import toolbox

    found: dict[str, str] = {}
    for each in steps:
        for key, value in each.results.items():
            found[f"{each.step}.{key}"] = value
        if each.tool in toolbox():
            main = actions.main_key(toolbox().get(each.tool))
            if main in each.results:
                found[each.step] = each.results[main]
    return found


def bring(session: Session, instance: Instance) -> Instance:
    """The instance, where everything that it is given is in the session. Raises WorkflowError."""
    for name, handle in instance.inputs.items():
        wanted = instance.workflow.input(name)
        if wanted is None:
            raise WorkflowError(f"{instance.workflow.id} has no input {name!r}.")
        if (
            session.state.artifact(handle) is None
            and ":" not in handle
            and session.state.layer(handle) is None
        ):
            raise WorkflowError(f"There is no {wanted.needs.kind} {handle!r} in this session to be {name}.")
    return instance


def adjusted(instance: Instance, workflow: Any, note: Mapping[str, Any], **parameters: Any) -> Instance:
    """The instance with another workflow or other values, and what was changed on its record."""
    return replace(
        instance,
        workflow=workflow,
        parameters={**instance.parameters, **parameters},
        adjustments=(*instance.adjustments, dict(note)),
    )


__all__: Sequence[str] = [
    "MOST_ADJUSTMENTS",
    "Report",
    "Run",
    "StepRun",
    "Trouble",
    "adjusted",
    "bring",
    "results_of",
    "values_of",
]
