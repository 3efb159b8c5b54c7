"""The values of an image of the catalogue: its own file, or a copy where its numbers mean others."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from tools.base import ToolError, World
from tools.noting import note


def as_values(world: World, image_id: str, path: Path, record: Mapping[str, Any]) -> Path:
    """An image's own file, or a copy in values where its numbers mean some, as `add_file` makes of one.

    What was made of the numbers is noted. Raises ToolError.
    """
    from data.raster.errors import RasterError
    from data.raster.told import PROPERTY, told_in
    from data.uploads.copies import reading_of, value_copy

    try:
        told = told_in((record.get("properties") or {}).get(PROPERTY))
        reading = reading_of(path, told)
        for each in reading.notes:
            note(f"Of {path.name}: {each[0].lower()}{each[1:]}")
        if reading.as_it_is:
            return path
        what = f"{image_id} {path.stat().st_mtime_ns} {sorted(reading.nothing.items())} {told}"
        key = f"values-{sha256(what.encode()).hexdigest()[:12]}"
        there = world.artifacts.find(key)
        if there is None:
            there = world.artifacts.path(key, ".tif")
            value_copy(path, there, told)
    except RasterError as error:
        raise ToolError(str(error)) from None
    return there
