"""One test that walks over all there is of a kind, in place of one test for each."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest

LONGEST_NAME = 60
LIMIT_S = 1500
"""When a walk is taken to hang, seconds; one over every tool took 220 on a slow machine."""

WHOLE = bool(os.environ.get("AZIMUTH_CHANCE"))
"""Whether this is `make test-all`, which leaves nothing out."""


def share(values: Sequence[Any], number: int, of: int) -> Sequence[Any]:
    """One in `of` of the values, and the next ones for the next number; all of them in `make test-all`.

    So a walk that gives each argument of every tool each hostile value takes a part of its time in
    `make test`, where every value still comes to many arguments.
    """
    return values if WHOLE else values[number % of :: of]


def walks(
    arguments: str, values: Iterable[Any], named: Callable[..., str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the test is called with each of the values, and every failure is reported by its name.

    It takes what `pytest.mark.parametrize` takes: one argument's name and its values, or names with commas
    and tuples. All of them share the fixtures of one test, where that one sets them up for each.
    """
    names = [each.strip() for each in arguments.split(",")]
    each_given = [dict(zip(names, each if len(names) > 1 else (each,), strict=True)) for each in values]

    def walking(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def walk(subtests: pytest.Subtests, **fixtures: Any) -> None:
            assert each_given, f"There is no {arguments} to walk over."
            for given in each_given:
                with subtests.test(_shortened(named(*given.values()) if named else _said(given))):
                    test(**fixtures, **given)

        own = inspect.signature(test)
        fixtures = [
            each.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for each in own.parameters.values()
            if each.name not in names
        ]
        first = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        walk.__signature__ = own.replace(parameters=[first, *fixtures])  # type: ignore[attr-defined]
        return pytest.mark.timeout(LIMIT_S)(walk)

    return walking


def _said(given: dict[str, Any]) -> str:
    """The values as one would look for them in the file; of others than texts and numbers what they are."""
    return ", ".join(
        repr(each) if isinstance(each, str | int | float | None) else type(each).__name__
        for each in given.values()
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…"
