"""The answer of a turn, put together from what the calls came back with.

No number is made up here: every sentence is an observation, or quotes a value of one, and carries the
number of the call it came from.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from copilot.language.readable import names_of, readable
from copilot.planner.actions.comparing import SIDES
from copilot.planner.answer_first import Done, counted_by_sql, direct_answer, reference, spelt_out
from copilot.planner.modality import LOOK
from copilot.planner.period import written
from copilot.planner.situation import KIND_OF_PLOT, Call

_SILENT = frozenset({"db_load", "db_unload", "filter_date", "filter_coords", "filter_class", "filter_lccclass",
                     "filter_attribute", "filter_clear", "zoom_map", "fit_bounds", "fit_selection", "fit_layer", "set_view"})  # fmt: skip
"""Calls whose observation adds nothing once the selection is summed up."""
_SELECTION = frozenset(
    {
        "db_load",
        "db_unload",
        "filter_date",
        "filter_coords",
        "filter_class",
        "filter_lccclass",
        "filter_attribute",
        "filter_clear",
    }
)
TALK = {
    "help": (
        "Ask in your own words for images to find and plot on the map, and objects of the "
        'catalogue: "show ships near Rotterdam from 2020", '
        '"only cloud-free ones", "how many per class?", "zoom to the Gulf of Aden", "draw a '
        'box around Lyon and count in here", '
        '"a bar chart per year", "export it as GeoJSON", "undo that". Attach an image and ask what it '
        'shows: "find the ships", "how many planes, and what types?", "what has changed?". I work offline.'
    ),
    "thanks": "You're welcome.",
    "smalltalk": "Hello. Tell me what you would like to see on the map, for example: show aircraft "
    "around Dubai in 2019.",
}


def compose(
    done: Sequence[Done],
    notes: Sequence[str],
    talk: str | None,
    state: dict[str, Any],
    sample: bool,
    asked: str | None = None,
) -> str:
    """The answer: what was asked first, what is selected and shown, what failed, and what was not understood."""
    names = names_of(state)
    sentences = [*direct_answer(done, asked, names), *_what_is_selected(done, state, sample, asked)]
    summed_up, looked = bool(sentences), list[str]()
    selecting = [each.call.tool for each in done if each.ok and each.call.tool in _SELECTION]
    if selecting and set(selecting) == {"filter_clear"}:
        sentences = [_cleared(done), *sentences]
    for number, each in enumerate(done, 1):
        if not each.ok:
            if not (each.call.tool in KIND_OF_PLOT and _is_empty(state) and summed_up):
                sentences.append(readable(each.text.strip(), names))
        elif each.call.tool in KIND_OF_PLOT:
            sentences.append(f"On the map as {_kind_in_words(each.call.tool)} {reference(number)}.")
        elif asked == "share" and counted_by_sql(each) is not None:
            continue  # it is the whole of the share that was told first
        elif each.call.tool == "db_count" and summed_up:
            sentences.extend(_objects(each, number, names))
        elif each.call.tool == LOOK and number < len(done):
            # Only what the next call was chosen by: the reasons are in the trace.
            looked.append(_referenced(re.split(r"(?<=\.) (?=[A-Z])", each.text.strip())[0], number, names))
        elif not (each.call.tool in _SILENT and summed_up):
            sentences.append(_referenced(spelt_out(each), number, names))
        else:
            sentences += each.data.get("read_as", ())
    sentences += looked
    if talk is not None and not done:
        sentences.append(TALK[talk])
    sentences.extend(notes)
    return " ".join(dict.fromkeys(sentences)) or "Done."


def _cleared(done: Sequence[Done]) -> str:
    """What a turn that only clears has cleared: one field's filter, or every filter."""
    number, first = next((n, each) for n, each in enumerate(done, 1) if each.call.tool == "filter_clear")
    fields = first.call.args.get("fields")
    what = (
        f"The {listed(fields)} filter{'s are' if len(fields) > 1 else ' is'}" if fields else "All filters are"
    )
    return f"{what} cleared {reference(number)}."


def _what_is_selected(
    done: Sequence[Done], state: dict[str, Any], sample: bool, asked: str | None
) -> Iterator[str]:
    """How many images the turn ends with, or how many each place has when it went from place to place."""
    numbered = [(number, each) for number, each in enumerate(done, 1) if each.ok]
    compared = list(_compared(done))
    if compared:
        each_of_them = (f"{name}: {count:,} images {reference(number)}" for name, count, number in compared)
        yield _capital(", ".join(each_of_them)) + (" (sample data)." if sample else ".")
        yield _first_of(compared, fewest=asked == "fewest")
        return
    telling = [
        number for number, each in numbered if each.call.tool in _SELECTION or each.call.tool in KIND_OF_PLOT
    ]
    counted = [(number, each) for number, each in numbered if _counts_images(each)]
    for number, each in counted[:-1]:
        if each.data["count"] != counted[-1][1].data["count"]:
            yield f"At first {each.data['count']:,} images {reference(number)}."
    if telling or counted:
        yield _selection(state, max(telling + [number for number, _ in counted]), sample)
        # Of the last call that selected alone: what an earlier one said held before the next filter came.
        selected = [each for _, each in numbered if each.call.tool in _SELECTION]
        without = selected[-1].data.get("without") if selected else None
        if _is_empty(state) and without:
            ways = listed([f"without the {part} filter {count:,}" for part, count in without.items()])
            yield f"There would be {ways} {reference(max(telling))}."


