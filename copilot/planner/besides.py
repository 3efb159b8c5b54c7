"""What a request wants beside the main want of each of its parts, so that no phrase that names something is dropped.

"Clusters of airports in Japan on a dark base, with a graticule, fitted to the selection" is one part that
plots; the base map, the graticule and the camera are said in passing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from copilot.planner.clauses import Clause
from copilot.planner.situation import KIND_OF_PLOT, Call
from copilot.planner.spans import Span

_SILENT = frozenset(
    {"help", "smalltalk", "reject", "keep", "undo", "redo", "goto_turn", "notify", "save_session", "record_feedback", "db_sql"}
)  # fmt: skip
"""Wants whose words are a text, or tell of what is there: nothing is wanted besides."""
_FIT = re.compile(
    r"\b(?:fit|fits|fitted|fitting|frame|framed|framing|zoom(?:ed|ing)?(?: in)? (?:to|on|so that)|cent(?:er|re)d? on|extent (?:of|set)|view (?:on|of|to))"
    r"\b(?:\W+\w+){0,5}?\W+(?:selection|selected|results?|them|all|everything|it all|whole lot|hits|matches)\b"
    r"|\b(?:whole|entire|full) selection (?:fits|in (?:view|frame)|visible)\b|\bselection (?:framed|fitted|in view)\b",
    re.I,
)
_BASE = re.compile(
    r"\b(dark|black|night|light|white|bright|satellite|aerial|topo(?:graphic(?:al)?)?|street|osm|offline|plain)\b(?:[- ](?:\w+ )?)"
    r"(?:base|basemap|base ?map|base-map|background|backdrop|underlay|base layer)\b"
    r"|\b(?:base|basemap|base ?map|base-map|background|backdrop)\b(?:\W+(?:map|set|is|to|in|of|as|changed|switched|should|be))*\W+"
    r"(dark|black|night|light|white|bright|satellite|aerial|topo(?:graphic(?:al)?)?|streets?|osm|openstreetmap|offline|plain)\b",
    re.I,
)
_NAME_OF_BASE = {
    "dark": "dark", "black": "dark", "night": "dark", "light": "light", "white": "light", "bright": "light", "satellite": "satellite",
    "aerial": "satellite", "topo": "topo", "topographic": "topo", "topographical": "topo", "street": "osm", "streets": "osm",
    "osm": "osm", "openstreetmap": "osm", "offline": "offline", "plain": "offline",
}  # fmt: skip
_BOUNDARY = re.compile(r"[,;:.!?()/]|\s[-–—]\s|\b(?:and|with|then|but|plus|under|over|on)\b", re.I)
_OFF = re.compile(
    r"\b(?:off|hide|hidden|remove[ds]?|without|no|close|drop|away|disable[ds]?|gone|get rid)\b", re.I
)
_LEVEL = re.compile(r"\b(?:zoom|level)\b", re.I)


def besides(found: Sequence[Clause], labels: Sequence[str | None], planned: Sequence[Call]) -> Iterator[Call]:
    """The calls that the parts of a request ask for in passing and that are not planned yet."""
    tools = {call.tool for call in planned}
    controls = {call.args.get("control") for call in planned if call.tool == "toggle_control"}
    wanted = [(clause, label) for clause, label in zip(found, labels, strict=True) if label not in _SILENT]
    for clause, label in wanted:
        if "set_basemap" not in tools and label != "set_basemap" and (base := _base(clause)) is not None:
            yield Call("set_basemap", {"name": base})
            tools.add("set_basemap")
        for span in clause.of("control") if label != "toggle_control" else ():
            if span.value not in controls and not _is_part_of_a_plot(span, clause):
                yield Call(
                    "toggle_control", {"control": span.value, "on": not _OFF.search(_around(clause, span))}
                )
                controls.add(span.value)
    for clause, label in wanted:
        if _FIT.search(clause.text) and not tools & {"fit_selection", "fit_layer"} and label != "zoom_map":
            yield Call("fit_selection")
            tools.add("fit_selection")
        level = clause.first("zoom")
        if (
            level is not None
            and label in KIND_OF_PLOT
            and level.value.kind == "zoom_level"
            and not level.value.error
        ):
            yield Call("zoom_map", {"level": int(level.value.value)})


def _base(clause: Clause) -> str | None:
    match = _BASE.search(clause.text)
    return None if match is None else _NAME_OF_BASE[(match[1] or match[2]).lower()]


def _around(clause: Clause, span: Span) -> str:
    """The words that go with a phrase: from the joint before it to the one after it."""
    start, end = span.start - clause.start, span.end - clause.start
    before = [each.end() for each in _BOUNDARY.finditer(clause.text[:start])]
    after = _BOUNDARY.search(clause.text, end)
    return clause.text[before[-1] if before else 0 : after.start() if after else len(clause.text)]


def _is_part_of_a_plot(span: Span, clause: Clause) -> bool:
    """ "On a grid", "at scale": words of how to plot."""
    return span.text.lower() == "scale" or bool(
        re.match(r"\W*(?:of|to|by)\b", clause.text[span.end - clause.start :])
    )
