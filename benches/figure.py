"""What a measurement is: the times of repeated runs, what they are held against, and how they are shown."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Unit = Literal["ms", "s", "MiB", "calls/s"]
Statistic = Literal["p50", "p95"]


@dataclass(frozen=True)
class Budget:
    """A limit that one statistic is held against."""

    statistic: Statistic
    limit: float
    at_least: bool = False
    """True: the figure must reach the limit; False: it must stay under it."""

    def __str__(self) -> str:
        return f"{self.statistic} {'≥' if self.at_least else '≤'} {number(self.limit)}"


@dataclass(frozen=True)
class Figure:
    """The values of one thing that was measured, or why it was not."""

    what: str
    unit: Unit
    values: tuple[float, ...]
    how: str
    """What exactly was run, in a sentence for the notes under the table."""
    budgets: tuple[Budget, ...] = ()
    skipped: str = ""

    @property
    def p50(self) -> float:
        """The median."""
        return quantile(self.values, 0.5)

    @property
    def p95(self) -> float:
        """The value that 95 % of the runs stay under; of a rate, the one that 95 % of them reach."""
        rate = any(budget.at_least for budget in self.budgets)
        return quantile(self.values, 0.05 if rate else 0.95)

    @property
    def met(self) -> bool | None:
        """Whether every budget is met; None when there is none, or nothing was measured."""
        if self.skipped or not self.budgets:
            return None
        return all(
            self._value(b) >= b.limit if b.at_least else self._value(b) <= b.limit for b in self.budgets
        )

    def to_json(self) -> dict[str, object]:
        """The figure as plain JSON values."""
        measured = not self.skipped
        return {
            "what": self.what,
            "unit": self.unit,
            "p50": round(self.p50, 4) if measured else None,
            "p95": round(self.p95, 4) if measured else None,
            "runs": len(self.values),
            "budgets": [
                {"statistic": b.statistic, "limit": b.limit, "at_least": b.at_least} for b in self.budgets
            ],
            "met": self.met,
            "how": self.how,
            "skipped": self.skipped or None,
        }

    def _value(self, budget: Budget) -> float:
        return self.p50 if budget.statistic == "p50" else self.p95


def skipped(what: str, unit: Unit, why: str, *budgets: Budget) -> Figure:
    """A figure that was not taken, with the reason."""
    return Figure(what, unit, (), "", budgets, why)


def times_ms(runs: Iterable[Callable[[], object]]) -> tuple[float, ...]:
    """How long each of these takes, milliseconds, one after another."""
    taken = []
    for run in runs:
        began = time.perf_counter()
        run()
        taken.append((time.perf_counter() - began) * 1000)
    return tuple(taken)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of the values lie: the nearest one above, never interpolated."""
    if not values:
        raise ValueError("There is no quantile of no values.")
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def number(value: float) -> str:
    """A number with three digits that count, thousands apart."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def table(figures: Iterable[Figure]) -> str:
    """The figures as a Markdown table."""
    lines = ["| what | p50 | p95 | runs | budget | met |", "|---|---:|---:|---:|---|---|"]
    for each in figures:
        budget = ", ".join(map(str, each.budgets)) or "none"
        unit = f" {each.unit}"
        if each.skipped:
            lines.append(
                f"| {each.what} | – | – | 0 | {budget}{unit * bool(each.budgets)} | {each.skipped} |"
            )
            continue
        # Of one run there is no 95th percentile to speak of.
        p95 = number(each.p95) + unit if len(each.values) > 2 else "–"
        met = {True: "yes", False: "**no**", None: "–"}[each.met]
        lines.append(
            f"| {each.what} | {number(each.p50)}{unit} | {p95} | {len(each.values)}"
            f" | {budget}{unit * bool(each.budgets)} | {met} |"
        )
    return "\n".join(lines)
