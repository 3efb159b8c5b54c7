"""What the vision tools share that go over an image block by block: how far they are, and samples of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rasterio.windows import Window

from data.progress import Progress
from data.raster.bands import band_names, find_band
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import Block, Function, Grid, Place, read_block

VISIBLE = ("red", "green", "blue")
WINDOW_PX = 1_000_000
"""Pixels of one band in a block of slow methods: a second or so of work, and a few MB."""


def followed(
    progress: Progress, doing: str, total_px: int, function: Function, share: tuple[float, float] = (0.0, 1.0)
) -> Function:
    """The function of `compute`, telling before each block how far it is: from share[0] to share[1]."""
    lock, done = Lock(), [0]

    def told(blocks: list[Block], place: Place) -> NDArray[Any]:
        with lock:
            fraction = share[0] + (share[1] - share[0]) * min(1.0, done[0] / max(total_px, 1))
            progress.tell(fraction, f"{doing}: {100 * done[0] // max(total_px, 1)} % of the image done.")
        made = function(blocks, place)
        with lock:
            done[0] += int(place.window.width * place.window.height)
        return made

    return told


def visible_bands(source: Path) -> tuple[int, ...] | None:
    """The numbers of red, green and blue; those of a picture of three or four bands; None where none is told.

    A raster of one band has none.
    """
    with opened(source) as reader:
        names, count = band_names(reader), reader.count
    found = [find_band(names, each) for each in VISIBLE]
    if all(found):
        return tuple(each for each in found if each is not None)
    return (1, 2, 3) if count in (3, 4) and not any(names) else None


def bright_bands(source: Path) -> tuple[int, ...]:
    """The numbers of the panchromatic and visible bands; of the first three at most where none is told."""
    with opened(source) as reader:
        names, count = band_names(reader), reader.count
    found = [find_band(names, each) for each in ("pan", "red", "green", "blue")]
    return tuple(each for each in found if each is not None) or tuple(range(1, min(count, 3) + 1))


def bands_by_name(
    source: Path, wanted: Sequence[str], what: str, given: dict[str, int] | None = None
) -> tuple[int, ...]:
    """The number of each band of a common name, as given or as the file says. Raises RasterError."""
    with opened(source) as reader:
        names, count = band_names(reader), reader.count
        said = [
            name or text or "without a name" for name, text in zip(names, reader.descriptions, strict=True)
        ]
    known = {**{each: find_band(names, each) for each in wanted}, **(given or {})}
    if missing := [each for each in wanted if known[each] is None]:
        there = ", ".join(f"{at} {text}" for at, text in enumerate(said[:14], start=1))
        raise RasterError(
            f"{what[:1].upper()}{what[1:]} needs the bands {', '.join(wanted)}, and which is "
            f"{' and '.join(missing)} cannot be told (bands: {there})."
        )
    if beyond := [number for number in known.values() if number is not None and not 1 <= number <= count]:
        raise RasterError(f"There is no band {beyond[0]}: the raster has bands 1 to {count}.")
    return tuple(number for each in wanted if (number := known[each]) is not None)


def samples(
    source: Path, *, most: int = 16, side: int = 512, numbers: Sequence[int] | None = None
) -> list[NDArray[Any]]:
    """Up to `most` windows of the image spread over it evenly: (bands, rows, columns), not-a-number for none.

    The whole image, where it is no larger than that.
    """
    with opened(source) as reader:
        grid = Grid.of(reader)
        rows, columns = -(-grid.height // side), -(-grid.width // side)
        every = [(row, column) for row in range(rows) for column in range(columns)]
        step = max(1.0, len(every) / most)
        chosen = [every[int(at * step)] for at in range(min(most, len(every)))]
        return [
            read_block(
                reader,
                numbers,
                Place(
                    grid,
                    Window(
                        column * side,
                        row * side,
                        min(side, grid.width - column * side),
                        min(side, grid.height - row * side),
                    ),
                ),
            )
            for row, column in chosen
        ]


def nearest_filled(values: NDArray[Any]) -> NDArray[np.float32]:
    """(rows, columns) with each missing value taken from the nearest that there is; zeros where none is."""
    from scipy.ndimage import distance_transform_edt

    missing = ~np.isfinite(values)
    plain: NDArray[np.float32] = values.astype(np.float32)
    if not missing.any():
        return plain
    if missing.all():
        return np.zeros_like(plain)
    rows, columns = distance_transform_edt(missing, return_distances=False, return_indices=True)
    filled: NDArray[np.float32] = plain[rows, columns]
    return filled


def kept_type(source: Path) -> tuple[str, float | None]:
    """The data type and nodata value of an image that is changed little: those that it has.

    Floating point without nodata, and whole numbers beyond 16 bits, become float32 with not-a-number.
    """
    with opened(source) as reader:
        dtype, nodata = reader.dtypes[0], reader.nodata
    if dtype in ("uint8", "int8", "uint16", "int16"):
        return dtype, None if nodata is None else float(nodata)
    return "float32", float("nan")
