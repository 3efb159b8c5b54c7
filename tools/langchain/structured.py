"""Texts as values: what is wanted is looked for, checked, and quoted from where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.langchain.fields import MAX_FIELDS, Wanted, wanted_fields, wanted_of_schema
from tools.langchain.finding import (
    Found,
    Measure,
    Pair,
    coordinates_in,
    dates_in,
    folded,
    has_unit,
    in_unit,
    measures_in,
    pairs_in,
)  # fmt: skip
from tools.langchain.texts import FromDocument, document_pages, plain
from tools.phrases import listed, number, number_of, one_line

MAX_CHARS = 200_000
_NEAR_CHARS = 60
"""How far behind its name a value may stand in a sentence."""
_SHOWN_CANDIDATES = 5
_TRUE, _FALSE = {"yes", "true", "y", "on", "present"}, {"no", "false", "n", "off", "absent", "none"}
_GENERIC: dict[str, frozenset[str]] = {
    "date": frozenset({"date", "day", "when"}),
    "place": frozenset({"place", "location", "where", "city", "town", "country"}),
    "coordinates": frozenset(
        {"coordinates", "coordinate", "position", "where", "location", "latlon", "lonlat"}
    ),
}
"""Names that ask for any value of a kind: the only date of a text is its date, but not its deadline."""
_PLACE_KINDS = {"country": "country", "city": "city", "town": "city"}
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n\s*\n|;")


@tool("langchain")
def parse_structured(
    state: State,
    world: World,
    *,
    text: Annotated[
        str | None, Field(min_length=1, max_length=MAX_CHARS, description="The text itself.")
    ] = None,
    document: FromDocument = None,
    fields: Annotated[
        list[Annotated[str, Field(max_length=150)]] | None,
        Field(
            min_length=1,
            max_length=MAX_FIELDS,
            description="What is wanted: names with a unit or kind: date, cloud cover (%), site: place.",
        ),
    ] = None,
    json_schema: Annotated[
        dict[str, Any] | None,
        Field(
            description="Or a JSON schema of a flat object: properties with type, format, unit, enum, limits."
        ),
    ] = None,
) -> Step:
    """Read wanted values out of a text: numbers in units, dates, places, coordinates, key and value lines.

    Found by rules, not by a model: first a line such as `Cloud cover: 12 %`, then the value behind the
    field's name in a sentence, then, for a field called no more than date, place or position, the only one
    there is. Units are converted (Pint), values checked against the schema (jsonschema). What is not there,
    or not clear, is said and left out.

    Example: copilot call parse_structured document=document-d0c0d0 fields='["turbidity (NTU)", "date"]'

    Asked as: extract the date and the area from this text | pull the fields out of the note | read the values
    from the report as JSON | get station, depth and temperature out of this paragraph | turn this text into a
    record | fill this schema from the text
    """
    if (text is None) == (document is None) or (fields is None) == (json_schema is None):
        raise ToolError("parse_structured takes a text or a document, and fields or a json_schema.")
    required: frozenset[str] = frozenset()
    if json_schema is not None:
        wanted, required = wanted_of_schema(json_schema)
    else:
        wanted = wanted_fields(fields or [])
    whole = plain(text) if text is not None else "\n\n".join(
        page for _, page in document_pages(state, world, str(document))
    )  # fmt: skip
    if len(whole) > MAX_CHARS:
        raise ToolError(
            f"The text has {len(whole):,} characters; {MAX_CHARS:,} are the most, so split it first."
        )
    reader = _Reader(whole, world)
    looked = {each.name: reader.look(each) for each in wanted}
    values = {name: each.value for name, each in looked.items() if each.value is not None}
    missing = [name for name, each in looked.items() if each.value is None and not each.unclear]
    unclear = {name: each.unclear[:_SHOWN_CANDIDATES] for name, each in looked.items() if each.unclear}
    facts: dict[str, Any] = {
        "values": values,
        "missing": missing,
        "unclear": unclear,
        "valid": required <= values.keys(),
        "evidence": {name: each.quote for name, each in looked.items() if each.value is not None},
        "units": {each.name: each.unit for each in wanted if each.unit and each.name in values},
    }
    return Step(state, _in_words(wanted, looked, facts, required), facts)


@dataclass
class _Looked:
    """What came of looking for a value."""

    value: Any = None
    quote: str = ""
    unclear: list[str] = field(default_factory=list)
    """Why there is no value although something was found: the candidates, or what is wrong with it."""


class _Reader:
    """A text with what was found in it, each kind once."""

    def __init__(self, text: str, world: World) -> None:
        self._text = text
        self._world = world
        self._pairs = pairs_in(text)
        self._dates = dates_in(text)
        self._places: list[tuple[str, Found]] | None = None
        self._points = coordinates_in(text)
        self._measures = measures_in(text)

    def look(self, wanted: Wanted) -> _Looked:
        """A wanted value by its key, else behind its name, else as the only one of its kind."""
        for find in (self._by_key, self._by_name, self._alone):
            looked = find(wanted)
            if looked.value is not None:
                looked = _checked(wanted, looked)
            if looked.value is not None or looked.unclear:
                return looked
        return _Looked()

    def _by_key(self, wanted: Wanted) -> _Looked:
        matching = [each for each in self._pairs if folded(_without_unit(each.key)) in wanted.names]
        if not matching:
            matching = [each for each in self._pairs if _holds(folded(_without_unit(each.key)), wanted.names)]
        read = [(self._of_pair(wanted, each), each) for each in matching]
        found = [(value, each) for value, each in read if value is not None]
        different = list(dict.fromkeys(str(value) for value, _ in found))
        if len(different) > 1:
            return _Looked(unclear=[f"{each.key}: {one_line(each.value)}" for _, each in found])
        if found:
            value, pair = found[0]
            return _Looked(value, one_line(f"{pair.key}: {pair.value}"))
        if matching:
            return _Looked(unclear=[f"{each.key}: {one_line(each.value)}" for each in matching])
        return _Looked()

    def _of_pair(self, wanted: Wanted, pair: Pair) -> Any:
        """The value of a pair as the kind that is wanted; None when it is none."""
        if wanted.kind in ("number", "integer"):
            unit_in_key = re.search(r"[(\[]([^()\[\]]+)[)\]]", pair.key)
            measures = measures_in(pair.value)
            if len(measures) != 1:
                return None
            measure: Measure = measures[0].value
            if unit_in_key and not has_unit(measure):
                measure = Measure(measure.number, unit_in_key[1])
            return _number(wanted, measure, bare=True)
        if wanted.kind == "any":
            measures = measures_in(pair.value)
            alone = len(measures) == 1 and measures[0].start == 0 and len(pair.value.split()) <= 2
            return measures[0].value.number if alone else pair.value
        if wanted.kind == "text":
            return pair.value
        if wanted.kind == "boolean":
            word = folded(pair.value).split(" ")[0]
            return True if word in _TRUE else False if word in _FALSE else None
        inside = [
            each for each in self._of_kind(wanted) if pair.start <= each.start < pair.start + len(pair.value)
        ]
        return inside[0].value if len(inside) == 1 else None

    def _by_name(self, wanted: Wanted) -> _Looked:
        if wanted.kind in ("text", "boolean"):
            return _Looked()
        found: list[Found] = []
        for name in wanted.names:
            pattern = r"\b" + r"[\W_]+".join(map(re.escape, name.split())) + r"\b"
            for match in re.finditer(pattern, self._text, re.IGNORECASE):
                end = _SENTENCE_END.search(self._text, match.end())
                limit = min(match.end() + _NEAR_CHARS, end.start() if end else len(self._text))
                behind = [each for each in self._of_kind(wanted) if match.end() <= each.start < limit]
                if behind:
                    found.append(behind[0])
                elif (before := self._before(wanted, match.start())) is not None:
                    found.append(before)
        values = list({str(each.value): each for each in found}.values())
        if len(values) > 1:
            return _Looked(unclear=[self._quote(each) for each in values])
        return _Looked(values[0].value, self._quote(values[0])) if values else _Looked()

    def _before(self, wanted: Wanted, start: int) -> Found | None:
        """The measure whose unit, and at most an `of`, stands right before a name: `5 m² of sand`."""
        for each in reversed(self._measures):
            if each.end > start:
                continue
            words = self._text[each.end : start].split()
            while words and words[-1] in ("of", "the"):
                words.pop()
            value = _number(wanted, Measure(each.value.number, " ".join(words)), bare=not words)
            whole = (
                wanted.unit is None
                or not words
                or in_unit(Measure(1, " ".join(words)), wanted.unit) is not None
            )
            short = len(words) <= 3 and (wanted.unit is not None or not words)
            return Found(value, each.start, each.end) if value is not None and whole and short else None
        return None

    def _alone(self, wanted: Wanted) -> _Looked:
        generic = _GENERIC.get(wanted.kind, frozenset())
        if not any(set(name.split()) <= generic for name in wanted.names):
            return _Looked()  # another date than the one that is named would be a guess
        found = list({str(each.value): each for each in self._of_kind(wanted)}.values())
        if len(found) == 1:
            return _Looked(found[0].value, self._quote(found[0]))
        return _Looked(unclear=[self._quote(each) for each in found])

    def _of_kind(self, wanted: Wanted) -> list[Found]:
        """Everything in the text that could be the value."""
        if wanted.kind == "date":
            return self._dates
        if wanted.kind == "coordinates":
            return self._points
        if wanted.kind == "place":
            if self._places is None:
                self._places = [
                    (best.kind, Found(best.label, each.start, each.end))
                    for each in self._world.gazetteer.mentions(self._text)
                    if (best := each.resolution.best) is not None
                ]
            words = {word for name in wanted.names for word in name.split()}
            kinds = {kind for word, kind in _PLACE_KINDS.items() if word in words}
            return [each for kind, each in self._places if not kinds or kind in kinds]
        found = []
        for each in self._measures:
            value = _number(wanted, each.value, bare=wanted.unit is None)
            if value is not None:
                found.append(Found(value, each.start, each.end))
        return found

    def _quote(self, found: Found) -> str:
        """The value with some words around it."""
        start, end = max(0, found.start - 25), min(len(self._text), found.end + 15)
        start = start if start == 0 else self._text.find(" ", start, found.start) + 1 or found.start
        return one_line(self._text[start:end])


def _number(wanted: Wanted, measure: Measure, *, bare: bool) -> float | int | None:
    """A measure in the wanted unit; one without a unit where `bare` says that it will do."""
    if wanted.unit is None or wanted.kind == "any":
        value: float | None = measure.number
    else:
        value = in_unit(measure, wanted.unit)
        if value is None and bare and not measure.unit:
            value = measure.number
    if value is None:
        return None
    if wanted.kind == "integer":
        return int(value) if float(value).is_integer() else None
    return int(value) if wanted.kind == "any" and float(value).is_integer() and abs(value) < 2**53 else value


def _checked(wanted: Wanted, looked: _Looked) -> _Looked:
    """The find, unless its value does not meet the schema: then what is wrong with it."""
    from jsonschema import Draft202012Validator

    value = looked.value
    if wanted.enum and isinstance(value, str):
        value = next((each for each in wanted.enum if folded(str(each)) == folded(value)), value)
    error = next(iter(Draft202012Validator(wanted.schema()).iter_errors(value)), None)
    if error is None:
        return _Looked(value, looked.quote)
    limits = {
        "minimum": f"is below {wanted.low}",
        "maximum": f"is above {wanted.high}",
        "enum": "is none of the choices",
    }
    return _Looked(unclear=[f"{looked.quote} {limits.get(str(error.validator), 'is no ' + wanted.kind)}"])


def _without_unit(key: str) -> str:
    return re.sub(r"[(\[][^()\[\]]*[)\]]", " ", key)


def _holds(key: str, names: tuple[str, ...]) -> bool:
    """Whether a key has every word of a name."""
    words = set(key.split())
    return any(set(name.split()) <= words for name in names)


def _in_words(
    wanted: list[Wanted], looked: dict[str, _Looked], facts: dict[str, Any], required: frozenset[str]
) -> str:
    units = facts["units"]
    values = [
        f"{one_line(each.name)} {_said(looked[each.name].value)} {units.get(each.name, '')}".rstrip()
        for each in wanted
        if looked[each.name].value is not None
    ]
    count = f"{len(values)} of {number_of(len(wanted), 'value')}"
    said = f"Found {count}{': ' if values else ''}{listed(values, 20)}."
    if facts["missing"]:
        said += f" Not in the text: {listed([one_line(each) for each in facts['missing']], 20)}."
    for name, candidates in facts["unclear"].items():
        said += f" Not clear: {one_line(name)} ({'; '.join(candidates)})."
    if lacking := sorted(required - facts["values"].keys()):
        said += f" Required and not found: {listed([one_line(each) for each in lacking])}."
    return said


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, dict):
        return f"longitude {value['lon']:g}, latitude {value['lat']:g}"
    return one_line(str(value))


TOOLS = (parse_structured,)
