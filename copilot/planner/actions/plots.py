"""Showing the selection on the map."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from copilot.planner.actions.styles import opacity_said
from copilot.planner.asking import Ask, Reject
from copilot.planner.clauses import Clause
from copilot.planner.here import not_understood
from copilot.planner.situation import KIND_OF_PLOT, PLOTS, Call, Situation

_UNLESS_PLOTTED = re.compile(r"\b(?:show|plot|display|map|see|find|visuali[sz]e|draw|where)\b", re.I)
_ASKS_TO_SEE = re.compile(
    r"\b(?:show|plot|display|map|see|find|visuali[sz]e|draw|where|view|look|put|add|give|get|make|want|need|them|those|these|it|that|this|again|images?|results?|everything|all|rest)\b",
    re.I,
)
_SQUARE = re.compile(r"\b(?:square|squares|grid)\b", re.I)
_PERIOD = re.compile(r"\b(year|month|day)(?:s|ly)?\b|\b(daily)\b|\b(annual)", re.I)
_SEVERAL = re.compile(r"\b(?:and|plus|both)\b|&|,", re.I)
_OF = re.compile(r"\b(?:of|all)\s+(?:\w+\s+){0,2}$", re.I)
_NAMED = re.compile(r"\b(?:as|called|named|call it|name it|under the name)\s+$", re.I)


def plot(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The selection on the map, as what the clause names, else as clusters."""
    if not situation.loaded:
        raise Ask("What would you like to see?", sorted(situation.datasets)[:8], lacks_data=True)
    selecting = any(call.tool.startswith(_SELECTS) for call in situation.planned)
    if situation.live_plots and not selecting and not clause.spans and not _ASKS_TO_SEE.search(clause.text):
        raise Reject(not_understood(situation))
    wanted = [span.value for span in clause.of("plot") if span.value in KIND_OF_PLOT]
    yield from _of_kind((wanted or ["cluster_plot"])[0])(clause, situation)


def narrow(clause: Clause, situation: Situation) -> Iterator[Call]:
    """After a change of the selection: the layers that show it follow by themselves; else show it or say how much it is."""
    fresh = not situation.state["database"]["loaded"]
    if clause.of("plot") or (not situation.live_plots and (fresh or _UNLESS_PLOTTED.search(clause.text))):
        yield from plot(clause, situation)
    elif situation.loaded:
        if not any(call.tool.startswith(_SELECTS) for call in situation.planned) and not situation.notes:
            raise Ask(
                f"I could not read '{clause.text.strip(' .?!')}' as a place, a date, a class, a sensor or a number to "
                "select by. What should the selection be limited to?",
                _since(situation) if _RECENT.search(clause.text) else (),
            )
        yield from _again(situation)


_RECENT = re.compile(r"\b(?:recent(?:ly)?|new|newer|current|lately|fresh|up[- ]to[- ]date)\b", re.I)


def _since(situation: Situation) -> list[str]:
    """Periods that "recent" may mean, counted from the newest image that is loaded."""
    ends = [info.end for name, info in situation.datasets.items() if name in situation.loaded and info.end]
    last = int(max(ends)[:4]) if ends else situation.today.year
    return [f"since {last - back}" for back in (0, 1, 3)]


_SELECTS = ("filter_", "db_load", "db_unload", "undo", "redo")


def _again(situation: Situation) -> Iterator[Call]:
    """ "And in Lyon?" after a count wants the count again, after a chart the chart."""
    last = situation.last_calls()
    repeated = [call for call in last if call.tool in _REPEATABLE]
    yield from repeated or [Call("db_count")]


_REPEATABLE = frozenset(
    {
        "db_count", "group_count", "aggregate", "describe_table", "distinct_values", "top_n", "db_query",
        "histogram_figure", "bar_figure", "line_figure", "pie_figure", "scatter_figure",
    }
)  # fmt: skip


def _of_kind(tool: str) -> Callable[[Clause, Situation], Iterator[Call]]:
    def run(clause: Clause, situation: Situation) -> Iterator[Call]:
        if not situation.loaded:
            raise Ask("What would you like to see?", sorted(situation.datasets)[:8], lacks_data=True)
        if situation.past and [call.tool for call in situation.planned] == ["undo"]:
            # "Undo, then plot them as points": them is what the undone turn had selected.
            for call in situation.past[-1].calls:
                if call.tool.startswith(("db_load", "filter_")):
                    yield call
        named = [
            span.value
            for span in clause.of("plot")
            if span.value in KIND_OF_PLOT and not _OF.search(clause.text[: span.start - clause.start])
        ]
        for each in dict.fromkeys([tool, *named] if _SEVERAL.search(clause.text) else [tool]):
            yield Call(each, _options(each, clause))
            if (opacity := opacity_said(clause)) is not None:
                yield Call("style_layer", {"layer": KIND_OF_PLOT[each], "opacity": opacity})

    return run


def _options(tool: str, clause: Clause) -> dict[str, str]:
    options: dict[str, str] = {}
    if (color := clause.first("color")) is not None:
        options["color"] = color.value
    quoted = clause.first("quoted")
    if quoted is not None and _NAMED.search(clause.text[: quoted.start - clause.start]):
        options["name"] = quoted.value
    if tool == "density_plot" and _SQUARE.search(clause.text):
        options["cell"] = "square"
    if tool == "time_slider_plot" and (period := _PERIOD.search(clause.text)):
        options["by"] = (period[1] or ("day" if period[2] else "year")).lower()
    if tool == "label_plot" and (field := clause.first("field")) is not None:
        options["field"] = field.value
    return options


def only_narrow(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A phrase that only narrows: what is done with it stands elsewhere in the request."""
    yield from ()


ACTIONS = {"plot": plot, "filter": narrow, "narrow": only_narrow} | {
    tool: _of_kind(tool) for tool in PLOTS.values()
}
