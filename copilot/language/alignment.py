"""Alignment: the frame behind calls that are known to be right, found by reading the words in all ways.

What training learns from: a value that the words say is pointed at; one that they do not say is a literal.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copilot.language.frame import Frame, Literal, Pointer, Result, Step, Value
from copilot.language.grounding import ANY_YEAR, DESCENDING, LAST_DAYS, meanings, measured_as, spelled_numbers
from copilot.language.linking import Links
from copilot.language.mentions.dating import YEARLESS
from copilot.language.schema import Argument
from copilot.language.shown import Shown

COMPOSED = frozenset({("ask_user", "question"), ("ask_user", "choices"), ("reject_task", "reason")})
"""Arguments that are put into words when the call is made, and not read from the request."""
MAX_PHRASE = 9
"""Words of a phrase that is looked for everywhere; a longer one is looked for as it stands."""
MAX_LITERAL_CHARS = 40


PIECE = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\w+|\*\*|//|[<>=!]=|\S")
"""A number, a name or a sign of an expression."""


class NotSaid(ValueError):
    """A value that no words mean and no literal holds, in one sentence."""


@dataclass
class _Used:
    """Which words an argument took already: what is said twice is meant twice."""

    words: set[tuple[str, Pointer]] = field(default_factory=set)

    def take(self, name: str, found: Sequence[Pointer]) -> Pointer:
        fresh = next((each for each in found if (name, each) not in self.words), found[0])
        self.words.add((name, fresh))
        return fresh


def aligned(
    calls: Iterable[tuple[str, Mapping[str, Any]]],
    shown: Shown,
    schema: Mapping[str, Mapping[str, Argument]],
    made: Mapping[int, Sequence[str]],
    links: Links | None = None,
) -> Frame:
    """The frame of some calls; `made` are the names of what each of them brings. Raises NotSaid.

    With `links` words that a tool takes for the same name as the value are found too.
    """
    used, steps = _Used(), []
    for number, (tool, arguments) in enumerate(calls):
        earlier = {n: {folded(name) for name in made.get(n, ())} for n in range(number)}
        values = []
        for name, takes in schema[tool].items():
            value = arguments.get(name)
            if value is None or (tool, name) in COMPOSED:
                continue
            if name in ("file", "path") and isinstance(value, str):
                value = value.rpartition("/")[2]
            takes = measured_as(takes, arguments.get("field"))
            several = _parts(value, takes)
            read = tuple(one for each in several for one in _values(each, takes, shown, earlier, used, links))
            if read:
                values.append((name, read))
        steps.append(Step(tool, tuple(values)))
    return tuple(steps)


def _parts(value: Any, takes: Argument) -> list[Any]:
    """The values of a list, the pieces of an expression, or the one value."""
    if takes.is_expression and isinstance(value, str):
        return [_number(piece) for piece in PIECE.findall(value)]
    return value if takes.is_list and isinstance(value, list) else [value]


def _number(piece: str) -> str | float:
    return json.loads(piece) if re.fullmatch(r"[1-9]\d*|\d+\.\d+", piece) else piece


def _values(
    value: Any,
    takes: Argument,
    shown: Shown,
    earlier: Mapping[int, set[str]],
    used: _Used,
    links: Links | None,
) -> Iterator[Value]:
    """A value of a list; a column that is sorted by from its end has its sign by itself."""
    is_text = isinstance(value, str) and not takes.is_expression
    if takes.is_list and is_text and value.startswith("-") and len(value) > 1:
        yield DESCENDING
        value = value[1:]
    yield _value(value, takes, shown, earlier, used, links)


def _value(
    value: Any,
    takes: Argument,
    shown: Shown,
    earlier: Mapping[int, set[str]],
    used: _Used,
    links: Links | None,
) -> Value:
    inner = takes.each
    is_sign = takes.is_expression and isinstance(value, str) and len(value) == 1
    if isinstance(value, bool) or is_sign or _is_choice(value, inner):
        return Literal(json.dumps(value))
    if isinstance(value, str):
        for step, names in reversed(list(earlier.items())):
            if folded(value) in names:
                return Result(step)
    if found := list(_in_request(value, takes, shown)):
        return used.take(takes.name, found)
    for place in reversed(shown.places):
        if place.item.value is not None and _is_item(value, place.item.value, place.item.names):
            return Pointer(place.first, place.last)
    if links is not None and isinstance(value, str) and not takes.is_expression:
        found = [Pointer(*gram) for gram in _grams(shown) if links.same(takes.name, shown.said(*gram), value)]
        if found:
            return used.take(takes.name, sorted(found, key=lambda each: each.last - each.first))
    if isinstance(value, str | int | float) and len(str(value)) < MAX_LITERAL_CHARS:
        return Literal(json.dumps(value))
    raise NotSaid(f"{takes.name}: nothing says {value!r}.")


def _is_choice(value: Any, takes: Argument) -> bool:
    return not isinstance(value, list | dict) and value in takes.choices


def _is_item(value: Any, item: Any, names: Sequence[str]) -> bool:
    if isinstance(value, str) and isinstance(item, str):
        return folded(value) in (folded(item), *map(folded, names))
    return bool(value == item)


def _in_request(value: Any, takes: Argument, shown: Shown) -> Iterator[Pointer]:
    if isinstance(value, list):
        yield from _lists(value, shown)
    elif isinstance(value, int | float):
        yield from _numbers(value, takes.each, shown)
    elif isinstance(value, str):
        yield from _phrases(value, takes, shown)


def _numbers(value: float, takes: Argument, shown: Shown) -> Iterator[Pointer]:
    spans = [(each.start_index, each.end_index) for each in shown.mentions.points]
    spans += [(each.start, each.end) for each in shown.mentions.numbers]
    for start, end in spans:
        where = shown.at(start, end)
        if where is None:
            continue
        meant = next(meanings(shown, Pointer(*where), takes), None)
        if near(float(meant) if takes.is_expression and isinstance(meant, str) else meant, value):
            yield Pointer(*where)


def _lists(value: list[Any], shown: Shown) -> Iterator[Pointer]:
    if not value or not all(_is_number(each) for each in spelled_numbers(value)):
        return
    for box in shown.mentions.boxes:
        same = box.bbox is not None and len(value) == 4 and all(map(near, box.bbox, value))
        if same and (where := shown.at(box.start_index, box.end_index)) is not None:
            yield Pointer(*where)
    numbers, wanted = shown.mentions.numbers, spelled_numbers(value)
    for n in range(len(numbers) - len(wanted) + 1):
        run = numbers[n : n + len(wanted)]
        if all(near(one.value, each) for one, each in zip(run, wanted, strict=True)):
            where = shown.at(run[0].start, run[-1].end)
            if where is not None:
                yield Pointer(*where)


def _phrases(value: str, takes: Argument, shown: Shown) -> Iterator[Pointer]:
    if re.fullmatch(r"\d{4}-\d\d(-\d\d)?", value):
        for day in shown.mentions.dates:
            bound = day.end if takes.name in LAST_DAYS else day.start
            where = shown.at(day.start_index, day.end_index)
            if day.kind == YEARLESS and takes.name not in ANY_YEAR:
                continue
            if where is not None and bound is not None and bound.isoformat().startswith(value):
                yield Pointer(*where)
    if len(value) > MAX_LITERAL_CHARS:
        at = shown.mentions.text.casefold().find(value.casefold().strip())
        if at >= 0 and (where := shown.at(at, at + len(value.strip()))) is not None:
            yield Pointer(*where)
        return
    grams = list(_grams(shown))
    for reading in (folded, stemmed):
        wanted = reading(value)
        same = [gram for gram in grams if reading(shown.said(*gram)) == wanted] if wanted else []
        if same:
            yield from (
                Pointer(*each) for each in sorted(same, key=lambda gram: _tightness(gram, value, shown))
            )
            return
    for span in shown.mentions.named:
        if any(folded(name) == folded(value) for name in _names(span.value)):
            where = shown.at(span.start, span.end)
            if where is not None:
                yield Pointer(*where)


def _tightness(gram: tuple[int, int], value: str, shown: Shown) -> tuple[bool, bool, int]:
    """Words with whole brackets come first, then those in the value's own case, then the fewest."""
    said = shown.said(*gram)
    return said.count("(") != said.count(")"), said.strip() != value, gram[1] - gram[0]


def _grams(shown: Shown) -> Iterator[tuple[int, int]]:
    """The first and last words of all short phrases of the request."""
    count = len(shown.request)
    return ((n, m) for n in range(count) for m in range(n, min(count, n + MAX_PHRASE)))


def _names(value: Any) -> list[str]:
    """What a mention of a name may stand for."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list | tuple):
        return [each for each in value if isinstance(each, str)]
    name = getattr(value, "name", None) or getattr(value, "names", None)
    return _names(name) if name else []


def folded(text: str) -> str:
    """A name without case, quotes and the signs between its words."""
    return " ".join(re.sub(r"[\s_-]+", " ", text.casefold().strip(" \"'.,;:!?()[]“”‘’`")).split())


def stemmed(text: str) -> str:
    """As `folded`, each word in the singular."""
    return " ".join(_singular(word) for word in folded(text).split())


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


def near(one: Any, other: Any) -> bool:
    """Whether two numbers are the same but for rounding."""
    numbers = _is_number(one) and _is_number(other)
    return numbers and math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-9)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
