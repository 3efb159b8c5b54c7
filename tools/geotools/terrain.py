"""Read an elevation model: shade, slope, aspect, contour lines, and what is seen from a point."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.geotools.raster_arguments import said_plainly, with_data
from tools.phrases import listed, number, number_of
from tools.rasters import Raster, RasterHandle, raster_of, raster_step
from tools.units import Latitude, Longitude
from tools.vectors import vector_step

ZFactor = Annotated[
    float,
    Field(
        gt=0,
        le=1000,
        description="What heights are multiplied with: 2 overdoes the relief.",
    ),
]
Answer = dict[str, Any]


def _unit(source: Raster) -> str:
    """The sentence about heights that are no metres by their file; empty for metres."""
    from data.raster.ground import height_unit

    with said_plainly():
        return height_unit(source.path).said


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="elevation"),),
    gives=(conditions.Raster("raster", of="raster", modality="quantity"),),
    long_running=True,
)
def hillshade(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    azimuth_deg: Annotated[
        float, Field(ge=0, le=360, description="Where the light comes from, degrees clockwise from north.")
    ] = 315.0,
    altitude_deg: Annotated[
        float, Field(ge=0, le=90, description="How high the light stands over the horizon, degrees.")
    ] = 45.0,
    z_factor: ZFactor = 1.0,
    multidirectional: Annotated[
        bool, Field(description="Light from four sides, which shows ridges of every direction.")
    ] = False,
) -> Step:
    """Shade an elevation model as if lit from one side: relief in grey, 1 dark to 255 bright.

    Horn (1981), as gdaldem; multidirectional after Mark (1992). Heights in the file's unit, metres where it
    says none, times z_factor. In a raster in degrees each row is scaled by its latitude. The outermost
    pixels have no value.

    Example: copilot call hillshade raster=raster-de0de0 azimuth_deg=315

    Asked as: shaded relief | show the relief of the DEM | hill shading lit from the north west | make the
    terrain look three-dimensional | relief shading of the elevation | light the mountains from the west
    """
    source = raster_of(state, world, raster)
    call = Call.of(
        hillshade,
        raster=raster,
        azimuth_deg=azimuth_deg,
        altitude_deg=altitude_deg,
        z_factor=z_factor,
        multidirectional=multidirectional,
    )

    def make(path: Path) -> None:
        from data.raster.terrain import hillshade as shaded

        shaded(
            source.path,
            path,
            azimuth_deg=azimuth_deg,
            altitude_deg=altitude_deg,
            z_factor=z_factor,
            light="multidirectional" if multidirectional else "single",
        )

    light = "from four sides" if multidirectional else f"from {number(azimuth_deg)}°"
    said = (
        f"Shaded {source.name} with light {light}, {number(altitude_deg)}° above the horizon.{_unit(source)}"
    )
    looks = {"colormap": "grey", "stretch": "none"}
    facts = {"azimuth_deg": azimuth_deg, "altitude_deg": altitude_deg, "z_factor": z_factor}
    return raster_step(
        state,
        world,
        call,
        [source],
        make,
        name=f"Hillshade of {source.name}",
        said=said,
        options=looks,
        **facts,
    )


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="elevation"),),
    gives=(conditions.Raster("raster", of="raster", modality="quantity"),),
    long_running=True,
)
def slope(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    unit: Annotated[
        Literal["degrees", "percent"], Field(description="Degrees, or percent where 100 is 45 degrees.")
    ] = "degrees",
    z_factor: ZFactor = 1.0,
) -> Step:
    """Compute how steep an elevation model is, in degrees or percent, with its mean and its steepest.

    Horn's gradient of the eight neighbours (1981), as gdaldem. Heights in the file's unit, metres where it
    says none, times z_factor. In a raster in degrees each row is scaled by its latitude. The outermost
    pixels have no value.

    Example: copilot call slope raster=raster-de0de0 unit=degrees

    Asked as: how steep is the terrain | gradient of the DEM | steepness map | slope in percent |
    inclination of the ground | where is it too steep to build
    """
    source = raster_of(state, world, raster)
    found: Answer = {}

    def make(path: Path) -> None:
        from data.raster.terrain import slope as steepness

        summary = steepness(source.path, path, unit=unit, z_factor=z_factor)
        found.update(summary.facts(), unit=unit)

    def said(_: Path) -> str:
        if found["mean"] is None:
            return f"{source.name} is too small or too empty for a slope."
        return (
            f"The slope of {source.name} is {number(found['mean'])} {unit} on average and "
            f"{number(found['max'])} {unit} at most, over {number_of(found['valid_px'], 'pixel')}."
            f"{_unit(source)}"
        )

    call = Call.of(slope, raster=raster, unit=unit, z_factor=z_factor)
    step = raster_step(
        state,
        world,
        call,
        [source],
        make,
        name=f"Slope of {source.name}",
        said=said,
        options={"colormap": "magma"},
    )
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="elevation"),),
    gives=(conditions.Raster("raster", of="raster", modality="quantity"),),
    long_running=True,
)
def aspect(state: State, world: World, *, raster: RasterHandle) -> Step:
    """Compute which way the slopes of an elevation model face, degrees clockwise from north.

    Horn's gradient of the eight neighbours (1981), as gdaldem; flat ground faces nowhere and has no value.

    Example: copilot call aspect raster=raster-de0de0

    Asked as: which way do the slopes face | exposition of the terrain | south facing slopes | direction of
    the slopes | slope orientation from the DEM | are the hillsides facing north or south
    """
    source = raster_of(state, world, raster)
    found: Answer = {}

    def make(path: Path) -> None:
        from data.raster.terrain import aspect as facing

        found["facing_pct"] = {key: round(value, 3) for key, value in facing(source.path, path).items()}

    def said(_: Path) -> str:
        shares = sorted(found["facing_pct"].items(), key=lambda each: -each[1])
        if not shares[0][1]:
            return f"Nothing of {source.name} slopes: it is flat, too small or empty."
        most = listed([f"{key} {number(share)} %" for key, share in shares if share])
        return f"Of what slopes in {source.name}, this much faces each way: {most}."

    step = raster_step(
        state,
        world,
        Call.of(aspect, raster=raster),
        [source],
        make,
        name=f"Aspect of {source.name}",
        said=said,
        options={"colormap": "viridis"},
    )
    return with_data(step, **found)


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="elevation"),),
    gives=(conditions.Vector("vector", geometry="line"),),
    long_running=True,
)
def contour_lines(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    interval_m: Annotated[
        float, Field(gt=0, le=10_000, description="Height between one line and the next, metres.")
    ] = 10.0,
    base_m: Annotated[
        float, Field(ge=-100_000, le=100_000, description="A height that has a line; others count from it.")
    ] = 0.0,
) -> Step:
    """Draw the lines of equal height of an elevation model, with their heights and lengths in metres.

    Marching squares between the pixels' centres (contourpy), joined across windows; lengths are geodesic.

    Example: copilot call contour_lines raster=raster-de0de0 interval_m=20

    Asked as: isolines of the DEM | contours every 50 metres | height lines on top | draw elevation contours
    | lines of equal height every ten metres | topographic lines
    """
    source = raster_of(state, world, raster)
    with said_plainly():
        from data.raster.contours import contours

        frame = contours(source.path, interval_m=interval_m, base_m=base_m)
    heights = sorted(set(frame["elevation_m"]))
    length_m = float(frame["length_m"].sum())
    said = f"No line: {source.name} crosses no multiple of {number(interval_m)} m."
    if heights:
        said = (
            f"{number_of(len(frame), 'line')} at {number_of(len(heights), 'height')} from "
            f"{number(heights[0])} to {number(heights[-1])} m, {number(length_m / 1000)} km long together."
            f"{_unit(source)}"
        )
    return vector_step(
        state,
        world,
        Call.of(contour_lines, raster=raster, interval_m=interval_m, base_m=base_m),
        [source],
        frame,
        name=f"Contours of {source.name}, {number(interval_m)} m",
        said=said,
        color="brown",
        interval_m=interval_m,
        levels_m=heights[:100],
        length_m=length_m,
    )


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", modality="elevation", placed=True),),
    gives=(conditions.Raster("raster", of="raster", modality="mask"),),
    long_running=True,
)
def viewshed(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    lon: Longitude,
    lat: Latitude,
    observer_height_m: Annotated[
        float, Field(ge=0, le=50_000, description="Eye level above the ground, metres.")
    ] = 1.7,
    target_height_m: Annotated[
        float, Field(ge=0, le=50_000, description="Height of what is looked at above the ground, metres.")
    ] = 0.0,
    max_distance_m: Annotated[
        float, Field(gt=0, le=100_000, description="How far is looked at most, metres.")
    ] = 10_000.0,
) -> Step:
    """Find what can be seen from a point over an elevation model, and how many hectares that is.

    Wang, Robinson and White (2000), as gdal_viewshed; the Earth's curve less a refraction of 0.13 is taken
    off. 1 is seen, 0 hidden. A raster in degrees is measured at the observer's latitude.

    Example: copilot call viewshed raster=raster-de0de0 lon=4.39 lat=51.995 max_distance_m=2000

    Asked as: what can be seen from here | visible area from the tower | line of sight over the terrain |
    which ground does the lookout see | view from the hilltop | what is hidden from a 30 m mast
    """
    source = raster_of(state, world, raster)
    found: Answer = {}

    def make(path: Path) -> None:
        from data.raster.viewshed import viewshed as seen_from

        x, y = _in_raster(source.path, lon, lat)
        eye, aim, reach = observer_height_m, target_height_m, max_distance_m
        seen = seen_from(
            source.path, path, x=x, y=y, observer_height_m=eye, target_height_m=aim, max_distance_m=reach
        )
        found.update(
            ground_m=round(seen.ground_m, 3),
            visible_px=seen.visible_px,
            visible_ha=round(seen.visible_px * seen.pixel_area_m2 / 10_000, 4),
            visible_pct=round(100 * seen.visible_px / seen.known_px, 3),
            max_distance_m=max_distance_m,
        )

    def said(_: Path) -> str:
        return (
            f"From {number(observer_height_m)} m above the ground at {lon:.5f}, {lat:.5f} (which is "
            f"{number(found['ground_m'])} m high), {number(found['visible_ha'])} ha are seen, "
            f"{number(found['visible_pct'])} % of what lies within {number(max_distance_m)} m.{_unit(source)}"
        )

    call = Call.of(
        viewshed,
        raster=raster,
        lon=lon,
        lat=lat,
        observer_height_m=observer_height_m,
        target_height_m=target_height_m,
        max_distance_m=max_distance_m,
    )
    looks = {"colormap": "viridis", "stretch": "minmax"}
    name = f"Viewshed over {source.name}"
    step = raster_step(state, world, call, [source], make, name=name, said=said, options=looks)
    return with_data(step, **found)


def _in_raster(path: Path, lon: float, lat: float) -> tuple[float, float]:
    """A place in the raster's own coordinates. Raises RasterError where it has none."""
    import math

    from pyproj import Transformer
    from pyproj.exceptions import ProjError

    from data.raster.errors import RasterError
    from data.raster.windows import grid_of

    crs = grid_of(path).crs
    if crs is None:
        raise RasterError(
            "viewshed needs to know where the raster lies, and it has no CRS; place_raster gives one."
        )
    try:
        x, y = Transformer.from_crs("EPSG:4326", crs.to_wkt(), always_xy=True).transform(lon, lat)
    except ProjError:
        x = y = math.inf
    if not (math.isfinite(x) and math.isfinite(y)):
        raise RasterError("The observer stands outside the raster; give a point within its bounds.")
    return x, y


TOOLS = (hillshade, slope, aspect, contour_lines, viewshed)
