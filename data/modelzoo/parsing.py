"""From a request in words to a query: phrases of the lexicon first, then likeness for what an application
is called.

No model is asked: the phrases are data, and what none of them names is compared by the sentence encoder
with how applications are said. Below `SURE` the likeness is no reading, only what a question offers first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from data.modelzoo.amounts import Amount, amounts
from data.modelzoo.lexicon import Application, Found, Lexicon, Word, lexicon, split
from data.modelzoo.query import FEW_LABELS, LeastPerformance, Query
from data.modelzoo.vectors import Vectors

SURE = 0.5
"""The cosine from which on a request means the application that it is likest to."""
FEW_WORDS = 3
"""How far before a phrase a "not" stands that belongs to it, and a metric from its number, in words."""
_METRIC_WORDS = 6
_ONE_OF = {"device": "deployment_device", "available_data": "available_data", "complexity": "complexity"}
_FLAGS = {"unusual": "unusual_data", "open_weights": "open_weights", "commercial": "commercial"}


@dataclass(frozen=True)
class Parsed:
    """A query with how surely its application was read, and which others are near."""

    query: Query
    certainty: float = 1.0
    """1 where a phrase names the application, else the cosine; 0 where nothing is like it."""
    near: tuple[str, ...] = ()
    """Applications by likeness, for a question to offer."""
    is_indifferent: bool = False
    """Whether the whole answer is that it does not matter."""
    excluded: tuple[str, ...] = ()
    """Kinds of data that the request names as not meant."""
    opens: bool = False
    """Whether its words open a request, such as "which model", and do not go on from one."""


def parse(text: str, vectors: Vectors, words: Lexicon | None = None) -> Parsed:
    """What a request says. Nothing that it does not say is filled in, except a sensor's kind of data."""
    words = words or lexicon()
    said = split(text)
    numbers = tuple(amounts(said, words))
    taken = {at for each in numbers if each.quantity for at in range(each.start + 1, each.end)}
    found = tuple(each for each in words.find(said) if not taken & set(range(each.start, each.end)))
    named = {at for each in found if _values([each], "sensor") for at in range(each.start, each.end)}
    numbers = tuple(each for each in numbers if each.start not in named)  # the 2 of Sentinel-2 pixels
    negated = {each for each in found if _is_negated(each, found, said)}
    kept = tuple(each for each in found if each not in negated)
    values = _fields(kept, words)
    values |= _quantities(numbers, found, said, words)
    application, certainty, near = _application(kept, numbers, said, vectors, words)
    if application is not None:
        values["application"] = application
    excluded = _values(negated, "modality")
    if excluded and "modalities" in values:
        values["modalities"] = tuple(each for each in values["modalities"] if each not in excluded)
    values = {name: value for name, value in values.items() if value not in (None, ())}
    indifferent = bool(_values(kept, "any")) and not values
    return Parsed(Query(**values), certainty, near, indifferent, excluded, bool(_values(kept, "opening")))


def _fields(found: Sequence[Found], words: Lexicon) -> dict[str, Any]:
    sensors = _values(found, "sensor")
    implied = (words.sensors[each].modality for each in sensors)
    fields: dict[str, Any] = {
        "sensors": sensors,
        "modalities": tuple(dict.fromkeys((*_values(found, "modality"), *implied))),
        "bands": _values(found, "band"),
        "priority_metrics": _values(found, "priorities"),
        "region": next(iter(_values(found, "region")), None),
    }
    for slot, name in _ONE_OF.items():
        fields[name] = next(iter(_values(found, slot)), None)
    fields |= {name: True for slot, name in _FLAGS.items() if _values(found, slot)}
    for slot, name in (("resolution_m", "spatial_resolution_m"), ("period_days", "temporal_resolution_days")):
        if said := _values(found, slot):
            fields[name] = float(said[0])
    return fields


def _quantities(
    numbers: Sequence[Amount], found: Sequence[Found], said: tuple[Word, ...], words: Lexicon
) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    bare = {
        "length_m": "spatial_resolution_m",
        "memory_gb": "memory_gb",
        "parameters_m": "max_parameters_m",
        "period_days": "temporal_resolution_days",
    }
    for each in numbers:
        if each.quantity in bare and each.value > 0:
            fields.setdefault(bare[each.quantity], each.value)
        elif each.quantity == "labels":
            fields["num_labels"] = round(each.value)
            kind = "none" if each.value == 0 else "few" if each.value <= FEW_LABELS else "enough"
            fields["available_data"] = kind
        elif each.quantity == "pixels" and each.value >= 1:
            fields["image_px"] = round(each.value)
        elif each.quantity == "gpus" and each.value >= 1:
            fields["deployment_device"] = "gpu" if each.value == 1 else "cluster"
    if (least := _least(numbers, found, words)) is not None:
        fields["min_performance"] = least
    return fields


