"""The order in which tools fit a request: each of its parts brings its own best to the front."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

import numpy as np

from copilot.retrieval.cues import selection_tools, usual_tools
from copilot.retrieval.gate import usable
from copilot.retrieval.index import Index

ALWAYS = ("db_load", "ask_user", "reject_task")
"""What may be wanted of any request: something to work on, a question back, a refusal."""
OWN_DATA = ("inspect", "sql", "edit_columns", "save_file", "add_file")
"""What most work on one's own layers and tables is done with."""
EARLIER_WEIGHT = np.float32(0.85)
"""What a tool's score for an earlier request counts for this one, which may only go on from it."""
RANK_COST = np.float32(0.06)
"""What each place behind a part's best costs: the best of one part comes before the tenth of another."""
BROUGHT = frozenset({"raster", "vector", "document"})
"""What comes with a file or is computed. Half of the tools work on it, and most sessions have none."""
WAITING_COST = np.float32(0.08)
"""What it costs a tool that something of that has to be there first, and is not."""
LEADING = 6
"""How many of the best go before what is usually done with a selection."""
MOST_PARTS = 24
_JOINT = re.compile(
    r"(?<![.;:!?\n])[.;:!?\n]+(?=\s|$)|,\s|\s[-–—/|+]+>?\s|\s\(|\)\s"
    r"|\s(?:and|then|but|plus|also|with|as well as|before|after|while|which)\s",
    re.IGNORECASE,
)


def ranking(index: Index, request: str, past: Sequence[str] = (), has: Set[str] = frozenset()) -> list[str]:
    """The names of all tools, those first that the request needs most.

    `past` holds earlier requests, `has` what the state offers (`gate.present`).
    """
    parts = parts_of(request)
    ranked = nearest(index, parts, [part for text in past for part in parts_of(text)], has)
    own = OWN_DATA if has & {"vector", "table"} else ()
    if _own_alone(has):
        order = [*ALWAYS, *own, *ranked]
    else:
        selection = selection_tools(request)
        first = [*ALWAYS, *selection]
        others = [name for name in ranked if name not in first]
        usual = usual_tools(request, selection)
        order = [*first, *others[:LEADING], *own, *usual, *others]
    return [name for name in dict.fromkeys(order) if name in index.tokens]


def _own_alone(has: Set[str]) -> bool:
    """Whether there are rows of one's own, and nothing of the catalogue."""
    return bool(has & {"vector", "table"}) and "loaded" not in has


def nearest(
    index: Index, parts: Sequence[str], earlier: Sequence[str] = (), has: Set[str] = frozenset()
) -> list[str]:
    """The names of all tools by their best score over the parts."""
    scores = index.scores([*parts, *earlier])
    scores[len(parts) :] *= EARLIER_WEIGHT
    lacking = (BROUGHT | {"loaded"} if _own_alone(has) else BROUGHT) - usable(has)
    scores -= WAITING_COST * np.array([bool(lacking & set(tool.needs)) for tool in index.tools])
    places = np.argsort(np.argsort(-scores, axis=1, kind="stable"), axis=1, kind="stable")
    best = (scores - RANK_COST * places).max(axis=0)
    return [index.tools[column].name for column in np.argsort(-best, kind="stable")]


def parts_of(request: str) -> list[str]:
    """The whole request first, then the pieces between commas, stops and joining words: one want each."""
    whole = request.strip() or "nothing"
    pieces = [piece.strip(" ,.;:!?()") for piece in _JOINT.split(whole)]
    return list(dict.fromkeys([whole, *(piece for piece in pieces if len(piece) > 2)]))[:MOST_PARTS]
