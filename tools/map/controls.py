"""The map's controls, and the map as plain data."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import CONTROLS, State
from tools.base import Step, World, tool
from tools.map.geometry import visible
from tools.map.layers import layer_facts
from tools.phrases import listed, number_of

Control = Annotated[
    Literal["legend", "scale_bar", "graticule", "minimap"], Field(description="Which control.")
]


@tool("map", changes_state=True)
def toggle_control(
    state: State,
    world: World,
    *,
    control: Control,
    on: Annotated[bool | None, Field(description="Shown or not; turned over when left out.")] = None,
) -> Step:
    """Show or hide the legend, the scale bar, the graticule or the mini map.

    Example: copilot call toggle_control control=graticule

    Asked as: show the legend | hide the scale bar | turn on the graticule | mini map please | switch the grid
    lines off | coordinates grid on the map | I want a scale | overview map on
    """
    shown = control not in state.map.controls if on is None else on
    wanted = {*state.map.controls, control} if shown else {*state.map.controls} - {control}
    controls = tuple(each for each in CONTROLS if each in wanted)
    word = control.replace("_", " ")
    said = f"The {word} is {'shown' if shown else 'hidden'}."
    return Step(
        state.with_map(controls=controls), said, {"control": control, "on": shown, "controls": list(controls)}
    )


@tool("map")
def map_state(state: State, world: World) -> Step:
    """Read where the map looks, its base, its layers and its controls.

    Example: copilot call map_state

    Asked as: where is the map looking | what does the map show now | what zoom are we at | current centre of
    the map | state of the map | which base map is on | where am I
    """
    view = state.map
    shown = sum(each.visible for each in view.layers)
    data: dict[str, Any] = {
        "center": list(view.center),
        "zoom": view.zoom,
        "bbox": [round(part, 6) for part in visible(view.center, view.zoom)],
        "basemap": view.basemap,
        "layers": [layer_facts(each) for each in view.layers],
        "swipe": list(view.swipe) if view.swipe else None,
        "controls": list(view.controls),
    }
    lon, lat = view.center
    said = (
        f"The map is centred on ({lon:.5g}, {lat:.5g}) at zoom {view.zoom:g}, on the {view.basemap} base, "
        f"with {number_of(len(view.layers), 'layer')} ({shown} visible): "
        f"{listed([each.id for each in view.layers], 20) or 'none'}. "
        f"Controls: {listed([each.replace('_', ' ') for each in view.controls]) or 'none'}."
    )
    return Step(state, said, data)


TOOLS = (toggle_control, map_state)
