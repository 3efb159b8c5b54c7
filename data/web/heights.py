"""Heights above the sea of points: Open Topo Data, or Open-Elevation, whose answers are alike."""

from __future__ import annotations

from collections.abc import Sequence

from data.web.errors import WebError
from data.web.fetch import Fetcher
from data.web.read import JSON_KINDS, finite, items, line, part
from data.web.services import ELEVATION
from data.web.urls import host_of

MAX_POINTS = 100


def heights(points: Sequence[tuple[float, float]]) -> list[float | None]:
    """Metres above the sea at each (lon, lat), None where the service has none. Raises WebError."""
    address = str(ELEVATION.address)
    where = "|".join(f"{lat:.6f},{lon:.6f}" for lon, lat in points[:MAX_POINTS])
    with Fetcher() as fetcher:
        found = fetcher.get(address, {"locations": where}, kinds=JSON_KINDS).json()
    rows = items(part(found, "results"))
    if len(rows) != len(points):
        reason = line(part(found, "error"), 150).rstrip(".")
        raise WebError(f"{host_of(address)} sent no heights{f': {reason}' if reason else ''}.")
    return [finite(each.get("elevation")) for each in rows]


def source_name() -> str:
    """Whose heights they are, and of which data set when the address names one."""
    address = str(ELEVATION.address).rstrip("/")
    name = address.rpartition("/")[2]
    return f"{host_of(address)} ({name})" if name not in ("lookup", host_of(address)) else host_of(address)
