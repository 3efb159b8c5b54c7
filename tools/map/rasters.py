"""Raster layers: the file that fills one, how it looks, and the values of its pixels at a point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from state.model import Bbox, Layer, LonLat
from tools.base import ToolError, World
from tools.map.files import image_picture, image_raster
from tools.values import as_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from data.raster.looks import Look

RAMP_COLOURS = 12
"""How many of a colormap's colours a legend is made of."""


def layer_file(layer: Layer, world: World) -> Path:
    """The file with a raster layer's pixels. Raises ToolError when it is not there."""
    if layer.artifact is not None:
        found = world.artifacts.find(layer.artifact)
    else:
        record = world.catalogue.image(str(dict(layer.options).get("image")))
        found = (image_raster(world, record) or image_picture(world, record)) if record else None
    if found is None:
        raise ToolError(f"The pixels of the layer {layer.name!r} are gone.")
    return found


def layer_look(layer: Layer) -> Look:
    """How a raster layer is drawn: of a mask what it marks, above what lies below."""
    from data.raster.looks import Look

    return replace(Look.of(dict(layer.options)), sheer=True)


def has_tiles(layer: Layer, world: World) -> bool:
    """Whether a layer is drawn as tiles: a raster that says itself where it lies. Others are one picture."""
    from data.raster.errors import RasterError
    from data.raster.tiles import source_of

    if layer.kind != "raster":
        return False
    try:
        source_of(layer_file(layer, world))
    except (RasterError, ToolError, OSError):
        return False
    return True


def coloured(path: Path, options: Mapping[str, Any], colormap: str) -> dict[str, str | float | bool]:
    """A look's options for a colormap: its own name, and the one band of three that it colours.

    Raises ToolError for a name that there is not.
    """
    from data.raster.colours import colormap_name
    from data.raster.errors import RasterError
    from data.raster.looks import Look, shown_bands

    try:
        found: dict[str, str | float | bool] = {"colormap": colormap_name(colormap)}
        several = shown_bands(path, Look.of(options))
    except RasterError as error:
        raise ToolError(str(error)) from error
    return {**found, "bands": str(several[0])} if len(several) > 1 else found


def own_picture(layer: Layer, world: World, most_px: int) -> NDArray[np.uint8] | None:
    """The pixels in their own grid as RGBA; None when they are gone or cannot be read."""
    from data.raster.errors import RasterError
    from data.raster.looks import plain_picture

    try:
        return plain_picture(layer_file(layer, world), layer_look(layer), most_px)
    except (RasterError, ToolError, OSError):
        return None


def map_picture(layer: Layer, world: World, most_px: int) -> tuple[NDArray[np.uint8], Bbox] | None:
    """The pixels as the map shows them, RGBA, no side longer than `most_px`, and the box that they fill.

    East lies beyond 180 where the raster crosses the antimeridian. None when there are none.
    """
    from data.raster.errors import RasterError
    from data.raster.tiles import degrees_of, picture, source_of

    if not has_tiles(layer, world):
        found, options = own_picture(layer, world, most_px), dict(layer.options)
        west, south, east, north = (float(options[side]) for side in ("west", "south", "east", "north"))
        return None if found is None else (found, (west, south, east + (360 if east < west else 0), north))
    path = layer_file(layer, world)
    try:
        place = source_of(path)
        across, down = place.box[2] - place.box[0], place.box[3] - place.box[1]
        metres = max(max(across, down) / most_px, place.metres_per_px)
        size = max(1, round(across / metres)), max(1, round(down / metres))
        seen = picture(path, layer_look(layer), place.box, *size)
    except RasterError:
        return None
    return None if seen is None else (seen, degrees_of(place.box))


def png_of(rgba: NDArray[np.uint8]) -> bytes:
    """A picture as PNG."""
    from data.raster.tiles import png

    return png(rgba)


def ramp_of(layer: Layer, world: World) -> dict[str, Any] | None:
    """The colours of a layer of one band, least value first, with both ends; None for a picture.

    `{colours: [#rrggbb …], low, high}`.
    """
    from data.raster.colours import lookup
    from data.raster.errors import RasterError
    from data.raster.looks import drawn

    try:
        how = drawn(layer_file(layer, world), layer_look(layer))
    except (RasterError, ToolError, OSError):
        return None
    if len(how.limits) != 1:
        return None
    colours = lookup(how.colormap or "grey")[:: -(-256 // RAMP_COLOURS)]
    (low, high), last = how.limits[0], lookup(how.colormap or "grey")[-1]
    texts = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in [*colours.tolist(), last.tolist()]]
    return {"colours": texts, "low": low, "high": high}


def values_at(layer: Layer, world: World, spot: LonLat) -> list[dict[str, Any]] | None:
    """Each shown band's value at a point, and the expression's; None where the raster does not reach.

    `{name, value}` of each, `value` None for nodata; of an image as the tools have them. Raises ToolError for
    what cannot be read.
    """
    from data.raster.errors import RasterError
    from data.raster.pixels import pixel_values

    path = layer_file(layer, world)
    if layer.artifact is None:
        image = str(dict(layer.options).get("image"))
        path = as_values(world, image, path, world.catalogue.image(image) or {})
    try:
        return pixel_values(path, layer_look(layer), *spot)
    except RasterError as error:
        raise ToolError(str(error)) from error


def values_in_words(values: list[dict[str, Any]]) -> str:
    """`red 212, nir no data`."""
    return ", ".join(
        f"{each['name']} {'no data' if each['value'] is None else format(each['value'], '.6g')}"
        for each in values
    )
