"""Rasters that tools work on and make: GeoTIFF files of the session, known to the state by their id."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from data.schema import RENDERED
from state.codec import canonical
from state.model import Bbox, State
from tools.artifacts import Call, Input, named, newest_named, write_about
from tools.base import Step, ToolError, World
from tools.map.files import image_name, image_picture, image_raster, raster_box
from tools.phrases import listed
from tools.showing import artifact_layer
from tools.values import as_values

RasterHandle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="A raster: the id of a raster artifact, of a raster layer, or of an image with pixels.",
        json_schema_extra={"format": "raster"},
    ),
]


@dataclass(frozen=True)
class Raster:
    """A raster that a call works on."""

    handle: str
    path: Path
    name: str
    key: str


def raster_of(state: State, world: World, handle: str) -> Raster:
    """The raster of that handle or name, its bands as the user named them.

    Raises ToolError with the nearest ones.
    """
    found = as_it_came(state, world, handle)
    names = state.bands_of(found.key)
    if names is None:
        return found
    from data.raster.errors import RasterError
    from data.raster.naming import named_copy

    # Another key: what is made of it is not what was made of the raster before its bands were named.
    key = f"bands-{sha256(canonical([found.key, names]).encode()).hexdigest()[:12]}"
    there = world.artifacts.find(key)
    if there is None:
        there = world.artifacts.path(key, ".tif")
        try:
            named_copy(found.path, names, there)
        except RasterError as error:
            raise ToolError(str(error)) from None
    return replace(found, path=there, key=key)


def as_it_came(state: State, world: World, handle: str) -> Raster:
    """The raster of that handle with its file's own bands. Raises ToolError with the nearest ones."""
    artifact = named(state, handle, "raster")
    if artifact is not None and artifact.kind == "raster":
        path = world.artifacts.find(artifact.id)
        if path is None:
            raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
        return Raster(artifact.id, path, artifact.name, artifact.id)
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    if layer is not None and layer.kind == "raster":
        if layer.artifact is not None:
            return as_it_came(state, world, layer.artifact)
        return _image(world, str(dict(layer.options).get("image", "")))
    if ":" in handle:
        return _image(world, handle)
    raise ToolError(_no_raster(state, handle))


def image_of(state: State, world: World, handle: str, model: str | None = None) -> Raster:
    """The raster of that handle, in which things are looked for: no heights, no classes, not empty.

    One who names the model knows what it is for, and may run it on anything. Raises ToolError.
    """
    from data.raster.errors import RasterError
    from data.vision.suits import refuse_no_image

    raster = raster_of(state, world, handle)
    if model is None:
        try:
            refuse_no_image(raster.path)
        except RasterError as error:
            raise ToolError(str(error)) from None
    return raster


def raster_step(
    state: State,
    world: World,
    call: Call,
    inputs: Sequence[Input],
    make: Callable[[Path], object],
    *,
    name: str,
    said: str | Callable[[Path], str],
    options: Mapping[str, str | float | bool] | None = None,
    **data: Any,
) -> Step:
    """Make a raster, keep it and show it: `make` writes a GeoTIFF to the path that it is given.

    `said` is the observation, or makes it from the finished file; `options` are how the layer looks
    (bands, stretch, colormap); `data` is what else an answer may quote. The call and its inputs are
    written into the file's tags and beside it. Nothing half-written stays. Raises ToolError for what
    `make` says with a RasterError.
    """
    from data.raster.errors import RasterError
    from data.rendered import is_rendered

    artifact = call.artifact("raster", state, name, "", inputs)
    target = world.artifacts.path(artifact.id, ".tif")
    part = target.with_name(f".{artifact.id}-{secrets.token_hex(4)}.part.tif")
    try:
        make(part)
        rendered = any(isinstance(each, Raster) and is_rendered(each.path) for each in inputs)
        _stamp(part, call, inputs, rendered)
        sentence = said if isinstance(said, str) else said(part)
        if rendered:
            sentence = f"{sentence} It is made of a {RENDERED}."
        bands, size = _shape(part)
        part.replace(target)
    except RasterError as error:
        raise ToolError(str(error)) from None
    finally:
        part.unlink(missing_ok=True)
    summary = f"{bands} band{'' if bands == 1 else 's'}, {size[0]} x {size[1]} pixels"
    artifact = call.artifact("raster", state, name, summary, inputs)
    write_about(world, artifact, call, inputs)
    after, where = with_raster(state.with_artifact(artifact), target, artifact.id, name, options)
    facts = {
        "raster": artifact.id,
        "bands": bands,
        "width_px": size[0],
        "height_px": size[1],
        **where,
        **data,
    }
    return Step(after, f"{sentence} The raster is {artifact.id}.", facts)


def with_raster(
    state: State,
    path: Path,
    artifact_id: str,
    name: str,
    options: Mapping[str, str | float | bool] | None = None,
) -> tuple[State, dict[str, Any]]:
    """The state with the raster on the map, and its layer and box; as it was for one without a place."""
    bbox = place_of(path)
    if bbox is None:
        return state, {}
    looks = {"stretch": "percentile", **(options or {})}
    layer = artifact_layer(state, name, "raster", bbox, options=looks, artifact=artifact_id)
    return state.with_layer(layer), {"layer": layer.id, "bbox": list(bbox)}


def place_of(path: Path) -> Bbox | None:
    """A raster's box in degrees; None when it has no place on the globe."""
    try:
        return raster_box(path)[0]
    except ToolError:
        return None


def _image(world: World, image_id: str) -> Raster:
    record = world.catalogue.image(image_id)
    if record is None:
        raise ToolError(f"There is no image {image_id!r}; db_query lists the ids of the selection.")
    path = image_raster(world, record) or image_picture(world, record)
    if path is None:
        raise ToolError(
            f"{image_id} has no pixels here, only its record; add the image's own file to use it."
        )
    return Raster(image_id, as_values(world, image_id, path, record), image_name(world, record), image_id)


def _no_raster(state: State, asked: str) -> str:
    known = {each.id: each.name for each in state.artifacts if each.kind == "raster"}
    other = state.artifact(asked) or state.layer(asked)
    problem = (
        f"{asked!r} is a {other.kind}, not a raster."
        if other is not None
        else f"There is no raster {asked!r}."
    )
    if not known:
        return f"{problem} There is no raster yet; add_file brings one in from a file."
    near = get_close_matches(asked, [*known, *known.values()], n=1)
    if near:
        return f"{problem} Did you mean {near[0]!r}?"
    return f"{problem} There are {listed([f'{key} ({name})' for key, name in list(known.items())[-6:]])}."


def _stamp(path: Path, call: Call, inputs: Sequence[Input], rendered: bool) -> None:
    import rasterio

    from data.uploads.gdal import quiet_gdal

    with quiet_gdal(), rasterio.open(path, "r+") as target:
        target.update_tags(
            AZIMUTH_CALL=str(call),
            AZIMUTH_ARGUMENTS=canonical(call.args),
            AZIMUTH_INPUTS=canonical([{"name": each.name, "id": each.key} for each in inputs]),
            **({"source": RENDERED} if rendered else {}),
        )


def _shape(path: Path) -> tuple[int, tuple[int, int]]:
    import rasterio

    from data.uploads.gdal import quiet_gdal

    with quiet_gdal(), rasterio.open(path) as source:
        return int(source.count), (int(source.width), int(source.height))
