"""The gold: 324 concrete workflows, two a task, with every parameter bound and what each ends in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from copilot.bench.knowflow.bringing import available
from copilot.workflows.model import Input, Step, Workflow, WorkflowError
from tools.conditions import Thing

FOLDER = Path(__file__).parent / "gold"
COMPLEXITIES = ("simple", "complex")


@dataclass(frozen=True)
class Gold:
    """One concrete workflow: what is asked, on which files, which calls, and what they end in."""

    id: str
    """`task.simple` or `task.complex`."""
    workflow: str
    """The library's, from which it was derived."""
    request: str
    data: Mapping[str, Any]
    """Specifications of files (`bringing`) by the input's name, in the order of their coming."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """What the workflow's parameters were bound to."""
    calls: tuple[Mapping[str, Any], ...] = ()
    """`id`, `tool`, `args`: values, `$input` or `$call.key`; no parameter is left."""
    gives: tuple[str, ...] = ()
    ends: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By reference, what came of it (`results.kept`)."""

    @property
    def task(self) -> str:
        """The library's task."""
        return self.id.partition(".")[0]

    @property
    def complexity(self) -> str:
        """simple or complex."""
        return self.id.partition(".")[2]

    @property
    def digest(self) -> str:
        """What stands for its content."""
        return sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()[:12]

    def to_json(self) -> dict[str, Any]:
        """As a line of the gold's files has it."""
        return {
            "id": self.id,
            "workflow": self.workflow,
            "request": self.request,
            "data": dict(self.data),
            "parameters": dict(self.parameters),
            "calls": [dict(each) for each in self.calls],
            "gives": list(self.gives),
            "ends": {key: dict(value) for key, value in self.ends.items()},
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Gold:
        """One out of its line."""
        return cls(**{**plain, "calls": tuple(plain["calls"]), "gives": tuple(plain["gives"])})

    @property
    def here(self) -> bool:
        """Whether its files are on this machine."""
        return all(available(each) for each in self.data.values())

    def as_workflow(self) -> Workflow:
        """Its calls as a workflow without parameters, which is how gold is played."""
        kinds = {name: Thing("raster", name) for name in self.data}
        steps = tuple(Step(each["id"], each["tool"], each["args"]) for each in self.calls)
        inputs = tuple(Input(name, kinds[name]) for name in self.data)
        return Workflow(self.workflow, self.id, self.request, "", "", inputs, (), steps, self.gives)


def bound_calls(
    workflow: Workflow, parameters: Mapping[str, Any], inputs: Iterable[str]
) -> tuple[dict[str, Any], ...]:
    """A workflow's steps as concrete calls: parameters as values, data and results as references."""
    given = set(inputs)
    names = {each.name for each in workflow.parameters}
    absent = {each.name for each in workflow.inputs} - given
    found = []
    for step in workflow.order():
        args = {key: _bound(value, parameters, names) for key, value in step.args.items()}
        kept = {key: value for key, value in args.items() if not _refers(value, absent)}
        found.append({"id": step.id, "tool": step.tool, "args": kept})
    return tuple(found)


def _refers(value: Any, names: set[str]) -> bool:
    return isinstance(value, str) and value.startswith("$") and value[1:].partition(".")[0] in names


def _bound(value: Any, parameters: Mapping[str, Any], names: set[str]) -> Any:
    from copilot.workflows.model import bound, reference, references

    if isinstance(value, Mapping):
        return {key: _bound(each, parameters, names) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_bound(each, parameters, names) for each in value]
    if not isinstance(value, str):
        return value
    told = reference(value)
    if told is not None:
        return parameters[told.name] if told.name in names else value
    within = {each.name for each in references(value)}
    if within and within <= names:
        return bound(value, parameters)
    return value


@lru_cache(maxsize=2)
def gold(folder: Path = FOLDER) -> tuple[Gold, ...]:
    """Every gold workflow, in the order of the tasks, the simple one first. Raises WorkflowError."""
    found: list[Gold] = []
    for name in COMPLEXITIES:
        path = folder / f"{name}.jsonl"
        if not path.is_file():
            raise WorkflowError(f"There is no {path.name} in {folder}; the bench's gold is not here.")
        found.extend(
            Gold.from_json(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()
        )
    return tuple(sorted(found, key=lambda each: (each.task, each.complexity != "simple")))


__all__ = ["COMPLEXITIES", "FOLDER", "Gold", "bound_calls", "gold"]
