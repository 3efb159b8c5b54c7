"""Rasters in values that do not come in as uploads: a data set's images, and pieces of files on the web.

What `add_file` makes of an upload is made of them by the same rules.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import rasterio
from pyproj import CRS
from rasterio.errors import RasterioError

from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.told import Told
from data.raster.values import Meaning, meaning_of
from data.uploads.errors import UploadError
from data.uploads.placing import Placing
from data.uploads.rasters import write_declared, write_placed
from data.uploads.statistics import band_statistics, undeclared_nodata

_UNDECLARED = "lies far from all its other numbers and was taken for nodata, though the file does not say so"
_LOOKED_AT_PX = 256
_TOO_MANY = 0.1
"""A share of reflectances below 0 that no scene has."""


@dataclass(frozen=True)
class Reading:
    """How the numbers of a raster become values."""

    meaning: Meaning | None
    """What they mean, None where they are values."""
    nothing: Mapping[int, float]
    """By band, the number that stands for nothing though the file does not say so."""
    notes: tuple[str, ...]
    """What is said of it."""

    @property
    def as_it_is(self) -> bool:
        """Whether the file holds its values already."""
        return self.meaning is None and not self.nothing


def reading_of(path: Path, told: Told | None = None) -> Reading:
    """How the numbers of a raster file of this machine become values.

    `told` is what is said of them beside it. Raises RasterError.
    """
    return _reading(path, path.stat().st_mtime_ns, told)


@lru_cache(maxsize=1024)
def _reading(path: Path, _changed: int, told: Told | None) -> Reading:
    with opened(path) as source:
        return reading(source, path.name, told)


def reading(source: rasterio.DatasetReader, name: str, told: Told | None = None) -> Reading:
    """How the numbers of an open raster of that name become values. Raises RasterError."""
    said = None if told is None else told.spread(source.count)
    meaning, unclear = meaning_of(source, name, said)
    by_told = meaning is not None and said is not None and meaning.said_by == said.said_by
    notes = [None if meaning is None else meaning.note(source), unclear]
    of_it = by_told or (meaning is None and unclear is None)
    if said is not None and of_it and np.dtype(source.dtypes[0]).itemsize > 1:
        notes.append(said.note)
    if meaning is not None and said is not None and by_told:
        notes.append(_below_nought(source, meaning, said.source))
    undeclared = _undeclared(source, name)
    nothing = dict(undeclared)
    if said is not None and source.nodata is None:
        nothing |= {band: none for band, none in enumerate(said.nothing, start=1) if none is not None}
    told_so = {nothing[each] for each in nothing if each not in undeclared}
    by = "" if said is None else said.source
    notes += [_said(told_so, f"is nodata, as {by} says"), _said(set(undeclared.values()), _UNDECLARED)]
    if meaning is not None:
        meaning = replace(meaning, nothing=nothing)
    return Reading(meaning, nothing, tuple(each for each in notes if each))


def _said(numbers: set[float], what: str) -> str | None:
    return f"{' and '.join(f'{each:,.6g}' for each in sorted(numbers))} {what}." if numbers else None


def _undeclared(source: rasterio.DatasetReader, name: str) -> dict[int, float]:
    """As `undeclared_nodata`, without reading pixels of a type that holds no such number."""
    if not any(np.dtype(each).kind in "if" for each in source.dtypes if not each.startswith("complex")):
        return {}
    try:
        return undeclared_nodata(source, band_statistics(source, name)[0], name)
    except UploadError:  # no pixel has a value
        return {}
    except RasterioError as error:
        raise RasterError(f"The pixels of {name} could not be read.") from error


def _below_nought(source: rasterio.DatasetReader, meaning: Meaning, said_by: str) -> str | None:
    """A sentence where an offset makes many values negative, as one does that was taken off before."""
    if not any(each.offset < 0 for each in meaning.bands):
        return None
    shape = (min(source.height, _LOOKED_AT_PX), min(source.width, _LOOKED_AT_PX))
    try:
        numbers = source.read(1, out_shape=shape)
    except RasterioError as error:
        raise RasterError("The pixels could not be read.") from error
    there = numbers[numbers != 0]
    values = there * meaning.bands[0].gain + meaning.bands[0].offset
    share = float((values < 0).mean()) if values.size else 0.0
    if share < _TOO_MANY:
        return None
    return (
        f"{100 * share:.0f} % of its values are below 0 by that: the offset may have been taken off before, "
        f"whatever {said_by} says."
    )


def write_values(source: rasterio.DatasetReader, target: Path, found: Reading) -> None:
    """Write an open raster as the values that its numbers mean."""
    if found.meaning is None:
        write_declared(source, target, found.nothing)
    else:
        crs = CRS.from_user_input(source.crs) if source.crs else None
        place = Placing(crs, None if source.transform.is_identity else source.transform)
        write_placed(source, target, place, found.meaning)


def value_copy(path: Path, target: Path, told: Told | None = None) -> None:
    """Write a raster of this machine as the values that its numbers mean; the file appears whole or not.

    Raises RasterError for one that cannot be read.
    """
    found = reading_of(path, told)
    part = target.with_name(f".{target.stem}-{secrets.token_hex(4)}.part.tif")
    try:
        with opened(path) as source:
            write_values(source, part, found)
        part.replace(target)
    except (RasterioError, OSError) as error:
        raise RasterError(f"The numbers of {path.name} could not be read as values.") from error
    finally:
        part.unlink(missing_ok=True)
