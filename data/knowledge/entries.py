"""Entries out of YAML files, and what is wrong with them.

entries = read_entries()            # those that come with Azimuth
problems = lint(entries)            # sentences; none when all is well
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from data.knowledge.errors import KnowledgeError
from data.knowledge.model import KINDS, Entry, Fact, Source
from data.knowledge.words import folded, sentences_of

FOLDER = Path(__file__).parent / "built_in"
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_KEYS = frozenset(("id", "title", "kind", "aliases", "text", "facts", "relations", "sources"))
_SENTENCES = (2, 8)
_YEARS = (1600, 2100)


def read_entries(folder: Path = FOLDER) -> tuple[Entry, ...]:
    """The entries of a folder's files, by file and place. Raises KnowledgeError naming file and entry."""
    return tuple(entry for file in sorted(folder.glob("*.yaml")) for entry in entries_in(file))


def entries_in(file: Path) -> tuple[Entry, ...]:
    """The entries of one file. Raises KnowledgeError for what is no list of entries."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        found = yaml.load(file.read_text(encoding="utf-8"), Loader=loader)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise KnowledgeError(f"{file.name} is no YAML: {' '.join(str(error).split())[:200]}.") from None
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise KnowledgeError(f"{file.name} is no list of entries.")
    return tuple(_entry(each, file.name) for each in found)


def _entry(raw: Mapping[str, Any], file: str) -> Entry:
    name = f"{file}, {raw.get('id', 'an entry without an id')}"
    if unknown := raw.keys() - _KEYS:
        raise KnowledgeError(f"{name}: there is no {sorted(unknown)[0]!r} in an entry.")
    if missing := [key for key in ("id", "title", "kind", "text", "sources") if not raw.get(key)]:
        raise KnowledgeError(f"{name}: {missing[0]!r} is missing.")
    try:
        return Entry(
            id=str(raw["id"]),
            title=_line(raw["title"]),
            kind=str(raw["kind"]),
            text=_line(raw["text"]),
            sources=tuple(_source(each) for each in raw["sources"]),
            aliases=tuple(_line(each) for each in raw.get("aliases") or ()),
            facts=tuple(_fact(key, each) for key, each in (raw.get("facts") or {}).items()),
            relations=tuple((_line(each[0]), _line(each[1])) for each in raw.get("relations") or ()),
            file=file,
        )
    except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
        raise KnowledgeError(f"{name}: it is not as an entry is written ({error}).") from None


def _source(raw: Any) -> Source:
    if isinstance(raw, str):
        return Source(_line(raw))
    year = raw.get("year")
    return Source(
        _line(raw["title"]),
        _line(raw.get("by") or ""),
        int(year) if year else None,
        _line(raw.get("where") or ""),
    )


def _fact(key: Any, raw: Any) -> Fact:
    if isinstance(raw, Mapping):
        source = raw.get("source")
        unit = _line(raw.get("unit") or "")
        return Fact(str(key), _value(raw["value"]), unit, int(source) if source is not None else None)
    return Fact(str(key), _value(raw))


def _value(raw: Any) -> str:
    if isinstance(raw, list):
        return ", ".join(_value(each) for each in raw)
    return str(raw).lower() if isinstance(raw, bool) else _line(raw)


def _line(raw: Any) -> str:
    return " ".join(str(raw).split())


def lint(entries: Sequence[Entry]) -> list[str]:
    """What is wrong with entries, a sentence each: ids, kinds, lengths, relations, sources, names."""
    ids = Counter(each.id for each in entries)
    twice = [f"{name}: the id stands {count} times." for name, count in ids.items() if count > 1]
    return [*twice, *_shared_titles(entries), *(line for each in entries for line in _problems(each, ids))]


def _problems(entry: Entry, ids: Mapping[str, int]) -> Iterator[str]:
    name = f"{entry.file}, {entry.id}"
    if not _ID.fullmatch(entry.id):
        yield f"{name}: the id is not kebab-case."
    if entry.kind not in KINDS:
        yield f"{name}: there is no kind {entry.kind!r}; there are {', '.join(KINDS)}."
    count = len(sentences_of(entry.text))
    if not _SENTENCES[0] <= count <= _SENTENCES[1]:
        yield f"{name}: the text has {count} sentences, not {_SENTENCES[0]} to {_SENTENCES[1]}."
    for source in entry.sources:
        if source.year is not None and not _YEARS[0] <= source.year <= _YEARS[1]:
            yield f"{name}: no source is of the year {source.year}."
    for fact in entry.facts:
        if fact.source is not None and not 1 <= fact.source <= len(entry.sources):
            yield f"{name}: the fact {fact.key!r} names source {fact.source} of {len(entry.sources)}."
    for predicate, target in entry.relations:
        if target == entry.id:
            yield f"{name}: it is related to itself ({predicate})."
        elif target not in ids and _ID.fullmatch(target) and "-" in target and " " not in target:
            yield f"{name}: {predicate} leads to {target!r}, which is no entry's id."


def _shared_titles(entries: Sequence[Entry]) -> Iterator[str]:
    """Titles that two entries have: nobody could tell them apart. Aliases may be shared."""
    titles = Counter(folded(each.title) for each in entries)
    for each in entries:
        if titles[folded(each.title)] > 1:
            yield f"{each.file}, {each.id}: another entry is titled {each.title!r} too."
