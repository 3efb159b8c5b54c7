"""What is known of every pair of a task and a tool: votes of known tasks, and how near they are in meaning.

Numbers of a known task never rest on that task's own tools: ridge regressions are left out in closed form,
votes and shares leave the task itself away. What is learned from them is therefore right for new tasks too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from copilot.planner.encoder import Floats
from copilot.workflows.foreign.kernels import Ridge, fit_ridge, gaussian
from copilot.workflows.foreign.texts import Array, TaskTexts, ToolTexts, best_of_owner, mean_of_owner

Named = Iterator[tuple[str, Array]]
PRIOR_WEIGHT = 3.0
"""How many tasks the share over all tasks counts for beside the share among tasks of one field."""
_ALIKE = 0.45
"""Cosine from which two tools count as alike."""
_LENDING = 0.25
"""Cosine from which a tool lends to one that was never used."""


@dataclass(frozen=True)
class Kernels:
    """How alike m tasks and the n known ones are, (m, n) each."""

    whole: Array
    parts: Array
    letters: Array
    words: Array
    fields: Array
    """0.3 for the same domain and 1 for the same complexity."""
    cosine: Array

    @property
    def mixed(self) -> Array:
        """Meaning first, wording beside it."""
        return self.whole + 0.5 * self.words + 0.5 * self.letters + 0.3 * self.parts


class TaskKernels:
    """Compares tasks with the known ones; wording is weighed by how rare it is among the known ones."""

    def __init__(self, known: TaskTexts) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        rare = 2 if len(known) > 2 else 1
        self.known = known
        self._words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=rare)
        self._letters = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, min_df=rare
        )
        self._known_words = self._words.fit_transform(known.questions)
        self._known_letters = self._letters.fit_transform(known.questions)

    def __call__(self, tasks: TaskTexts) -> Kernels:
        """The kernels between `tasks` and the known ones."""
        known = self.known
        alike = (tasks.parts @ known.parts.T).astype(float)
        there = mean_of_owner(best_of_owner(alike, known.owner).T, tasks.owner).T
        back = mean_of_owner(best_of_owner(alike.T, tasks.owner).T, known.owner)
        cosine = (tasks.whole @ known.whole.T).astype(float)
        return Kernels(
            (_bell(tasks.whole, known.whole) + _bell(tasks.plain, known.plain)) / 2,
            ((there + back) / 2) ** 2,
            (self._letters.transform(tasks.questions) @ self._known_letters.T).toarray(),
            (self._words.transform(tasks.questions) @ self._known_words.T).toarray(),
            0.3 * _same(tasks.domains, known.domains) + _same(tasks.complexities, known.complexities),
            cosine,
        )


@dataclass(frozen=True)
class Nearness:
    """How near the meaning of n tasks is to each of t tools, (n, t) each, by the way of comparing."""

    plain: dict[str, Array]
    """Names and descriptions of tools beside questions and their parts."""
    asked: dict[str, Array]
    """The same with what people ask for who need the tool."""


def nearness(tasks: TaskTexts, tools: ToolTexts) -> Nearness:
    """Cosines between tasks and tools, not yet centred."""
    plain = {
        f"{said}_{shown}": vectors @ shown_vectors.T
        for said, vectors in (("whole", tasks.whole), ("plain", tasks.plain))
        for shown, shown_vectors in (("name", tools.names), ("description", tools.descriptions))
    }
    for shown, vectors in (("name", tools.names), ("description", tools.descriptions)):
        plain[f"part_{shown}"] = best_of_owner((vectors @ tasks.parts.T).astype(float), tasks.owner).T
    question = (tasks.plain @ tools.phrases.T).astype(float)
    part = best_of_owner((tools.phrases @ tasks.parts.T).astype(float), tasks.owner).T
    asked = {
        "question_mean": mean_of_owner(question, tools.owner),
        "question_best": best_of_owner(question, tools.owner),
        "part_mean": mean_of_owner(part, tools.owner),
        "part_best": best_of_owner(part, tools.owner),
    }
    return Nearness({name: values.astype(float) for name, values in plain.items()}, asked)


class Features:
    """Numbers for pairs of a task and a tool of one list, from n known tasks with labels (n, t).

    A label is 1 where the task used the tool; for a tool that no known task used it may be a share, borrowed
    from tools that are alike. Without `fields` neither domain nor complexity is looked at.
    """

    def __init__(self, known: TaskKernels, tools: ToolTexts, labels: Array, fields: bool) -> None:
        self._known, self._tools, self._labels, self._fields = known, tools, labels, fields
        near = nearness(known.known, tools)
        self._centre = {
            (kind, name): _centring(values)
            for kind in ("plain", "asked")
            for name, values in getattr(near, kind).items()
        }
        self._asked_known = self._summed(near, "asked")
        self._spread = {
            kind: (total.mean(axis=0), total.std(axis=0) + 1e-6)
            for kind in ("plain", "asked")
            for total in (self._summed(near, kind),)
        }
        names, descriptions = tools.names.astype(float), tools.descriptions.astype(float)
        self._alike = _rows_to_one(_cut((names @ names.T + descriptions @ descriptions.T) / 2))
        self._ridges = self._fit(known(known.known), names, descriptions)
        self._together = _lift(labels)

    def _fit(self, kernels: Kernels, names: Array, descriptions: Array) -> dict[str, Ridge]:
        labels, fields = self._labels, kernels.fields * self._fields
        close = 0.5 * gaussian(names, names) + 0.5 * gaussian(descriptions, descriptions)
        asked = gaussian(_unit(self._asked_known), _unit(self._asked_known)) + fields
        ridges = {
            "whole": fit_ridge(kernels.whole, 0.4, labels),
            "mixed": fit_ridge(kernels.mixed, 0.6, labels),
            "parts": fit_ridge(kernels.parts, 0.3, labels),
            "letters": fit_ridge(kernels.letters, 0.6, labels),
            "asked": fit_ridge(asked, 0.6, labels),
            "shared": fit_ridge(kernels.mixed + fields, 1.0, labels, np.eye(len(names)) + close),
            "shared_names": fit_ridge(kernels.whole, 0.3, labels, gaussian(names, names)),
            "length": fit_ridge(kernels.mixed + fields, 1.0, labels.sum(axis=1, keepdims=True)),
        }
        if self._fields:
            ridges["with_fields"] = fit_ridge(kernels.mixed + fields, 1.0, labels)
        # Tasks whose tools seem alike: what the first regression says of one is read by a second.
        first = ridges["shared"].left_out
        self._first_known = first
        ridges["second"] = fit_ridge(gaussian(first, first, 0.3) + 0.3 * fields, 0.5, labels)
        return ridges

    def known(self) -> dict[str, Array]:
        """(n, t) each: the known tasks, each as the others show it."""
        ridges = {name: ridge.left_out for name, ridge in self._ridges.items()}
        return dict(self._pairs(self._known.known, self._known(self._known.known), ridges, left_out=True))

    def new(self, tasks: TaskTexts) -> dict[str, Array]:
        """(m, t) each: tasks that are not among the known ones."""
        kernels = self._known(tasks)
        fields = kernels.fields * self._fields
        asked = _unit(self._summed(nearness(tasks, self._tools), "asked"))
        across = {
            "whole": kernels.whole,
            "mixed": kernels.mixed,
            "parts": kernels.parts,
            "letters": kernels.letters,
            "asked": gaussian(asked, _unit(self._asked_known)) + fields,
            "shared": kernels.mixed + fields,
            "shared_names": kernels.whole,
            "length": kernels.mixed + fields,
            "with_fields": kernels.mixed + fields,
        }
        first = self._ridges["shared"](across["shared"])
        across["second"] = gaussian(first, self._first_known, 0.3) + 0.3 * fields
        ridges = {name: ridge(across[name]) for name, ridge in self._ridges.items()}
        return dict(self._pairs(tasks, kernels, ridges, left_out=False))

    def _pairs(self, tasks: TaskTexts, kernels: Kernels, ridges: dict[str, Array], left_out: bool) -> Named:
        shape = (len(tasks), len(self._tools))
        length = ridges.pop("length")
        yield "length", np.broadcast_to(length, shape)
        yield "words", np.broadcast_to([[len(asked.split())] for asked in tasks.questions], shape)
        for name, values in ridges.items():
            yield f"ridge_{name}", values
        yield from self._votes(kernels, left_out)
        yield from self._shares(tasks, left_out)
        best = ridges["with_fields" if self._fields else "mixed"]
        yield "together", (np.clip(best, 0, 1) - self._labels.mean(axis=0)) @ self._together / 5
        yield "alike", best @ self._alike.T
        near = nearness(tasks, self._tools)
        for kind in ("plain", "asked"):
            yield from self._near(near, kind)

    def _votes(self, kernels: Kernels, left_out: bool) -> Named:
        """What the nearest known tasks used, the nearer the more; and the nearest that used the tool."""
        for name, alike, count in (
            ("near_20", kernels.cosine, 20),
            ("near_8", kernels.mixed / 2.3, 8),
        ):
            weight = alike.copy()
            if left_out:
                np.fill_diagonal(weight, -np.inf)
            count = min(count, weight.shape[1] - left_out)
            last = np.partition(weight, -count, axis=1)[:, [-count]]
            weight = np.where(weight >= last, np.exp((weight - weight.max(axis=1, keepdims=True)) / 0.1), 0)
            yield name, weight / weight.sum(axis=1, keepdims=True) @ self._labels
        reach = np.maximum(kernels.cosine, 0)
        if left_out:
            np.fill_diagonal(reach, 0)
        used = np.zeros((len(reach), self._labels.shape[1]))
        for row, label in enumerate(self._labels):
            np.maximum(used, reach[:, row, None] * label, out=used)
        yield "nearest_use", used

    def _shares(self, tasks: TaskTexts, left_out: bool) -> Named:
        """The share of known tasks that used the tool: of all, of the field, of the complexity, of both."""
        labels, known = self._labels, self._known.known
        share = labels.mean(axis=0)
        own = labels if left_out else 0
        yield (
            "share",
            np.broadcast_to((labels.sum(axis=0) - own) / (len(labels) - left_out), (len(tasks), len(share))),
        )
        if not self._fields:
            return
        domain = _same(tasks.domains, known.domains)
        complexity = _same(tasks.complexities, known.complexities)
        for name, same in (("domain", domain), ("complexity", complexity), ("both", domain * complexity)):
            count = same.sum(axis=1, keepdims=True) - left_out + PRIOR_WEIGHT
            yield f"share_{name}", (same @ labels - own + PRIOR_WEIGHT * share) / count

    def _near(self, near: Nearness, kind: str) -> Named:
        """Each way of comparing, centred; and their sum as it is, beside the best tool, ranked, and beside
        what this tool's sum is for the known tasks."""
        for name, values in getattr(near, kind).items():
            yield f"{kind}_{name}", self._centred(kind, name, values)
        total = self._summed(near, kind)
        mean, spread = self._spread[kind]
        yield f"{kind}_sum", total
        yield f"{kind}_behind", total - total.max(axis=1, keepdims=True)
        yield f"{kind}_rank", np.log1p(np.argsort(np.argsort(-total, axis=1), axis=1))
        yield f"{kind}_above", (total - mean) / spread

    def _summed(self, near: Nearness, kind: str) -> Array:
        ways = getattr(near, kind).items()
        total: Array = np.sum([self._centred(kind, name, values) for name, values in ways], axis=0)
        return total

    def _centred(self, kind: str, name: str, values: Array) -> Array:
        column, spread = self._centre[kind, name]
        centred: Array = (values - values.mean(axis=1, keepdims=True) - column) / spread
        return centred


