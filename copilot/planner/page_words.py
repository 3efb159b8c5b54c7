"""What short words mean for what is on the page: layers, panels, tabs, the picked image, what was just undone or hidden."""

from __future__ import annotations

import re

from copilot.planner.actions.grouping import GROUPINGS
from copilot.planner.clauses import Clause
from copilot.planner.rules import label_by_rule
from copilot.planner.selection import names_a_selection
from copilot.planner.situation import KIND_OF_PLOT, Situation


def kind_is_there(clause: Clause, situation: Situation) -> bool:
    """Whether a layer of a kind that the clause names is on the map."""
    kinds = {KIND_OF_PLOT.get(span.value) for span in clause.of("plot")}
    return any(layer["kind"] in kinds for layer in situation.layers)


_CHANGING = frozenset(
    {
        "undo",
        "redo",
        "goto_turn",
        "clear_layers",
        "filter_clear",
        "start_over",
        "remove_layer",
        "clear_drawings",
        "db_unload",
    }
)
QUESTION = re.compile(r"^\W*(?:what|why|how come|who|when|does|did|is|are)\b", re.I)
_LISTS_DATASETS = frozenset(
    f"{start}variable{end}"
    for start in ("what ", "which ", "list ", "list the ", "list all ", "list all the ", "show me the ", "show the ", "what are the ")
    for end in (" are there", " do you have", " do we have", " are available", " exist", "", " can i use", " have you got", " are in here")
)  # fmt: skip
_SUPERLATIVE = re.compile(
    r"\b(?:top|largest|biggest|smallest|highest|lowest|most|least|latest|first|best)\b", re.I
)
_BACK = re.compile(
    r"(?:(?:please|now|then|and|ok|no) )*(?:bring|put|get|turn|switch|have) (?:it |that |them |this )?(?:back|on)(?: again| on)?$"
)
_IT = re.compile(
    r"(?:(?:please|now|then|and|ok) )*(?P<verb>hide|remove|delete|drop|get rid of|show|"
    r"unhide|bring back) (?:it|that|them|this)(?: again| back| away)?$"
)


def about_what_is_there(label: str | None, masked: str, clause: Clause, situation: Situation) -> str | None:
    """What short words mean for what is on the page: layers, panels, tabs, the picked image; None where nothing of it fits."""
    if label in _CHANGING and QUESTION.search(clause.text):
        return "map_state"
    if label == "image_info" and label_by_rule(masked) == "show_image":
        return "show_image"
    if (
        label in ("distinct_values", "group_count")
        and masked in _LISTS_DATASETS
        and clause.of("field")[0].value == "dataset"
    ):
        return "db_list"
    by = [str(span.value) for span in clause.of("field")]
    if label == "group_count" and by and by[-1] not in GROUPINGS and _SUPERLATIVE.search(clause.text):
        return "top_n"
    if label in ("undo", "redo", "goto_turn"):
        if clause.of("basemap"):
            return "set_basemap"
        if (
            re.search(r"\b(?:previous|prev)\b(?! (?:step|turn|state|view))", clause.text, re.I)
            and situation.picked()
        ):
            return "show_image"
    if label in ("switch_tab", "open_tab", "close_tab") and clause.of("panel") and not clause.of("url"):
        return "close_panel" if label == "close_tab" else "open_panel"
    if re.fullmatch(r"show (?:me )?all (?:the |my )?layers(?: again)?", masked) and situation.layers:
        return "show_layer"
    if re.fullmatch(r"(?:where is|what are the coordinates of|where's) place", masked):
        return "zoom_map"
    hid = situation.last_calls()[-1:] and situation.last_calls()[-1].tool == "hide_layer"
    if hid and _BACK.match(masked):
        return "show_layer"
    if (match := _IT.match(masked)) is not None and situation.layers:
        if match["verb"] in ("show", "unhide", "bring back"):
            return "show_layer" if any(not layer.get("visible", True) for layer in situation.layers) else None
        return "hide_layer" if match["verb"] == "hide" else "remove_layer"
    if (
        kind_is_there(clause, situation)
        and clause.of("plot")
        and re.search(r"\b(?:only|just)\b", clause.text, re.I)
        and not names_a_selection(clause)
    ):
        return "show_only" if re.match(r"\W*(?:show|only|just|keep|leave)\b", clause.text, re.I) else None
    return None
