"""From a goal and the data at hand to a workflow that can be run: which one, on what, with which values."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from copilot.workflows.model import Input, Task, Workflow, WorkflowError
from tools.conditions import Thing, Unmet, unmet

MOST_TRIED = 2000
"""Ways to give the data at hand to the inputs that are looked at; people have a handful of each."""
ASKED = "the request"
"""Where a value is from that a person asked for."""
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Instance:
    """A workflow bound to data and values: all that a run needs, and what it is remembered by."""

    workflow: Workflow
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Handles by the input's name."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    because: Mapping[str, str] = field(default_factory=dict)
    """By input or parameter, where its value is from."""
    adjustments: tuple[Mapping[str, Any], ...] = ()
    """What was changed at run time: step, trouble, change, in the order of the changes."""

    @property
    def id(self) -> str:
        """The same workflow on the same data with the same values is the same instance."""
        parts = [self.workflow.digest, dict(self.inputs), dict(self.parameters)]
        text = json.dumps(parts, sort_keys=True, default=str)
        return f"workflow-{sha256(text.encode()).hexdigest()[:6]}"

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "workflow": self.workflow.to_json(),
            "inputs": dict(self.inputs),
            "parameters": dict(self.parameters),
            "because": dict(self.because),
            "adjustments": [dict(each) for each in self.adjustments],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Instance:
        """An instance out of its JSON. Raises WorkflowError for what is none."""
        try:
            return cls(
                Workflow.from_json(plain["workflow"]),
                dict(plain["inputs"]),
                dict(plain["parameters"]),
                dict(plain.get("because", {})),
                tuple(plain.get("adjustments", ())),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise WorkflowError(f"This is no workflow to run: {error}.") from None


@dataclass(frozen=True)
class Question:
    """What only a person can say before a workflow can run."""

    about: str
    """The input or parameter."""
    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fit:
    """A workflow with the data at hand given to its inputs, and what they lack."""

    workflow: Workflow
    inputs: Mapping[str, str]
    missing: tuple[Input, ...] = ()
    lacks: tuple[Unmet, ...] = ()

    @property
    def cost(self) -> tuple[int, int, int]:
        """Less is better: what is missing, what does not hold, and then the fewer data left unused."""
        return len(self.missing), len(self.lacks), -len(self.inputs)


def search(tasks: Sequence[Task], goal: str, most: int = 5) -> tuple[tuple[Task, float], ...]:
    """The tasks nearest to a goal in words, best first, with a score of 0 to 1 (1: all words found).

    Words weigh by how few tasks have them. A task's best single phrase counts, with its goal and name.
    """
    wanted = _words(goal)
    if not wanted:
        return ()
    rare = _rarity(tuple(_text(each) for each in tasks))
    total = sum(rare.get(each, rare[""]) for each in wanted)
    scored = []
    for task in tasks:
        about = _words(f"{task.id} {task.goal} {task.field}")
        best = max((_share(wanted, _words(each) | about, rare) for each in task.asked_as), default=0.0)
        spoken = max((_likeness(wanted, _words(each), rare) for each in task.asked_as), default=0.0)
        scored.append((task, round(0.5 * (best / total if total else 0.0) + 0.5 * spoken, 4)))
    scored.sort(key=lambda each: (-each[1], each[0].id))
    return tuple(each for each in scored[:most] if each[1] > 0)


def fit(workflow: Workflow, things: Mapping[str, Thing], given: Mapping[str, str] | None = None) -> Fit:
    """The best way to give the things at hand (by handle) to a workflow's inputs; `given` ones stay.

    The order of the things is that of their coming: of two alike, the earlier goes to the earlier input.
    """
    fixed = {name: handle for name, handle in (given or {}).items() if workflow.input(name) is not None}
    best = _assigned(workflow, things, fixed)
    lacks = tuple(
        each
        for one in workflow.inputs
        if one.name in best
        for each in unmet(one.needs, things.get(best[one.name], Thing("raster")), _by_input(best, things))
    )
    missing = tuple(each for each in workflow.inputs if each.name not in best and not each.optional)
    return Fit(workflow, best, missing, lacks)


def choose(
    task: Task, things: Mapping[str, Thing], given: Mapping[str, str] | None = None
) -> tuple[Fit, ...]:
    """A task's workflows by how well the data at hand fit them; of equals, as the task lists them."""
    wanted = set(given or {})
    fits = [fit(each, things, given) for each in task.workflows]
    unused = [len(wanted - set(each.inputs)) for each in fits]
    order = sorted(range(len(fits)), key=lambda at: (fits[at].cost[:2], unused[at], fits[at].cost[2], at))
    return tuple(fits[at] for at in order)


