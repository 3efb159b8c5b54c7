"""Write the map to a file."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import Field

from state.codec import canonical, to_json
from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.map.styles import clean_name
from tools.phrases import number_of
from tools.selection import SAMPLE_WORDS
from tools.units import NewName

ATTRIBUTION = "Land: Natural Earth · places: GeoNames · made with Azimuth"


@tool("map", changes_state=True, gives=("document",))
def export_map(
    state: State,
    world: World,
    *,
    format: Annotated[
        Literal["html", "png"], Field(description="A page that opens without a network, or a picture.")
    ] = "html",
    title: Annotated[
        NewName | None, Field(description="The map's title; its layers' names when left out.")
    ] = None,
) -> Step:
    """Write the map as a stand-alone HTML page or as a PNG picture, both over the offline land map.

    Example: copilot call export_map format=png title="Ports"

    Asked as: save the map as a picture | export the map as HTML | download a PNG of the map | stand-alone web
    page of this map | print the map | screenshot of the map | map image for my slides
    """
    # Drawing libraries cost half a second to import, and a list of tools does without them.
    from tools.map.picture import draw_png
    from tools.map.webpage import map_title, write_html

    text = clean_name(title) if title else map_title(state.map)
    call = Call.of(export_map, format=format, title=title)
    shown = sum(each.visible for each in state.map.layers)
    artifact = call.artifact("document", state, text, f"{format.upper()} map, {number_of(shown, 'layer')}")
    # The file shows the whole map, so the map is part of what it is.
    drawn = [artifact.id, to_json(state)["map"], to_json(state)["database"]]
    artifact = replace(artifact, id=f"document-{sha256(canonical(drawn).encode()).hexdigest()[:6]}")
    notes = [ATTRIBUTION]
    sample = _shows_sample(state, world)
    if sample:
        notes.insert(0, SAMPLE_WORDS)
    path = world.artifacts.path(artifact.id, f".{format}")
    if format == "png":
        draw_png(state, world, path, text, notes)
    else:
        write_html(state, world, path, text, notes)
    base = "" if state.map.basemap in ("offline", "dark", "light") else " over the offline land map"
    said = f"Wrote the map with {number_of(shown, 'layer')}{base} as {format.upper()} ({artifact.id})."
    data = {"document": artifact.id, "format": format, "layers": shown, "sample": sample, "path": str(path)}
    return Step(state.with_artifact(artifact), said, data)


def _shows_sample(state: State, world: World) -> bool:
    """Whether a visible layer draws rows of a sample."""
    samples = {info.name for info in world.catalogue.datasets() if info.origin == "sample"}
    queries = [each.query for each in state.map.layers if each.visible and each.query]
    return any(samples & set(each.datasets) for each in queries)


TOOLS = (export_map,)
