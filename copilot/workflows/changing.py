"""Changes of a workflow's graph: a value, a step put in, a tool replaced; each a value that can be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from copilot.workflows.instantiate import Instance
from copilot.workflows.model import Step, Workflow, WorkflowError
from copilot.workflows.skipping import skipped

Kind = Literal["parameter", "argument", "insert", "replace", "skip", "together", "workflow"]
KINDS = get_args(Kind)


@dataclass(frozen=True)
class Change:
    """One change, or several together."""

    kind: Kind
    step: str = ""
    """The step that it is for; empty for a step put in front of one of the data."""
    name: str = ""
    """The parameter, or the argument: whose value changes, or what a step is put in front of; or the data."""
    value: Any = None
    tool: str = ""
    """The tool of the step put in, or in place."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """Its arguments; `$@` stands for what the step was given before."""
    workflow: str = ""
    """The id of the workflow to take instead."""
    parts: tuple[Change, ...] = ()

    @property
    def cost(self) -> int:
        """How much of the graph changes."""
        if self.kind == "together":
            return sum(each.cost for each in self.parts)
        return {"parameter": 1, "argument": 1, "insert": 2, "replace": 3, "skip": 4, "workflow": 5}[self.kind]

    def __str__(self) -> str:
        if self.kind == "parameter":
            return f"{self.name} set to {self.value}"
        if self.kind == "argument":
            return f"{self.name} of {self.step} set to {self.value}"
        if self.kind == "insert" and not self.step:
            return f"{self.tool} put in front of {self.name}"
        if self.kind == "insert":
            return f"{self.tool} put in before {self.step}, for its {self.name}"
        if self.kind == "replace":
            return f"{self.step} done by {self.tool}"
        if self.kind == "skip":
            return f"{self.step} left out"
        if self.kind == "workflow":
            return f"{self.workflow} taken instead"
        return " and ".join(map(str, self.parts))

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values, without what is not said."""
        plain: dict[str, Any] = {"kind": self.kind}
        for name in ("step", "name", "value", "tool", "workflow"):
            if getattr(self, name) not in ("", None):
                plain[name] = getattr(self, name)
        if self.args:
            plain["args"] = dict(self.args)
        if self.parts:
            plain["parts"] = [each.to_json() for each in self.parts]
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Change:
        """A change out of its JSON. Raises WorkflowError for what is none."""
        try:
            parts = tuple(cls.from_json(each) for each in plain.get("parts", ()))
            made = cls(**{**plain, "parts": parts})
        except (TypeError, AttributeError) as error:
            raise WorkflowError(f"This is no change of a workflow: {error}.") from None
        if made.kind not in KINDS:
            raise WorkflowError(f"There is no change of the kind {made.kind!r}; it is {', '.join(KINDS)}.")
        return made


def changed(instance: Instance, change: Change, others: Mapping[str, Workflow] | None = None) -> Instance:
    """The instance after a change; nothing is noted on it. Raises WorkflowError where it cannot be made."""
    if change.kind == "together":
        for each in change.parts:
            instance = changed(instance, each, others)
        return instance
    if change.kind == "parameter":
        return _with_parameter(instance, change)
    if change.kind == "workflow":
        other = (others or {}).get(change.workflow)
        if other is None:
            raise WorkflowError(f"There is no workflow {change.workflow!r}.")
        return _with_workflow(instance, other)
    workflow = instance.workflow
    if change.kind == "insert" and not change.step:
        return replace(instance, workflow=_from(workflow, _in_front(workflow, change)))
    step = workflow.step(change.step)
    if change.kind == "skip":
        return replace(instance, workflow=_from(workflow, skipped(workflow, change.step)))
    if change.kind == "argument":
        made = replace(step, args={**step.args, change.name: change.value})
        return replace(instance, workflow=_from(workflow, workflow.with_step(made)))
    if change.kind == "replace":
        args = {key: _in_place(value, step.args.get(change.name)) for key, value in change.args.items()}
        made = replace(step, tool=change.tool, args=args)
        return replace(instance, workflow=_from(workflow, workflow.with_step(made)))
    return replace(instance, workflow=_from(workflow, _inserted(workflow, step, change)))


def noted(before: Instance, after: Instance, change: Change, **note: str) -> Instance:
    """The instance after a change with the change on its record, and the steps that are gone by it."""
    gone = [each for each in before.workflow.steps if each.id not in after.workflow.step_ids]
    said: dict[str, Any] = {**note, "change": change.to_json(), "said": str(change)}
    if gone and change.kind != "workflow":
        said["gone"] = [{"id": each.id, "tool": each.tool, "why": each.why} for each in gone]
    return replace(after, adjustments=(*before.adjustments, said))


