"""A whole run: what memory says first, repairs on the way, what is learned after."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from copilot.workflows.adjusting import Propose, Repairer
from copilot.workflows.emptiness import with_own_values
from copilot.workflows.engine import Ahead, Before, Heard, Report, Run
from copilot.workflows.instantiate import ASKED, Instance
from copilot.workflows.memory import Memory, Variant
from copilot.workflows.model import Workflow, WorkflowError
from copilot.workflows.preparing import prepared
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
    before: Before | None = None,
    propose: Propose | None = None,
    ahead: Ahead | None = None,
) -> Report:
    """Run an instance to its end. With a memory it starts from what was learned, and learns from it.

    A learned variant that fails is set aside, and the workflow itself is run: what was learned never stands
    in the way of what would have gone well.
    """
    context = context_of(session, instance)
    # What a person has changed is run as it was changed.
    own = bool(instance.workflow.made_of or instance.adjustments)
    variant = memory.variant(instance.workflow.id, context) if memory is not None and not own else None
    learned = _as_learned(instance, variant) if variant is not None else None
    if memory is not None and variant is not None and learned is None:
        memory.judged(variant, False)
    elif memory is not None and variant is not None and learned is not None:
        ready = prepared(session, learned, turn) if repairs else learned
        report = Run(session, ready, turn=turn, heard=heard, stop=stop, before=before, ahead=ahead).run()
        if report.ok or report.cancelled:
            if report.ok:
                memory.judged(variant, True)
                memory.learn(report)
            return report
        memory.judged(variant, False)
    repairer = Repairer(lambda: siblings_of(instance.workflow), memory, propose=propose) if repairs else None

    def went(one: Instance) -> Report:
        return Run(
            session, one, turn=turn, heard=heard, stop=stop, repair=repairer, before=before, ahead=ahead
        ).run()

    ready = prepared(session, instance, turn) if repairs and not own else instance
    report = went(ready)
    if ready is not instance and report.trouble is not None:
        # What was put in front stood in the way: the workflow as it is may still go well.
        report = went(instance)
    if repairs:
        report = with_own_values(session, report, went, turn)
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


def _as_learned(instance: Instance, variant: Variant) -> Instance | None:
    """The instance as an earlier one was repaired; None where that promises less than the workflow does."""
    try:
        learned = Workflow.from_json(variant.workflow)
        learned.order()
    except WorkflowError:
        return None
    if not _keeps_to(learned, instance.workflow):
        return None
    note = {"step": "", "said": "as an earlier run was repaired", "because": "memory", "change": {}}
    values = {k: v for k, v in variant.parameters.items() if instance.because.get(k) != ASKED}
    return replace(
        instance,
        workflow=learned,
        parameters={**instance.parameters, **values},
        adjustments=(*instance.adjustments, note),
    )


def _keeps_to(learned: Workflow, original: Workflow) -> bool:
    """Whether a variant gives what its original gives, by the same checks, from what that is given.

    Another workflow of the task, which was taken instead, gives its own.
    """
    if learned.task != original.task:
        return False
    if any(not each.optional and original.input(each.name) is None for each in learned.inputs):
        return False
    if learned.id != original.id:
        return any(each.id == learned.id and each.digest == learned.digest for each in siblings_of(original))
    checks = {(each.id, check) for each in original.steps for check in each.checks}
    kept = {(each.id, check) for each in learned.steps for check in each.checks}
    return learned.gives == original.gives and checks <= kept


__all__ = ["context_of", "run", "siblings_of"]
