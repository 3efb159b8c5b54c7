"""What must hold after a request, as data, and the judge of it.

A request is one line of a `.jsonl` file: `{"id", "turns": [...], "expect": {...}, "setup"?: [...]}`.
`expect` maps the operators below to what they want; all must hold after the last turn. Without
"outcome", "done" is expected. Names and words are compared folded (case, accents, plural s, hyphens
and underscores do not matter), and "a|b" in a wanted word means that either will do. Operators that
look at calls see the last turn's only, and of those the ones that worked.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from tests.requests.matching import alternatives, distance_km, fold, inside, paired, same, width_deg
from tests.requests.run import Json, Run, part

Operator = Callable[["Run", Any], str | None]

PLOT_KINDS = "points|clusters|heatmap|density|footprints|detections|choropleth|timeline|labels"


def check(expect: Json, run: Run) -> list[str]:
    """What does not hold, a sentence each; empty if nothing. Raises KeyError on an unknown operator."""
    wanted = {"outcome": "done", **expect}
    found = [OPERATORS[name](run, value) for name, value in wanted.items()]
    return [sentence for sentence in found if sentence is not None]


def unless(held: bool, sentence: str) -> str | None:
    """The sentence when something did not hold."""
    return None if held else sentence


# The operators: (run, wanted) -> what is wrong, or None.


def outcome(run: Run, wanted: str) -> str | None:
    """The turn ended so ("done", "asked", "rejected", "failed"; "asked|done" takes either)."""
    got = run.last["outcome"]
    return unless(got in wanted.split("|"), f"outcome is {got}, not {wanted}")


def loaded(run: Run, wanted: list[str]) -> str | None:
    """Exactly these data sets are loaded."""
    got = part(run.last["state"], "database").get("loaded") or []
    return unless(sorted(wanted) == sorted(got), f"loaded are {got}, not {wanted}")


def loaded_includes(run: Run, wanted: list[str]) -> str | None:
    """These data sets are loaded, others may be."""
    got = part(run.last["state"], "database").get("loaded") or []
    return unless(set(wanted) <= set(got), f"loaded are {got}, without all of {wanted}")


def _day(name: str) -> Operator:
    def day(run: Run, wanted: str | list[str] | None) -> str | None:
        got = run.filters.get(name)
        allowed = wanted if isinstance(wanted, list) else [wanted]
        return unless(got in allowed, f"{name} is {got}, not {wanted}")

    return day


def bbox_contains(run: Run, wanted: list[list[float]]) -> str | None:
    """The place filter's box holds these [lon, lat] points."""
    got = run.filters.get("bbox")
    if not got:
        return "there is no bbox"
    missed = [point for point in wanted if not inside(point, got)]
    return unless(not missed, f"bbox {got} does not hold {missed}")


def bbox_excludes(run: Run, wanted: list[list[float]]) -> str | None:
    """The place filter's box holds none of these [lon, lat] points."""
    got = run.filters.get("bbox")
    if not got:
        return "there is no bbox"
    held = [point for point in wanted if inside(point, got)]
    return unless(not held, f"bbox {got} holds {held}")


def bbox_near(run: Run, wanted: Json) -> str | None:
    """The box is {"bbox": [w, s, e, n]}, each side within "tol_deg"."""
    got = run.filters.get("bbox")
    if not got:
        return "there is no bbox"
    near = all(abs(a - b) <= wanted["tol_deg"] for a, b in zip(wanted["bbox"], got, strict=True))
    return unless(near, f"bbox is {got}, not near {wanted['bbox']}")


def bbox_max_size_deg(run: Run, wanted: float) -> str | None:
    """The box is no wider and no higher than this."""
    got = run.filters.get("bbox")
    if not got:
        return "there is no bbox"
    return unless(max(width_deg(got), got[3] - got[1]) <= wanted, f"bbox {got} is over {wanted} degrees")


