"""What a call brought: the counts, rows and figures of its result as facts that can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from copilot.bench.check.runs import Made
from copilot.bench.check.same import is_number, same
from tools.toolbox import Toolbox

Fact = tuple[tuple[str, Any], ...]
"""Values that were said together, by name: (("count", 16), ("key", "Building"))."""
Facts = frozenset[Fact]

_ID = re.compile(r"(table|figure|document|raster|vector)-[0-9a-f]{6}")
_ASIDE = frozenset({"path", "bytes", "title", "layer", "calls"})
"""Where a file lies, how it is called and how large it came out: no part of an answer."""


def answers(toolbox: Toolbox, made: Made) -> bool:
    """Whether what the call brings is an answer: it only reads, or it makes a table, a figure or a file."""
    return made.ok and (makes_artifact(made) or not toolbox.get(made.tool).changes_state)


def makes_artifact(made: Made) -> bool:
    """Whether the call made a table, a figure or a file."""
    return "artifacts" in made.touched or any(
        _ID.fullmatch(str(made.data.get(kind))) and made.tool not in ("show_table", "show_figure")
        for kind in ("table", "figure", "document")
    )


def facts_of(toolbox: Toolbox, made: Made) -> Facts:
    """What the call brought, without what only repeats an argument, ids, and where files lie.

    A call whose result is nothing but its arguments (a name that was given) keeps them as its facts.
    """
    arguments = frozenset(toolbox.get(made.tool).arguments.model_fields)
    facts = frozenset(_facts(made.data, arguments)) or frozenset(_facts(made.data, frozenset()))
    return facts | _kinds(made) if makes_artifact(made) else facts


def _kinds(made: Made) -> Facts:
    """What kind of thing was made: bars are no pie, and a CSV file is no map."""
    found: set[Fact] = set()
    if made.data.get("table"):
        found.add((("artifact", "table"),))
    if made.data.get("figure"):
        found.add((("artifact", made.tool),))
    if made.data.get("document"):
        found.add((("artifact", f"{PurePath(str(made.data.get('path', ''))).suffix} document"),))
    return frozenset(found)


def _facts(data: Mapping[str, Any], arguments: frozenset[str]) -> Iterator[Fact]:
    for key, value in data.items():
        if key in _ASIDE or value is None or value in ([], {}):
            continue
        if isinstance(value, Mapping):
            yield _row(value)
        elif isinstance(value, (list, tuple)) and any(isinstance(each, Mapping) for each in value):
            # Rows are an answer also under an argument's name: `bins` is a number there, and counts here.
            yield from (_row(each) for each in value if isinstance(each, Mapping))
        elif key not in arguments and not (isinstance(value, str) and _ID.fullmatch(value)):
            yield ((key, _frozen(value)),)


def _row(values: Mapping[str, Any]) -> Fact:
    return tuple(
        sorted((str(key), _frozen(value)) for key, value in values.items() if key not in ("layer", "id"))
    )


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _row(value)
    return tuple(_frozen(each) for each in value) if isinstance(value, (list, tuple)) else value


def missing(wanted: Facts, brought: Iterable[Facts], epsilon: float) -> list[Fact]:
    """The wanted facts that none of what was brought holds."""
    there = frozenset[Fact]().union(*brought)
    by_names: dict[tuple[str, ...], list[Fact]] = {}
    for fact in there:
        by_names.setdefault(tuple(name for name, _ in fact), []).append(fact)
    return [fact for fact in sorted(wanted - there, key=repr) if not _held(fact, by_names, epsilon)]


def _held(fact: Fact, by_names: Mapping[tuple[str, ...], list[Fact]], epsilon: float) -> bool:
    others = by_names.get(tuple(name for name, _ in fact), ())
    return any(
        all(same(a, b, epsilon, name) for (name, a), (_, b) in zip(fact, other, strict=True))
        for other in others
    )


def in_words(fact: Fact) -> str:
    """A fact as an analyst reads it: `count=16, key=Building`."""
    return ", ".join(f"{name}={value}" for name, value in fact)


def numbers_of(value: Any) -> Iterator[float | int]:
    """Every number in plain values, at any depth."""
    if is_number(value):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from numbers_of(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from numbers_of(each)
