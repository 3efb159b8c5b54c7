"""Values of a raster inside zones and at points, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools import conditions
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.geotools.raster_arguments import (
    BandChoice,
    BandChoices,
    FeatureName,
    band_of,
    bands_of,
    features_named,
    finite,
    names_in,
    said_plainly,
)
from tools.phrases import listed, number, number_of, one_line
from tools.rasters import RasterHandle, raster_of
from tools.rows import load_table
from tools.tables import table_of_inputs
from tools.units import Latitude, Longitude, Names, TableId
from tools.vectors import VectorHandle, vector_of

if TYPE_CHECKING:
    import pandas as pd

MAX_ZONES = 20_000
MAX_POINTS = 200_000
_SHOWN = 20
_LON = ("lon", "longitude", "lng", "x", "long")
_LAT = ("lat", "latitude", "y")

Statistics = Annotated[
    Names,
    Field(description="count min max mean median std sum range majority minority variety, or p10, p90 …"),
]


@tool(
    "geotools",
    changes_state=True,
    needs=(conditions.Raster("raster", placed=True), "vector"),
    gives=("table",),
    long_running=True,
)
def zonal_stats(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    zones: VectorHandle,
    feature: FeatureName | None = None,
    statistics: Statistics | None = None,
    band: BandChoice = 1,
    all_touched: Annotated[
        bool, Field(description="Whether pixels that a zone only touches count too.")
    ] = False,
) -> Step:
    """Give statistics of a raster's values inside each shape: mean, min, max, sum … and its area in ha.

    Over the valid pixels whose centres lie inside. The area is the zone's geodesic one.
    Without statistics: count, min, max, mean, median, std (divided by n), sum.

    Example: copilot call zonal_stats raster=raster-5ce4e0 zones=vector-f1e1d5 band=nir

    Asked as: what is the mean inside the park | average NDVI per field | statistics of the raster by polygon
    | highest point within the drawing | mean height of each zone | sum the pixels in every district | how
    green is each parcel
    """
    from data.raster.zonal import DEFAULT, zonal_statistics
    from data.vector.measuring import area_m2

    source, shapes = raster_of(state, world, raster), vector_of(state, world, zones)
    frame = shapes.frame if feature is None else features_named(shapes.frame, feature)
    if not 0 < len(frame) <= MAX_ZONES:
        raise ToolError(f"There are {len(frame):,} zones; zonal_stats takes 1 to {MAX_ZONES:,}.")
    wanted = [each.strip().lower() for each in statistics or DEFAULT]
    at = band_of(source.path, band)
    with said_plainly():
        rows = zonal_statistics(source.path, frame, wanted, band=at, all_touched=all_touched)
    for row, shape in zip(rows, frame.geometry, strict=True):
        row["area_ha"] = area_m2(shape) / 10_000
    labels = names_in(frame) or [f"zone {each}" for each in range(1, len(rows) + 1)]
    clean = [
        {key: finite(value) if value is not None else None for key, value in row.items()} for row in rows
    ]
    said = _zones_text(labels, clean, wanted)
    inside = sum(1 for row in rows if row.get("count", 1))
    title = f"Band {at} of {one_line(source.name)}" if at > 1 else one_line(source.name)
    observation = f"{title} in {number_of(len(rows), 'zone')} of {one_line(shapes.name)}: {said}"
    if inside < len(rows):
        observation += f" {number_of(len(rows) - inside, 'zone')} hold no valid pixel."
    call = Call.of(
        zonal_stats, raster=raster, zones=zones, feature=feature, statistics=statistics, band=band,
        all_touched=all_touched,
    )  # fmt: skip
    first = {"zone": labels[0], **clean[0]} if len(rows) == 1 else {}
    listing = [{"zone": label, **row} for label, row in zip(labels[:_SHOWN], clean, strict=False)]
    data = {"raster": source.handle, "band": at, "zones": listing, **first}
    table = _joined(frame, rows)
    name = f"{source.name} by zone"[:100]
    return table_of_inputs(state, world, [source, shapes], table, call, name, observation, **data)


@tool("geotools", changes_state=True, needs=("raster",), gives=("table",), long_running=True)
def raster_sample(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    lon: Longitude | None = None,
    lat: Latitude | None = None,
    points: Annotated[
        VectorHandle | None,
        Field(description="Points (of other shapes, a point inside each); or lon and lat."),
    ] = None,
    table: Annotated[
        TableId | None, Field(description="A table with columns lon and lat; or points, or lon and lat.")
    ] = None,
    bands: Annotated[BandChoices | None, Field(description="Which bands; all where left out.")] = None,
) -> Step:
    """Read a raster's values at a position, at points, or at the coordinates of a table.

    The value of the pixel that the point lies in, not interpolated; none where there is nodata or no
    raster. Positions are degrees, WGS84.

    Example: copilot call raster_sample raster=raster-5ce4e0 lon=4.38 lat=52.007

    Asked as: what is the value at this point | pixel value at 4.38, 52.01 | read the raster under the markers
    | height at the position | add the raster's values to my points | extract band values at the coordinates
    """
    source = raster_of(state, world, raster)
    numbers = bands_of(source.path, bands) if bands else []
    frame, given = _positions(state, world, lon, lat, points, table)
    if not 0 < len(frame) <= MAX_POINTS:
        raise ToolError(f"There are {len(frame):,} points; raster_sample takes 1 to {MAX_POINTS:,}.")
    with said_plainly():
        values, names = _sampled(source.path, frame["lon"].tolist(), frame["lat"].tolist(), numbers)
    taken = {name: f"raster_{name}" if name in frame else name for name in names}
    for name, column in values.items():
        frame[taken[name]] = column
    known = int(frame[list(taken.values())].notna().any(axis=1).sum())
    rows = [
        {
            "lon": round(row["lon"], 6),
            "lat": round(row["lat"], 6),
            **{n: finite(row[taken[n]]) for n in names},
        }
        for row in frame.head(_SHOWN).to_dict("records")
    ]
    call = Call.of(raster_sample, raster=raster, lon=lon, lat=lat, points=points, table=table, bands=bands)
    said = _sample_text(one_line(source.name), rows, names, len(frame), known)
    data: dict[str, Any] = {"raster": source.handle, "values": rows, "inside": known}
    if len(frame) == 1:
        data.update({"value": rows[0][names[0]], **{name: rows[0][name] for name in names}})
    name, inputs = f"Values of {source.name}"[:100], [source, *given]
    return table_of_inputs(state, world, inputs, frame, call, name, said, **data)


def _zones_text(labels: list[str], rows: list[dict[str, Any]], wanted: list[str]) -> str:
    """`park: mean 0.84, 8.6 ha; lake: …`; a single zone with all that was asked for."""
    most = 12 if len(rows) == 1 else 3
    order = ["mean", "median", "min", "max", "sum", "std", "count"] if len(rows) > 1 else wanted
    chosen = [each for each in order if each in wanted][:most] or wanted[:most]
    said = []
    for label, row in zip(labels[:6], rows, strict=False):
        parts = [f"{name} {number(row[name])}" for name in chosen if row[name] is not None]
        said.append(f"{one_line(label)}: {', '.join([*parts, number(round(row['area_ha'], 2)) + ' ha'])}")
    more = f" and {len(rows) - 6:,} more" if len(rows) > 6 else ""
    return f"{'; '.join(said)}{more}."


def _joined(frame: Any, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The zones' attributes with the statistics beside them; an attribute of the same name makes way."""
    import pandas as pd

    found = pd.DataFrame(rows)
    kept = pd.DataFrame(frame.drop(columns=frame.geometry.name)).reset_index(drop=True)
    kept.columns = [f"zone_{each}" if each in found else str(each) for each in kept.columns]
    return pd.concat([kept, found], axis=1)


