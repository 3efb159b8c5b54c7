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

ARTIFACTS = frozenset({"table", "figure", "document", "raster", "vector", "detections", "workflow"})
_ID = re.compile(r"(table|figure|document|raster|vector|workflow)-[0-9a-f]{6}")
_ASIDE = frozenset({"path", "bytes", "title", "layer", "calls", "run"})
"""Where a file lies, how it is called, how large it came out, how long a run took: no part of an answer."""


def answers(toolbox: Toolbox, made: Made) -> bool:
    """Whether what the call brings is an answer: it only reads, or it makes a table, a figure or a file."""
    return made.ok and (makes_artifact(toolbox, made) or not toolbox.get(made.tool).changes_state)


def makes_artifact(toolbox: Toolbox, made: Made) -> bool:
    """Whether the call makes a table, a figure, a file or the like, by what its tool declares."""
    return made.ok and bool(ARTIFACTS & frozenset(toolbox.get(made.tool).gives))


def brings(toolbox: Toolbox, made: Made) -> Facts:
    """Every fact that a call brought, those of an artifact with its kind and without."""
    return _plain_facts(toolbox, made) | answer_of(toolbox, made)


def answer_of(toolbox: Toolbox, made: Made) -> Facts:
    """What is asked for when the call is: its facts, and for one that makes an artifact, in that kind of it.

    Facts leave out what only repeats an argument, ids, and where files lie. A call whose result is nothing
    but its arguments (a name that was given) keeps them as its facts.
    """
    facts = _plain_facts(toolbox, made)
    if not makes_artifact(toolbox, made):
        return facts
    kind = ("artifact", _kind(made))
    return frozenset({(kind,), *((kind, *fact) for fact in facts)})


def _plain_facts(toolbox: Toolbox, made: Made) -> Facts:
    arguments = frozenset(toolbox.get(made.tool).arguments.model_fields)
    return frozenset(_facts(made.data, arguments)) or frozenset(_facts(made.data, frozenset()))


def _kind(made: Made) -> str:
    """What kind of thing was made: bars are no pie, and a CSV file is no map."""
    if made.data.get("figure"):
        return made.tool
    if made.data.get("document"):
        return f"{PurePath(str(made.data.get('path', ''))).suffix} document"
    return next((kind for kind in sorted(ARTIFACTS) if made.data.get(kind)), made.tool)


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
    if wanted <= there:
        return []
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
