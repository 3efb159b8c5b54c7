"""What is measured: the workflows themselves, what is left without a part of them, and plain agents.

`knowflow` is given the request and the files, as a person would give them to the tool `workflow_run`:
it finds the task, the workflow and the values, runs, and repairs. `direct`, `react` and `reflexion` are the
agents of copilot/agents behind the same embedded planner, without workflows: `direct` is therefore also the
ablation without the library. Nobody is told which workflow is the gold's.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.bench.knowflow.bringing import bring
from copilot.bench.knowflow.gold import Gold
from copilot.bench.knowflow.playing import add
from copilot.bench.knowflow.scoring import Row, calls_made, steps, wrong
from copilot.engine import Engine
from copilot.workflows.engine import Report
from copilot.workflows.instantiate import Instance
from copilot.workflows.memory import Memory
from copilot.workflows.procedures import Library
from copilot.workflows.running import run as run_workflow
from tools.base import ToolError
from tools.toolbox import Toolbox, toolbox

if TYPE_CHECKING:
    from copilot.session import Session

AGENTS = ("direct", "react", "reflexion")
FLOWS = ("knowflow", "no_adjustment", "no_memory", "named")
"""`named` is told the task, so that what finding it costs is seen."""
SYSTEMS = (*FLOWS, *AGENTS)
MOST_SECONDS = 60.0
"""How long an agent may take for one task."""


@dataclass
class PlainEngine(Engine):
    """An engine whose agents have every tool but those of workflows."""

    @property
    def toolbox(self) -> Toolbox:
        """Every tool without workflows, and without those that write to the catalogue."""
        return _plain()


@cache
def _plain() -> Toolbox:
    return Toolbox(
        tuple(
            each for each in toolbox() if not each.name.startswith("workflow_") and each.name != "db_ingest"
        )
    )


@contextmanager
def opened(of: Gold, folder: Path, engine: Engine) -> Iterator[tuple[Session, dict[str, str]]]:
    """A session with the files of a task in it, gone afterwards; and their handles by the input's name."""
    from copilot.session import Session

    session = Session.open(engine=engine)
    try:
        yield session, {name: add(session, name, bring(spec, folder).path) for name, spec in of.data.items()}
    finally:
        engine.remove_session(session.id)


def measure(system: str, of: Gold, folder: Path, engine: Engine, memory: Memory | None = None) -> Row:
    """One system at one task."""
    with opened(of, folder, engine) as (session, handles):
        started = time.perf_counter()
        if system in AGENTS:
            return _agent(system, of, session, handles, started)
        return _flow(system, of, session, handles, started, memory)


def _agent(system: str, of: Gold, session: Session, handles: dict[str, str], started: float) -> Row:
    from copilot.agents.budget import Budget

    answer = session.ask(
        of.request, agent=system, model="embedded", source="bench", budget=Budget(seconds=MOST_SECONDS)
    )
    missing = wrong(session, of)
    made = calls_made(session)
    right = not missing
    return _row(
        system, of, session, handles, time.perf_counter() - started,
        right=right,
        first=right and all(each.ok for each in made),
        calls=len(made),
        interventions=int(answer.outcome != "done"),
        said=missing if answer.outcome == "done" else f"{answer.outcome}: {answer.reply[:160]}",
    )  # fmt: skip


def _flow(
    system: str, of: Gold, session: Session, handles: dict[str, str], started: float, memory: Memory | None
) -> Row:
    try:
        found = Library(memory).bound(
            session.state, session.world(), of.task if system == "named" else of.request, {}, {}
        )
    except ToolError as error:
        return _row(
            system, of, session, handles, time.perf_counter() - started,
            right=False, first=False, calls=0, interventions=1, said=str(error)[:200],
        )  # fmt: skip
    instance = Instance.from_json({key: value for key, value in found.items() if key != "id"})
    report = run_workflow(
        session, instance, memory=None if system == "no_memory" else memory, repairs=system != "no_adjustment"
    )
    return judged(system, of, session, handles, report, time.perf_counter() - started)


def judged(
    system: str,
    of: Gold,
    session: Session,
    handles: dict[str, str],
    report: Report,
    seconds: float,
    **more: Any,
) -> Row:
    """The row of a workflow's run."""
    missing = (
        wrong(session, of, **more)
        if report.ok
        else f"{report.trouble.step}: {report.trouble.said}"
        if report.trouble
        else "stopped"
    )
    right = report.ok and not missing
    adjusted = tuple(str(each.get("said", "")) for each in report.instance.adjustments)
    made = calls_made(session)
    return _row(
        system, of, session, handles, seconds,
        right=right,
        first=right and not adjusted and all(each.ok for each in made),
        calls=len(made),
        interventions=int(report.trouble is not None),
        said=missing,
        workflow=report.instance.workflow.id,
        adjusted=adjusted,
    )  # fmt: skip


def _row(
    system: str, of: Gold, session: Session, handles: dict[str, str], seconds: float, **said: Any
) -> Row:
    how = steps(session, of, handles)
    return Row(
        id=of.id, system=system, inst=how.inst, tool=how.tool, args=how.args, seconds=round(seconds, 2),
        digest=of.digest, **said,
    )  # fmt: skip


def play(of: Gold, folder: Path, engine: Engine) -> tuple[Report, dict[str, dict[str, Any]]]:
    """The gold's own calls, and what they end in. Raises WorkflowError where a file cannot be added."""
    from copilot.bench.knowflow.playing import endings
    from copilot.workflows.engine import Run

    with opened(of, folder, engine) as (session, handles):
        report = Run(session, Instance(of.as_workflow(), handles)).run()
        return report, endings(session, report) if report.ok else {}


def temporary_memory() -> Memory:
    """A memory that nobody has."""
    return Memory(Path(tempfile.mkdtemp(prefix="knowflow-memory-")) / "bench.json")


__all__ = [
    "AGENTS",
    "FLOWS",
    "SYSTEMS",
    "PlainEngine",
    "judged",
    "measure",
    "opened",
    "play",
    "temporary_memory",
]
