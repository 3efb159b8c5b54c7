"""Add layers that are not plots of the selection: vector artifacts, rasters, the pixels of an image."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from state.model import Bbox, Layer, State
from tools.artifacts import artifact_file, id_or_name
from tools.base import Step, ToolError, World, tool
from tools.map.classes import GRADED, OPTION, without_styles
from tools.map.files import (
    VECTOR_SUFFIXES,
    image_name,
    image_picture,
    image_raster,
    raster_box,
    read_vector,
    vector_box,
)
from tools.map.geometry import checked_box
from tools.map.rasters import coloured
from tools.map.styles import color_of
from tools.phrases import number_of
from tools.showing import new_layer
from tools.units import ColorText, ImageId, NewName

ArtifactId = Annotated[
    str, Field(min_length=1, max_length=200, description="An artifact's id or name, as in the state.")
]
Title = Annotated[NewName | None, Field(description="What the layer is called.")]


def _listed(value: Any) -> Any:
    """A list where one band, or "3,2,1" from a command line, was given."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return [value] if isinstance(value, int) else value


Bands = Annotated[
    list[Annotated[int, Field(ge=1, le=500)]],
    BeforeValidator(_listed),
    Field(
        min_length=1, max_length=3, description="One band, or three for red, green and blue; the first is 1."
    ),
]


def _limits(value: Any) -> Any:
    """A pair of numbers where "0,3000" came from a command line."""
    return [part.strip() for part in value.split(",")] if isinstance(value, str) and "," in value else value


Stretch = Annotated[
    Literal["percentile", "minmax", "none"] | Annotated[list[float], Field(min_length=2, max_length=2)],
    BeforeValidator(_limits),
    Field(
        description="How values become brightness: 2 to 98 percent, least to greatest, as they are, "
        "or between [min, max]."
    ),
]
_KNOWN_COLORMAPS = [
    "grey", "viridis", "magma", "inferno", "plasma", "turbo", "terrain", "red_yellow_green", "rdylgn",
    "rdbu", "spectral", "greens", "blues", "reds", "oranges", "purples",
]  # fmt: skip
Colormap = Annotated[
    str,
    Field(
        min_length=1,
        max_length=40,
        description="Colours of a single band: a matplotlib name (_r turns it round), or a colour such as "
        "green or #ff8800 for shades of it.",
        # Any other name and any colour will do too: these are those that people say.
        json_schema_extra={"anyOf": [{"type": "string", "enum": _KNOWN_COLORMAPS}, {"type": "string"}]},
    ),
]
BandSum = Annotated[
    str,
    Field(
        min_length=1,
        max_length=300,
        description="Shown in place of bands: a sum over b1, b2 ... such as (b4-b3)/(b4+b3).",
    ),
]
Options = dict[str, str | float | bool]
LOOK_OPTIONS = ("bands", "expression", "stretch", "colormap")
"""The options of a raster layer that say how it looks."""


@tool("map", changes_state=True, needs=("vector",), gives=("layer",))
def add_vector_layer(
    state: State,
    world: World,
    *,
    artifact: ArtifactId,
    name: Title = None,
    color: ColorText | None = None,
) -> Step:
    """Add a vector artifact to the map as a layer.

    Example: copilot call add_vector_layer artifact=vector-1a2b3c

    Asked as: put this vector on the map | show the buffer result as a layer | add the polygons to the map |
    display the GeoJSON artifact | the intersection as a layer
    """
    artifact = id_or_name(state, artifact, "vector", "document")
    found = state.artifact(artifact)
    kind: Literal["document", "vector"] = "document" if found and found.kind == "document" else "vector"
    path = artifact_file(state, world, artifact, kind)
    if path.suffix not in VECTOR_SUFFIXES:
        raise ToolError(
            f"{artifact!r} is a {path.suffix.lstrip('.')} file, not a vector file such as GeoJSON."
        )
    frame = read_vector(path)
    shown = _shown(state, "vector", name, artifact=artifact)
    if shown is not None:
        colour = shown.color if color is None else color_of(color)
        options = shown.options if color is None else without_styles(shown, OPTION, GRADED)
        layer = replace(shown, color=colour, visible=True, count=len(frame), options=options)
        said = f"{artifact} is shown with {number_of(len(frame), 'feature')} (layer {layer.id!r})."
        return Step(state.with_layer(layer), said, _facts(layer))
    layer = new_layer(
        state,
        name or (found.name if found else artifact),
        "vector",
        vector_box(frame),
        color=color,
        artifact=artifact,
        count=len(frame),
    )
    said = f"Added {number_of(len(frame), 'feature')} of {artifact} (layer {layer.id!r})."
    return Step(state.with_layer(layer), said, _facts(layer))


