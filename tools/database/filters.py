"""Narrow the selection by classes, and drop filters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from data.vocabulary.words import spelled
from state.model import Filters, State
from tools.base import Step, ToolError, World, tool
from tools.class_words import ClassWords, canonical_words, missing_from
from tools.database.attributes import field_named
from tools.phrases import listed
from tools.selection import NO_PLACE, narrowed
from tools.units import Words

Match = Annotated[
    Literal["any", "all"], Field(description="any: images with at least one of them; all: with each.")
]

_DATE_WORDS = ("date", "dates", "start", "end", "time")
_PLACE_WORDS = ("coords", "place", "location", "area", "bbox", "center", "radius_km", "geometry", "country")
_CLASS_WORDS = ("class", "classes", "match")
_SCENE_WORDS = ("lccclass", "scene", "land cover", "landcover")
_ATTRIBUTE_WORDS = ("attribute", "attributes")


@tool("database", changes_state=True)
def filter_class(
    state: State,
    world: World,
    *,
    classes: Annotated[Words, Field(description="Object classes or group words, such as Bus or vehicles.")],
    match: Match = "any",
) -> Step:
    """Keep images that hold these object classes, replacing earlier ones; words such as vehicles do.

    Example: copilot call filter_class classes=vehicles

    Asked as: only images with airplanes | scenes that hold ships | with both cars and trucks | where there
    are storage tanks | containing vehicles | images of buses | keep those with helicopters | what about boats
    """
    known = ClassWords.of(world)
    names = canonical_words(classes, known, match)
    scenes = [name for name in names if known.is_scene(name)]
    if scenes:
        verb = "labels" if len(scenes) == 1 else "label"
        raise ToolError(
            f"{_quoted(scenes)} {verb} whole scenes, not objects in them; filter_lccclass keeps those."
        )
    kept = {each for each in state.database.filters.classes if known.is_scene(each)}
    said = f"Object classes: {listed(names)}{' (all of them)' if match == 'all' and len(names) > 1 else ''}."
    said += missing_from(state.database.loaded, names, known)
    return narrowed(state, world, said, classes=tuple(sorted({*kept, *names})), match=match)


@tool("database", changes_state=True)
def filter_lccclass(
    state: State,
    world: World,
    *,
    classes: Annotated[
        Words, Field(description="Land-cover or land-use classes, such as airport or Vineyards.")
    ],
    match: Match = "any",
) -> Step:
    """Keep land-cover or land-use scenes of these classes, replacing earlier ones.

    Where object classes are kept too, whether any or all must be there is what filter_class said.

    Example: copilot call filter_lccclass classes=golf_course

    Asked as: only airports | stadium scenes | forest and pasture | land cover class water bodies | golf
    courses | scenes of crop fields | images of solar farms | land use industrial | military facilities
    """
    known = ClassWords.of(world)
    names: dict[str, None] = {}
    for name in canonical_words(classes, known, match):
        found = (name,) if known.is_scene(name) else known.scene_names(name)
        if not found:
            raise ToolError(f"{name!r} is a class of objects, not of whole scenes; filter_class keeps those.")
        if match == "all" and len(found) > 1:
            raise ToolError(
                f"{name!r} means {listed(found)}; with match=all, name the one that must be there."
            )
        names.update(dict.fromkeys(found))
    filters = state.database.filters
    kept = {each for each in filters.classes if not known.is_scene(each)}
    # One `match` holds for all classes: that of the objects, so that the two filters' order does not matter.
    holds = (filters.match or match) if kept else match
    said = f"Scene classes: {listed(names)}{' (all of them)' if holds == 'all' and len(names) > 1 else ''}."
    if holds != match:
        said += f" As for the object classes, {holds} of them {'counts' if holds == 'any' else 'count'}."
    said += missing_from(state.database.loaded, tuple(names), known)
    return narrowed(state, world, said, classes=tuple(sorted({*kept, *names})), match=holds)


@tool("database", changes_state=True)
def filter_clear(
    state: State,
    world: World,
    *,
    fields: Annotated[
        Words | None,
        Field(description="date, place, class, lccclass, attribute, a field or a class's name; or all."),
    ] = None,
) -> Step:
    """Drop some of the filters, or all of them; what is loaded stays.

    Example: copilot call filter_clear fields=date

    Asked as: drop the date filter | clear all filters | forget the place | show everything again | no more
    restrictions | remove the cloud condition | any year is fine | start over with the selection
    """
    filters = state.database.filters
    cleared = Filters()
    if "all" in (each.strip().casefold() for each in fields or ()):
        fields = None
    if fields is not None:
        cleared = filters
        for word in fields:
            cleared = _without(cleared, word, world, filters)
    if cleared == filters:
        said = (
            "There was no filter to drop."
            if fields is None
            else f"There was no {listed(fields)} filter to drop."
        )
    else:
        said = (
            "All filters are dropped."
            if cleared == Filters()
            else f"Dropped the {listed(fields or [])} filter."
        )
    return narrowed(state, world, said, **vars(cleared))


def _without(filters: Filters, word: str, world: World, before: Filters) -> Filters:
    """The filters without one part. Raises ToolError for a word that names none."""
    field = word.strip().lower()
    if field in _DATE_WORDS:
        start = filters.start if field == "end" else None
        return replace(filters, start=start, end=filters.end if field == "start" else None)
    if field in _PLACE_WORDS and not (field == "country" and _holds(before, field)):
        others = tuple(each for each in filters.attributes if each.field != field)
        return replace(filters, **NO_PLACE, attributes=others)
    if field in _CLASS_WORDS:
        return _with_classes(filters, ())
    if field in _SCENE_WORDS:
        known = ClassWords.of(world)
        return _with_classes(filters, [each for each in filters.classes if not known.is_scene(each)])
    if field in _ATTRIBUTE_WORDS:
        return replace(filters, attributes=())
    return _without_named(filters, word, before)


def _without_named(filters: Filters, word: str, before: Filters) -> Filters:
    """The filters without the class or the attribute of that name."""
    if spelled(word) in {spelled(each) for each in before.classes}:
        return _with_classes(filters, [each for each in filters.classes if spelled(each) != spelled(word)])
    name = field_named(word)
    if _holds(before, name):
        return replace(filters, attributes=tuple(each for each in filters.attributes if each.field != name))
    there = [*before.classes, *dict.fromkeys(each.field for each in before.attributes)]
    parts = "date, place, class, lccclass, attribute"
    raise ToolError(
        f"There is no filter {word!r}; the parts are {parts}{' and ' + listed(there) if there else ''}."
    )


def _holds(filters: Filters, field: str) -> bool:
    return any(each.field == field for each in filters.attributes)


def _with_classes(filters: Filters, classes: Sequence[str]) -> Filters:
    """`match` is there as long as classes are."""
    changes: dict[str, Any] = {"classes": tuple(classes), "match": filters.match if classes else None}
    return replace(filters, **changes)


def _quoted(names: Sequence[str]) -> str:
    return listed([repr(each) for each in names])


TOOLS = (filter_class, filter_lccclass, filter_clear)
