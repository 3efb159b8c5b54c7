"""Before and after: which rasters on the map are images, when each was taken, and which two to compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from state.model import Layer, State
from tools.artifacts import about, newest_named
from tools.base import ToolError, World
from tools.map.rasters import layer_file


@dataclass(frozen=True)
class Shot:
    """An image on the map."""

    layer: Layer
    taken: str
    """When, as ISO 8601; empty where nothing says it."""


def before_and_after(state: State, world: World) -> tuple[Shot, Shot]:
    """The earliest and the latest image on the map, of those that lie over the one added last.

    Images, and no masks, indices or heights; by the time they were taken, else in the order in which they
    came. Raises ToolError where there are not two.
    """
    shots = [each for each in images_on_map(state, world) if _lies_over(each.layer, state)]
    if len(shots) < _TWO:
        found = f"there is only {shots[0].layer.name!r}" if shots else "there is none"
        raise ToolError(f"Before and after are two images of one place on the map, and {found}; add another.")
    ordered = in_time_order(shots)
    return ordered[0], ordered[-1]


def images_on_map(state: State, world: World) -> list[Shot]:
    """The raster layers that show the ground as it was seen, bottom first."""
    rasters = [each for each in state.map.layers if each.kind == "raster"]
    return [Shot(each, taken_at(each, state, world)) for each in rasters if _is_image(each, world)]


def in_time_order(shots: Sequence[Shot]) -> list[Shot]:
    """Images by when they were taken; where that is not known of all, in the order given."""
    return sorted(shots, key=lambda each: each.taken) if all(each.taken for each in shots) else list(shots)


def taken_at(layer: Layer, state: State, world: World) -> str:
    """When a raster layer's image was taken: by its file, its record, what it was made of, or its name."""
    image = dict(layer.options).get("image")
    if layer.artifact is None and image is not None:
        record = world.catalogue.image(str(image)) or {}
        return _iso(record.get("acquired"))
    return _of_artifact(layer.artifact, state, world) or _in_name(layer.name)


def _of_artifact(handle: str | None, state: State, world: World, depth: int = 5) -> str:
    """The time of a file that was brought in, also of what was made of one such.

    What an artifact was made of stands in its record as it was named: by id, by name, or as a file.
    """
    found = (state.artifact(handle) or newest_named(state.artifacts, handle)) if handle else None
    if found is None or not depth:
        return ""
    known = about(world, found.id)
    facts = known.get("upload", {}).get("facts", {})
    if facts.get("acquired"):
        return _iso(facts["acquired"])
    inputs = [str(each["handle"]) for each in known.get("inputs", ())]
    return _of_artifact(inputs[0], state, world, depth - 1) if len(inputs) == 1 else ""


def _in_name(name: str) -> str:
    from data.readers.when import told_by_name  # the readers load rasterio and pandas

    return told_by_name(name)


def _iso(value: object) -> str:
    from data.readers.when import parse_time  # as above

    found = parse_time(value) if isinstance(value, str) else value
    return found.isoformat() if hasattr(found, "isoformat") else ""


def _is_image(layer: Layer, world: World) -> bool:
    """Whether a raster shows the ground: what has a colormap, or marks nothing, was made of an image."""
    from data.raster.errors import RasterError
    from data.raster.files import opened
    from data.raster.looks import nothing_in
    from data.vision.suits import refuse_no_image

    if "colormap" in dict(layer.options):
        return False
    try:
        path = layer_file(layer, world)
        with opened(path) as source:
            if nothing_in(source, 1) is not None:
                return False
        refuse_no_image(path)
    except (RasterError, ToolError, OSError):
        return False
    return True


def _lies_over(layer: Layer, state: State) -> bool:
    """Whether a raster shares ground with the topmost one."""
    top = [each for each in state.map.layers if each.kind == "raster"][-1]
    one, other = (_box(each) for each in (layer, top))
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _box(layer: Layer) -> tuple[float, float, float, float]:
    options = dict(layer.options)
    west, south, east, north = (float(options.get(side, 0)) for side in ("west", "south", "east", "north"))
    return west, south, east + 360 if east < west else east, north


_TWO = 2
