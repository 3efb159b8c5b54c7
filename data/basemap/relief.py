"""The shaded relief as tiles: a picture in degrees drawn in Web Mercator, 512 pixels a tile."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from data.basemap.tiling import Tile

RELIEF_ZOOM = 4
TILE_PX = 512
_QUALITY = 70


def relief_tiles(picture: Path) -> Iterator[tuple[Tile, bytes]]:
    """Every tile as WebP, from a picture of the whole world whose pixels are equal steps of degrees."""
    before, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        with Image.open(picture) as opened:
            world = np.asarray(opened.convert("RGB"))
    finally:
        Image.MAX_IMAGE_PIXELS = before
    mercator = Image.fromarray(_mercator(world, TILE_PX * 2**RELIEF_ZOOM))
    for zoom in range(RELIEF_ZOOM, -1, -1):
        side = TILE_PX * 2**zoom
        if mercator.width != side:
            mercator = mercator.resize((side, side), Image.Resampling.BOX)
        for x in range(2**zoom):
            for y in range(2**zoom):
                part = mercator.crop((x * TILE_PX, y * TILE_PX, (x + 1) * TILE_PX, (y + 1) * TILE_PX))
                with io.BytesIO() as file:
                    part.save(file, "webp", quality=_QUALITY, method=6)
                    yield (zoom, x, y), file.getvalue()


def _mercator(world: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """The picture, (height, width, 3), as a square of Web Mercator: (side, side, 3), bilinear."""
    height, width, _ = world.shape
    part = (np.arange(side) + 0.5) / side
    lat = np.degrees(np.arctan(np.sinh(np.pi * (1 - 2 * part))))
    rows, columns = (90 - lat) / 180 * height - 0.5, part * width - 0.5
    left, across = _between(columns, width)
    made = np.empty((side, side, 3), np.uint8)
    upper, down = _between(rows, height)
    for row in range(side):
        line = world[upper[row]] * (1 - down[row]) + world[upper[row] + 1] * down[row]
        made[row] = np.rint(line[left] * (1 - across[:, None]) + line[left + 1] * across[:, None])
    return made


def _between(spots: NDArray[np.float64], size: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The pixel before each spot, and how far it is from there to the next."""
    before = np.clip(np.floor(spots), 0, size - 2).astype(np.intp)
    return before, np.clip(spots - before, 0, 1)
