"""Add layers that are not plots of the selection: vector artifacts, rasters, the pixels of an image."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from state.model import Bbox, Layer, State
from tools.artifacts import artifact_file
from tools.base import Step, ToolError, World, tool
from tools.map.files import VECTOR_SUFFIXES, image_picture, raster_box, read_vector, vector_box
from tools.map.geometry import checked_box
from tools.map.styles import KIND_COLORS, color_of, free_id, free_name, slug
from tools.phrases import number_of
from tools.units import ColorText, ImageId, NewName

ArtifactId = Annotated[
    str, Field(min_length=1, max_length=200, description="An artifact's id, as in the state.")
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
Stretch = Annotated[
    Literal["percentile", "minmax", "none"],
    Field(description="How values become brightness: 2 to 98 percent, least to greatest, or as they are."),
]
Colormap = Annotated[
    Literal["grey", "viridis", "magma", "terrain", "red_yellow_green"],
    Field(description="The colours of a single band."),
]
Options = dict[str, str | float | bool]


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
    found = state.artifact(artifact)
    kind: Literal["document", "vector"] = "document" if found and found.kind == "document" else "vector"
    path = artifact_file(state, world, artifact, kind)
    if path.suffix not in VECTOR_SUFFIXES:
        raise ToolError(
            f"{artifact!r} is a {path.suffix.lstrip('.')} file, not a vector file such as GeoJSON."
        )
    frame = read_vector(path)
    layer = _layer(
        state,
        name or (found.name if found else artifact),
        "vector",
        vector_box(frame),
        color=KIND_COLORS["vector"] if color is None else color_of(color),
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
    stretch: Stretch = "percentile",
    colormap: Colormap | None = None,
    name: Title = None,
) -> Step:
    """Add a raster artifact, or the pixels of an image that has some, to the map as a layer.

    Example: copilot call add_raster_layer artifact=raster-1a2b3c bands=1 colormap=viridis

    Asked as: put the image's pixels on the map | overlay the raster | show the picture itself on the map |
    bands 4 3 2 on the map | add the GeoTIFF as a layer | false colour composite on the map | show the NDVI
    raster in viridis
    """
    if (image is None) == (artifact is None):
        raise ToolError("add_raster_layer needs an image's id or a raster artifact's id; one of them.")
    options = _looks(bands, stretch, colormap)
    if image is not None:
        record = image_record(world, image)
        if image_picture(world, record) is None:
            raise ToolError(
                f"{image} has no pixels here, only its record; ingest the image files to see them."
            )
        bbox = checked_box([float(record[side]) for side in ("west", "south", "east", "north")])
        options["image"] = image
        layer = _layer(state, name or str(record["name"]), "raster", bbox, options=options)
    else:
        path = artifact_file(state, world, str(artifact), "raster")
        bbox, count = raster_box(path)
        if bands and max(bands) > count:
            raise ToolError(f"There is no band {max(bands)}: {artifact} has {number_of(count, 'band')}.")
        found = state.artifact(str(artifact))
        title = name or (found.name if found else str(artifact))
        layer = _layer(state, title, "raster", bbox, options=options, artifact=artifact)
    said = f"Added the raster {image or artifact} (layer {layer.id!r})."
    return Step(state.with_layer(layer), said, _facts(layer))


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


def _looks(bands: list[int] | None, stretch: str, colormap: str | None) -> Options:
    if bands is not None and len(bands) == 2:
        raise ToolError("Two bands make no picture; give one band, or three for red, green and blue.")
    if colormap is not None and bands is not None and len(bands) == 3:
        raise ToolError("A colormap colours one band; leave it out for three bands.")
    options: Options = {"stretch": stretch}
    if bands is not None:
        options["bands"] = ",".join(str(each) for each in bands)
    if colormap is not None:
        options["colormap"] = colormap
    return options


def _layer(
    state: State,
    name: str,
    kind: Literal["vector", "raster"],
    bbox: Bbox,
    *,
    options: Options | None = None,
    color: str = KIND_COLORS["raster"],
    artifact: str | None = None,
    count: int = 1,
) -> Layer:
    """The new layer; it remembers its box, so that fitting it reads no file."""
    sides: Options = dict(zip(("west", "south", "east", "north"), bbox, strict=True))
    return Layer(
        id=free_id(state, slug(name)),
        name=free_name(state, name),
        kind=kind,
        color=color,
        opacity=1.0 if kind == "raster" else 0.8,
        artifact=artifact,
        options=tuple(sorted({**(options or {}), **sides}.items())),
        count=count,
    )


def _facts(layer: Layer) -> dict[str, Any]:
    options = dict(layer.options)
    bbox = [options[side] for side in ("west", "south", "east", "north")]
    return {"layer": layer.id, "kind": layer.kind, "count": layer.count, "bbox": bbox}


TOOLS = (add_vector_layer, add_raster_layer)
