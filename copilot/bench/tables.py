"""The tables of a report as plain text cells, for the command line, the HTML report and the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from copilot.bench.published import CAVEAT, LENGTHS, ROWS, SOURCE
from copilot.bench.report import LONG, Graded, Row, differences, grouped, longest
from copilot.messages import later
from tools.phrases import number_of

MOST_INTENTS = 25
MOST_DIFFERENT = 200
CHECK_TITLES = {
    "valid_tools": later("call refused"),
    "needed_tools": later("needless call"),
    "missed_tools": later("missed call"),
    "string_arguments": later("wrong text argument"),
    "number_arguments": later("wrong number argument"),
    "reply_words": later("reply lacks the gold's words"),
    "reply_numbers": later("reply lacks the gold's numbers"),
    "output": later("wrong output"),
    "database": later("wrong selection"),
    "map": later("wrong map"),
    "ui": later("wrong page or panel"),
    "outcome": later("asked, refused or failed wrongly"),
}
KIND_TITLES = {
    "load-filter-plot": "load, filter, plot",
    "ui-web": "user interface and web",
    "information": "information seeking",
}


@dataclass(frozen=True)
class Table:
    """A table whose cells are text already."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def tables(runs: Sequence[Graded]) -> list[Table]:
    """All tables of runs that may stand beside each other."""
    found = [
        overall(runs),
        steps(runs),
        by_calls(runs),
        by_category(runs),
        error_kinds(runs),
        by_intent(runs),
    ]
    if len(runs) == 2:
        found.append(side_by_side(*runs))
    return found


def overall(runs: Sequence[Graded]) -> Table:
    """The rates of each run, and the published row marked so."""
    head = ("", "tasks", "success", "correctness", "ROUGE-L", "tokens a task", "seconds")
    own = [
        (
            _called(each, runs),
            f"{each.metrics.tasks:,}{_unfinished(each)}",
            share(each.metrics.success),
            share(each.metrics.correctness),
            share(each.metrics.rouge_l),
            tokens(each),
            number(each.seconds),
        )
        for each in runs
    ]
    published = [
        (f"published: {row.name}", "", share(row.success), share(row.correctness), "", "", "") for row in ROWS
    ]
    notes = [CAVEAT, LENGTHS, f"Published: {SOURCE}.", *_left_out(runs)]
    return Table("Overall", head, (*own, *published), " ".join(notes))


def steps(runs: Sequence[Graded]) -> Table:
    """The step-wise measures and those of perception."""
    head = (
        "", "InstAcc", "ToolAcc", "ArgAcc", "calls (NTC)", "rounds (NI)", "first plan (FPA)",
        "detection F1", "land-cover recall", "VQA ROUGE-L",
    )  # fmt: skip
    rows = []
    for each in runs:
        found = each.metrics
        rates = (found.inst_acc, found.tool_acc, found.arg_acc)
        seen = (found.fpa, found.detection_f1, found.land_cover_recall, found.vqa_rouge_l)
        counts = (number(found.ntc, 2), number(found.ni, 2))
        rows.append((_called(each, runs), *map(share, rates), *counts, *map(share, seen)))
    return Table("Step by step", head, tuple(rows), "– where no task has it, or nobody counted.")


def by_calls(runs: Sequence[Graded]) -> Table:
    """By the number of calls that the gold makes, with a line for the long ones."""
    table = _grouped("By number of calls", "calls", runs, lambda row: row["complexity"], str)
    long = _line(f"more than {LONG}", [longest(each.rows) for each in runs])
    return Table(table.title, table.head, (*table.rows, long))


def by_category(runs: Sequence[Graded]) -> Table:
    """By the kind of request."""
    return _grouped(
        "By kind of request",
        "kind",
        runs,
        lambda row: row["category"],
        lambda kind: KIND_TITLES.get(kind, kind),
    )


def by_intent(runs: Sequence[Graded]) -> Table:
    """By the intent that the tasks were made from, those that fail most first."""
    table = _grouped("By intent", "intent", runs, lambda row: row["intent"], str)
    failing = grouped((row for each in runs for row in each.rows), lambda row: row["intent"])
    order = sorted(failing, key=lambda name: (failing[name]["success"], -failing[name]["tasks"], name))
    by_name = {row[0]: row for row in table.rows}
    rows = [by_name[name] for name in order[:MOST_INTENTS]]
    left = len(order) - len(rows)
    return Table(table.title, table.head, tuple(rows), f"{left} more, at least as good." if left else "")


