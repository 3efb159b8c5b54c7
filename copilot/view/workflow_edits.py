"""What a person may change of a workflow's step, and on what else a run can be made."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copilot.workflows import actions
from copilot.workflows.instantiate import Instance, fit
from copilot.workflows.model import Parameter, Step, reference
from state.model import State
from tools.base import Tool
from tools.conditions import KINDS, Thing
from tools.toolbox import Toolbox

_CATEGORIES = ("geotools", "vision")
_SIDES = re.compile(
    r"(?:^|[_\W])(?:before|after|pre|post|earlier|later|first|second|old|new|\d{6,8}|\d{4}-\d\d-\d\d)(?=$|[_\W])",
    re.IGNORECASE,
)
"""What tells the images of one place apart in their names: a side, or a day."""


@dataclass(frozen=True)
class Choice:
    """A tool that may be put in the place of a step, or in front of one of its arguments."""

    tool: Tool
    args: Mapping[str, Any]
    """Its arguments, `$@` being what the step was given."""
    lacks: str = ""
    """Which of its needs is known not to hold; empty where none is."""

    @property
    def title(self) -> str:
        """The tool's name as people read it."""
        words = self.tool.name.replace("_", " ")
        return words[:1].upper() + words[1:]


def open_arguments(step: Step, instance: Instance) -> tuple[str, ...]:
    """The arguments of a step that are data or results: what a step can be put in front of."""
    found = []
    for name, value in step.args.items():
        ref = reference(value) if isinstance(value, str) else None
        if ref is not None and instance.workflow.parameter(ref.name) is None:
            found.append(name)
    return tuple(found)


def own_values(step: Step, tool: Tool, instance: Instance) -> dict[str, Any]:
    """The plain values that a step has or may have, by argument, with what it has now."""
    things = set(open_arguments(step, instance)) | {each.argument for each in tool.preconditions}
    properties: Mapping[str, Any] = tool.schema.get("properties", {})
    found: dict[str, Any] = {}
    for name, schema in properties.items():
        value = step.args.get(name, schema.get("default"))
        if name in things or name == "anyway" or not _is_plain(value, schema):
            continue
        if not (isinstance(value, str) and "$" in value):
            found[name] = value
    return found


def _is_plain(value: Any, schema: Mapping[str, Any]) -> bool:
    if isinstance(value, (bool, int, float)) or (isinstance(value, str) and schema.get("format") is None):
        return True
    return value is None and bool(schema.get("enum"))


def step_parameters(step: Step, instance: Instance) -> tuple[Parameter, ...]:
    """The workflow's parameters that a step takes."""
    names = dict.fromkeys(ref.name for ref in step.references)
    found = (instance.workflow.parameter(name) for name in names)
    return tuple(each for each in found if each is not None)


def replacements(box: Toolbox, step: Step, thing: Thing | None, instance: Instance) -> tuple[Choice, ...]:
    """Tools that give the same kinds from the one thing that a step is given; those that fit first."""
    arguments = open_arguments(step, instance)
    if len(arguments) != 1 or step.tool not in box:
        return ()
    tool = box.get(step.tool)
    wanted = {(each.kind, each.argument) for each in tool.effects if each.kind in KINDS}
    kind = next((each.kind for each in tool.preconditions if each.argument == arguments[0]), "")
    found = []
    for other in _workers(box, step):
        gives = {(each.kind, each.argument) for each in other.effects if each.kind in KINDS}
        own = _only_thing(other, kind)
        if own is not None and wanted and wanted <= gives:
            found.append(Choice(other, {own: "$@"}, _lacking(other, own, thing)))
    return _fitting_first(found)


def insertions(box: Toolbox, step: Step, argument: str, thing: Thing | None) -> tuple[Choice, ...]:
    """Tools that make another of what a step's argument is given, needing nothing else."""
    if step.tool not in box:
        return ()
    kind = next((each.kind for each in box.get(step.tool).preconditions if each.argument == argument), "")
    found = []
    for other in _workers(box, step):
        own = _only_thing(other, kind)
        main = actions.main_key(other)
        same = any(each.kind == kind and each.argument == main and each.of == own for each in other.effects)
        if own is not None and same:
            found.append(Choice(other, {own: "$@"}, _lacking(other, own, thing)))
    return _fitting_first(found)


