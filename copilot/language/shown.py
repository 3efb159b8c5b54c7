"""What the policy reads: the words of a request, then those of the view."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from copilot.language.mentions import Mentions
from copilot.language.view import Item

WORD = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+(?:['’][^\W\d_]+)?|[^\w\s]|_")
"""A number, a word, or a sign: what a frame can point at."""
BREAK = "[SEP]"
"""Stands between the request and the view."""
MAX_WORDS = 150
"""Of both together: items that find no room are not shown."""
REQUEST, READ, POINTED = range(3)
"""What a word belongs to: the request, an item that is only read, one that can be pointed at."""


@dataclass(frozen=True)
class Word:
    """A word of a text: text[start:end]."""

    start: int
    end: int
    text: str


def words_of(text: str) -> tuple[Word, ...]:
    """The words of a text, left to right."""
    return tuple(Word(match.start(), match.end(), match[0]) for match in WORD.finditer(text))


@dataclass(frozen=True)
class Place:
    """Where an item stands among the words, both ends included."""

    first: int
    last: int
    item: Item


class Shown:
    """A request with its mentions, and behind it what the catalogue has of them, and the view."""

    def __init__(self, mentions: Mentions, items: Sequence[Item], held: Sequence[Item] = ()) -> None:
        self.mentions = mentions
        self.request = words_of(mentions.text)
        words, kinds = [each.text for each in self.request], [REQUEST] * len(self.request)
        words.append(BREAK)
        kinds.append(READ)
        places, held = [], tuple(held)
        for item in (*held, *items):
            shown = [each.text for each in words_of(item.text)]
            if not shown or len(words) + len(shown) > MAX_WORDS:
                continue
            places.append(Place(len(words), len(words) + len(shown) - 1, item))
            words += shown
            kinds += [READ if item.value is None else POINTED] * len(shown)
        self.words, self.kinds, self.places = tuple(words), tuple(kinds), tuple(places)
        self.is_alone = not items

    def said(self, first: int, last: int) -> str:
        """The text of some words of the request, as it was typed."""
        return self.mentions.text[self.request[first].start : self.request[last].end]

    def at(self, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last word of the request that share a character with text[start:end]."""
        within = [n for n, word in enumerate(self.request) if word.start < end and word.end > start]
        return (within[0], within[-1]) if within else None

    def item(self, word: int) -> Item | None:
        """The item that a word of the view belongs to."""
        return next((each.item for each in self.places if each.first <= word <= each.last), None)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """What kind of thing each word is part of, "" for none."""
        tags = [""] * len(self.words)
        for kind, start, end in self.mentions.tagged:
            if (where := self.at(start, end)) is not None:
                for n in range(where[0], where[1] + 1):
                    tags[n] = tags[n] or kind
        return tuple(tags)
