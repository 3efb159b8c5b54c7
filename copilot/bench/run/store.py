"""A run on disk: what was asked for, and each finished task with its trace. $AZIMUTH_HOME/bench/runs/ID/."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

_Record = TypeVar("_Record", "Settings", "Progress")
_RUN_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_PART = re.compile(r"part-(\d{6})\.parquet")


class UnknownRun(Exception):
    """No run has that id."""


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do; written once, when it begins."""

    tasks: str
    """As it was asked for: 500, 10k, 100k, mine, or the path of a file."""
    version: str
    """The stamp of the tasks."""
    digest: str
    """SHA-256 of the tasks, so that a run is only gone on with over the same ones."""
    total: int
    """How many tasks are run; those that are skipped are not among them."""
    agent: str
    model: str
    shots: int
    epsilon: float
    today: str
    """The clock of every session."""
    catalogue: str
    code: str
    """Stamp of the code that began the run."""
    skipped: dict[str, int] = field(default_factory=dict)
    """What was not there → how many tasks need it."""
    chunk: int = 25
    """Tasks that a worker takes at a time."""
    created_at: str = ""
    stamp: dict[str, Any] = field(default_factory=dict)
    """What the tasks were made from, as copilot.bench.build.stamp has it; empty where nobody knows."""

    @property
    def name(self) -> str:
        """What tables, figures and lists call the run."""
        return f"{self.agent}, {self.model}{f', {self.shots}-shot' if self.shots else ''}"


@dataclass
class Progress:
    """How far a run is; written after every chunk."""

    done: int = 0
    succeeded: int = 0
    ungraded: int = 0
    """Tasks whose own gold does not work here: neither right nor wrong."""
    tokens: int = 0
    estimated: int = 0
    """Tokens of answers whose server counts none."""
    usd: float = 0.0
    seconds: float = 0.0
    """On the clock, over all the times it was gone on with."""
    stopped: str = ""
    """Why it ended before its end."""
    pid: int = 0
    """The process that runs it; 0 when none does."""

    @property
    def success(self) -> float | None:
        """The share of the graded tasks that are right; None while there is none."""
        graded = self.done - self.ungraded
        return self.succeeded / graded if graded else None

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Count finished tasks in."""
        self.done += len(rows)
        self.ungraded += sum(row["success"] is None for row in rows)
        self.succeeded += sum(bool(row["success"]) for row in rows)
        self.tokens += sum(int(row["tokens"]) for row in rows)
        self.estimated += sum(int(row["estimated_tokens"] or 0) for row in rows)
        self.usd += sum(float(row["usd"] or 0) for row in rows)


def row_schema() -> pa.Schema:
    """The columns of a result; what has a structure of its own is JSON text."""
    import pyarrow as pa

    about, trace = "id intent category request setup gold gold_reply", "trace reply outcome state_hash state"
    columns = [pa.field(name, pa.string()) for name in f"{about} {trace} verdict at_epsilon".split()]
    columns += [pa.field(name, pa.int64()) for name in ("complexity", "tokens", "estimated_tokens")]
    columns += [pa.field(name, pa.float64()) for name in ("seconds", "usd", "correctness", "rouge_l")]
    columns += [pa.field(name, pa.bool_()) for name in ("success", "unanswered")]
    return pa.schema([*columns, pa.field("errors", pa.list_(pa.string()))])


@dataclass(frozen=True)
class Run:
    """The folder of one run."""

    folder: Path

    @property
    def id(self) -> str:
        """The run's id: its folder's name."""
        return self.folder.name

    @property
    def settings(self) -> Settings:
        """What was asked for."""
        return _made(Settings, self._read("run.json"))

    @property
    def progress(self) -> Progress:
        """How far it is. A process that was killed left its number behind: it runs no more."""
        try:
            found = _made(Progress, self._read("progress.json"))
        except FileNotFoundError:
            return Progress()
        if found.pid and not _runs(found.pid):
            found.pid = 0
        return found

    @property
    def finished(self) -> bool:
        """Whether every task has a result."""
        return self.progress.done >= self.settings.total

    def begin(self, settings: Settings) -> None:
        """Make the folder."""
        self.folder.mkdir(parents=True)
        self._write("run.json", asdict(settings))

    def note(self, progress: Progress) -> None:
        """Write down how far it is."""
        self._write("progress.json", asdict(progress))

    def parts(self) -> dict[int, Path]:
        """The finished chunks by number."""
        found = ((_PART.fullmatch(path.name), path) for path in self.folder.glob("part-*.parquet"))
        return {int(match[1]): path for match, path in sorted(found, key=lambda pair: pair[1]) if match}

    def write_part(self, number: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store a chunk's results: all of them, or none when the process dies meanwhile."""
        import pyarrow as pa
        from pyarrow import parquet

        table = pa.Table.from_pylist(list(rows), schema=row_schema())
        beside = self.folder / f"part-{number:06}.unfinished"
        parquet.write_table(table, beside, compression="zstd")
        _settle(beside, self.folder / f"part-{number:06}.parquet")

    def table(self, columns: Iterable[str] | None = None) -> pa.Table:
        """Every result so far, in the order of the tasks."""
        import pyarrow as pa
        from pyarrow import parquet

        wanted = None if columns is None else list(columns)
        schema = row_schema() if wanted is None else pa.schema([row_schema().field(name) for name in wanted])
        # By the schema: a column that an older version did not write is empty.
        tables = [parquet.read_table(path, schema=schema) for path in self.parts().values()]
        return pa.concat_tables(tables).select(schema.names) if tables else schema.empty_table()

    def rows(self, columns: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """As `table`, as plain values."""
        found: list[dict[str, Any]] = self.table(columns).to_pylist()
        return found

    def result(self, task_id: str) -> dict[str, Any] | None:
        """The result of one task, with its trace."""
        import pyarrow.compute as pc
        from pyarrow import parquet

        for path in self.parts().values():
            found = parquet.read_table(
                path, schema=row_schema(), filters=pc.field("id") == task_id
            ).to_pylist()
            if found:
                return dict(found[0])
        return None

    def _read(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / name).read_text(encoding="utf-8"))
        return found

    def _write(self, name: str, value: Mapping[str, Any]) -> None:
        beside = self.folder / f"{name}.unfinished"
        beside.write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")
        _settle(beside, self.folder / name)


