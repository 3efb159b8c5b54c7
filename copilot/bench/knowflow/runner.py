"""Runs systems over the gold and the faults; what was measured is remembered, and a run goes on where it was.

Rows lie in the home folder (`bench/knowflow/<system>.jsonl`), each with the digest of what it was measured
on and the stamp of the code that was measured. A row of the same gold is not measured again; the report says
how many are of other code, and `fresh` measures all anew.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from copilot.bench.knowflow import faults, systems
from copilot.bench.knowflow.gold import Gold, gold
from copilot.bench.knowflow.scoring import Row, figures
from copilot.engine import Engine
from copilot.workflows.memory import Memory
from copilot.workflows.model import WorkflowError

LEARNED = (0, 50, 200)
"""After so many tasks of learning the faults are measured."""
Told = Callable[[int, int, Row], None]


@dataclass(frozen=True)
class Wanted:
    """What is to be measured."""

    only: tuple[str, ...] = ()
    """Parts of ids; all where empty."""
    limit: int | None = None
    seed: int = 1
    """Which ones a limit takes, and in which order faults are learned from."""
    fresh: bool = False

    def of(self, ids: Sequence[Any]) -> list[Any]:
        """Those that are wanted, by their attribute id."""
        chosen = [each for each in ids if not self.only or any(part in each.id for part in self.only)]
        if self.limit is None or self.limit >= len(chosen):
            return chosen
        import random

        return sorted(random.Random(self.seed).sample(chosen, self.limit), key=lambda each: each.id)


class Rows:
    """The rows that one system has, in a file that grows by a line a row."""

    def __init__(self, path: Path, fresh: bool = False) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        self.known: dict[tuple[str, str], Row] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    row = Row.from_json(json.loads(line))
                except (ValueError, TypeError, KeyError):
                    continue  # the line that was being written when it was killed
                self.known[row.id, row.digest] = row

    def add(self, row: Row) -> None:
        """Keep a row."""
        self.known[row.id, row.digest] = row
        with self.path.open("a", encoding="utf-8") as target:
            target.write(json.dumps(row.to_json(), ensure_ascii=False) + "\n")


@contextmanager
def _files() -> Iterator[Path]:
    """Where files are made; outside of the home folder, nothing of which is data for a session."""
    with tempfile.TemporaryDirectory(prefix="knowflow-files-") as folder:
        yield Path(folder)


def run_tasks(
    system: str, wanted: Wanted, home: Path, catalogue: str, tell: Told = lambda *_: None
) -> list[Row]:
    """One system over the gold, in the gold's order, with one memory that starts empty."""
    rows = Rows(home / "bench" / "knowflow" / f"{system}.jsonl", wanted.fresh)
    code = _code()
    tasks = [each for each in wanted.of(gold()) if each.here]
    kind = systems.PlainEngine if system in systems.AGENTS else Engine
    found: list[Row] = []
    memory = Memory(home / "bench" / "knowflow" / f"{system}.memory.json")
    if wanted.fresh:
        memory.path.unlink(missing_ok=True)
    with _files() as files, tempfile.TemporaryDirectory(prefix="knowflow-") as place:
        engine = kind(home=Path(place), store_url="sqlite://", catalogue_url=catalogue, background=None)
        for number, of in enumerate(tasks, 1):
            row = rows.known.get((of.id, of.digest))
            if row is None:
                row = replace(_guarded(system, of, files, engine, memory), code=code)
                rows.add(row)
            found.append(row)
            tell(number, len(tasks), row)
    return found


def _guarded(system: str, of: Gold, files: Path, engine: Engine, memory: Memory) -> Row:
    """A row in any case: what breaks at one task has failed there, and the next ones go on."""
    started = time.perf_counter()
    try:
        return systems.measure(system, of, files, engine, memory)
    except (WorkflowError, RuntimeError, ValueError, KeyError, TypeError, OSError) as error:
        said = f"broke: {type(error).__name__}: {error}"[:200]
        seconds = round(time.perf_counter() - started, 2)
        return Row(of.id, system, False, False, 0, 1, None, 0.0, None, seconds, said, digest=of.digest)