def _least(numbers: Sequence[Amount], found: Sequence[Found], words: Lexicon) -> LeastPerformance | None:
    """The metric and the number that stands nearest to it: per cent or bare, and no number of anything
    else.
    """
    pairs = [
        (_gap(number, metric), number, value)
        for metric in found
        for value in _values([metric], "metric")
        for number in numbers
        if _is_figure(number, found) and not _inside(number, found)
    ]
    near = [each for each in pairs if each[0] <= _METRIC_WORDS]
    if not near:
        return None
    _, number, metric_id = min(near, key=lambda each: each[0])
    is_share = not words.metrics[metric_id].get("less_is_better", False)
    value = number.value * 100 if is_share and number.quantity is None and number.value <= 1 else number.value
    return LeastPerformance(metric=metric_id, value=round(value, 6))


def _gap(number: Amount, phrase: Found) -> int:
    return max(phrase.start - number.end, number.start - phrase.end, 0)


def _is_figure(number: Amount, found: Sequence[Found]) -> bool:
    """Whether a number may be one of merit: per cent, a share, or bounded in words."""
    if number.quantity not in (None, "percent"):
        return False
    bounds = (each for each in found if _values([each], "at_least") or _values([each], "at_most"))
    bounded = any(0 <= number.start - each.end < FEW_WORDS or each.start == number.end for each in bounds)
    return bounded or number.quantity == "percent" or 0 < number.value <= 1


def _inside(number: Amount, found: Sequence[Found]) -> bool:
    return any(each.start <= number.start < each.end for each in found)


def _is_negated(phrase: Found, found: Sequence[Found], said: tuple[Word, ...]) -> bool:
    """Whether a "not" stands close before a phrase, with no other phrase of a kind of data between, or "will
    not do" right behind it.
    """
    if not _values([phrase], "modality") and not _values([phrase], "sensor"):
        return False
    if any(_values([each], "of_no_use") and each.start == phrase.end for each in found):
        return True
    return any(
        _values([each], "without") and 0 <= phrase.start - each.end < FEW_WORDS
        for each in found
        if not any(each.end <= other.start and other.end <= phrase.start for other in found if other != each)
    )


def _application(
    found: Sequence[Found],
    numbers: Sequence[Amount],
    said: tuple[Word, ...],
    vectors: Vectors,
    words: Lexicon,
) -> tuple[str | None, float, tuple[str, ...]]:
    """(application, certainty, near ones): by its phrases, else by likeness of what no phrase has taken."""
    named = [words.applications[each] for each in _values(found, "application")]
    if named:
        return _one_of(named, words).id, 1.0, tuple(each.id for each in named)
    # Numbers and what other phrases have said are no words of the application, nor are those of any request.
    spans = [(each.start, each.end) for each in found] + [(each.start, each.end) for each in numbers]
    taken = {at for start, end in spans for at in range(start, end)}
    rest = " ".join(word.text for at, word in enumerate(said) if at not in taken)
    if not re.search(r"[^\W\d_]{3}", rest):
        return None, 0.0, ()
    likest = vectors.likest_applications(rest)
    best, cosine = likest[0]
    near = tuple(each for each, _ in likest)
    return (best, cosine, near) if cosine >= SURE else (None, max(cosine, 0.0), near)


def _one_of(named: Sequence[Application], words: Lexicon) -> Application:
    """The application that is meant where several are named: the one in the world before the kind of task.

    Change detection of buildings is urban change detection: where the same field has an application of the
    kind that is named beside it, that is meant.
    """
    things = [each for each in named if not each.is_general]
    kinds = [each for each in named if each.is_general]
    if not things:
        return kinds[-1]
    thing = things[0]
    wanted = next((each.kind for each in kinds), thing.kind)
    if wanted in thing.all_kinds:
        return thing
    same_field = (each for each in words.applications.values() if each.field == thing.field)
    return next((each for each in same_field if wanted in each.all_kinds), thing)


def _values(found: Iterable[Found], slot: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.value for hit in found for each in hit.meanings if each.slot == slot))