def instance(
    chosen: Fit, things: Mapping[str, Thing], parameters: Mapping[str, Any] | None = None
) -> Instance | tuple[Question, ...]:
    """The workflow bound: parameters from the request, from the data, from defaults; else what to ask.

    Raises WorkflowError for a parameter that the workflow has not, or a value out of its range.
    """
    workflow, asked = chosen.workflow, dict(parameters or {})
    for name in asked:
        if workflow.parameter(name) is None:
            known = ", ".join(each.name for each in workflow.parameters) or "none"
            raise WorkflowError(f"{workflow.id} has no parameter {name!r}; it has {known}.")
    questions = [
        Question(
            each.name, f"Which data are {each.name}: {each.about or each.needs}?", _handles(each, things)
        )
        for each in chosen.missing
    ]
    values: dict[str, Any] = {}
    because = dict.fromkeys(chosen.inputs, "the data at hand")
    for parameter in workflow.parameters:
        name = parameter.name
        if name in asked:
            problem = parameter.problem(asked[name])
            if problem is not None:
                raise WorkflowError(problem)
            values[name], because[name] = asked[name], ASKED
        elif (told := _from_data(parameter.of, parameter.times, chosen, things)) is not None:
            within = min(max(told, parameter.low or -math.inf), parameter.high or math.inf)
            values[name], because[name] = within, f"{parameter.of} of the data"
        elif parameter.default is not None:
            values[name], because[name] = parameter.default, "the workflow's default"
        else:
            text = f"What is {name}{f' ({parameter.unit})' * bool(parameter.unit)}? {parameter.why}".strip()
            questions.append(Question(name, text, tuple(map(str, parameter.choices))))
    if questions:
        return tuple(questions)
    return Instance(workflow, chosen.inputs, values, because)


def _handles(wanted: Input, things: Mapping[str, Thing]) -> tuple[str, ...]:
    return tuple(name for name, thing in things.items() if thing.kind == wanted.needs.kind)


def _from_data(of: str, times: float, chosen: Fit, things: Mapping[str, Thing]) -> float | None:
    name, _, fact = of.partition(".")
    thing = things.get(chosen.inputs.get(name, ""))
    value = getattr(thing, {"pixel_m": "coarsest_m"}.get(fact, fact), None) if thing is not None else None
    return float(f"{value * times:.6g}") if isinstance(value, (int, float)) else None


def _assigned(workflow: Workflow, things: Mapping[str, Thing], fixed: Mapping[str, str]) -> dict[str, str]:
    """Inputs to handles with the least that is wrong, tried in the order of both."""
    free = [each for each in workflow.inputs if each.name not in fixed]
    order = {name: at for at, name in enumerate(things)}
    best: tuple[tuple[float, ...], dict[str, str]] | None = None
    tried = 0

    def place(at: int, taken: dict[str, str]) -> None:
        nonlocal best, tried
        if tried >= MOST_TRIED:
            return
        if at == len(free):
            tried += 1
            cost = _cost(workflow, taken, things, order)
            if best is None or cost < best[0]:
                best = cost, dict(taken)
            return
        for handle in things:
            if handle in taken.values() or not _could_be(free[at], things[handle]):
                continue
            place(at + 1, {**taken, free[at].name: handle})
        place(at + 1, taken)

    place(0, dict(fixed))
    return best[1] if best is not None else dict(fixed)


def _could_be(wanted: Input, thing: Thing) -> bool:
    kinds = {wanted.needs.kind, *({"detections"} if wanted.needs.kind == "vector" else set())}
    if thing.kind not in kinds:
        return False
    modality = wanted.needs.modality
    return not (modality and thing.modality and not set(thing.modality) & set(modality))


def _cost(
    workflow: Workflow, taken: Mapping[str, str], things: Mapping[str, Thing], order: Mapping[str, int]
) -> tuple[float, ...]:
    facts = _by_input(taken, things)
    required = sum(not each.optional and each.name not in taken for each in workflow.inputs)
    wrong = sum(
        len(unmet(each.needs, facts[each.name], facts)) for each in workflow.inputs if each.name in facts
    )
    # Dates, where they are known, tell before from after; else the order of coming does.
    late = sum(
        _is_later(facts.get(each.needs.later_than), facts.get(each.name))
        for each in workflow.inputs
        if each.needs.later_than
    )
    come = [order.get(taken[each.name], 0) for each in workflow.inputs if each.name in taken]
    swapped = sum(a > b for at, a in enumerate(come) for b in come[at + 1 :])
    return required, wrong, late, -len(taken), swapped, sum(come)


def _is_later(earlier: Thing | None, later: Thing | None) -> bool:
    if earlier is None or later is None or not earlier.later_than or not later.later_than:
        return False
    return later.later_than < earlier.later_than


def _by_input(taken: Mapping[str, str], things: Mapping[str, Thing]) -> dict[str, Thing]:
    return {
        name: replace(things.get(handle, Thing("raster")), argument=name) for name, handle in taken.items()
    }


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(each) for each in _WORD.findall(text.casefold().replace("_", " ")))


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def _text(task: Task) -> str:
    return " ".join((task.id, task.goal, task.field, *task.asked_as))


@lru_cache(maxsize=4)
def _rarity(texts: tuple[str, ...]) -> dict[str, float]:
    """How much each word tells, by how few tasks have it; that of "" is an unknown word's."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_words(text))
    size = len(texts)
    weights = {word: math.log((size + 1) / (count + 0.5)) for word, count in counts.items()}
    return {**weights, "": math.log(size + 1) if size > 1 else 1.0}


def _share(wanted: frozenset[str], has: frozenset[str], rare: Mapping[str, float]) -> float:
    return sum(rare.get(each, rare[""]) for each in wanted & has)


def _likeness(one: frozenset[str], other: frozenset[str], rare: Mapping[str, float]) -> float:
    """The weighted Jaccard index of two sets of words."""
    both = _share(one, other, rare)
    every = sum(rare.get(each, rare[""]) for each in one | other)
    return both / every if every else 0.0


__all__ = ["Fit", "Instance", "Question", "choose", "fit", "instance", "search"]
