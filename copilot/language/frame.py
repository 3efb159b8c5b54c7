"""A frame: what a request means, as steps whose arguments point at the words that they were read from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pointer:
    """Words of the shown text, from the first to the last, both included."""

    first: int
    last: int


@dataclass(frozen=True)
class Literal:
    """A value that is not said in words of its own: one of a choice, or a number that "twice" means."""

    json: str
    """The value as JSON."""


@dataclass(frozen=True)
class Result:
    """What an earlier step of the same frame makes."""

    step: int
    """Counted from 0."""


Value = Pointer | Literal | Result


@dataclass(frozen=True)
class Step:
    """One call to make."""

    tool: str
    arguments: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    """Each argument with its values, in the order of the tool's schema; several only where it is a list."""


Frame = tuple[Step, ...]
