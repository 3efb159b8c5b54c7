"""Give a raster a place on the map: for scans, photos and pictures that came without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from state.model import Bbox, State
from tools import conditions
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.map.geometry import camera_for, checked_box, said_box
from tools.phrases import number_of
from tools.places import area_of_place, place_named
from tools.rasters import Raster, RasterHandle, raster_of, raster_step
from tools.units import BboxDeg, NewName, PlaceName

if TYPE_CHECKING:
    from affine import Affine

    from data.uploads.georeference import ControlPoint


def _rows(value: Any) -> Any:
    """Lists of four out of objects with those names, as people write them."""
    keys = ("column", "row", "lon", "lat")

    def numbers(each: Any) -> Any:
        return [each[key] for key in keys] if isinstance(each, dict) and set(each) == set(keys) else each

    return [numbers(each) for each in value] if isinstance(value, list) else value


ControlPoints = Annotated[
    list[Annotated[list[float], Field(min_length=4, max_length=4)]],
    BeforeValidator(_rows),
    Field(
        min_length=3,
        max_length=500,
        description="Points of the picture and where they are: [column, row, longitude, latitude] each, "
        "pixels from the upper left corner and degrees.",
    ),
]


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster", placed=True, regrids=True), "layer"),
    long_running=True,
)
def place_raster(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    bbox: BboxDeg | None = None,
    place: PlaceName | None = None,
    control_points: ControlPoints | None = None,
    name: NewName | None = None,
) -> Step:
    """Give a picture without a place on the map one: a box, a place's name, or three or more control points.

    With a box the picture fills it. With a place's name it is laid, in its own proportions, into the place's
    extent, which is only rough. With control points an affine transform is fitted by least squares and its
    residual told in metres (root mean square); a picture that lies turned is brought north up by nearest
    neighbour. The result is a GeoTIFF in EPSG:4326 with the picture's own pixel values.

    Example: copilot call place_raster raster=raster-1a2b3c bbox=[4,51,5,52]

    Asked as: it lies over Delft | the picture covers this box | georeference the scan | put the photo on the
    map at 4.3 to 4.5 east | place the image in Rotterdam | use these control points for the old map | pin the
    drawing's corners to these coordinates
    """
    from data.raster.errors import RasterError
    from data.uploads import georeference

    ways = [each for each in (bbox, place, control_points) if each is not None]
    if len(ways) != 1:
        raise ToolError(
            "place_raster needs one of: bbox [west, south, east, north], place (a name), or control_points."
        )
    source = raster_of(state, world, raster)
    call = Call.of(
        place_raster, raster=source.handle, bbox=bbox, place=place, control_points=control_points, name=name
    )
    try:
        transform, said, facts = _where(source, world, bbox, place, control_points)
    except RasterError as error:
        raise ToolError(str(error)) from None
    title = name or f"{source.name}, placed"[:100]
    step = raster_step(
        state,
        world,
        call,
        [source],
        lambda path: georeference.place(source.path, path, transform),
        name=title,
        said=said,
        **facts,
    )
    camera = camera_for(_bbox(step))
    return Step(step.state.with_map(center=camera.center, zoom=camera.zoom), step.observation, step.data)


def _bbox(step: Step) -> Bbox:
    west, south, east, north = step.data["bbox"]
    return (west, south, east, north)


def _where(
    source: Raster,
    world: World,
    bbox: list[float] | None,
    place: str | None,
    points: list[list[float]] | None,
) -> tuple[Affine, str, dict[str, Any]]:
    """From pixels to degrees, what is said of it, and its figures."""
    from data.uploads import georeference

    width, height = georeference.size_of(source.path)
    if points is not None:
        fit = georeference.fit([_point(each) for each in points], width, height)
        rest = (
            "exactly"
            if len(points) == 3
            else f"with a residual of {fit.residual_m:,.1f} m (root mean square)"
        )
        said = f"{source.name} was placed by {number_of(len(points), 'control point')}, {rest}."
        return fit.transform, said, {"control_points": len(points), "residual_m": round(fit.residual_m, 3)}
    if place is not None:
        found = place_named(world.gazetteer, place)
        box = georeference.fitted_box(area_of_place(world.gazetteer, found, None).bbox, width, height)
        said = f"{source.name} was laid over {found.label} in its own proportions, which is only rough."
        return georeference.box_transform(box, width, height), said, {"place": found.label}
    assert bbox is not None
    asked = checked_box(bbox)
    if asked[0] == asked[2] or asked[1] >= asked[3]:
        raise ToolError(f"The box {bbox} has no area; give [west, south, east, north] in degrees.")
    said = f"{source.name} was placed in the box {said_box(asked)}."
    return georeference.box_transform(asked, width, height), said, {}


def _point(numbers: list[float]) -> ControlPoint:
    from data.uploads.georeference import ControlPoint

    column, row, lon, lat = numbers
    if not (-180 <= lon <= 360 and -90 <= lat <= 90):
        raise ToolError(
            f"The control point {numbers} is none: it is [column, row, longitude, latitude], degrees last."
        )
    return ControlPoint(column, row, lon, lat)


TOOLS = (place_raster,)
