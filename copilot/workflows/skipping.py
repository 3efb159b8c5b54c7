"""Leaves a step out of a workflow: what hung on it is given what the step was given, or is left out too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from copilot.workflows import actions
from copilot.workflows.model import Reference, Step, Workflow, WorkflowError, reference, references
from tools.conditions import Thing
from tools.toolbox import toolbox

_CONTINUOUS = {"index", "quantity"}
_MASKS = {"mask", "classes"}
"""A step that makes a continuous layer of another and of a mask lays the mask over it."""


def skipped(workflow: Workflow, step_id: str) -> Workflow:
    """The workflow without a step, and without the steps that only it needed.

    A step that makes another of the same (a filter, a mask laid over it) is passed by. What makes something
    else (a mask, a table) takes with it the steps that cannot do without. Raises WorkflowError where nothing
    of the answer would be left.
    """
    made = _without(workflow, step_id)
    made = _pruned(workflow, made)
    if not made.steps or not made.gives:
        raise WorkflowError(f"Without {step_id} nothing of what {workflow.id} gives would be left.")
    made.order()
    return made


def _without(workflow: Workflow, step_id: str) -> Workflow:
    step = workflow.step(step_id)
    through = _through(workflow, step)
    steps = [each for each in workflow.steps if each.id != step_id]
    if through is not None:
        steps = [replace(each, args=_given(each.args, step_id, through)) for each in steps]
        gives = [through if _is_of(each, step_id) else each for each in workflow.gives]
        gives = [each for each in gives if workflow.input(each.lstrip("$").partition(".")[0]) is None]
    else:
        gives = [each for each in workflow.gives if not _is_of(each, step_id)]
        needing = [each for each in steps if any(ref.name == step_id for ref in each.references)]
        steps = [_dropped(each, step_id) if each in needing else each for each in steps]
    steps = [replace(each, after=tuple(a for a in each.after if a != step_id)) for each in steps]
    made = replace(workflow, steps=tuple(steps), gives=tuple(dict.fromkeys(gives)))
    for each in made.steps:
        if any(ref.name == step_id for ref in each.references):
            made = _without(made, each.id) if each.id in made.step_ids else made
    return made


def _through(workflow: Workflow, step: Step) -> str | None:
    """What a step was given that its result is another of; None where it makes something else."""
    effect = _effect(step)
    given = step.args.get(effect.of) if effect is not None else None
    if effect is None or not isinstance(given, str) or reference(given) is None:
        return None
    if effect.kind not in {e.kind for e in toolbox().get(step.tool).preconditions if e.argument == effect.of}:
        return None
    if not effect.modality:
        return given
    before = _modality(workflow, reference(given))
    others = [
        each for each in step.references if workflow.parameter(each.name) is None and str(each) != given
    ]
    masked = len(others) == 1 and set(_modality(workflow, others[0])) <= _MASKS
    laid_over = masked and {*effect.modality, *before} <= _CONTINUOUS
    return given if before and (set(effect.modality) <= set(before) or laid_over) else None


def _effect(step: Step) -> Thing | None:
    """What is declared of a step's main result with the arguments that it has."""
    if step.tool not in toolbox():
        return None
    tool = toolbox().get(step.tool)
    main, arguments = actions.main_key(tool), actions.with_defaults(tool, step.args)
    return next((e for e in tool.effects if e.argument == main and e.of and e.applies(arguments)), None)


def _modality(workflow: Workflow, of: Reference | None) -> tuple[str, ...]:
    """What kind of raster a reference is, as far as it is declared."""
    if of is None:
        return ()
    if (given := workflow.input(of.name)) is not None:
        return given.needs.modality
    step = workflow.step(of.name) if of.name in workflow.step_ids else None
    effect = _effect(step) if step is not None else None
    if step is None or effect is None:
        return ()
    before = step.args.get(effect.of)
    return effect.modality or (_modality(workflow, reference(before)) if isinstance(before, str) else ())


def _given(args: Mapping[str, Any], step_id: str, through: str) -> dict[str, Any]:
    def one(value: Any) -> Any:
        if isinstance(value, str):
            found = reference(value)
            return through if found is not None and found.name == step_id else value
        if isinstance(value, Mapping):
            return {key: one(each) for key, each in value.items()}
        return [one(each) for each in value] if isinstance(value, Sequence) else value

    return {key: one(value) for key, value in args.items()}


def _dropped(step: Step, step_id: str) -> Step:
    """The step without those of its arguments that it can do without and that were of the step left out."""
    if step.tool not in toolbox():
        return step
    properties = toolbox().get(step.tool).schema.get("properties", {})
    if "expression" in properties:  # which speaks of what it is given by letters
        return step
    required = set(toolbox().get(step.tool).schema.get("required", ()))
    kept = {
        key: value
        for key, value in step.args.items()
        if key in required or all(ref.name != step_id for ref in references(value))
    }
    return replace(step, args=kept)


def _pruned(before: Workflow, made: Workflow) -> Workflow:
    """Without the steps that somebody needed before and nobody needs now."""
    needed_before = {first for first, _ in before.edges}
    while True:
        needed = {first for first, _ in made.edges} | {
            each.lstrip("$").partition(".")[0] for each in made.gives
        }
        kept = tuple(each for each in made.steps if each.id in needed or each.id not in needed_before)
        if kept == made.steps:
            return made
        made = replace(made, steps=kept)


def _is_of(given: str, step_id: str) -> bool:
    return given.lstrip("$").partition(".")[0] == step_id


__all__ = ["skipped"]
