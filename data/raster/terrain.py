"""Shade, slope and aspect of an elevation model, from each pixel's eight neighbours (Horn 1981).

The formulas and conventions are gdaldem's: an outermost row or column, and a pixel beside one without a
value, gets none. Unlike there, a model in degrees needs no scale: each row has its own pixel size in metres.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from data.raster.ground import height_unit, north_up, pixel_m
from data.raster.tally import Summary, Tally
from data.raster.windows import Band, Block, Place, compute, grid_of

Light = Literal["single", "multidirectional"]
SlopeUnit = Literal["degrees", "percent"]
Tags = Mapping[str, str]
WINDS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")


def hillshade(
    source: Path,
    target: Path,
    *,
    azimuth_deg: float = 315.0,
    altitude_deg: float = 45.0,
    z_factor: float = 1.0,
    light: Light = "single",
    tags: Tags | None = None,
) -> None:
    """Write the shaded relief, bytes 1 (dark) to 255, 0 where there is no value.

    Horn, B.K.P. (1981), Hill shading and the reflectance map, Proc. IEEE 69(1), 14-47. Multidirectional:
    Mark, R. (1992), USGS Open-File Report 92-422, light from 225, 270, 315 and 360 degrees weighted by the
    aspect as gdaldem does it, most from where a slope faces. Heights are in the file's unit
    (`ground.height_unit`), times `z_factor`. Raises RasterError.
    """
    z_factor *= height_unit(source).metres
    altitude, azimuth = math.radians(altitude_deg), math.radians(azimuth_deg)

    def shade(blocks: list[Block], place: Place) -> NDArray[Any]:
        heights, width, height = _inputs(blocks, place, z_factor)
        made: NDArray[Any]
        if light == "multidirectional":
            made = _shade_four(heights, width, height, math.sin(altitude), math.cos(altitude))
        else:
            made = _shade(heights, width, height, azimuth, math.sin(altitude), math.cos(altitude))
        return made

    _write(source, target, shade, "hillshade", "uint8", 0, "shade", "1", tags)


def slope(
    source: Path,
    target: Path,
    *,
    unit: SlopeUnit = "degrees",
    z_factor: float = 1.0,
    tags: Tags | None = None,
) -> Summary:
    """Write the slope in degrees (0 to 90) or percent (100 is 45 degrees), float32. Raises RasterError.

    Heights are in the file's unit (`ground.height_unit`), times `z_factor`.
    """
    tally, z_factor = Tally(), z_factor * height_unit(source).metres

    def steep(blocks: list[Block], place: Place) -> NDArray[Any]:
        made: NDArray[Any] = _slope(*_inputs(blocks, place, z_factor), unit == "percent")
        tally.add(place, made)
        return made

    _write(
        source,
        target,
        steep,
        "slope",
        "float32",
        math.nan,
        "slope",
        "%" if unit == "percent" else "degree",
        tags,
    )
    return tally.result()


def aspect(source: Path, target: Path, *, tags: Tags | None = None) -> dict[str, float]:
    """Write the direction a slope faces, float32 degrees clockwise from north; flat ground has none.

    What comes back are the percentages of the sloping pixels that face each of the eight winds: "N", "NE" ….
    """
    facings: list[NDArray[Any]] = []

    def facing(blocks: list[Block], place: Place) -> NDArray[Any]:
        made: NDArray[Any] = _aspect(*_inputs(blocks, place, 1.0))
        facings.append(_facings(made))
        return made

    _write(source, target, facing, "aspect", "float32", math.nan, "aspect", "degree", tags)
    counts = np.sum(facings, axis=0)
    total = int(counts.sum())
    return {
        name: 100.0 * int(count) / total if total else 0.0 for name, count in zip(WINDS, counts, strict=True)
    }


def _write(
    source: Path,
    target: Path,
    function: Any,
    tool: str,
    dtype: str,
    nodata: float,
    what: str,
    unit: str,
    tags: Tags | None,
) -> None:
    north_up(grid_of(source), tool)
    compute(
        [Band(source, (1,))],
        target,
        function,
        halo=1,
        dtype=dtype,
        nodata=nodata,
        descriptions=[what],
        units=[unit],
        tags=tags,
    )


def _inputs(
    blocks: list[Block], place: Place, z_factor: float
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The heights, and what a sum of Horn's weights is multiplied with for a gradient across and down."""
    heights = blocks[0][0]
    width, height = pixel_m(place.grid, place.first_row, heights.shape[0])
    return heights, z_factor / (8.0 * width), z_factor / (8.0 * height)