def since(note: Mapping[str, Any]) -> str:
    """Why a change was made that no failure asked for, as part of a sentence; empty where that is unsaid."""
    return f", since {note['because']}" if note.get("because") else ""


def _with_parameter(instance: Instance, change: Change) -> Instance:
    parameter = instance.workflow.parameter(change.name)
    if parameter is None:
        raise WorkflowError(f"{instance.workflow.id} has no parameter {change.name!r}.")
    problem = parameter.problem(change.value)
    if problem is not None:
        raise WorkflowError(problem)
    return replace(instance, parameters={**instance.parameters, change.name: change.value})


def _with_workflow(instance: Instance, other: Workflow) -> Instance:
    inputs = {key: each for key, each in instance.inputs.items() if other.input(key) is not None}
    missing = [each.name for each in other.inputs if each.name not in inputs and not each.optional]
    values = {each.name: instance.parameters.get(each.name, each.default) for each in other.parameters}
    missing += [name for name, value in values.items() if value is None]
    if missing:
        raise WorkflowError(f"{other.id} would need {', '.join(missing)} too.")
    return replace(
        instance, workflow=replace(other, made_of=instance.workflow.id), inputs=inputs, parameters=values
    )


def _inserted(workflow: Workflow, step: Step, change: Change) -> Workflow:
    """A step put in front of one argument; other steps that were given the same go on being given it."""
    given = step.args.get(change.name)
    if given is None:
        raise WorkflowError(f"{step.id} has no {change.name!r} to put {change.tool} in front of.")
    new_id = _free(workflow, f"{change.tool}_for_{step.id}")
    args = {key: _in_place(value, given) for key, value in change.args.items()}
    new = Step(new_id, change.tool, args, f"Put in by a repair, before {step.id}.", "repair")
    in_place = "in_place" in change.args
    if in_place:
        new = replace(new, args={key: each for key, each in args.items() if key != "in_place"})
        changed_step = replace(step, after=(*step.after, new_id))
    else:
        changed_step = replace(step, args={**step.args, change.name: f"${new_id}"})
    at = workflow.step_ids.index(step.id)
    steps = [changed_step if each.id == step.id else each for each in workflow.steps]
    return replace(workflow, steps=(*steps[:at], new, *steps[at:]))


def _in_front(workflow: Workflow, change: Change) -> Workflow:
    """A step put in front of one of the data, wherever it is used; behind what was put there before."""
    if workflow.input(change.name) is None:
        raise WorkflowError(f"{workflow.id} has no data {change.name!r} to put {change.tool} in front of.")
    given, chain = f"${change.name}", []
    for step in workflow.steps:
        if step.id.startswith(f"{step.tool}_of_{change.name}"[:40]) and given in step.args.values():
            chain.append(step.id)
            given = given if _names_it(step, change.name) else f"${step.id}"
    new_id = _free(workflow, f"{change.tool}_of_{change.name}")
    args = {key: _in_place(value, given) for key, value in change.args.items() if key != "in_place"}
    new = Step(
        new_id, change.tool, args, f"Put in front of {change.name}.", "repair", after=tuple(chain[-1:])
    )
    steps = []
    for step in workflow.steps:
        used = step.id not in chain and any(str(each) == given for each in step.references)
        if used and "in_place" in change.args:
            step = replace(step, after=(*step.after, new_id))
        elif used:
            step = replace(step, args=_put(step.args, given, f"${new_id}"))
        steps.append(step)
    at = next((n for n, step in enumerate(steps) if step.id not in chain), 0)
    return replace(workflow, steps=(*steps[:at], new, *steps[at:]))


def _names_it(step: Step, name: str) -> bool:
    """Whether a step put in front changes the thing itself, so that it goes on being what is given."""
    from tools.toolbox import toolbox

    box = toolbox()
    return step.tool in box and all(e.in_place for e in box.get(step.tool).effects if e.of)


def _put(value: Any, old: str, new: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _put(each, old, new) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_put(each, old, new) for each in value]
    return new if value == old else value


def _in_place(value: Any, given: Any) -> Any:
    if value == "$@":
        return given
    if isinstance(value, list):
        return [_in_place(each, given) for each in value]
    return value


def _free(workflow: Workflow, name: str) -> str:
    named = {*(each.name for each in workflow.inputs), *(each.name for each in workflow.parameters)}
    taken = {*workflow.step_ids, *named}
    number = 1
    found = name[:40]
    while found in taken:
        number += 1
        found = f"{name[:40]}_{number}"
    return found


def _from(old: Workflow, new: Workflow) -> Workflow:
    return replace(new, made_of=old.made_of or old.id)


__all__ = ["Change", "changed", "noted", "since"]
