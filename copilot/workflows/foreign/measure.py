"""Measure plans by repeated cross-validation on the known tasks: python -m copilot.workflows.foreign.measure

In each fold everything is learned anew from the other folds' tasks: wording, shares, ridges, trees, order.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from copilot.workflows.foreign.features import lending
from copilot.workflows.foreign.learning import Way
from copilot.workflows.foreign.planning import Learned, Planner, labels_of, learn_from
from copilot.workflows.foreign.texts import Numbers, TaskTexts, ToolTexts

Sequences = Sequence[Sequence[int]]
Plans = Callable[[TaskTexts, ToolTexts, Sequences, TaskTexts], list[tuple[int, ...]]]


def set_f1(planned: Sequence[int], wanted: Sequence[int]) -> float:
    """2 × common tools ÷ (planned + wanted tools), as sets; 1 when both are empty."""
    first, second = set(planned), set(wanted)
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0


def order_similarity(planned: Sequence[int], wanted: Sequence[int]) -> float:
    """2 × longest common subsequence ÷ sum of lengths; 1 when both are empty."""
    if not planned and not wanted:
        return 1.0
    longest = [0] * (len(wanted) + 1)
    for tool in planned:
        diagonal = 0
        for place, other in enumerate(wanted, start=1):
            above = longest[place]
            longest[place] = diagonal + 1 if tool == other else max(above, longest[place - 1])
            diagonal = above
    return 2 * longest[-1] / (len(planned) + len(wanted))


def folds(tasks: int, count: int, seed: int) -> list[Numbers]:
    """The tasks dealt to so many parts of equal size, by chance."""
    dealt = np.random.default_rng(seed).permutation(tasks)
    return [dealt[part::count] for part in range(count)]


def cross_validate(
    plans: Plans, tasks: TaskTexts, tools: ToolTexts, sequences: Sequences, parts: int, seed: int
) -> tuple[float, float]:
    """Mean set F1 and order similarity over all tasks, each planned from the other parts' tasks."""
    found = np.zeros((len(tasks), 2))
    for left_out in folds(len(tasks), parts, seed):
        kept = np.setdiff1d(np.arange(len(tasks)), left_out)
        planned = plans(tasks.take(kept), tools, [sequences[row] for row in kept], tasks.take(left_out))
        for row, plan in zip(left_out, planned, strict=True):
            found[row] = set_f1(plan, sequences[row]), order_similarity(plan, sequences[row])
    return float(found[:, 0].mean()), float(found[:, 1].mean())


def learned_plans(fields: bool) -> Plans:
    """The planner as it is, tasks with or without their field and complexity."""

    def plans(
        tasks: TaskTexts, tools: ToolTexts, sequences: Sequences, new: TaskTexts
    ) -> list[tuple[int, ...]]:
        learned = learn_from(tasks, tools, sequences, ways=(Way(fields, seen=True),))
        return Planner(learned, tools, np.eye(len(tools)), np.ones(len(tools), dtype=bool)).plan(new, fields)

    return plans


def never_seen_plans(fields: bool) -> Plans:
    """Each tool as if no known task had used it: only the uses of other tools, alike, are known."""

    def plans(
        tasks: TaskTexts, tools: ToolTexts, sequences: Sequences, new: TaskTexts
    ) -> list[tuple[int, ...]]:
        learned = learn_from(tasks, tools, sequences, ways=(Way(fields, seen=False),))
        lent = lending(tools, tools, but_itself=True)
        return Planner(learned, tools, lent, np.zeros(len(tools), dtype=bool)).plan(new, fields)

    return plans


def nine_commonest(
    tasks: TaskTexts, tools: ToolTexts, sequences: Sequences, new: TaskTexts
) -> list[tuple[int, ...]]:
    """Baseline: the nine tools that most known tasks used, for every task."""
    common = np.argsort(-labels_of(sequences, len(tools)).sum(axis=0), kind="stable")[:9]
    return [tuple(int(tool) for tool in common)] * len(new)


def nearest(
    tasks: TaskTexts, tools: ToolTexts, sequences: Sequences, new: TaskTexts
) -> list[tuple[int, ...]]:
    """Baseline: the tools of the known task whose question is nearest."""
    return [tuple(sequences[row]) for row in (new.whole @ tasks.whole.T).argmax(axis=1)]


def half_list(tasks: TaskTexts, tools: ToolTexts, sequences: Sequences, seed: int) -> tuple[float, float]:
    """F1 and order on one half of the tools and tasks when only the other halves were ever seen."""
    dealt = np.random.default_rng(seed)
    old, other = np.array_split(dealt.permutation(len(tools)), 2)
    left_out = folds(len(tasks), 2, seed)[0]
    kept = np.setdiff1d(np.arange(len(tasks)), left_out)
    learned = learn_from(
        tasks.take(kept), tools.take(old), _only(sequences, kept, old), ways=(Way(fields=False, seen=False),)
    )
    texts = tools.take(other)
    planner = Planner(learned, texts, lending(texts, learned.tools), np.zeros(len(other), dtype=bool))
    wanted = _only(sequences, left_out, other)
    pairs = [
        (set_f1(plan, want), order_similarity(plan, want))
        for plan, want in zip(planner.plan(tasks.take(left_out), False), wanted, strict=True)
        if want
    ]
    return float(np.mean([f1 for f1, _ in pairs])), float(np.mean([order for _, order in pairs]))


def _only(sequences: Sequences, rows: Numbers, tools: Numbers) -> list[tuple[int, ...]]:
    """The sequences of these tasks, of these tools alone and by their new numbers."""
    number = {int(tool): place for place, tool in enumerate(tools)}
    return [tuple(number[tool] for tool in sequences[row] if tool in number) for row in rows]


def report(learned: Learned, parts: int, seeds: Sequence[int]) -> list[dict[str, object]]:
    """One row a way of planning: mean F1 and order over the seeds, and their spread from seed to seed."""
    ways: dict[str, Plans] = {
        "nine commonest tools": nine_commonest,
        "nearest known task": nearest,
        "planner": learned_plans(True),
        "planner, question alone": learned_plans(False),
        "planner, each tool never seen": never_seen_plans(True),
        "planner, each tool never seen, question alone": never_seen_plans(False),
    }
    tasks, tools, sequences = learned.tasks, learned.tools, learned.sequences
    rows = [
        _row(name, [cross_validate(plans, tasks, tools, sequences, parts, seed) for seed in seeds])
        for name, plans in ways.items()
    ]
    halves = [half_list(tasks, tools, sequences, seed) for seed in seeds]
    return [*rows, _row("half of the tools known, the other half the list", halves)]


def _row(name: str, found: list[tuple[float, float]]) -> dict[str, object]:
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0)
    return {
        "planned by": name,
        "f1": round(float(mean[0]), 3),
        "f1_spread": round(float(spread[0]), 3),
        "order": round(float(mean[1]), 3),
        "order_spread": round(float(spread[1]), 3),
    }


def main() -> None:
    """Print the figures, one JSON object a line."""
    from copilot.workflows.foreign.store import LEARNED, read_learned

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parts", type=int, default=8, help="how many parts the known tasks are dealt to")
    options.add_argument("--seeds", type=int, nargs="+", default=[11, 12, 13], help="one deal each")
    options.add_argument("--learned", type=Path, default=LEARNED)
    given = options.parse_args()
    for row in report(read_learned(given.learned), given.parts, given.seeds):
        print(json.dumps(row, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
