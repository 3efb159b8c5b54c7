"""Rasters on the web, read by ranges: GDAL gets a file object, and every byte of it comes past the guard.

GDAL's own HTTP (`/vsicurl`) is not used, for nobody would judge where its redirects lead. Only GeoTIFF is
opened, so that a file cannot send GDAL elsewhere, as a VRT does; a GeoTIFF that names other files as its
overviews is refused.
"""

from __future__ import annotations

import io
import math
import re
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from data.raster.copying import has_mask
from data.raster.told import Told
from data.web.errors import WebError
from data.web.fetch import Fetcher
from data.web.urls import host_of
from data.web.wire import MIB, Limits

BLOCK_BYTES = 256 * 1024
MAX_REQUESTS = 400
MAX_BLOCKS = 128
MAX_SECONDS = 120
MAX_PIECE_BYTES = 256 * MIB
MAX_BLOCK_BYTES = 64 * MIB
MAX_TAG_CHARS = 1999
_APART = "The raster and the area do not meet; give another area, or another item."
_NAME = "remote.tif"
_LIMITS = Limits(total_seconds=30, silent_seconds=15)
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


@dataclass(frozen=True)
class Piece:
    """What was read of a raster."""

    width: int
    height: int
    bands: int
    crs: str
    pixel: tuple[float, float]
    """Its size in the CRS's own unit, after any thinning out."""
    full_px: tuple[int, int]
    """How many pixels the area has in the file itself."""
    bytes_read: int
    notes: tuple[str, ...] = ()
    """What was made of its numbers, or is unclear about them."""


class RangeFile(io.RawIOBase):
    """A file on the web, read in blocks as they are needed. Raises WebError where it cannot be read."""

    def __init__(self, url: str, fetcher: Fetcher) -> None:
        super().__init__()
        self.url, self._fetcher = url, fetcher
        self._at, self.requests, self.bytes_read = 0, 0, 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self._ends = time.monotonic() + MAX_SECONDS
        self.problem: WebError | None = None
        self.size = 0
        self._fetch(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def read(self, size: int = -1) -> bytes:
        end = self.size if size is None or size < 0 else min(self.size, self._at + size)
        found = bytearray()
        while self._at < end:
            number, start = divmod(self._at, BLOCK_BYTES)
            piece = self._block(number)[start : start + end - self._at]
            if not piece:
                break
            found += piece
            self._at += len(piece)
        return bytes(found)

    def readinto(self, buffer: Any) -> int:
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def _block(self, number: int) -> bytes:
        if number not in self._blocks:
            self._fetch(number)
        self._blocks.move_to_end(number)
        return self._blocks[number]

    def _fetch(self, number: int) -> None:
        """Get one block. What goes wrong is kept too: GDAL makes an I/O error of it, without the words."""
        try:
            self.requests += 1
            if self.requests > MAX_REQUESTS or time.monotonic() > self._ends:
                raise WebError(f"{self.url[:200]} takes too long to read; ask for a smaller area.")
            self._store(number)
        except WebError as error:
            self.problem = error
            raise

    def _store(self, number: int) -> None:
        first = number * BLOCK_BYTES
        last = first + BLOCK_BYTES - 1
        # A whole file may come where the server knows no ranges: it is refused before it is read.
        with self._fetcher.stream(
            self.url,
            headers={"range": f"bytes={first}-{last}", "accept-encoding": "identity"},
            most_bytes=1 << 50,
        ) as found:
            said = _RANGE.fullmatch(found.head.headers.get("content-range", "").strip())
            if found.head.status != 206 or said is None or int(said[1]) != first or int(said[2]) > last:
                raise WebError(
                    f"{host_of(self.url)} does not serve parts of files, so {self.url[:200]} cannot be read "
                    "by its area; download_file brings it whole."
                )
            body = bytearray()
            for chunk in found.chunks():
                body += chunk
                if len(body) > BLOCK_BYTES:
                    raise WebError(f"{host_of(self.url)} sent more than the part that was asked for.")
        size = int(said[3])
        if (self.size and size != self.size) or len(body) != int(said[2]) - first + 1:
            raise WebError(f"{self.url[:200]} changed while it was read; try again.")
        self.size = size
        self.bytes_read += len(body)
        self._blocks[number] = bytes(body)
        while len(self._blocks) > MAX_BLOCKS:
            self._blocks.popitem(last=False)


@contextmanager
def remote_geotiff(url: str) -> Iterator[tuple[Any, RangeFile]]:
    """(the open raster, its file). Raises WebError, inside the block too."""
    import rasterio
    from rasterio.errors import RasterioError

    with Fetcher(_LIMITS) as fetcher, RangeFile(url, fetcher) as file:

        def opener(path: str, mode: str = "rb") -> RangeFile:
            if not path.endswith(_NAME) or "w" in mode:
                raise FileNotFoundError(path)  # what GDAL looks for beside the file is not there
            file.seek(0)
            return _Kept(file)  # type: ignore[return-value]

        settings = {
            "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR",
            "GDAL_PAM_ENABLED": "NO",
            "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".none",
            "GDAL_NUM_THREADS": "1",
        }
        try:
            with rasterio.Env(**settings), rasterio.open(_NAME, opener=opener, driver="GTiff") as source:
                if source.tags(ns="OVERVIEWS"):
                    raise WebError(f"{url[:200]} sends its reader to other files, which is not followed.")
                yield source, file
        except (RasterioError, OSError, ValueError) as error:
            if file.problem is not None:
                raise file.problem from None
            raise WebError(f"{url[:200]} is no GeoTIFF that can be read.") from error


class _Kept:
    """The file as GDAL has it: closing it is no matter, for it may be opened again, and nothing is raised."""

    def __init__(self, file: RangeFile) -> None:
        self._file = file
        self.seek, self.tell, self.size = file.seek, file.tell, file.size

    def read(self, size: int = -1) -> bytes:
        """What is there; nothing where it cannot be had, which the file remembers the reason of."""
        try:
            return self._file.read(size)
        except WebError:
            return b""

    def close(self) -> None:
        return None

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, *ignored: object) -> None:
        return None


