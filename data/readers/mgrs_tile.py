"""Where a Sentinel-2 tile begins: its UTM zone and upper left corner, from its MGRS name."""

from __future__ import annotations

import math
import re

_NAME = re.compile(r"^(\d{2})([C-HJ-NP-X])([A-HJ-NP-Z])([A-HJ-NP-V])$")
_COLUMN_SETS = ("ABCDEFGH", "JKLMNPQR", "STUVWXYZ")
_ROWS = "ABCDEFGHJKLMNPQRSTUV"
_BANDS = "CDEFGHJKLMNPQRSTUVWX"
_BAND_DEGREES, _SQUARE_M, _ROW_CYCLE_M = 8, 100_000, 2_000_000
_GRID_M = 60
"""Tile corners lie on multiples of the coarsest band's pixel."""


def tile_corner(tile: str) -> tuple[int, float, float] | None:
    """(EPSG code, easting, northing in metres) of the upper left corner of a tile such as "33UUP"."""
    match = _NAME.match(tile)
    if match is None or not 1 <= int(match[1]) <= 60:
        return None
    zone, band, column, row = int(match[1]), match[2], match[3], match[4]
    columns = _COLUMN_SETS[(zone - 1) % 3]
    if column not in columns:
        return None
    easting = (columns.index(column) + 1) * _SQUARE_M
    # Row letters start at A in odd zones and at F in even ones, and repeat every 2,000 km.
    first = ((_ROWS.index(row) - (0 if zone % 2 else 5)) % 20) * _SQUARE_M
    south_hemisphere = band < "N"
    northing = _nearest_cycle(first, band, south_hemisphere)
    epsg = (32700 if south_hemisphere else 32600) + zone
    return (
        epsg,
        math.floor(easting / _GRID_M) * _GRID_M,
        math.ceil((northing + _SQUARE_M) / _GRID_M) * _GRID_M,
    )


def _nearest_cycle(first: float, band: str, south_hemisphere: bool) -> float:
    """The northing among `first` + n * 2,000 km that falls into the latitude band."""
    middle_degrees = -80 + _BAND_DEGREES * (_BANDS.index(band) + 0.5)
    about = middle_degrees * 110_946 + (10_000_000 if south_hemisphere else 0)
    return first + round((about - first) / _ROW_CYCLE_M) * _ROW_CYCLE_M
