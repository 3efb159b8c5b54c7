"""Moving the map's camera and changing what lies under it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from copilot.planner.actions.references import layer_meant
from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.places import resolved
from copilot.planner.situation import Call, Situation

_IN = re.compile(r"\b(?:in|closer|nearer|magnify|enlarge)\b", re.I)
_OUT = re.compile(r"\b(?:out|back|further|farther|away)\b", re.I)
_TWICE = re.compile(r"\b(?:twice|two (?:levels|steps|times)|a lot|much|way)\b", re.I)
_OFF = re.compile(r"\b(?:off|hide|remove|disable|without|no|close|get rid|drop|delete|don't|lose)\b", re.I)
_A_LITTLE = re.compile(r"\b(?:a (?:little|bit|touch)|slightly|somewhat)\b", re.I)
_A_LOT = re.compile(r"\b(?:a lot|far|much|a long way|whole screen|full screen)\b", re.I)


_CLOSE = 11
"""The zoom that shows what is at a point."""


def zoom(clause: Clause, situation: Situation) -> Iterator[Call]:
    """To a place, a box or a point; to a level; or some steps in or out."""
    target = _target(clause, situation)
    level = clause.first("zoom")
    if level is not None and level.value.error:
        raise Ask(f"{level.value.error} Which level do you mean?", ("5", "10", "15"), about=level.text)
    if level is not None and level.value.kind == "zoom_level":
        if target is not None and target.tool == "set_view":
            yield Call("set_view", target.args | {"zoom": int(level.value.value)})
            return
        if target is not None:
            yield target
        yield Call("zoom_map", {"level": int(level.value.value)})
    elif target is not None:
        yield target
    elif level is not None:
        yield Call("zoom_map", {"delta": int(level.value.value)})
    elif (layer := clause.first("layer")) is not None:
        yield Call("fit_layer", {"layer": layer.value})
    elif (number := clause.first("count")) is not None and re.search(
        r"\b(?:to|level|at)\b", clause.text, re.I
    ):
        yield Call("zoom_map", {"level": int(number.value.value)})
    elif re.search(
        r"\b(?:to|on) (?:it|that|this|that one|this one|the (?:selected )?image)\b", clause.text, re.I
    ) and (situation.shown or situation.selected):
        yield Call("show_image", situation.shown or {"image": situation.selected})
    else:
        yield from _steps(clause, situation)


def _target(clause: Clause, situation: Situation) -> Call | None:
    if (box := clause.first("bbox")) is not None and not box.value.error:
        return Call("fit_bounds", {"bbox": list(box.value.bbox)})
    if (point := clause.first("point")) is not None:
        if point.value.error:
            raise Ask(f"{point.value.error} Which point do you mean?", (), about=point.text)
        close = {} if situation.state["map"]["zoom"] >= _CLOSE else {"zoom": _CLOSE}
        return Call("set_view", {"lon": point.value.lon, "lat": point.value.lat} | close)
    if (place := clause.first("place")) is not None:
        return Call("zoom_map", {"place": resolved(place, situation).label})
    return None


def _steps(clause: Clause, situation: Situation) -> Iterator[Call]:
    number = clause.first("count")
    steps = (
        int(number.value.value)
        if number is not None and 1 <= number.value.value <= 20
        else 2
        if _TWICE.search(clause.text)
        else 1
    )
    if _OUT.search(clause.text) and not re.search(r"\bzoom in\b|\bcloser\b", clause.text, re.I):
        yield Call("zoom_map", {"delta": -steps})
    elif _IN.search(clause.text) or re.fullmatch(r"\W*zoom\W*", clause.text, re.I):
        yield Call("zoom_map", {"delta": steps})
    elif situation.loaded:
        yield Call("fit_selection")
    else:
        raise Ask("Where should I zoom to?", ("zoom in", "zoom out", "the whole world"))


def pan(clause: Clause, situation: Situation) -> Iterator[Call]:
    """In a direction, or to a place at the same zoom."""
    if (place := clause.first("place")) is not None:
        yield Call("pan_map", {"place": resolved(place, situation).label})
        return
    direction = clause.first("direction")
    if direction is None:
        raise Ask("In which direction?", ("north", "east", "south", "west"))
    fraction = (
        {"fraction": 0.2}
        if _A_LITTLE.search(clause.text)
        else {"fraction": 0.9}
        if _A_LOT.search(clause.text)
        else {}
    )
    yield Call("pan_map", {"direction": direction.value} | fraction)


def fit_selection(clause: Clause, situation: Situation) -> Iterator[Call]:
    """To everything that is selected."""
    if clause.of("place", "bbox", "point"):
        yield from zoom(clause, situation)
    else:
        yield Call("fit_selection")


def fit_layer(clause: Clause, situation: Situation) -> Iterator[Call]:
    """To one layer."""
    yield Call("fit_layer", {"layer": layer_meant(clause, situation)})


def reset(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The whole world."""
    yield Call("reset_map")


_BASEMAP_WORDS = {
    **dict.fromkeys(("black", "dark", "darker", "night"), "dark"),
    **dict.fromkeys(("white", "light", "lighter", "bright"), "light"),
    "street": "osm", "topo": "topo", "plain": "offline",
}  # fmt: skip


def basemap(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Another base map."""
    chosen = clause.first("basemap")
    word = re.search(
        r"\b(black|dark|darker|night|white|light|lighter|bright|street|topo|plain)\b", clause.text, re.I
    )
    if chosen is None and word is not None:
        yield Call("set_basemap", {"name": _BASEMAP_WORDS[word[1].lower()]})
        return
    if chosen is None:
        raise Ask("Which base map?", ("offline", "dark", "light", "osm", "satellite", "topo"))
    yield Call("set_basemap", {"name": chosen.value})


def control(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A map control on or off."""
    chosen = clause.of("control")
    if not chosen and re.search(r"\bgrid\b", clause.text, re.I):
        toggled = {} if re.search(r"\btoggle\b", clause.text, re.I) else {"on": not _OFF.search(clause.text)}
        yield Call("toggle_control", {"control": "graticule"} | toggled)
        return
    switches = ("toggle_control", "hide_layer", "show_layer")
    last = next((call for call in reversed(situation.last_calls()) if call.tool in switches), None)
    if not chosen and last is not None:
        on = not re.search(r"\boff\b", clause.text, re.I)
        if last.tool != "toggle_control":
            yield Call("show_layer" if on else "hide_layer", {"layer": last.args["layer"]})
            return
        yield Call("toggle_control", {"control": last.args["control"], "on": on})
        return
    if not chosen:
        raise Ask("Which map control?", ("legend", "scale bar", "graticule", "minimap"))
    for span in chosen:
        yield Call("toggle_control", {"control": span.value} | _switch(clause, span.start, span.end))


def _switch(clause: Clause, start: int, end: int) -> dict[str, bool]:
    around = clause.text[: start - clause.start] + " " + clause.text[end - clause.start :]
    if re.search(r"\btoggle\b", around, re.I) and not re.search(r"\b(?:on|off)\b", around, re.I):
        return {}
    if _OFF.search(around):
        return {"on": False}
    return {"on": True}


ACTIONS = {
    "zoom_map": zoom,
    "pan_map": pan,
    "fit_selection": fit_selection,
    "fit_layer": fit_layer,
    "reset_map": reset,
    "set_basemap": basemap,
    "toggle_control": control,
}
