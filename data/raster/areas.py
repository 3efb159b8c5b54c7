"""How much ground a raster's pixels cover: geodesic areas on the WGS84 ellipsoid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError
from data.raster.windows import Grid

_ROWS = 65
_COLUMNS = 5
"""Pixels are measured in so many rows and columns; in between, an area changes smoothly."""


def row_areas_m2(grid: Grid) -> NDArray[np.float64]:
    """The area of a pixel in each row, square metres, the mean along the row; (height,).

    Not-a-number where a row lies off the globe. Raises RasterError for a raster without a CRS.
    """
    from pyproj import Geod, Transformer

    if grid.crs is None:
        raise RasterError("The raster has no coordinate system, so its pixels have no area.")
    to_degrees = Transformer.from_crs(grid.crs, "EPSG:4326", always_xy=True)
    rows = np.unique(np.linspace(0, grid.height - 1, _ROWS).round())
    columns = np.unique(np.linspace(0, grid.width - 1, _COLUMNS).round())
    geod, measured = Geod(ellps="WGS84"), []
    for row in rows:
        areas = []
        for column in columns:
            around = ((0, 0), (0, 1), (1, 1), (1, 0))
            corners = [grid.transform @ (column + x, row + y) for x, y in around]
            lon, lat = to_degrees.transform([x for x, _ in corners], [y for _, y in corners])
            if np.isfinite([*lon, *lat]).all() and max(map(abs, lat)) <= 90:
                areas.append(abs(geod.polygon_area_perimeter(lon, lat)[0]))
        measured.append(float(np.mean(areas)) if areas else float("nan"))
    return np.interp(np.arange(grid.height), rows, measured)
