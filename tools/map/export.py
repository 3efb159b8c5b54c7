"""Write the map to a file."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import Field

from state.codec import canonical, to_json
from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.map.rendered import samples
from tools.map.styles import clean_name
from tools.phrases import number_of
from tools.selection import SAMPLE_WORDS
from tools.units import NewName

ATTRIBUTION = "Natural Earth · relief: shadedrelief.com · places: GeoNames · made with Azimuth"


@tool("map", changes_state=True, gives=("document",))
def export_map(
    state: State,
    world: World,
    *,
    format: Annotated[
        Literal["html", "png", "pdf"],
        Field(description="A page that opens without a network, a picture, or a page to print."),
    ] = "html",
    title: Annotated[
        NewName | None, Field(description="The map's title; its layers' names when left out.")
    ] = None,
    paper: Annotated[Literal["a4", "a3", "letter"], Field(description="Of a picture or a page.")] = "a4",
    upright: Annotated[bool, Field(description="The paper's longer side stands upright.")] = False,
) -> Step:
    """Write the map as a stand-alone HTML page, or laid out on a sheet of paper as PDF or PNG.

    A sheet has the title, a legend, a scale bar, a north arrow, where the map lies, its sources and the date.

    Example: copilot call export_map format=png title="Ports"

    Asked as: save the map as a picture | export the map as HTML | download a PNG of the map | stand-alone web
    page of this map | print the map | the map as a PDF | print layout with legend and scale bar | screenshot
    of the map | map image for my slides
    """
    # Drawing libraries cost half a second to import, and a list of tools does without them.
    from tools.map.printing import write_page
    from tools.map.webpage import map_title, write_html

    text = clean_name(title) if title else map_title(state.map)
    # What is as always is not said: a map that was exported before is the same document still.
    laid: dict[str, Any] = {"paper": paper} if paper != "a4" else {}
    laid |= {"upright": upright} if upright else {}
    call = Call.of(export_map, format=format, title=title, **laid)
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
    if format == "html":
        left_out = write_html(state, world, path, text, notes)
    else:
        left_out = write_page(state, world, path, text, notes, format, paper=paper, upright=upright)
    base = "" if state.map.basemap in ("offline", "dark", "light") else " over the offline base map"
    said = f"Wrote the map with {number_of(shown, 'layer')}{base} as {format.upper()} ({artifact.id})."
    said += "".join(f" {each}." for each in left_out)
    data: dict[str, Any] = {
        "document": artifact.id, "format": format, "layers": shown, "sample": sample, "path": str(path),
    }  # fmt: skip
    data |= {"left_out": left_out} if left_out else {}
    return Step(state.with_artifact(artifact), said, data)


def _shows_sample(state: State, world: World) -> bool:
    """Whether a visible layer draws rows of a sample."""
    generated = samples(world.catalogue)
    queries = [each.query for each in state.map.layers if each.visible and each.query]
    return any(generated & set(each.datasets) for each in queries)


TOOLS = (export_map,)
