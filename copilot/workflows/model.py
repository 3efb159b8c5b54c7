"""What a workflow is: a frozen value of inputs, parameters and steps whose bindings make an acyclic graph.

A step calls one tool. Its arguments are plain values or references: `$name` is an input, a parameter or the
main result of a step, `$step.key` another of its results; within a longer text `${name}` is filled in, and
`$$` is a dollar. JSON in and out is lossless.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from tools.conditions import Thing

_WITHIN = re.compile(r"\$\{([A-Za-z_]\w*(?:\.\w+)?)\}")


class WorkflowError(Exception):
    """What is wrong with a workflow, in one sentence."""


@dataclass(frozen=True)
class Input:
    """Data that a workflow is given."""

    name: str
    needs: Thing
    """What it must be, in the words of `tools.conditions`."""
    about: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Parameter:
    """A value that may be another at each run."""

    name: str
    default: Any = None
    """None: it is asked for."""
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()
    unit: str = ""
    why: str = ""
    """Why the default, and what another value does."""
    of: str = ""
    """`input.property`: what of the data the default is taken from, where that is known."""
    times: float = 1.0
    """What the property is multiplied by."""

    def problem(self, value: Any) -> str | None:
        """Why a value cannot be taken, in one sentence; None where it can."""
        if self.choices:
            known = ", ".join(map(str, self.choices))
            return None if value in self.choices else f"{self.name} is {value!r}, and is one of {known}."
        if (self.low is None and self.high is None) or isinstance(value, (list, tuple)):
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return f"{self.name} is {value!r}, and is a number."
        low = self.low if self.low is not None else value
        high = self.high if self.high is not None else value
        if low <= value <= high:
            return None
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.name} is {value:g}, and lies within {low:g} and {high:g}{unit}."


@dataclass(frozen=True)
class Check:
    """A limit on a quality measure of what a step made."""

    measure: str
    """A measure of `quality.MEASURES`, or `figure.KEY` for a number that the tool itself gives."""
    of: str = ""
    """Which result; empty: the main one."""
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Step:
    """One call of a tool."""

    id: str
    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""
    """Why the step is there: shown to whoever asks."""
    method: str = ""
    """The part of the workflow that it belongs to: what it was called as."""
    checks: tuple[Check, ...] = ()
    after: tuple[str, ...] = ()
    """Steps that come first without giving anything."""

    @property
    def references(self) -> tuple[Reference, ...]:
        """What its arguments refer to, in their order."""
        return tuple(references(self.args))


@dataclass(frozen=True)
class Reference:
    """`$name` or `$name.key`."""

    name: str
    key: str = ""

    def __str__(self) -> str:
        return f"${self.name}.{self.key}" if self.key else f"${self.name}"


@dataclass(frozen=True)
class Workflow:
    """A graph of steps."""

    id: str
    """`task/variant`."""
    title: str
    goal: str
    field: str
    when: str = ""
    """When this one, and not another of the task."""
    inputs: tuple[Input, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    steps: tuple[Step, ...] = ()
    gives: tuple[str, ...] = ()
    """References to the results that are the answer, or names of steps that show or measure it."""
    sources: tuple[str, ...] = ()
    made_of: str = ""
    """The workflow that this one was repaired or changed from."""

    @property
    def task(self) -> str:
        """The task that it belongs to."""
        return self.id.partition("/")[0]

    @cached_property
    def digest(self) -> str:
        """What stands for its content, whatever it is called."""
        plain = self.to_json()
        for name in ("id", "title", "goal", "field", "when", "sources", "made_of"):
            plain.pop(name, None)
        return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:12]

    def step(self, step_id: str) -> Step:
        """The step of that id. Raises WorkflowError."""
        found = next((each for each in self.steps if each.id == step_id), None)
        if found is None:
            raise WorkflowError(f"{self.id} has no step {step_id!r}; it has {', '.join(self.step_ids)}.")
        return found

    @cached_property
    def step_ids(self) -> tuple[str, ...]:
        """The ids of its steps, as they are written."""
        return tuple(each.id for each in self.steps)

    def input(self, name: str) -> Input | None:
        """The input of that name."""
        return next((each for each in self.inputs if each.name == name), None)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return next((each for each in self.parameters if each.name == name), None)

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """(from, to) by step ids: who gives something to whom, who comes after whom, each once."""
        found = dict.fromkeys(
            (before, step.id)
            for step in self.steps
            for before in (*(each.name for each in step.references), *step.after)
            if before in self.step_ids
        )
        return tuple(found)

    def order(self) -> tuple[Step, ...]:
        """The steps so that each comes after what it needs, else as written. Raises WorkflowError."""
        before: dict[str, set[str]] = {each.id: set() for each in self.steps}
        for first, then in self.edges:
            before[then].add(first)
        done: list[str] = []
        while len(done) < len(self.steps):
            ready = next((i for i in self.step_ids if i not in done and before[i] <= set(done)), None)
            if ready is None:
                left = ", ".join(i for i in self.step_ids if i not in done)
                raise WorkflowError(f"{self.id} has a circle among the steps {left}.")
            done.append(ready)
        return tuple(self.step(each) for each in done)

    def levels(self) -> tuple[tuple[Step, ...], ...]:
        """The steps by levels: those of one level need nothing of each other."""
        depth: dict[str, int] = {}
        for step in self.order():
            depth[step.id] = 1 + max((depth[a] for a, b in self.edges if b == step.id), default=-1)
        return tuple(
            tuple(each for each in self.order() if depth[each.id] == level)
            for level in sorted(set(depth.values()))
        )

    def downstream(self, step_id: str) -> frozenset[str]:
        """The steps that hang on one, itself among them."""
        found = {step_id}
        for step in self.order():
            if any(then == step.id and first in found for first, then in self.edges):
                found.add(step.id)
        return frozenset(found)

    def with_step(self, step: Step) -> Workflow:
        """This workflow with a step in place of the one of its id."""
        return replace(self, steps=tuple(step if each.id == step.id else each for each in self.steps))

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self), default=dict))
        for each, said in zip(plain["inputs"], self.inputs, strict=True):
            each["needs"] = str(said.needs)
        return plain

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Workflow:
        """A workflow out of its JSON. Raises WorkflowError for what is none."""
        try:
            return cls(
                **{
                    **plain,
                    "inputs": tuple(
                        Input(**{**each, "needs": Thing.parse(each["needs"])}) for each in plain["inputs"]
                    ),
                    "parameters": tuple(
                        Parameter(**{**each, "choices": tuple(each.get("choices", ()))})
                        for each in plain["parameters"]
                    ),
                    "steps": tuple(step_from_json(each) for each in plain["steps"]),
                    "gives": tuple(plain["gives"]),
                    "sources": tuple(plain["sources"]),
                }
            )
        except (KeyError, TypeError, ValueError) as error:
            raise WorkflowError(f"This is no workflow: {error}.") from None


def step_from_json(plain: Mapping[str, Any]) -> Step:
    """A step out of its JSON."""
    checks = tuple(Check(**each) for each in plain.get("checks", ()))
    return Step(**{**plain, "checks": checks, "after": tuple(plain.get("after", ()))})


@dataclass(frozen=True)
class Failure:
    """A failure that is known of a task: what it shows as, what it comes from, what then."""

    shows: str
    cause: str
    then: str


@dataclass(frozen=True)
class Source:
    """Where a procedure or a limit is from."""

    title: str
    where: str
    """A DOI or an address."""
    for_what: str = ""


@dataclass(frozen=True)
class Task:
    """A goal with the workflows that reach it."""

    id: str
    field: str
    goal: str
    asked_as: tuple[str, ...] = ()
    workflows: tuple[Workflow, ...] = ()
    failures: tuple[Failure, ...] = ()
    sources: tuple[Source, ...] = ()
    tried_on: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    """By the workflow's name: what it can be run on here, and what must come out (`recording`)."""


