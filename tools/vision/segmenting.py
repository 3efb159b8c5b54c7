"""What the ground is, pixel by pixel: land cover by a network, land use by spectral rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.models.card import ModelName
from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.phrases import listed
from tools.rasters import Raster, RasterHandle, raster_of
from tools.vision.guarding import Anyway, guarded
from tools.vision.products import Outlines, area_words, mask_step

if TYPE_CHECKING:
    from data.vision.masks import ClassArea
    from data.vision.segment import Segmented


@tool(
    "vision",
    changes_state=True,
    needs=(
        conditions.Raster(
            "image", modality="optical|picture", bands="red+green+blue", coarsest_m=2.0, when="model=none"
        ),
    ),
    gives=(
        conditions.Raster("raster", of="image", modality="classes"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("image")
def semantic_segmentation(
    state: State, world: World, *, image: RasterHandle, model: ModelName = None, anyway: Anyway = False
) -> Step:
    """Label every pixel of a colour picture as building, land, road, vegetation or water, with areas.

    A small U-Net (Ronneberger, Fischer and Brox 2015) trained on aerial tiles of Dubai; `model` names another
    network of the models folder. Gives the class raster (band 1 the class from 1, band 2 how sure, percent),
    the outlines of the classes, and per class the share in percent and the area in m2 and km2 on the WGS 84
    ellipsoid. Best at 0.3 to 2 m pixels; away from desert towns it is weaker, which its card says in figures.

    Example: copilot call semantic_segmentation image=raster-9407a0

    Asked as: segment this image | label every pixel | land cover map | which pixels are road and which are
    building | colour the picture by class | how much of it is water, green or built | split the scene into
    classes | make a class map of the photo | what covers the ground here
    """
    source = raster_of(state, world, image)
    call = Call.of(semantic_segmentation, image=image, model=model, anyway=anyway)
    return _classified(state, world, call, source, model, use=False)


@tool(
    "vision",
    changes_state=True,
    needs=(
        conditions.Raster(
            "image", modality="optical|picture", bands="red+green+blue", coarsest_m=2.0, when="model=none"
        ),
    ),
    gives=(
        conditions.Raster("raster", of="image", modality="classes"),
        conditions.Vector("vector", geometry="polygon"),
    ),
    long_running=True,
)
@guarded("image")
def land_use_classification(
    state: State, world: World, *, image: RasterHandle, model: ModelName = None, anyway: Anyway = False
) -> Step:
    """Classify land use: water, vegetation, built-up, bare land and more, in percent and km².

    With green, red and near infrared: spectral rules (NDVI after Sobrino et al. 2004, MNDWI Xu 2006 or NDWI
    McFeeters 1996, BSI Rikimaru et al. 2002, NDBI Zha et al. 2003, NDSI Hall et al. 1995). For a colour
    picture: the land-cover network, its probabilities averaged over 9 x 9 pixels. It says which of the two.
    Areas are geodesic.

    Example: copilot call land_use_classification image=raster-5ce4e0

    Asked as: land use | what is the land used for | classify the land | urban or rural | how much is built
    up and how much is farmland | land use map | share of bare soil, vegetation and water | what kind of
    land is this | how green is the area compared with built-up land
    """
    source = raster_of(state, world, image)
    call = Call.of(land_use_classification, image=image, model=model, anyway=anyway)
    return _classified(state, world, call, source, model, use=True)


def _classified(
    state: State, world: World, call: Call, source: Raster, model: str | None, *, use: bool
) -> Step:
    from data.raster.errors import RasterError
    from data.vision.segment import classes_for, land_cover, land_use

    found: dict[str, Any] = {}
    try:
        classes = classes_for(source.path, use=use, model=model, models=world.models)
    except RasterError as error:
        raise ToolError(str(error)) from None

    def make(path: Path) -> None:
        title = "Classifying land use" if use else "Labelling pixels"
        function = land_use if use else land_cover
        done: Segmented = world.work(title, function, source.path, path, model=model, models=world.models)
        found.update(model=done.model, method=done.method)

    def said(areas: Sequence[ClassArea]) -> str:
        there = sorted((each for each in areas if each.pixels), key=lambda each: -each.pixels)
        what = "land use" if use else "land cover"
        if not there:
            return f"No pixel of {source.name} has a value to classify."
        found["largest"] = there[0].name
        parts = listed([f"{each.name} {area_words(each)}" for each in there])
        return f"The {what} of {source.name} by {found['model']} ({found['method']}): {parts}."

    name = f"{'Land use' if use else 'Land cover'} of {source.name}"[:100]
    return mask_step(
        state,
        world,
        call,
        [source],
        make,
        name=name,
        said=said,
        classes=classes,
        polygons=Outlines(min_px=16, simplify_px=1.0),
        options={"colormap": "turbo"},
        found=found,
    )


TOOLS = (semantic_segmentation, land_use_classification)
