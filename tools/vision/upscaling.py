"""An image at twice its resolution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from data.models.card import ModelName
from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.geotools.raster_arguments import with_data
from tools.phrases import number
from tools.rasters import RasterHandle, raster_of, raster_step
from tools.vision.guarding import Anyway, guarded


@tool(
    "vision",
    changes_state=True,
    needs=(conditions.Raster("image", modality="optical|picture"),),
    gives=(conditions.Raster("raster", of="image", regrids=True, done="super_resolved"),),
    long_running=True,
)
@guarded("image")
def super_resolution(
    state: State, world: World, *, image: RasterHandle, model: ModelName = None, anyway: Anyway = False
) -> Step:
    """Double an image's resolution with a network: sharper than bicubic, half the pixel, same place.

    A small residual network with a pixel shuffle (after ESPCN, Shi et al. 2016) says what to add to bicubic
    interpolation, one band at a time, so any bands and data type will do. Trained on aerial pictures made
    coarser by a Gaussian blur of 0 to 0.9 pixels and 2 x 2 averaging. The finer detail is estimated, not
    seen: do not measure or identify by it.

    Example: copilot call super_resolution image=raster-9407a0

    Asked as: make it sharper | enhance the resolution | super resolution | zoom in without blur | twice the
    pixels | upscale this image | it is too coarse, can you make it finer | enhance! | increase the detail
    """
    source = raster_of(state, world, image)
    call = Call.of(super_resolution, image=image, model=model, anyway=anyway)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.vision.upscale import upscaled

        done = world.work(
            "Doubling the resolution", upscaled, source.path, path, model=model, models=world.models
        )
        found.update(
            model=done.model, method=done.method, factor=done.factor,
            pixel_width=done.pixel_before[0] / done.factor, pixel_height=done.pixel_before[1] / done.factor,
            detail_percent=done.detail_percent,
        )  # fmt: skip

    def said(_: Path) -> str:
        return (
            f"{source.name} at {found['factor']} times its resolution, by {found['model']}; what was added "
            f"to bicubic interpolation is {number(found['detail_percent'])} % of the spread. The finer "
            "detail is estimated from other images, not seen in this one."
        )

    step = raster_step(
        state, world, call, [source], make, name=f"{source.name}, twice as fine"[:100], said=said
    )
    return with_data(step, **found)


TOOLS = (super_resolution,)
