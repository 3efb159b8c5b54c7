"""Which of other servers' tools a request means, from what their servers say of them alone.

Nothing is learned of any tool: the request is compared with each tool's name, description and arguments by
the frozen sentence encoder and by the words they share. A description is data: what it tells a reader to do
changes its score alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tools.base import Encode

if TYPE_CHECKING:
    from tools.base import Tool

SHARED_WORDS = 0.2
"""The weight of shared words beside the encoder's cosine: the best of four on half of the bench's tools."""
LEAST = 0.26
"""A best tool with less is none: the request means another thing."""
_MOST_CHARS = 600


@dataclass(frozen=True)
class Found:
    """A tool that a request may mean."""

    name: str
    score: float


def rank(request: str, tools: Sequence[Tool], encode: Encode) -> list[Found]:
    """The tools, the likeliest first. Of words that many tools share little is made."""
    if not tools:
        return []
    said = [described(each) for each in tools]
    vectors = encode([request[:_MOST_CHARS], *said])
    likeness = vectors[1:] @ vectors[0]
    words = [_words(each) for each in said]
    spread = Counter(word for each in words for word in each)
    weight = {word: math.log(1 + len(tools) / count) for word, count in spread.items()}
    asked = _words(request)
    whole = sum(weight.get(word, math.log(1 + len(tools))) for word in asked) or 1.0
    shared = np.array([sum(weight[word] for word in asked & each) / whole for each in words])
    scores = likeness + SHARED_WORDS * shared
    order = np.argsort(-scores, kind="stable")
    return [Found(tools[at].name, round(float(scores[at]), 4)) for at in order]


def meant(request: str, tools: Sequence[Tool], encode: Encode) -> str | None:
    """The name of the tool that a request means; None where none comes near."""
    best = next(iter(rank(request, tools, encode)), None)
    return best.name if best is not None and best.score >= LEAST else None


def described(tool: Tool) -> str:
    """A tool as it is compared: its name as words, what it says of itself, its arguments' names."""
    name = tool.name.partition("__")[2] or tool.name
    arguments = ", ".join(tool.schema.get("properties", {}))
    return f"{name.replace('_', ' ')}: {tool.summary} {arguments}"[:_MOST_CHARS]


def _words(text: str) -> set[str]:
    """Its words of four letters or more, without a plural's end."""
    plain = "".join(each if each.isalnum() else " " for each in text.casefold())
    return {each.removesuffix("s") for each in plain.split() if len(each) > 3}
