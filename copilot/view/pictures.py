"""Raster layers as pictures: reprojected to the map's Web Mercator, stretched, cut to a screen's size."""

from __future__ import annotations

import io
from functools import lru_cache
from pathlib import Path

import numpy as np
import rasterio
from numpy.typing import NDArray
from PIL import Image
from rasterio.enums import Resampling
from rasterio.errors import RasterioError
from rasterio.vrt import WarpedVRT

from state.model import Layer
from tools.base import ToolError, World
from tools.map.files import image_picture

MAX_PX = 1600
RAMPS: dict[str, tuple[str, ...]] = {
    "grey": ("#000000", "#ffffff"),
    "viridis": ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"),
    "magma": ("#000004", "#51127c", "#b73779", "#fc8961", "#fcfdbf"),
    "terrain": ("#1b6a3c", "#7fb25a", "#e8d98a", "#a9723f", "#ffffff"),
    "red_yellow_green": ("#a50026", "#fdae61", "#ffffbf", "#a6d96a", "#006837"),
}


def layer_picture(layer: Layer, world: World) -> bytes:
    """A raster layer as PNG. Raises ToolError when its pixels are not there."""
    path = _file_of(layer, world)
    options = dict(layer.options)
    bands = tuple(int(each) for each in str(options.get("bands", "")).split(",") if each)
    stretch, colormap = str(options.get("stretch", "percentile")), str(options.get("colormap", "grey"))
    return _picture(path, path.stat().st_mtime_ns, bands, stretch, colormap)


def _file_of(layer: Layer, world: World) -> Path:
    if layer.artifact is not None:
        found = world.artifacts.find(layer.artifact)
    else:
        record = world.catalogue.image(str(dict(layer.options).get("image")))
        raster = Path(str(record["path"])) if record and record.get("path") else None
        found = raster if raster and raster.is_file() else image_picture(world, record) if record else None
    if found is None:
        raise ToolError(f"The pixels of the layer {layer.name!r} are gone.")
    return found


@lru_cache(maxsize=32)
def _picture(path: Path, _changed: int, bands: tuple[int, ...], stretch: str, colormap: str) -> bytes:
    try:
        values, valid = _read(path, bands)
    except RasterioError as error:
        raise ToolError(f"{path.name} is not a raster that can be read.") from error
    if len(values) == 1:
        colours = _ramp(_scaled(values[0], valid, stretch), RAMPS.get(colormap, RAMPS["grey"]))
    else:
        colours = np.dstack([_scaled(band, valid, stretch) for band in values])
    rgba = np.dstack([(colours * 255).astype(np.uint8), np.where(valid, 255, 0).astype(np.uint8)])
    out = io.BytesIO()
    Image.fromarray(rgba, "RGBA").save(out, "PNG")
    return out.getvalue()


def _read(path: Path, bands: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    with rasterio.open(path) as source:
        chosen = bands or ((1, 2, 3) if source.count >= 3 else (1,))
        if source.crs is None:
            shape = _fitted(source.width, source.height)
            values = source.read(chosen, out_shape=(len(chosen), *shape)).astype(float)
            return values, np.ones(shape, dtype=bool)
        with WarpedVRT(
            source, crs="EPSG:3857", resampling=Resampling.bilinear, add_alpha=source.nodata is None
        ) as warped:
            shape = _fitted(warped.width, warped.height)
            values = warped.read(chosen, out_shape=(len(chosen), *shape)).astype(float)
            valid = warped.dataset_mask(out_shape=shape) > 0
    return values, valid & np.isfinite(values).all(axis=0)


def _fitted(width: int, height: int) -> tuple[int, int]:
    scale = min(1.0, MAX_PX / max(width, height))
    return max(1, round(height * scale)), max(1, round(width * scale))


def _scaled(band: NDArray[np.float64], valid: NDArray[np.bool_], stretch: str) -> NDArray[np.float64]:
    """0..1 for the chosen stretch."""
    seen = band[valid]
    if not len(seen):
        return np.zeros_like(band)
    if stretch == "none":
        low, high = 0.0, 255.0
    elif stretch == "minmax":
        low, high = float(seen.min()), float(seen.max())
    else:
        low, high = (float(each) for each in np.percentile(seen, (2, 98)))
    return np.nan_to_num(np.clip((band - low) / max(high - low, 1e-12), 0, 1))


def _ramp(values: NDArray[np.float64], stops: tuple[str, ...]) -> NDArray[np.float64]:
    colours = np.array([[int(stop[i : i + 2], 16) / 255 for i in (1, 3, 5)] for stop in stops])
    at = np.linspace(0, 1, len(stops))
    return np.dstack([np.interp(values, at, colours[:, channel]) for channel in range(3)])
