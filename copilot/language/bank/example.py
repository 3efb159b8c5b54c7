"""An example: one conversation of one person, each request with the calls that answer it.

A line of a `.jsonl` file is `{"id", "voice", "turns": [{"say", "calls": [[tool, arguments], ...]}]}`, with
`"setup"`, calls made before, where the session is in progress, and with a turn's `"also"`, other right ways.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from copilot.bench.build.example_files import FOLDER as FILES
from copilot.bench.task import GoldCall

EXAMPLES = Path(__file__).parent / "examples"
WITHHELD = Path(__file__).parent / "withheld"
"""Examples with what the unseen sets measure: only the policy that answers learns them."""
_PATHS = frozenset({"file", "path", "document"})
"""Arguments that take a file's path, or may."""
Pair = tuple[str, dict[str, Any]]


class BadExample(ValueError):
    """A line that is no example, in one sentence."""


@dataclass(frozen=True)
class Turn:
    """One request."""

    say: str
    calls: tuple[GoldCall, ...]
    """One right way; without calls the session stays as it is and something is said, as after a thank-you."""
    also: tuple[tuple[GoldCall, ...], ...] = ()
    """Other right ways, where the request leaves a choice."""


@dataclass(frozen=True)
class Example:
    """One conversation."""

    id: str
    voice: str
    """Who speaks: role, register, command of English, as "harbour master, dictated"."""
    turns: tuple[Turn, ...]
    setup: tuple[GoldCall, ...] = ()


class _Turn(BaseModel):
    model_config = ConfigDict(extra="forbid")
    say: str = Field(min_length=1)
    calls: list[Pair] = []
    also: list[list[Pair]] = []


class _Example(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: str = Field(min_length=1)
    voice: str = Field(min_length=1)
    turns: list[_Turn] = Field(min_length=1)
    setup: list[Pair] = []


def example_of(plain: Mapping[str, Any]) -> Example:
    """The example that a line's JSON says. Raises BadExample."""
    try:
        read = _Example.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadExample(f"{plain.get('id', 'An example')}: {where}: {first['msg']}.") from None
    turns = tuple(
        Turn(each.say, _calls(each.calls), tuple(_calls(way) for way in each.also)) for each in read.turns
    )
    return Example(read.id, read.voice, turns, _calls(read.setup))


def read_examples(files: Iterable[Path]) -> Iterator[Example]:
    """The examples of those files, line by line. Raises BadExample."""
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                plain = json.loads(line)
            except json.JSONDecodeError as error:
                raise BadExample(f"{path.name}, line {number}: {error.msg}.") from None
            yield example_of(plain)


def _calls(pairs: Iterable[Pair]) -> tuple[GoldCall, ...]:
    return tuple(GoldCall(tool, _with_files(args)) for tool, args in pairs)


def _with_files(args: Mapping[str, Any]) -> dict[str, Any]:
    """A file that is named alone is one of the example files."""
    return {
        name: str(FILES / value) if name in _PATHS and (FILES / str(value)).is_file() else value
        for name, value in args.items()
    }
