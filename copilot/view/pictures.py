"""Raster layers without a coordinate system of their own: one picture, stretched over the layer's box."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from data.raster.errors import RasterError
from data.raster.looks import Look, plain_picture
from data.raster.tiles import picture, png, source_of
from state.model import Layer
from tools.base import ToolError, World
from tools.map.rasters import has_tiles, layer_file, layer_look

MAX_PX = 1600


def layer_picture(layer: Layer, world: World) -> bytes:
    """A raster layer as PNG. Raises ToolError when its pixels are not there."""
    path = layer_file(layer, world)
    try:
        return _picture(path, path.stat().st_mtime_ns, layer_look(layer), has_tiles(layer, world))
    except RasterError as error:
        raise ToolError(str(error)) from error


@lru_cache(maxsize=32)
def _picture(path: Path, _changed: int, look: Look, has_place: bool) -> bytes:
    if has_place:
        west, south, east, north = source_of(path).box
        height, width = _fitted(east - west, north - south)
        found = picture(path, look, (west, south, east, north), width, height)
        return png(np.zeros((height, width, 4), dtype=np.uint8) if found is None else found)
    return png(plain_picture(path, look, MAX_PX))


def _fitted(width: float, height: float) -> tuple[int, int]:
    """Rows and columns of a picture of that shape."""
    scale = MAX_PX / max(width, height)
    return max(1, round(height * scale)), max(1, round(width * scale))
