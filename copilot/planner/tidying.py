"""One plan out of what the parts of a request gave, each for itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.clauses import Clause
from copilot.planner.situation import KIND_OF_PLOT, Call

_OTHER_SELECTION = frozenset(
    {"filter_clear", "db_unload", "undo", "redo", "goto_turn", "hide_layer", "remove_layer", "clear_layers"}
)
"""After one of these, a plot shows something else than the one before."""

_ONE_MORE = re.compile(r"\b(?:as well|also|too|another|second|besides|additionally|on top)\b", re.I)


def tidied(calls: Sequence[Call], found: Sequence[Clause]) -> list[Call]:
    """The calls with plots of one selection made once: the named kind instead of the default, with all that is said of it."""
    return _merged(_without_default_plots(calls, found))


def _without_default_plots(calls: Sequence[Call], found: Sequence[Clause]) -> list[Call]:
    """Clusters are what is drawn when no kind is named; where one is, they were not asked for."""
    if any(span.value == "cluster_plot" for clause in found for span in clause.of("plot")) or any(
        _ONE_MORE.search(clause.text) for clause in found if clause.of("plot")
    ):
        return list(calls)
    kept: list[Call] = []
    for index, call in enumerate(calls):
        if call.tool == "cluster_plot" and any(
            other.tool in KIND_OF_PLOT and other.tool != "cluster_plot"
            for other in _same_selection(calls, index)
        ):
            continue
        kept.append(call)
    return kept


def _same_selection(calls: Sequence[Call], index: int) -> list[Call]:
    start = max((at + 1 for at in range(index) if calls[at].tool in _OTHER_SELECTION), default=0)
    end = next((at for at in range(index, len(calls)) if calls[at].tool in _OTHER_SELECTION), len(calls))
    return list(calls[start:end])


def _merged(calls: Sequence[Call]) -> list[Call]:
    """A plot said twice of one selection is one plot: the layer follows the selection by itself."""
    kept: list[Call] = []
    for call in calls:
        earlier = None
        if call.tool in KIND_OF_PLOT:
            since = max((at + 1 for at, each in enumerate(kept) if each.tool in _OTHER_SELECTION), default=0)
            earlier = next((at for at in range(since, len(kept)) if kept[at].tool == call.tool), None)
        if earlier is None or _differ(kept[earlier], call):
            kept.append(call)
        else:
            kept[earlier] = Call(call.tool, {**kept[earlier].args, **call.args})
    return kept


def _differ(one: Call, other: Call) -> bool:
    """Whether both say how to draw, and not the same: two layers are wanted."""
    return any(one.args[key] != other.args[key] for key in one.args.keys() & other.args.keys())
