"""Draws candidates for gold workflows: which of the library's run on which files here, and what comes of it.

`python -m copilot.bench.knowflow.making OUT.jsonl PART PARTS` writes two lines a task: one of its shortest
workflows and one of its longest that ran to their end without help and say something. What is asked for was
written by hand (gold/requests.tsv) before any of it was run; a workflow that has a request goes first.
`building` then puts the gold together.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from copilot.bench.knowflow.bringing import bring
from copilot.bench.knowflow.families import FAMILIES, Family
from copilot.bench.knowflow.gold import FOLDER
from copilot.bench.knowflow.playing import add, endings
from copilot.bench.knowflow.results import says_something
from copilot.engine import Engine
from copilot.session import Session
from copilot.workflows.engine import Run
from copilot.workflows.facts import known
from copilot.workflows.instantiate import Instance, fit, instance
from copilot.workflows.model import Task, Workflow, WorkflowError
from copilot.workflows.reading import library
from copilot.workflows.recording import read_record
from tools.conditions import Thing

MOST_RUNS = 4
"""Tries for one of a task's two."""
MOST_SECONDS = 8.0
"""Of a core."""
REAL_FIRST = ("landsat", "naip", "terrain", "dubai", "landsat 2", "naip 2")


def requests(path: Path = FOLDER / "requests.tsv") -> dict[str, str]:
    """By workflow, what is asked, as it was written by hand."""
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.partition("\t") for line in lines if line)
    return {name: said for name, _, said in pairs}


def drawn(task: Task, facts: Facts) -> Iterator[dict[str, Any]]:
    """Two concrete workflows of a task: one of its shortest that runs here, and one of its longest."""
    record = read_record()
    asked = requests()
    by_length = sorted(
        task.workflows, key=lambda each: (each.id not in asked, each.id not in record, len(each.steps))
    )
    plain = _families(task)
    real = sorted(plain, key=lambda each: each[0] not in REAL_FIRST)
    simple = _first(task, by_length, plain, facts, ())
    if simple is not None:
        yield {**simple, "complexity": "simple"}
    taken = (simple["workflow"],) if simple is not None else ()
    longest = sorted(task.workflows, key=lambda each: (each.id not in asked, -len(each.steps)))
    others = [each for each in longest if each.id not in taken]
    other = _first(task, others, real, facts, ()) or (
        _first(task, [each for each in task.workflows if each.id in taken], real, facts, (simple["family"],))
        if simple is not None
        else None
    )
    if other is not None:
        yield {**other, "complexity": "complex"}


def _first(
    task: Task,
    workflows: list[Workflow],
    families: list[tuple[str, Family]],
    facts: Facts,
    but: tuple[str, ...],
) -> dict[str, Any] | None:
    """The first of some workflows on the first of some places on which it goes well."""
    runs = 0
    for workflow in workflows:
        tried = 0
        for name, family in families:
            if name in but or tried >= 2 or runs >= MOST_RUNS:
                continue
            plan = _plan(workflow, family, facts)
            if plan is None:
                continue
            tried, runs = tried + 1, runs + 1
            values = task.tried_on.get("parameters", {}) if name == "own" else {}
            made = played(workflow, plan, values, facts.folder)
            if isinstance(made, dict):
                return {"task": task.id, "workflow": workflow.id, "family": name, **made}
            print(f"{workflow.id} on {name}: {made}", file=sys.stderr, flush=True)
    return None


def _families(task: Task) -> list[tuple[str, Family]]:
    own = dict(task.tried_on.get("data", {}))
    return [*([("own", own)] if own else []), *FAMILIES.items()]


class Facts:
    """What is known of files as a session knows them: each is added once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.apart()
        self._known: dict[str, Thing | None] = {}

    def apart(self) -> None:
        """Take a session of this process's own."""
        self.session = Session.open(engine=Engine(home=Path(tempfile.mkdtemp(dir=self.folder))))

    def of(self, spec: Any) -> Thing | None:
        """What is known of a file; None where it is not here, or cannot be read."""
        key = json.dumps(spec, sort_keys=True)
        if key not in self._known:
            self._known[key] = self._of(spec)
        return self._known[key]

    def _of(self, spec: Any) -> Thing | None:
        try:
            handle = add(self.session, "file", bring(spec, self.folder).path)
        except WorkflowError:
            return None
        session = self.session
        return known(session.state, session.world(), handle, session.events)


def _plan(workflow: Workflow, family: Family, facts: Facts) -> dict[str, Any] | None:
    """Which of a family's files each input takes; None where one has none."""
    things = {name: thing for name, spec in family.items() if (thing := facts.of(spec)) is not None}
    given = {each.name: each.name for each in workflow.inputs if each.name in things}
    chosen = fit(workflow, things, given)
    if chosen.missing or chosen.lacks:
        chosen = fit(workflow, things)
    if chosen.missing or chosen.lacks or not chosen.inputs:
        return None
    return {name: family[handle] for name, handle in chosen.inputs.items()}


def played(
    workflow: Workflow, plan: Mapping[str, Any], values: Mapping[str, Any], folder: Path
) -> dict[str, Any] | str:
    """A workflow on files, run without help: what it ends in, or why it does not."""
    with tempfile.TemporaryDirectory(prefix="knowflow-") as home:
        session = Session.open(engine=Engine(home=Path(home)))
        started = time.process_time()
        try:
            handles = {name: add(session, name, bring(spec, folder).path) for name, spec in plan.items()}
            things = {
                each: known(session.state, session.world(), each, session.events) for each in handles.values()
            }
            wanted = {key: value for key, value in values.items() if workflow.parameter(key) is not None}
            made = instance(fit(workflow, things, handles), things, wanted)
        except WorkflowError as error:
            return str(error)
        if not isinstance(made, Instance):
            return "it asks"
        report = Run(session, made).run()
        seconds = time.process_time() - started
        if not report.ok or seconds > MOST_SECONDS:
            return report.trouble.said if report.trouble is not None else f"takes {seconds:.0f} s"
        ends = endings(session, report)
    if not any(says_something(each) for each in ends.values()):
        return "says nothing"
    return {
        "data": dict(plan),
        "parameters": dict(made.parameters),
        "steps": len(workflow.steps),
        "seconds": round(seconds, 2),
        "ends": ends,
    }


def main(out: Path, part: int, parts: int) -> None:
    """Draw candidates for each of `parts` tasks the one that is `part`, but for those that are in `out`."""
    done = {json.loads(line)["task"] for line in out.read_text().splitlines()} if out.exists() else set()
    with tempfile.TemporaryDirectory(prefix="knowflow-files-") as folder, out.open("a") as target:
        facts = Facts(Path(folder))
        for task in [each for each in library() if each.id not in done][part::parts]:
            target.writelines(json.dumps(each) + "\n" for each in drawn(task, facts))
            target.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