@njit(cache=True, nogil=True)
def _gradient(z: Any, i: int, j: int, across: float, down: float) -> tuple[float, float]:
    """The rise to the east and to the south, per metre."""
    west = z[i - 1, j - 1] + 2.0 * z[i, j - 1] + z[i + 1, j - 1]
    east = z[i - 1, j + 1] + 2.0 * z[i, j + 1] + z[i + 1, j + 1]
    north = z[i - 1, j - 1] + 2.0 * z[i - 1, j] + z[i - 1, j + 1]
    south = z[i + 1, j - 1] + 2.0 * z[i + 1, j] + z[i + 1, j + 1]
    return (east - west) * across + 0.0 * z[i, j], (south - north) * down


@njit(cache=True, nogil=True, error_model="numpy")
def _shade(z: Any, across: Any, down: Any, azimuth: float, sin_alt: float, cos_alt: float) -> Any:
    made = np.zeros(z.shape, np.uint8)
    to_east, to_north = math.sin(azimuth) * cos_alt, math.cos(azimuth) * cos_alt
    for i in range(1, z.shape[0] - 1):
        for j in range(1, z.shape[1] - 1):
            east, south = _gradient(z, i, j, across[i], down[i])
            lit = (sin_alt - east * to_east + south * to_north) / math.sqrt(1.0 + east * east + south * south)
            if lit == lit:
                made[i, j] = np.uint8(1.5 + 254.0 * max(lit, 0.0))
    return made


@njit(cache=True, nogil=True, error_model="numpy")
def _shade_four(z: Any, across: Any, down: Any, sin_alt: float, cos_alt: float) -> Any:
    made = np.zeros(z.shape, np.uint8)
    half = math.sqrt(0.5) * cos_alt
    for i in range(1, z.shape[0] - 1):
        for j in range(1, z.shape[1] - 1):
            east, south = _gradient(z, i, j, across[i], down[i])
            steep = east * east + south * south
            if steep == 0.0:
                made[i, j] = np.uint8(1.5 + 254.0 * sin_alt)
            elif steep == steep:
                from_225 = max(sin_alt + (east - south) * half, 0.0)
                from_270 = max(sin_alt + east * cos_alt, 0.0)
                from_315 = max(sin_alt + (east + south) * half, 0.0)
                from_360 = max(sin_alt + south * cos_alt, 0.0)
                weight = 0.5 * steep - east * south
                total = (
                    weight * from_225
                    + east * east * from_270
                    + (steep - weight) * from_315
                    + south * south * from_360
                )
                made[i, j] = np.uint8(1.5 + 127.0 * total / (steep * math.sqrt(1.0 + steep)))
    return made


@njit(cache=True, nogil=True, error_model="numpy")
def _slope(z: Any, across: Any, down: Any, percent: bool) -> Any:
    made = np.full(z.shape, np.nan, np.float32)
    for i in range(1, z.shape[0] - 1):
        for j in range(1, z.shape[1] - 1):
            east, south = _gradient(z, i, j, across[i], down[i])
            rise = math.sqrt(east * east + south * south)
            made[i, j] = 100.0 * rise if percent else math.degrees(math.atan(rise))
    return made


@njit(cache=True, nogil=True, error_model="numpy")
def _aspect(z: Any, across: Any, down: Any) -> Any:
    made = np.full(z.shape, np.nan, np.float32)
    for i in range(1, z.shape[0] - 1):
        for j in range(1, z.shape[1] - 1):
            east, south = _gradient(z, i, j, across[i], down[i])
            if east != 0.0 or south != 0.0:
                # Downhill is against the gradient; the angle is measured from north towards east.
                angle = math.degrees(math.atan2(-east, south))
                made[i, j] = np.float32(angle + 360.0 if angle < 0.0 else angle) % np.float32(360.0)
    return made


@njit(cache=True, nogil=True)
def _facings(made: Any) -> Any:
    """How many pixels face each of the eight winds, the margin apart."""
    found = np.zeros(8, np.int64)
    for i in range(1, made.shape[0] - 1):
        for j in range(1, made.shape[1] - 1):
            value = made[i, j]
            if value == value:
                found[int((value + np.float32(22.5)) / np.float32(45.0)) % 8] += 1
    return found
