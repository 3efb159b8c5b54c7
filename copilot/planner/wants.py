"""What each clause of a request wants: rules where the wording is exact, the trained head, and the context."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.actions.counting import GROUPINGS, MEASURED, is_share
from copilot.planner.actions.show import tab_named
from copilot.planner.class_words import without_classes
from copilot.planner.clauses import Clause, without_openers
from copilot.planner.head import Head
from copilot.planner.off_topic import is_off_topic
from copilot.planner.rules import EXACT, label_by_rule
from copilot.planner.selection import NARROWING, names_a_selection, narrows_in_context
from copilot.planner.situation import KIND_OF_PLOT, Situation

_SURE = 0.5
"""From this probability on the head is right more often than the rules (see docs/planner.md)."""
_DRAWS = re.compile(
    r"\b(?:draw|sketch|trace|outline|mark|add|make|put|drop|place|pin|stick|set|leave|"
    r"create|circle|ring|box|rectangle|polygon|"
    r"marker|square|triangle|buffer|flag)\b",
    re.I,
)
_STYLES = re.compile(
    r"colou?r|paint|opac|opaque|transparen|translucent|faint|fade|solid|bigger|larger|"
    r"smaller|thicker|thinner|size|style|tint|"
    r"bright|dark|see-?through|\b(?:twice|half) as (?:big|large|small)",
    re.I,
)
_ASKS_ABOUT_A_DATASET = re.compile(
    r"\b(?:tell me (?:more )?about|what(?:'s| is| are)|describe|explain|"
    r"info(?:rmation)? (?:on|about)|details (?:on|of|about))\W+(?:the )?dataset"
    r"(?: (?:data ?set|set|about|like|for))*$"
)
_OF_MANY = re.compile(r"\b(?:images|scenes|patches|tiles|pictures|photos|chips|ones|shots)\b", re.I)
_KEPT_AS_IT_IS = re.compile(
    r"\b(?:as (?:it|they) (?:is|are)|alone|the rest|everything else|untouched|the same)\b", re.I
)
_ANOTHER = re.compile(
    r"(?:and |now |also )*(?:one|another|the same|same|another one)(?: chart| figure|"
    r" histogram)? (?:of|for|by|per) (?:the )?variable$"
)
_AN_IMAGE = re.compile(
    r"\b(?:first|second|third|fourth|fifth|newest|oldest|latest|clearest|sharpest|last|"
    r"next) (?:image|scene|one)\b",
    re.I,
)
_UNLOADS = re.compile(
    r"\b(?:unload|drop|remove|discard|get rid|take\b.*\b(?:out|off|away)|kick|close|throw|leave out|no more)\b",
    re.I,
)
_HOME = re.compile(r"(?:please )?(?:go|take me|bring me|back|go back)(?: to)?(?: the)? home(?: page)?", re.I)
_RANKED = r"(?:newest|oldest|latest|earliest|most recent|clearest|cloudiest|sharpest)"
_ONE_IMAGE = re.compile(
    rf"\b{_RANKED} (?:\w+ )?(?:image|scene|picture|patch|photo|one)\b(?! (?:panel|table|first))|\b(?:first|second|third|fourth|fifth) {_RANKED}\b"
)
_NOT_DRAWN = re.compile(
    r"\b(?:don'?t|do not|no need to|without) (?:draw|plot|map|show|display)(?:ing)?\b|\bno (?:map|plot|layer)\b",
    re.I,
)
_IS_IT_REAL = re.compile(
    r"\b(?:is|are) (?:it|this|that|they|these|those|the data|the numbers|the images|dataset) (?:all )?(?:real|genuine|authentic|"
    r"synthetic|fake|made up|invented|an? sample|samples)\b|\b(?:real|genuine) or (?:just )?(?:an? )?(?:samples?|fake|synthetic|"
    r"made up|invented)\b"
)
"""The list of the data sets says of each whether it is a sample."""
_ONE_DATE = re.compile(
    r"(?:(?:what|when)(?:'s| is| was)|give|tell|show|get)?(?: me)?(?: the)?\s*(?:first|last|earliest|latest|oldest|newest) "
    r"(?:acquisition )?variable\b"
)
_DROPS = re.compile(
    r"\b(?:clear|remove|drop|delete|reset|lift|cancel|forget|lose|without|discard|ignore|any|undo)\b", re.I
)
_WHICH_HAS_MORE = re.compile(
    r"\b(?:which|what) of (?:place|dataset|class|date) (?:and|or) (?:place|dataset|class|date)\b.*\b(?:more|most|fewer|bigger|larger)\b"
    r"|^(?:is|are|has|have) (?:place|dataset|class) or (?:place|dataset|class) (?:the )?(?:bigger|larger|smaller|more)"
)
_TAKES_OFF = re.compile(r"\W*(?:please |now |then |and )*(hide|conceal|remove|delete|drop)\b", re.I)
_MOVES_THE_CAMERA = re.compile(r"\b(?:fit|frame|zoom|fly|go|centre|center|focus|take me)\b", re.I)
_SHOWS = re.compile(r"\b(?:show|plot|display|map|draw|find|see|visuali[sz]e|put)\b", re.I)


def wants(found: Sequence[Clause], head: Head, situation: Situation) -> list[str | None]:
    """The label of every clause; None where nothing tells."""
    masked = [without_openers(clause.masked) for clause in found]
    guesses = head.labels(masked) if masked else []
    labels = [
        _in_context((_label(text, guess[0], head.threshold), guess[0][1]), clause, found, situation)
        for text, guess, clause in zip(masked, guesses, found, strict=True)
    ]
    for index, clause in enumerate(found):
        steps = re.search(r"\b(?:next|previous|prev)\b", clause.text, re.I)
        if (
            steps
            and labels[index] in (None, "undo", "redo", "goto_turn", "filter")
            and {"select_image", "show_image"} & set(labels[:index])
        ):
            labels[index] = "select_image"
    return _one_plot_each(labels, found, situation)


def _label(masked: str, guess: tuple[str, float], threshold: float) -> str | None:
    """The rule where wording is exact, else the head where it is sure, else any rule, else nothing."""
    ruled = label_by_rule(masked)
    label, probability = guess
    if ruled in EXACT or (ruled is not None and probability < _SURE):
        return ruled
    return label if probability >= min(_SURE, threshold) else None


def _in_context(
    guess: tuple[str | None, float], clause: Clause, found: Sequence[Clause], situation: Situation
) -> str | None:
    """A label, with its probability, as it is meant for the phrases in the clause, among the other clauses."""
    label, probability = guess
    masked = without_openers(clause.masked)
    ruled = label_by_rule(masked)
    if label == "undo" and ruled != "undo" and not _TAKES_BACK.search(clause.text):
        return None  # the head takes "trust that" for it; what takes something back must be said to
    if (again := _about_what_is_there(label, masked, clause, situation)) is not None:
        return again
    for reread in (_by_its_wording, _by_what_it_names, _by_what_it_moves):
        label, settled = reread(label, ruled, masked, clause, situation)
        if settled:
            return label
    if label == "reject" and ruled != "reject" and not is_off_topic(probability, masked, clause):
        return ruled or "plot"
    if label == "identify_at" and ruled != "identify_at" and len(found) > 1:
        return "filter"
    if (
        label == "image_info"
        and situation.selected is None
        and situation.loaded | _loaded_before(clause, found)
        and not clause.of("image")
    ):
        return "describe_table" if re.search(r"\b(?:describe|summar)", clause.text, re.I) else label
    return _by_its_plot(label, ruled, clause, found, situation)


_Reread = tuple[str | None, bool]
"""A label, and whether it is settled."""


def _by_its_wording(
    label: str | None, ruled: str | None, masked: str, clause: Clause, situation: Situation
) -> _Reread:
    """Where words of the clause tell more than the head saw."""
    if ruled == "help":
        return "help", True
    if label in ("plot", "filter", "show_image", None) and _ONE_DATE.match(masked):
        return "aggregate", True
    if ruled == "db_count" and label == "plot" and _NOT_DRAWN.search(clause.text):
        return "db_count", True
    if _IS_IT_REAL.search(masked):
        return "db_list", True
    if label == "db_unload" and not _UNLOADS.search(clause.text):
        return "plot", True
    if _HOME.fullmatch(clause.text.strip(" .!?,")):
        return "open_page", True
    if label == "identify_at" and clause.of("class", "dataset") and not _QUESTION.search(clause.text):
        return "plot", True
    if label == "zoom_map" and "place" in situation.filters and re.search(r"\bback to\b", clause.text, re.I):
        return "filter", True
    if label == "group_count" and re.search(r"\bdistribution\b", clause.text, re.I) and _measured(clause):
        return "histogram_figure", True
    if label in ("db_count", "top_n", "aggregate") and re.search(
        r"\b(?:biggest|largest|smallest) variable$", masked
    ):
        return "group_count", True
    if label == "plot" and re.search(rf"\bnumber {_RANKED}\b", masked):
        return "db_query", True
    if ruled == "export" and clause.of("format"):
        return "export", True
    if (label in ("plot", "filter") and ruled == "distinct_values") or (
        label in ("db_count", "describe_table") and ruled == "db_list"
    ):
        return ruled, True
    if label in ("plot", "filter", "narrow", None) and _ONE_IMAGE.search(masked) and not clause.of("plot"):
        return "show_image", True
    if label == "filter_clear" and re.fullmatch(r"(?:in |for |over |of )?(?:all|every|any) variable", masked):
        return ("filter_clear" if _limits(clause, situation) else "keep"), True
    if (
        label == "db_load"
        and ruled != "db_load"
        and clause.of("place", "class", "date")
        and not _LOADS.search(masked)
    ):
        return "plot", True
    if label == "remove_layer" and ruled == "filter_clear" and not clause.of("layer", "plot"):
        return "filter_clear", True  # "remove the location": a part of the selection
    return label, False


_LOADS = re.compile(
    r"\b(?:load|preload|open|use|switch|work|bring|get|add|take|include|also|instead|but|same)\b"
)


def _limits(clause: Clause, situation: Situation) -> bool:
    """Whether the selection is limited by a field that the clause names."""
    limited = {str(each["field"]) for each in situation.filters.get("attributes", [])} | set(
        situation.filters
    )
    limited |= {"class"} if "classes" in limited else set()
    limited |= {"year", "acquired", "month"} if {"start", "end"} & limited else set()
    return any(str(span.value) in limited for span in clause.of("field"))


def _by_what_it_names(
    label: str | None, ruled: str | None, masked: str, clause: Clause, situation: Situation
) -> _Reread:
    """Where the phrases of the clause leave only one reading."""
    if (
        label == "zoom_map"
        and clause.of("distance")
        and not clause.of("place", "point", "bbox")
        and narrows_in_context(clause, situation)
    ):
        return "filter", True
    if label == "filter_clear" and clause.of("class") and not _DROPS.search(clause.text):
        return "plot", True
    if _WHICH_HAS_MORE.search(masked):
        return "compare_counts", True
    if _ASKS_ABOUT_A_DATASET.search(masked):
        return "db_schema", True
    if label == "zoom_map" and masked == "place":
        return None, True  # "fmow; Mexico; 2018": a part of the selection, not a flight
    if label == "compare_counts" and ruled != "compare_counts":
        return ruled or "plot", True  # "between Lagos and Accra" only looks like a comparison
    if is_share(clause) and label in ("db_count", "group_count", "aggregate", "plot", "filter", None):
        return "group_count", True
    if _ANOTHER.match(masked):
        return "same_figure", True
    if (
        label == "db_schema"
        and ruled != "db_schema"
        and not re.search(r"\b(?:fields?|columns?|schema|structure|about)\b", clause.text, re.I)
    ):
        return ruled or "db_count", True
    if (
        label == "fit_selection"
        and clause.of("place", "bbox", "point")
        and not clause.of("dataset", "class", "date")
    ):
        return "zoom_map", True
    return label, False


def _by_what_it_moves(
    label: str | None, ruled: str | None, masked: str, clause: Clause, situation: Situation
) -> _Reread:
    """Tabs, panels, limits and drawings: what the clause would change, where it can."""
    selects = names_a_selection(clause)
    if (
        label in ("show_image", "plot")
        and situation.tabs
        and not selects
        and tab_named(clause.text, situation) is not None
    ):
        return "switch_tab", True
    if label == "open_panel" and _AN_IMAGE.search(clause.text):
        return "show_image", True
    if (
        label in ("keep", "pan_map")
        and clause.of("date")
        and re.search(r"\b(?:shift|move|set|change|push|start|end)\b", clause.text, re.I)
    ):
        return "filter", True
    if label == "keep" and not _KEPT_AS_IT_IS.search(clause.text) and selects:
        return "filter", True
    if label == "draw_circle" and ruled == "filter" and not clause.of("place", "point"):
        return "filter", True  # "make it 30 km": the radius of what is selected
    if label in ("draw_circle", "draw_bbox", "draw_polygon", "draw_marker") and not _DRAWS.search(
        clause.text
    ):
        return (ruled if ruled and not ruled.startswith("draw") else "plot"), True
    if (
        label in ("style_layer", "pan_map")
        and not _STYLES.search(clause.text)
        and narrows_in_context(clause, situation)
    ):
        return "filter", True
    if label == "db_list" and clause.of("dataset", "place", "class"):
        return (ruled if ruled and ruled != "db_list" else "plot" if selects else label), True
    if (
        label in ("remove_layer", "filter_clear", "hide_layer")
        and without_classes(clause, situation) is not None
    ):
        return "filter", True
    return label, False


def _by_its_plot(
    label: str | None, ruled: str | None, clause: Clause, found: Sequence[Clause], situation: Situation
) -> str | None:
    """A plot that is named is made, styled or taken off, by what is on the map and in the clauses before."""
    selects = names_a_selection(clause)
    before = {span.value for each in found if each.start < clause.start for span in each.of("plot")}
    if label in KIND_OF_PLOT and not selects and label in before and _STYLES.search(clause.text):
        return "style_layer"
    if (
        label == "style_layer"
        and clause.of("plot")
        and not before & {span.value for span in clause.of("plot")}
        and not _kind_is_there(clause, situation)
    ):
        return str(clause.of("plot")[0].value)  # "footprints in orange": a plot in that style
    if label in KIND_OF_PLOT and not selects and (verb := _TAKES_OFF.match(clause.text)):
        return "hide_layer" if verb[1].lower() in ("hide", "conceal") else "remove_layer"
    if label == "db_query" and ruled == "show_image":
        return "show_image"
    styled = _STYLES.search(clause.text) or clause.of("color", "percent")
    if label in KIND_OF_PLOT and styled and _kind_is_there(clause, situation) and not selects:
        return "style_layer"
    if label == "line_figure" or (label == "bar_figure" and re.search(r"\bline\b", clause.text, re.I)):
        return "line_figure"
    if label in ("smalltalk", "help") and selects and ruled != "help":
        return ruled if ruled and ruled not in ("smalltalk", "help") else "plot"
    return label


def _kind_is_there(clause: Clause, situation: Situation) -> bool:
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
_TAKES_BACK = re.compile(
    r"un-?d\w+|\bu+n+d?o+\b|revert|revers|restor|back|cancel|oops|whoops|mistak|wrong|scratch|rewind|return|never ?mind|forget|remove|reset|"
    r"didn'?t|don'?t|not (?:what|that)|\b(?:last|previous|prior|earlier|before|old|step|no)\b|ctrl|again|\bz\b|strike|retract|withdraw|annul|discard|drop",
    re.I,
)
"""A word of taking back, or of regret."""
_QUESTION = re.compile(r"^\W*(?:what|why|how come|who|when|does|did|is|are)\b", re.I)
_LISTS_DATASETS = frozenset(
    f"{start}variable{end}"
    for start in ("what ", "which ", "list ", "list the ", "list all ", "list all the ", "show me the ", "show the ", "what are the ")
    for end in (" are there", " do you have", " do we have", " are available", " exist", "", " can i use", " have you got", " are in here")
)  # fmt: skip
_SUPERLATIVE = re.compile(
    r"\b(?:top|largest|biggest|smallest|highest|lowest|most|least|latest|first|best)\b", re.I
)
_IT = re.compile(
    r"(?:(?:please|now|then|and|ok) )*(?P<verb>hide|remove|delete|drop|get rid of|show|"
    r"unhide|bring back) (?:it|that|them|this)(?: again| back| away)?$"
)


def _about_what_is_there(label: str | None, masked: str, clause: Clause, situation: Situation) -> str | None:
    """What short words mean for what is on the page: layers, panels, tabs, the picked image; None where nothing of it fits."""
    if label in _CHANGING and _QUESTION.search(clause.text):
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
    if (match := _IT.match(masked)) is not None and situation.layers:
        if match["verb"] in ("show", "unhide", "bring back"):
            return "show_layer" if any(not layer.get("visible", True) for layer in situation.layers) else None
        return "hide_layer" if match["verb"] == "hide" else "remove_layer"
    if (
        _kind_is_there(clause, situation)
        and clause.of("plot")
        and re.search(r"\b(?:only|just)\b", clause.text, re.I)
        and not names_a_selection(clause)
    ):
        return "show_only" if re.match(r"\W*(?:show|only|just|keep|leave)\b", clause.text, re.I) else None
    return None


def _measured(clause: Clause) -> bool:
    return any(span.value in MEASURED for span in clause.of("field"))


def _loaded_before(clause: Clause, found: Sequence[Clause]) -> set[str]:
    return {
        name
        for other in found
        if other.start < clause.start
        for span in other.of("dataset")
        for name in span.value
    }


def _one_plot_each(
    labels: Sequence[str | None], found: Sequence[Clause], situation: Situation
) -> list[str | None]:
    """Only what is asked for: parts of a request that just select lead up to what is done with it.

    "Ships; Rotterdam; 2019" is one plot at its end, "ships near Rome, as points" one of points, and
    "load fmow, keep 2019, count them" none.
    """
    meant = list(labels)
    soft = [_is_soft(label, clause, situation) for label, clause in zip(labels, found, strict=True)]
    for index, clause in enumerate(found):
        if not soft[index] or clause.of("plot"):
            continue
        shown = bool(_SHOWS.search(clause.text))
        later = next(
            (at for at in range(index + 1, len(found)) if not (soft[at] and only_goes_on(found[at]))), None
        )
        if (
            later is not None
            and (labels[later] in KIND_OF_PLOT or labels[later] == "style_layer")
            and _is_bare(found[later])
        ):
            meant[index] = "narrow"
        elif index + 1 < len(found) and soft[index + 1] and only_goes_on(found[index + 1]):
            meant[index], meant[index + 1] = (
                "narrow",
                "plot" if shown or meant[index] == "plot" else meant[index + 1],
            )
        elif (
            not shown
            and any(_does_something(label) for at, label in enumerate(labels) if at != index and not soft[at])
        ) or (
            not shown
            and any(soft[at] and _SHOWS.search(found[at].text) for at in range(len(found)) if at != index)
        ):
            meant[index] = "narrow"
    return [None if soft[at] and label is None else label for at, label in enumerate(meant)]


_SOFT = ("plot", "filter", None)


def _is_soft(label: str | None, clause: Clause, situation: Situation) -> bool:
    return label in _SOFT and (
        label is not None or names_a_selection(clause) or narrows_in_context(clause, situation)
    )


def only_goes_on(clause: Clause) -> bool:
    """Whether a part of a request has no verb of its own and selects further: "Rotterdam", "in 2019"."""
    return not _SHOWS.search(clause.text) and not clause.of("plot") and not _STARTS.search(clause.text)


_STARTS = re.compile(r"\b(?:load|then|also|another|second|again|next)\b", re.I)
_OUTPUTS = (
    "count", "figure", "export", "plot", "table", "query", "aggregate", "top_n", "distinct", "image", "slider", "swipe", "add_",
)  # fmt: skip


def _does_something(label: str | None) -> bool:
    """Whether a want gives a result of the selection, so that the selection is not to be plotted besides."""
    return label is not None and any(part in label for part in _OUTPUTS)


def _is_bare(clause: Clause) -> bool:
    """Whether a clause says no more than how to plot: "as points", "heat map at 70 % opacity"."""
    return (
        bool(clause.of("plot"))
        and not clause.of(*NARROWING)
        and not re.search(r"\b(?:also|too|another|second|add|as well|again)\b", clause.text, re.I)
        and not re.match(r"\W*(?:show|plot|make|draw|give|create|put|add)\b", clause.text, re.I)
    )
