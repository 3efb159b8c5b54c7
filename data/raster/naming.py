"""A raster whose bands a user has named: the same pixels, in a file that says which band is which."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import rasterio

from data.raster.bands import COMMON_NAMES, GIVEN, band_names, common_name
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.sensors import sensor_named


def named_copy(source: Path, names: Sequence[str], target: Path) -> None:
    """Write the raster with these names for its bands, empty for none; a file appears whole or not at all.

    A GeoTIFF is copied byte by byte and told its bands; a picture becomes a GeoTIFF. Raises RasterError.
    """
    from data.raster.copying import copy_of
    from data.raster.windows import Grid, windows
    from data.uploads.gdal import quiet_gdal

    part = target.with_name(f".{target.stem}-{secrets.token_hex(4)}.part.tif")
    try:
        with opened(source) as reader:
            if reader.driver == "GTiff":
                shutil.copyfile(source, part)
            else:
                with copy_of(reader, part, Grid.of(reader), holes=False) as copy:
                    for window in windows(Grid.of(reader)):
                        copy.write(reader.read(window=window), window)
        with quiet_gdal(), rasterio.open(part, "r+", IGNORE_COG_LAYOUT_BREAK="YES") as writer:
            writer.descriptions = tuple(name or f"band {at}" for at, name in enumerate(names, start=1))
            writer.update_tags(**{GIVEN: ",".join(names)})
        part.replace(target)
    except OSError as error:
        why = error.strerror or error
        raise RasterError(f"The bands of {source.name} could not be named: {why}.") from None
    finally:
        part.unlink(missing_ok=True)


def names_said(
    path: Path, bands: Mapping[str, int] | None, sensor: str | None, before: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The names of a raster's bands by what is said: roles with their numbers, the sensor, or both.

    What is said goes over what was said `before`, that over what the file says; of two bands of one name
    the one that was said keeps it. Raises RasterError for no name, no band and no product of the sensor.
    """
    with opened(path) as source:
        count = source.count
        names = [name or "" for name in (before or band_names(source))]
        if sensor is not None:
            names = [name or "" for name in _of_sensor(path, sensor)]
    for word, number in (bands or {}).items():
        role = common_name(word)
        if role is None:
            raise RasterError(
                f"{word[:40]!r} is no name of a band; there are {', '.join(COMMON_NAMES)}, or words such as "
                "'near infrared'."
            )
        if not 1 <= number <= count:
            many = "1 band" if count == 1 else f"{count} bands"
            raise RasterError(f"There is no band {number}: the raster has {many}.")
        names = ["" if name == role else name for name in names]
        names[number - 1] = role
    return tuple(names)


def _of_sensor(path: Path, said: str) -> tuple[str | None, ...]:
    """The bands of a raster that is of that sensor. Raises RasterError where that tells none."""
    sensor = sensor_named(said)
    with opened(path) as source:
        names = band_names(source, said)
        there = tuple(source.descriptions)
        count = source.count
    order = sensor.order(count)
    if not any(there) and order is not None:
        return tuple(name or None for name in order)
    if not any(names):
        known = ", ".join(str(len(each)) for each in sensor.orders) or "none by number alone"
        raise RasterError(
            f"{sensor.name} tells bands by their codes, or in products of so many bands: {known}; "
            f'{path.name} has {count}. Say which is which, as in bands="red=3,nir=4".'
        )
    return names
