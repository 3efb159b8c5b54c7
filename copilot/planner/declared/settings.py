"""Other settings for the look before: another threshold, false-alarm rate, method, model, pair or land."""

from __future__ import annotations

import re
from typing import Any

from copilot.planner.declared.looks import Look, image_meant
from copilot.planner.declared.numbers import converted, number_for, quantities
from copilot.planner.declared.signature import Parameter, parameters
from copilot.planner.declared.things import things_at_hand
from copilot.planner.situation import Situation

_ASKS = re.compile(
    r"\b(?:use|using|with|without|try|set|lower|raise|increase|decrease|reduce|change|instead|again|rerun|re-run|repeat|redo|rather|take|make it|"
    r"down to|up to|at|ignore|exclude|leave out|mask)\b",
    re.I,
)
_ALSO = {
    "min_score": r"(?:score|confidence|detection)?\s*(?:threshold|cut-?off|limit)|min(?:imum)? score|scores?|confidence",
    "false_alarm": r"false[- ]alarms?(?: rate)?|pfa|alarm rate",
}
"""What people call some arguments."""
_ROLE = re.compile(
    r"\b(?:use|take|with)\s+(?P<image>.+?)\s+(?:as|for)\s+(?:the\s+)?(?P<role>before|after|earlier|later)\b(?: (?:image|picture|one))?",
    re.I,
)
_ROLES = {"before": "before", "earlier": "before", "after": "after", "later": "after"}
_LAND = re.compile(r"\b(?:land|coast(?:line)?|shore(?:line)?|islands?)\b", re.I)


def settings(text: str, look: Look, situation: Situation) -> dict[str, Any] | None:
    """The arguments that a request changes in the last look; None where it changes nothing that the tool takes."""
    if not _ASKS.search(text):
        return None
    taken = {each.name: each for each in parameters(look.last.tool)}
    found: dict[str, Any] = {}
    for name, each in taken.items():
        value = _number(each, text) if each.kind == "number" else None
        if value is None and each.kind == "choice":
            value = _choice(each, text)
        if value is not None:
            found[name] = value
    if "model" in taken and (model := _model(text)) is not None:
        found["model"] = model
    if "land" in taken and _LAND.search(text) and (land := named_vector(text, situation)) is not None:
        found["land"] = land
    if {"before", "after"} <= set(taken) and (pair := _pair(text, look, situation)) is not None:
        found |= pair
    return found or None


def _number(parameter: Parameter, text: str) -> float | int | None:
    numbers = quantities(text)
    if parameter.name in _ALSO:
        said = re.search(rf"\b(?:{_ALSO[parameter.name]})\b\D*(?=\d)", text, re.I)
        numbers = [each for each in numbers if said is not None and each.start == said.end()]
        chosen = numbers[0] if numbers else None
    else:
        chosen = number_for(parameter, text, numbers, alone=False)
    return None if chosen is None else converted(parameter, chosen)


def _choice(parameter: Parameter, text: str) -> Any:
    lowered = re.sub(r"[_-]", " ", text.lower())
    said = [
        each
        for each in parameter.choices
        if re.search(rf"\b{re.escape(str(each).replace('_', ' ').lower())}\b", lowered)
    ]
    return said[0] if len(said) == 1 and len(str(said[0])) > 2 else None


def _model(text: str) -> str | None:
    """The name of a model of the cards that a text says."""
    from data.models.registry import registry

    lowered = f" {re.sub(r'[^a-z0-9.]+', ' ', text.lower())} "
    said = [each.name for each in registry().models if f" {each.name.lower().replace('-', ' ')} " in lowered]
    return max(said, key=len) if said else None


def named_vector(text: str, situation: Situation) -> str | None:
    """The features that a text calls by their name, a file's with its ending too."""
    for each in reversed(things_at_hand(situation)):
        if (
            each.kind == "vector"
            and len(each.name) > 2
            and re.search(rf"\b{re.escape(each.name)}\b", text, re.I)
        ):
            return each.ref
    return None


def _pair(text: str, look: Look, situation: Situation) -> dict[str, str] | None:
    """The two images of a pair, where one is given its role; the other keeps its own, or takes the one that is left."""
    match = _ROLE.search(text)
    image = image_meant(match["image"], situation) if match else None
    if match is None or image is None:
        return None
    role = _ROLES[match["role"].lower()]
    other = "after" if role == "before" else "before"
    given = str(look.last.args.get(other, ""))
    if given == image.ref:
        given = str(look.last.args.get(role, ""))
    return {role: image.ref, other: given}
