"""The first steps with a real scene: what to ask next, true to what was done."""

from __future__ import annotations

from collections.abc import Iterable

from data.public import SCENES
from state.log import Event
from state.model import State

FIRST = "Show the newest landsat image"
"""The request that begins it."""
STEPS = (
    (("water_extraction",), "Find the water in it"),
    (("area_of",), "How many hectares is that?"),
    (("export_map", "image_to_png"), "Export the map as an HTML file"),
)
"""The tools that a step may end in, and how it is asked for."""


def next_request(state: State, events: Iterable[Event]) -> str | None:
    """The next of the steps, while a real scene that comes with Azimuth is looked at; None at the end."""
    image = state.ui.selected_image
    if image is None or image.partition(":")[0] not in SCENES:
        return None
    done = {event.tool for event in events if event.ok and event.kind == "call"}
    return next((request for tools, request in STEPS if not done & {*tools}), None)
