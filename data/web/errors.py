"""What can go wrong on the way out: one sentence each, for the user."""

from __future__ import annotations


class WebError(Exception):
    """A request that brought nothing: one sentence with what was asked and what would help."""


class Refused(WebError):
    """A request that is not made, for it would lead where none may go."""


class NoNetwork(WebError):
    """A host that cannot be reached from here."""


class WrongKind(WebError):
    """An answer of a kind that is not read here."""


class BadStatus(WebError):
    """An answer that is none: the server said why with a status."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status
