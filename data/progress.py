"""How long work tells how far it is, and hears that it is to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar


class Cancelled(Exception):
    """The work was told to stop: nothing it has begun is kept."""


class Progress(Protocol):
    """What long work is given as its first argument. Each call may raise Cancelled: call it between tiles."""

    def tell(self, fraction: float, sentence: str) -> None:
        """Say how far the work is, 0 to 1, and in one short sentence what it does."""

    def found(self, features: Sequence[Mapping[str, Any]]) -> None:
        """Show results as they come: GeoJSON features in EPSG:4326, added to those shown before."""


Worked = TypeVar("Worked", bound=Callable[..., Any])


def on_gpu(function: Worked) -> Worked:
    """Mark work that is faster on a GPU: it is given to a worker that declares one, where there is any."""
    function.uses_gpu = True  # type: ignore[attr-defined]
    return function


class Unheard:
    """Progress that nobody follows: work in this process that nobody can stop."""

    def tell(self, fraction: float, sentence: str) -> None:
        """Do nothing."""

    def found(self, features: Sequence[Mapping[str, Any]]) -> None:
        """Do nothing."""
