"""Lessons: what of the bank is learned from, each a request as it is shown with its frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from copilot.language.alignment import NotSaid, aligned
from copilot.language.coverage import free_words
from copilot.language.frame import Frame, Literal
from copilot.language.holdings import holdings
from copilot.language.learning.records import Record
from copilot.language.linking import Links
from copilot.language.mentions import Mentions, names_in
from copilot.language.policy import MAX_CHARS, parts_of
from copilot.language.schema import Argument
from copilot.language.shown import Shown
from copilot.language.view import selected_days, view
from copilot.planner.situation import Situation
from copilot.planner.spans import Reader
from data.catalogue.base import Catalogue
from data.gazetteer import Gazetteer
from tools.class_words import ClassWords


@dataclass(frozen=True)
class Read:
    """A record with its frame."""

    record: Record
    shown: Shown
    frame: Frame


@dataclass(frozen=True)
class Lesson:
    """One request as it is shown, with its frame."""

    id: str
    voice: str
    said: str
    parts: tuple[str, ...]
    """The request as a whole, then its parts (`policy.parts_of`)."""
    words: tuple[str, ...]
    tags: tuple[str, ...]
    kinds: tuple[int, ...]
    frame: Frame
    tools: tuple[str, ...]
    """That its calls use."""
    free: tuple[str, ...]
    """Stems of the words that no argument took (`coverage`)."""
    is_alone: bool
    """Whether it was said into an empty session."""
    goes_on: bool
    """Whether something was said before it."""


def lesson_of(read: Read) -> Lesson:
    """The lesson of a record that was read."""
    record, shown = read.record, read.shown
    return Lesson(
        record.id,
        record.voice,
        record.said[:MAX_CHARS],
        tuple(parts_of(shown)),
        shown.words,
        shown.tags,
        tuple(int(kind) for kind in shown.kinds),
        read.frame,
        tuple(dict.fromkeys(tool for tool, _ in record.calls)),
        tuple(stem for _, stem in free_words(shown, read.frame)),
        shown.is_alone,
        bool(record.past),
    )


def shown_to_policy(record: Record, catalogue: Catalogue, gazetteer: Gazetteer, today: date) -> Shown:
    """What the policy sees of a record."""
    situation = Situation(dict(record.state), today, catalogue, gazetteer)
    named = names_in(record.said, Reader(gazetteer, today, situation.names()))
    mentions = Mentions(record.said, today, named, selected_days(record.state))
    held = tuple(holdings(mentions, ClassWords.over(catalogue)))
    return Shown(mentions, view(record.state, record.past, record.columns), held)


def read_records(
    records: Iterable[Record],
    schema: Mapping[str, Mapping[str, Argument]],
    catalogue: Catalogue,
    gazetteer: Gazetteer,
    today: date,
) -> Iterator[Read | NotSaid]:
    """Each record with its frame; where a value is not said, why."""
    links = Links.of(catalogue, gazetteer)
    for record in records:
        shown = shown_to_policy(record, catalogue, gazetteer, today)
        try:
            yield Read(record, shown, aligned(record.calls, shown, schema, record.made, links))
        except NotSaid as error:
            yield error


def literals_of(
    lessons: Iterable[Lesson], schema: Mapping[str, Mapping[str, Argument]], fewest: int = 3
) -> dict[str, list[str]]:
    """By argument, the literals that at least so many frames hold, of at least two voices; never days.

    "today" is no day by itself.
    """
    found: dict[tuple[str, str], list[str]] = {}
    for each in lessons:
        for step in each.frame:
            for name, values in step.arguments:
                is_day = "date" in schema[step.tool][name].types
                for text in {value.json for value in values if isinstance(value, Literal)}:
                    if not (is_day and any(sign.isdigit() for sign in text)):
                        found.setdefault((name, text), []).append(each.voice)
    literals: dict[str, list[str]] = {}
    for (name, text), voices in sorted(found.items()):
        if len(voices) >= fewest and len(set(voices)) > 1:
            literals.setdefault(name, []).append(text)
    return literals
