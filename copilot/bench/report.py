"""What runs come to: overall, by calls, by category, by intent, by kind of error; two side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from copilot.bench.build.stamp import Stamp, comparable
from copilot.bench.check.metrics import Metrics, measure
from copilot.bench.check.verdict import Verdict
from copilot.bench.run.store import Run, Settings

Row = Mapping[str, Any]
COLUMNS = (
    "id", "intent", "category", "complexity", "request", "outcome", "success", "correctness", "rouge_l",
    "errors", "tokens", "estimated_tokens", "seconds", "usd", "unanswered", "verdict", "at_epsilon",
)  # fmt: skip
"""What a report reads of a result: not the traces, which are most of it."""
LONG = 8
"""Tasks of more calls than this are told by themselves."""


@dataclass(frozen=True)
class Graded:
    """A run with its results, as far as it is."""

    run: Run
    settings: Settings
    seconds: float
    usd: float
    stopped: str
    rows: tuple[Row, ...]
    """The results that could be graded."""
    ungraded: int
    """Tasks whose own gold does not work on this catalogue."""

    @property
    def name(self) -> str:
        """What tables and figures call it."""
        return self.settings.name

    @cached_property
    def metrics(self) -> Metrics:
        """Every measure of the checker, with those by number of calls."""
        return measure(Verdict.from_json(json.loads(row["verdict"])) for row in self.rows)

    @cached_property
    def estimated_tokens(self) -> float:
        """Tokens a task of answers whose server counts none: they are not among those of the metrics."""
        return _mean([float(row["estimated_tokens"] or 0) for row in self.rows]) or 0.0

    @cached_property
    def unanswered(self) -> int:
        """Tasks whose turn ended because the model's server failed; they count as failed."""
        return sum(bool(row["unanswered"]) for row in self.rows)

    @cached_property
    def at_epsilon(self) -> dict[float, float]:
        """ε → the success rate when numbers may be off by so much."""
        found: dict[float, list[bool]] = {}
        for row in self.rows:
            for epsilon, right in json.loads(row["at_epsilon"]).items():
                found.setdefault(float(epsilon), []).append(right)
        return {epsilon: sum(right) / len(right) for epsilon, right in sorted(found.items())}


def graded(run: Run) -> Graded:
    """A run with what it has come to so far."""
    progress = run.progress
    rows = run.rows(COLUMNS)
    known = tuple(row for row in rows if row["verdict"] is not None)
    return Graded(
        run, run.settings, progress.seconds, progress.usd, progress.stopped, known, len(rows) - len(known)
    )


def summary(of: Graded) -> dict[str, Any]:
    """A run in one value: the public result of `copilot bench run`. Shares are from 0 to 1."""
    overall = of.metrics.to_json()
    by_calls: dict[str, dict[str, Any]] = overall.pop("by_calls")
    return {
        "run": of.run.id,
        **_rounded(overall),
        "estimated_tokens_per_task": round(of.estimated_tokens, 4),
        "version": of.settings.version,
        "agent": of.settings.agent,
        "model": of.settings.model,
        "shots": of.settings.shots,
        "epsilon": of.settings.epsilon,
        "seconds": of.seconds,
        "usd": round(of.usd, 4),
        "finished": len(of.rows) + of.ungraded >= of.settings.total,
        "stopped": of.stopped,
        "skipped": of.settings.skipped,
        "ungraded": of.ungraded,
        "unanswered": of.unanswered,
        "by_calls": [{"calls": int(calls), **_rounded(found)} for calls, found in by_calls.items()],
    }


def grouped(rows: Iterable[Row], key: Callable[[Row], Any]) -> dict[Any, dict[str, Any]]:
    """{tasks, success, correctness} of each group, in the order of the groups."""
    found: dict[Any, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return {name: _few(found[name]) for name in sorted(found)}


def longest(rows: Iterable[Row]) -> dict[str, Any]:
    """{tasks, success, correctness} of the tasks of more than eight calls."""
    return _few([row for row in rows if row["complexity"] > LONG])


@dataclass(frozen=True)
class Differences:
    """Two runs over the tasks that both have."""

    both: int
    """Right in both."""
    neither: int
    only_first: tuple[Row, ...]
    """The results, as the second has them, of tasks that only the first got right."""
    only_second: tuple[Row, ...]


def differences(first: Graded, second: Graded) -> Differences:
    """Which tasks one run got right and the other did not. For runs of one version."""
    before = {row["id"]: row for row in first.rows}
    shared = [(before[row["id"]], row) for row in second.rows if row["id"] in before]
    return Differences(
        both=sum(one["success"] and other["success"] for one, other in shared),
        neither=sum(not one["success"] and not other["success"] for one, other in shared),
        only_first=tuple(other for one, other in shared if one["success"] and not other["success"]),
        only_second=tuple(other for one, other in shared if other["success"] and not one["success"]),
    )


def by_version(runs: Iterable[Graded]) -> dict[str, list[Graded]]:
    """Runs that may stand in one table: those of one version, graded with one ε."""
    found: dict[str, list[Graded]] = {}
    for each in runs:
        found.setdefault(f"{each.settings.version}, ε {each.settings.epsilon:g}", []).append(each)
    return found


def apart(runs: Sequence[Graded]) -> str:
    """Why runs do not stand in one table; empty when they do."""
    groups = by_version(runs)
    if len(groups) < 2:
        return ""
    first, second = (each[0].settings for each in list(groups.values())[:2])
    try:
        why = comparable(Stamp.from_json(first.stamp), Stamp.from_json(second.stamp))
    except KeyError:  # tasks without a stamp
        why = "" if first.version == second.version else "These are other tasks."
    if first.epsilon != second.epsilon:
        why = f"{why} They were graded with another ε.".strip()
    return f"{why} Their figures do not compare, so each stands by itself ({' · '.join(groups)})."


def _few(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "tasks": len(rows),
        "success": _mean([float(row["success"]) for row in rows]),
        "correctness": _mean([row["correctness"] for row in rows]),
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _rounded(plain: Mapping[str, Any]) -> dict[str, Any]:
    return {key: round(value, 4) if isinstance(value, float) else value for key, value in plain.items()}
