"""The benchmark's runs, tables, failures and traces as plain values for the page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from copilot.bench.report import Graded, Row, graded, longest
from copilot.bench.run.background import Running
from copilot.bench.run.store import Run, Runs
from copilot.bench.tables import CHECK_TITLES, share, tokens
from copilot.messages import t
from copilot.view.transcript import call_text

MOST_RUNS = 50
MOST_FAILURES = 500
MOST_TEXT = 2000


@dataclass(frozen=True)
class Trace:
    """One task: what was asked, what is right, what was done, and what is wrong about it."""

    task: str
    request: str
    success: bool
    wrong: tuple[tuple[str, tuple[str, ...]], ...]
    """(kind of error, sentences)."""
    setup: tuple[str, ...]
    gold: tuple[str, ...]
    gold_reply: str
    made: tuple[tuple[str, str, bool], ...]
    """(call or thought, what came back, whether it worked)."""
    reply: str
    facts: tuple[tuple[str, str], ...]


def choices(home: Path) -> dict[str, str]:
    """Run id → what the picker calls it, the newest first."""
    said = {run.id: _choice(run) for run in Runs(home).all()[:MOST_RUNS] if run.parts()}
    times = Counter(said.values())
    return {run_id: text if times[text] == 1 else f"{text} · {run_id[-4:]}" for run_id, text in said.items()}


def chosen(home: Path, ids: Sequence[str]) -> list[Graded]:
    """The runs of these ids, with their results."""
    runs = [Runs(home).get(each) for each in ids]
    return [_graded(run.folder, len(run.parts())) for run in runs]


def headline(run: Graded) -> tuple[tuple[str, str, str], ...]:
    """(title, figure, what it is) of the rates that matter most."""
    long = longest(run.rows)
    return (
        (t("Success"), share(run.metrics.success), t("Tasks whose end, output and numbers are right")),
        (
            t("Correctness"),
            share(run.metrics.correctness),
            t("1 − errors per call of the gold, mean over the tasks"),
        ),
        ("ROUGE-L", share(run.metrics.rouge_l), t("Recall of the gold reply's words")),
        (
            t("Long tasks"),
            share(long["success"]),
            t("Success on the {tasks:,} tasks of more than eight calls", tasks=long["tasks"]),
        ),
        (
            t("Tokens a task"),
            tokens(run),
            t("Prompt and completion, as the server counts; ≈ where it counts none"),
        ),
    )


def failures(runs: Sequence[Graded], kind: str = "", words: str = "") -> list[dict[str, Any]]:
    """The tasks that a run got wrong, those that all got wrong last; filtered by error and by words."""
    found = []
    for run in runs:
        for row in run.rows:
            if row["success"] or (kind and kind not in row["errors"]):
                continue
            if words.casefold() in f"{row['id']} {row['intent']} {row['request']}".casefold():
                found.append(_failure(run, row))
    return found[:MOST_FAILURES]


def kinds(runs: Sequence[Graded]) -> dict[str, str]:
    """Kind of error → its title, of those that a failed task has."""
    there = {name for run in runs for row in run.rows if not row["success"] for name in row["errors"]}
    return {name: t(title) for name, title in CHECK_TITLES.items() if name in there}


def trace(result: Mapping[str, Any]) -> Trace:
    """One result opened up."""
    verdict = json.loads(result["verdict"]) if result["verdict"] else {"checks": {}}
    lines = json.loads(result["trace"])
    return Trace(
        task=result["id"],
        request=result["request"],
        success=bool(result["success"]),
        wrong=tuple((t(CHECK_TITLES[name]), tuple(said)) for name, said in verdict["checks"].items()),
        setup=_calls(result["setup"]),
        gold=_calls(result["gold"]),
        gold_reply=result["gold_reply"],
        made=tuple(_made(line) for line in lines if line["kind"] in ("call", "thought")),
        reply=result["reply"],
        facts=(
            (t("outcome"), result["outcome"] or t("not run")),
            (t("time"), f"{result['seconds']:.2f} s"),
            (t("tokens"), f"{result['tokens']:,}"),
            (t("state"), (result["state_hash"] or "")[:12]),
        ),
    )


def going(running: Running) -> str:
    """How far the run is that goes on now, in a sentence."""
    if running.run is None:
        return t("Preparing the tasks and starting the workers …")
    settings, progress = running.run.settings, running.run.progress
    done = t("{done:,} of {total:,} tasks", done=progress.done, total=settings.total)
    return f"{done} · {t('{share} right', share=share(progress.success))}" if progress.done else done


def _choice(run: Run) -> str:
    settings, progress = run.settings, run.progress
    tasks = settings.tasks if "/" not in settings.tasks else Path(settings.tasks).name
    rate = t("{share} right", share=share(progress.success)) if progress.done else t("no result")
    part = (
        ""
        if progress.done >= settings.total
        else t(", {done:,} of {total:,}", done=progress.done, total=settings.total)
    )
    when = settings.created_at[:16].replace("T", " ")
    return f"{when} · {tasks}{part} · {settings.name} · {rate}"


@lru_cache(maxsize=8)
def _graded(folder: Path, parts: int) -> Graded:
    """`parts` makes a run that goes on be read again."""
    return graded(Run(folder))


def _failure(run: Graded, row: Row) -> dict[str, Any]:
    return {
        "run": run.run.id,
        "agent": run.name,
        "task": row["id"],
        "request": row["request"],
        "calls": row["complexity"],
        "errors": ", ".join(CHECK_TITLES[name] for name in row["errors"]),
    }


def _calls(text: str) -> tuple[str, ...]:
    return tuple(call_text(each["tool"], each["args"]) for each in json.loads(text))


def _made(line: Mapping[str, Any]) -> tuple[str, str, bool]:
    if line["kind"] == "thought":
        return ("", str(line["text"])[:MOST_TEXT], True)
    return (call_text(line["tool"], line["args"]), str(line["text"])[:MOST_TEXT], bool(line["ok"]))
