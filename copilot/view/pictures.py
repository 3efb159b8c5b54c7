"""Raster layers without a coordinate system of their own: one picture, stretched over the layer's box."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from rasterio.enums import Resampling
from rasterio.errors import RasterioError

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.looks import Look, drawn, read_bands
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
    except (RasterError, RasterioError) as error:
        said = str(error) if isinstance(error, RasterError) else f"{path.name} is not a raster to be read."
        raise ToolError(said) from error


@lru_cache(maxsize=32)
def _picture(path: Path, _changed: int, look: Look, has_place: bool) -> bytes:
    if has_place:
        west, south, east, north = source_of(path).box
        height, width = _fitted(east - west, north - south)
        found = picture(path, look, (west, south, east, north), width, height)
        return png(np.zeros((height, width, 4), dtype=np.uint8) if found is None else found)
    how = drawn(path, look)
    with opened(path) as source:
        shape = (len(how.bands), *_fitted(source.width, source.height, MAX_PX / max(source.shape)))
        values, valid = read_bands(source, how.bands, out_shape=shape, resampling=Resampling.average)
    return png(how.colours(values, valid))


def _fitted(width: float, height: float, most: float | None = None) -> tuple[int, int]:
    """Rows and columns of a picture of that shape."""
    scale = min(1.0, most) if most is not None else MAX_PX / max(width, height)
    return max(1, round(height * scale)), max(1, round(width * scale))
