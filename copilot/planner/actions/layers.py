"""Layers: showing, hiding, ordering, styling."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from copilot.planner.actions.references import layer_meant, layers_meant
from copilot.planner.actions.show import picked_image
from copilot.planner.actions.styles import opacity_said
from copilot.planner.asking import Ask
from copilot.planner.clauses import Clause
from copilot.planner.situation import KIND_OF_PLOT, SELECTED, Call, Situation

_ALL = re.compile(r"\b(?:all|every|both|everything)\b", re.I)
_EXCEPT = re.compile(r"\b(?:all|every\w*|anything)\b.*\b(?:except|but|other than|besides|apart from)\b", re.I)
_POSITIONS = (
    (r"\b(?:front|top|on top|foremost|above (?:all|everything))\b", "top"),
    (r"\b(?:back|bottom|behind (?:all|everything)|underneath|beneath|lowest)\b", "bottom"),
    (r"\b(?:up|forward|higher|raise)\b", "up"),
    (r"\b(?:down|backwards?|lower|behind|below|under)\b", "down"),
)
_NEW_NAME = re.compile(r"\b(?:to|as|into|called|name|it|=|:)\s+[\"'“‘]?([^\"'”’]+?)[\"'”’]?\s*[.!?]*$", re.I)


def _each(tool: str) -> Callable[[Clause, Situation], Iterator[Call]]:
    def run(clause: Clause, situation: Situation) -> Iterator[Call]:
        if _EXCEPT.search(clause.text) and situation.layers and clause.of("layer", "plot", "quoted"):
            kept = layers_meant(clause, situation)
            chosen = [layer["id"] for layer in situation.layers if layer["id"] not in kept]
        elif _ALL.search(clause.text) and situation.layers and not clause.of("layer", "plot"):
            chosen = [layer["id"] for layer in situation.layers]
        else:
            chosen = layers_meant(clause, situation) or [layer_meant(clause, situation)]
        for layer_id in chosen:
            yield Call(tool, {"layer": layer_id})

    return run


def show(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A hidden layer again; a kind that is not there yet is plotted."""
    for span in clause.of("plot"):
        kind = KIND_OF_PLOT.get(span.value)
        if kind and situation.loaded and not any(layer["kind"] == kind for layer in situation.layers):
            yield Call(span.value)
            return
    hidden = [layer["id"] for layer in situation.layers if not layer.get("visible", True)]
    named = list(layers_meant(clause, situation)) if clause.of("layer", "plot", "quoted") else []
    chosen = (
        named or (hidden if _ALL.search(clause.text) else hidden[-1:]) or [layer_meant(clause, situation)]
    )
    for layer_id in chosen:
        yield Call("show_layer", {"layer": layer_id})


def show_only(clause: Clause, situation: Situation) -> Iterator[Call]:
    """The layers named, and none of the others."""
    kept = layers_meant(clause, situation)
    for layer in situation.layers:
        if layer["id"] in kept and not layer.get("visible", True):
            yield Call("show_layer", {"layer": layer["id"]})
        elif layer["id"] not in kept and layer.get("visible", True):
            yield Call("hide_layer", {"layer": layer["id"]})


def clear(clause: Clause, situation: Situation) -> Iterator[Call]:
    """All layers away."""
    yield Call("clear_layers")


def listed(clause: Clause, situation: Situation) -> Iterator[Call]:
    """What is on the map."""
    yield Call("list_layers")