@tool("map", changes_state=True, gives=("layer",))
def add_raster_layer(
    state: State,
    world: World,
    *,
    image: ImageId | None = None,
    artifact: ArtifactId | None = None,
    bands: Bands | None = None,
    expression: BandSum | None = None,
    stretch: Stretch | None = None,
    colormap: Colormap | None = None,
    name: Title = None,
) -> Step:
    """Put a raster artifact, or an image's pixels, on the map, or change how it looks there.

    What is on the map already keeps its layer, and of its look what is not said anew; with a name that no
    layer of it has, it is shown a second time. Bands are counted from 1. The stretch is the same over the
    whole raster: percentiles 2 and 98 when nothing is said.

    Example: copilot call add_raster_layer artifact=raster-1a2b3c bands=1 colormap=viridis

    Asked as: put the image's pixels on the map | overlay the raster | show the picture itself on the map |
    bands 4 3 2 on the map | add the GeoTIFF as a layer | false colour composite on the map | show the NDVI
    raster in viridis | show it in green | stretch the raster from 0 to 3000 | colour the raster red to green
    """
    if (image is None) == (artifact is None):
        raise ToolError("add_raster_layer needs an image's id or a raster artifact's id; one of them.")
    if bands is not None and expression is not None:
        raise ToolError("A layer shows bands or an expression over them; give one of the two.")
    if artifact is not None:
        artifact = id_or_name(state, artifact, "raster")
        if state.artifact(artifact) is None and world.catalogue.image(artifact) is not None:
            image, artifact = artifact, None  # an image's id, where a raster was asked for
    before = _shown(state, "raster", name, artifact=artifact, image=image)
    bbox, title, path = _pixels(state, world, image, artifact)
    known = {key: value for key, value in (before.options if before else ()) if key in LOOK_OPTIONS}
    looks = _looks(known, path, bands, expression, stretch, colormap)
    if image is not None:
        looks["image"] = image
    limits = _checked_limits(path, looks)
    if before is None:
        layer = new_layer(state, name or title, "raster", bbox, options=looks, artifact=artifact)
        said = f"Added the raster {image or artifact} (layer {layer.id!r})"
    else:
        sides: Options = dict(zip(("west", "south", "east", "north"), bbox, strict=True))
        layer = replace(before, visible=True, options=tuple(sorted({**looks, **sides}.items())))
        said = f"The layer {layer.id!r} shows the raster {image or artifact} anew"
    data = {**_facts(layer), "limits": limits}
    return Step(state.with_layer(layer), f"{said}{_look_in_words(looks, limits)}.", data)


def _shown(
    state: State,
    kind: Literal["vector", "raster"],
    name: str | None,
    *,
    artifact: str | None = None,
    image: str | None = None,
) -> Layer | None:
    """The topmost layer of that artifact or image; of the name, when one is given."""
    for layer in reversed(state.map.layers):
        same = layer.artifact == artifact if artifact else dict(layer.options).get("image") == image
        if layer.kind == kind and same and (name is None or layer.name.casefold() == name.strip().casefold()):
            return layer
    return None


