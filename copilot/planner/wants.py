"""What each clause of a request wants: rules where the wording is exact, the trained head, and the context."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.actions.comparing import (
    compares_them,
    holds_against,
    is_of_them,
    of_both_sides_of_an_event,
)
from copilot.planner.actions.counting import MEASURED, SHARED, is_share
from copilot.planner.actions.show import tab_named
from copilot.planner.class_words import without_classes
from copilot.planner.clauses import Clause, without_openers
from copilot.planner.head import Head
from copilot.planner.limits import sets_the_limit
from copilot.planner.off_topic import is_off_topic
from copilot.planner.page_words import QUESTION, about_what_is_there, kind_is_there
from copilot.planner.plotted_once import one_plot_each
from copilot.planner.rules import EXACT, label_by_rule
from copilot.planner.selection import names_a_selection, narrows_in_context
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
_RANKED = r"(?:newest|oldest|latest|earliest|most recent|clearest|cloudiest|sharpest|busiest|fullest)"
_RANK_ALONE = re.compile(
    rf"(?:(?:and|so|now|then|the|which is|what is|what's|which one is) )*{_RANKED}(?: one| image| scene)?"
)
_ONLY_FUNCTIONS = re.compile(
    r"(?:(?:and|also|the|its|their|then|plus|what about|how about|too|as well|please|mean|average|avg|median|std|standard deviation|"
    r"min|max|minimum|maximum|sum|total|spread|&|or|,)\s*)+"
)
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
_COUNTED_OR_SHOWN = ("db_count", "group_count", "plot", "filter", "top_n", "reject", None)
_HOW_IT_COMPARES = re.compile(
    r"^(?:is|are|was|were) (?:there|that|it|this|they) (?:any |many |much )?(?:more|fewer|less|busier|bigger|larger|smaller)\b.*\bplace$"
    r"|\b(?:compare[sd]?|comparison|against|versus|vs)\b(?:.*\b(?:to|with|w/?|against)\b)? (?:the )?(?:\w+ )?place$"
)
"""In a masked clause: what is selected held against one more place."""
_MADE_IT = re.compile(
    r"\W*(?:(?:please|now|then|and|ok|no|sorry|actually|rather|instead)\W+)*(?:make (?:it|that|this)|(?:switch|change)(?: it| that| this)?(?: over)? to|replace (?:it|that|this) (?:by|with))\b"
    r"(?!.*\b(?:map|view|zoom|camera|cent(?:re|er))\b)",
    re.I,
)
_TAKES_OFF = re.compile(r"\W*(?:please |now |then |and )*(hide|conceal|remove|delete|drop)\b", re.I)
_DRAWS_ONE = re.compile(r"\b(?:draw|sketch|trace|outline|circle|ring|buffer|mark|add)\b", re.I)


_TAKES_BACK = re.compile(
    r"un-?d\w+|\bu+n+d?o+\b|revert|revers|restor|back|cancel|oops|whoops|mistak|wrong|scratch|rewind|return|never ?mind|forget|remove|reset|"
    r"didn'?t|don'?t|not (?:what|that)|\b(?:last|previous|prior|earlier|before|old|step|no)\b|ctrl|again|\bz\b|strike|retract|withdraw|annul|discard|drop",
    re.I,
)
"""A word of taking back, or of regret."""


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
    return one_plot_each(labels, found, situation)


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
    if label == "smalltalk" and ruled != "smalltalk" and probability < _SURELY:
        return ruled  # the head takes any bare word for it
    if label == "db_sql" and ruled != "db_sql":
        return ruled  # "select features where ..." is no query without a FROM
    if compares_them(clause, situation) or (is_of_them(clause) and _named_together(clause, found)):
        return "compare_counts"
    if of_both_sides_of_an_event(clause):
        return "compare_counts"
    if _COMPARES_COUNTS.search(masked) and clause.of("place", "date", "class", "dataset", "event"):
        return "compare_counts"
    if ruled == "group_count" and _BY_ITS_SIZE.search(masked):
        return ruled
    if _BY_CHANCE.search(clause.text) and not clause.of("image", "plot"):
        return "sample_rows"
    if _SHARE_OF_ALL.search(masked) and not clause.of(*SHARED) and situation.loaded:
        return "share_of_all"
    if label == "undo" and ruled != "undo" and not _TAKES_BACK.search(clause.text):
        return None  # the head takes "trust that" for it; what takes something back must be said to
    if (again := about_what_is_there(label, masked, clause, situation)) is not None:
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


_SURELY = 0.85
_COMPARES_COUNTS = re.compile(
    r"^(?:compare|contrast) (?:the |their )?(?:numbers?|counts?|amounts?|how many)\b"
)
_BY_CHANCE = re.compile(
    r"\b(?:random|arbitrary)(?:ly)? (?:chosen |picked |selected )?(?:\w+ )?(?:images|rows|samples?|scenes|records|ones|examples|patches|chips|tiles|pictures|photos|subset|selection)\b(?<! one)"
    r"|\b\d+ \w+ (?:at random|by chance|randomly)\b|\brandomly (?:pick|choose|select|sample|draw)\b|\bsample (?:of )?\d+\b",
    re.I,
)
_SHARE_OF_ALL = re.compile(
    r"\b(?:percent|percentage|share|fraction|proportion|%)\b.*\b(?:of (?:all|everything|(?:the )?(?:whole|total|lot|catalogue|variable))|overall|in total)\b"
    r"|\b(?:what|which) (?:percentage|share|fraction|proportion) is (?:that|this|it|selected)\b|\b(?:percentage|share|fraction|proportion) of (?:that|this|it|these|those|them)\b"
)
_BY_ITS_SIZE = re.compile(
    r"\b(?:variable|labels?) (?:with|having|that have|that has|have|has|of) (?:only )?number\b|\bco-?occur|\bfrequenc|\bbalance\b"
)


_COMPARED = ("place", "dataset", "class", "date", "event")


def _named_together(clause: Clause, found: Sequence[Clause]) -> bool:
    """Whether an earlier part of the request names two things of a kind, which may be compared."""
    earlier = [each for each in found if each.start < clause.start]
    return any(len(each.of(kind)) > 1 for each in earlier for kind in _COMPARED)


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
    if label == "identify_at" and clause.of("class", "dataset") and not QUESTION.search(clause.text):
        return "plot", True
    if (
        label == "zoom_map"
        and "place" in situation.filters
        and re.search(r"\b(?:back|return) to\b", clause.text, re.I)
    ):
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
    if situation.loaded and _RANK_ALONE.fullmatch(masked) and label != "select_image":
        return "show_image", True
    if label in ("sort_table", "top_n", "select_image", "aggregate") and situation.loaded:
        nth = re.search(rf"\b(?:second|third|fourth|fifth|2nd|3rd|4th|5th)[- ]{_RANKED}\b", masked)
        if (_RANK_ALONE.fullmatch(masked) or nth) and not clause.of("field", "plot"):
            return ("show_image" if label != "select_image" else label), True
    if _ONLY_FUNCTIONS.fullmatch(masked) and any(call.tool == "aggregate" for call in situation.last_calls()):
        return "aggregate", True
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
    if label == "filter_clear" and ruled == "db_count" and clause.of("class", "event"):
        return "db_count", True  # "any floods?"
    if label == "filter_clear" and clause.of("class") and not _DROPS.search(clause.text):
        return "plot", True
    if label == "filter_clear" and clause.of("attribute", "place", "date") and not _DROPS.search(clause.text):
        return "filter", True  # "cap at 10 percent cloud"
    if re.search(r"\bvariable first$", masked) and label in (
        "aggregate",
        "top_n",
        "db_query",
        "group_count",
        "plot",
    ):
        return "sort_table", True
    if sets_the_limit(clause, situation):
        return "filter", True
    if _WHICH_HAS_MORE.search(masked):
        return "compare_counts", True
    if holds_against(clause) and label in _COUNTED_OR_SHOWN:
        return "compare_counts", True
    if _HOW_IT_COMPARES.search(masked) and clause.of("place") and "place" in situation.filters:
        return "compare_counts", True
    if (
        label == "zoom_map"
        and clause.of("place")
        and "place" in situation.filters
        and _MADE_IT.match(clause.text)
    ):
        return "filter", True  # "make it Germany": another place, not another view
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
    if label == "draw_circle" and not _DRAWS_ONE.search(clause.text):
        if not clause.of("place", "point") and ruled == "filter":
            return "filter", True  # "make it 30 km": the radius of what is selected
        if clause.of("distance") and clause.of("place", "point") and situation.loaded:
            return "filter", True  # "make it 60 km around Pittsburgh": where the selection lies
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
        and not kind_is_there(clause, situation)
    ):
        return str(clause.of("plot")[0].value)  # "footprints in orange": a plot in that style
    if label in KIND_OF_PLOT and not selects and (verb := _TAKES_OFF.match(clause.text)):
        return "hide_layer" if verb[1].lower() in ("hide", "conceal") else "remove_layer"
    if label == "db_query" and ruled == "show_image":
        return "show_image"
    styled = _STYLES.search(clause.text) or clause.of("color", "percent")
    if label in KIND_OF_PLOT and styled and kind_is_there(clause, situation) and not selects:
        return "style_layer"
    if label == "line_figure" or (label == "bar_figure" and re.search(r"\bline\b", clause.text, re.I)):
        return "line_figure"
    if label in ("smalltalk", "help") and selects and ruled != "help":
        return ruled if ruled and ruled not in ("smalltalk", "help") else "plot"
    return label


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
