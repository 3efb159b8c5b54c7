"""What a task of the benchmark is: a request, and the end that counts as having answered it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import cache
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

Kind = Literal["load-filter-plot", "ui-web", "information"]
"""The three kinds of request of GeoLLM-Engine's mix."""
KINDS: tuple[Kind, ...] = ("load-filter-plot", "ui-web", "information")

TODAY = date(2024, 1, 15)
"""The day on which every task is set, whenever it is built or run: what "last year" means."""


class NoTask(ValueError):
    """What is wrong with a task that was read, as the end of a sentence."""


@dataclass(frozen=True)
class GoldCall:
    """One call of a solution."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """One request with its ground truth."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    id: str
    intent: str
    """The hand-written intent that it was made from."""
    category: Kind
    request: str
    calls: tuple[GoldCall, ...]
    """One right way; what is graded is where it ends."""
    reply: str
    """What a right answer says."""
    state: dict[str, Any]
    """The state after the gold calls, as the JSON of the state."""
    setup: tuple[GoldCall, ...] = ()
    """Calls made before the request: a session in progress."""
    also: tuple[tuple[GoldCall, ...], ...] = ()
    """Other ends that are right too, where a request leaves a choice."""
    needs: tuple[str, ...] = ()
    """What the task needs beyond the sample catalogue: "network", "upload"."""
    version: str = ""
    """Stamp of what it was built from; results of different stamps are never compared."""

    @property
    def complexity(self) -> int:
        """How many calls the gold makes."""
        return len(self.calls)

    def to_json(self) -> dict[str, Any]:
        """The task as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Task:
        """The task that `to_json` wrote, or somebody's hand. Raises NoTask."""
        try:
            return _tasks().validate_python(plain)
        except ValidationError as error:
            raise NoTask(_first_wrong(error)) from None


@cache
def _tasks() -> TypeAdapter[Task]:
    return TypeAdapter(Task)


def _first_wrong(error: ValidationError) -> str:
    """The first thing that is wrong, by the name of its field: `calls.0.tool` is the first call's tool."""
    first = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    match first["type"]:
        case "missing":
            return f"it has no '{name}'"
        case "unexpected_keyword_argument":
            return f"no task has a '{name}'"
        case _:
            return f"its '{name}' {first['msg'].removeprefix('Input ')}"
