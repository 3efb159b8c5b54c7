"""Worked examples for a model: turns that the user has confirmed, and a hand-written bank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain_core.messages import BaseMessage

if TYPE_CHECKING:
    from copilot.session import Session


def examples(session: Session, request: str, count: int) -> list[BaseMessage]:
    """The `count` worked examples nearest to a request, as messages marked so, the nearest last."""
    return []