def error_kinds(runs: Sequence[Graded]) -> Table:
    """How many tasks each check found something wrong in."""
    rows = [
        (title, *(_of(each.metrics.errors[name], each.metrics.tasks) for each in runs))
        for name, title in CHECK_TITLES.items()
    ]
    note = "A task may have several; not each of them fails it."
    return Table("Kinds of error", ("error", *names(runs)), tuple(rows), note)


def side_by_side(first: Graded, second: Graded) -> Table:
    """Which tasks one of two runs got right and the other did not."""
    one, other = names((first, second))
    found = differences(first, second)
    rows = [(row["id"], one, row["request"]) for row in found.only_first[:MOST_DIFFERENT]]
    rows += [(row["id"], other, row["request"]) for row in found.only_second[:MOST_DIFFERENT]]
    note = (
        f"Both right: {found.both:,}. Only {one}: {len(found.only_first):,}. "
        f"Only {other}: {len(found.only_second):,}. Neither: {found.neither:,}."
    )
    return Table("Side by side", ("task", "right in", "request"), tuple(rows), note)


def share(value: float | None) -> str:
    """A share as per cent."""
    return "–" if value is None else f"{value:.1%}"


def number(value: float | None, digits: int = 0) -> str:
    """A number as people read it."""
    return "–" if value is None else f"{value:,.{digits}f}"


def tokens(run: Graded) -> str:
    """Tokens a task; estimated, and marked so, where the model's server counts none."""
    counted = run.metrics.tokens_per_task
    if not run.estimated_tokens or counted is None:
        return number(counted)
    return f"≈ {number(counted + run.estimated_tokens)}"


def _grouped(
    title: str, what: str, runs: Sequence[Graded], key: Callable[[Row], Any], said: Callable[[Any], str]
) -> Table:
    found = [grouped(each.rows, key) for each in runs]
    head = (what, "tasks", *(f"{name} {rate}" for name in names(runs) for rate in ("success", "correctness")))
    keys = sorted({name for groups in found for name in groups})
    rows = [_line(said(name), [groups.get(name) for groups in found]) for name in keys]
    return Table(title, head if len(runs) > 1 else (what, "tasks", "success", "correctness"), tuple(rows))


def _line(name: str, groups: Sequence[dict[str, Any] | None]) -> tuple[str, ...]:
    tasks = max((each["tasks"] for each in groups if each), default=0)
    rates = [share(each[rate] if each else None) for each in groups for rate in ("success", "correctness")]
    return (name, f"{tasks:,}", *rates)


def names(runs: Sequence[Graded]) -> tuple[str, ...]:
    """What the runs are called in one table."""
    return tuple(_called(each, runs) for each in runs)


def _called(run: Graded, among: Iterable[Graded]) -> str:
    """A run's name, with its id where another bears the same."""
    same = [each for each in among if each.name == run.name]
    return run.name if len(same) == 1 else f"{run.name} ({run.run.id})"


def _of(part: int, whole: int) -> str:
    return f"{part:,} ({share(part / whole if whole else None)})"


def _unfinished(run: Graded) -> str:
    total = run.settings.total - run.ungraded
    return "" if run.metrics.tasks >= total else f" of {total:,}"


def _left_out(runs: Sequence[Graded]) -> list[str]:
    found = []
    for each in runs:
        for need, count in each.settings.skipped.items():
            found.append(f"{_called(each, runs)}: {number_of(count, 'task')} left out, for want of {need}.")
        if each.ungraded:
            said = (
                f"{number_of(each.ungraded, 'task')} could not be graded: their own gold does not work here."
            )
            found.append(f"{_called(each, runs)}: {said}")
        if each.unanswered:
            found.append(f"{_called(each, runs)}: {unanswered(each)}")
    return found


def unanswered(run: Graded) -> str:
    """How many tasks a model's server failed at, in a sentence."""
    count = number_of(run.unanswered, "task")
    return f"{count} got no answer, since the model's server failed: counted as failed."
