"""Which tasks a run takes: a built size by its name, the user's own, or a file."""

from __future__ import annotations

import hashlib
import re
import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copilot.bench.build.builder import Tell, Wish, build, built_path, chosen
from copilot.bench.build.intents import load_intents
from copilot.bench.build.mix import size_named
from copilot.bench.build.stamp import Stamp, stamp_of
from copilot.bench.build.taskfile import UnreadableTasks, read_header, read_tasks
from copilot.bench.task import Task
from copilot.engine import Engine
from state.codec import canonical_bytes

MINE = "mine"
_NAMED = re.compile(r"(\d+k?)(?:-(dev|held-out))?")
_REACHED = (("www.openstreetmap.org", 443), ("example.org", 443))
"""When one of these answers, there is a network."""


class NoTasks(Exception):
    """There is nothing to run, in one sentence."""


@dataclass(frozen=True)
class TaskSet:
    """The tasks of a run."""

    name: str
    version: str
    tasks: tuple[Task, ...]
    skipped: dict[str, int]
    """What is not there → how many tasks need it."""
    stamp: Stamp | None = None
    """What they were made from, where their file says so."""

    @property
    def digest(self) -> str:
        """SHA-256 over the tasks."""
        found = hashlib.sha256()
        for task in self.tasks:
            found.update(canonical_bytes(task.to_json()))
        return found.hexdigest()


def mine_file(home: Path) -> Path:
    """The user's own regression suite."""
    return home / "bench" / "mine.jsonl"


def wanted_tasks(
    wanted: str, engine: Engine, jobs: int = 1, tell: Tell | None = None, build_anew: bool = True
) -> tuple[str, tuple[Task, ...], Stamp | None]:
    """(name, tasks, stamp) of `500`, `10k-dev`, `mine` or a file. Raises NoTasks, UnreadableTasks.

    A size that was not built yet, or of other intents, tools or data, is built; not when `build_anew` is
    False.
    """
    if wanted == MINE:
        path = mine_file(engine.home)
        return MINE, tuple(read_tasks(path)) if path.exists() else (), None
    path = Path(wanted).expanduser().resolve()
    if path.is_file():
        return str(path), tuple(read_tasks(path)), stamp_in(path)
    named = _NAMED.fullmatch(wanted)
    try:
        size = size_named(named[1] if named else wanted)
    except ValueError:
        raise NoTasks(
            f"'{wanted}' is none of 500, 10k, 100k (or 500-held-out) and mine, and no file."
        ) from None
    split: Any = (named and named[2]) or "all"
    path = built_path(engine.home, size, split)
    if build_anew and not _fresh(path, size, split, engine):
        build(Wish(size, split=split, jobs=jobs), load_intents(), engine, path, tell)
    return wanted, tuple(read_tasks(path)), stamp_in(path)


def stamp_in(path: Path) -> Stamp | None:
    """The stamp of a file of tasks; None for one that bears none, or one of another form."""
    try:
        header = read_header(path)
    except (FileNotFoundError, UnreadableTasks, KeyError, TypeError):
        return None
    return header.stamp if header else None


def _fresh(path: Path, size: int, split: Any, engine: Engine) -> bool:
    """Whether a file is what would be built now, with the seed and the wording that it was built with."""
    built = stamp_in(path)
    if built is None:
        return False
    now = stamp_of(
        chosen(load_intents(), split),
        engine.toolbox,
        engine.catalogue.datasets(),
        size=size,
        seed=built.seed,
        split=split,
        paraphrased=built.paraphrased,
        agents=tuple(filter(None, built.agents.split(","))),
    )
    return built == now


def task_set(
    wanted: str, tasks: Sequence[Task], missing: Sequence[str] | None = None, stamp: Stamp | None = None
) -> TaskSet:
    """What of the tasks can be run here. Raises NoTasks.

    `missing` says what there is not; None looks for itself.
    """
    if not tasks:
        raise NoTasks(
            "Your own suite is empty; `copilot bench add --session ID` makes a task of a thumbs-down."
            if wanted == MINE
            else f"'{wanted}' holds no task."
        )
    versions = sorted({task.version for task in tasks})
    if len(versions) > 1:
        raise NoTasks(
            f"'{wanted}' mixes tasks of different versions ({', '.join(versions[:3])}); run each by itself."
        )
    twice = [name for name, count in Counter(task.id for task in tasks).items() if count > 1]
    if twice:
        raise NoTasks(f"'{wanted}' holds the task {twice[0]} more than once.")
    lacking = frozenset(_lacking(tasks) if missing is None else missing)
    kept = tuple(task for task in tasks if not lacking & set(task.needs))
    skipped = Counter(need for task in tasks for need in task.needs if need in lacking)
    if not kept:
        raise NoTasks(f"Every task of '{wanted}' needs what is not there: {', '.join(sorted(lacking))}.")
    return TaskSet(wanted, versions[0] or _stamp(tasks), kept, dict(skipped), stamp)


def _lacking(tasks: Sequence[Task]) -> set[str]:
    needed = {need for task in tasks for need in task.needs}
    return {need for need in needed if need != "network" or not _network()}


def _network() -> bool:
    for address in _REACHED:
        try:
            socket.create_connection(address, timeout=3).close()
            return True
        except OSError:
            continue
    return False


def _stamp(tasks: Sequence[Task]) -> str:
    """The version of tasks that bear none: what they are."""
    text = canonical_bytes([task.to_json() for task in tasks])
    return f"own-{hashlib.sha256(text).hexdigest()[:12]}"
