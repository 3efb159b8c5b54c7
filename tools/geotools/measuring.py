"""Measure features on the WGS84 ellipsoid: areas, lengths, perimeters, and the distance between two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.geotools.features import (
    METRES,
    SQUARE_METRES,
    AreaUnit,
    Features,
    LengthUnit,
    area_in_words,
    features_of,
    free_column,
    length_in_words,
    names_of,
    noted,
    rounded,
    sentences,
    without_shapes,
)
from tools.map.find import said_point, spot_named
from tools.phrases import number_of
from tools.tables import table_of_inputs
from tools.vectors import DRAWINGS, SELECTION, VectorHandle, vector_step

Result = Annotated[
    Literal["table", "column"],
    Field(description="What has every feature's own: a table, or the features again with a column of it."),
]
End = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="A vector artifact's or a layer's id, 'selection', a place, or lon,lat in degrees.",
    ),
]
_SHOWN = 10


@dataclass(frozen=True)
class Measured:
    """What was measured of every feature, in square metres or metres, and how it is told."""

    noun: str
    said: str
    """What a sentence says of one value: `covers {}`."""
    together: str
    """What it says of several."""
    values: Sequence[float]
    words: Callable[[float, str | None], tuple[float, str, str]]
    factors: Mapping[str, float]


@tool("geotools", changes_state=True, gives=("table", "vector"))
def area_of(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    unit: AreaUnit | None = None,
    result: Result = "table",
) -> Step:
    """Measure the geodesic area of features, together and each in a table: drawings, polygons, footprints.

    On the WGS84 ellipsoid (Snyder 1987, equation 3-12), edges straight in longitude and latitude as on the
    map (RFC 7946). `area_m2`, `area_ha` and `area_km2` are always in the data. Where features overlap,
    each counts; union merges them first.

    Example: copilot call area_of vector=vector-1a2b3c unit=km2

    Asked as: how big is the drawing in hectares | area of each polygon | total area of the fields in square
    kilometres | how many hectares is that | what do the footprints cover | size of these parcels in acres |
    their areas as a table
    """
    from data.vector.measuring import areas_m2

    features = features_of(state, world, vector)
    areas = areas_m2(features.frame.geometry.to_numpy()).tolist()
    if not any(areas):
        raise ToolError(
            f"{features.name} has no polygons, and points and lines have no area; length_of measures lines, "
            "buffer makes polygons."
        )
    total = sum(areas)
    facts = {each: rounded(total / SQUARE_METRES[each[5:]]) for each in ("area_m2", "area_ha", "area_km2")}
    call = Call.of(area_of, vector=vector, unit=unit, result=result)
    measured = Measured("area", "covers {}", "cover {} together", areas, area_in_words, SQUARE_METRES)
    return _answer(state, world, call, features, measured, facts)


@tool("geotools", changes_state=True, gives=("table", "vector"))
def length_of(
    state: State,
    world: World,
    *,
    vector: VectorHandle,
    unit: LengthUnit | None = None,
    result: Result = "table",
) -> Step:
    """Measure the geodesic length of lines, or the perimeter of polygons, together and each in a table.

    On the WGS84 ellipsoid (Karney 2013, through PROJ): lines by the shortest way from corner to corner,
    outlines along edges that are straight in longitude and latitude; a cut at 180 degrees does not count.
    `length_m` and `length_km` are always in the data.

    Example: copilot call length_of vector=vector-1a2b3c unit=km

    Asked as: how long is the road layer | perimeter of the polygon | total length of the lines in kilometres
    | how far around is the drawing | length of each river | circumference of the area | border length
    """
    from data.vector.measuring import lengths_m

    features = features_of(state, world, vector)
    lengths = lengths_m(features.frame.geometry.to_numpy()).tolist()
    if not any(lengths):
        raise ToolError(f"{features.name} has no lines and no polygons, and points have no length.")
    total = sum(lengths)
    facts = {"length_m": rounded(total), "length_km": rounded(total / 1e3)}
    call = Call.of(length_of, vector=vector, unit=unit, result=result)
    around = features.frame.geom_type.str.contains("Polygon").any()
    said = "measures {} around" if around else "is {} long"
    together = "measure {} around together" if around else "are {} long together"
    measured = Measured("length", said, together, lengths, length_in_words, METRES)
    return _answer(state, world, call, features, measured, facts)


@tool("geotools")
def distance_between(
    state: State,
    world: World,
    *,
    start: End,
    end: End,
    unit: LengthUnit | None = None,
    measure: Annotated[
        Literal["edges", "middles"], Field(description="From edge to edge, or from middle to middle.")
    ] = "edges",
) -> Step:
    """Measure the geodesic distance between two layers, drawings, features or places, edge to edge.

    On the WGS84 ellipsoid (Karney 2013, through PROJ); 0 where they touch or overlap. Of several features
    the two that are nearest count. The nearest points and the direction are in the data.

    Example: copilot call distance_between start=vector-1a2b3c end=Suva unit=km

    Asked as: how far is the drawing from the coast of Spain | distance between the two layers | how close do
    the polygons come to the harbours | gap between the fields and the river | how far apart are the shapes |
    distance from the polygon to Rotterdam
    """
    from data.vector.distances import gap
    from data.vector.shaping import centroid

    first, second = _end(state, world, start), _end(state, world, end)
    with sentences():
        shapes = [centroid(each.shape) if measure == "middles" else each.shape for each in (first, second)]
        found = gap(*shapes)
    value, in_unit, words = length_in_words(found.distance_m, unit)
    if found.distance_m == 0:
        said = f"{first.name} and {second.name} touch or overlap: the distance is 0 {in_unit}."
    else:
        way = f"from {said_point(*found.start)} to {said_point(*found.end)}"
        middles = " from middle to middle" if measure == "middles" else ""
        said = f"From {first.name} to {second.name} it is {words}{middles}: {way}."
    data: dict[str, Any] = {
        "distance": rounded(value),
        "unit": in_unit,
        "distance_m": rounded(found.distance_m),
        "distance_km": rounded(found.distance_m / 1000),
        "from": [round(part, 6) for part in found.start],
        "to": [round(part, 6) for part in found.end],
        "azimuth_deg": round(found.azimuth_deg, 2),
    }
    return Step(state, said, data)


@dataclass(frozen=True)
class _End:
    name: str
    shape: Any


def _end(state: State, world: World, text: str) -> _End:
    """One end of a distance: features when they are called so, else a place or a position."""
    try:
        features = features_of(state, world, text)
    except ToolError as no_features:
        if state.artifact(text) or state.layer(text) or text in (SELECTION, DRAWINGS):
            raise
        try:
            spot = spot_named(world, text)
        except ToolError as no_place:
            raise ToolError(f"{no_features} {no_place}") from None
        from shapely import Point

        return _End(spot.label, Point(spot.center))
    from data.vector.globe import collected

    return _End(features.name, collected(list(features.frame.geometry)))


def _answer(
    state: State, world: World, call: Call, features: Features, measured: Measured, facts: dict[str, Any]
) -> Step:
    """What was measured as a sentence, and what each feature measures as a table or a column."""
    values = [one for one in measured.values if one > 0]  # a point among polygons is no small polygon
    value, unit, words = measured.words(sum(values), call.args.get("unit"))
    each = [rounded(one / measured.factors[unit]) for one in measured.values]
    said = f"{features.name} {measured.said.format(words)}."
    if len(values) > 1:
        low, high, mean = (
            measured.words(one, unit)[2] for one in (min(values), max(values), sum(values) / len(values))
        )
        said = (
            f"The {number_of(len(values), 'feature')} of {features.name} {measured.together.format(words)}, "
            f"from {low} to {high}, {mean} on average."
        )
    data: dict[str, Any] = {
        measured.noun: rounded(value),
        "unit": unit,
        **facts,
        "features": len(values),
        "smallest": rounded(min(values) / measured.factors[unit]),
        "largest": rounded(max(values) / measured.factors[unit]),
        "mean": rounded(value / len(values)),
        "each": each[:_SHOWN],
    }
    column = free_column(features.frame, f"{measured.noun}_{unit}")
    name = f"{measured.noun.capitalize()} of {features.name}"[:100]
    frame = features.frame.assign(**{column: each})
    said = noted(said, features)
    sources = [features.source]
    if call.args.get("result") == "column":
        return vector_step(state, world, call, sources, frame, name=name, said=said, column=column, **data)
    table = without_shapes(frame)
    if not names_of(features.frame):
        table.insert(0, free_column(table, "feature"), range(1, len(table) + 1))
    return table_of_inputs(state, world, sources, table, call, name, said, column=column, **data)


TOOLS = (area_of, length_of, distance_between)