def rename(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Another name for a layer."""
    quoted = clause.of("quoted")
    name = quoted[-1].value if quoted else _name_at_end(clause)
    if not name:
        raise Ask("What should the layer be called?", ())
    yield Call("rename_layer", {"layer": layer_meant(_before_last(clause, name), situation), "name": name})


def reorder(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A layer further up or down."""
    position = next((name for pattern, name in _POSITIONS if re.search(pattern, clause.text, re.I)), "top")
    yield Call("reorder_layer", {"layer": layer_meant(clause, situation), "position": position})


def style(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Colour, opacity and size."""
    args: dict[str, Any] = {}
    if (color := clause.first("color")) is not None:
        args["color"] = color.value
    if (opacity := opacity_said(clause)) is not None:
        args["opacity"] = opacity
    if (size := _size(clause, situation)) is not None:
        args["size"] = size
    if not args and (hexed := re.search(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b", clause.text, re.I)):
        args["color"] = hexed[0].lower()
    if not args:
        raise Ask("How should the layer look?", ("red", "half transparent", "bigger"))
    if not situation.layers and situation.loaded:
        yield Call("cluster_plot")  # a look is asked for, so there must be something to look at
    if re.search(r"\blayers\b|\beverything\b", clause.text, re.I) and _ALL.search(clause.text):
        for layer in situation.layers:
            yield Call("style_layer", {"layer": layer["id"]} | args)
    else:
        yield Call("style_layer", {"layer": layer_meant(clause, situation)} | args)


def swipe(clause: Clause, situation: Situation) -> Iterator[Call]:
    """Two layers left and right of a bar."""
    if re.search(r"\b(?:off|stop|end|close|remove|no more)\b", clause.text, re.I):
        yield Call("swipe_layers")
        return
    if re.match(r"\W*swap\b", clause.text, re.I):
        last = next(
            (call for call in reversed(situation.last_calls()) if call.tool == "swipe_layers" and call.args),
            None,
        )
        if last is not None:
            yield Call("swipe_layers", {"left": last.args["right"], "right": last.args["left"]})
            return
    for kind in dict.fromkeys(span.value for span in clause.of("plot") if span.value in KIND_OF_PLOT):
        if situation.loaded and not any(layer["kind"] == KIND_OF_PLOT[kind] for layer in situation.layers):
            yield Call(kind)
    named = clause.of("layer", "plot", "quoted", "dataset", "class")
    chosen = layers_meant(clause, situation) if named else []
    if not chosen and sum(layer["kind"] == "raster" for layer in situation.layers) > 1:
        yield Call("swipe_layers", {"images": True})
        return
    chosen = chosen or layers_meant(clause, situation)
    for layer in situation.layers:
        if len(chosen) < 2 and layer["id"] not in chosen and layer["kind"] != "drawing":
            chosen.append(layer["id"])
    if len(chosen) < 2:
        raise Ask("A swipe needs two layers. Which two?", [str(layer["name"]) for layer in situation.layers])
    yield Call("swipe_layers", {"left": chosen[0], "right": chosen[1]})


def add_vector(clause: Clause, situation: Situation) -> Iterator[Call]:
    """A table as a layer."""
    artifact = clause.first("artifact")
    chosen = (
        artifact.value if artifact else situation.last_artifact("vector") or situation.last_artifact("table")
    )
    if chosen is None:
        raise Ask("There is no table yet. What should I put on the map?", ("plot the images",))
    yield Call("add_vector_layer", {"artifact": chosen})


def add_raster(clause: Clause, situation: Situation) -> Iterator[Call]:
    """An image's pixels as a layer."""
    image = clause.first("image")
    if image is None and situation.selected is None:
        yield Call("select_image", picked_image(clause, situation))
        yield Call("add_raster_layer", {"image": SELECTED})
        return
    yield Call("add_raster_layer", {"image": image.value if image else situation.selected})


def _size(clause: Clause, situation: Situation) -> float | None:
    text = clause.text
    number = clause.first("count")
    if number is not None and re.search(r"\b(?:size|radius|width|px|pixels?)\b", text, re.I):
        return float(number.value.value)
    bare = re.search(r"\b(?:size|radius|width)\s*(?:to|of|=)?\s*(\d+(?:\.\d+)?)", text, re.I)
    if bare:
        return float(bare[1])
    target = layers_meant(clause, situation)
    current = next(
        (layer.get("size", 6.0) for layer in situation.layers if target and layer["id"] == target[0]), 6.0
    )
    if re.search(r"\b(?:bigger|larger|thicker|wider)\b", text, re.I):
        return round(current * 1.5, 2)
    return round(current / 1.5, 2) if re.search(r"\b(?:smaller|thinner|tinier)\b", text, re.I) else None


def _name_at_end(clause: Clause) -> str | None:
    match = _NEW_NAME.search(clause.text)
    return match[1].strip() if match else None


def _before_last(clause: Clause, name: str) -> Clause:
    """The clause without the new name, which may be the name of another layer."""
    at = clause.text.rfind(name)
    kept = tuple(span for span in clause.spans if span.end <= clause.start + at)
    return Clause(clause.text[:at] if at > 0 else clause.text, clause.start, kept)


ACTIONS = {
    "list_layers": listed,
    "show_layer": show,
    "show_only": show_only,
    "hide_layer": _each("hide_layer"),
    "remove_layer": _each("remove_layer"),
    "clear_layers": clear,
    "rename_layer": rename,
    "reorder_layer": reorder,
    "style_layer": style,
    "swipe_layers": swipe,
    "add_vector_layer": add_vector,
    "add_raster_layer": add_raster,
}
