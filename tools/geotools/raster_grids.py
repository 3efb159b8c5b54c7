"""Rasters in other coordinate systems and pixel sizes, and several joined into one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import crs_text, said_plainly, with_data
from tools.phrases import listed, one_line
from tools.rasters import Raster, RasterHandle, raster_of, raster_step
from tools.units import Names

if TYPE_CHECKING:
    from data.raster.windows import Grid

DEGREE_M = 111_319.490793
"""One degree along the equator of WGS84."""

Method = Literal[
    "nearest", "bilinear", "cubic", "cubic_spline", "lanczos", "average", "mode", "min", "max", "med", "sum"
]
Resampling = Annotated[
    Method,
    Field(
        description="nearest keeps values (classes), bilinear and cubic smooth, average and mode for coarser."
    ),
]
PixelM = Annotated[float, Field(gt=0, le=1e7, description="Pixel size, metres.")]


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", placed=True),),
    gives=(
        conditions.Raster("raster", of="raster", regrids=True, when="like=none"),
        conditions.Raster("raster", of="raster", grid_of="like"),
        "layer",
    ),
    long_running=True,
)
def raster_reproject(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    crs: Annotated[
        str | None,
        Field(
            min_length=1, max_length=2000, description="EPSG:3857, another code or text, or utm for its zone."
        ),
    ] = None,
    like: Annotated[
        RasterHandle | None, Field(description="In place of crs: the raster whose grid it is brought onto.")
    ] = None,
    resolution_m: PixelM | None = None,
    resampling: Resampling = "nearest",
) -> Step:
    """Bring a raster into another coordinate system (EPSG code or UTM), or onto another raster's grid.

    By GDAL's warper, in chunks. Without a pixel size, one that keeps the number of pixels along the diagonal.
    In a system of degrees, resolution_m counts 111,319.49 m to a degree.

    Example: copilot call raster_reproject raster=raster-5ce4e0 crs=EPSG:4326

    Asked as: reproject the raster to Web Mercator | put the scene into UTM | change its projection to
    EPSG:3857 | bring it onto the same grid as the other raster | warp the image to WGS84 | align the two
    rasters
    """
    from data.raster.warp import crs_of, grid_in, utm_of, warp
    from data.raster.windows import grid_of

    source = raster_of(state, world, raster)
    if (crs is None) == (like is None):
        raise ToolError(
            "raster_reproject needs crs, such as EPSG:3857 or utm, or like, a raster; one of them."
        )
    if like is not None and resolution_m is not None:
        raise ToolError("With like, the pixels are as large as that raster's; leave resolution_m out.")
    other = raster_of(state, world, like) if like is not None else None
    with said_plainly():
        own = grid_of(source.path)
        if other is not None:
            grid = grid_of(other.path)
        else:
            wanted = utm_of(own) if str(crs).strip().lower() == "utm" else crs_of(str(crs))
            grid = grid_in(own, wanted, _in_unit(wanted, resolution_m))
    call = Call.of(
        raster_reproject, raster=raster, crs=crs, like=like, resolution_m=resolution_m, resampling=resampling
    )
    where = f"the grid of {one_line(other.name)}" if other else crs_text(grid.crs)
    said = (
        f"Brought {one_line(source.name)} onto {where}"
        if other
        else f"Brought {one_line(source.name)} into {where}"
    )
    return _warped(state, world, call, [source, *([other] if other else [])], grid, resampling, said, warp)


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster", regrids=True), "layer"),
    long_running=True,
)
def raster_resample(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    resolution_m: PixelM | None = None,
    factor: Annotated[
        float | None,
        Field(gt=0, le=1000, description="How many times as large pixels become: 2 coarser, 0.5 finer."),
    ] = None,
    resampling: Annotated[
        Method | Literal["auto"],
        Field(
            description="auto: average where pixels grow, bilinear where they shrink, nearest for a palette."
        ),
    ] = "auto",
) -> Step:
    """Give a raster larger or smaller pixels, in its own coordinate system.

    By GDAL's warper, from the upper left corner. In a system of degrees, metres are turned into degrees at
    the raster's middle, on the WGS84 ellipsoid.

    Example: copilot call raster_resample raster=raster-5ce4e0 resolution_m=20

    Asked as: resample to 30 m | make the pixels 20 metres | coarser by a factor of 4 | downsample the scene |
    double the resolution | aggregate to 100 m pixels | halve its size
    """
    from data.raster.warp import pixel_sizes, resized, warp
    from data.raster.windows import grid_of

    source = raster_of(state, world, raster)
    if (resolution_m is None) == (factor is None):
        raise ToolError("raster_resample needs resolution_m, the new pixel size, or factor; one of them.")
    with said_plainly():
        own = grid_of(source.path)
        across, down = pixel_sizes(own)
        if factor is not None:
            grid = resized(own, across * factor, down * factor)
        else:
            assert resolution_m is not None
            grid = resized(own, *_metres_in(own, resolution_m))
    method = _automatic(source, own, grid) if resampling == "auto" else resampling
    call = Call.of(
        raster_resample, raster=raster, resolution_m=resolution_m, factor=factor, resampling=resampling
    )
    said = f"Resampled {one_line(source.name)} by {method}"
    return _warped(state, world, call, [source], grid, method, said, warp)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("rasters"),),
    gives=(conditions.Raster("raster", of="rasters", regrids=True, done="mosaicked"), "layer"),
    long_running=True,
)
def raster_mosaic(
    state: State,
    world: World,
    *,
    rasters: Annotated[Names, Field(description="Two or more rasters: ids or names.")],
    overlap: Annotated[
        Literal["first", "last", "min", "max", "mean"],
        Field(description="Which value a pixel gets where several rasters have one."),
    ] = "first",
    resampling: Annotated[
        Method, Field(description="For rasters that do not lie on the first one's grid.")
    ] = "nearest",
) -> Step:
    """Join rasters that lie side by side or overlap into one.

    Coordinate system, pixel size, bands and nodata are the first raster's; others are brought onto its grid,
    which is stretched by whole pixels.

    Example: copilot call raster_mosaic rasters=raster-5ce4e0,raster-5ce4e0

    Asked as: mosaic the two scenes | merge the tiles into one raster | stitch the images together | combine
    these rasters into a single one | join both elevation models | one raster out of all the clips
    """
    from data.raster.mosaic import MOST_RASTERS, mosaic

    if not 2 <= len(rasters) <= MOST_RASTERS:
        raise ToolError(f"raster_mosaic takes 2 to {MOST_RASTERS} rasters, not {len(rasters)}.")
    sources = [raster_of(state, world, each) for each in rasters]
    moved: list[int] = []

    def make(target: Path) -> None:
        paths = [each.path for each in sources]
        moved.append(mosaic(paths, target, rule=overlap, resampling=resampling)[1])

    def said(target: Path) -> str:
        warped = f", {moved[0]} of them brought onto the first one's grid" if moved[0] else ""
        names = listed([one_line(each.name) for each in sources])
        return f"Joined {names}{warped}: {_size(target)}."

    call = Call.of(raster_mosaic, rasters=rasters, overlap=overlap, resampling=resampling)
    name = f"Mosaic of {len(sources)} rasters"
    step = raster_step(state, world, call, sources, make, name=name, said=said)
    return with_data(step, moved=moved[0])


def _warped(
    state: State,
    world: World,
    call: Call,
    sources: list[Raster],
    grid: Grid,
    method: str,
    said: str,
    warp: Any,
) -> Step:
    """The step of a raster on another grid, with its new pixel size."""
    pixels = f"{grid.width:,} x {grid.height:,} pixels of {_pixel_text(grid)}, {method}"
    name = {"raster_reproject": "reprojected", "raster_resample": "resampled"}[call.tool]
    step = raster_step(
        state,
        world,
        call,
        sources,
        lambda target: warp(sources[0].path, target, grid, method=method),
        name=f"{sources[0].name} {name}"[:100],
        said=f"{said}: {pixels}.",
    )
    code = crs_text(grid.crs).partition(" (")[0]
    return with_data(
        step, crs=code, pixel_x=_digits(abs(grid.transform.a)), pixel_y=_digits(abs(grid.transform.e))
    )


def _in_unit(crs: Any, resolution_m: float | None) -> float | None:
    """Metres in the unit of a coordinate system."""
    if resolution_m is None:
        return None
    return resolution_m / (DEGREE_M if crs.is_geographic else float(crs.linear_units_factor[1]))


def _metres_in(grid: Grid, resolution_m: float) -> tuple[float, float]:
    """A pixel size in the unit of a grid's own CRS, across and down."""
    from data.raster.ground import pixel_m
    from data.raster.warp import pixel_sizes

    widths, heights = pixel_m(grid, grid.height // 2, 1)
    across, down = pixel_sizes(grid)
    return across * resolution_m / float(widths[0]), down * resolution_m / float(heights[0])


def _automatic(source: Raster, own: Grid, grid: Grid) -> str:
    from rasterio.enums import ColorInterp

    from data.raster.files import opened

    with opened(source.path) as reader:
        if reader.colorinterp[0] == ColorInterp.palette:
            return "nearest"
    return "average" if grid.width < own.width else "bilinear"


def _pixel_text(grid: Grid) -> str:
    from data.raster.warp import pixel_sizes

    across, down = (f"{each:.6g}" for each in pixel_sizes(grid))
    unit = "degrees" if grid.crs is not None and grid.crs.is_geographic else "m"
    if grid.crs is not None and grid.crs.is_projected and float(grid.crs.linear_units_factor[1]) != 1:
        unit = str(grid.crs.linear_units)
    return f"{across} x {down} {unit}"


def _size(path: Path) -> str:
    import rasterio

    with rasterio.open(path) as source:
        return f"{source.width:,} x {source.height:,} pixels"


def _digits(value: float) -> float:
    return float(f"{value:.10g}")


TOOLS = (raster_reproject, raster_resample, raster_mosaic)