_TWO = 2


def _first_of(compared: Sequence[tuple[str, int, int]], *, fewest: bool) -> str:
    """Which of the things compared has the most images, or the fewest where that was asked."""
    best = (min if fewest else max)(count for _, count, _ in compared)
    names = [name for name, count, _ in compared if count == best]
    if len(names) == len(compared):
        return "They have as many each." if len(names) > _TWO else "Both have as many."
    word = "fewest" if fewest else "most"
    word = word if len(compared) > _TWO else {"fewest": "fewer", "most": "more"}[word]
    the = "the " if word in ("most", "fewest") else ""
    return f"{_capital(listed(names))} {'has' if len(names) == 1 else 'have'} {the}{word}."


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _compared(done: Sequence[Done]) -> Iterator[tuple[str, int, int]]:
    """(name, images, number of the call) of each thing counted right after it was selected, when there are several."""
    found = []
    for number, (before, each) in enumerate(itertools.pairwise(done), 2):
        if (
            before.ok
            and each.ok
            and each.call.tool == "db_count"
            and (before.call.tool in ("filter_coords", "filter_date") or _of_a_side(before.call))
        ):
            found.append((_name_of(before.call), int(each.data.get("count", 0)), number))
    if len(found) > 1:
        yield from found


def _of_a_side(call: Call) -> bool:
    """Whether a call keeps the images from one side of a disaster, as their names tell."""
    return call.tool == "filter_attribute" and call.args.get("value") in list(SIDES)


def _name_of(call: Call) -> str:
    if _of_a_side(call):
        return SIDES[str(call.args["value"])]
    if call.tool == "filter_coords":
        return str(call.args.get("place", "the area"))
    return written(
        *(date.fromisoformat(call.args[key]) if key in call.args else None for key in ("start", "end"))
    )


def _counts_images(each: Done) -> bool:
    return each.call.tool == "db_count" and each.data.get("unit") == "images" and not each.data.get("by")


def _objects(each: Done, number: int, names: Mapping[str, str]) -> Iterator[str]:
    """What a count beside the summed up images adds: the objects in them, or the groups."""
    if each.data.get("by"):
        yield _referenced(each.text, number, names)
    elif each.data.get("unit") == "detections":
        yield f"They hold {each.data['count']:,} objects {reference(number)}."


def _is_empty(state: dict[str, Any]) -> bool:
    return bool(state["database"]["count"] == 0)


def _selection(state: dict[str, Any], number: int, sample: bool) -> str:
    database = state["database"]
    if not database["loaded"]:
        return "No data set is loaded now."
    count = database["count"]
    loaded = database["loaded"]
    sets = listed(loaded) if len(loaded) < 6 else f"{len(loaded)} data sets"
    parts = ", ".join([sets, *describe_filters(database["filters"])])
    origin = " (sample data)" if sample else ""
    if count == 0:
        return f"No images match {reference(number)}{origin}: {parts}."
    return f"{count:,} {'image' if count == 1 else 'images'} {reference(number)}{origin}: {parts}."


def listed(words: Sequence[str], joint: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def describe_filters(filters: dict[str, Any]) -> list[str]:
    """The filters in words, one part each."""
    parts = []
    if "place" in filters:
        radius = f" ({filters['radius_km']:g} km)" if "radius_km" in filters else ""
        parts.append(f"{filters['place']}{radius}")
    elif "center" in filters:
        parts.append(
            f"within {filters['radius_km']:g} km of {filters['center'][1]:g}, {filters['center'][0]:g}"
        )
    elif "geometry" in filters:
        parts.append("inside the area")
    elif "bbox" in filters:
        parts.append("in the box " + ", ".join(f"{value:g}" for value in filters["bbox"]))
    if "start" in filters or "end" in filters:
        parts.append(
            written(
                *(date.fromisoformat(filters[key]) if key in filters else None for key in ("start", "end"))
            )
        )
    if filters.get("classes"):
        names = [name.replace("_", " ") for name in filters["classes"]]
        parts.append("with " + listed(names, "and" if filters.get("match") == "all" else "or"))
    for each in filters.get("attributes", []):
        value = each["value"]
        shown = (
            " or ".join(map(str, value))
            if isinstance(value, list)
            else f"{value:g}"
            if isinstance(value, float)
            else value
        )
        parts.append(f"{each['field']} {each['op']} {shown}")
    return parts


def _kind_in_words(tool: str) -> str:
    return {
        "heatmap": "a heat map",
        "density": "a density map",
        "choropleth": "a choropleth map",
        "timeline": "a time slider",
    }.get(KIND_OF_PLOT[tool], KIND_OF_PLOT[tool])


def _referenced(text: str, number: int, names: Mapping[str, str]) -> str:
    """An observation with its call's number before the full stop, without ids that only the trace needs."""
    plain = re.sub(r"\.\.+$", ".", readable(text.strip(), names))
    return (
        f"{plain[:-1]} {reference(number)}{plain[-1]}"
        if plain[-1:] in ".!?"
        else f"{plain} {reference(number)}"
    )