def filter_near(run: Run, wanted: Json) -> str | None:
    """The middle of the place filter (its circle's, else its box's) lies within "km" of "at"."""
    box, at = run.filters.get("bbox"), run.filters.get("center")
    if at is None and box:
        at = [box[0] + width_deg(box) / 2, (box[1] + box[3]) / 2]
    if at is None:
        return "there is no place filter"
    return unless(
        distance_km(at, wanted["at"]) <= wanted["km"], f"the place filter is around {at}, not {wanted['at']}"
    )


def center_near(run: Run, wanted: Json) -> str | None:
    """The map's center lies within "km" of "at" [lon, lat]."""
    got = part(run.last["state"], "map").get("center")
    if not got:
        return "the map has no center"
    return unless(
        distance_km(got, wanted["at"]) <= wanted["km"], f"the map is at {got}, not near {wanted['at']}"
    )


def radius_km(run: Run, wanted: float) -> str | None:
    """The circle's radius, within two per cent."""
    got = run.filters.get("radius_km")
    held = got is not None and math.isclose(got, wanted, rel_tol=0.02)
    return unless(held, f"radius_km is {got}, not {wanted}")


def place_includes(run: Run, wanted: str) -> str | None:
    """The place's name has this in it."""
    got = str(run.filters.get("place") or "")
    return unless(
        any(word in fold(got) for word in alternatives(wanted)), f"place is {got!r}, without {wanted!r}"
    )


def classes(run: Run, wanted: list[str]) -> str | None:
    """Exactly these classes are filtered, in any order."""
    got = run.filters.get("classes") or []
    return unless(paired(wanted, got, same), f"classes are {got}, not {wanted}")


def classes_any_of(run: Run, wanted: list[list[str]]) -> str | None:
    """The classes are exactly one of these lists."""
    got = run.filters.get("classes") or []
    return unless(any(paired(one, got, same) for one in wanted), f"classes are {got}, none of {wanted}")


def classes_like(run: Run, wanted: str) -> str | None:
    """There are classes, and each has one of these words in its name."""
    got = run.filters.get("classes") or []
    held = bool(got) and all(any(word in fold(one) for word in alternatives(wanted)) for one in got)
    return unless(held, f"classes are {got}, not all like {wanted!r}")


def match(run: Run, wanted: str) -> str | None:
    """Whether any or all of the classes are asked for."""
    got = run.filters.get("match")
    return unless(got == wanted, f"match is {got}, not {wanted}")


def _same_attribute(wanted: Json, got: Json) -> bool:
    value = got.get("value")
    if got.get("op") == "in" and wanted["op"] == "=" and isinstance(value, list) and len(value) == 1:
        return same(wanted["field"], got.get("field")) and same(wanted["value"], value[0])
    op = {"==": "=", "eq": "="}.get(str(got.get("op")), got.get("op"))
    return (
        same(wanted["field"], got.get("field"))
        and op in wanted["op"].split("|")
        and same(wanted["value"], value)
    )


def attributes(run: Run, wanted: list[Json]) -> str | None:
    """Exactly these comparisons are filtered, in any order; "op" may be "<|<="."""
    got = run.filters.get("attributes") or []
    return unless(paired(wanted, got, _same_attribute), f"attributes are {got}, not {wanted}")


def attributes_like(run: Run, wanted: Mapping[str, str]) -> str | None:
    """For each field there is a comparison whose value has one of these words in it."""
    got = run.filters.get("attributes") or []
    for field, words in wanted.items():
        values = [fold(str(one["value"])) for one in got if same(field, one["field"])]
        if not any(word in value for word in alternatives(words) for value in values):
            return f"attributes are {got}, without {field} like {words!r}"
    return None


def filters_absent(run: Run, wanted: list[str]) -> str | None:
    """These filters are not set."""
    got = [name for name in wanted if run.filters.get(name) not in (None, [], ())]
    return unless(not got, f"filters {got} are set")


