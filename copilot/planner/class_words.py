"""Class phrases of a request: the names a filter takes, which filter takes them, and phrases of several words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from copilot.planner.clauses import Clause
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Span
from data.catalogue.classes import class_ids
from data.vocabulary.thesaurus import Term
from tools.base import ToolError
from tools.class_words import ClassWords

_BOTH = re.compile(
    r"\b(?:both|as well as|together with|along ?with|alongside|next to each other|all of|at the same time|"
    r"simultaneously|at once|in the same (?:image|scene|patch))\b",
    re.I,
)
_TAKES_AWAY = re.compile(
    r"^\W*(?:now |then |please )*(?:remove|drop|delete|take (?:out|away|off)|lose|without|"
    r"exclude|leave out|no more|get rid of|not)\b",
    re.I,
)


def class_calls(clause: Clause, situation: Situation, spans: Sequence[Span], adding: bool) -> Iterator[Call]:
    """The filters for the classes a clause names."""
    known = known_classes(situation)
    objects: list[str] = []
    scenes: list[str] = []
    for span in _narrowest(clause, spans, known):
        for name in canonical_names(span, known):
            (scenes if known.is_scene(name) else objects).append(name)
    kept = list(situation.filters.get("classes", [])) if adding else []
    match = {"match": "all"} if len(spans) > 1 and _wants_all(clause, spans) else {}
    if objects:
        held = [name for name in kept if not known.is_scene(name)]
        yield Call("filter_class", {"classes": _unique([*held, *objects]), **match})
    if scenes:
        held = [name for name in kept if known.is_scene(name)]
        yield Call("filter_lccclass", {"classes": _unique([*held, *scenes]), **match})


def _wants_all(clause: Clause, spans: Sequence[Span]) -> bool:
    """ "Both ships and planes", "ships AND planes": images that hold every one of them."""
    if _BOTH.search(clause.text):
        return True
    if clause.text.isupper():
        return False
    first, *_, last = sorted(spans, key=lambda span: span.start)
    return " AND " in clause.text[first.end - clause.start : last.start - clause.start]


def _narrowest(clause: Clause, spans: Sequence[Span], known: ClassWords) -> list[Span]:
    """ "Buildings with major damage" are of the narrower class; "buildings and cars" are of both."""
    kept: list[Span] = []
    for span in spans:
        own = _members(span, known)
        said = [each for each in spans if each is not span and not _side_by_side(clause, span, each)]
        if not any(_members(other, known) < own for other in said):
            kept.append(span)
    return kept


def _side_by_side(clause: Clause, one: Span, other: Span) -> bool:
    first, second = sorted((one, other), key=lambda span: span.start)
    between = clause.text[first.end - clause.start : second.start - clause.start]
    return bool(re.search(r"\b(?:and|or|plus|vs|versus)\b|[,;&+/]", between, re.I))


def _members(span: Span, known: ClassWords) -> frozenset[tuple[str, int]]:
    """(data set, class id) of every class that a span means."""
    return frozenset(
        (info.name, class_id)
        for name in canonical_names(span, known)
        for info in known.infos
        for class_id in class_ids(info, name)
    )


def without_classes(clause: Clause, situation: Situation) -> list[str] | None:
    """What is left of the classes filtered by, when a clause takes some of them away; else None."""
    now = situation.filters.get("classes", [])
    if not now or not clause.of("class") or not _TAKES_AWAY.search(clause.text):
        return None
    known = known_classes(situation)
    gone = {name.lower() for span in clause.of("class") for name in canonical_names(span, known)}
    left = [name for name in now if name.lower() not in gone]
    return left if len(left) < len(now) else None


def calls_for(names: Sequence[str], situation: Situation) -> Iterator[Call]:
    """The filters that keep these canonical names; the class filter dropped when there are none."""
    if not names:
        yield Call("filter_clear", {"fields": ["class"]})
        return
    known = known_classes(situation)
    objects = [name for name in names if not known.is_scene(name)]
    scenes = [name for name in names if known.is_scene(name)]
    if objects:
        yield Call("filter_class", {"classes": _unique(objects)})
    if scenes:
        yield Call("filter_lccclass", {"classes": _unique(scenes)})


def known_classes(situation: Situation) -> ClassWords:
    """Every class word of the catalogue."""
    infos = tuple(situation.datasets.values())
    return ClassWords(tuple((info.name, info.version) for info in infos), infos)


def canonical_names(span: Span, known: ClassWords) -> tuple[str, ...]:
    """What the catalogue calls the class of a span: the group where it is one, else its classes."""
    found: list[str] = []
    for word in span_names(span):
        try:
            found += known.canonical(word)
        except ToolError:
            found.append(word)
    return tuple(dict.fromkeys(found))


def span_names(span: Span) -> list[str]:
    """The group a phrase names, else every class it names, as the vocabulary writes them."""
    if isinstance(span.value, str):
        return [span.value]
    terms: tuple[Term, ...] = span.value
    groups = [term.name for term in terms if term.kind == "group"]
    return groups[:1] or [term.name for term in terms]


def datasets_with(spans: Iterable[Span], situation: Situation) -> set[str]:
    """The data sets of the catalogue that have a class of these spans."""
    known = known_classes(situation)
    found = {name for span in spans for each in canonical_names(span, known) for name in known.holders(each)}
    return found & set(situation.datasets)


def _unique(names: Iterable[str]) -> list[str]:
    return sorted(dict.fromkeys(names))
