"""The values of an image of the catalogue: its own file, or a copy where its numbers mean others."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from tools.base import ToolError, World
from tools.noting import note


def as_values(world: World, image_id: str, path: Path) -> Path:
    """An image's own file, or a copy in values where its numbers mean some, as `add_file` makes of one.

    What was taken for nodata unsaid is noted. Raises ToolError.
    """
    from data.raster.errors import RasterError
    from data.uploads.copies import reading_of, value_copy

    try:
        reading = reading_of(path)
        note(reading.said(path.name))
        if reading.as_it_is:
            return path
        what = f"{image_id} {path.stat().st_mtime_ns} {sorted(reading.nothing.items()) or ''}".rstrip()
        key = f"values-{sha256(what.encode()).hexdigest()[:12]}"
        there = world.artifacts.find(key)
        if there is None:
            there = world.artifacts.path(key, ".tif")
            value_copy(path, there)
    except RasterError as error:
        raise ToolError(str(error)) from None
    return there
