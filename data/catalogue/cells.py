"""The map's aggregate: a grid in Web Mercator that stays put when the map pans."""

from __future__ import annotations

import math
from typing import Any

from data.catalogue.base import Cell
from data.catalogue.dialect import Params

_CELLS_AROUND_THE_WORLD_AT_ZOOM_0 = 4  # 256 pixels / 64
_MAX_LAT = 85.0511287798066
_MICRO = 1_000_000


def cells_sql(rows: str, zoom: float, params: Params) -> str:
    """A statement over `rows` (SQL with lon, lat): x, y, count, sums of micro-degrees, extremes.

    Sums are of whole numbers, so that they do not depend on the order in which threads add.
    """
    across = params.add(_across(zoom))
    last = params.add(_across(zoom) - 1)
    clamped = f"radians(greatest(least(lat, {_MAX_LAT}), -{_MAX_LAT}))"
    x = f"floor((lon + 180) / 360 * {across})"
    y = f"floor((1 - ln(tan({clamped}) + 1 / cos({clamped})) / pi()) / 2 * {across})"
    return (
        f"SELECT CAST(least(greatest({x}, 0), {last}) AS BIGINT) AS x, CAST(least(greatest({y}, 0),"
        f" {last}) AS BIGINT) AS y,"
        f" count(*), sum(CAST(floor(lon * {_MICRO} + 0.5) AS BIGINT)), sum(CAST(floor(lat * {_MICRO}"
        f" + 0.5) AS BIGINT)),"
        f" min(lon), min(lat), max(lon), max(lat) FROM ({rows}) AS parts GROUP BY 1, 2"
    )


def cells_of_rows(rows: list[tuple[Any, ...]], limit: int) -> list[Cell]:
    """Cells from the statement's rows, merged four by four until there are at most `limit`."""
    merged = {(int(x), int(y)): [int(n), int(a), int(b), *box] for x, y, n, a, b, *box in rows}
    while len(merged) > max(1, limit):
        merged = _halved(merged)
    ordered = sorted(merged.items(), key=lambda item: (-item[1][0], item[0]))
    return [_cell(values) for _, values in ordered]


def _across(zoom: float) -> float:
    return float(_CELLS_AROUND_THE_WORLD_AT_ZOOM_0 * 2 ** max(0, min(22, math.floor(zoom + 0.5))))


def _halved(cells: dict[tuple[int, int], list[Any]]) -> dict[tuple[int, int], list[Any]]:
    found: dict[tuple[int, int], list[Any]] = {}
    for (x, y), new in cells.items():
        old = found.get((x // 2, y // 2))
        if old is None:
            found[x // 2, y // 2] = list(new)
        else:
            sums = [a + b for a, b in zip(old[:3], new[:3], strict=True)]
            found[x // 2, y // 2] = [*sums, *map(min, old[3:5], new[3:5]), *map(max, old[5:], new[5:])]
    return found


def _cell(values: list[Any]) -> Cell:
    n, lon_sum, lat_sum, west, south, east, north = values
    return Cell(
        lon=round(lon_sum / n) / _MICRO,
        lat=round(lat_sum / n) / _MICRO,
        count=n,
        bbox=(west, south, east, north),
    )
