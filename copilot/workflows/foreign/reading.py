"""Foreign tools and tasks out of files; whatever is wrong with a file is told in one sentence.

TOOLS.json is a list of {"name", "description", "arguments"}; TASKS.jsonl has a task a line, {"id",
"question"} and, where they are known, "domain" and "complexity". Both are data: nothing in them is ever run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_BYTES = 64 * 1024**2
MAX_TOOLS = 2000


class ForeignError(Exception):
    """What is wrong with a file of tools or tasks, in one sentence for the user."""


@dataclass(frozen=True)
class ForeignTool:
    """A tool as a foreign list shows it."""

    name: str
    description: str = ""
    arguments: tuple[str, ...] = ()
    """The names of its arguments."""


@dataclass(frozen=True)
class ForeignTask:
    """A task to plan."""

    id: str | int
    question: str
    domain: str = ""
    """The field it belongs to; empty when the file does not say."""
    complexity: str = ""
    """Simple, Medium or Complex in GeoPlan-bench; empty when the file does not say."""


@dataclass(frozen=True)
class KnownTask:
    """A task with the tools that did it, in their order."""

    task: ForeignTask
    tools: tuple[str, ...]


def read_tools(path: Path) -> tuple[ForeignTool, ...]:
    """The tools of a JSON file: a list, or an object with a list under "tools".

    Raises ForeignError for what cannot be read, for a tool without a name and for a name that comes twice.
    """
    try:
        value = json.loads(_text(path))
    except ValueError as error:
        raise ForeignError(f"{path} is not JSON ({error}); a list of tools was expected.") from error
    entries = value.get("tools") if isinstance(value, dict) else value
    if not isinstance(entries, list) or not entries:
        raise ForeignError(
            f'{path} holds no list of tools; [{{"name": "…", "description": "…"}}, …] would do.'
        )
    if len(entries) > MAX_TOOLS:
        raise ForeignError(f"{path} lists {len(entries):,} tools; at most {MAX_TOOLS:,} can be planned over.")
    tools = tuple(_tool(entry, number, path) for number, entry in enumerate(entries, start=1))
    seen: set[str] = set()
    for tool in tools:
        if tool.name in seen:
            raise ForeignError(f"{path} names the tool {tool.name!r} twice; every tool needs its own name.")
        seen.add(tool.name)
    return tools


def read_tasks(path: Path) -> tuple[ForeignTask, ...]:
    """The tasks of a JSON Lines file, in its order; ForeignError when there are none or a line is wrong."""
    tasks = tuple(_task(entry, number, path) for number, entry in _lines(path))
    if not tasks:
        raise ForeignError(f'{path} holds no task; a line like {{"id": "1", "question": "…"}} would do.')
    return tasks


def read_known(path: Path) -> tuple[KnownTask, ...]:
    """The tasks of a JSON Lines file whose tools are known: each line has a list of names under "tools"."""
    known = []
    for number, entry in _lines(path):
        names = entry.get("tools")
        if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
            raise ForeignError(f'{path}, line {number}: the names of the tools are missing under "tools".')
        known.append(KnownTask(_task(entry, number, path), tuple(names)))
    if not known:
        raise ForeignError(f"{path} holds no task with its tools.")
    return tuple(known)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ForeignError(f"{path} is over {MAX_BYTES // 1024**2} MiB; split it into smaller files.")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ForeignError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ForeignError(f"{path} is not UTF-8 text; save it as UTF-8.") from error


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The number (from 1) and object of each line that is not blank."""
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError as error:
            raise ForeignError(f"{path}, line {number} is not JSON ({error}); one task a line.") from error
        if not isinstance(entry, dict):
            raise ForeignError(f"{path}, line {number} is no JSON object; one task a line was expected.")
        yield number, entry


def _tool(entry: Any, number: int, path: Path) -> ForeignTool:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name.strip():
        raise ForeignError(f'{path}: tool {number} has no name; each needs a text under "name".')
    description = entry.get("description") or ""
    if not isinstance(description, str):
        raise ForeignError(f"{path}: the description of {name!r} is no text.")
    return ForeignTool(name, description, _arguments(entry.get("arguments", entry.get("parameters"))))


def _arguments(value: Any) -> tuple[str, ...]:
    """Names of arguments out of a list of names or of objects, a mapping, or a JSON schema."""
    if isinstance(value, dict):
        value = list(value.get("properties", value))
    if not isinstance(value, list):
        return ()
    names = (each.get("name") if isinstance(each, dict) else each for each in value)
    return tuple(name for name in names if isinstance(name, str))


def _task(entry: dict[str, Any], number: int, path: Path) -> ForeignTask:
    identity, question = entry.get("id"), entry.get("question", entry.get("query"))
    if not isinstance(identity, str | int) or isinstance(identity, bool):
        raise ForeignError(f'{path}, line {number} has no id; a text or a number under "id" would do.')
    if not isinstance(question, str) or not question.strip():
        raise ForeignError(f'{path}, line {number} asks nothing; the request belongs under "question".')
    domain, complexity = entry.get("domain"), entry.get("complexity")
    return ForeignTask(
        identity,
        question,
        domain if isinstance(domain, str) else "",
        complexity if isinstance(complexity, str) else "",
    )
