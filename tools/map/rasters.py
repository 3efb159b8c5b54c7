"""Raster layers: the file that fills one, how it looks, and the values of its pixels at a point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from state.model import Layer, LonLat
from tools.base import ToolError, World
from tools.map.files import image_picture

if TYPE_CHECKING:
    from data.raster.looks import Look

RAMP_COLOURS = 12
"""How many of a colormap's colours a legend is made of."""


def layer_file(layer: Layer, world: World) -> Path:
    """The file with a raster layer's pixels. Raises ToolError when it is not there."""
    if layer.artifact is not None:
        found = world.artifacts.find(layer.artifact)
    else:
        record = world.catalogue.image(str(dict(layer.options).get("image")))
        raster = Path(str(record["path"])) if record and record.get("path") else None
        found = raster if raster and raster.is_file() else image_picture(world, record) if record else None
    if found is None:
        raise ToolError(f"The pixels of the layer {layer.name!r} are gone.")
    return found


def layer_look(layer: Layer) -> Look:
    """How a raster layer is drawn."""
    from data.raster.looks import Look

    return Look.of(dict(layer.options))


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

    `{name, value}` of each, `value` None for nodata. Raises ToolError for what cannot be read.
    """
    from data.raster.errors import RasterError
    from data.raster.pixels import pixel_values

    try:
        return pixel_values(layer_file(layer, world), layer_look(layer), *spot)
    except RasterError as error:
        raise ToolError(str(error)) from error


def values_in_words(values: list[dict[str, Any]]) -> str:
    """`red 212, nir no data`."""
    return ", ".join(
        f"{each['name']} {'no data' if each['value'] is None else format(each['value'], '.6g')}"
        for each in values
    )
