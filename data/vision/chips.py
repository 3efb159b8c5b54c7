"""Parts of an image in its own grid: the picture around one object with its outline, and tiles."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.looks import Look, drawn, read_bands

TILE_PX = 256
_LEAST_PX = 24
"""A chip shows at least so many pixels of the image, so that a small object has its surroundings."""

Pixels = NDArray[np.uint8]


def chip(
    path: Path,
    outline: NDArray[np.float64],
    look: Look,
    *,
    color: str,
    size_px: int = 320,
    margin: float = 0.6,
) -> Pixels:
    """The square around an outline (n, 2 of column and row) as RGBA, with the outline drawn on it.

    `margin` is how much is seen on each side, as a share of the outline's longer side. Raises RasterError
    for a file that cannot be read.
    """
    low, high = outline.min(axis=0), outline.max(axis=0)
    side = max(_LEAST_PX, float((high - low).max()) * (1 + 2 * margin))
    left, top = (low + high) / 2 - side / 2
    pixels = window(path, look, (float(left), float(top), side, side), (size_px, size_px))
    return _outlined(pixels, (outline - [left, top]) * (size_px / side), color)


def pixel_tile(path: Path, look: Look, z: int, x: int, y: int) -> Pixels:
    """A tile of the image's own grid as RGBA: at level 0 a pixel is a pixel, at -1 two of them are one."""
    side = TILE_PX * 2.0**-z
    return window(path, look, (x * side, y * side, side, side), (TILE_PX, TILE_PX))


def window(path: Path, look: Look, box: tuple[float, float, float, float], shape: tuple[int, int]) -> Pixels:
    """A box of an image (left, top, width, height; pixels) as RGBA of that shape; beyond it is transparent.

    Only what is asked for is read, from the overview that is next finer.
    """
    from rasterio.enums import Resampling
    from rasterio.errors import RasterioError
    from rasterio.windows import Window

    how = drawn(path, look)
    left, top, width, height = box
    rows, columns = shape
    found = np.zeros((rows, columns, 4), dtype=np.uint8)
    with opened(path) as source:
        x0, y0 = max(0.0, left), max(0.0, top)
        x1, y1 = min(float(source.width), left + width), min(float(source.height), top + height)
        if x1 <= x0 or y1 <= y0:
            return found
        # The part of the shape that the image covers, on whole pixels of the shape.
        c0, c1 = (round((each - left) / width * columns) for each in (x0, x1))
        r0, r1 = (round((each - top) / height * rows) for each in (y0, y1))
        if c1 <= c0 or r1 <= r0:
            return found
        coarser = width > columns
        method = Resampling.nearest if how.nearest or not coarser else Resampling.average
        try:
            values, valid = read_bands(
                source,
                how.bands,
                window=Window(x0, y0, x1 - x0, y1 - y0),
                out_shape=(len(how.bands), r1 - r0, c1 - c0),
                resampling=method,
            )
        except RasterioError as error:
            raise RasterError(f"The pixels of {path.name} cannot be read; is the file whole?") from error
    found[r0:r1, c0:c1] = how.colours(values, valid)
    return found


def _outlined(pixels: Pixels, outline: NDArray[np.float64], color: str) -> Pixels:
    from PIL import Image, ImageDraw

    picture = Image.new("RGBA", (pixels.shape[1], pixels.shape[0]), (32, 36, 42, 255))
    picture.alpha_composite(Image.fromarray(pixels))
    draw = ImageDraw.Draw(picture)
    ring = [(float(x), float(y)) for x, y in [*outline, outline[0]]]
    draw.line(ring, fill=(0, 0, 0, 255), width=5, joint="curve")
    draw.line(ring, fill=color, width=3, joint="curve")
    return np.asarray(picture)
