"""Plans: from the chances of a list's tools to a set of them, and from the set to an order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from copilot.planner.encoder import Encoder
from copilot.workflows.foreign.choosing import best_set
from copilot.workflows.foreign.features import Features, Kernels, TaskKernels, lending
from copilot.workflows.foreign.learning import WAYS, Scorer, Way, learn
from copilot.workflows.foreign.ordering import Places, in_order, learn_places, spread_places
from copilot.workflows.foreign.reading import ForeignTask, ForeignTool
from copilot.workflows.foreign.texts import Array, TaskTexts, ToolTexts, task_texts, tool_texts

SHARPNESS = 0.5
"""Of the weights of known tasks for the order: e times less for a likeness so much lower."""
BATCH = 64
"""Tasks planned at a time: 40 MB of working memory."""


@dataclass(frozen=True)
class Plan:
    """The tools of a task, in their order."""

    id: str | int
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Learned:
    """All that plans are made from: the known tasks, the tools they used, and what was learned of both."""

    tasks: TaskTexts
    tools: ToolTexts
    sequences: tuple[tuple[int, ...], ...]
    """Of each task its tools, by their place in `tools`."""
    scorers: dict[Way, Scorer]

    @cached_property
    def labels(self) -> Array:
        """(n, t) 1 where a task used a tool."""
        return labels_of(self.sequences, len(self.tools))

    @cached_property
    def kernels(self) -> TaskKernels:
        """What compares tasks with the known ones."""
        return TaskKernels(self.tasks)

    @cached_property
    def places(self) -> Places:
        """Where the known tools stood."""
        return learn_places(self.sequences, len(self.tools))


def labels_of(sequences: Sequence[Sequence[int]], tools: int) -> Array:
    """(n, t) 1 where a sequence holds a tool."""
    labels = np.zeros((len(sequences), tools))
    for row, sequence in enumerate(sequences):
        labels[row, list(sequence)] = 1
    return labels


def learn_from(
    tasks: TaskTexts,
    tools: ToolTexts,
    sequences: Sequence[Sequence[int]],
    ways: Sequence[Way] = WAYS,
) -> Learned:
    """Learn from known tasks, for all ways of planning or for some."""
    labels, kernels = labels_of(sequences, len(tools)), TaskKernels(tasks)
    scorers = {way: learn(kernels, tools, labels, way) for way in ways}
    return Learned(tasks, tools, tuple(tuple(each) for each in sequences), scorers)


class Planner:
    """Plans over one list of t tools.

    `lent` (t, known tools) has a single 1 in the row of a tool that is known, by whatever name; other rows
    say what known tools it is alike to. `seen` (t,) says which are known.
    """

    def __init__(self, learned: Learned, tools: ToolTexts, lent: Array, seen: NDArray[np.bool_]) -> None:
        self._learned, self._tools, self._seen = learned, tools, seen
        self._labels = learned.labels @ lent.T
        self._places = spread_places(learned.places, lent)
        self._features: dict[bool, Features] = {}

    def chances(self, tasks: TaskTexts, fields: bool) -> Array:
        """(m, t) How likely each task needs each tool; `fields`: domain and complexity are looked at."""
        if fields not in self._features:
            self._features[fields] = Features(self._learned.kernels, self._tools, self._labels, fields)
        pairs = self._features[fields].new(tasks)
        chances = np.empty((len(tasks), len(self._tools)))
        for seen in np.unique(self._seen):
            scorer, columns = self._learned.scorers[Way(fields, bool(seen))], self._seen == seen
            chances[:, columns] = scorer({name: values[:, columns] for name, values in pairs.items()})
        return chances

    def plan(self, tasks: TaskTexts, fields: bool) -> list[tuple[int, ...]]:
        """The tools of each task, in their order, by their place in the list."""
        kernels = self._learned.kernels(tasks)
        chosen = [best_set(chances) for chances in self.chances(tasks, fields)]
        weights = _weights(kernels, fields)
        return [in_order(each, self._places, near) for each, near in zip(chosen, weights, strict=True)]


def plan_tasks(
    learned: Learned, encoder: Encoder, tools: Sequence[ForeignTool], tasks: Sequence[ForeignTask]
) -> list[Plan]:
    """Plan each task over a list of tools; a known tool is recognised by its name or its description."""
    found = recognised(tools, learned.tools.tools)
    own = [
        tool.name if place < 0 else learned.tools.tools[place].name
        for tool, place in zip(tools, found, strict=True)
    ]
    texts = tool_texts(encoder, tools, own)
    lent = lending(texts, learned.tools)
    seen = found >= 0
    lent[seen] = np.eye(len(learned.tools))[found[seen]]
    planner = Planner(learned, texts, lent, seen)
    plans: dict[int, Plan] = {}
    for fields in (True, False):
        rows = [row for row, task in enumerate(tasks) if _has_fields(task, learned.tasks) == fields]
        for first in range(0, len(rows), BATCH):
            batch = rows[first : first + BATCH]
            read = task_texts(encoder, [tasks[row] for row in batch])
            for row, order in zip(batch, planner.plan(read, fields), strict=True):
                plans[row] = Plan(tasks[row].id, tuple(tools[place].name for place in order))
    return [plans[row] for row in range(len(tasks))]


def recognised(tools: Sequence[ForeignTool], known: Sequence[ForeignTool]) -> NDArray[np.int64]:
    """(tools,) The place of each among the known tools by its name, else by its description; else -1."""
    by_name = {tool.name: place for place, tool in enumerate(known)}
    by_description = {_plain(tool.description): place for place, tool in enumerate(known)}
    names = {tool.name for tool in tools}
    found = []
    for tool in tools:
        place = by_name.get(tool.name, -1)
        if place < 0 and tool.description:
            place = by_description.get(_plain(tool.description), -1)
            if place >= 0 and known[place].name in names:  # the list has that tool itself, beside this one
                place = -1
        found.append(place)
    return np.array(found, dtype=np.int64)


def _plain(description: str) -> str:
    return " ".join(description.casefold().split()).rstrip(".")


def _has_fields(task: ForeignTask, known: TaskTexts) -> bool:
    return task.domain in known.domains and task.complexity in known.complexities and bool(task.domain)


def _weights(kernels: Kernels, fields: bool) -> Array:
    """(m, n) How much each known task says about the order of a task: the most alike 1, others less."""
    alike = kernels.mixed + kernels.fields * fields
    weights: Array = np.exp((alike - alike.max(axis=1, keepdims=True)) / SHARPNESS)
    return weights
