"""Cut a raster to a box, a drawing or any shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import BandChoices, bands_of, with_data
from tools.map.geometry import checked_box, said_box
from tools.phrases import number, one_line
from tools.rasters import RasterHandle, raster_of, raster_step
from tools.units import BboxDeg
from tools.vectors import VectorHandle, vector_of


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster", regrids=True, done="clipped"), "layer"),
    long_running=True,
)
def raster_clip(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    mask: Annotated[VectorHandle | None, Field(description="The shapes to clip to; or give bbox.")] = None,
    bbox: Annotated[BboxDeg | None, Field(description="[west, south, east, north] in degrees.")] = None,
    bands: Annotated[BandChoices | None, Field(description="Only these bands; all where left out.")] = None,
    crop: Annotated[bool, Field(description="Whether the raster ends where the shapes end.")] = True,
    all_touched: Annotated[
        bool, Field(description="Whether pixels that a shape only touches stay too.")
    ] = False,
) -> Step:
    """Cut a raster to shapes (a drawing, a layer, an artifact) or to a box; its pixels stay as they are.

    The grid and the coordinate system are kept. Pixels whose centres lie outside the shapes get nodata: the
    raster's own value, not-a-number in floating point, else a mask in the file. A box keeps whole pixels.

    Example: copilot call raster_clip raster=raster-5ce4e0 mask=vector-f1e1d5

    Asked as: clip it to the drawing | cut the scene to the polygon | crop the raster to this box | keep only
    the part inside the field | mask the image with the boundary | extract the area of interest from the scene
    """
    from data.raster.clip import clip

    source = raster_of(state, world, raster)
    if (mask is None) == (bbox is None):
        given = "Neither shapes nor a box were" if mask is None else "Both shapes and a box were"
        raise ToolError(
            f"{given} given to cut {one_line(source.name)} to; name one of them: the drawing, a layer of "
            "features, or a box as west, south, east, north; image_crop cuts by pixels, such as 256 by 256."
        )
    numbers = bands_of(source.path, bands) if bands else []
    inputs: list[Input] = [source]
    if mask is not None:
        shapes = vector_of(state, world, mask)
        inputs.append(shapes)
        frame, where, rectangle = shapes.frame, one_line(shapes.name), False
    else:
        assert bbox is not None
        frame, where, rectangle = _box_frame(bbox), said_box(checked_box(bbox)), bbox[0] <= bbox[2]
    kept: list[float] = []

    def make(target: Path) -> None:
        kept.append(
            clip(
                source.path,
                target,
                frame,
                rectangle=rectangle,
                crop=crop,
                all_touched=all_touched,
                bands=numbers,
            )
        )

    def said(target: Path) -> str:
        inside = number(round(100 * kept[0], 2))
        return f"Clipped {one_line(source.name)} to {where}: {_size(target)}, {inside} % of them inside."

    call = Call.of(
        raster_clip, raster=raster, mask=mask, bbox=bbox, bands=bands, crop=crop, all_touched=all_touched
    )
    step = raster_step(state, world, call, inputs, make, name=f"{source.name} clipped"[:100], said=said)
    return with_data(step, inside_pct=round(100 * kept[0], 4))


def _box_frame(bbox: list[float]) -> object:
    import geopandas as gpd

    from tools.map.shapes import box_shape

    return gpd.GeoDataFrame(geometry=[box_shape(checked_box(bbox))], crs="EPSG:4326")


def _size(path: Path) -> str:
    import rasterio

    with rasterio.open(path) as source:
        return f"{source.width:,} x {source.height:,} pixels"


TOOLS = (raster_clip,)
