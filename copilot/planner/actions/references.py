"""What "it", "the heat map" or "the box" stands for."""

from __future__ import annotations

import re
from typing import Any

from copilot.planner.asking import Ask, Reject
from copilot.planner.clauses import Clause
from copilot.planner.situation import KIND_OF_PLOT, Situation

_DRAWING = re.compile(
    r"\b(?:drawing|drawn|drew|box|rectangle|circle|polygon|marker|pin|shape|square|area)\b", re.I
)
_BOTTOM = re.compile(
    r"\boriginal(?: (?:layer|one))?\b|\bbottom layer\b|\blowest layer\b|\bfirst layer\b", re.I
)


def layer_meant(clause: Clause, situation: Situation, skip: tuple[str, ...] = ()) -> str:
    """The id of the layer a clause speaks of. Raises Ask when there is none or no telling."""
    found = layers_meant(clause, situation)
    chosen = [layer_id for layer_id in found if layer_id not in skip]
    if chosen:
        return chosen[0]
    layers = [layer for layer in situation.layers if layer["id"] not in skip]
    if not layers and not situation.loaded:
        raise Reject("There is no layer on the map, and nothing is loaded that could be plotted.")
    if not layers:
        raise Ask(
            "There is no layer on the map yet. Should I plot the selection first?", ("plot the images",)
        )
    raise Ask("Which layer do you mean?", [str(layer["name"]) for layer in reversed(layers)][:6])


def layers_meant(clause: Clause, situation: Situation) -> list[str]:
    """The ids of all layers a clause speaks of, in its order; the top one for "it"."""
    found = [str(span.value) for span in clause.of("layer")]
    found += [layer["id"] for span in clause.of("plot") for layer in _of_kind(span.value, situation)]
    found += [layer["id"] for span in clause.of("quoted") for layer in _named(span.value, situation)]
    found += [layer["id"] for span in clause.of("dataset", "class") for layer in _named(span.text, situation)]
    if found:
        return list(dict.fromkeys(found))
    if _DRAWING.search(clause.text) and situation.drawings:
        return [situation.drawings[-1]["id"]]
    if not situation.layers:
        return []
    if _BOTTOM.search(clause.text):
        return [situation.layers[0]["id"]]
    plotted = [layer for layer in situation.layers if layer["kind"] != "drawing"] or situation.layers
    return [plotted[-1]["id"]]


def _of_kind(tool: str, situation: Situation) -> list[dict[str, Any]]:
    kind = KIND_OF_PLOT.get(tool)
    return [layer for layer in reversed(situation.layers) if layer["kind"] == kind][:1]


def _named(name: str, situation: Situation) -> list[dict[str, Any]]:
    wanted = name.strip().lower()
    return [
        layer for layer in situation.layers if wanted in (layer["id"].lower(), str(layer["name"]).lower())
    ]