def _positions(
    state: State, world: World, lon: float | None, lat: float | None, points: str | None, table: str | None
) -> tuple[pd.DataFrame, list[Input]]:
    import pandas as pd

    given = (lon is not None or lat is not None, points is not None, table is not None)
    if sum(given) != 1 or (lon is None) != (lat is None):
        raise ToolError(
            "raster_sample needs lon and lat, or points, or a table with lon and lat; one of them."
        )
    if points is not None:
        shapes = vector_of(state, world, points)
        frame = shapes.frame
        if (frame.geom_type != "Point").any():
            frame = frame.set_geometry(frame.geometry.representative_point())
        plain = pd.DataFrame(frame.drop(columns=frame.geometry.name)).reset_index(drop=True)
        return plain.assign(lon=frame.geometry.x.to_numpy(), lat=frame.geometry.y.to_numpy()), [shapes]
    if table is not None:
        rows = load_table(state, world, table).reset_index(drop=True)
        return rows.assign(lon=_column(rows, _LON), lat=_column(rows, _LAT)), []
    return pd.DataFrame({"lon": [lon], "lat": [lat]}, dtype=float), []


def _column(frame: pd.DataFrame, names: tuple[str, ...]) -> Any:
    import pandas as pd

    by_name = {str(each).casefold(): each for each in frame.columns}
    found = next((by_name[name] for name in names if name in by_name), None)
    if found is None:
        raise ToolError(f"The table has no column {names[0]}; it has {listed(map(str, frame.columns))}.")
    return pd.to_numeric(frame[found], errors="coerce")


def _sampled(
    path: Any, lon: list[float], lat: list[float], numbers: list[int]
) -> tuple[dict[str, Any], list[str]]:
    from data.raster.sampling import sample

    values, names = sample(path, lon, lat, numbers)
    return dict(zip(names, values, strict=True)), names


def _sample_text(name: str, rows: list[dict[str, Any]], names: list[str], count: int, known: int) -> str:
    if count > 1:
        return f"Values of {name} at {number_of(count, 'point')}, {known:,} of them on the raster."
    row = rows[0]
    where = f"{row['lat']:g}, {row['lon']:g} (latitude, longitude)"
    if not known:
        return f"{name} has no value at {where}."
    parts = [f"{one_line(each)} {number(row[each])}" for each in names[:12] if row[each] is not None]
    return f"{name} at {where}: {listed(parts, 12)}."


TOOLS = (zonal_stats, raster_sample)
