"""A task as it lies in a folder: `task.json`, `inputs/` and `grade.py` (GeoAgentBench's form, 2026)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


class NoTasks(Exception):
    """A folder that holds no task that can be run; the text is for the user."""


@dataclass(frozen=True)
class GeoTask:
    """What is asked, with what, and what is to be delivered."""

    id: str
    instruction: str
    inputs: tuple[Path, ...]
    outputs: tuple[str, ...]
    """The names of the files that are to be delivered."""
    folder: Path
    """Where `grade.py` is; what it imports lies beside it or two folders above."""


def tasks_in(folder: Path, only: tuple[str, ...] = ()) -> list[GeoTask]:
    """The tasks under a folder, by name: its own, or those below it or its `tasks/`. Raises NoTasks."""
    root = folder / "tasks" if (folder / "tasks").is_dir() else folder
    places = (
        [root] if (root / "task.json").is_file() else sorted(each.parent for each in root.glob("*/task.json"))
    )
    found = [_task(each) for each in places if not only or each.name in only]
    if missing := set(only) - {each.id for each in found}:
        raise NoTasks(f"There is no task {', '.join(sorted(missing))} in {root}.")
    if not found:
        raise NoTasks(f"There is no task.json in {root} or a folder of it.")
    return found


def _task(folder: Path) -> GeoTask:
    try:
        told = json.loads((folder / "task.json").read_text(encoding="utf-8"))
        inputs = tuple(_input(folder, str(each["url"])) for each in told["inputs"])
        outputs = tuple(str(each["name"]) for each in told["expected_outputs"])
        return GeoTask(folder.name, str(told["instruction"]), inputs, outputs, folder.resolve())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoTasks(f"{folder / 'task.json'} is no task: {error}.") from error


def _input(folder: Path, url: str) -> Path:
    """An input file, named from the folder of all tasks, or from the task's own. Raises NoTasks."""
    for path in (folder.parent.parent / url, folder / url, folder / "inputs" / Path(url).name):
        if path.exists():
            return path.resolve()
    raise NoTasks(f"The input {url} of {folder.name} is not there.")