def _workers(box: Toolbox, step: Step) -> tuple[Tool, ...]:
    return tuple(
        each for each in box if each.category in _CATEGORIES and not each.external and each.name != step.tool
    )


def _only_thing(tool: Tool, kind: str) -> str | None:
    """The argument of a tool that takes that kind, where it needs nothing but that."""
    required = list(tool.schema.get("required", ()))
    if len(required) != 1:
        return None
    takes = {each.argument for each in tool.preconditions if each.kind == kind}
    return required[0] if required[0] in takes else None


def _lacking(tool: Tool, argument: str, thing: Thing | None) -> str:
    if thing is None:
        return ""
    lacks = actions.lacking(tool, actions.with_defaults(tool, {argument: "x"}), {argument: thing})
    return "; ".join(map(str, lacks))


def _fitting_first(found: Sequence[Choice]) -> tuple[Choice, ...]:
    return tuple(sorted(found, key=lambda each: (bool(each.lacks), each.tool.name)))


# -- on what else ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Elsewhere:
    """Other data that a workflow can be run on."""

    name: str
    data: Mapping[str, str]
    """Handles by input."""


def elsewhere(instance: Instance, things: Mapping[str, Thing], state: State) -> tuple[Elsewhere, ...]:
    """Other data of the session that fit a run's workflow: images of one grid together, else of one name.

    Features and tables stay those of the run; only files that were added are taken, not what runs have made.
    """
    workflow = instance.workflow
    kept = {
        each.name: instance.inputs[each.name]
        for each in workflow.inputs
        if each.needs.kind != "raster" and each.name in instance.inputs
    }
    taken = set(instance.inputs.values())
    names = {each.id: each.name for each in state.artifacts}
    brought = {
        each.id
        for each in state.artifacts
        if each.kind == "raster" and each.made_by.startswith("add_file") and each.id not in taken
    }
    open_inputs = [
        each for each in workflow.inputs if each.needs.kind == "raster" and each.name in instance.inputs
    ]
    if not open_inputs:
        return ()
    pool = {handle: thing for handle, thing in things.items() if handle in brought}
    fixed = {handle: things[handle] for handle in kept.values() if handle in things}
    found: list[Elsewhere] = []
    for group in _groups(pool, names, len(open_inputs)):
        while len(group) >= len(open_inputs):
            fitted = fit(workflow, {**group, **fixed}, kept)
            wanted = {each.name: fitted.inputs.get(each.name) for each in open_inputs}
            if fitted.missing or fitted.lacks or not all(wanted.values()):
                break
            data = {name: str(handle) for name, handle in wanted.items()} | kept
            found.append(
                Elsewhere(_named([names.get(str(each), str(each)) for each in wanted.values()]), data)
            )
            group = {key: each for key, each in group.items() if key not in data.values()}
    return tuple(found)


def _groups(pool: Mapping[str, Thing], names: Mapping[str, str], size: int) -> list[dict[str, Thing]]:
    """Things that belong together: one each where one is enough, else of one grid, else of one name."""
    if size == 1:
        return [{handle: thing} for handle, thing in pool.items()]
    by_grid: dict[str, dict[str, Thing]] = {}
    for handle, thing in pool.items():
        by_grid.setdefault(thing.grid_of or handle, {})[handle] = thing
    whole = [group for group in by_grid.values() if len(group) >= size]
    placed = {handle for group in whole for handle in group}
    by_name: dict[str, dict[str, Thing]] = {}
    for handle, thing in pool.items():
        if handle not in placed:
            by_name.setdefault(_stem(names.get(handle, handle)), {})[handle] = thing
    return [*whole, *(group for group in by_name.values() if len(group) >= size)]


def _stem(name: str) -> str:
    return re.sub(r"[_\W]+", " ", _SIDES.sub(" ", name)).strip().casefold()


def _named(names: Sequence[str]) -> str:
    return " + ".join(names)


__all__ = [
    "Choice",
    "Elsewhere",
    "elsewhere",
    "insertions",
    "open_arguments",
    "own_values",
    "replacements",
    "step_parameters",
]