def filters_present(run: Run, wanted: list[str]) -> str | None:
    """These filters are set, to whatever."""
    got = [name for name in wanted if run.filters.get(name) in (None, [], ())]
    return unless(not got, f"filters {got} are not set")


def count(run: Run, wanted: int) -> str | None:
    """The selection has exactly so many rows."""
    got = part(run.last["state"], "database").get("count")
    return unless(got == wanted, f"count is {got}, not {wanted}")


def count_positive(run: Run, wanted: bool) -> str | None:
    """Whether the selection has rows."""
    got = part(run.last["state"], "database").get("count") or 0
    return unless((got > 0) is wanted, f"count is {got}")


def layer_kinds(run: Run, wanted: list[str]) -> str | None:
    """The map has layers of these kinds; "plot" is any kind that draws the selection."""
    got = [layer["kind"] for layer in run.layers]
    kinds = [PLOT_KINDS if kind == "plot" else kind for kind in wanted]
    missed = [kind for kind in kinds if not set(kind.split("|")) & set(got)]
    return unless(not missed, f"layers are {got}, without {missed}")


def layer_kinds_exclude(run: Run, wanted: list[str]) -> str | None:
    """The map has no layer of these kinds."""
    got = [layer["kind"] for layer in run.layers]
    return unless(not set(wanted) & set(got), f"layers are {got}, with some of {wanted}")


def layers(run: Run, wanted: int) -> str | None:
    """The map has so many layers."""
    return unless(len(run.layers) == wanted, f"the map has {len(run.layers)} layers, not {wanted}")


def _called(run: Run, wanted: str) -> list[Json]:
    words = alternatives(wanted)
    return [
        one
        for one in run.layers
        if fold(one["kind"]) in words or any(w in fold(str(one["name"])) for w in words)
    ]


def layer_names(run: Run, wanted: list[str]) -> str | None:
    """There are layers with these in their names."""
    got = [str(layer["name"]) for layer in run.layers]
    missed = [word for word in wanted if not any(fold(word) in fold(name) for name in got)]
    return unless(not missed, f"layers are called {got}, without {missed}")


def layer_visible(run: Run, wanted: Mapping[str, bool]) -> str | None:
    """The layers of this kind, or with this in the name, are visible or not."""
    for name, visible in wanted.items():
        found = _called(run, name)
        if not found or any(layer["visible"] is not visible for layer in found):
            return f"layer {name!r} is missing" if not found else f"layer {name!r} has not visible={visible}"
    return None


def layer_opacity(run: Run, wanted: Mapping[str, float]) -> str | None:
    """The layers of this kind, or with this in the name, have this opacity, 0 to 1."""
    for name, opacity in wanted.items():
        found = _called(run, name)
        if not found or not all(math.isclose(layer["opacity"], opacity, abs_tol=0.01) for layer in found):
            return f"layer {name!r} has not the opacity {opacity}"
    return None


def zoom(run: Run, wanted: int) -> str | None:
    """The map's zoom level."""
    got = part(run.last["state"], "map").get("zoom")
    return unless(got == wanted, f"zoom is {got}, not {wanted}")


def zoom_min(run: Run, wanted: int) -> str | None:
    """The map is zoomed in at least so far."""
    got = part(run.last["state"], "map").get("zoom", -1)
    return unless(got >= wanted, f"zoom is {got}, under {wanted}")


def zoom_delta(run: Run, wanted: int | str) -> str | None:
    """The last turn changed the zoom by so much; "in" and "out" take any step."""
    delta = part(run.last["state"], "map").get("zoom", 0) - part(run.before, "map").get("zoom", 0)
    held = delta > 0 if wanted == "in" else delta < 0 if wanted == "out" else delta == wanted
    return unless(held, f"zoom changed by {delta}, not {wanted}")


