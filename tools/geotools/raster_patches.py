"""Clean and measure rasters: small patches away, holes filled, distances to what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.geotools.raster_arguments import BandChoice, band_of, with_data
from tools.geotools.raster_vector import Condition, Diagonal, condition
from tools.phrases import number, number_of
from tools.rasters import RasterHandle, raster_of, raster_step


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="classes|mask"),),
    gives=(conditions.Raster("raster", of="raster", done="sieved"),),
    long_running=True,
)
def sieve(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    min_px: Annotated[
        int, Field(ge=2, le=1_000_000, description="Patches of fewer pixels go to their largest neighbour.")
    ] = 10,
    band: BandChoice = 1,
    diagonal: Diagonal = False,
) -> Step:
    """Take small patches out of a raster of classes: each gets the class of its largest neighbour.

    GDAL's sieve filter, on whole numbers; nodata stays.

    Example: copilot call sieve raster=raster-1a2b3c min_px=2

    Asked as: remove specks from the classification | clean up the mask | drop patches under 20 pixels | get
    rid of salt and pepper | filter out tiny clumps | smooth the class map
    """
    source = raster_of(state, world, raster)
    index = band_of(source.path, band)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.patches import sieve as without_small

        found["changed_px"] = without_small(
            source.path, path, min_px=min_px, band=index, connectivity=8 if diagonal else 4
        )

    def said(_: Path) -> str:
        return (
            f"Patches of {source.name} under {number(min_px)} pixels went to their neighbours: "
            f"{number_of(found['changed_px'], 'pixel')} changed."
        )

    call = Call.of(sieve, raster=raster, min_px=min_px, band=band, diagonal=diagonal)
    step = raster_step(
        state, world, call, [source], make, name=f"{source.name}, sieved"[:100], said=said,
        options={"stretch": "minmax"},
    )  # fmt: skip
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster", done="filled"),),
    long_running=True,
)
def fill_nodata(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    max_distance_px: Annotated[
        int, Field(ge=1, le=500, description="How far a value is looked for at most, pixels.")
    ] = 100,
    smoothing: Annotated[
        int, Field(ge=0, le=20, description="Passes of a 3 x 3 mean over what was filled.")
    ] = 0,
) -> Step:
    """Fill the pixels without a value from those around them, in every band.

    Inverse distances to the nearest values in four directions (GDAL's fillnodata).

    Example: copilot call fill_nodata raster=raster-5ce4e0 max_distance_px=10

    Asked as: fill the holes in the DEM | close the gaps | interpolate the missing pixels | fill voids |
    patch the nodata areas | fill in what is missing
    """
    source = raster_of(state, world, raster)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.gaps import fill_nodata as filled

        made = filled(source.path, path, max_distance_px=max_distance_px, smoothing=smoothing)
        found.update(filled_px=made.holes_px - made.left_px, left_px=made.left_px)

    def said(_: Path) -> str:
        if not found["filled_px"] and not found["left_px"]:
            return f"{source.name} has no pixel without a value; it is as it was."
        left = (
            f"{number_of(found['left_px'], 'pixel')} lie farther than {max_distance_px} pixels from any value"
        )
        rest = f"; {left} and stay empty" if found["left_px"] else ""
        return f"Filled {number_of(found['filled_px'], 'pixel')} of {source.name}{rest}."

    call = Call.of(fill_nodata, raster=raster, max_distance_px=max_distance_px, smoothing=smoothing)
    step = raster_step(state, world, call, [source], make, name=f"{source.name}, filled"[:100], said=said)
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="classes|mask|quantity"),),
    gives=(conditions.Raster("raster", of="raster", modality="quantity"),),
    long_running=True,
)
def proximity(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    where: Condition | None = None,
    value: Annotated[
        float | None, Field(ge=-1e30, le=1e30, description="Measure to pixels of exactly this value.")
    ] = None,
    band: BandChoice = 1,
    max_distance_m: Annotated[
        float | None, Field(gt=0, le=1e8, description="Farther pixels get no value, metres.")
    ] = None,
) -> Step:
    """Compute how far each pixel is from the nearest pixel that meets a condition, in metres.

    The exact Euclidean distance between pixel centres in the raster's projection (Felzenszwalb and
    Huttenlocher 2012). Without a condition it is measured to what is not 0. Needs a projected raster.

    Example: copilot call proximity raster=raster-5ce4e0 band=nir where="< 500"

    Asked as: distance to the water | how far is each pixel from the road | distance map from the mask |
    closeness to the buildings | Euclidean distance raster | metres to the nearest pixel of class 3
    """
    source = raster_of(state, world, raster)
    wanted = condition(where, value)
    index = band_of(source.path, band)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.patches import Where
        from data.raster.proximity import proximity as distances

        summary = distances(
            source.path, path, where=wanted or Where("!=", 0.0), band=index, max_distance_m=max_distance_m
        )
        found.update(mean_m=round(summary.mean, 3), max_m=round(summary.greatest, 3))

    def said(_: Path) -> str:
        return (
            f"Distances to where {source.name} is {wanted or '!= 0'}: {number(found['mean_m'])} m on "
            f"average, {number(found['max_m'])} m at most."
        )

    call = Call.of(
        proximity, raster=raster, where=where, value=value, band=band, max_distance_m=max_distance_m
    )
    step = raster_step(
        state, world, call, [source], make, name=f"Distance in {source.name}"[:100], said=said,
        options={"colormap": "magma", "stretch": "minmax"},
    )  # fmt: skip
    return with_data(step, **found)


TOOLS = (sieve, fill_nodata, proximity)
