"""Facts about places that services know: features of OpenStreetMap, heights, past weather."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.database.dates import Day
from tools.phrases import number, number_of
from tools.rasters import RasterHandle, raster_of
from tools.tables import table_of_inputs
from tools.units import BboxDeg, Latitude, Longitude
from tools.vectors import vector_step
from tools.web.shared import Place, Source, area_of, asking, days_of, in_words, key_of, said_days, spot_of

if TYPE_CHECKING:
    import geopandas as gpd

    from data.web.overpass import Feature

MAX_DAYS = 3700
_TAG_COLUMNS = 20
_TAKEN = ("name", "tags", "osm_id", "geometry")


@tool("web", changes_state=True, gives=("vector",), external=True, long_running=True)
def osm_features(
    state: State,
    world: World,
    *,
    what: Annotated[
        str,
        Field(min_length=1, max_length=200, description="hospital, buildings, or a tag: amenity=hospital."),
    ],
    place: Place | None = None,
    bbox: BboxDeg | None = None,
    limit: Annotated[int, Field(ge=1, le=20_000, description="At most how many.")] = 2000,
) -> Step:
    """Bring features of OpenStreetMap onto the map: a kind such as hospitals, in a place or area.

    Asks the Overpass API. Without a place or a bbox the selection's area is taken, else the map's view.
    © OpenStreetMap contributors, ODbL 1.0.

    Example: copilot call osm_features what=hospital place=Rotterdam

    Asked as: get hospitals from OpenStreetMap | OSM buildings in this box | which schools are there | roads
    from OpenStreetMap | show all petrol stations here | map the railway lines of the area | where are the
    airports in this region according to OSM
    """
    from data.web.osm_words import tags_of
    from data.web.overpass import ATTRIBUTION, MAX_AREA_DEG2, features

    area = area_of(state, world, bbox, place)
    west, south, east, north = area.bbox
    if (size := (east - west) % 360 * (north - south)) > MAX_AREA_DEG2:
        raise ToolError(
            f"{area.said} covers {size:,.0f} square degrees, and OpenStreetMap is asked for "
            f"{MAX_AREA_DEG2:.0f} at most; give a smaller place or bbox."
        )
    with asking():
        tags = tags_of(in_words(what, "what"))
        found = features(tags, area.bbox, limit)
    kind = ", ".join(key if value is None else f"{key}={value}" for key, value in tags)
    frame = _feature_frame(found.features)
    call = Call.of(osm_features, what=what, place=None, bbox=list(area.bbox), limit=limit)
    source = Source(
        "OpenStreetMap",
        "OpenStreetMap",
        key_of([frame["tags"].tolist(), frame["osm_id"].tolist(), found.dated]),
    )
    more = f", and there are more than the {limit:,} asked for" if found.more else ""
    there = f"{number_of(len(frame), 'feature')} of OpenStreetMap with {kind} in {area.said}"
    said = f"{there}{more}. {ATTRIBUTION}."
    facts: dict[str, Any] = {
        "tags": kind,
        "area": list(area.bbox),
        "more": found.more,
        "attribution": ATTRIBUTION,
    }
    name = f"{what.strip()[:60]} (OpenStreetMap)"
    step = vector_step(
        state,
        world,
        call,
        [source],
        frame,
        name=name,
        said=said,
        options={"attribution": ATTRIBUTION},
        **facts,
    )
    return replace(step, data={**step.data, "dated": found.dated})


@tool("web", external=True)
def elevation_at(
    state: State,
    world: World,
    *,
    lon: Longitude | None = None,
    lat: Latitude | None = None,
    place: Place | None = None,
    raster: Annotated[
        RasterHandle | None, Field(description="An elevation model to read it from; else a service is asked.")
    ] = None,
) -> Step:
    """Tell the height above the sea at a point or a place, from an elevation model or an elevation service.

    In metres. From a raster the pixel's own value is read, and nothing leaves this machine.

    Example: copilot call elevation_at lon=4.48 lat=51.92

    Asked as: how high is it here | elevation at this point | height above sea level of Denver | altitude of
    that spot | what is the ground elevation at 51.9 N 4.5 E | metres above sea level
    """
    spot = spot_of(state, world, lon, lat, place)
    if raster is not None:
        source = raster_of(state, world, raster)
        height = _pixel(source.path, source.name, spot.lon, spot.lat)
        whose = source.name
    else:
        from data.web.heights import heights, source_name

        with asking():
            height = heights([(spot.lon, spot.lat)])[0]
        whose = source_name()
    data = {"lon": spot.lon, "lat": spot.lat, "elevation_m": height, "source": whose}
    if height is None:
        return Step(state, f"{whose} has no height at {spot.said}.", data)
    return Step(state, f"The height at {spot.said} is {number(round(height, 2))} m ({whose}).", data)


@tool("web", changes_state=True, gives=("table",), external=True)
def weather_history(
    state: State,
    world: World,
    *,
    start: Day | None = None,
    end: Day | None = None,
    lon: Longitude | None = None,
    lat: Latitude | None = None,
    place: Place | None = None,
) -> Step:
    """Tell the weather of past days at a place, as a table: temperature, rain, wind and cloud of each day.

    Open-Meteo's archive (ERA5 and others), days in UTC; °C, mm, m/s, percent. Without days or a place, the
    selection's.

    Example: copilot call weather_history place=Houston start=2017-08-25 end=2017-08-28

    Asked as: what was the weather on that day | how much did it rain in Houston in August 2017 | past
    temperatures here | was it cloudy when the image was taken | wind during the storm | historical weather
    """
    from datetime import date

    import pandas as pd

    from data.web.weather import LICENCE, daily

    first, final = days_of(state, start, end)
    if first is None or final is None:
        first, final = first or final, final or first
    if first is None or final is None:
        raise ToolError("weather_history needs a start and an end, such as start=2017-08-25 end=2017-08-28.")
    if final >= world.today.isoformat():
        raise ToolError(f"{final} is not past yet; weather_history tells of past days only.")
    if (days := (date.fromisoformat(final) - date.fromisoformat(first)).days + 1) > MAX_DAYS:
        raise ToolError(f"That is {days:,} days; ask for {MAX_DAYS:,} at most, about ten years.")
    spot = spot_of(state, world, lon, lat, place)
    with asking():
        found = daily(spot.lon, spot.lat, first, final)
    frame = pd.DataFrame(list(found.rows))
    figures = _summary(frame)
    said = f"Weather at {spot.said}{said_days(first, final)}: {_told(figures)} {LICENCE}."
    call = Call.of(weather_history, start=first, end=final, lon=spot.lon, lat=spot.lat, place=None)
    facts: dict[str, Any] = {**figures, "lon": found.lon, "lat": found.lat, "attribution": LICENCE}
    source = Source("Open-Meteo", "Open-Meteo", key_of(list(found.rows)))
    name = f"Weather at {spot.said}"[:100]
    return table_of_inputs(state, world, [source], frame, call, name, said, **facts)


def _feature_frame(found: Sequence[Feature]) -> gpd.GeoDataFrame:
    """The features with their commonest tags as columns, and all of them as JSON."""
    import geopandas as gpd

    rows = [{"osm_id": each.id, "name": each.name or None, **_columns(each.tags)} for each in found]
    counts = Counter(key for row in rows for key in row if key not in _TAKEN)
    common = sorted(
        key for key, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_TAG_COLUMNS]
    )
    columns = ["osm_id", "name", *common, "tags"]
    values = {key: [row.get(key) for row in rows] for key in columns}
    return gpd.GeoDataFrame(values, geometry=[each.geometry for each in found], crs="EPSG:4326")


def _columns(tags: dict[str, str]) -> dict[str, Any]:
    """The tags that make good columns, and all of them as JSON."""
    plain = {key: value for key, value in tags.items() if key.isidentifier() and key not in _TAKEN}
    return {**plain, "tags": json.dumps(tags, ensure_ascii=False, sort_keys=True)}


def _pixel(path: Any, name: str, lon: float, lat: float) -> float | None:
    """The value of the raster's first band at a point; None for nodata. Raises ToolError off the raster."""
    import math

    import rasterio
    from rasterio.errors import RasterioError
    from rasterio.warp import transform
    from rasterio.windows import Window

    try:
        with rasterio.open(path) as source:
            if source.crs is None:
                raise ToolError(f"{name} has no place on the globe, so no height can be read from it.")
            (x,), (y,) = transform("EPSG:4326", source.crs, [lon], [lat])
            if not (math.isfinite(x) and math.isfinite(y)):
                raise ToolError(f"{name} does not cover that point.")
            row, column = source.index(x, y)
            if not (0 <= row < source.height and 0 <= column < source.width):
                raise ToolError(f"{name} does not cover that point.")
            found = source.read(1, window=Window(column, row, 1, 1), masked=True)
            value = None if found.mask.any() else float(found[0, 0]) * source.scales[0] + source.offsets[0]
    except RasterioError:
        raise ToolError(f"{name} cannot be read.") from None
    return value if value is not None and math.isfinite(value) else None


