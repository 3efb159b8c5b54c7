"""How large a raster's pixels are on the ground, and how high its heights, in metres."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import Grid

Floats = NDArray[np.float64]

WGS84_A_M = 6_378_137.0
WGS84_E2 = 6.694379990141316e-3
"""Half the major axis and the squared first eccentricity of WGS84."""
_METRES = {
    "m": 1.0, "metre": 1.0, "metres": 1.0, "meter": 1.0, "meters": 1.0,
    "ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "international foot": 0.3048,
    "us survey foot": 1200 / 3937, "us survey feet": 1200 / 3937, "us-ft": 1200 / 3937, "ftus": 1200 / 3937,
    "km": 1000.0, "dm": 0.1, "decimetre": 0.1, "cm": 0.01, "centimetre": 0.01, "mm": 0.001,
}  # fmt: skip
"""How many metres a unit of height is, by how files spell it in lower case."""


@dataclass(frozen=True)
class HeightUnit:
    """What the heights of a raster are counted in."""

    name: str
    """As the file has it; empty where it says none, and metres are taken."""
    metres: float = 1.0

    @property
    def said(self) -> str:
        """The sentence for heights that are no metres; empty for metres."""
        return "" if self.metres == 1.0 else f" Its heights, in {self.name} by its file, were converted."


def height_unit(path: Path, band: int = 1) -> HeightUnit:
    """The unit of a band of heights, by the band's own word, else by the vertical axis of its CRS."""
    from pyproj import CRS

    with opened(path) as source:
        unit = (source.units[band - 1] or "").strip()
        crs = source.crs
    if (metres := _METRES.get(unit.lower())) is not None:
        return HeightUnit(unit, metres)
    parts = CRS.from_user_input(crs).sub_crs_list if crs is not None else []
    for axis in (axis for part in parts if part.is_vertical for axis in part.axis_info):
        return HeightUnit(axis.unit_name, float(axis.unit_conversion_factor))
    return HeightUnit("")


def north_up(grid: Grid, tool: str) -> None:
    """Raises RasterError when rows do not run east and columns north to south, or there is no CRS."""
    if grid.crs is None:
        raise RasterError(
            f"{tool} needs to know where the raster lies, and it has no CRS; place_raster gives it one."
        )
    if grid.transform.b or grid.transform.d or grid.transform.e >= 0 or grid.transform.a <= 0:
        raise RasterError(
            f"{tool} needs a raster with north up; raster_reproject makes one of a rotated or flipped one."
        )


def pixel_m(grid: Grid, first_row: int, rows: int) -> tuple[Floats, Floats]:
    """The width and the height in metres of the pixels of some rows, each an array of `rows` values.

    In a projected CRS they are those of the map, whatever its scale there. In a geographic one they are the
    lengths on the WGS84 ellipsoid of one pixel's step along the parallel and along the meridian at the
    row's latitude (Snyder 1987, Map Projections: A Working Manual, equations 4-20 and 4-21).
    """
    if grid.crs is None:
        raise RasterError(
            "The raster has no CRS, so its pixels have no size in metres; place_raster gives it one."
        )
    if not grid.crs.is_geographic:
        metres = float(grid.crs.linear_units_factor[1]) if grid.crs.is_projected else 1.0
        return np.full(rows, grid.transform.a * metres), np.full(rows, -grid.transform.e * metres)
    row = np.arange(first_row, first_row + rows) + 0.5
    latitude = np.radians(np.clip(grid.transform.f + row * grid.transform.e, -90.0, 90.0))
    across = 1.0 - WGS84_E2 * np.sin(latitude) ** 2
    east = WGS84_A_M / np.sqrt(across) * np.cos(latitude)
    north = WGS84_A_M * (1.0 - WGS84_E2) / across**1.5
    # Within a pixel of a pole a parallel has no length; a millimetre keeps the slope there a number.
    width = np.maximum(east * math.radians(grid.transform.a), 1e-3)
    return width, north * math.radians(-grid.transform.e)


def metric(grid: Grid, tool: str) -> tuple[float, float]:
    """The width and height in metres of the pixels of a projected raster. Raises RasterError for another."""
    north_up(grid, tool)
    assert grid.crs is not None
    if not grid.crs.is_projected:
        raise RasterError(
            f"{tool} measures in metres, and this raster lies in degrees; raster_reproject puts it into UTM."
        )
    width, height = pixel_m(grid, 0, 1)
    return float(width[0]), float(height[0])
