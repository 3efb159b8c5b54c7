"""Settings of the way out: environment variables, which a block of code may have other values of."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

_others: ContextVar[Mapping[str, str] | None] = ContextVar("web_settings", default=None)


def setting(variable: str) -> str:
    """The variable's value, without blanks around it; empty when it is not set."""
    others = _others.get()
    value = os.environ.get(variable, "") if others is None else others.get(variable, "")
    return value.strip()


@contextmanager
def settings(values: Mapping[str, str]) -> Iterator[None]:
    """Use these settings and no others while the block runs, in its thread alone.

    A benchmark in the app's own process must not lead its users' requests elsewhere.
    """
    token = _others.set(dict(values))
    try:
        yield
    finally:
        _others.reset(token)
