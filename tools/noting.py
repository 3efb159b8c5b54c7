"""What a call read otherwise than it is written: sentences that go before its observation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_NOTED: ContextVar[list[str] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[list[str]]:
    """The sentences that are noted while a call runs."""
    noted: list[str] = []
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def note(sentence: str | None) -> None:
    """Say so before what the running call says of itself, once; None says nothing."""
    noted = _NOTED.get()
    if noted is not None and sentence is not None and sentence not in noted:
        noted.append(sentence)
