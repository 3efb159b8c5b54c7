"""Lay features over each other: what they share, cover together or leave, and merged by a field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.features import (
    Features,
    OtherVector,
    area_in_words,
    column_of,
    features_on_plane,
    noted,
    plane_named,
    rounded,
    sentences,
)
from tools.map.files import in_degrees
from tools.phrases import listed, number, number_of
from tools.tables import plain_value
from tools.units import Names
from tools.vectors import VectorHandle, vector_step

if TYPE_CHECKING:
    import geopandas as gpd


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def intersection(state: State, world: World, *, vector: VectorHandle, other: OtherVector) -> Step:
    """Keep the parts of features that lie inside the polygons of others, with the fields of both.

    Points and lines are cut to the polygons as well. Fields that both have end in _1 and _2. Edges are
    straight on the plane that both are kept on, else in longitude and latitude, so neighbours fit without
    gaps. Areas are geodesic.

    Example: copilot call intersection vector=vector-1a2b3c other=vector-1a2b3c

    Asked as: what the two layers have in common | cut the parcels to the drawing | where do the fields
    overlap the box | the overlap of both polygons | only the part inside the circle | clip the features to
    this area
    """
    from data.vector.overlay import intersection as shared

    first, second = features_on_plane(state, world, vector, other)
    with sentences():
        frame = shared(first.frame, second.frame)
    said = f"{first.name} and {second.name} share {_sized(frame)}."
    if frame.empty:
        said = f"{first.name} and {second.name} have nothing in common."
    call = Call.of(intersection, vector=vector, other=other)
    name = f"{first.name} inside {second.name}"
    return _made(state, world, call, (first, second), frame, name, said)


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def union(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    other: Annotated[
        OtherVector | None, Field(description="The other features; without, the first alone.")
    ] = None,
    pieces: Annotated[
        bool, Field(description="Cut both at each other's borders and keep every piece with its fields.")
    ] = False,
) -> Step:
    """Merge features into the one shape that they cover together, overlaps counted once.

    With pieces, the polygons of both are cut at each other's borders instead, and every piece keeps the
    fields of what it came from. Areas are geodesic.

    Example: copilot call union vector=vector-1a2b3c

    Asked as: merge the two layers into one shape | combine both polygons | join the drawings together | what
    do they cover in total without counting overlaps twice | add the two areas together | unite the shapes
    """
    from data.vector.overlay import union as merged
    from data.vector.overlay import union_pieces

    handles = [vector] if other is None else [vector, other]
    first, *others = features_on_plane(state, world, *handles)
    second = next(iter(others), None)
    if pieces and second is None:
        raise ToolError("Pieces come of two layers; give the other one as well.")
    with sentences():
        if pieces and second is not None:
            frame = union_pieces(first.frame, second.frame)
        else:
            frame = merged(first.frame, None if second is None else second.frame)
    both = (first,) if second is None else (first, second)
    together = listed([each.name for each in both])
    said = (
        f"{together} cut at each other's borders make {_sized(frame)}."
        if pieces
        else (
            f"{together} together cover {_size(frame)}."
            if _size(frame)
            else f"Merged {together} into one shape."
        )
    )
    call = Call.of(union, vector=vector, other=other, pieces=pieces)
    return _made(state, world, call, both, frame, f"Union of {together}", said)


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def difference(state: State, world: World, *, vector: VectorHandle, other: OtherVector) -> Step:
    """Cut away from features what others cover; the fields stay, and what is wholly covered goes.

    Edges are straight on the plane that both are kept on, else in longitude and latitude. Areas are
    geodesic.

    Example: copilot call difference vector=vector-1a2b3c other=Harbours

    Asked as: subtract the lake from the parcel | the drawing without the buffer | what is left of the area
    outside the polygons | erase the second layer from the first | the part not covered by the footprints |
    fields minus the protected zone
    """
    from data.vector.overlay import difference as left_of

    first, second = features_on_plane(state, world, vector, other)
    with sentences():
        frame = left_of(first.frame, second.frame)
    said = f"Without {second.name}, {first.name} leaves {_sized(frame)}."
    if frame.empty:
        said = f"Nothing is left of {first.name} without {second.name}: it is wholly covered."
    call = Call.of(difference, vector=vector, other=other)
    return _made(state, world, call, (first, second), frame, f"{first.name} without {second.name}", said)


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def split_geometry(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    other: OtherVector,
    within_m: Annotated[
        float, Field(ge=0, le=10_000, description="Points split a line that is at most so far away, metres.")
    ] = 1.0,
) -> Step:
    """Split lines at points or at other lines, and polygons at lines or outlines; each piece is a row.

    A piece has the fields of what it was; pieces of a line come in order along it. A point splits a line at
    the place of it that is nearest. What nothing lies over stays whole. Lengths are on the plane that both
    are kept on, else in the UTM zone of the first.

    Example: copilot call split_geometry vector=vector-1a2b3c other=vector-1a2b3c

    Asked as: split the river at the gauges | cut the roads at the stations | break lines at their crossings
    with the other layer | split the parcels along the new road | divide the polygon by this line | cut the
    line into sections at the points
    """
    from data.vector.overlay import split

    first, second = features_on_plane(state, world, vector, other)
    own = first.frame.crs
    plane = own if own is not None and own.is_projected else plane_named(first.frame, "utm")
    metre = float(plane.axis_info[0].unit_conversion_factor)
    with sentences():
        frame, cut = split(first.frame.to_crs(plane), second.frame.to_crs(plane), within_m / metre)
    frame = frame.to_crs(own)
    whole = number_of(len(first.frame), "feature")
    said = f"{cut:,} of the {whole} of {first.name} were split at {second.name}: "
    said += f"{number_of(len(frame), 'piece')}."
    call = Call.of(split_geometry, vector=vector, other=other, within_m=within_m)
    return _made(state, world, call, (first, second), frame, f"{first.name} split", said, split=cut)


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def dissolve(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    by: Annotated[
        str | None,
        Field(min_length=1, max_length=200, description="A field; left out, all become one feature."),
    ] = None,
    sums: Annotated[
        Names | None, Field(description="Fields of numbers to add up in each merged feature.")
    ] = None,
) -> Step:
    """Merge features that have the same value of a field, adding up other fields and counting them.

    Inner borders go. `features` says how many were merged. Features without a value make one of their own.

    Example: copilot call dissolve vector=vector-1a2b3c

    Asked as: merge the polygons by region | one feature per country | combine all parcels of the same owner
    and add up their area | remove the inner borders | group the shapes by type into one each | aggregate the
    districts to provinces
    """
    from data.vector.overlay import dissolve as merged_by

    (features,) = features_on_plane(state, world, vector)
    field = None if by is None else column_of(features, by)
    adding = [column_of(features, each) for each in dict.fromkeys(sums or [])]
    if field in adding:
        raise ToolError(f"{field!r} is what the features are merged by; it cannot be added up as well.")
    with sentences():
        frame = merged_by(features.frame, field, adding)
    by_what = f" by {field}" if field else ""
    merged = f"{number_of(len(features.frame), 'feature')} of {features.name}"
    said = f"Merged the {merged}{by_what} into {_sized(frame)}."
    if field is not None and len(frame) <= 10:
        groups = zip(frame[field], frame["features"], strict=True)
        said += f" {field}: {listed([f'{key} {int(n):,}' for key, n in groups], 10)}."
    totals = {each: plain_value(float(frame[each].sum())) for each in adding}
    if totals:
        sums_said = [
            f"{key} {'no value' if total is None else number(total)}" for key, total in totals.items()
        ]
        said += f" Sums: {listed(sums_said)}."
    call = Call.of(dissolve, vector=vector, by=by, sums=sums)
    title = f"{features.name} merged{by_what}"
    return _made(state, world, call, (features,), frame, title, said, totals=totals)


def _made(
    state: State,
    world: World,
    call: Call,
    inputs: tuple[Features, ...],
    frame: gpd.GeoDataFrame,
    name: str,
    said: str,
    **data: Any,
) -> Step:
    """The step to the features that came out, with their area."""
    from data.vector.measuring import areas_m2

    area = float(areas_m2(in_degrees(frame).geometry.to_numpy()).sum())
    sizes: dict[str, Any] = {
        "area_m2": rounded(area),
        "area_ha": rounded(area / 1e4),
        "area_km2": rounded(area / 1e6),
    }
    sources = [each.source for each in inputs]
    return vector_step(
        state, world, call, sources, frame, name=name[:100], said=noted(said, *inputs), **sizes, **data
    )


def _sized(frame: gpd.GeoDataFrame) -> str:
    """`3 features of 12 km² together`."""
    size = _size(frame)
    return number_of(len(frame), "feature") + (
        f" of {size}{' together' if len(frame) > 1 else ''}" if size else ""
    )


def _size(frame: gpd.GeoDataFrame) -> str:
    from data.vector.measuring import areas_m2

    area = float(areas_m2(in_degrees(frame).geometry.to_numpy()).sum())
    return area_in_words(area)[2] if area else ""


TOOLS = (intersection, union, difference, split_geometry, dissolve)
