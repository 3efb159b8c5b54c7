"""The weather of past days: Open-Meteo's archive (https://open-meteo.com/en/docs/historical-weather-api)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from data.web.errors import BadStatus, WebError
from data.web.fetch import Fetcher
from data.web.read import JSON_KINDS, finite, line, part
from data.web.services import WEATHER
from data.web.urls import host_of

DAILY = {
    "temperature_2m_mean": "temperature_mean_c",
    "temperature_2m_min": "temperature_min_c",
    "temperature_2m_max": "temperature_max_c",
    "precipitation_sum": "precipitation_mm",
    "wind_speed_10m_max": "wind_max_m_s",
    "cloud_cover_mean": "cloud_cover_pct",
}
"""The service's names, and the columns they become."""
LICENCE = "Weather data by Open-Meteo.com (CC BY 4.0)"


@dataclass(frozen=True)
class Weather:
    """One row a day."""

    rows: tuple[dict[str, Any], ...]
    lon: float
    lat: float
    """The middle of the model's cell, which is not quite the place that was asked for."""
    elevation_m: float | None


def daily(lon: float, lat: float, start: str, end: str) -> Weather:
    """Each day's means, least and most at a place; days from 00:00 to 24:00 UTC. Raises WebError."""
    address = str(WEATHER.address)
    params: dict[str, str | int | float] = {
        "latitude": lat,
        "longitude": lon,
        "start_date": start,
        "end_date": end,
        "daily": ",".join(DAILY),
        "timezone": "GMT",
        "wind_speed_unit": "ms",
    }
    with Fetcher() as fetcher:
        try:
            found = fetcher.get(address, params, kinds=JSON_KINDS).json()
        except BadStatus as error:
            if error.status != 400:
                raise
            raise WebError(
                f"{host_of(address)} has no weather for {start} to {end}; it has past days since 1940, "
                "except for about the last five."
            ) from None
    days = part(found, "daily", "time")
    if not isinstance(days, list) or not days:
        raise WebError(f"{host_of(address)} sent no days.")
    columns = {ours: part(found, "daily", theirs) for theirs, ours in DAILY.items()}
    rows = tuple(
        {"date": line(day)[:10], **{name: _at(values, number) for name, values in columns.items()}}
        for number, day in enumerate(days)
    )
    at = (finite(part(found, "longitude")), finite(part(found, "latitude")))
    return Weather(
        rows,
        lon if at[0] is None else at[0],
        lat if at[1] is None else at[1],
        finite(part(found, "elevation")),
    )


def _at(values: Any, number: int) -> float | None:
    return finite(values[number]) if isinstance(values, list) and number < len(values) else None
