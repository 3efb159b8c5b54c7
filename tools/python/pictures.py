"""Pictures: what they are, and another size, frame or turn of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call, Input, write_about
from tools.base import Step, ToolError, World, tool
from tools.map.adding import Bands, Colormap, Stretch
from tools.phrases import listed, number_of, one_line
from tools.rasters import RasterHandle, place_of, raster_of, raster_step
from tools.units import Part

Pixels = Annotated[int, Field(ge=1, le=100_000, description="Pixels.")]
_LOST = "It has no place on the map, as before."


@tool("python", needs=("raster",))
def image_info(state: State, world: World, *, raster: RasterHandle) -> Step:
    """Tell what a picture is: its size, bands, type, file and whether it has a place on the map.

    Example: copilot call image_info raster=raster-5ce4e0

    Asked as: how large is the picture | size of the image in pixels | how many bands has the photo | is the
    image georeferenced | what format is the picture | tell me about this image
    """
    from data.raster.files import opened
    from data.raster.looks import constant_said, constant_values

    found = raster_of(state, world, raster)
    with readable():
        facts = _info(found.path)
    size = f"{facts['width_px']:,} x {facts['height_px']:,} pixels"
    place = place_of_raster(found.path)
    where = f"in {facts['crs']}" if facts["crs"] else "without a coordinate system, so without a place"
    said = (
        f"{one_line(found.name)} has {size} ({facts['megapixels']:g} megapixels) in "
        f"{number_of(facts['bands'], 'band')} of {facts['dtype']} ({listed(facts['colours'], 6)}), "
        f"{where}; the "
        f"{facts['format']} file has {facts['size_bytes']:,} bytes."
    )
    with readable(), opened(found.path) as reader:
        constant = constant_values(reader)
    if constant is not None:
        said = f"{said} {constant_said(constant)}"
    return Step(
        state, said, {"raster": found.handle, **facts, "bbox": None if place is None else list(place)}
    )


@tool("python", changes_state=True, needs=("raster",), gives=("raster", "layer"), long_running=True)
def image_resize(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    width: Annotated[Pixels | None, Field(description="New width, pixels.")] = None,
    height: Annotated[Pixels | None, Field(description="New height, pixels.")] = None,
    scale: Annotated[
        float | None, Field(gt=0, le=100, description="A factor instead: 0.5 halves width and height.")
    ] = None,
    method: Annotated[
        Literal["auto", "nearest", "bilinear", "cubic", "average", "lanczos"],
        Field(description="How pixels are made of others; auto averages when shrinking, else is bilinear."),
    ] = "auto",
) -> Step:
    """Give a picture another number of pixels over the same ground; its place is kept.

    With a width or a height alone the shape stays. GDAL's resampling; at most 64 million pixels come out.

    Example: copilot call image_resize raster=raster-5ce4e0 width=48

    Asked as: make the picture half as large | resize the image to 800 pixels wide | shrink the photo | scale
    the picture by 0.25 | enlarge it twice | downsample the image to 512 by 512
    """
    from data.pictures.frames import resize

    found = raster_of(state, world, raster)
    with readable():
        facts = _info(found.path)
    size = _new_size(facts["width_px"], facts["height_px"], width, height, scale)
    call = Call.of(image_resize, raster=found.handle, width=width, height=height, scale=scale, method=method)
    was = f"{facts['width_px']:,} x {facts['height_px']:,}"
    said = f"Resized {one_line(found.name)} from {was} to {size[0]:,} x {size[1]:,} pixels."
    return picture_step(
        state, world, call, [found], lambda path: resize(found.path, path, *size, method),
        name=f"{found.name} resized", said=said,
    )  # fmt: skip


@tool("python", changes_state=True, needs=("raster",), gives=("raster", "layer"), long_running=True)
def image_crop(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    left: Annotated[int, Field(ge=0, le=10**7, description="First column, pixels from the left.")] = 0,
    top: Annotated[int, Field(ge=0, le=10**7, description="First row, pixels from the top.")] = 0,
    width: Annotated[Pixels | None, Field(description="Pixels across.")] = None,
    height: Annotated[Pixels | None, Field(description="Pixels down.")] = None,
    part: Annotated[Part | None, Field(description="Where it lies, in place of left and top.")] = None,
) -> Step:
    """Cut a window of pixels out of a picture; its place is kept. For a place or a shape, raster_clip cuts.

    A part without width and height is a half or a quarter of the picture, and the middle is what a quarter of
    it lies around on each side; with them, the window lies at that side or corner, or around the middle. A
    window from a column and a row goes to the edge where its size is left out. What of the window lies beside
    the picture is left out.

    Example: copilot call image_crop raster=raster-5ce4e0 left=10 top=20 width=40 height=30

    Asked as: crop the picture to 300 by 200 pixels | cut out the upper left corner | take a window of 512
    pixels from column 100 row 50 | trim the image | a crop of the photo | cut the top of the picture off
    """
    from data.pictures.frames import crop

    found = raster_of(state, world, raster)
    call = Call.of(image_crop, raster=found.handle, left=left, top=top, width=width, height=height, part=part)
    with readable():
        facts = _info(found.path)
    window = _window((facts["width_px"], facts["height_px"]), (left, top), (width, height), part)
    (column, row), (across, down) = window
    where = f"{across:,} x {down:,} pixels from column {column:,} and row {row:,}"
    there = f" ({_PARTS.get(part, part)})" if part is not None else ""
    said = f"Cut {where}{there} out of {one_line(found.name)}."
    return picture_step(
        state, world, call, [found], lambda path: crop(found.path, path, column, row, across, down),
        name=f"{found.name.removesuffix(' cropped')} cropped", said=said, asked=(across, down),
    )  # fmt: skip


_PARTS: Mapping[str, str] = {
    "middle": "its middle",
    "left": "its left",
    "right": "its right",
    "top": "its top",
    "bottom": "its bottom",
    "top-left": "its upper left",
    "top-right": "its upper right",
    "bottom-left": "its lower left",
    "bottom-right": "its lower right",
}


def _window(
    picture: tuple[int, int],
    start: tuple[int, int],
    size: tuple[int | None, int | None],
    part: Part | None,
) -> tuple[tuple[int, int], tuple[int, int]]:
    """((left, top), (width, height)) of what is cut out. Raises ToolError where that is not said."""
    if part is None:
        if start == (0, 0) and size == (None, None):
            raise ToolError(
                "Nothing says what to keep: give width and height in pixels, or a part such as 'middle', "
                "'left' or 'top-right'."
            )
        across, down = (
            wanted or max(1, whole - begin) for whole, begin, wanted in zip(picture, start, size, strict=True)
        )
        return start, (across, down)
    if start != (0, 0):
        raise ToolError("A part says where the window lies, and so do left and top; give one of them.")
    sides = (("left", "right"), ("top", "bottom"))
    begins, sizes = [], []
    for whole, wanted, (first, last) in zip(picture, size, sides, strict=True):
        named = first in part or last in part
        half = size == (None, None) and (named or part == "middle")
        length = wanted or max(1, whole // 2 if half else whole)
        begins.append(0 if first in part else max(0, whole - length) // (1 if last in part else 2))
        sizes.append(length)
    return (begins[0], begins[1]), (sizes[0], sizes[1])


@tool("python", changes_state=True, needs=("raster",), gives=("raster", "layer"), long_running=True)
def image_rotate(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    degrees: Annotated[
        float, Field(ge=-360, le=360, description="Clockwise; below 0 counter-clockwise.")
    ] = 90,
) -> Step:
    """Turn a picture clockwise about its middle; its place is kept, since the transform turns too.

    Quarter turns change no pixel. Other angles are bilinear (nearest for classes), widen the frame and leave
    its corners without a value.

    Example: copilot call image_rotate raster=raster-5ce4e0 degrees=90

    Asked as: rotate the image by 90 degrees | turn the photo upside down | rotate it clockwise | turn the
    picture 45 degrees to the left | the photo lies on its side | rotate by -30 degrees
    """
    from data.pictures.frames import rotate

    found = raster_of(state, world, raster)
    call = Call.of(image_rotate, raster=found.handle, degrees=degrees)
    way = "clockwise" if degrees >= 0 else "counter-clockwise"
    said = f"Turned {one_line(found.name)} by {abs(degrees):g} degrees {way}."
    return picture_step(
        state, world, call, [found], lambda path: rotate(found.path, path, degrees),
        name=f"{found.name} turned", said=said,
    )  # fmt: skip


@tool("python", changes_state=True, needs=("raster",), gives=("document",), long_running=True)
def image_to_png(
    state: State,
    world: World,
    *,
    raster: RasterHandle,
    bands: Bands | None = None,
    stretch: Stretch = "percentile",
    colormap: Colormap | None = None,
    longest_px: Annotated[
        int, Field(ge=16, le=6_000, description="The longer side, at most, pixels.")
    ] = 2_000,
) -> Step:
    """Write a raster as a PNG picture to download, in colours and as bright as it is seen on the map.

    Nodata is transparent. A PNG has no coordinate system: its box is told, and raster_to_cog keeps the place.

    Example: copilot call image_to_png raster=raster-5ce4e0 bands=3,2,1 longest_px=64

    Asked as: save it as a PNG | export the image as png | make a picture file of the raster | a png of the
    NDVI in viridis | convert the tif to png | download the scene as a picture
    """
    from data.pictures.drawing import save_png

    found = raster_of(state, world, raster)
    look = {"bands": bands, "stretch": stretch, "colormap": colormap}
    call = Call.of(image_to_png, raster=found.handle, **look, longest_px=longest_px)
    artifact = call.artifact("document", state, f"{found.name} as PNG"[:100], "PNG picture", [found])
    path = world.artifacts.path(artifact.id, ".png")
    part = path.with_name(f".{path.name}.writing")
    try:
        with readable():
            wide, high = save_png(found.path, part, look_of(bands, stretch, colormap), longest_px)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    write_about(world, artifact, call, [found])
    place = place_of_raster(found.path)
    lost = " A PNG keeps no place on the map." if place else ""
    size = f"{wide:,} x {high:,} pixels"
    said = f"Wrote {one_line(found.name)} as a PNG of {size}; the document is {artifact.id}.{lost}"
    facts = {"document": artifact.id, "path": str(path), "width_px": wide, "height_px": high}
    facts |= {"bytes": path.stat().st_size, "bbox": None if place is None else list(place)}
    return Step(state.with_artifact(artifact), said, facts)


def picture_step(
    state: State,
    world: World,
    call: Call,
    inputs: Sequence[Input],
    make: Callable[[Path], object],
    *,
    name: str,
    said: str,
    options: dict[str, str | float | bool] | None = None,
    asked: tuple[int, int] | None = None,
    **data: Any,
) -> Step:
    """Make a picture as `raster_step` does, and say it when it has no place, or another size than asked."""
    from data.uploads.gdal import quiet_gdal

    def told(path: Path) -> str:
        facts = _info(path)
        size = (facts["width_px"], facts["height_px"])
        less = f" {size[0]:,} x {size[1]:,} of them lay on it." if asked and asked != size else ""
        return f"{said}{less}{'' if facts['crs'] else f' {_LOST}'}"

    with quiet_gdal():
        return raster_step(
            state, world, call, inputs, make, name=name[:100], said=told, options=options, **data
        )


def look_of(bands: list[int] | None, stretch: str | list[float], colormap: str | None) -> Any:
    """How the picture looks, by the names that layers have for it."""
    from data.raster.looks import Look

    if isinstance(stretch, list):
        low, high = stretch
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ToolError(f"A stretch goes from a lower to a higher value, not from {low:g} to {high:g}.")
        stretch = f"{low!r},{high!r}"

    if bands is not None and len(bands) == 2:
        raise ToolError("Two bands make no picture; give one band, or three for red, green and blue.")
    if colormap is not None and bands is not None and len(bands) == 3:
        raise ToolError("A colormap colours one band; leave it out for three bands.")
    chosen = tuple(bands or ()) or ((1,) if colormap is not None else ())
    return Look(bands=chosen, stretch=stretch, colormap=colormap)


def place_of_raster(path: Path) -> Any:
    """The raster's box in degrees; None without one."""
    from data.uploads.gdal import quiet_gdal

    with quiet_gdal():
        return place_of(path)


