"""A whole run: what memory says first, repairs on the way, what is learned after."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from copilot.workflows.adjusting import Repairer
from copilot.workflows.engine import Heard, Report, Run
from copilot.workflows.instantiate import Instance
from copilot.workflows.memory import Memory, Variant
from copilot.workflows.model import Workflow
from copilot.workflows.reading import library
from tools.conditions import Thing

if TYPE_CHECKING:
    from copilot.session import Session

_SAID = ("modality", "level", "placed", "bands", "done")
"""The properties that make a context: what is the same the next time such data come."""


def run(
    session: Session,
    instance: Instance,
    *,
    turn: int | None = None,
    heard: Heard | None = None,
    stop: threading.Event | None = None,
    memory: Memory | None = None,
    repairs: bool = True,
) -> Report:
    """Run an instance to its end. With a memory it starts from what was learned, and learns from it.

    A learned variant that fails is set aside, and the workflow itself is run: what was learned never stands
    in the way of what would have gone well.
    """
    context = context_of(session, instance)
    variant = memory.variant(instance.workflow.id, context) if memory is not None else None
    if memory is not None and variant is not None:
        learned = _as_learned(instance, variant)
        report = Run(session, learned, turn=turn, heard=heard, stop=stop).run()
        if report.ok or report.cancelled:
            if report.ok:
                memory.judged(variant, True)
                memory.learn(report)
            return report
        memory.judged(variant, False)
    repairer = Repairer(siblings_of(instance.workflow), memory) if repairs else None
    report = Run(session, instance, turn=turn, heard=heard, stop=stop, repair=repairer).run()
    if memory is not None and not report.cancelled:
        memory.learn(report, context)
    return report


def siblings_of(workflow: Workflow) -> tuple[Workflow, ...]:
    """The other workflows of its task."""
    tasks = [each for each in library() if each.id == workflow.task]
    return tuple(each for task in tasks for each in task.workflows if each.id != workflow.id)


def context_of(session: Session, instance: Instance) -> tuple[str, ...]:
    """What is known of the data of an instance, as the words of a context."""
    from copilot.workflows.facts import known

    found: list[str] = []
    for name, handle in sorted(instance.inputs.items()):
        thing = known(session.state, session.world(), handle, session.events)
        found.extend(f"{name}.{each}" for each in _said(thing))
    return tuple(found)


def _said(thing: Thing) -> list[str]:
    said = {key: value for key, value in thing.said().items() if key in _SAID}
    words = [f"{key}={'+'.join(value) if isinstance(value, tuple) else value}" for key, value in said.items()]
    gaps = (thing.nodata_pct or 0) > 0.5
    return [*words, *(["gaps=yes"] if gaps else [])]


def _as_learned(instance: Instance, variant: Variant) -> Instance:
    note = {"step": "", "said": "as an earlier run was repaired", "because": "memory", "change": {}}
    return replace(
        instance,
        workflow=Workflow.from_json(variant.workflow),
        parameters={**instance.parameters, **variant.parameters},
        adjustments=(*instance.adjustments, note),
    )


__all__ = ["context_of", "run", "siblings_of"]
