"""Geotools: places, vectors, rasters and corrections."""

from tools.base import Tool

TOOLS: tuple[Tool, ...] = ()
