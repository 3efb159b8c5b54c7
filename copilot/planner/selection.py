"""From the phrases of a clause to the calls that select: data sets, place, dates, classes, attributes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from copilot.planner.asking import Ask
from copilot.planner.class_words import calls_for, class_calls, datasets_with, without_classes
from copilot.planner.clauses import Clause
from copilot.planner.forms import form_of, forms_said
from copilot.planner.here import whole_catalogue
from copilot.planner.limits import (
    NARROWING,
    attribute_calls,
    changed_limit,
    in_place_of,
    names_a_number_of_objects,
    thresholds,
)
from copilot.planner.period import date_arguments
from copilot.planner.places import (
    DEFAULT_RADIUS_KM,
    countries_of,
    countries_there,
    is_a_size,
    joined_to_the_place_there,
    place_arguments,
    radius_km,
    reaches_beyond,
    resolved,
    shows_a_place,
)
from copilot.planner.situation import Call, Situation
from copilot.planner.spans import Span
from data.vocabulary.groups import groups_for

_ADDING = re.compile(r"\b(?:also|too|as well|in addition|additionally|add|plus|include|including)\b", re.I)
_AND_MORE = re.compile(
    r"^\W*and (?!(?:now|then|only|just|in|for|from|at|near|around|what|how|show|plot|count|the same|within)\b)[^?]*$",
    re.I,
)
_EXCLUDING = re.compile(
    r"\b(?:without|except(?: for)?|excluding|but not|not|no|other than|apart from|leave out|exclude)\s+(?:any |the |in |near )*$",
    re.I,
)
_LOADING = re.compile(r"^\W*(?:please |now |then |and )*(?:load|preload|add)\b", re.I)
_OF_EVENTS = "xview2"
"""The published data set whose images belong to disasters."""
_ALL_DATASETS = re.compile(
    r"\b(?:all|every|each of the|the whole|entire) (?:the |of the )?(?:data ?sets?|collections?|catalog(?:ue)?|sets|imagery|images|data|archives?)\b|\b(?:show|plot|load|map|display) everything\b",
    re.I,
)
_HERE = re.compile(
    r"\b(?:in|inside|within|for|of|from|over|on|around|near)\s+(?:here|there|it\b|this (?:area|box|region|rectangle|polygon|circle|drawing|shape|one)|"
    r"that (?:area|box|rectangle|polygon|circle|drawing|shape)|(?:the|my) (?:box|rectangle|polygon|circle|drawing|drawn area|shape|drawn box|"
    r"area i drew|aoi|area of interest)|what i drew)\b|\binside (?:it|the)\b|\b(?:inside|here)\W*$",
    re.I,
)
_VIEW = re.compile(
    r"\b(?:in|within|inside|for|to|of)\s+(?:the |this |my )?(?:current |present |visible )?(?:view|viewport|map view|map extent|"
    r"visible area|screen|extent|map window)\b|\bon (?:the )?screen\b|\bcurrently visible\b|\bi(?:'m| am) looking at\b",
    re.I,
)


def selection_calls(clause: Clause, situation: Situation, *, adding: bool | None = None) -> Iterator[Call]:
    """The load and filter calls a clause asks for, each only once it is clear what it means. Raises Ask."""
    adding = adds(clause.text) if adding is None else adding
    classes = [
        _of_an_event(clause, span, situation) for span in clause.of("class") if not _excluded(clause, span)
    ]
    yield from _dataset_calls(clause, situation, classes, adding)
    if (codes := _several_countries(clause, situation)) is not None:
        if situation.filters.keys() & _PLACE_PARTS:
            yield Call("filter_clear", {"fields": ["place"]})
        yield Call("filter_attribute", {"field": "country", "op": "in", "value": codes})
    elif (place := _place(clause, situation)) is not None:
        if any(each["field"] == "country" for each in situation.filters.get("attributes", [])):
            yield Call("filter_clear", {"fields": ["country"]})
        yield Call("filter_coords", place)
    yield from _outside_calls(clause, situation)
    dates = [span for span in clause.of("date") if not _excluded(clause, span)]
    if (when := date_arguments(dates, situation, adding=adding)) is not None:
        yield Call("filter_date", when)
    instead = classes and len(classes) < len(clause.of("class"))
    if not instead and (left := without_classes(clause, situation)) is not None:
        yield from calls_for(left, situation)
    else:
        yield from class_calls(clause, situation, classes, adding)
    yield from thresholds(clause, classes, situation)
    yield from attribute_calls(clause, situation, adding)
    names = [
        name
        for span in _told_apart(clause.of("event"))
        for name in (span.value if isinstance(span.value, tuple) else (span.value,))
    ]
    if names := list(dict.fromkeys(names)):
        several = len(names) > 1
        value = names if several else names[0]
        yield Call("filter_attribute", {"field": "event", "op": "in" if several else "=", "value": value})
    if not names_a_number_of_objects(clause) and (changed := changed_limit(clause, situation)) is not None:
        call = Call("filter_attribute", changed)
        yield from in_place_of(call, situation)
        yield call
    for span in clause.of("distance"):
        if is_a_size(clause, span):
            situation.notes.append(f"I can't filter by how long an object is, so I left out '{span.text}'.")


def _told_apart(events: Sequence[Span]) -> list[Span]:
    """The events of a clause; the "bushfire" of "the Pinery bushfire" means that one, and no other fires."""
    named = {span.value for span in events if isinstance(span.value, str)}
    return [span for span in events if isinstance(span.value, str) or not named & set(span.value)]


def _of_an_event(clause: Clause, span: Span, situation: Situation) -> Span:
    """Disasters label buildings alone: "flooded houses after Harvey" are the buildings there."""
    if (
        not clause.of("event")
        or isinstance(span.value, str)
        or _OF_EVENTS in datasets_with([span], situation)
    ):
        return span
    built = {group for term in span.value for group in (term.name, *groups_for(term.name))} & {
        "buildings",
        "houses",
    }
    return replace(span, value="buildings") if built else span


def adds(text: str) -> bool:
    """Whether a clause wants something besides what is selected: "ships too", "and ships" (but not "and ships?")."""
    return bool(_ADDING.search(text)) or bool(_AND_MORE.match(text))


def _outside_calls(clause: Clause, situation: Situation) -> Iterator[Call]:
    """ "Not in the US": a country is left out by its code, which images carry."""
    for span in clause.of("place"):
        best = span.value.resolution.best
        if _excluded(clause, span) and best is not None and best.kind == "country" and best.country:
            yield Call("filter_attribute", {"field": "country", "op": "!=", "value": best.country})


def narrows_in_context(clause: Clause, situation: Situation) -> bool:
    """Whether a clause changes a part of the selection that is there: its radius, its limit."""
    if changed_limit(clause, situation) is not None:
        return True
    return _changed_radius(clause, situation) is not None


def _changed_radius(clause: Clause, situation: Situation) -> dict[str, Any] | None:
    """ "Widen it to 100 km", "half as wide": the same centre with another radius."""
    filters = situation.filters
    if clause.of("place", "point", "bbox") or not ({"place", "center", "lon"} & set(filters)):
        return None
    radius = radius_km(clause)
    if radius is None and (factor := _factor(clause.text)) is not None:
        radius = round(float(filters.get("radius_km") or DEFAULT_RADIUS_KM) * factor, 3)
    if radius is None:
        return None
    if "place" in filters:
        return {"place": filters["place"], "radius_km": radius}
    lon, lat = filters["center"] if "center" in filters else (filters["lon"], filters["lat"])
    return {"lon": lon, "lat": lat, "radius_km": radius}


def _factor(text: str) -> float | None:
    if re.search(r"\b(?:half|halve)\b", text, re.I) and re.search(
        r"\b(?:wide|radius|big|large|distance|circle|halve)\b", text, re.I
    ):
        return 0.5
    twice = re.search(r"\b(?:twice|double)\b", text, re.I) and re.search(
        r"\b(?:wide|radius|big|large|distance|circle|double)\b", text, re.I
    )
    return 2.0 if twice else None


def names_a_selection(clause: Clause) -> bool:
    """Whether any phrase of the clause narrows the selection."""
    if names_a_number_of_objects(clause):
        return True
    if clause.of(*NARROWING) or _ALL_DATASETS.search(clause.text):
        return True
    between = re.search(r"\bbetween (?:them|those|these|the two|both)\b", clause.text, re.I)
    return bool(between) or bool(_HERE.search(clause.text)) or bool(_VIEW.search(clause.text))


def excluded_phrases(clause: Clause) -> list[str]:
    """Classes and dates a clause wants left out, which no filter can do."""
    left_out = [span for span in clause.of("class") if _excluded(clause, span)]
    instead = len(left_out) < len(clause.of("class")) and re.search(
        r"\bbut\b|\brather\b|\binstead\b", clause.text, re.I
    )
    spans = [] if instead else [span.text for span in left_out]
    dates = [span for span in clause.of("date") if span.value.negated or _excluded(clause, span)]
    return spans + ([span.text for span in dates] if len(dates) == len(clause.of("date")) else [])


def without_excluded_places(clause: Clause) -> Clause:
    """The clause without the places it says it does not mean."""
    kept = tuple(span for span in clause.spans if span.kind != "place" or not _excluded(clause, span))
    return Clause(clause.text, clause.start, kept)


def _excluded(clause: Clause, span: Span) -> bool:
    return bool(_EXCLUDING.search(clause.text[: span.start - clause.start]))


# -- data sets ------------------------------------------------------------------------------------


def _dataset_calls(
    clause: Clause, situation: Situation, classes: Sequence[Span], adding: bool
) -> Iterator[Call]:
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
        if not adding and not _LOADING.search(clause.text) and (others := situation.loaded - named - dropped):
            yield Call("db_unload", {"names": sorted(others)})
        if named - situation.loaded:
            yield Call("db_load", {"names": sorted(named)})
    elif dropped and not situation.loaded:
        yield Call("db_load", {"names": sorted(set(situation.datasets) - dropped)})
    elif wanted := _datasets_needed(clause, situation, classes):
        yield Call("db_load", {"names": sorted(wanted)})


def _datasets_needed(clause: Clause, situation: Situation, classes: Sequence[Span]) -> set[str]:
    """What must be loaded for a clause that names no data set: nothing, when what is loaded can hold it."""
    if _ALL_DATASETS.search(clause.text):
        return set(situation.datasets) - situation.loaded
    if clause.of("event") and _OF_EVENTS in situation.datasets:
        return {_OF_EVENTS} - situation.loaded
    holding = datasets_with(classes, situation)
    if classes and holding:
        return set() if situation.loaded & holding else holding
    if situation.loaded:
        return set()
    return _datasets_of_attributes(clause, situation) or set(whole_catalogue(clause, situation))


def _datasets_of_attributes(clause: Clause, situation: Situation) -> set[str]:
    wanted: set[str] = set()
    for span in clause.of("attribute"):
        field, value = span.value.field, span.value.value
        for info in situation.datasets.values():
            if (
                (field == "sensor" and str(value) in info.sensors)
                or (field == "modality" and str(value) in info.modalities)
                or field in {key for key, _ in info.properties}
            ):
                wanted.add(info.name)
    return wanted


# -- places ---------------------------------------------------------------------------------------


_PLACE_PARTS = {"place", "country", "bbox", "center", "radius_km", "geometry"}


_NEGATIVE = re.compile(
    r"\b(?:within|around|radius(?: of)?|radius:) (-\s?\d[\d.]* ?(?:km|m|mi|miles?|kilomet\w+|met\w+))\b"
)
_THERE = re.compile(
    r"(?<!is )(?<!are )(?<!was )(?<!were )\b(?:there|here)\b\s*(?:$|[,.;!?]|(?:in|from|since|during|before|after|too|with)\b)|\bvisible\b",
    re.I,
)
_WITHIN = re.compile(r"\b(?:within|radius|around it)\b", re.I)


def _place_looked_at(situation: Situation) -> str | None:
    """The place the map was just moved to, when nothing is drawn and nothing filtered by a place."""
    if situation.drawings or situation.filters.keys() & _PLACE_PARTS:
        return None
    return situation.focus or _last_focus(situation)


def _several_countries(clause: Clause, situation: Situation) -> list[str] | None:
    """The codes of the countries a clause names together, or adds to those there are; None for any other places."""
    meant = without_excluded_places(clause)
    spans = meant.of("place")
    if not spans or meant.of("point", "bbox", "distance") or reaches_beyond(meant):
        return None
    places = [resolved(span, situation) for span in spans]
    if _ADDING.search(clause.text) and not clause.of("class", "dataset", "event"):
        own = [place.country for place in places if place.kind == "country" and place.country]
        before = countries_there(situation)
        return sorted({*before, *own}) if before and len(own) == len(places) else None
    return countries_of(places) or None


def _place(clause: Clause, situation: Situation) -> dict[str, Any] | None:
    meant = without_excluded_places(clause)
    if wrong := _NEGATIVE.search(clause.text):
        question = f"'{wrong[1]}' is no distance: it is at least 0. How far around do you mean?"
        raise Ask(question, ["5 km", "40 km", "100 km"], about=wrong[1])
    if (earlier := _earlier_place(meant, situation)) is not None:
        return earlier
    if meant.of("place", "point", "bbox"):
        found = place_arguments(meant, situation)
        alone = _ADDING.search(clause.text) and not clause.of("class", "dataset", "event")
        return joined_to_the_place_there(found, situation) if alone else found
    if (changed := _changed_radius(clause, situation)) is not None:
        return changed
    if (
        re.search(r"\bbetween (?:them|those|these|the two|both)\b", clause.text, re.I)
        and len(situation.points) > 1
    ):
        lons, lats = zip(*situation.points, strict=True)
        return {"bbox": [min(lons), min(lats), max(lons), max(lats)]}
    if (focus := _place_looked_at(situation)) is not None:
        if clause.of(*NARROWING) and _THERE.search(clause.text):
            return {"place": focus}
        if (radius := radius_km(clause)) is not None and _WITHIN.search(clause.text):
            return {"place": focus, "radius_km": radius}
    if _VIEW.search(clause.text):
        return {"bbox": view_bbox(situation.state["map"])}
    return _here(clause, situation)


_BACK_TO = re.compile(r"\b(?:back to|return to|again)\b", re.I)


def _earlier_place(clause: Clause, situation: Situation) -> dict[str, Any] | None:
    """ "Back to Gibraltar": the place of this conversation that has the name in its own, the last such one."""
    spans = clause.of("place", "point", "bbox")
    if (
        len(spans) != 1
        or spans[0].kind != "place"
        or clause.of("distance")
        or not _BACK_TO.search(clause.text)
    ):
        return None
    said = set(re.findall(r"\w+", spans[0].text.lower()))
    for turn in reversed(situation.past):
        for call in reversed(turn.calls):
            name = str(call.args.get("place", "")) if call.tool == "filter_coords" else ""
            if name and said <= set(re.findall(r"\w+", name.lower())):
                return dict(call.args)
    return None


def _here(clause: Clause, situation: Situation) -> dict[str, Any] | None:
    """The drawing that "in here" means; without one, the place the map was just moved to, or the view."""
    match = _HERE.search(clause.text)
    if match is None:
        return None
    if situation.drawings:
        forms = forms_said(match[0])
        of_it = [each for each in situation.drawings if form_of(each.get("geometry", {})) in forms]
        return {"drawing": (of_it or situation.drawings)[-1]["id"]}
    if re.search(r"\b(?:here|there)\b", match[0], re.I):
        if (focus := situation.focus or _last_focus(situation)) is not None:
            return {"place": focus}
        if not shows_a_place(situation.state["map"]):
            raise Ask("Which place or area do you mean? Name it, or draw it on the map.", (), about=match[0])
        return {"bbox": view_bbox(situation.state["map"])}
    if re.search(r"\b(?:it|one)\b", match[0], re.I):
        return None
    raise Ask(
        "Nothing is drawn on the map. Which area do you mean?", ("in the current view",), about=match[0]
    )


def _last_focus(situation: Situation) -> str | None:
    for turn in situation.past[-1:]:
        for call in reversed(turn.calls):
            if call.tool in ("zoom_map", "pan_map") and "place" in call.args:
                return str(call.args["place"])
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