@contextmanager
def readable() -> Iterator[None]:
    """What a raster cannot do, as the sentence of a tool."""
    from data.raster.errors import RasterError

    try:
        yield
    except RasterError as error:
        raise ToolError(str(error)) from None


def _info(path: Path) -> dict[str, Any]:
    """Size, bands and file of a raster, plain JSON."""
    from data.raster.files import opened

    with opened(path) as source:
        crs = None
        if source.crs is not None:
            authority = source.crs.to_authority()
            crs = ":".join(authority) if authority else one_line(source.crs.to_string())
        return {
            "width_px": int(source.width),
            "height_px": int(source.height),
            "megapixels": round(source.width * source.height / 1e6, 3),
            "bands": int(source.count),
            "dtype": str(source.dtypes[0]),
            "colours": [
                one_line(text or str(each.name))
                for text, each in zip(source.descriptions, source.colorinterp, strict=True)
            ][:50],
            "nodata": _finite(source.nodata),
            "crs": crs,
            "format": str(source.driver),
            "size_bytes": path.stat().st_size,
        }


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _new_size(
    wide: int, high: int, width: int | None, height: int | None, scale: float | None
) -> tuple[int, int]:
    """The size that is asked for; the shape stays where only one side is named."""
    if scale is not None:
        if width is not None or height is not None:
            raise ToolError("image_resize takes a scale, or a width and a height, not both.")
        return max(1, round(wide * scale)), max(1, round(high * scale))
    if width is None and height is None:
        raise ToolError("image_resize needs a width, a height or a scale, such as width=800 or scale=0.5.")
    if width is None:
        assert height is not None
        return max(1, round(wide * height / high)), height
    return width, height if height is not None else max(1, round(high * width / wide))


TOOLS = (image_info, image_resize, image_crop, image_rotate, image_to_png)
