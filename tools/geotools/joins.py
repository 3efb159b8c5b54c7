"""Join features by where they are: what meets what, what is nearest, how many points a polygon holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.features import (
    MOST_NAMES,
    Features,
    OtherVector,
    column_of,
    edges_followed,
    features_of,
    features_on_plane,
    length_in_words,
    names_of,
    noted,
    rounded,
    sentences,
    without_shapes,
)
from tools.phrases import listed, number, number_of
from tools.tables import SHOWN_ROWS, plain_rows, plain_value
from tools.vectors import VectorHandle, vector_step

if TYPE_CHECKING:
    import geopandas as gpd

FieldName = Annotated[
    str, Field(min_length=1, max_length=200, description="A field of the points, of numbers.")
]
MOST_NEAREST = 5000
"""Most features whose nearest one is looked for."""


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def spatial_join(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    other: OtherVector,
    predicate: Annotated[
        Literal["intersects", "within", "contains", "touches", "crosses", "overlaps", "covers", "covered_by"],
        Field(description="What a feature of the first has to do with one of the other."),
    ] = "intersects",
    keep: Annotated[
        Literal["matched", "all"],
        Field(description="Only features that match, or all, empty where none does."),
    ] = "matched",
) -> Step:
    """Keep features that meet others, with the fields of what they meet: points in polygons, and the like.

    A feature that meets several comes once for each. Fields that both have end in _1 and _2. Borders count
    as intersecting.

    Example: copilot call spatial_join vector=vector-1a2b3c other=Harbours predicate=intersects

    Asked as: which ports are inside the drawing | add the country's name to each point | which parcels touch
    the river | features within the polygon | join the two layers by location | which of them lie in the
    buffer | give every image the district it is in
    """
    from data.vector.joining import matches
    from data.vector.joining import spatial_join as joined

    first, second = features_on_plane(state, world, vector, other)
    with sentences():
        frame = joined(first.frame, second.frame, predicate, keep)
        ours, theirs = matches(first.frame, second.frame, predicate)
    meeting = first.frame.iloc[sorted(set(ours.tolist()))]
    found = names_of(meeting)
    one, several = _SAID[predicate]
    does = one if len(meeting) == 1 else several
    said = (
        f"{len(meeting):,} of the {number_of(len(first.frame), 'feature')} of {first.name} "
        f"{does} {number_of(len(set(theirs.tolist())), 'feature')} of {second.name}"
    )
    said += f": {listed(found, 10)}." if found else "."
    call = Call.of(spatial_join, vector=vector, other=other, predicate=predicate, keep=keep)
    facts = {
        "matched": len(meeting),
        "unmatched": len(first.frame) - len(meeting),
        "pairs": len(ours),
        "names": found[:MOST_NAMES],
        "first": plain_rows(without_shapes(frame.head(SHOWN_ROWS))),
    }
    name = f"{first.name} with {second.name}"
    return _made(state, world, call, (first, second), frame, name, said, facts)


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def nearest(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    other: OtherVector,
    within_m: Annotated[
        float | None, Field(gt=0, le=2.1e7, description="Only those that have one so near, metres.")
    ] = None,
    neighbours: Annotated[
        int, Field(ge=1, le=100, description="How many, each in a row of its own; over 1 between points.")
    ] = 1,
) -> Step:
    """Find for every feature the nearest one of others, with its fields and the geodesic distance in metres.

    From edge to edge on WGS84, also over the antimeridian; 0 where they meet. `distance_m` and
    `azimuth_deg` (clockwise from north) are new fields. At most 5,000 features that are no points. With
    neighbours over 1, the nearest points come each in a row, with their `rank`.

    Example: copilot call nearest vector=vector-1a2b3c other=vector-1a2b3c

    Asked as: which port is closest to each image | nearest road to every building | distance to the closest
    station | what lies nearest to the marker | closest harbour to the drawing | find the neighbour of each
    """
    from data.vector.joining import are_points, nearest_points
    from data.vector.joining import nearest as nearest_to

    first, second = features_of(state, world, vector), features_of(state, world, other)
    points = are_points(first.frame) and are_points(second.frame)
    if neighbours > 1 and not points:
        raise ToolError("Several neighbours are found between points only; centroid makes points of shapes.")
    if not points and len(first.frame) > MOST_NEAREST:
        raise ToolError(
            f"{first.name} has {len(first.frame):,} features, and the nearest one is looked for from at most "
            f"{MOST_NEAREST:,}; narrow them first."
        )
    with sentences():
        if neighbours > 1 or (points and len(first.frame) > MOST_NEAREST):
            frame = nearest_points(first.frame, second.frame, neighbours)
            frame = frame if neighbours > 1 else frame.drop(columns=frame.columns[-3])
        else:
            frame = nearest_to(edges_followed(first), edges_followed(second))
            frame = frame.set_geometry(first.frame.geometry.to_numpy(), crs=first.frame.crs)
    distance = frame.columns[-2]
    if within_m is not None:
        frame = frame[frame[distance] <= within_m].reset_index(drop=True)
    call = Call.of(nearest, vector=vector, other=other, within_m=within_m, neighbours=neighbours)
    said, facts = _nearest_in_words(first, second, frame, distance, within_m)
    if neighbours > 1 and len(frame):
        pairs = number_of(len(frame), "pair")
        said = f"{pairs} of {first.name} with the {neighbours:,} nearest of {second.name}."
    name = f"Nearest of {second.name} to {first.name}"
    return _made(state, world, call, (first, second), frame, name, said, facts)


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def points_in_polygon(
    state: State,
    world: World,
    *,
    points: Annotated[
        VectorHandle, Field(description="What is counted: an artifact's or a layer's id, or 'selection'.")
    ],
    polygons: Annotated[
        VectorHandle, Field(description="What it is counted in: an artifact's or a layer's id.")
    ],
    sum_of: Annotated[FieldName | None, Field(description="Also add up this field of the points.")] = None,
) -> Step:
    """Count the points in every polygon, per square kilometre too, and add up a field where asked.

    A point on a border counts on both sides; lines and polygons count where a point inside them is. New
    fields: `points`, `points_per_km2` (geodesic area), and `FIELD_sum`.

    Example: copilot call points_in_polygon points=selection polygons=vector-1a2b3c

    Asked as: how many images are in each district | count the ships per cell | points per polygon | number of
    ports inside the drawing | population per region | density of the points in every hexagon
    """
    from data.vector.joining import points_in_polygons

    first, second = features_on_plane(state, world, points, polygons)
    field = None if sum_of is None else column_of(first, sum_of)
    with sentences():
        frame, outside = points_in_polygons(first.frame, second.frame, field)
    counts = frame["points" if "points" not in second.frame else "points_2"]
    inside = len(first.frame) - outside
    full, most = int((counts > 0).sum()), int(counts.max())
    lie = "lies" if inside == 1 else "lie"
    said = (
        f"{inside:,} of the {number_of(len(first.frame), 'feature')} of {first.name} {lie} in "
        f"{number_of(full, 'polygon')} of {second.name}, {outside:,} in none"
    )
    said += f"; the most in one are {most:,}." if len(frame) > 1 else "."
    facts: dict[str, Any] = {
        "inside": inside,
        "outside": outside,
        "polygons": len(frame),
        "empty": len(frame) - full,
        "most": most,
        "first": plain_rows(without_shapes(frame.head(SHOWN_ROWS))),
    }
    if field is not None:
        total = float(frame[frame.columns[-1]].sum())
        said += f" {field} adds up to {number(total)}."
        facts["sum"] = plain_value(total)
    call = Call.of(points_in_polygon, points=points, polygons=polygons, sum_of=sum_of)
    name = f"{first.name} counted in {second.name}"
    return _made(state, world, call, (first, second), frame, name, said, facts, like=1)


def _nearest_in_words(
    first: Features, second: Features, frame: gpd.GeoDataFrame, distance: str, within_m: float | None
) -> tuple[str, dict[str, Any]]:
    """What was found, and the distances as an answer quotes them."""
    if frame.empty:
        limit = length_in_words(within_m or 0.0)[2]
        return f"Nothing of {second.name} is within {limit} of {first.name}.", {"matched": 0}
    metres = frame[distance]
    names = names_of(frame, after=len(first.frame.columns) - 1)
    least, greatest, mean = (
        length_in_words(float(each))[2] for each in (metres.min(), metres.max(), metres.mean())
    )
    facts: dict[str, Any] = {
        "matched": len(frame),
        "distance_m": rounded(float(metres.min())),
        "greatest_m": rounded(float(metres.max())),
        "mean_m": rounded(float(metres.mean())),
        "names": names[:MOST_NAMES],
        "first": plain_rows(without_shapes(frame.head(SHOWN_ROWS))),
    }
    if len(frame) == 1:
        who = f" is {names[0]}," if names else " is"
        return f"The nearest of {second.name} to {first.name}{who} {least} away.", facts
    far = "" if within_m is None else f" that have one within {length_in_words(within_m)[2]}"
    said = (
        f"The nearest of {second.name} to each of {number_of(len(frame), 'feature')} of {first.name}{far} is "
        f"{least} to {greatest} away, {mean} on average."
    )
    return said, facts


def _made(
    state: State,
    world: World,
    call: Call,
    inputs: tuple[Features, ...],
    frame: gpd.GeoDataFrame,
    name: str,
    said: str,
    facts: dict[str, Any],
    like: int = 0,
) -> Step:
    sources = [each.source for each in inputs]
    return vector_step(
        state, world, call, sources, frame, name=name[:100], said=noted(said, *inputs), like=like, **facts
    )


_SAID = {
    "intersects": ("meets", "meet"),
    "within": ("is within", "are within"),
    "contains": ("contains", "contain"),
    "touches": ("touches", "touch"),
    "crosses": ("crosses", "cross"),
    "overlaps": ("overlaps", "overlap"),
    "covers": ("covers", "cover"),
    "covered_by": ("is covered by", "are covered by"),
}

TOOLS = (spatial_join, nearest, points_in_polygon)
