"""The look as a tool: what an image is and holds at a glance, told once and kept by its content."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.phrases import listed, number, one_line
from tools.rasters import RasterHandle, raster_of
from tools.vision.guarding import Anyway, guarded

Measure = Literal["scene", "cover", "objects"]
LEAST = 0.02
"""A cover of less of the image is not told."""


@tool("vision", needs=("raster",), long_running=True)
@guarded("image")
def look_at_image(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    measure: Annotated[
        list[Measure],
        Field(
            max_length=3,
            description="What to look for: the scene with what is surely there, the shares of ground cover "
            "of the image and its parts, the number of objects.",
        ),
    ] = ["scene", "cover", "objects"],  # noqa: B006  the schema shows it, nothing changes it
    phrase: Annotated[
        str | None, Field(min_length=1, max_length=200, description="What to find in it: the biggest boat.")
    ] = None,
    anyway: Anyway = False,
) -> Step:
    """Take one quick look at an image: kind, scene, what is there, shares of cover, coarse counts of objects.

    The scene network on the whole and its parts, cover on an overview of 512 pixels, objects by the detector
    that suits it; with a phrase the boxes of what it means, pixels. Each part is measured once and kept by
    the image's content. What cannot be measured is said under `missing`. It makes no layer:
    optical_detection, semantic_segmentation and visual_grounding do.

    Example: copilot call look_at_image image=raster-5ce4e0 measure='["scene","objects"]'

    Asked as: give the picture a quick look | glance at the photo | what do you notice at first sight | take
    a look at the upload | rough impression of the image | have a quick peek at it
    """
    from data.raster.errors import RasterError
    from data.rendered import is_rendered
    from data.vision.look import tell_look

    raster = raster_of(state, world, image)
    try:
        told: dict[str, Any] = world.work(
            f"Looking at {one_line(raster.name)}",
            tell_look,
            raster.path,
            world.models,
            measure,
            phrase,
            anyway,
        )
    except RasterError as error:
        raise ToolError(str(error)) from None
    data = {"image": raster.handle, **told, "rendered": is_rendered(raster.path), "model": METHOD}
    return Step(state, " ".join([f"A look at {raster.name}: {_kind(told)}.", *_parts(told)]), data)


METHOD = "look"


def _kind(told: dict[str, Any]) -> str:
    size = f"{told['width_px']:,} x {told['height_px']:,} pixels"
    fine = f" of {number(told['gsd_m'])} m" if told["gsd_m"] is not None else ""
    return f"{'radar (SAR)' if told['modality'] == 'sar' else told['modality']}, {size}{fine}"


def _parts(told: dict[str, Any]) -> list[str]:
    said = []
    if (scene := told.get("scene")) is not None:
        best = f"{scene['ranked'][0][0]} {number(scene['ranked'][0][1])}"
        name = f"it looks like {scene['name']}" if scene["name"] else "it is not sure which scene it is"
        there = [each for each, sure in told["present"].items() if sure]
        surely = f"; surely there: {listed(there)}" if there else ""
        said.append(f"By {scene['method']} {name} (the best: {best}){surely}.")
    if (cover := told.get("cover")) is not None:
        shares = sorted(cover["all"].items(), key=lambda each: -each[1])
        covers = [f"{name} {number(round(100 * share, 1))} %" for name, share in shares if share >= LEAST]
        said.append(f"Cover: {', '.join(covers)}.")
    if (objects := told.get("objects")) is not None:
        counts = ", ".join(f"{name} {count:,}" for name, count in objects["counts"].items()) or "none"
        said.append(f"Objects by {objects['model']}: {counts}.")
    if (found := told.get("found")) is not None:
        boxes = "; ".join(", ".join(f"{each:,}" for each in box) for box in found["boxes"][:3])
        where = f"left, top, right, bottom {boxes}" if boxes else f"nowhere. {found['there_is']}".rstrip(".")
        said.append(f"“{one_line(found['phrase'])}” ({len(found['boxes']):,}): {where}.")
    return [*said, *(f"Not measured: {why}" for why in told["missing"].values())]


TOOLS = (look_at_image,)