def moved(run: Run, wanted: str) -> str | None:
    """The last turn moved the map's center to the north, south, east or west."""
    (lon0, lat0), (lon1, lat1) = (
        part(state, "map").get("center", [0, 0]) for state in (run.before, run.last["state"])
    )
    held = {"north": lat1 > lat0, "south": lat1 < lat0, "east": lon1 > lon0, "west": lon1 < lon0}[wanted]
    return unless(held, f"the map went from {[lon0, lat0]} to {[lon1, lat1]}, not {wanted}")


def basemap_includes(run: Run, wanted: str) -> str | None:
    """The basemap's name has this in it."""
    got = str(part(run.last["state"], "map").get("basemap"))
    return unless(
        any(word in fold(got) for word in alternatives(wanted)), f"basemap is {got!r}, without {wanted!r}"
    )


def panels_include(run: Run, wanted: list[str]) -> str | None:
    """These panels are open."""
    got = part(run.last["state"], "ui").get("panels") or []
    missed = [word for word in wanted if not any(same(word, name) for name in got)]
    return unless(not missed, f"panels are {got}, without {missed}")


def panels_exclude(run: Run, wanted: list[str]) -> str | None:
    """These panels are closed."""
    got = part(run.last["state"], "ui").get("panels") or []
    held = [word for word in wanted if any(same(word, name) for name in got)]
    return unless(not held, f"panels are {got}, with {held}")


def tabs_include(run: Run, wanted: list[str]) -> str | None:
    """There are tabs whose address or title has this in it."""
    got = [
        f"{tab.get('url')} {tab.get('title')}".casefold()
        for tab in part(run.last["state"], "ui").get("tabs") or []
    ]
    missed = [word for word in wanted if not any(word.casefold() in tab for tab in got)]
    return unless(not missed, f"tabs are {got}, without {missed}")


def artifacts_kinds_include(run: Run, wanted: list[str]) -> str | None:
    """There are artifacts of these kinds."""
    got = [artifact["kind"] for artifact in run.last["state"].get("artifacts") or []]
    missed = [kind for kind in wanted if not any(same(kind, one) for one in got)]
    return unless(not missed, f"artifacts are {got}, without {missed}")


def tools_include(run: Run, wanted: list[str]) -> str | None:
    """These tools worked; "a|b" is either."""
    missed = [tool for tool in wanted if not set(tool.split("|")) & set(run.tools)]
    return unless(not missed, f"calls are {run.tools}, without {missed}")


def tools_exclude(run: Run, wanted: list[str]) -> str | None:
    """None of these tools was called, not even in vain."""
    called = [call["tool"] for call in run.last["calls"]]
    return unless(not set(wanted) & set(called), f"calls are {called}, with some of {wanted}")


def tools_any(run: Run, wanted: list[list[str]]) -> str | None:
    """All tools of one of these lists worked."""
    held = any(set(one) <= set(run.tools) for one in wanted)
    return unless(held, f"calls are {run.tools}, none of {wanted}")


def calls_include(run: Run, wanted: list[Json]) -> str | None:
    """These calls worked, with at least these arguments."""
    done = [call for call in run.last["calls"] if call.get("ok")]

    def fits(one: Json, call: Json) -> bool:
        args = call.get("args") or {}
        return call["tool"] in one["tool"].split("|") and all(
            same(v, args.get(k)) for k, v in one["args"].items()
        )

    missed = [one for one in wanted if not any(fits(one, call) for call in done)]
    return unless(not missed, f"calls are {[(c['tool'], c.get('args')) for c in done]}, without {missed}")


def reply_includes(run: Run, wanted: list[str]) -> str | None:
    """The reply has these in it, case aside; "a|b" is either."""
    got = run.last["reply"].casefold()
    missed = [text for text in wanted if not any(one.casefold() in got for one in text.split("|"))]
    return unless(not missed, f"the reply lacks {missed}")


