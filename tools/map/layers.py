"""The list of layers: show, hide, order, style, compare. Bottom first."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import Layer, State
from tools.base import Step, ToolError, World, tool
from tools.map.classes import GRADED, OPTION, graded_of, without_styles
from tools.map.find import layer_named
from tools.map.pairs import before_and_after
from tools.map.rasters import coloured, layer_file
from tools.map.styles import color_of, free_name
from tools.phrases import listed, number_of
from tools.units import ColorText, LayerName, NewName, OpacityFraction, SizePx

Position = Annotated[
    Literal["top", "bottom", "up", "down"] | int,
    Field(description="top, bottom, up, down, or a place counted from the bottom, starting at 0."),
]


@tool("map")
def list_layers(state: State, world: World) -> Step:
    """List the map's layers, bottom first, with kind, count and whether they show.

    Example: copilot call list_layers

    Asked as: which layers are there | what is on the map | list the layers | name my layers | how many layers
    do I have | layer overview
    """
    layers = [layer_facts(each) for each in state.map.layers]
    if not layers:
        return Step(state, "The map has no layers yet.", {"count": 0, "layers": []})
    said = listed([_in_words(each) for each in state.map.layers], 20)
    return Step(
        state, f"{number_of(len(layers), 'layer')}: {said}.", {"count": len(layers), "layers": layers}
    )


@tool("map", changes_state=True, needs=("layer",))
def show_layer(state: State, world: World, *, layer: LayerName) -> Step:
    """Show a layer that was hidden.

    Example: copilot call show_layer layer=clusters

    Asked as: show that layer again | turn the clusters back on | unhide the heat map | make the layer visible
    | switch the layer on | bring the points back
    """
    return _shown(state, layer, True)


@tool("map", changes_state=True, needs=("layer",))
def hide_layer(state: State, world: World, *, layer: LayerName) -> Step:
    """Hide a layer without removing it.

    Example: copilot call hide_layer layer=clusters

    Asked as: hide the heat map | turn the layer off | make the points invisible | switch the clusters off |
    take it out of sight for now | I don't want to see the layer
    """
    return _shown(state, layer, False)


@tool("map", changes_state=True, needs=("layer",))
def remove_layer(state: State, world: World, *, layer: LayerName) -> Step:
    """Remove a layer from the map.

    Example: copilot call remove_layer layer=clusters

    Asked as: remove the layer | delete the heat map | take the clusters off the map | get rid of that layer |
    drop the points layer | throw away the red layer
    """
    found = layer_named(state, layer)
    left = len(state.map.layers) - 1
    said = f"Removed the layer {found.name!r}; {number_of(left, 'layer')} left."
    return Step(state.without_layers(frozenset({found.id})), said, {"removed": [found.id], "left": left})


@tool("map", changes_state=True)
def clear_layers(
    state: State,
    world: World,
    *,
    keep_drawings: Annotated[bool, Field(description="Leave what was drawn by hand.")] = False,
) -> Step:
    """Remove every layer from the map.

    Example: copilot call clear_layers keep_drawings=true

    Asked as: remove all layers | clean the map | clear everything off the map | delete every layer | empty
    map please | wipe the map
    """
    gone = [each.id for each in state.map.layers if not (keep_drawings and each.kind == "drawing")]
    left = len(state.map.layers) - len(gone)
    said = f"Removed {number_of(len(gone), 'layer')}; {number_of(left, 'layer')} left."
    return Step(state.without_layers(frozenset(gone)), said, {"removed": gone, "left": left})


@tool("map", changes_state=True, needs=("layer",))
def rename_layer(
    state: State,
    world: World,
    *,
    layer: LayerName,
    name: Annotated[NewName, Field(description="The new name.")],
) -> Step:
    """Give a layer another name; its id stays.

    Example: copilot call rename_layer layer=clusters name=Ships

    Asked as: rename the layer to harbours | call it ships 2019 | give the layer another name | name this
    layer A | change the title of the layer | label the layer as before
    """
    found = layer_named(state, layer)
    if state.artifact(name.strip()) is not None:
        raise ToolError(f"{name!r} is the id of a result; give the layer another name.")
    renamed = replace(found, name=free_name(state, name, besides=found))
    said = f"The layer {found.name!r} is called {renamed.name!r} now."
    after = _with_artifact_called(state.with_layer(renamed), renamed)
    return Step(after, said, {"layer": found.id, "name": renamed.name})


def _with_artifact_called(state: State, layer: Layer) -> State:
    """The state in which what a layer shows bears its name too, so that the name means that one."""
    called = tuple(
        replace(each, name=layer.name) if each.id == layer.artifact else each for each in state.artifacts
    )
    return replace(state, artifacts=called)


@tool("map", changes_state=True, needs=("layer",))
def reorder_layer(state: State, world: World, *, layer: LayerName, position: Position) -> Step:
    """Move a layer to the top, to the bottom, up, down, or to a place in the order.

    Example: copilot call reorder_layer layer=clusters position=top

    Asked as: bring the points to the front | send the heat map to the back | put this layer on top | move the
    layer below the other | layer order | place it underneath
    """
    found = layer_named(state, layer)
    others = [each for each in state.map.layers if each.id != found.id]
    before = state.map.layers.index(found)
    wanted = {"top": len(others), "bottom": 0, "up": before + 1, "down": before - 1}
    index = position if isinstance(position, int) else wanted[position]
    if isinstance(position, int) and not 0 <= position <= len(others):
        raise ToolError(
            f"There is no place {position} among {number_of(len(others) + 1, 'layer')}; "
            f"give 0 to {len(others)}."
        )
    index = max(0, min(len(others), index))
    layers = (*others[:index], found, *others[index:])
    order = [each.id for each in layers]
    said = f"The layer {found.name!r} is number {index + 1} of {len(layers)} from the bottom."
    return Step(state.with_map(layers=layers), said, {"layer": found.id, "position": index, "order": order})


@tool("map", changes_state=True, needs=("layer",))
def style_layer(
    state: State,
    world: World,
    *,
    layer: LayerName,
    color: ColorText | None = None,
    opacity: OpacityFraction | None = None,
    size: SizePx | None = None,
) -> Step:
    """Change a layer's colour, opacity or size; a raster is then drawn in shades of the colour.

    Example: copilot call style_layer layer=clusters color=orange opacity=0.5

    Asked as: make the layer red | colour it green | half transparent | bigger points | thicker lines |
    opacity 50 percent | change the colour | make the dots smaller | fade it a little | restyle the clusters
    """
    if color is None and opacity is None and size is None:
        raise ToolError("style_layer needs a color, an opacity (0 to 1) or a size in pixels.")
    found = layer_named(state, layer)
    styled = replace(
        found,
        color=found.color if color is None else color_of(color),
        opacity=found.opacity if opacity is None else float(opacity),
        size=found.size if size is None else float(size),
    )
    if color is not None:  # one colour for all of them is what was asked for
        styled = replace(styled, options=without_styles(styled, OPTION, GRADED))
    if size is not None and (graded := graded_of(styled)) is not None and graded.sizes:
        styled = replace(styled, options=without_styles(styled, GRADED))
    if color is not None and found.kind == "raster":
        options = dict(found.options)
        shades = coloured(layer_file(found, world), options, color)
        styled = replace(styled, options=tuple(sorted({**options, **shades}.items())))
    looks = f"colour {styled.color}, opacity {styled.opacity:g}, size {styled.size:g} px"
    said = f"The layer {found.name!r}: {looks}."
    data = {"layer": found.id, "color": styled.color, "opacity": styled.opacity, "size": styled.size}
    return Step(state.with_layer(styled), said, data)


@tool("map", changes_state=True)
def swipe_layers(
    state: State,
    world: World,
    *,
    left: Annotated[LayerName | None, Field(description="The layer left of the bar.")] = None,
    right: Annotated[LayerName | None, Field(description="The layer right of the bar.")] = None,
    images: Annotated[
        bool, Field(description="In place of layers: the earlier image left, the later one right.")
    ] = False,
) -> Step:
    """Compare two layers with a swipe bar; without layers, take the bar away.

    With images=true the pair is found: images of one place, no masks, by the time they were taken. The pair
    comes before other rasters, which would cover it.

    Example: copilot call swipe_layers

    Asked as: compare the two layers with a swipe | swipe between before and after | split the map | curtain
    between both layers | slide one over the other | side by side layers | take the swipe bar away
    """
    dates = ""
    if images:
        if left is not None or right is not None:
            raise ToolError("swipe_layers takes images=true, or left and right; not both.")
        shots = before_and_after(state, world)
        pair = (shots[0].layer, shots[1].layer)
        dates = f": taken {listed([each.taken[:10] for each in shots])}" if shots[0].taken else ""
    elif left is None and right is None:
        said = "The swipe bar is gone." if state.map.swipe else "There was no swipe bar."
        return Step(state.with_map(swipe=None), said, {"swipe": None})
    elif left is None or right is None:
        raise ToolError(
            "A swipe bar needs a layer on each side; give left and right, or neither to take it away."
        )
    else:
        pair = (layer_named(state, left), layer_named(state, right))
    if pair[0].id == pair[1].id:
        raise ToolError(f"{pair[0].name!r} is on both sides; a swipe bar compares two different layers.")
    ids = (pair[0].id, pair[1].id)
    said = f"The swipe bar shows {pair[0].name!r} on the left and {pair[1].name!r} on the right{dates}."
    return Step(_before_other_rasters(state, pair).with_map(swipe=ids), said, {"swipe": list(ids)})


def _before_other_rasters(state: State, pair: tuple[Layer, Layer]) -> State:
    """The state with both layers shown, and rasters of the pair above all others, which would cover them."""
    for each in pair:
        state = state.with_layer(replace(each, visible=True))
    ids, layers = {each.id for each in pair}, state.map.layers
    rasters = [each for each in layers if each.kind == "raster"]
    own = [each for each in rasters if each.id in ids]
    if not own or rasters[-len(own) :] == own:
        return state
    covering = [each for each in rasters if each not in own]
    return state.with_map(layers=(*covering, *own, *(each for each in layers if each.kind != "raster")))


def layer_facts(layer: Layer) -> dict[str, Any]:
    """A layer as an observation's data shows it."""
    return {
        "id": layer.id,
        "name": layer.name,
        "kind": layer.kind,
        "visible": layer.visible,
        "live": layer.live,
        "color": layer.color,
        "opacity": layer.opacity,
        "count": layer.count,
    }


def _in_words(layer: Layer) -> str:
    name = "" if layer.name.casefold() == layer.id else f" {layer.name!r}"
    hidden = "" if layer.visible else ", hidden"
    return f"{layer.id}{name} ({layer.kind}, {layer.count:,}{hidden})"


def _shown(state: State, name: str, visible: bool) -> Step:
    found = layer_named(state, name)
    word = "shown" if visible else "hidden"
    again = " already" if found.visible == visible else ""
    after = state.with_layer(replace(found, visible=visible))
    if not visible and state.map.swipe and found.id in state.map.swipe:
        after = after.with_map(swipe=None)
    return Step(after, f"The layer {found.name!r} is {word}{again}.", {"layer": found.id, "visible": visible})


TOOLS = (
    list_layers,
    show_layer,
    hide_layer,
    remove_layer,
    clear_layers,
    rename_layer,
    reorder_layer,
    style_layer,
    swipe_layers,
)
