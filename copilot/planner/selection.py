"""From the phrases of a clause to the calls that select: data sets, place, dates, classes, attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.period import date_arguments
from copilot.planner.places import place_arguments
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Span
from data.vocabulary.thesaurus import Term

NARROWING = ("dataset", "place", "point", "bbox", "date", "class", "attribute")

_AMBIGUOUS_CLASSES = {
    "tank": ("storage tanks", "Tank car"),
    "tanks": ("storage tanks", "Tank car"),
    "court": ("Tennis Court", "Basketball Court"),
    "crafts": ("aircraft", "vessels"),
    "craft": ("aircraft", "vessels"),
}
"""Words that name things of different kinds, with what they can mean."""

_BOTH = re.compile(r"\b(?:both|as well as|together with|along ?with|all of|at the same time|simultaneously)\b", re.I)
_ADDING = re.compile(r"\b(?:also|too|as well|in addition|additionally|add|plus|include|including)\b", re.I)
_EXCLUDING = re.compile(r"\b(?:without|except(?: for)?|excluding|but not|not|no|other than|apart from|leave out|exclude)\s+(?:any |the )?$", re.I)
_ALL_DATASETS = re.compile(r"\b(?:all|every|each of the|the whole|entire) (?:the |of the )?(?:data ?sets?|collections?|catalog(?:ue)?)\b", re.I)
_HERE = re.compile(
    r"\b(?:in|inside|within|for|of|from|over|on)\s+(?:here|there|it\b|this (?:area|box|region|rectangle|polygon|circle|drawing|shape|one)|"
    r"that (?:area|box|rectangle|polygon|circle|drawing|shape)|(?:the|my) (?:box|rectangle|polygon|circle|drawing|drawn area|shape|drawn box|"
    r"area i drew|aoi|area of interest)|what i drew)\b|\binside (?:it|the)\b",
    re.I,
)
_VIEW = re.compile(
    r"\b(?:in|within|inside|for|to|of)\s+(?:the |this |my )?(?:current |present |visible )?(?:view|viewport|map view|map extent|"
    r"visible area|screen|extent|map window)\b|\bon (?:the )?screen\b|\bcurrently visible\b|\bi(?:'m| am) looking at\b",
    re.I,
)


def selection_calls(clause: Clause, situation: Situation, *, adding: bool | None = None) -> Iterator[Call]:
    """The load and filter calls a clause asks for, each only once it is clear what it means. Raises Ask."""
    adding = bool(_ADDING.search(clause.text)) if adding is None else adding
    classes = [span for span in clause.of("class") if not _excluded(clause, span)]
    _ask_about_ambiguous_classes(clause, situation)
    yield from _dataset_calls(clause, situation, classes, adding)
    if (place := _place(clause, situation)) is not None:
        yield Call("filter_coords", place)
    if (when := date_arguments(clause.of("date"), situation)) is not None:
        yield Call("filter_date", when)
    yield from _class_calls(clause, situation, classes, adding)
    for span in clause.of("attribute"):
        found = span.value
        yield Call("filter_attribute", {"field": found.field, "op": found.op, "value": found.value})


def names_a_selection(clause: Clause) -> bool:
    """Whether any phrase of the clause narrows the selection."""
    return bool(clause.of(*NARROWING)) or bool(_HERE.search(clause.text)) or bool(_VIEW.search(clause.text))


def excluded_phrases(clause: Clause) -> list[str]:
    """Classes and dates a clause wants left out, which no filter can do."""
    spans = [span.text for span in clause.of("class") if _excluded(clause, span)]
    return spans + [span.text for span in clause.of("date") if span.value.negated]


def _excluded(clause: Clause, span: Span) -> bool:
    return bool(_EXCLUDING.search(clause.text[: span.start - clause.start]))


# -- data sets ------------------------------------------------------------------------------------


def _dataset_calls(clause: Clause, situation: Situation, classes: Sequence[Span], adding: bool) -> Iterator[Call]:
    named: set[str] = set()
    dropped: set[str] = set()
    for span in clause.of("dataset"):
        (dropped if _excluded(clause, span) else named).update(span.value)
    missing = sorted(name for name in named if name not in situation.datasets)
    if missing:
        known = sorted(situation.datasets)
        raise Ask(f"The catalogue does not hold {', '.join(missing)}. Which data set do you mean?", known[:8])
    if dropped & situation.loaded:
        yield Call("db_unload", {"names": sorted(dropped & situation.loaded)})
    if named:
        if not adding and (others := situation.loaded - named - dropped):
            yield Call("db_unload", {"names": sorted(others)})
        if named - situation.loaded:
            yield Call("db_load", {"names": sorted(named)})
    elif wanted := _datasets_needed(clause, situation, classes):
        yield Call("db_load", {"names": sorted(wanted)})


def _datasets_needed(clause: Clause, situation: Situation, classes: Sequence[Span]) -> set[str]:
    """What must be loaded for a clause that names no data set: nothing, when what is loaded can hold it."""
    if _ALL_DATASETS.search(clause.text):
        return set(situation.datasets) - situation.loaded
    holding = _datasets_with(classes, situation)
    if classes and holding:
        return set() if situation.loaded & holding else holding
    if situation.loaded:
        return set()
    return _datasets_of_attributes(clause, situation) or set(situation.datasets)


def _datasets_with(classes: Sequence[Span], situation: Situation) -> set[str]:
    names = {name.lower() for span in classes for name in _class_names(span.value)}
    found = {name for span in classes for term in _terms(span.value) for name in term.datasets}
    for info in situation.datasets.values():
        words = {word.lower() for each in info.classes for word in (each.name, *each.groups)}
        if names & words:
            found.add(info.name)
    return found & set(situation.datasets)


def _datasets_of_attributes(clause: Clause, situation: Situation) -> set[str]:
    wanted: set[str] = set()
    for span in clause.of("attribute"):
        field, value = span.value.field, span.value.value
        for info in situation.datasets.values():
            if field == "sensor" and str(value) in info.sensors:
                wanted.add(info.name)
            elif field == "modality" and str(value) in info.modalities:
                wanted.add(info.name)
            elif field in {key for key, _ in info.properties}:
                wanted.add(info.name)
    return wanted


# -- places ---------------------------------------------------------------------------------------


def _place(clause: Clause, situation: Situation) -> dict[str, Any] | None:
    if clause.of("place", "point", "bbox"):
        return place_arguments(clause, situation)
    if _VIEW.search(clause.text):
        return {"bbox": view_bbox(situation.state["map"])}
    if _HERE.search(clause.text) and situation.drawings:
        return {"drawing": situation.drawings[-1]["id"]}
    return None


def view_bbox(camera: dict[str, Any], width_px: int = 900, height_px: int = 650) -> list[float]:
    """[west, south, east, north] of what a map of that size shows, Web Mercator."""
    lon, lat = camera["center"]
    degrees = 360.0 / (256 * 2 ** camera["zoom"])
    half_lon = min(180.0, width_px / 2 * degrees)
    mercator = math.asinh(math.tan(math.radians(lat)))
    half_y = math.radians(height_px / 2 * degrees)
    south, north = (math.degrees(math.atan(math.sinh(mercator + step))) for step in (-half_y, half_y))
    west, east = (lon - half_lon, lon + half_lon) if half_lon < 180 else (-180.0, 180.0)
    wrapped = [(value + 180) % 360 - 180 if abs(value) > 180 else value for value in (west, east)]
    return [round(wrapped[0], 6), round(max(-90, south), 6), round(wrapped[1], 6), round(min(90, north), 6)]


# -- classes --------------------------------------------------------------------------------------


def _ask_about_ambiguous_classes(clause: Clause, situation: Situation) -> None:
    taken = [range(span.start - clause.start, span.end - clause.start) for span in clause.spans]
    for word, meanings in _AMBIGUOUS_CLASSES.items():
        for match in re.finditer(rf"\b{word}\b", clause.text, re.I):
            if word not in situation.choices and not any(match.start() in span for span in taken):
                raise Ask(f"What do you mean by '{match[0]}'?", meanings, about=match[0])


def _class_calls(
    clause: Clause, situation: Situation, classes: Sequence[Span], adding: bool
) -> Iterator[Call]:
    objects: list[str] = []
    scenes: list[str] = []
    for span in classes:
        names = _class_names(span.value)
        (scenes if _is_scene(span.value, situation) else objects).extend(names)
    match = {"match": "all"} if len(classes) > 1 and _BOTH.search(clause.text) else {}
    if objects:
        kept = _kept(situation, scene=False) if adding else []
        yield Call("filter_class", {"classes": _unique([*kept, *objects]), **match})
    if scenes:
        kept = _kept(situation, scene=True) if adding else []
        yield Call("filter_lccclass", {"classes": _unique([*kept, *scenes])})


def _terms(value: Any) -> tuple[Term, ...]:
    return value if isinstance(value, tuple) else ()


def _class_names(value: Any) -> list[str]:
    """The group where a phrase names one, else every class it names."""
    if isinstance(value, str):
        return [value]
    groups = [term.name for term in value if term.kind == "group"]
    return groups[:1] or [term.name for term in value]


def _is_scene(value: Any, situation: Situation) -> bool:
    if isinstance(value, str):
        return any(each.scene for info in situation.datasets.values() for each in info.classes if each.name == value)
    taken = set(_class_names(value))
    return all(term.scene for term in value if term.name in taken)


def _kept(situation: Situation, *, scene: bool) -> list[str]:
    """The classes already filtered by, of the same sort."""
    scenes = {
        name.lower()
        for info in situation.datasets.values()
        for each in info.classes
        if each.scene
        for name in (each.name, *each.groups)
    }
    objects = {
        name.lower()
        for info in situation.datasets.values()
        for each in info.classes
        if not each.scene
        for name in (each.name, *each.groups)
    }
    wanted = (lambda name: name in scenes - objects) if scene else (lambda name: name in objects)
    return [name for name in situation.filters.get("classes", []) if wanted(name.lower())]


def _unique(names: Iterable[str]) -> list[str]:
    return sorted(dict.fromkeys(names))
