"""Only what is asked for: parts of a request that just select lead up to what is done with the selection."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.clauses import Clause
from copilot.planner.limits import NARROWING
from copilot.planner.selection import names_a_selection, narrows_in_context
from copilot.planner.situation import KIND_OF_PLOT, Situation

_SHOWS = re.compile(r"\b(?:show|plot|display|map|draw|find|see|visuali[sz]e|put)\b", re.I)


def one_plot_each(
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