@dataclass(frozen=True)
class Runs:
    """All runs of a home folder."""

    home: Path

    @property
    def folder(self) -> Path:
        """Where they are."""
        return self.home / "bench" / "runs"

    def new(self, settings: Settings) -> Run:
        """Begin a run under a name that says when, over which tasks and with which agent."""
        at = datetime.fromisoformat(settings.created_at).strftime("%Y%m%d-%H%M%S")
        tasks = re.sub(r"[^A-Za-z0-9]+", "-", Path(settings.tasks).stem).strip("-")[:30] or "tasks"
        run = Run(self.folder / f"{at}-{tasks}-{settings.agent}-{secrets.token_hex(2)}")
        run.begin(settings)
        return run

    def get(self, run_id: str) -> Run:
        """The run of that id. Raises UnknownRun."""
        run = Run(self.folder / run_id)
        if not _RUN_ID.fullmatch(run_id) or not (run.folder / "run.json").is_file():
            known = [each.id for each in self.all()[:5]]
            there = f"the last are {', '.join(known)}" if known else "there is none yet"
            raise UnknownRun(f"There is no run '{run_id}'; {there}.")
        return run

    def all(self) -> list[Run]:
        """Every run, the newest first."""
        found = sorted(self.folder.glob("*/run.json"), key=lambda path: path.parent.name, reverse=True)
        return [Run(path.parent) for path in found]

    def unfinished(self, settings: Settings) -> Run | None:
        """The newest run of the same tasks, agent, model and code that was cut short."""
        return next((run for run in self._cut_short() if _same(run.settings, settings)), None)

    def of_other_code(self, settings: Settings) -> Run | None:
        """The newest such run that other code began."""
        alike = (run for run in self._cut_short() if run.settings.code != settings.code)
        return next((run for run in alike if _same(run.settings, settings, code="")), None)

    def _cut_short(self) -> Iterator[Run]:
        return (run for run in self.all() if not run.finished and not run.progress.pid)


def now() -> str:
    """The time as it is written down: ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _same(one: Settings, other: Settings, **set_aside: str) -> bool:
    """Whether two runs were asked to do the same, but for when, and for what is set aside."""
    left = {"created_at": "", **set_aside}
    return {**asdict(one), **left} == {**asdict(other), **left}


def _made(kind: type[_Record], plain: Mapping[str, Any]) -> _Record:
    """A record out of JSON, whatever an older or newer version of it wrote besides."""
    known = {each.name for each in fields(kind)}
    return kind(**{name: value for name, value in plain.items() if name in known})


def _settle(beside: Path, path: Path) -> None:
    """Put a whole file in its place, on the disk and not only in its cache."""
    with beside.open("rb") as written:
        os.fsync(written.fileno())
    beside.replace(path)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
