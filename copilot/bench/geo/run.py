"""Run a task in a session of its own, take what was delivered, and have it graded in another process."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copilot.bench.geo.task import GeoTask
from copilot.session import Session

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from copilot.engine import Engine

GRADE_SECONDS = 300
_GRADE = """
import importlib.util, json, sys
from pathlib import Path
folder, delivered = Path(sys.argv[1]), Path(sys.argv[2])
sys.path[:0] = [str(folder), str(folder.parent.parent), str(folder.parent)]
spec = importlib.util.spec_from_file_location("grade_of_task", folder / "grade.py")
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
report = module.grade(delivered)
print(json.dumps(report.to_dict(), default=str))
"""


@dataclass(frozen=True)
class GeoRun:
    """What came of a task."""

    task: str
    score: float
    """Of the grader, from 0 to 1; 0 where nothing could be graded."""
    report: dict[str, Any]
    """What the grader tells, or {"error": why it did not}."""
    reply: str
    outcome: str
    calls: list[dict[str, Any]]
    delivered: list[str]
    """The expected files that were delivered."""
    seconds: float
    tokens: int

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        return dict(self.__dict__)


def run_task(task: GeoTask, engine: Engine, model: BaseChatModel | str | None, folder: Path) -> GeoRun:
    """Add the inputs, ask the instruction, and grade what was delivered; `folder` keeps the files."""
    session = Session.open(name=task.id, engine=engine)
    for path in task.inputs:
        session.call("add_file", file=str(_one_file(path)))
    answer = session.ask(task.instruction, model=model, source="bench")
    there = delivered(session, task, folder)
    report = graded(task, folder)
    score = report.get("score", report.get("total_score", 0.0))
    told = answer.to_json()
    return GeoRun(
        task.id, float(score or 0.0), report, answer.reply, answer.outcome, told["calls"], there,
        answer.seconds, answer.tokens,
    )  # fmt: skip


def delivered(session: Session, task: GeoTask, folder: Path) -> list[str]:
    """Copy the session's documents that bear the expected names; the newest of each."""
    folder.mkdir(parents=True, exist_ok=True)
    artifacts = session.engine.artifacts(session.id)
    documents = [each for each in session.state.artifacts if each.kind == "document"]
    there = []
    for wanted in task.outputs:
        for each in reversed(documents):
            path = artifacts.find(each.id)
            if path is not None and path.name == wanted:
                shutil.copyfile(path, folder / wanted)
                there.append(wanted)
                break
    return there


def graded(task: GeoTask, folder: Path) -> dict[str, Any]:
    """What the task's own grader says of the files in a folder; it runs in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="azimuth-grade-") as place:
        try:
            done = subprocess.run(
                [sys.executable, "-c", _GRADE, str(task.folder), str(folder.resolve())],
                cwd=place,
                capture_output=True,
                text=True,
                timeout=GRADE_SECONDS,
                check=False,
            )
            found: dict[str, Any] = json.loads(done.stdout.strip().rpartition("\n")[2])
        except subprocess.TimeoutExpired:
            return {"error": f"The grader took longer than {GRADE_SECONDS} s."}
        except ValueError:
            said = done.stderr.strip().rpartition("\n")[2][:300]
            return {"error": f"The grader failed: {said or 'it said nothing'}."}
    return found


def _one_file(path: Path) -> Path:
    """The file that is added: of a folder in pieces its first Parquet file, which brings in the others."""
    return next(iter(sorted(path.rglob("*.parquet"))), path) if path.is_dir() else path