def _check_sizes(source: Any, pixels: int) -> None:
    """Raises WebError for a piece, or for blocks of the file, that would not fit into memory."""
    import numpy as np

    value_bytes = np.dtype(source.dtypes[0]).itemsize
    if pixels * source.count * value_bytes > MAX_PIECE_BYTES:
        raise WebError(
            f"That is {pixels:,} pixels of {source.count:,} bands, too much to read at once; "
            "ask for a smaller area or a smaller max_size_px."
        )
    if max(rows * columns for rows, columns in source.block_shapes) * value_bytes > MAX_BLOCK_BYTES:
        raise WebError(
            "The file is not tiled, so no part of it can be read by itself; download_file brings it."
        )


def _window_of(source: Any, bbox: tuple[float, float, float, float]) -> Any:
    """The raster's pixels in a box of degrees. Raises WebError where there are none."""
    from rasterio._err import CPLE_BaseError
    from rasterio.errors import RasterioError
    from rasterio.warp import transform_bounds
    from rasterio.windows import from_bounds

    try:
        there = transform_bounds(source.crs, "EPSG:4326", *source.bounds, densify_pts=21)
        west, south = max(bbox[0], there[0]), max(bbox[1], there[1])
        east, north = min(bbox[2], there[2]), min(bbox[3], there[3])
        if west >= east or south >= north:
            raise WebError(_APART)
        sides = transform_bounds("EPSG:4326", source.crs, west, south, east, north, densify_pts=21)
        wanted = from_bounds(*sides, transform=source.transform)
        return _whole_pixels(wanted, source.width, source.height)
    except (RasterioError, CPLE_BaseError, ValueError, OverflowError):
        raise WebError("The raster does not lie north up, so no area of it can be read by itself.") from None


