"""From a goal in words to one workflow on the data at hand: which task, which way, with which values.

A task is found by its words (`instantiate.search`) and by its meaning, with the embedded encoder where it is
there; of the near tasks' workflows those that the data at hand do not fit are left out, and of the others the
one whose title and `when` are nearest to what was said is taken, the more so the more of the data it uses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copilot.language.mentions import Mentions, Number, stems
from copilot.workflows.instantiate import Fit, fit, search
from copilot.workflows.model import Parameter, Task, Workflow
from tools.conditions import Thing

NEAR = 8
"""Tasks whose workflows are looked at."""
_UNUSED = 0.15
"""What each thing at hand that a workflow has no use for counts against it, up to three."""
_MEANING, _WAY = 1.0, 0.6
"""Weights of the meaning of the task, and of the workflow's own words, beside the task's words."""


@dataclass(frozen=True)
class Choice:
    """A workflow on the data at hand, and how near it is to what was said."""

    fit: Fit
    task: Task
    score: float


def choices(
    tasks: Sequence[Task], said: str, things: Mapping[str, Thing], given: Mapping[str, str] | None = None
) -> tuple[Choice, ...]:
    """The workflows that may be meant, the likeliest first; only those that the data at hand fit.

    Where nothing near fits the data, those of the nearest task, so that what is missing can be told.
    """
    near = near_tasks(tasks, said)
    found = []
    for task, score in near:
        ways = _ways(said, task.workflows)
        for workflow, way in zip(task.workflows, ways, strict=True):
            fitted = fit(workflow, things, given)
            if fitted.missing or fitted.lacks:
                continue
            unused = min(len(set(things) - set(fitted.inputs.values())), 3)
            found.append(Choice(fitted, task, score + _WAY * way - _UNUSED * unused))
    found.sort(key=lambda each: -each.score)
    if found or not near:
        return tuple(found)
    task = near[0][0]
    return tuple(Choice(fit(each, things, given), task, 0.0) for each in task.workflows)


def near_tasks(tasks: Sequence[Task], said: str, most: int = NEAR) -> tuple[tuple[Task, float], ...]:
    """The tasks nearest to a goal by words and by meaning, with a score that tells them apart."""
    worded = {task.id: score for task, score in search(tasks, said, len(tasks))}
    meant = _meanings(said, tuple((each.id, (each.goal, *each.asked_as)) for each in tasks))
    scored = [(each, worded.get(each.id, 0.0) + _MEANING * meant.get(each.id, 0.0)) for each in tasks]
    scored.sort(key=lambda each: (-each[1], each[0].id))
    return tuple(each for each in scored[:most] if worded.get(each[0].id, 0.0) > 0 or meant)


def _ways(said: str, workflows: Sequence[Workflow]) -> list[float]:
    """How near each workflow's own words are to what was said, 0 to 1 within the task."""
    texts = tuple(f"{each.title}. {each.when}" for each in workflows)
    vectors = _vectors(texts)
    if vectors is None:
        return [_shared(said, each) for each in texts]
    wanted = _vectors((said,))
    assert wanted is not None
    likeness = vectors @ wanted[0]
    return [float(each) + 0.5 * _shared(said, text) for each, text in zip(likeness, texts, strict=True)]


def _meanings(said: str, tasks: tuple[tuple[str, tuple[str, ...]], ...]) -> dict[str, float]:
    """By task, how near the meaning of its nearest phrase is; nothing without the encoder's files."""
    texts = tuple(text for _, each in tasks for text in each)
    vectors, wanted = _vectors(texts), _vectors((said,))
    if vectors is None or wanted is None:
        return {}
    likeness = vectors @ wanted[0]
    found: dict[str, float] = {}
    at = 0
    for name, each in tasks:
        part = likeness[at : at + len(each)]
        found[name] = float(part.max())
        at += len(each)
    return found


@lru_cache(maxsize=512)
def _vectors(texts: tuple[str, ...]) -> NDArray[np.float32] | None:
    from copilot.engine import encode_texts
    from tools.base import OutsideError

    try:
        found = encode_texts(texts)
    except OutsideError:
        return None
    length = np.linalg.norm(found, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = found / np.maximum(length, 1e-9)
    return scaled


def _shared(said: str, text: str) -> float:
    wanted, has = stems(said), stems(text)
    return len(wanted & has) / len(has) if has else 0.0


# -- values ------------------------------------------------------------------------------------------

_BY_UNIT = {"px": "px", "pixel": "px", "pixels": "px", "%": "pct"}
_UNITS = ("m2", "m", "px", "pct")


def values(workflow: Workflow, said: str) -> dict[str, Any]:
    """What a request says of a workflow's parameters: numbers beside their names, or the only ones of a unit.

    A number goes to the parameter whose words stand nearest before or after it; one that fits none is left.
    """
    found: dict[str, Any] = {}
    lowered = said.casefold()
    for one in Mentions(said, date.min).numbers:
        unit, number = _measured(one)
        if not unit and not any(map(str.isdigit, said[one.start : one.end])):
            continue  # "one date", "the second": words for other things too
        around = f"{lowered[max(0, one.start - 40) : one.start]} {lowered[one.end : one.end + 25]}"
        scored = [
            (score, each)
            for each in workflow.parameters
            if each.name not in found and (score := _belongs(each, around, unit)) > 0
        ]
        best = max(scored, key=lambda each: each[0], default=None)
        if best is None:
            continue
        whole = number.is_integer() and isinstance(best[1].default, (int, type(None)))
        kept: Any = int(number) if whole else number
        if best[1].problem(kept) is None:
            found[best[1].name] = kept
    for each in workflow.parameters:
        told = [
            one
            for one in each.choices
            if isinstance(one, str) and re.search(rf"\b{re.escape(one.casefold())}\b", lowered)
        ]
        if len(told) == 1 and each.name not in found:
            found[each.name] = told[0]
    return found


def _measured(one: Number) -> tuple[str, float]:
    """The unit of a number as parameters have it, and its value in that; no unit for any other."""
    if one.km2 is not None:
        return "m2", float(f"{one.km2 * 1e6:.12g}")
    if one.km is not None:
        return "m", float(f"{one.km * 1e3:.12g}")
    return _BY_UNIT.get(one.unit, ""), one.value


def _belongs(parameter: Parameter, around: str, unit: str) -> float:
    own = parameter.unit or next((each for each in _UNITS if parameter.name.endswith(f"_{each}")), "")
    own = {"m²": "m2", "%": "pct"}.get(own, own)
    if unit and own and unit != own:
        return 0.0
    names = [
        each
        for each in parameter.name.split("_")
        if each not in (*_UNITS, "min", "max", "from", "of", "at", "db")
    ]
    words = stems(around)
    hits = sum(each[:6] in words for each in names)
    return hits + (0.6 if unit and unit == own else 0.0)


__all__ = ["Choice", "choices", "near_tasks", "values"]
