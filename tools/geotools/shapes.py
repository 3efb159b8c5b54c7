"""New shapes of features: buffers, middles, hulls, simpler and valid ones, another coordinate system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.features import (
    Features,
    area_in_words,
    features_of,
    features_on_plane,
    length_in_words,
    noted,
    rounded,
    sentences,
)
from tools.map.files import in_degrees
from tools.map.find import said_point
from tools.phrases import listed, number_of
from tools.vectors import VectorHandle, vector_of, vector_step

if TYPE_CHECKING:
    import geopandas as gpd

MOST_CORNERS = 3_000_000
"""Buffers with more corners than this get coarser circles."""


@tool("geotools", changes_state=True, gives=("vector", "layer"), long_running=True)
def buffer(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    distance_m: Annotated[
        float, Field(ge=-9.9e6, le=9.9e6, description="How far, metres; negative shrinks polygons.")
    ],
    dissolve: Annotated[bool, Field(description="Merge what overlaps into one shape.")] = False,
) -> Step:
    """Grow features by a distance in metres, or shrink polygons by a negative one.

    Geodesic on WGS84: each piece on an equidistant plane of its own, beyond 500 km by geodesic circles;
    right to 0.05 % at any latitude, over the poles, and across the antimeridian (cut there). Circles have
    256 corners.

    Example: copilot call buffer vector=vector-1a2b3c distance_m=5000

    Asked as: a 5 km zone around the roads | buffer the drawing by 500 m | everything within 2 km of the ports
    | grow the polygons by 100 metres | shrink the area by 50 m | safety distance around the sites | 12
    nautical miles around the islands
    """
    from data.vector.buffering import buffered
    from data.vector.measuring import area_m2
    from data.vector.overlay import union

    if distance_m == 0:
        raise ToolError(
            "A buffer of 0 m changes nothing; give a distance in metres, negative to shrink polygons."
        )
    features = features_of(state, world, vector)
    if distance_m < 0 and not features.frame.geom_type.str.contains("Polygon").any():
        raise ToolError(f"{features.name} has no polygons to shrink; points and lines only grow.")
    quarter = 64 if len(features.frame) * 256 <= MOST_CORNERS / 10 else 16
    with sentences():
        shapes = [buffered(each, distance_m, quarter) for each in features.frame.geometry]
    frame = _with_shapes(features, shapes)
    gone = len(features.frame) - len(frame)
    covered = union(frame) if len(frame) else frame
    area = area_m2(covered.geometry.iloc[0]) if len(frame) else 0.0
    if dissolve and len(frame):
        frame = covered
    way = f"Grew {features.name} by" if distance_m > 0 else f"Shrank {features.name} by"
    said = f"{way} {length_in_words(abs(distance_m))[2]}: {number_of(len(frame), 'feature')}"
    said += f" that cover {area_in_words(area)[2]}." if len(frame) != 1 else f" of {area_in_words(area)[2]}."
    if gone:
        said += f" Of {number_of(gone, 'feature')} nothing is left."
    facts = {
        "distance_m": distance_m,
        "area_m2": rounded(area),
        "area_ha": rounded(area / 1e4),
        "area_km2": rounded(area / 1e6),
        "lost": gone,
    }
    call = Call.of(buffer, vector=vector, distance_m=distance_m, dissolve=dissolve)
    name = f"{features.name} {'within' if distance_m > 0 else 'less'} {length_in_words(abs(distance_m))[2]}"
    return _made(state, world, call, features, frame, name, said, facts)


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def centroid(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    inside: Annotated[bool, Field(description="A point that surely lies on the feature, instead.")] = False,
) -> Step:
    """Find the middle of every feature, as points with the features' fields.

    The centre of mass on Lambert's azimuthal equal-area plane around the feature (Snyder 1987), so that it
    is right across the antimeridian and around a pole. It may lie outside a bent shape; `inside` does not.

    Example: copilot call centroid vector=vector-1a2b3c

    Asked as: the middle of each polygon | centre points of the fields | turn the areas into points | where is
    the centre of the drawing | midpoints of the footprints | label points for the parcels
    """
    from data.vector.shaping import centroid as middle

    features = features_of(state, world, vector)
    shapes = features.frame.geometry
    points = list(shapes.representative_point()) if inside else [middle(each) for each in shapes]
    frame = _with_shapes(features, points)
    said = f"The middle of each of the {number_of(len(frame), 'feature')} of {features.name}."
    if len(frame) == 1:
        said = f"The middle of {features.name} is at {_precise(points[0])}."
    facts = {"points": [[round(each.x, 6), round(each.y, 6)] for each in points[:10]]}
    call = Call.of(centroid, vector=vector, inside=inside)
    return _made(state, world, call, features, frame, f"Middles of {features.name}", said, facts)


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def convex_hull(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    each: Annotated[bool, Field(description="A hull of every feature, instead of one around all.")] = False,
) -> Step:
    """Draw the convex hull of all features, or of each: the tightest outline without dents.

    Its edges are straight on the plane that the features are kept on. In longitude and latitude they are
    great circles (on the gnomonic plane, Snyder 1987), so it is right across the antimeridian and around a
    pole; what lies around more than half the globe has none.

    Example: copilot call convex_hull vector=vector-1a2b3c

    Asked as: the outline around all points | hull of the ports | wrap the points in a polygon | smallest
    convex area that holds the images | rubber band around the features | envelope of the sites without dents
    """
    import shapely

    from data.vector.globe import collected
    from data.vector.measuring import areas_m2
    from data.vector.shaping import convex_hull as hull_of

    (features,) = features_on_plane(state, world, vector)
    crs = features.frame.crs
    around = hull_of if crs == "EPSG:4326" else shapely.convex_hull
    with sentences():
        if each:
            hulls = [around(one) for one in features.frame.geometry]
            frame = features.frame.set_geometry(hulls, crs=crs)
        else:
            whole = around(collected(list(features.frame.geometry)))
            frame = _single({"features": len(features.frame)}, whole).set_crs(crs, allow_override=True)
    area = float(areas_m2(in_degrees(frame).geometry.to_numpy()).sum())
    of = f"{number_of(len(features.frame), 'feature')} of {features.name}"
    said = f"The convex hulls of the {of} cover " if each else f"The convex hull of the {of} covers "
    said += f"{area_in_words(area)[2]}." if area else "no area: they lie on one point or line."
    facts = {"area_m2": rounded(area), "area_ha": rounded(area / 1e4), "area_km2": rounded(area / 1e6)}
    call = Call.of(convex_hull, vector=vector, each=each)
    return _made(state, world, call, features, frame, f"Hull of {features.name}", said, facts)


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def simplify_geometry(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    tolerance_m: Annotated[float, Field(gt=0, le=1e6, description="How far outlines may move, metres.")],
    shared_borders: Annotated[
        bool, Field(description="Keep borders that polygons share together, without gaps.")
    ] = False,
) -> Step:
    """Leave corners out of lines and polygons, moving no outline farther than a tolerance in metres.

    Douglas and Peucker (1973), valid polygons stay valid, on an equidistant plane around each feature. With
    shared_borders Visvalingam and Whyatt (1993) over all polygons together: corners go whose triangle is
    smaller than the tolerance squared.

    Example: copilot call simplify_geometry vector=vector-1a2b3c tolerance_m=100

    Asked as: fewer corners | generalise the outlines to 1 km | smooth the coastline | make the polygons
    coarser | reduce the vertices | thin out the lines | a lighter version of the layer
    """
    from data.vector.shaping import corner_count, simplified, simplified_together

    features = features_of(state, world, vector)
    with sentences():
        if shared_borders:
            frame = simplified_together(features.frame, tolerance_m)
        else:
            frame = _with_shapes(
                features, [simplified(each, tolerance_m) for each in features.frame.geometry]
            )
    before, after = corner_count(features.frame), corner_count(frame)
    within = length_in_words(tolerance_m)[2]
    said = f"Simplified {features.name} to {after:,} corners from {before:,}, within {within}."
    facts = {"corners": after, "corners_before": before, "tolerance_m": tolerance_m}
    call = Call.of(simplify_geometry, vector=vector, tolerance_m=tolerance_m, shared_borders=shared_borders)
    return _made(state, world, call, features, frame, f"{features.name}, simpler", said, facts)


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def reproject_vector(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    crs: Annotated[
        str,
        Field(
            min_length=1,
            max_length=8000,
            description="EPSG:32631, a system's name, a definition (WKT), or what it is for: utm, equal "
            "area, national grid of Egypt.",
        ),
    ],
) -> Step:
    """Change the coordinate system of features: the file carries it, and exports and QGIS see it.

    By PROJ. On the map they stay where they are. `utm` takes the zone of the features' middle, `equal area`
    and `national grid of Egypt` the system that is for where they lie; which and why is said.

    Example: copilot call reproject_vector vector=vector-1a2b3c crs=EPSG:3832

    Asked as: reproject the polygons to UTM | convert the layer to EPSG:3857 | transform the features to
    EPSG:32631 | change the projection of the vectors | into the national grid | put the shapes in Web
    Mercator
    """
    import numpy as np

    from data.vector.systems import code_of, crs_named

    features = features_of(state, world, vector)
    with sentences():
        target, chosen = crs_named(crs, features.frame.total_bounds.tolist())
    frame = features.frame.to_crs(target)
    bounds = frame.total_bounds
    if not np.isfinite(bounds).all():
        use = target.area_of_use
        where = f" It is for {use.name}." if use is not None and use.name else ""
        raise ToolError(f"{features.name} reaches beyond where {code_of(target)} is defined.{where}")
    unit = target.axis_info[0].unit_name if target.axis_info else "unknown"
    said = f"Reprojected {features.name} to {code_of(target)} ({target.name}), with coordinates in {unit}s."
    if "), " in chosen:  # it was chosen among others
        said = f"{said} {chosen}"
    facts = {
        "crs": code_of(target),
        "crs_name": target.name,
        "unit": unit,
        "bounds": [round(float(side), 6) for side in bounds],
    }
    call = Call.of(reproject_vector, vector=vector, crs=crs)
    name = f"{features.name} in {code_of(target)}"
    return _made(state, world, call, features, frame, name, said, facts, as_made=True)


@tool("geotools", changes_state=True, gives=("vector", "layer"))
def make_valid(state: State, world: World, *, vector: VectorHandle) -> Step:
    """Repair invalid shapes: crossing outlines, holes outside, spikes, and longitudes beyond 180 degrees.

    GEOS' structure method: what was covered stays covered, a bow tie becomes two parts. What crosses 180
    degrees is cut there, shells are turned counter-clockwise (RFC 7946), parts under a centimetre wide go.
    Features without a shape are left out, heights dropped. Says what was wrong and what was done.

    Example: copilot call make_valid vector=vector-1a2b3c

    Asked as: fix the broken polygons | repair the geometries | are the shapes valid | clean up
    self-intersections | the polygons cross themselves | mend invalid features | correct the topology errors
    """
    import geopandas as gpd
    import shapely

    from data.vector.cleaning import cleaned, tidied

    source = vector_of(state, world, vector)
    reasons: dict[str, int] = {}
    for each in source.frame.geometry[~source.frame.geometry.is_valid]:
        reason = str(shapely.is_valid_reason(each)).partition("[")[0].rstrip().lower()
        reasons[reason] = reasons.get(reason, 0) + 1
    with sentences():
        fit = cleaned(source.frame)
    shapes, turned, slivers = tidied(fit.frame.geometry.to_numpy())
    done = list(fit.notes)
    if turned:
        done.append(f"{turned:,} that ran clockwise {'was' if turned == 1 else 'were'} turned")
    if slivers:
        done.append(f"{number_of(slivers, 'sliver')} {'was' if slivers == 1 else 'were'} left out")
    frame = fit.frame.set_geometry(gpd.GeoSeries(shapes, index=fit.frame.index, crs=fit.frame.crs))
    features = Features(source, frame, ())
    all_of_them = "The shape" if len(source.frame) == 1 else f"Each of the {len(source.frame):,} shapes"
    said = f"{all_of_them} of {source.name} was valid."
    if done:
        said = f"In {source.name}, {listed(done)}."
    if reasons:
        said += f" What was wrong: {listed([f'{key} ({n:,})' for key, n in sorted(reasons.items())])}."
    facts = {
        "repaired": fit.repaired,
        "dropped": fit.dropped,
        "turned": turned,
        "slivers": slivers,
        "reasons": reasons,
    }
    call = Call.of(make_valid, vector=vector)
    return _made(state, world, call, features, frame, f"{source.name}, valid", said, facts)


def _made(
    state: State,
    world: World,
    call: Call,
    features: Features,
    frame: gpd.GeoDataFrame,
    name: str,
    said: str,
    facts: dict[str, Any],
    *,
    as_made: bool = False,
) -> Step:
    said = noted(said, features)
    return vector_step(
        state, world, call, [features.source], frame, name=name[:100], said=said, as_made=as_made, **facts
    )


def _with_shapes(features: Features, shapes: list[Any]) -> gpd.GeoDataFrame:
    """The features with other shapes; those of which nothing is left go."""
    import geopandas as gpd

    frame = features.frame
    changed = frame.set_geometry(gpd.GeoSeries(shapes, index=frame.index, crs="EPSG:4326"))
    return changed[~changed.geometry.is_empty].reset_index(drop=True)


def _single(row: dict[str, Any], shape: Any) -> gpd.GeoDataFrame:
    import geopandas as gpd

    return gpd.GeoDataFrame([row], geometry=[shape], crs="EPSG:4326")


def _precise(shape: Any) -> str:
    return said_point(shape.x, shape.y) if shape.geom_type == "Point" else str(shape)


TOOLS = (buffer, centroid, convex_hull, simplify_geometry, reproject_vector, make_valid)