def run_faults(
    system: str,
    wanted: Wanted,
    home: Path,
    catalogue: str,
    tell: Told = lambda *_: None,
    memory: Memory | None = None,
) -> list[Row]:
    """One system over the faults. Without a memory given each case starts with an empty one, so that it
    says what the engine finds by itself."""
    rows = Rows(home / "bench" / "knowflow" / f"faults.{system}.jsonl", wanted.fresh)
    code = _code()
    chosen = [each for each in wanted.of(faults.cases()) if each.of.here]
    found: list[Row] = []
    with _files() as files, tempfile.TemporaryDirectory(prefix="knowflow-") as place:
        for number, case in enumerate(chosen, 1):
            key = (case.id, case.of.digest)
            row = rows.known.get(key)
            if row is None:
                own = memory or Memory(Path(place) / f"{number}.json")
                engine = faults.engine_for(case, Path(place) / str(number), catalogue)
                row = replace(_fault(case, system, files, engine, own), code=code)
                rows.add(row)
            found.append(row)
            tell(number, len(chosen), row)
    return found


def _fault(case: faults.Case, system: str, files: Path, engine: Engine, memory: Memory) -> Row:
    try:
        return faults.measure(case, system, files, engine, memory)
    except (WorkflowError, RuntimeError, ValueError, KeyError, TypeError, OSError) as error:
        said = f"broke: {type(error).__name__}: {error}"[:200]
        return Row(
            case.id,
            system,
            False,
            False,
            0,
            1,
            None,
            0.0,
            None,
            0.0,
            said,
            fault=case.kind,
            digest=case.of.digest,
        )


def learning(
    wanted: Wanted, home: Path, catalogue: str, tell: Told = lambda *_: None
) -> dict[int, list[Row]]:
    """The odd cases, after as many runs of the even ones as `LEARNED` says."""
    import random

    every = [each for each in wanted.of(faults.cases()) if each.of.here]
    lessons, asked = every[::2], every[1::2]
    order = random.Random(wanted.seed)
    memory = systems.temporary_memory()
    found: dict[int, list[Row]] = {}
    done = 0
    with _files() as files, tempfile.TemporaryDirectory(prefix="knowflow-") as place:

        def measured(case: faults.Case, of: Memory) -> Row:
            return _fault(
                case, "knowflow", files, faults.engine_for(case, Path(place) / "home", catalogue), of
            )

        for after in LEARNED:
            while done < after and lessons:
                measured(order.choice(lessons), memory)
                done += 1
            rows = []
            for number, case in enumerate(asked, 1):
                copied = systems.temporary_memory()
                copied.write(memory.read())
                rows.append(measured(case, copied))
                tell(number, len(asked), rows[-1])
            found[after] = rows
    return found


def _code() -> str:
    from copilot.bench.run.runner import code_stamp

    return code_stamp()


def progress(number: int, total: int, row: Row) -> None:
    """A line on standard error."""
    how = "right" if row.right else f"wrong: {row.said[:90]}"
    print(f"{row.system} {number}/{total} {row.id} {how} ({row.seconds:.1f} s)", file=sys.stderr, flush=True)


def summary(found: dict[str, Iterable[Row]]) -> dict[str, Any]:
    """The figures by system, and of faults by kind."""
    plain: dict[str, Any] = {}
    for system, rows in found.items():
        told = list(rows)
        plain[system] = figures(told).to_json()
        kinds = sorted({each.fault for each in told if each.fault})
        if kinds:
            plain[system]["by_fault"] = {
                kind: {"cases": len(part), "repaired": sum(each.right for each in part)}
                for kind in kinds
                if (part := [each for each in told if each.fault == kind])
            }
        codes = {each.code for each in told if each.code}
        plain[system]["of_other_code"] = (
            sum(bool(each.code) and each.code != _code() for each in told) if codes else 0
        )
    return plain


__all__ = ["LEARNED", "Rows", "Wanted", "learning", "progress", "run_faults", "run_tasks", "summary"]