def _whole_pixels(wanted: Any, width: int, height: int) -> Any:
    """The pixels that a window touches, within the raster; of no width or height where it touches none."""
    from rasterio.windows import Window

    left, top = (math.floor(each + 1e-6) for each in (wanted.col_off, wanted.row_off))
    right, bottom = (
        math.ceil(start + length - 1e-6)
        for start, length in ((wanted.col_off, wanted.width), (wanted.row_off, wanted.height))
    )
    left, top, right, bottom = max(0, left), max(0, top), min(width, right), min(height, bottom)
    return Window(left, top, max(0, right - left), max(0, bottom - top))


def read_window(
    url: str,
    target: Path,
    bbox: tuple[float, float, float, float] | None,
    most_px: int,
    told: Told | None = None,
) -> Piece:
    """Write the part of a GeoTIFF on the web that lies in the box (degrees) as a GeoTIFF of its own.

    The part is read from the file's overviews when it has over `most_px` pixels on its longer side. It keeps
    the file's CRS and bands, and holds the values that its numbers mean (`data.uploads.copies`), by what the
    file says of them, else by what its STAC item has `told`. A box across the antimeridian is not a part of a
    raster. Raises WebError, also when the raster and the box do not meet.
    """
    from rasterio.windows import Window

    part = target.with_name(f"{target.stem}-stored.tif")
    try:
        with remote_geotiff(url) as (source, file):
            if source.crs is None:
                raise WebError(f"{url[:200]} does not say where it lies, so no area of it can be read.")
            window = Window(0, 0, source.width, source.height) if bbox is None else _window_of(source, bbox)
            full = (int(window.width), int(window.height))
            if min(full) < 1:
                raise WebError(_APART)
            thinning = max(1.0, max(full) / most_px)
            width, height = (max(1, round(each / thinning)) for each in full)
            _check_sizes(source, width * height)
            pixel = _write_stored(source, part, window, (height, width), url)
            crs, bands, read = str(source.crs), source.count, file.bytes_read
        notes = _settle(part, target, Path(urlsplit(url).path).name, told)
    finally:
        part.unlink(missing_ok=True)
    return Piece(width, height, bands, crs, pixel, full, read, notes)


def _write_stored(
    source: Any, part: Path, window: Any, shape: tuple[int, int], url: str
) -> tuple[float, float]:
    """Write the numbers of a window as they are stored, with all that is said of them; a pixel's size."""
    import rasterio

    height, width = shape
    values = source.read(window=window, out_shape=(source.count, height, width))
    transform = source.window_transform(window) * source.transform.scale(
        window.width / width, window.height / height
    )
    profile = {
        "driver": "GTiff",
        "width": width,
        "height": height,
        "count": source.count,
        "dtype": values.dtype,
        "crs": source.crs,
        "transform": transform,
        "nodata": source.nodata,
        "compress": "deflate",
        "tiled": min(width, height) >= 256,
    }
    if profile["tiled"]:
        profile.update(blockxsize=256, blockysize=256)
    with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=True), rasterio.open(part, "w", **profile) as written:
        written.write(values)
        if has_mask(source):
            written.write_mask(source.dataset_mask(window=window, out_shape=shape))
        written.descriptions = tuple(source.descriptions)
        written.scales, written.offsets = source.scales, source.offsets
        kept = {key: value for key, value in source.tags().items() if len(value) < MAX_TAG_CHARS}
        written.update_tags(**kept, AZIMUTH_SOURCE=url[:MAX_TAG_CHARS])
    return abs(transform.a), abs(transform.e)


def _settle(part: Path, target: Path, name: str, told: Told | None) -> tuple[str, ...]:
    """Write a piece as the values that its numbers mean, and give what is said of that."""
    import rasterio

    from data.raster.errors import RasterError
    from data.uploads.copies import reading, write_values

    try:
        with rasterio.open(part, driver="GTiff") as source:
            found = reading(source, name, told)
            if not found.as_it_is:
                write_values(source, target, found)
    except RasterError as error:
        raise WebError(str(error)) from None
    if found.as_it_is:
        part.replace(target)
    return found.notes
