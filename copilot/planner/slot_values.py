"""The slots of a worked case, read from what a request says in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from copilot.planner.asking import Ask
from copilot.planner.cases import Case, CaseSlot
from copilot.planner.class_words import canonical_names, known_classes
from copilot.planner.lexicon import COLORS
from copilot.planner.places import resolved
from copilot.planner.reading.dates import dates
from copilot.planner.situation import Situation
from copilot.planner.spans import Reader, Span

BRACES = re.compile(r"\{([^{}]*)\}")
_RESULT = re.compile(r"(s?)(\d+)\.data\.(.+)")

Texts = Mapping[str, str]
"""Slot -> what stands in it."""


class DoesNotFit(Exception):
    """The case says something else than the request."""


class Values:
    """The slots' values, each read once."""

    def __init__(self, case: Case, texts: Texts, situation: Situation, reader: Reader) -> None:
        self._case, self._texts, self._situation, self._reader = case, texts, situation, reader
        self._known: dict[str, Any] = {}

    def argument(self, value: Any, places: Mapping[int, int]) -> Any:
        """An argument of the case with the slots filled. Raises DoesNotFit."""
        if isinstance(value, Mapping):
            return {key: self.argument(each, places) for key, each in value.items()}
        if isinstance(value, list):
            found = [self.argument(each, places) for each in value]
            return [one for each in found for one in (each if isinstance(each, list) else [each])]
        if not isinstance(value, str):
            return value
        if (whole := BRACES.fullmatch(value)) is not None:
            return self._inside(whole[1], places)
        return BRACES.sub(lambda brace: str(self._inside(brace[1], places)), value)

    def _inside(self, inside: str, places: Mapping[int, int]) -> Any:
        if (result := _RESULT.fullmatch(inside)) is not None:
            if result[1]:
                return self._there(result[3])
            return f"@{places[int(result[2])]}.{result[3]}"
        if inside not in self._known:
            self._known[inside] = self._read(inside)
        return self._known[inside]

    def _there(self, kind: str) -> str:
        """ "This table": the newest that there is of a kind."""
        newest = self._situation.state["ui"].get(kind) or self._situation.last_artifact(kind)
        if newest is None:
            raise DoesNotFit
        return newest

    def _read(self, inside: str) -> Any:
        name, _, part = inside.partition(".")
        slot = self._case.slots.get(name)
        if slot is None:
            raise DoesNotFit
        text = self._texts.get(inside) or self._texts.get(name)
        if text is None:
            # A part of a slot of which another part is said: "{year.start}" where the year is.
            text = next((said for key, said in self._texts.items() if key.split(".")[0] == name), None)
        if text is None:
            raise DoesNotFit
        try:
            return _READERS.get(slot.kind, _verbatim)(text.strip(" ,;\"'“”"), part, slot, self)
        except Ask as ask:
            raise DoesNotFit from ask

    def check(self) -> None:
        """Read every slot that is said, also those that no call takes. Raises DoesNotFit."""
        for inside in self._texts:
            self._inside(inside, {})

    @property
    def exact(self) -> bool:
        """Whether only the known choices will do: what is asked back or refused is refused of just these."""
        return self._case.declines

    def spans(self, text: str, *kinds: str) -> list[Span]:
        """The phrases of some kinds in a slot's text."""
        return [span for span in self._reader.read(text) if span.kind in kinds]

    @property
    def situation(self) -> Situation:
        """What the request is said into."""
        return self._situation


def _one(text: str, values: Values, *kinds: str) -> Span:
    """The one phrase that a slot's text is."""
    text = re.sub(r"^(?:the|an?)\s+", "", text, flags=re.IGNORECASE)
    found = values.spans(text, *kinds)
    if len(found) != 1 or len(found[0].text) < 0.8 * len(text):
        raise DoesNotFit
    return found[0]


def _dataset(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    names = list(_one(text, values, "dataset").value)
    return names[0] if len(names) == 1 else names


def _class(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    known = known_classes(values.situation)
    names = list(dict.fromkeys(canonical_names(_one(text, values, "class"), known)))
    return names[0] if len(names) == 1 else names


def _place(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    if part in ("lon", "lat") and re.fullmatch(r"-?\d+(?:\.\d+)?", text):
        return float(text)
    place = resolved(_one(text, values, "place"), values.situation)
    if part in ("lon", "lat"):
        return round(float(getattr(place, part)), 4)
    return place.label


def _year(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    years = re.findall(r"\b(?:19|20)\d\d\b", text)
    if len(years) != 1:
        raise DoesNotFit
    return {"start": f"{years[0]}-01-01", "end": f"{years[0]}-12-31"}.get(part, int(years[0]))


def _time(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    found = dates(text, values.situation.today)
    if len(found) != 1 or found[0].start is None or found[0].end is None:
        raise DoesNotFit
    start, end = found[0].start, found[0].end
    if part:
        return (start if part == "start" else end).isoformat()
    return f"{start:%Y-%m}" if slot.kind == "month" else start.isoformat()


def _event(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    named = {span.value for span in values.spans(text, "event") if isinstance(span.value, str)}
    if len(named) != 1:
        raise DoesNotFit
    return named.pop()


def _literal_value(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    for say, arg in slot.choices:
        if say.lower() == text.lower():
            return arg
    args = [arg for _, arg in slot.choices]
    if values.exact:
        raise DoesNotFit
    if all(isinstance(arg, int | float) and not isinstance(arg, bool) for arg in args):
        numbers = re.findall(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?", text)
        if len(numbers) != 1:
            raise DoesNotFit
        value = float(numbers[0].replace(",", ""))
        return int(value) if value.is_integer() else value
    if all(str(arg).lower() in COLORS.values() or str(arg).lower() in COLORS for arg in args):
        if text.lower() not in COLORS:
            raise DoesNotFit
        return COLORS[text.lower()]
    if any(say.lower() != str(arg).lower() for say, arg in slot.choices) or not _is_a_name(args):
        raise DoesNotFit
    return text


def _is_a_name(args: Sequence[Any]) -> bool:
    """Whether the choices are titles that anybody may choose anew, and not words of the domain."""
    return all(isinstance(arg, str) and arg[:1].isupper() for arg in args)


def _verbatim(text: str, part: str, slot: CaseSlot, values: Values) -> Any:
    return text


_READERS = {
    "dataset": _dataset, "class": _class, "scene": _class, "city": _place, "country": _place, "year": _year, "month": _time,
    "day": _time, "range": _time, "event": _event, "literal": _literal_value,
}  # fmt: skip
