"""Features that were brought in, by a comparison of what their fields say or their shapes measure.

"Show only the parcels larger than 2 ha", "which of my points have depth < 10", "filter the fields by use = arable".
Which fields there are the tool knows, and says where a word is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from copilot.planner.here import is_beside_the_catalogue
from copilot.planner.situation import Call, Situation

_NUMBER = r"(?P<value>-?\d+(?:,\d{3})*(?:\.\d+)?)"
_MORE = r">|over|above|more than|greater than|larger than|bigger than|higher than|exceeding|exceeds"
_LESS = r"<|under|below|less than|fewer than|smaller than|lower than"
_FROM = r">=|at least|no less than|from"
_UP_TO = r"<=|at most|no more than|up to"
_SAME = r"=|==|equal to|equals|is|are"
_OPERATORS = ((">=", _FROM), ("<=", _UP_TO), (">", _MORE), ("<", _LESS), ("=", _SAME))
_ANY = rf"(?P<op>{_FROM}|{_UP_TO}|{_MORE}|{_LESS}|{_SAME})"
_UNITS: Mapping[str, str] = {
    "area_ha": r"ha|hectares?",
    "area_km2": r"km2|km²|sq(?:uare)? ?(?:km|kilomet(?:er|re)s?)",
    "area_m2": r"m2|m²|sq(?:uare)? ?(?:m|met(?:er|re)s?)",
    "area_acres": r"acres?",
    "length_km": r"km|kilomet(?:er|re)s?",
    "length_m": r"m|met(?:er|re)s?",
}
_LONGER, _SHORTER = "longer than", "shorter than"
_MEASURED = re.compile(
    rf"\b(?:{_MORE}|{_LESS}|{_FROM}|{_UP_TO}|{_LONGER}|{_SHORTER}) {_NUMBER} ?(?P<unit>{'|'.join(_UNITS.values())})(?!\w)",
    re.I,
)
_OF_A_NUMBER = re.compile(
    rf"\b(?P<field>[a-z]\w*) ?(?:(?:is|are|of|that is|value)\s+)?(?:{_ANY}) ?{_NUMBER}(?![\w.,]*\w)", re.I
)
_OF_A_WORD = re.compile(
    r"\b(?:where|by|with|whose|have|having) (?:the |an? )?(?P<field>[a-z]\w*) ?(?:=|==|is|equals|equal to) ?"
    r"[\"'“]?(?P<value>[a-z][\w-]*)[\"'”]?\W*$",
    re.I,
)
_KEEPS = re.compile(
    r"\b(?:show|only|which|what|list|filter|keep|select|find|how many|count|display|give)\b", re.I
)
_ONLY = re.compile(r"\b(?:only|just|filter|keep)\b", re.I)
_FEATURES = r"features?|shapes?|points?|polygons?|lines?|parcels?|fields?|plots?|rows?|ones|records?|objects?|them|those|it"
_NO_FIELDS = frozenset(
    "that which is are the with have has of and or my than all those these ones them it".split()
)


def features_kept(text: str, situation: Situation) -> list[Call] | None:
    """The calls that keep what a request compares of the features that were brought in; None where it compares none."""
    brought = _meant(text, situation)
    if brought is None or not _KEEPS.search(text):
        return None
    compared = _comparison(text)
    if compared is None:
        return None
    calls = [Call("filter_rows", {"table": brought["id"], **compared})]
    layer = next((each for each in situation.layers if each.get("artifact") == brought["id"]), None)
    if layer is not None and _ONLY.search(text):
        calls.append(Call("hide_layer", {"layer": layer["id"]}))
    return calls


def _meant(text: str, situation: Situation) -> Mapping[str, Any] | None:
    """The features that a request is about: those it names, else the newest, by a word for features."""
    brought = [
        each
        for each in situation.state["artifacts"]
        if each["kind"] == "vector" and str(each["made_by"]).startswith("add_file")
    ]
    named = [each for each in brought if re.search(rf"\b{re.escape(str(each['name']))}\b", text, re.I)]
    if named:
        return dict(named[-1])
    if (
        brought
        and is_beside_the_catalogue(text, situation)
        and re.search(rf"\b(?:{_FEATURES})\b", text, re.I)
    ):
        return dict(brought[-1])
    return None


def _comparison(text: str) -> dict[str, Any] | None:
    """Field, operator and value of a request's only comparison; None without one, or with several."""
    numbers = [each for each in _OF_A_NUMBER.finditer(text) if each["field"].lower() not in _NO_FIELDS]
    measured = list(_MEASURED.finditer(text))
    if len(measured) == 1 and len(numbers) <= 1:
        return _of_a_measure(measured[0])
    if len(numbers) == 1 and not measured:
        only = numbers[0]
        return {"field": only["field"], "op": _operator(only["op"]), "value": _number(only["value"])}
    word = _OF_A_WORD.search(text)
    if word and not numbers and not measured and word["field"].lower() not in _NO_FIELDS:
        return {"field": word["field"], "op": "=", "value": word["value"]}
    return None


def _of_a_measure(found: re.Match[str]) -> dict[str, Any]:
    unit = found["unit"].lower()
    field = next(name for name, words in _UNITS.items() if re.fullmatch(words, unit))
    words = found[0].lower()
    way = ">" if words.startswith(_LONGER) else "<" if words.startswith(_SHORTER) else _operator(words)
    return {"field": field, "op": way, "value": _number(found["value"])}


def _operator(words: str) -> str:
    """The operator that words begin with."""
    return next(op for op, said in _OPERATORS if re.match(rf"(?:{said})(?!\w|=)", words, re.I))


def _number(text: str) -> float:
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value
