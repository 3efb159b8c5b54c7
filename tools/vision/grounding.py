"""What a phrase means in an image: boxes around the objects it names, or the pixels of what it names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.detections import detections_step
from tools.phrases import number_of, one_line
from tools.rasters import RasterHandle, raster_of
from tools.vision.guarding import Anyway, guarded
from tools.vision.products import Outlines, area_words, mask_step

Phrase = Annotated[
    str,
    Field(
        min_length=1,
        max_length=300,
        description="What is meant: class, colour, size, place, neighbour ('the largest ship in the north').",
    ),
]


@tool("vision", changes_state=True, needs=("raster",), gives=("detections",), long_running=True)
@guarded("image")
def visual_grounding(
    state: State, world: World, *, image: RasterHandle, phrase: Phrase, anyway: Anyway = False
) -> Step:
    """Box the objects or ground that a phrase means, such as "the largest ship in the north", and say why.

    Candidates are the detector's objects, or the connected parts of a cover. Each word then leaves some:
    position by thirds and halves of the image, colour measured inside the outline, neighbours by the gap
    between boxes, size by the outline's area, order. Nothing found: it says what there is.

    Example: copilot call visual_grounding image=raster-5ce4e0 phrase="the largest lake"

    Asked as: where is the largest ship | find the white plane next to the hangar | point to all tanks on the
    left | show me the red car | box the biggest building in the north | locate the plane in the upper right |
    which one is the long boat | mark the second largest tank | find the lake in the south
    """
    from data.vision.detections import features
    from data.vision.grounding import ground

    raster = raster_of(state, world, image)
    asked = _parsed(phrase)
    told = _worked(world, f"Looking for {one_line(phrase)}", ground, raster.path, asked, world.models, anyway)
    why = " ".join(told.why)
    if not told.found:
        said = f"Nothing in {raster.name} is {one_line(phrase)!r}. {told.there_is} {why}"
        facts = {"count": 0, "by_class": {}, "why": list(told.why), "model": told.model}
        return Step(state, said, {**facts, "said_first": list(told.said)})
    frame = features(told.found, raster.path, model=told.model, source=raster.handle)
    by_class = {name: int(count) for name, count in frame["class_name"].value_counts().sort_index().items()}
    call = Call.of(visual_grounding, image=image, phrase=phrase, anyway=anyway)
    matches = number_of(len(told.found), "match")
    said = f"{matches} for {one_line(phrase)!r} in {raster.name}, by {told.model}: {why}"
    return detections_step(
        state, world, call, [raster], frame, name=one_line(f"{phrase} in {raster.name}"), said=said,
        by_class=by_class, why=list(told.why), model=told.model, said_first=list(told.said),
    )  # fmt: skip


@tool("vision", changes_state=True, needs=("raster",), gives=("raster", "vector"), long_running=True)
@guarded("image")
def referring_segmentation(
    state: State, world: World, *, image: RasterHandle, phrase: Phrase, anyway: Anyway = False
) -> Step:
    """Mask the pixels that a phrase means, such as "the green field in the south", with outlines.

    What is meant is found as by visual_grounding. Objects are cut out of their boxes by GrabCut (Rother,
    Kolmogorov and Blake 2004); regions are the cover's cells, their edges drawn to the picture's (guided
    filter, He, Sun and Tang 2013). Areas are geodesic.

    Example: copilot call referring_segmentation image=raster-5ce4e0 phrase="the lake"

    Asked as: outline the river | mask the green field in the south | cut out the largest ship | segment the
    white building | which pixels are the lake | draw around the forest on the left | select the big tank |
    extract the plane in the middle | shade the park
    """
    from data.vision.grounding import ground
    from data.vision.referring import refer

    raster = raster_of(state, world, image)
    asked = _parsed(phrase)
    told = _worked(world, f"Looking for {one_line(phrase)}", ground, raster.path, asked, world.models, anyway)
    if not told.found:
        said = f"Nothing in {raster.name} is {one_line(phrase)!r}. {told.there_is} {' '.join(told.why)}"
        facts = {"count": 0, "why": list(told.why), "model": told.model}
        return Step(state, said, {**facts, "said_first": list(told.said)})
    found: dict[str, Any] = {"model": told.model, "matches": len(told.found), "why": list(told.why)}
    found["said_first"] = list(told.said)

    def make(path: Path) -> None:
        world.work(f"Cutting out {one_line(phrase)}", refer, raster.path, path, asked, world.models, anyway)

    def said_of(areas: Any) -> str:
        matches = number_of(len(told.found), "match")
        what = f"{one_line(phrase)!r} in {raster.name} is {area_words(areas[0])}"
        return f"{what}, {matches} by {told.model}: {' '.join(told.why)}"

    call = Call.of(referring_segmentation, image=image, phrase=phrase, anyway=anyway)
    return mask_step(
        state, world, call, [raster], make, name=one_line(f"{phrase} in {raster.name}"), said=said_of,
        classes={1: "meant"}, polygons=Outlines(min_px=4), color="#b83280", found=found,
    )  # fmt: skip


def _parsed(phrase: str) -> Any:
    """What the phrase says. Raises ToolError where it names nothing."""
    from data.raster.errors import RasterError
    from data.vision.grounding import parse_phrase

    try:
        return parse_phrase(one_line(phrase))
    except RasterError as error:
        raise ToolError(str(error)) from None


def _worked(world: World, title: str, function: Any, *more: Any) -> Any:
    from data.raster.errors import RasterError

    try:
        return world.work(title, function, *more)
    except RasterError as error:
        raise ToolError(str(error)) from None


TOOLS = (visual_grounding, referring_segmentation)
