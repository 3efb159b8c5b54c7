"""Geotools: places, vectors, rasters and corrections."""

from tools.base import Tool
from tools.geotools import (
    grids,
    joins,
    measuring,
    overlay,
    places,
    raster_clipping,
    raster_indices,
    raster_patches,
    raster_reading,
    raster_vector,
    shapes,
    terrain,
)

TOOLS: tuple[Tool, ...] = (
    *places.TOOLS,
    *measuring.TOOLS,
    *grids.TOOLS,
    *shapes.TOOLS,
    *overlay.TOOLS,
    *joins.TOOLS,
    *raster_reading.TOOLS,
    *raster_clipping.TOOLS,
    *raster_indices.TOOLS,
    *terrain.TOOLS,
    *raster_vector.TOOLS,
    *raster_patches.TOOLS,
)