def lending(tools: ToolTexts, known: ToolTexts, but_itself: bool = False) -> Array:
    """(tools, known) How much of its uses each known tool lends to each tool: the more, the more alike.

    Rows add up to the highest likeness at most; a tool that nothing known is alike to is lent nothing nearly.
    `but_itself`: both lists are the same, and no tool lends to itself.
    """
    alike = (tools.names @ known.names.T + tools.descriptions @ known.descriptions.T).astype(float) / 2
    if but_itself:
        np.fill_diagonal(alike, 0)
    weights = np.maximum(alike - _LENDING, 0) ** 3
    lent: Array = _rows_to_one(weights) * np.clip(alike.max(axis=1, keepdims=True), 0, 1)
    return lent


def _bell(first: Floats, second: Floats) -> Array:
    return gaussian(first.astype(float), second.astype(float))


def _centring(values: Array) -> tuple[Array, float]:
    rows = values - values.mean(axis=1, keepdims=True)
    column = rows.mean(axis=0)
    return column, float((rows - column).std()) + 1e-9


def _same(first: tuple[str, ...], second: tuple[str, ...]) -> Array:
    """(m, n) 1 where both say the same; what is not said is like nothing."""
    equal = np.asarray(first, dtype=object)[:, None] == np.asarray(second, dtype=object)
    said = np.array([bool(each) for each in first])[:, None]
    same: Array = (equal & said).astype(float)
    return same


def _cut(alike: Array) -> Array:
    cut: Array = np.where(alike > _ALIKE, alike, 0) ** 2
    np.fill_diagonal(cut, 0)
    return cut


def _rows_to_one(weights: Array) -> Array:
    scaled: Array = weights / (weights.sum(axis=1, keepdims=True) + 1e-9)
    return scaled


def _unit(values: Array) -> Array:
    scaled: Array = values / (np.linalg.norm(values, axis=1, keepdims=True) + 1e-9)
    return scaled


def _lift(labels: Array) -> Array:
    """(t, t) log of how much likelier the column's tool is where the row's tool is used."""
    share = labels.mean(axis=0)
    given = (labels.T @ labels + 2 * share) / (labels.sum(axis=0)[:, None] + 2)
    lift: Array = np.log((given + 1e-3) / (share + 1e-3))
    np.fill_diagonal(lift, 0)
    return lift
