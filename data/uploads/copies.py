"""Rasters of a catalogue in values: what `add_file` makes of an upload, made of an image's own file."""

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
from data.raster.values import Meaning, meaning_of
from data.uploads.errors import UploadError
from data.uploads.placing import Placing
from data.uploads.rasters import write_declared, write_placed
from data.uploads.statistics import band_statistics, undeclared_nodata


@dataclass(frozen=True)
class Reading:
    """How the numbers of a raster file become values."""

    meaning: Meaning | None
    """What they mean, None where they are values."""
    nothing: Mapping[int, float]
    """By band, the number that stands for nothing though the file does not say so."""

    @property
    def as_it_is(self) -> bool:
        """Whether the file holds its values already."""
        return self.meaning is None and not self.nothing

    def said(self, name: str) -> str | None:
        """The sentence about numbers that were taken for nodata."""
        if not self.nothing:
            return None
        values = " and ".join(f"{each:,.6g}" for each in sorted(set(self.nothing.values())))
        return (
            f"{values} lies far from all other numbers of {name} and was taken for nodata, though its file "
            "does not say so."
        )


def reading_of(path: Path) -> Reading:
    """How the numbers of a raster file of this machine become values. Raises RasterError."""
    return _reading(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=1024)
def _reading(path: Path, _changed: int) -> Reading:
    with opened(path) as source:
        meaning, _ = meaning_of(source, path.name)
        return Reading(meaning, _nothing(source, path.name))


def _nothing(source: rasterio.DatasetReader, name: str) -> dict[int, float]:
    """As `undeclared_nodata`, without reading pixels of a type that holds no such number."""
    if not any(np.dtype(each).kind in "if" for each in source.dtypes if not each.startswith("complex")):
        return {}
    try:
        return undeclared_nodata(source, band_statistics(source, name)[0], name)
    except UploadError:  # no pixel has a value
        return {}
    except RasterioError as error:
        raise RasterError(f"The pixels of {name} could not be read.") from error


def value_copy(path: Path, target: Path) -> None:
    """Write a raster of this machine as the values that its numbers mean; the file appears whole or not.

    Raises RasterError for one that cannot be read.
    """
    reading = reading_of(path)
    part = target.with_name(f".{target.stem}-{secrets.token_hex(4)}.part.tif")
    try:
        with opened(path) as source:
            if reading.meaning is None:
                write_declared(source, part, reading.nothing)
            else:
                crs = CRS.from_user_input(source.crs) if source.crs else None
                place = Placing(crs, None if source.transform.is_identity else source.transform)
                write_placed(source, part, place, replace(reading.meaning, nothing=reading.nothing))
        part.replace(target)
    except (RasterioError, OSError) as error:
        raise RasterError(f"The numbers of {path.name} could not be read as values.") from error
    finally:
        part.unlink(missing_ok=True)
