"""Reads the library: YAML files of tasks and methods into tasks and workflows, every word in its place.

`library/README.md` says how the files are written. A word that nobody reads is an error, with its file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from copilot.workflows.model import (
    Check,
    Failure,
    Input,
    Parameter,
    Reference,
    Source,
    Step,
    Task,
    Workflow,
    WorkflowError,
    reference,
    references,
)
from tools.conditions import Thing
from tools.toolbox import toolbox

LIBRARY = Path(__file__).parent / "library"
METHODS = "methods"
FIELDS = (
    "visualisation", "preprocessing", "land_cover", "agriculture", "forestry", "water", "disasters", "urban",
    "transport", "environment", "geology", "security", "archaeology", "atmosphere", "snow_ice",
)  # fmt: skip
MAX_BYTES = 1 << 20

_TASK = {
    "task", "field", "goal", "asked_as", "data", "parameters", "failures", "sources", "workflows", "try",
}  # fmt: skip
_VARIANT = {"id", "title", "when", "steps", "gives", "like", "change", "drop", "add", "sources"}
_STEP = {"id", "tool", "use", "with", "args", "why", "checks", "after", "method"}
_METHOD = {"method", "goal", "takes", "parameters", "steps", "gives"}
_INPUT = {"is", "about", "optional"}
_PARAMETER = {"default", "range", "choices", "unit", "why", "of", "times"}
_CHECK = {"measure", "of", "low", "high", "why"}


@dataclass(frozen=True)
class Method:
    """Steps that belong together and are used by several workflows."""

    name: str
    goal: str
    takes: tuple[str, ...]
    parameters: Mapping[str, Any]
    """By name, their defaults."""
    steps: tuple[Step, ...]
    gives: Mapping[str, str]
    """References by the key under which the method's user finds them; "" is the main one."""


@cache
def library(root: Path = LIBRARY) -> tuple[Task, ...]:
    """Every task of the library, by field and name. Raises WorkflowError."""
    known = methods(root)
    files = sorted(each for each in root.glob("*/*.yaml") if each.parent.name != METHODS)
    tasks = tuple(read_task(each, known) for each in files)
    twice = [each.id for at, each in enumerate(tasks) if each.id in {other.id for other in tasks[:at]}]
    if twice:
        raise WorkflowError(f"Two files of the library are for the task {twice[0]!r}.")
    return tasks


def methods(root: Path = LIBRARY) -> dict[str, Method]:
    """The methods of the library by name. Raises WorkflowError."""
    found = [read_method(each) for each in sorted((root / METHODS).glob("*.yaml"))]
    return {each.name: each for each in found}


def read_task(path: Path, known: Mapping[str, Method] | None = None) -> Task:
    """One task file. Raises WorkflowError, naming the file and what is wrong in it."""
    with _of(path):
        plain = _load(path)
        task = task_from(plain, methods() if known is None else known)
        if (path.stem, path.parent.name) != (task.id, task.field):
            raise WorkflowError(f"the file of {task.id!r} is {task.field}/{task.id}.yaml")
        return task


def read_method(path: Path) -> Method:
    """One method file. Raises WorkflowError, naming the file and what is wrong in it."""
    with _of(path):
        plain = _load(path)
        _only(plain, _METHOD, "a method")
        steps = tuple(_step(each) for each in _list(plain, "steps"))
        gives = plain.get("gives", f"${steps[-1].id}" if steps else "")
        return Method(
            _text(plain, "method"),
            _text(plain, "goal"),
            tuple(_mapping(plain, "takes")),
            {name: dict(each).get("default") for name, each in _mapping(plain, "parameters").items()},
            steps,
            {"": gives}
            if isinstance(gives, str)
            else {"" if k == "main" else k: v for k, v in gives.items()},
        )


