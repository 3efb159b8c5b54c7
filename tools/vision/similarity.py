"""How alike two images are."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.phrases import listed, number
from tools.rasters import RasterHandle, raster_of
from tools.vision.guarding import Anyway, guarded


@tool("vision", needs=("raster",), long_running=True)
@guarded("image", "other")
def image_similarity(
    state: State,
    world: World,
    *,
    image: RasterHandle,
    other: Annotated[RasterHandle, Field(description="The image that it is compared with.")],
    anyway: Anyway = False,
) -> Step:
    """Tell how alike two images are, 0 to 1, in colour, texture and structure, and whether of one place.

    Histogram intersection (Swain and Ballard 1991) of CIE L*a*b* colours and of the bands both have, local
    binary patterns (Ojala et al. 2002), co-occurrence (Haralick 1973), gradient directions, and SSIM (Wang et
    al. 2004) where both show the same ground or share a grid. The same place: a tenth of the smaller
    footprint lies in the other.

    Example: copilot call image_similarity image=raster-5ce4e0 other=raster-5ce4e1

    Asked as: how similar are these two images | do they look alike | compare the two pictures | is this the
    same place as the other one | how much does it resemble the earlier image | similarity score of both |
    are these images of the same area | match the photo against the other
    """
    from data.raster.errors import RasterError
    from data.vision.similarity import METHOD, compare

    one, two = raster_of(state, world, image), raster_of(state, world, other)
    try:
        told = world.work("Comparing two images", compare, one.path, two.path)
    except RasterError as error:
        raise ToolError(str(error)) from None
    parts = listed([f"{name} {number(value)}" for name, value in told.parts.items()])
    if told.overlap is None:
        where = "At least one of them has no place, so footprints do not tell whether they show the same."
    elif told.same_place:
        share = number(round(100 * told.overlap, 1))
        where = f"They show the same place: {share} % of the smaller footprint is in the other."
    else:
        share = number(round(100 * told.overlap, 1))
        where = f"They show different places: {share} % of the smaller footprint is in the other."
    notes = "".join(f" {each}" for each in told.notes)
    data = {
        "likeness": told.likeness,
        "parts": dict(told.parts),
        "overlap": told.overlap,
        "same_place": told.same_place,
        "model": METHOD,
    }
    said = f"{one.name} and {two.name} are alike by {number(told.likeness)} of 1: {parts}. {where}{notes}"
    return Step(state, said, data)


TOOLS = (image_similarity,)