def _pixels(state: State, world: World, image: str | None, artifact: str | None) -> tuple[Bbox, str, Path]:
    """Where a raster lies, what it is called, and its file."""
    if image is not None:
        record = image_record(world, image)
        quicklook = image_picture(world, record)
        if quicklook is None:
            raise ToolError(
                f"{image} has no pixels here, only its record; ingest the image files to see them."
            )
        box = checked_box([float(record[side]) for side in ("west", "south", "east", "north")])
        return box, image_name(world, record), image_raster(world, record) or quicklook
    path = artifact_file(state, world, str(artifact), "raster")
    found = state.artifact(str(artifact))
    return raster_box(path)[0], found.name if found else str(artifact), path


def image_record(world: World, image: str) -> dict[str, Any]:
    """An image's record. Raises ToolError with the nearest ids of its data set."""
    record = world.catalogue.image(image)
    if record is not None:
        return record
    names = [info.name for info in world.catalogue.datasets()]
    dataset = image.split(":", 1)[0]
    if ":" not in image or dataset not in names:
        near = get_close_matches(dataset, names, n=1)
        hint = f"Did you mean {near[0]}:…? " if near else ""
        raise ToolError(
            f"No image has the id {image!r}. {hint}An id is the data set and the name: fair1m:10.tif."
        )
    raise ToolError(
        f"The data set {dataset} has no image {image!r}; db_query lists the ids of the selection."
    )


def _looks(
    known: Options,
    path: Path,
    bands: list[int] | None,
    expression: str | None,
    stretch: str | list[float] | None,
    colormap: str | None,
) -> Options:
    """The look's options: what is said anew over what is known."""
    if bands is not None and len(bands) == 2:
        raise ToolError("Two bands make no picture; give one band, or three for red, green and blue.")
    if colormap is not None and bands is not None and len(bands) == 3:
        raise ToolError("A colormap colours one band; leave it out for three bands.")
    options = {"stretch": "percentile", **known}
    if bands is not None or expression is not None:
        for each in ("bands", "expression"):
            options.pop(each, None)
        options["stretch"] = "percentile"  # limits of other values say nothing of these
    if bands is not None:
        options["bands"] = ",".join(str(each) for each in bands)
        if len(bands) == 3:
            options.pop("colormap", None)
    if expression is not None:
        options["expression"] = " ".join(expression.split())
    if stretch is not None:
        options["stretch"] = stretch if isinstance(stretch, str) else _between(*stretch)
    if colormap is not None:
        options |= coloured(path, options, colormap)
    return options


def _between(low: float, high: float) -> str:
    if not (isfinite(low) and isfinite(high) and low < high):
        raise ToolError(f"A stretch goes from a lower to a higher value, not from {low:g} to {high:g}.")
    return f"{low!r},{high!r}"


def _checked_limits(path: Path, looks: Options) -> list[list[float]]:
    """The least and greatest value shown, of each band."""
    from data.raster.errors import RasterError
    from data.raster.looks import Look, drawn

    try:
        return [[round(low, 6), round(high, 6)] for low, high in drawn(path, Look.of(looks)).limits]
    except RasterError as error:
        raise ToolError(str(error)) from error


def _look_in_words(looks: Options, limits: list[list[float]]) -> str:
    """`: (b4-b3)/(b4+b3) from -0.2 to 0.8 in greens`."""
    what = str(looks.get("expression") or "")
    if not what and "bands" in looks:
        bands = str(looks["bands"]).split(",")
        what = f"band {bands[0]}" if len(bands) == 1 else f"bands {', '.join(bands)}"
    parts = [what] if what else []
    if len(limits) == 1:
        parts.append(f"from {limits[0][0]:g} to {limits[0][1]:g}")
    if "colormap" in looks:
        parts.append(f"in {looks['colormap']}")
    return f": {' '.join(parts)}" if parts else ""


def _facts(layer: Layer) -> dict[str, Any]:
    options = dict(layer.options)
    bbox = [options[side] for side in ("west", "south", "east", "north")]
    return {"layer": layer.id, "kind": layer.kind, "count": layer.count, "bbox": bbox}


TOOLS = (add_vector_layer, add_raster_layer)
