"""Radar speckle and geometry: despeckle, bring one image onto another, orthorectify."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input, about
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import BandChoice, band_of, finite, with_data
from tools.outside import file_named
from tools.phrases import number, number_of, one_line
from tools.rasters import Raster, RasterHandle, raster_of, raster_step


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="radar", level="amplitude|intensity|sigma0"),),
    gives=(conditions.Raster("raster", of="raster", done="despeckled"),),
    long_running=True,
)
def speckle_filter(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    method: Annotated[
        Literal["lee", "refined_lee", "gamma_map"],
        Field(description="Lee 1980, refined Lee 1981 (keeps edges), or Gamma-MAP 1990."),
    ] = "refined_lee",
    size_px: Annotated[
        Literal[3, 5, 7, 9, 11], Field(description="Side of the window, pixels; refined Lee always takes 7.")
    ] = 7,
    looks: Annotated[
        float | None,
        Field(ge=0.1, le=1000, description="Equivalent number of looks; else estimated from the image."),
    ] = None,
    values: Annotated[
        Literal["intensity", "amplitude"], Field(description="What the pixels are; no decibels.")
    ] = "intensity",
) -> Step:
    """Filter the speckle of a radar image with Lee, refined Lee or Gamma-MAP; says the looks it took.

    Lee (1980), Lee (1981), Lopes et al. (1990): the local mean where the ground is even, the pixel itself
    where it is not. Linear values, not decibels.

    Example: copilot call speckle_filter raster=raster-5a75a7 method=refined_lee values=amplitude

    Asked as: despeckle the SAR image | Lee filter | remove the speckle noise | smooth the radar image but
    keep the edges | Gamma-MAP filtering | reduce the grain of the radar
    """
    source = raster_of(state, world, raster)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.speckle import despeckle

        done = despeckle(source.path, path, method=method, size_px=size_px, looks=looks, values=values)
        found.update(
            looks=finite(done.looks, 6),
            looks_estimated=done.estimated,
            mean_before=finite(done.mean_before, 7),
            mean_after=finite(done.mean_after, 7),
        )

    def said(_: Path) -> str:
        name = {"lee": "Lee", "refined_lee": "refined Lee", "gamma_map": "Gamma-MAP"}[method]
        how = "as estimated from the image" if found["looks_estimated"] else "as given"
        if found["mean_before"] is None:
            return f"{source.name} has no pixel with a value; there is no speckle to filter."
        return (
            f"Filtered {source.name} with {name} at {number(found['looks'])} looks, {how}; "
            f"the mean intensity went from {number(found['mean_before'])} to {number(found['mean_after'])}."
        )

    call = Call.of(speckle_filter, raster=raster, method=method, size_px=size_px, looks=looks, values=values)
    step = raster_step(
        state, world, call, [source], make, name=f"{source.name}, despeckled"[:100], said=said,
        options={"colormap": "grey"},
    )  # fmt: skip
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster"), conditions.Raster("reference")),
    gives=(conditions.Raster("raster", of="raster", grid_of="reference", done="coregistered"),),
    long_running=True,
)
def coregister(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    reference: Annotated[RasterHandle, Field(description="The raster that stays where it is.")],
    band: BandChoice = 1,
    reference_band: BandChoice = 1,
    max_shift_px: Annotated[
        float, Field(gt=0, le=5000, description="A larger shift is taken for a mistake, pixels.")
    ] = 256.0,
) -> Step:
    """Move a raster onto another by the shift that their pixels show, to a fraction of a pixel.

    Phase correlation (Guizar-Sicairos et al. 2008, scikit-image) of the whole and of nine tiles, whose median
    is taken; the result lies on the reference's grid. A shift only, no rotation.

    Example: copilot call coregister raster=raster-5ce4e0 reference=raster-5ce4e0

    Asked as: align the two images | register the second scene to the first | they are shifted against each
    other, fix that | co-registration before change detection | snap this image onto that one | sub-pixel
    alignment
    """
    moving, fixed = raster_of(state, world, raster), raster_of(state, world, reference)
    numbers = band_of(moving.path, band), band_of(fixed.path, reference_band)
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.coregister import coregister as registered

        shift = registered(
            fixed.path,
            moving.path,
            path,
            band=numbers[0],
            reference_band=numbers[1],
            max_shift_px=max_shift_px,
        )
        found.update(
            shift_columns=round(shift.columns, 3),
            shift_rows=round(shift.rows, 3),
            east_m=round(shift.east_m, 3),
            north_m=round(shift.north_m, 3),
            spread_px=round(shift.spread_px, 3),
            tiles=shift.tiles,
            correlation_before=round(shift.correlation_before, 4),
            correlation_after=round(shift.correlation_after, 4),
        )

    def said(_: Path) -> str:
        return (
            f"Moved {moving.name} {number(found['east_m'])} m east and {number(found['north_m'])} m north "
            f"onto {fixed.name} ({number(found['shift_columns'])} and {number(found['shift_rows'])} pixels, "
            f"{number_of(found['tiles'], 'tile')} within {number(found['spread_px'])}); their correlation "
            f"went from {number(found['correlation_before'])} to {number(found['correlation_after'])}."
        )

    call = Call.of(
        coregister,
        raster=raster,
        reference=reference,
        band=band,
        reference_band=reference_band,
        max_shift_px=max_shift_px,
    )
    name = f"{moving.name} on {fixed.name}"[:100]
    step = raster_step(state, world, call, [moving, fixed], make, name=name, said=said)
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster", placed=True, regrids=True, done="orthorectified"),),
    reads_files=True,
    long_running=True,
)
def orthorectify_rpc(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    dem: Annotated[
        RasterHandle | None, Field(description="Heights of the ground, metres above the ellipsoid.")
    ] = None,
    height_m: Annotated[
        float, Field(ge=-1000, le=10_000, description="Or one height above the ellipsoid, metres.")
    ] = 0.0,
    resolution_m: Annotated[
        float | None, Field(gt=0, le=100_000, description="Pixel size, metres; else about the image's own.")
    ] = None,
    crs: Annotated[
        str | None, Field(min_length=4, max_length=100, description="Such as EPSG:32631; else the UTM zone.")
    ] = None,
) -> Step:
    """Put an image that comes with RPCs on the map, at one height or over an elevation model.

    The rational polynomial coefficients (RPC00B) are solved by GDAL, bilinear; the image is the raw one, as
    delivered with its RPCs.

    Example: copilot call orthorectify_rpc raster=raster-4bc4bc height_m=100

    Asked as: orthorectify with the RPCs | terrain correction of the raw image | rectify the satellite image
    over the DEM | make an orthoimage | remove the relief displacement | geocode the raw scene
    """
    source = raster_of(state, world, raster)
    heights = raster_of(state, world, dem) if dem is not None else None
    if resolution_m is not None and crs is not None and "4326" in crs:
        raise ToolError("A resolution in metres does not fit a CRS in degrees; leave one of them out.")
    found: dict[str, Any] = {}

    def make(path: Path) -> None:
        from data.raster.rpc import orthorectify

        made = orthorectify(
            _as_it_came(world, source),
            path,
            height_m=height_m,
            dem=heights.path if heights else None,
            resolution_m=resolution_m,
            crs=crs,
        )
        found.update(crs=made.crs, pixel_size=finite(made.pixel_size, 7), filled_px=made.filled_px)

    def said(_: Path) -> str:
        over = f"over {heights.name}" if heights else f"at {number(height_m)} m"
        return (
            f"Orthorectified {source.name} {over} into {found['crs']} with pixels of "
            f"{number(found['pixel_size'])}; {number_of(found['filled_px'], 'pixel')} have a value."
        )

    call = Call.of(
        orthorectify_rpc, raster=raster, dem=dem, height_m=height_m, resolution_m=resolution_m, crs=crs
    )
    inputs: list[Input] = [source, heights] if heights else [source]
    step = raster_step(state, world, call, inputs, make, name=f"Ortho of {source.name}"[:100], said=said)
    return with_data(step, **found)


def _as_it_came(world: World, source: Raster) -> Path:
    """The image with its RPCs: the raster's own file, else the uploaded one that it was placed from.

    A file that comes in with RPCs is put on the map at one height and loses them; the original is used while
    its content is the same. Raises ToolError when it is gone.
    """
    from data.raster.rpc import has_rpcs

    known = about(world, source.handle)
    came = known.get("upload")
    if has_rpcs(source.path) or known.get("tool") != "add_file" or not isinstance(came, dict):
        return source.path
    from data.uploads.bring import beside, content_key
    from data.uploads.brought import Asked

    asked = known["arguments"]
    file = str(asked["file"])
    path = file_named(world, file).path
    if content_key(path, beside(path), Asked(asked.get("crs"), asked.get("part"))) != came.get("key"):
        raise ToolError(f"{one_line(file)} has changed since it came in; add it again to orthorectify it.")
    return path


TOOLS = (speckle_filter, coregister, orthorectify_rpc)
