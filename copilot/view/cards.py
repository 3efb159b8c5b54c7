"""Source cards: what an answer from the knowledge base was quoted from, each a way to its passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from state.log import Event

EXCERPT_CHARS = 220
MOST_CARDS = 8


@dataclass(frozen=True)
class Card:
    """A source as it shows under an answer."""

    n: int
    passage: str
    """Its id."""
    cited: str
    excerpt: str


def cards_of(events: Iterable[Event]) -> list[Card]:
    """The sources of the last call that answered from the knowledge base; none where none did."""
    for event in reversed(list(events)):
        sources = event.data.get("sources") if event.ok else None
        if event.tool in ANSWERING and isinstance(sources, list):
            return [_card(each) for each in sources[:MOST_CARDS]]
    return []


ANSWERING = ("docs_rag", "answer_tools")


def _card(source: Mapping[str, Any]) -> Card:
    return Card(
        int(source["n"]), str(source["id"]), str(source["cited"]), excerpt(str(source.get("text") or ""))
    )


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT_CHARS else f"{line[: EXCERPT_CHARS - 1]}…"


def address(passage: str, session: str) -> str:
    """Where a passage opens on its page."""
    return f"/knowledge?{urlencode({'session': session, 'passage': passage})}"
