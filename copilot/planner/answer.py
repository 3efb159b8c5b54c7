"""The answer of a turn, put together from what the calls came back with.

No number is made up here: every sentence is an observation, or quotes a value of one, and carries the
number of the call it came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from copilot.planner.period import written
from copilot.planner.situation import KIND_OF_PLOT, Call

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SILENT = frozenset({"db_load", "db_unload", "filter_date", "filter_coords", "filter_class", "filter_lccclass",
                     "filter_attribute", "filter_clear", "zoom_map", "fit_bounds", "fit_selection", "fit_layer", "set_view"})  # fmt: skip
"""Calls whose observation adds nothing once the selection is summed up."""
_SELECTION = frozenset({"db_load", "db_unload", "filter_date", "filter_coords", "filter_class", "filter_lccclass", "filter_attribute", "filter_clear"})
TALK = {
    "help": (
        "Ask in your own words for images to find and plot on the map, and objects of the catalogue: \"show ships near Rotterdam from 2020\", "
        '"only cloud-free ones", "how many per class?", "zoom to the Gulf of Aden", "draw a box around Lyon and count in here", '
        '"a bar chart per year", "export it as GeoJSON", "undo that". I work offline; I do not analyse pixels yet.'
    ),
    "smalltalk": "Hello. Tell me what you would like to see on the map, for example: show aircraft around Dubai in 2019.",
}


@dataclass(frozen=True)
class Done:
    """A call of this turn with its result."""

    call: Call
    ok: bool
    text: str
    data: dict[str, Any] = field(default_factory=dict)


def reference(number: int) -> str:
    """The mark behind a number that names the call it came from: ⁽³⁾."""
    return f"⁽{str(number).translate(_SUPERSCRIPTS)}⁾"


def compose(done: Sequence[Done], notes: Sequence[str], talk: str | None, state: dict[str, Any], sample: bool) -> str:
    """The answer: what is selected and shown, what was found out, what failed, and what was not understood."""
    sentences: list[str] = []
    selecting = [number for number, each in enumerate(done, 1) if each.ok and each.call.tool in _SELECTION]
    plotted = [number for number, each in enumerate(done, 1) if each.ok and each.call.tool in KIND_OF_PLOT]
    if selecting or plotted:
        sentences.append(_selection(state, max(selecting + plotted), sample))
    for number, each in enumerate(done, 1):
        if not each.ok:
            sentences.append(_plain(each.text))
        elif each.call.tool in KIND_OF_PLOT:
            sentences.append(f"On the map as {_kind_in_words(each.call.tool)} {reference(number)}.")
        elif not (each.call.tool in _SILENT and (selecting or plotted)):
            sentences.append(_referenced(each.text, number))
    if talk is not None:
        sentences.append(TALK[talk])
    sentences.extend(notes)
    return " ".join(sentences) or "Done."


def _selection(state: dict[str, Any], number: int, sample: bool) -> str:
    database = state["database"]
    if not database["loaded"]:
        return "No data set is loaded now."
    count = database["count"]
    noun = "image" if count == 1 else "images"
    parts = ", ".join([" and ".join(database["loaded"]), *describe_filters(database["filters"])])
    origin = " (sample data)" if sample else ""
    return f"{count:,} {noun} {reference(number)}{origin}: {parts}."


def describe_filters(filters: dict[str, Any]) -> list[str]:
    """The filters in words, one part each."""
    parts = []
    if "place" in filters:
        radius = f" ({filters['radius_km']:g} km)" if "radius_km" in filters else ""
        parts.append(f"{filters['place']}{radius}")
    elif "center" in filters:
        parts.append(f"within {filters['radius_km']:g} km of {filters['center'][1]:g}, {filters['center'][0]:g}")
    elif "geometry" in filters:
        parts.append("inside the area")
    elif "bbox" in filters:
        parts.append("in the box " + ", ".join(f"{value:g}" for value in filters["bbox"]))
    if "start" in filters or "end" in filters:
        parts.append(written(*(date.fromisoformat(filters[key]) if key in filters else None for key in ("start", "end"))))
    if filters.get("classes"):
        joint = " and " if filters.get("match") == "all" else " or "
        parts.append("with " + joint.join(filters["classes"]))
    for each in filters.get("attributes", []):
        value = each["value"]
        shown = " or ".join(map(str, value)) if isinstance(value, list) else f"{value:g}" if isinstance(value, float) else value
        parts.append(f"{each['field']} {each['op']} {shown}")
    return parts


def _kind_in_words(tool: str) -> str:
    return {"heatmap": "a heat map", "density": "a density map", "choropleth": "a choropleth map", "timeline": "a time slider"}.get(
        KIND_OF_PLOT[tool], KIND_OF_PLOT[tool]
    )


def _referenced(text: str, number: int) -> str:
    """An observation with its call's number before the full stop."""
    plain = _plain(text)
    return f"{plain[:-1]} {reference(number)}{plain[-1]}" if plain[-1:] in ".!?" else f"{plain} {reference(number)}"


def _plain(text: str) -> str:
    return text.strip()
