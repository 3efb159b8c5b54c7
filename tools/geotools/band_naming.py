"""Say which band of a raster is which, where its file does not, or says it wrongly."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from state.model import State
from tools import conditions
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import said_plainly
from tools.geotools.raster_indices import BandMap
from tools.phrases import listed, one_line
from tools.rasters import RasterHandle, as_it_came

SensorName = Annotated[
    str,
    Field(min_length=1, max_length=60, description="Sentinel-2, Landsat 5, NAIP, PlanetScope, WorldView-2 …"),
]


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster", in_place=True, bands_for="bands"),),
)
def name_bands(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    bands: BandMap | None = None,
    sensor: SensorName | None = None,
) -> Step:
    """Say which band of a raster is which colour, by number or by its sensor, for all that follows.

    Names are red, green, blue, nir, swir16 and the like, or words for them; they go over what the file says,
    and hold for indices, composites and every look at the pixels until they are undone or said anew. A
    sensor names the bands of its codes (B4, SR_B4) or of a product of so many bands.

    Example: copilot call name_bands raster=raster-5ce4e0 bands="red=3,nir=4"

    Asked as: red is band 3 and infrared is band 4 | the bands are blue, green, red and nir | this is a
    Landsat 5 scene | band 1 is SWIR | name the bands | the channels are in the order of NAIP | take the bands
    as those of Sentinel-2 | which band is which: 1 green, 2 red, 3 infrared
    """
    from data.raster.naming import names_said

    if bands is None and sensor is None:
        raise ToolError(
            'name_bands needs bands, as in bands="red=3,nir=4", or the sensor that made the raster.'
        )
    source = as_it_came(state, world, raster)
    with said_plainly():
        names = names_said(source.path, bands, sensor, state.bands_of(source.key))
    told = [f"band {at} is {name}" for at, name in enumerate(names, start=1) if name]
    unnamed = [str(at) for at, name in enumerate(names, start=1) if not name]
    rest = f"; without a name: {listed(unnamed)}" if unnamed else ""
    said = f"Of {one_line(source.name)}, {listed(told)}{rest}. That holds for all that is computed from it."
    facts = {"raster": source.handle, "bands": list(names)}
    return Step(state.with_bands(source.key, names), said, facts)


TOOLS = (name_bands,)