def references(value: Any) -> Iterator[Reference]:
    """Every reference in an argument, however deep."""
    if isinstance(value, str):
        found = reference(value)
        if found is not None:
            yield found
        for name in _WITHIN.findall(value):
            yield Reference(*_parted(name))
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from references(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from references(each)


def reference(text: str) -> Reference | None:
    """The reference that a text is; None for another text."""
    if not text.startswith("$") or text.startswith(("$$", "${")):
        return None
    return Reference(*_parted(text[1:]))


def _parted(text: str) -> tuple[str, str]:
    name, _, key = text.partition(".")
    return name, key


def bound(value: Any, values: Mapping[str, Any]) -> Any:
    """An argument with its references replaced by what `values` has under their texts without the dollar.

    A reference to what is not there is None. Raises nothing.
    """
    if isinstance(value, str):
        found = reference(value)
        if found is not None:
            return values.get(str(found)[1:])
        filled = _WITHIN.sub(lambda match: _plain(values.get(match[1])), value)
        return filled.replace("$$", "$", 1) if filled.startswith("$$") else filled
    if isinstance(value, Mapping):
        return {key: bound(each, values) for key, each in value.items()}
    if isinstance(value, Sequence):
        each_bound = [bound(each, values) for each in value]
        return [each for each in each_bound if each is not None]
    return value


def _plain(value: Any) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


__all__ = [
    "Check",
    "Failure",
    "Input",
    "Parameter",
    "Reference",
    "Source",
    "Step",
    "Task",
    "Workflow",
    "WorkflowError",
    "bound",
    "reference",
    "references",
]
