"""What each clause of a request wants: rules where the wording is exact, the trained head, and the context."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.clauses import Clause, without_openers
from copilot.planner.head import Head
from copilot.planner.rules import EXACT, label_by_rule
from copilot.planner.selection import NARROWING, names_a_selection, narrows_in_context
from copilot.planner.situation import KIND_OF_PLOT, Situation

_SURE = 0.5
"""From this probability on the head is right more often than the rules (see docs/planner.md)."""
_DRAWS = re.compile(
    r"\b(?:draw|sketch|trace|outline|mark|add|make|put|drop|place|pin|stick|set|leave|create|circle|ring|box|rectangle|polygon|"
    r"marker|square|triangle|buffer|flag)\b",
    re.I,
)
_STYLES = re.compile(
    r"colou?r|paint|opac|opaque|transparen|translucent|faint|fade|solid|bigger|larger|smaller|thicker|thinner|size|style|tint|"
    r"bright|dark|see-?through",
    re.I,
)
_ASKS_ABOUT_A_DATASET = re.compile(
    r"\b(?:tell me (?:more )?about|what(?:'s| is| are)|describe|explain|info(?:rmation)? (?:on|about)|details (?:on|of|about))\W+(?:the )?dataset"
    r"(?: (?:data ?set|set|about|like|for))*$"
)
_OF_MANY = re.compile(r"\b(?:images|scenes|patches|tiles|pictures|photos|chips|ones|shots)\b", re.I)
_KEPT_AS_IT_IS = re.compile(r"\b(?:as (?:it|they) (?:is|are)|alone|the rest|everything else|untouched|the same)\b", re.I)
_MOVES_THE_CAMERA = re.compile(r"\b(?:fit|frame|zoom|fly|go|centre|center|focus|take me)\b", re.I)
_SHOWS = re.compile(r"\b(?:show|plot|display|map|draw|find|see|visuali[sz]e|put)\b", re.I)
_BARE_KIND = re.compile(r"^(?:and |then )?(?:(?:all |everything |them |it )?(?:as|in|with) |an? |the )?(?:single |individual |marker )?[\w -]{0,12}$", re.I)


def wants(found: Sequence[Clause], head: Head, situation: Situation) -> list[str | None]:
    """The label of every clause; None where nothing tells."""
    masked = [without_openers(clause.masked) for clause in found]
    guesses = head.labels(masked) if masked else []
    labels = [
        _in_context(_label(text, guess[0], head.threshold), clause, found, situation)
        for text, guess, clause in zip(masked, guesses, found, strict=True)
    ]
    return _one_plot_each(labels, found)


def _label(masked: str, guess: tuple[str, float], threshold: float) -> str | None:
    """The rule where wording is exact, else the head where it is sure, else any rule, else nothing."""
    ruled = label_by_rule(masked)
    label, probability = guess
    if ruled in EXACT or (ruled is not None and probability < _SURE):
        return ruled
    return label if probability >= min(_SURE, threshold) else None


def _in_context(
    label: str | None, clause: Clause, found: Sequence[Clause], situation: Situation
) -> str | None:
    """A label as it is meant for the phrases in the clause, among the other clauses."""
    masked = without_openers(clause.masked)
    ruled = label_by_rule(masked)
    selects = names_a_selection(clause)
    if _ASKS_ABOUT_A_DATASET.search(masked):
        return "db_schema"
    if label == "zoom_map" and masked == "place":
        return None  # "fmow; Mexico; 2018": a part of the selection, not a flight
    if label == "compare_counts" and ruled is None:
        return "plot"  # "between Lagos and Accra" only looks like a comparison
    if label == "fit_selection" and clause.of("place", "bbox", "point") and not clause.of("dataset", "class", "date"):
        return "zoom_map"
    if label == "reject" and ruled != "reject" and _about_the_map(clause):
        return ruled or "plot"
    if label == "keep" and not _KEPT_AS_IT_IS.search(clause.text) and clause.of(*NARROWING):
        return "filter"
    if label in ("draw_circle", "draw_bbox", "draw_polygon", "draw_marker") and not _DRAWS.search(clause.text):
        return ruled if ruled and not ruled.startswith("draw") else "plot"
    if label == "identify_at" and ruled != "identify_at" and len(found) > 1:
        return "filter"
    if label in ("style_layer", "pan_map") and not _STYLES.search(clause.text) and narrows_in_context(clause, situation):
        return "filter"
    if label == "db_list" and clause.of("dataset", "place", "class"):
        return ruled if ruled and ruled != "db_list" else "plot" if selects else label
    if label == "image_info" and situation.selected is None and situation.loaded | _loaded_before(clause, found) and not clause.of("image"):
        return "describe_table" if re.search(r"\b(?:describe|summar)", clause.text, re.I) else label
    if label in ("smalltalk", "help") and selects:
        return ruled if ruled and ruled not in ("smalltalk", "help") else "plot"
    return label


def _about_the_map(clause: Clause) -> bool:
    return names_a_selection(clause) or bool(clause.of("plot", "layer", "quoted", "control", "panel", "basemap", "zoom"))


def _loaded_before(clause: Clause, found: Sequence[Clause]) -> set[str]:
    return {name for other in found if other.start < clause.start for span in other.of("dataset") for name in span.value}


def _one_plot_each(labels: Sequence[str | None], found: Sequence[Clause]) -> list[str | None]:
    """ "Ships near Rome, as points" is one plot: what selects before a bare kind of plot only narrows."""
    meant = list(labels)
    for index, label in enumerate(labels):
        if label not in ("plot", "filter", None) or (label is None and not names_a_selection(found[index])):
            continue
        if found[index].of("plot"):
            continue
        shown = bool(_SHOWS.search(found[index].text))
        following = next((at for at in range(index + 1, len(found)) if labels[at] in KIND_OF_PLOT or labels[at] == "plot"), None)
        if following is None or (shown and not (labels[following] in KIND_OF_PLOT and _is_bare(found[following]))):
            continue
        meant[index] = "narrow"
    return meant


def _is_bare(clause: Clause) -> bool:
    """Whether a clause says no more than how to plot: "as points", "heat map at 70 % opacity"."""
    return not clause.of(*NARROWING) and not re.search(r"\b(?:also|too|another|second|add|as well|again)\b", clause.text, re.I) and not re.match(
        r"\W*(?:show|plot|make|draw|give|create|put|add)\b", clause.text, re.I
    )
