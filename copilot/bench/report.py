"""What runs come to: overall, by calls, by category, by intent, by kind of error; two side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from copilot.bench.run.store import Run

Row = Mapping[str, Any]
COLUMNS = (
    "id", "intent", "category", "complexity", "request", "outcome", "success", "correctness", "rouge_l",
    "errors", "tokens", "seconds", "usd", "verdict", "at_epsilon",
)  # fmt: skip
"""What a report reads of a result: not the traces, which are most of it."""


def figures(rows: Sequence[Row]) -> dict[str, Any]:
    """The measures over some results, each between 0 and 1; None where none of them has it."""
    return {
        "tasks": len(rows),
        "success": _mean(row["success"] for row in rows),
        "correctness": _mean(row["correctness"] for row in rows),
        "rouge_l": _mean(row["rouge_l"] for row in rows),
        "tokens_per_task": _mean((row["tokens"] for row in rows), 1),
    }


def summary(run: Run, rows: Sequence[Row] | None = None) -> dict[str, Any]:
    """A run in one value: the public result of `copilot bench run`."""
    settings, progress = run.settings, run.progress
    rows = run.rows(COLUMNS) if rows is None else rows
    return {
        "run": run.id,
        **figures(rows),
        "version": settings.version,
        "agent": settings.agent,
        "model": settings.model,
        "shots": settings.shots,
        "epsilon": settings.epsilon,
        "seconds": progress.seconds,
        "usd": round(progress.usd, 4),
        "finished": len(rows) >= settings.total,
        "stopped": progress.stopped,
        "skipped": settings.skipped,
        "by_calls": [{"calls": key, **found} for key, found in grouped(rows, _complexity).items()],
    }


def grouped(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, dict[str, Any]]:
    """The measures of each group, in the order of the groups."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return {name: figures(found[name]) for name in sorted(found)}


def _complexity(row: Row) -> int:
    return int(row["complexity"])


def _mean(values: Iterable[Any], digits: int = 4) -> float | None:
    known = [float(value) for value in values if value is not None]
    return round(sum(known) / len(known), digits) if known else None
