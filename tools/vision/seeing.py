"""What an image is and shows: its modality, its scene, a caption, and answers about it."""

from __future__ import annotations

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.phrases import number
from tools.rasters import RasterHandle, raster_of


@tool("vision", needs=("raster",), long_running=True)
def classify_image(state: State, world: World, *, image: RasterHandle) -> Step:
    """Tell whether an image is optical, multispectral, panchromatic or radar (SAR), how sure, and why.

    By the file's own words (complex samples, polarisations, bands beyond the visible, colours), else by its
    grain at full resolution: speckle varies by 0.17 of the mean or more (Goodman 1976; Oliver and Quegan
    1998), its neighbours are unlike, and polarisations do not share it. Heights and masks are none of them.

    Example: copilot call classify_image image=raster-5ce4e0

    Asked as: is this radar or optical | what kind of image is it | which sensor type made this picture |
    is that a SAR image | modality of the image | is this one colour or panchromatic | what am I looking
    at, radar or a photo | how many bands and of which kind | is it multispectral
    """
    from data.raster.errors import RasterError
    from data.vision.modality import METHOD, tell_modality

    raster = raster_of(state, world, image)
    try:
        told = world.work("Telling the image's modality", tell_modality, raster.path)
    except RasterError as error:
        raise ToolError(str(error)) from None
    data = {
        "modality": told.name,
        "confidence": told.confidence,
        "reasons": list(told.reasons),
        "measured": dict(told.measured),
        "looks_like": told.instead,
        "model": METHOD,
    }
    why = " ".join(told.reasons)
    if told.name is None:
        return Step(state, f"{raster.name} is no image of a known kind but holds {told.instead}. {why}", data)
    kind = "radar (SAR)" if told.name == "sar" else told.name
    return Step(
        state, f"{raster.name} is {kind}, with a confidence of {number(told.confidence)}. {why}", data
    )


TOOLS = (classify_image,)
