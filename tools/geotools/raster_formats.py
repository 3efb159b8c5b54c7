"""Rasters as files to take along: cloud-optimised GeoTIFF, and other formats and data types."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from state.codec import canonical
from state.model import State
from tools import conditions
from tools.artifacts import Call, write_about
from tools.base import Step, ToolError, World, tool
from tools.phrases import number, one_line
from tools.rasters import Raster, RasterHandle, raster_of, with_raster


@tool(
    "geotools",
    changes_state=True,
    needs=("raster",),
    gives=(conditions.Raster("raster", of="raster"), "layer"),
    long_running=True,
)
def raster_to_cog(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    compression: Annotated[
        Literal["deflate", "zstd", "lzw", "jpeg", "webp"],
        Field(description="deflate is read everywhere; jpeg and webp lose a little of 8-bit pictures."),
    ] = "deflate",
) -> Step:
    """Write a raster as a cloud-optimised GeoTIFF: tiles of 512 pixels with overviews, quick to browse.

    The pixels, names and scales stay as they are. Overviews are averages; of a palette or of one band of
    bytes, which is most often classes, the nearest pixel.

    Example: copilot call raster_to_cog raster=raster-5ce4e0

    Asked as: make a COG of it | cloud optimised GeoTIFF please | add overviews to the raster | tile it for
    the web | convert to a cloud-optimized file | build pyramids for this scene
    """
    from data.raster.formats import to_cog

    source = raster_of(state, world, raster)
    call = Call.of(raster_to_cog, raster=raster, compression=compression)
    name = f"{source.name} (COG)"[:100]

    def make(target: Path) -> None:
        to_cog(source.path, target, tags=_tags(call, source), compression=compression)

    return _file_step(state, world, call, source, make, name, "raster", ".tif", "cloud-optimised GeoTIFF")


@tool("geotools", changes_state=True, needs=("raster",), gives=("document", "raster"), long_running=True)
def raster_convert(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    format: Annotated[
        Literal["geotiff", "cog", "jpeg2000", "png", "jpeg", "netcdf", "imagine", "ascii"],
        Field(description="geotiff, cog and jpeg2000 stay rasters of the session; others are documents."),
    ] = "geotiff",
    dtype: Annotated[
        Literal["uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"] | None,
        Field(description="Another data type; values are rounded and cut to what it holds."),
    ] = None,
) -> Step:
    """Write a raster in another format (GeoTIFF, JPEG 2000, PNG, JPEG, NetCDF, ASCII grid) or data type.

    For PNG and JPEG, a raster that they cannot hold is first stretched into an 8-bit picture, as
    band_composite does; they carry no place. The other formats keep the values and the place.

    Example: copilot call raster_convert raster=raster-5ce4e0 format=png

    Asked as: save the raster as PNG | convert it to JPEG 2000 | I need it as NetCDF | export the scene as a
    GeoTIFF | change the data type to 8 bit | as an Erdas Imagine file | ASCII grid of the heights
    """
    from data.raster.formats import FORMATS, convert, to_cog

    source, wanted = raster_of(state, world, raster), FORMATS[format]
    call = Call.of(raster_convert, raster=raster, format=format, dtype=dtype)
    notes: list[str] = []

    def make(target: Path) -> None:
        if format == "cog" and dtype is None:
            to_cog(source.path, target, tags=_tags(call, source))
        elif wanted.picture and _does_not_fit(source.path, wanted, dtype):
            notes.append(_picture(source.path, target, wanted))
        else:
            convert(source.path, target, wanted, dtype=dtype, tags=_tags(call, source))

    kind: Literal["raster", "document"] = "raster" if format in ("geotiff", "cog", "jpeg2000") else "document"
    title = f"{wanted.title} of {dtype}" if dtype else wanted.title
    name = f"{source.name} ({wanted.title})"[:100]
    return _file_step(state, world, call, source, make, name, kind, wanted.suffix, title, notes)


def _file_step(
    state: State,
    world: World,
    call: Call,
    source: Raster,
    make: Callable[[Path], None],
    name: str,
    kind: Literal["raster", "document"],
    suffix: str,
    title: str,
    notes: list[str] | None = None,
) -> Step:
    """Write a file whole or not at all. What `make` writes is not touched again: a COG would be none then."""
    from data.raster.errors import RasterError

    artifact_id = call.artifact_id(kind, state, [source])
    target = world.artifacts.path(artifact_id, suffix)
    part = target.with_name(f".{artifact_id}-{secrets.token_hex(4)}.part{suffix}")
    try:
        make(part)
        size_mb = part.stat().st_size / 1e6
        part.replace(target)
    except RasterError as error:
        raise ToolError(str(error)) from None
    finally:
        part.unlink(missing_ok=True)
        part.with_name(f"{part.name}.aux.xml").unlink(missing_ok=True)
    artifact = call.artifact(kind, state, name, f"{title}, {number(round(size_mb, 3))} MB", [source])
    write_about(world, artifact, call, [source])
    after = state.with_artifact(artifact)
    where: dict[str, Any] = {}
    if kind == "raster":
        after, where = with_raster(after, target, artifact_id, name)
    said = f"Wrote {one_line(source.name)} as {title}, {number(round(size_mb, 3))} MB.{' '.join(notes or [])}"
    facts = {kind: artifact_id, "format": title, "bytes": target.stat().st_size, "path": str(target), **where}
    return Step(after, f"{said} The {kind} is {artifact_id}.", facts)


def _tags(call: Call, source: Raster) -> dict[str, str]:
    return {
        "AZIMUTH_CALL": str(call),
        "AZIMUTH_ARGUMENTS": canonical(call.args),
        "AZIMUTH_INPUTS": canonical([{"name": source.name, "id": source.key}]),
    }


def _does_not_fit(path: Path, wanted: Any, dtype: str | None) -> bool:
    from data.raster.files import opened

    with opened(path) as reader:
        bands_fit = reader.count <= wanted.most_bands and (wanted.most_bands > 3 or reader.count != 2)
        return dtype is None and (reader.dtypes[0] not in wanted.types or not bands_fit)


def _picture(path: Path, target: Path, wanted: Any) -> str:
    """Write a stretched picture of a raster's colours, else of its first band; what is said of it."""
    from data.raster.composite import composite, preset_bands
    from data.raster.errors import RasterError
    from data.raster.formats import convert

    try:
        numbers = preset_bands(path, "true_colour")
    except RasterError:
        numbers = [1]
    stretched = target.with_name(f"{target.name}.tif")
    try:
        composite(path, stretched, numbers)
        convert(stretched, target, wanted)
    finally:
        stretched.unlink(missing_ok=True)
    return f" Its bands {', '.join(map(str, numbers))} were stretched to 8 bits for it."


TOOLS = (raster_to_cog, raster_convert)