def reply_matches_count(run: Run, wanted: bool) -> str | None:
    """The reply names the selection's count, with or without separators."""
    number = int(part(run.last["state"], "database").get("count") or 0)
    pattern = r"[,\s\u202f\u00a0']?".join(re.escape(group) for group in f"{number:,}".split(","))
    held = re.search(rf"(?<![\d,.]){pattern}(?![\d]|[,.]\d)", run.last["reply"]) is not None
    return unless(held is wanted, f"the reply does {'not ' if wanted else ''}name the count {number}")


def question_choices_min(run: Run, wanted: int) -> str | None:
    """The question offers at least so many choices."""
    got = (part(run.last["state"], "ui").get("question") or {}).get("choices") or []
    return unless(len(got) >= wanted, f"the question has {len(got)} choices")


def question_mentions(run: Run, wanted: list[str]) -> str | None:
    """The question or its choices have these in them; "a|b" is either."""
    question = part(run.last["state"], "ui").get("question") or {}
    got = " ".join([str(question.get("text", "")), *map(str, question.get("choices") or [])]).casefold()
    missed = [text for text in wanted if not any(one.casefold() in got for one in text.split("|"))]
    return unless(not missed, f"the question lacks {missed}")


def _selection_and_map(state: Json) -> Json:
    return {name: part(state, name) for name in ("database", "map")}


def state_equals_turn(run: Run, wanted: int) -> str | None:
    """Selection and map are as after that turn (0: before the first)."""
    held = _selection_and_map(run.last["state"]) == _selection_and_map(run.state_after(wanted))
    return unless(held, f"selection and map are not those after turn {wanted}")


def state_unchanged(run: Run, wanted: bool) -> str | None:
    """Whether the last turn left selection and map as they were."""
    held = _selection_and_map(run.last["state"]) == _selection_and_map(run.before)
    return unless(held is wanted, f"selection and map did {'' if wanted else 'not '}change")


def selection_unchanged(run: Run, wanted: bool) -> str | None:
    """Whether the last turn left the data sets and filters as they were."""
    held = part(run.last["state"], "database") == part(run.before, "database")
    return unless(held is wanted, f"the selection did {'' if wanted else 'not '}change")


def selected_image_set(run: Run, wanted: bool) -> str | None:
    """Whether an image is selected."""
    got = part(run.last["state"], "ui").get("selected_image")
    return unless((got is not None) is wanted, f"the selected image is {got}")


def selected_image_includes(run: Run, wanted: str) -> str | None:
    """The selected image's id has this in it."""
    got = part(run.last["state"], "ui").get("selected_image")
    return unless(wanted.casefold() in str(got).casefold(), f"the selected image is {got}, not {wanted}")


def any_of(run: Run, wanted: list[Json]) -> str | None:
    """One of these expectations holds, for requests with several right ends."""
    found = [check({"outcome": "done|asked|rejected", **one}, run) for one in wanted]
    return unless(any(not one for one in found), f"none holds: {found}")


_NAMED = (
    outcome,
    loaded,
    loaded_includes,
    bbox_contains,
    bbox_excludes,
    bbox_near,
    bbox_max_size_deg,
    filter_near,
    center_near,
    radius_km,
    place_includes,
    classes,
    classes_any_of,
    classes_like,
    match,
    attributes,
    attributes_like,
    filters_absent,
    filters_present,
    count,
    count_positive,
    layer_kinds,
    layer_kinds_exclude,
    layers,
    layer_names,
    layer_visible,
    layer_opacity,
    zoom,
    zoom_min,
    zoom_delta,
    moved,
    basemap_includes,
    panels_include,
    panels_exclude,
    tabs_include,
    artifacts_kinds_include,
    tools_include,
    tools_exclude,
    tools_any,
    calls_include,
    reply_includes,
    reply_matches_count,
    question_choices_min,
    question_mentions,
    state_equals_turn,
    state_unchanged,
    selection_unchanged,
    selected_image_set,
    selected_image_includes,
    any_of,
)
OPERATORS: Mapping[str, Operator] = {
    "start": _day("start"),
    "end": _day("end"),
    **{each.__name__: each for each in _NAMED},
}
