"""The values of a raster's pixels at a point of the globe."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from rasterio.errors import RasterioError
from rasterio.warp import transform
from rasterio.windows import Window

from data.raster.errors import RasterError
from data.raster.looks import Look, band_names, expression_of, read_bands
from data.raster.tiles import placed

MOST_BANDS = 20
"""Bands that are told of at a point."""


def pixel_values(path: Path, look: Look, lon: float, lat: float) -> list[dict[str, Any]] | None:
    """`{name, value, unit}` of the pixel that holds a point, for each band, then for the look's expression.

    `value` is None where the band has no data there; complex samples are given by their magnitude.
    None when the point lies outside. Raises RasterError for a raster without a place.
    """
    try:
        with placed(path) as source:
            found = _pixel(source, lon, lat)
            if found is None:
                return None
            bands = tuple(range(1, min(source.count, MOST_BANDS) + 1))
            values = [
                {"name": name, "value": found[at], **({"unit": unit} if unit else {})}
                for at, (name, unit) in enumerate(zip(band_names(source), source.units, strict=True))
                if at < len(bands)
            ]
            if look.expression is not None:
                values.append(_of_expression(source, look, found))
            return values
    except RasterioError as error:
        raise RasterError(f"The pixels of {path.name} cannot be read; is the file whole?") from error


def _pixel(source: Any, lon: float, lat: float) -> list[float | None] | None:
    """All bands' values of the pixel at a point; None outside."""
    for turn in (0, 360, -360):  # a geographic raster may count its degrees past 180
        xs, ys = transform("EPSG:4326", source.crs, [lon + turn], [lat])
        if not (math.isfinite(xs[0]) and math.isfinite(ys[0])):
            continue
        column, row = (math.floor(each) for each in ~source.transform @ (xs[0], ys[0]))
        if 0 <= column < source.width and 0 <= row < source.height:
            window = Window(column, row, 1, 1)
            values, there = read_bands(source, tuple(range(1, source.count + 1)), window=window)
            pairs = zip(values[:, 0, 0], there[:, 0, 0], strict=True)
            return [_plain(value) if valid and np.isfinite(value) else None for value, valid in pairs]
    return None


def _of_expression(source: Any, look: Look, found: list[float | None]) -> dict[str, Any]:
    expression, bands = expression_of(source, str(look.expression))
    given = {name: found[band - 1] for name, band in bands.items()}
    value: float | None = None
    if all(each is not None for each in given.values()):
        numbers = {name: np.asarray(each or 0, dtype=np.float64) for name, each in given.items()}
        result = float(expression.evaluate(numbers))
        value = result if math.isfinite(result) else None
    return {"name": expression.text, "value": value}


def _plain(value: Any) -> float:
    number: float = value.item()
    return number