def task_from(plain: Mapping[str, Any], known: Mapping[str, Method]) -> Task:
    """A task out of its file's content. Raises WorkflowError."""
    _only(plain, _TASK, "a task")
    name, field = _text(plain, "task"), _text(plain, "field")
    if field not in FIELDS:
        raise WorkflowError(f"there is no field {field!r}; there are {', '.join(FIELDS)}")
    inputs = {key: _input(key, each) for key, each in _mapping(plain, "data").items()}
    parameters = {key: _parameter(key, each) for key, each in _mapping(plain, "parameters").items()}
    variants: dict[str, Mapping[str, Any]] = {}
    workflows = []
    for each in _list(plain, "workflows"):
        variant = _whole(each, variants)
        variants[_text(variant, "id")] = variant
        workflows.append(_workflow(name, field, _text(plain, "goal"), variant, inputs, parameters, known))
    return Task(
        name,
        field,
        _text(plain, "goal"),
        tuple(_list(plain, "asked_as")),
        tuple(workflows),
        tuple(_failure(each) for each in _list(plain, "failures")),
        tuple(_source(each) for each in _list(plain, "sources")),
        _mapping(plain, "try"),
    )


def _whole(variant: Mapping[str, Any], before: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """A variant with its steps, where it says only how it differs from another above it."""
    _only(variant, _VARIANT, f"the workflow {variant.get('id')!r}")
    if "like" not in variant:
        return variant
    other = before.get(str(variant["like"]))
    if other is None:
        raise WorkflowError(
            f"{variant.get('id')!r} is like {variant['like']!r}, which does not stand above it"
        )
    dropped, changes = set(_list(variant, "drop")), _mapping(variant, "change")
    ids = [each["id"] for each in other["steps"]]
    for unknown in (dropped | set(changes)) - set(ids):
        raise WorkflowError(f"{other['id']!r} has no step {unknown!r} to change or drop")
    steps = [
        _changed(each, changes.get(each["id"], {})) for each in other["steps"] if each["id"] not in dropped
    ]
    for added in _list(variant, "add"):
        step = dict(added)
        before_id = step.pop("before", None)
        at = next((i for i, each in enumerate(steps) if each["id"] == before_id), len(steps))
        if before_id is not None and at == len(steps):
            raise WorkflowError(f"{variant.get('id')!r} adds a step before {before_id!r}, which is not there")
        steps.insert(at, step)
    kept = {key: each for key, each in other.items() if key in ("when", "gives", "sources")}
    return {**kept, **variant, "steps": steps}


def _changed(step: Mapping[str, Any], change: Mapping[str, Any]) -> Mapping[str, Any]:
    """A step with another tool, other arguments (None takes one away), checks or reason."""
    _only(change, _STEP - {"id"}, f"a change of {step['id']!r}")
    given = step.get("args", {}) if "tool" not in change or "args" not in change else {}
    args = {**given, **change.get("args", {})}
    inside = {**step.get("with", {}), **change.get("with", {})}
    whole = {**step, **change}
    if "args" in whole:
        whole["args"] = {key: value for key, value in args.items() if value is not None}
    if "with" in whole:
        whole["with"] = {key: value for key, value in inside.items() if value is not None}
    return whole


def _workflow(
    task: str,
    field: str,
    goal: str,
    variant: Mapping[str, Any],
    inputs: Mapping[str, Input],
    parameters: Mapping[str, Parameter],
    known: Mapping[str, Method],
) -> Workflow:
    name = _text(variant, "id")
    steps, gives = _expanded(_list(variant, "steps"), _given(variant), known)
    steps = _ordered_in_place(steps)
    used = {each.name for step in steps for each in step.references}
    return Workflow(
        f"{task}/{name}",
        _text(variant, "title"),
        goal,
        field,
        str(variant.get("when", "")),
        _used_inputs(inputs, used),
        tuple(each for key, each in parameters.items() if key in used),
        steps,
        gives,
        tuple(map(str, _list(variant, "sources"))),
    )


def _used_inputs(inputs: Mapping[str, Input], used: set[str]) -> tuple[Input, ...]:
    """The inputs that are used; what they say of inputs that are not is left out."""
    found = []
    for name, each in inputs.items():
        if name not in used:
            continue
        needs = each.needs
        if needs.grid_of not in used:
            needs = replace(needs, grid_of="")
        if needs.later_than not in used:
            needs = replace(needs, later_than="")
        found.append(replace(each, needs=needs))
    return tuple(found)


def _given(variant: Mapping[str, Any]) -> list[str]:
    gives = variant.get("gives", [])
    return [gives] if isinstance(gives, str) else list(map(str, gives))


def _expanded(
    plain: Sequence[Mapping[str, Any]], gives: Sequence[str], known: Mapping[str, Method]
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """The steps with those of methods in place of their use."""
    steps: list[Step] = []
    aliases: dict[str, str] = {}
    for each in plain:
        if "use" not in each:
            step = _step(each)
            steps.append(replace(step, args=_renamed(step.args, aliases)))
            continue
        _only(each, {"id", "use", "with", "why"}, f"the use of {each['use']!r}")
        method = known.get(str(each["use"]))
        if method is None:
            raise WorkflowError(f"there is no method {each['use']!r}; there are {', '.join(known) or 'none'}")
        inner, results = _inlined(method, _text(each, "id"), _mapping(each, "with"), str(each.get("why", "")))
        steps.extend(replace(step, args=_renamed(step.args, aliases)) for step in inner)
        aliases.update(results)
    return tuple(steps), tuple(str(_renamed(each, aliases)) for each in gives)


def _inlined(
    method: Method, name: str, given: Mapping[str, Any], why: str
) -> tuple[list[Step], dict[str, str]]:
    """A method's steps under `name`, and the references to its results by those that users write."""
    slots = {*method.takes, *method.parameters}
    for unknown in set(given) - slots:
        raise WorkflowError(f"the method {method.name!r} takes {', '.join(sorted(slots))}, not {unknown!r}")
    for missing in set(method.takes) - set(given):
        raise WorkflowError(f"{name!r} uses {method.name!r} without its {missing!r}")
    # Values first: a reference to a slot is what was given for it, one to a step is that step under its name.
    values = {**method.parameters, **given}
    inside = {step.id: f"{name}_{step.id}" for step in method.steps}

    def put(value: Any) -> Any:
        return _replaced(value, lambda ref: _inner(ref, values, inside))

    steps = [
        replace(
            step,
            id=inside[step.id],
            args={key: put(each) for key, each in step.args.items()},
            after=tuple(inside.get(each, each) for each in step.after),
            method=method.name,
            why=step.why or why or method.goal,
        )
        for step in method.steps
    ]
    results = {}
    for key, each in method.gives.items():
        results[f"${name}.{key}" if key else f"${name}"] = str(put(each))
    return steps, results


def _inner(found: Reference, values: Mapping[str, Any], inside: Mapping[str, str]) -> Any:
    if found.name in values and not found.key:
        return values[found.name]
    if found.name in inside:
        return str(replace(found, name=inside[found.name]))
    return str(found)


def _renamed(value: Any, aliases: Mapping[str, str]) -> Any:
    return _replaced(value, lambda ref: aliases.get(str(ref), str(ref)))


def _replaced(value: Any, of: Any) -> Any:
    """A value with each reference replaced by what `of` makes of it; those within texts by its text."""
    if isinstance(value, str):
        found = reference(value)
        if found is not None:
            return of(found)
        for each in references(value):
            made = of(each)
            inner = made if isinstance(made, str) and made.startswith("$") else None
            value = value.replace(f"${{{str(each)[1:]}}}", f"${{{inner[1:]}}}" if inner else str(made))
        return value
    if isinstance(value, Mapping):
        return {key: _replaced(each, of) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [_replaced(each, of) for each in value]
    return value


def _ordered_in_place(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps, where whatever uses a thing that a step changes in place comes after that step."""
    box = toolbox()
    changed: dict[str, str] = {}
    found = []
    for step in steps:
        before = [changed[str(each)] for each in step.references if str(each) in changed]
        found.append(replace(step, after=tuple(dict.fromkeys([*step.after, *before]))))
        effects = box.get(step.tool).effects if step.tool in box else ()
        for effect in effects:
            handle = step.args.get(effect.of) if effect.in_place else None
            if isinstance(handle, str):
                changed[handle] = step.id
    return tuple(found)


def _step(plain: Mapping[str, Any]) -> Step:
    _only(plain, _STEP - {"use", "with"}, f"the step {plain.get('id')!r}")
    return Step(
        _text(plain, "id"),
        _text(plain, "tool"),
        _mapping(plain, "args"),
        str(plain.get("why", "")),
        str(plain.get("method", "")),
        tuple(_check(each) for each in _list(plain, "checks")),
        tuple(map(str, _list(plain, "after"))),
    )


def _check(plain: Mapping[str, Any]) -> Check:
    _only(plain, _CHECK, "a check")
    if "low" not in plain and "high" not in plain:
        raise WorkflowError(f"the check of {plain.get('measure')!r} has neither low nor high")
    return Check(
        _text(plain, "measure"),
        str(plain.get("of", "")),
        None if plain.get("low") is None else float(plain["low"]),
        None if plain.get("high") is None else float(plain["high"]),
        str(plain.get("why", "")),
    )


def _input(name: str, plain: Any) -> Input:
    said = {"is": plain} if isinstance(plain, str) else plain
    _only(said, _INPUT, f"the data {name!r}")
    try:
        needs = Thing.parse(_text(said, "is"))
    except ValueError as error:
        raise WorkflowError(f"the data {name!r}: {error}") from None
    return Input(name, replace(needs, argument=name), str(said.get("about", "")), bool(said.get("optional")))


def _parameter(name: str, plain: Mapping[str, Any]) -> Parameter:
    _only(plain, _PARAMETER, f"the parameter {name!r}")
    low, high = plain.get("range", (None, None))
    return Parameter(
        name,
        plain.get("default"),
        low,
        high,
        tuple(plain.get("choices", ())),
        str(plain.get("unit", "")),
        str(plain.get("why", "")),
        str(plain.get("of", "")),
        float(plain.get("times", 1.0)),
    )


def _failure(plain: Mapping[str, Any]) -> Failure:
    _only(plain, {"shows", "cause", "then"}, "a failure")
    return Failure(_text(plain, "shows"), _text(plain, "cause"), _text(plain, "then"))


def _source(plain: Mapping[str, Any]) -> Source:
    _only(plain, {"title", "where", "for"}, "a source")
    return Source(_text(plain, "title"), _text(plain, "where"), str(plain.get("for", "")))


class _of:
    """Whatever is wrong within is said with the file's name."""

    def __init__(self, path: Path) -> None:
        self.name = f"{path.parent.name}/{path.name}"

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (WorkflowError, TypeError, AttributeError, ValueError)):
            raise WorkflowError(f"{self.name}: {str(error).rstrip('.')}.") from None


def _load(path: Path) -> Mapping[str, Any]:
    if path.stat().st_size > MAX_BYTES:
        raise WorkflowError(f"the file is larger than {MAX_BYTES >> 10} KiB")
    try:
        plain = yaml.load(
            path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise WorkflowError(f"it is no YAML: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(plain, Mapping):
        raise WorkflowError("it holds no mapping")
    return plain


def _only(plain: Mapping[str, Any], known: set[str], what: str) -> None:
    if not isinstance(plain, Mapping):
        raise WorkflowError(f"{what} is no mapping")
    extra = set(plain) - known - ({"before"} if what.startswith("the step") else set())
    if extra:
        raise WorkflowError(f"{what} has no {sorted(extra)[0]!r}; it has {', '.join(sorted(known))}")


def _text(plain: Mapping[str, Any], key: str) -> str:
    value = plain.get(key)
    if not isinstance(value, str) or not value.strip():
        raise WorkflowError(f"{key!r} is missing, or no text")
    return " ".join(value.split())


def _mapping(plain: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = plain.get(key) or {}
    if not isinstance(value, Mapping):
        raise WorkflowError(f"{key!r} is no mapping")
    return value


def _list(plain: Mapping[str, Any], key: str) -> list[Any]:
    value = plain.get(key) or []
    if not isinstance(value, list):
        raise WorkflowError(f"{key!r} is no list")
    return value


__all__ = ["FIELDS", "LIBRARY", "Method", "library", "methods", "read_method", "read_task", "task_from"]
