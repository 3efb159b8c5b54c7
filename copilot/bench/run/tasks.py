"""Which tasks a run takes: a built size by its name, the user's own, or a file."""

from __future__ import annotations

import hashlib
import json
import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from copilot.bench.task import Task
from state.codec import canonical_bytes

MINE = "mine"
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


def read_tasks(path: Path) -> tuple[Task, ...]:
    """The tasks of a JSON-lines file. Raises NoTasks."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise NoTasks(f"'{path}' cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise NoTasks(f"'{path}' is not UTF-8 text; tasks are JSON lines in UTF-8.") from error
    tasks = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                tasks.append(Task.from_json(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise NoTasks(f"Line {number} of {path} is no task of the benchmark.") from error
    return tuple(tasks)


def task_set(wanted: str, tasks: Sequence[Task], missing: Sequence[str] | None = None) -> TaskSet:
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
    return TaskSet(wanted, versions[0] or _stamp(tasks), kept, dict(skipped))


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
