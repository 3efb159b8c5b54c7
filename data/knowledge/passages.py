"""Entries and documents cut into passages: pieces short enough to be embedded whole, and to be quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from data.knowledge.model import BUILT_IN, Entry, Fact, Passage
from data.knowledge.words import sentences_of

WORDS = 130
"""Words of a passage: about 170 tokens, and the encoder reads 256."""
OURS = "Apache-2.0, written for Azimuth"
_HEADING = re.compile(r"^(#{1,6})[ \t]++(\S.*)$")
_FENCE = re.compile(r"^(?:```|~~~)")
_LINK = re.compile(r"!?\[([^\]\[]{0,300})\]\([^()\s]{0,500}\)")


@dataclass(frozen=True)
class Part:
    """A part of a document as its reader gives it: a page, or what stands under a heading."""

    text: str
    page: int | None = None
    heading: str = ""


def passage_of(entry: Entry, titles: Mapping[str, str]) -> Passage:
    """An entry as one passage: its text, then a line for each fact and each relation."""
    name = entry.title.partition(" (")[0]
    lines = [
        entry.text,
        *(f"{name}: {fact_in_words(each)}." for each in entry.facts),
        *(
            f"{name} {predicate.replace('_', ' ')} {titles.get(target, target)}."
            for predicate, target in entry.relations
        ),
    ]
    return Passage(
        id=entry.id,
        text="\n".join(lines),
        title=entry.title,
        document=BUILT_IN,
        heading=entry.kind,
        licence=OURS,
        sources=tuple(str(each) for each in entry.sources),
        aliases=entry.aliases,
    )


def fact_in_words(fact: Fact) -> str:
    """`length_m: 72.7` as `length 72.7 m`; a unit that is given counts more than one in the key."""
    words = fact.key.split("_")
    unit = fact.unit
    if not unit and len(words) > 1 and words[-1] in _UNITS:
        unit = _UNITS[words.pop()]
    return " ".join(each for each in (*words, fact.value, unit) if each)


_UNITS = {
    "m": "m", "km": "km", "kg": "kg", "t": "t", "nm": "nm", "um": "µm", "ghz": "GHz", "deg": "degrees",
    "days": "days", "kn": "knots", "db": "dB", "cm": "cm", "pct": "%", "kmh": "km/h",
}  # fmt: skip


def cut(parts: Sequence[Part], *, key: str, title: str, document: str, licence: str = "") -> list[Passage]:
    """The parts' texts as passages of about WORDS words that end where sentences do.

    A passage never runs over the end of a part, so that its page and heading are right.
    """
    found: list[Passage] = []
    for part in parts:
        for text in _pieces(part.text):
            number = len(found) + 1
            found.append(Passage(f"{key}#{number}", text, title, document, part.page, part.heading, licence))
    return found


def _pieces(text: str) -> Iterator[str]:
    held: list[str] = []
    count = 0
    for sentence in _short(text):
        words = sentence.count(" ") + 1
        if held and count + words > WORDS:
            yield "\n".join(held)
            held, count = [], 0
        held.append(sentence)
        count += words
    if held:
        yield "\n".join(held)


def _short(text: str) -> Iterator[str]:
    """Sentences, and those too long for a passage in pieces of their words."""
    for sentence in sentences_of(text):
        words = sentence.split(" ")
        for first in range(0, len(words), WORDS):
            piece = " ".join(words[first : first + WORDS])
            yield piece[: WORDS * 40]  # a "word" of a page's length is no word


def markdown_parts(text: str) -> list[Part]:
    """A Markdown text by its headings; code blocks are kept as text, links as their words."""
    parts: list[Part] = []
    heading, lines, fenced = "", list[str](), False
    for line in text.splitlines():
        fenced ^= _FENCE.match(line) is not None
        found = None if fenced else _HEADING.match(line)
        if found is None:
            lines.append(line)
            continue
        parts.append(Part(_unlinked(lines), heading=heading))
        heading, lines = _plain(found[2]), []
    parts.append(Part(_unlinked(lines), heading=heading))
    return [each for each in parts if each.text.strip()]


def _unlinked(lines: Sequence[str]) -> str:
    """Lines of a paragraph as one, for a sentence may end in the next line; the rest line by line."""
    joined: list[str] = []
    for line in lines:
        plain = _LINK.sub(r"\1", line).replace("**", "").replace("`", "").strip()
        goes_on = joined and joined[-1] and plain and plain[0] not in "|-*#>" and joined[-1][0] not in "|#>"
        if goes_on:
            joined[-1] = f"{joined[-1]} {plain}"
        else:
            joined.append(plain)
    return "\n".join(joined)


def _plain(heading: str) -> str:
    return heading.replace("`", "").replace("**", "").strip("# ")


def documents_of(folder: Path) -> list[Passage]:
    """Azimuth's own documents, `docs/*.md`, as passages; each tool of the reference is one."""
    found: list[Passage] = []
    for file in sorted(folder.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        title = next(iter(markdown_title(text)), file.stem)
        parts = markdown_parts(text)
        found += cut(
            parts, key=f"docs/{file.name}", title=f"Azimuth: {title}", document=f"docs/{file.name}",
            licence=OURS,
        )  # fmt: skip
    return found


def markdown_title(text: str) -> Iterator[str]:
    """The first heading, if there is one."""
    for line in text.splitlines():
        if found := _HEADING.match(line):
            yield _plain(found[2])
            return