def _summary(frame: Any) -> dict[str, Any]:
    """The figures over all days; None where no day has one."""

    def figure(column: str, how: str) -> float | None:
        values = frame[column].dropna().astype(float)
        return None if values.empty else round(float(getattr(values, how)()), 2)

    return {
        "days": len(frame),
        "temperature_mean_c": figure("temperature_mean_c", "mean"),
        "temperature_min_c": figure("temperature_min_c", "min"),
        "temperature_max_c": figure("temperature_max_c", "max"),
        "precipitation_mm": figure("precipitation_mm", "sum"),
        "wind_max_m_s": figure("wind_max_m_s", "max"),
        "cloud_cover_pct": figure("cloud_cover_pct", "mean"),
    }


def _told(figures: dict[str, Any]) -> str:
    parts = (
        ("temperature_mean_c", "mean temperature", "°C"),
        ("temperature_min_c", "least", "°C"),
        ("temperature_max_c", "most", "°C"),
        ("precipitation_mm", "precipitation in all", "mm"),
        ("wind_max_m_s", "strongest wind", "m/s"),
        ("cloud_cover_pct", "cloud cover", "%"),
    )
    known = [f"{word} {number(figures[key])} {unit}" for key, word, unit in parts if figures[key] is not None]
    return f"{number_of(figures['days'], 'day')}, {', '.join(known)}." if known else "no figures."


TOOLS = (osm_features, elevation_at, weather_history)
