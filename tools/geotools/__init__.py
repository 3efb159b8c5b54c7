"""Geotools: places, vectors, rasters and corrections."""

from tools.base import Tool
from tools.geotools import measuring, places, raster_clipping, raster_indices, raster_reading, terrain

TOOLS: tuple[Tool, ...] = (
    *places.TOOLS,
    *measuring.TOOLS,
    *raster_reading.TOOLS,
    *raster_clipping.TOOLS,
    *raster_indices.TOOLS,
    *terrain.TOOLS,
)
