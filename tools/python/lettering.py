"""Write and draw on pictures, and lay several out on one sheet."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.map.styles import color_of
from tools.phrases import listed, number_of, one_line
from tools.python.pictures import look_of, picture_step, readable
from tools.rasters import RasterHandle, raster_of
from tools.units import ColorText, Words


def _boxes(value: Any) -> Any:
    """A list of boxes where one box was given."""
    if isinstance(value, (list, tuple)) and len(value) == 4 and not isinstance(value[0], (list, tuple, str)):
        return [value]
    return value


PixelBox = Annotated[list[float], Field(min_length=4, max_length=4)]


@tool("python", changes_state=True, needs=("raster",), gives=("raster", "layer"), long_running=True)
def image_annotate(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    text: Annotated[str | None, Field(max_length=500, description="A text to write.")] = None,
    at: Annotated[
        list[float] | None,
        Field(min_length=2, max_length=2, description="[column, row] where the text begins, pixels."),
    ] = None,
    boxes: Annotated[
        Annotated[list[PixelBox], BeforeValidator(_boxes)] | None,
        Field(
            max_length=500, description="[left, top, right, bottom] of each box, pixels from the upper left."
        ),
    ] = None,
    labels: Annotated[Words | None, Field(description="A text over each box.")] = None,
    scale_bar: Annotated[bool, Field(description="Draw a scale bar; needs a raster with a place.")] = False,
    color: Annotated[ColorText, Field(description="The colour of the boxes.")] = "gold",
    size_px: Annotated[int, Field(ge=6, le=400, description="Height of the letters, pixels.")] = 16,
) -> Step:
    """Write a text, boxes with labels and a scale bar onto a picture; its place is kept.

    The picture comes out in 8 bits a colour, as the map shows it. The scale bar is geodesic, at its middle.

    Example: copilot call image_annotate raster=raster-5ce4e0 text="Lake near Delft" scale_bar=true

    Asked as: write "north basin" on the picture | add a scale bar to the image | draw a box around the ship
    at these pixels | label the photo | put a title on the picture | annotate the image with the date
    """
    from data.pictures.drawing import Marks, bar_of, bar_words

    found = raster_of(state, world, raster)
    words = one_line_text(text)
    if not (words or boxes or scale_bar):
        raise ToolError("image_annotate needs a text, boxes or scale_bar=true.")
    with readable():
        bar = bar_of(found.path) if scale_bar else None
    if scale_bar and bar is None:
        raise ToolError(f"{one_line(found.name)} has no place on the map, so no scale; leave scale_bar out.")
    frames, named = _framed(boxes or [], labels or [])
    start = None if at is None else _point(at)
    marks = Marks(words, start, frames, named, bar, _ink(color), size_px)
    drawn = [f"the text {words!r}"] if words else []
    drawn += [number_of(len(frames), "box")] if frames else []
    drawn += [f"a scale bar of {bar_words(bar)}"] if bar else []
    call = Call.of(
        image_annotate,
        raster=found.handle,
        text=text,
        at=at,
        boxes=boxes,
        labels=labels,
        scale_bar=scale_bar,
        color=color,
        size_px=size_px,
    )
    look, said = look_of(None, "percentile", None), f"Drew {listed(drawn)} on {one_line(found.name)}."
    looks: dict[str, str | float | bool] = {"bands": "1,2,3", "stretch": "none"}
    make = partial(_annotated, found.path, look, marks)
    name = f"{found.name} annotated"
    return picture_step(
        state, world, call, [found], make, name=name, said=said, options=looks, scale_bar_m=bar
    )


@tool("python", changes_state=True, needs=("raster",), gives=("raster",), long_running=True)
def image_montage(
    state: State,
    world: World,
    *,
    rasters: Annotated[Words, Field(min_length=2, max_length=36, description="The rasters, in their order.")],
    columns: Annotated[int | None, Field(ge=1, le=12, description="Pictures in a row.")] = None,
    tile_px: Annotated[
        int, Field(ge=16, le=2_000, description="Side of each picture's square, pixels.")
    ] = 256,
    labels: Annotated[bool, Field(description="Write each picture's name under it.")] = True,
) -> Step:
    """Lay two or more pictures side by side on one sheet, each with its name under it.

    The sheet is a picture without a place on the map.

    Example: copilot call image_montage rasters='["raster-5ce4e0", "raster-5a75a7"]' tile_px=64

    Asked as: put the pictures side by side | contact sheet of the scenes | montage of the photos | show both
    images on one sheet | a mosaic of thumbnails with names | lay the images out in a grid
    """
    from math import ceil, sqrt

    from data.pictures.drawing import montage

    found = [raster_of(state, world, each) for each in rasters]
    across = min(columns or ceil(sqrt(len(found))), len(found))
    names = [one_line(each.name) if labels else "" for each in found]
    look = look_of(None, "percentile", None)
    call = Call.of(
        image_montage,
        rasters=[each.handle for each in found],
        columns=columns,
        tile_px=tile_px,
        labels=labels,
    )
    shown = f": {listed(names)}" if labels else ""
    said = f"Laid {number_of(len(found), 'picture')} out on one sheet, {across} in a row{shown}."
    paths = [each.path for each in found]

    def make(target: Path) -> None:
        montage(paths, target, [look] * len(paths), names, across, tile_px)

    return picture_step(
        state,
        world,
        call,
        found,
        make,
        name=f"Montage of {len(found)} pictures",
        said=said,
        columns=across,
        pictures=[each.handle for each in found],
    )


def one_line_text(text: str | None) -> str | None:
    """A text as it is written on a picture: its lines kept, no controls; None for none."""
    lines = [one_line(each) for each in (text or "").split("\n")[:20]]
    return "\n".join(lines).strip() or None


def _annotated(source: Path, look: Any, marks: Any, target: Path) -> None:
    from data.pictures.drawing import annotate

    annotate(source, target, look, marks)


def _framed(
    boxes: list[list[float]], labels: list[str]
) -> tuple[tuple[tuple[float, float, float, float], ...], tuple[str, ...]]:
    """The boxes and their labels, checked."""
    if len(labels) > len(boxes):
        raise ToolError(f"There are {number_of(len(labels), 'label')} for {number_of(len(boxes), 'box')}.")
    return tuple(_frame(box) for box in boxes), tuple(one_line(each) for each in labels)


def _ink(color: str) -> tuple[int, int, int]:
    code = color_of(color)
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


def _frame(box: list[float]) -> tuple[float, float, float, float]:
    left, top, right, bottom = box
    if not all(abs(each) <= 1e6 for each in box) or left > right or top > bottom:
        raise ToolError(
            f"A box is [left, top, right, bottom] in pixels, with left before right, not {box!r:.80}."
        )
    return left, top, right, bottom


def _point(at: list[float]) -> tuple[float, float]:
    if not all(abs(each) <= 1e6 for each in at):
        raise ToolError(f"The text begins at [column, row] in pixels, not at {at!r:.60}.")
    return at[0], at[1]


TOOLS = (image_annotate, image_montage)
