"""Rasters opened by GDAL with nothing else in reach, after their headers were checked."""

from __future__ import annotations

import math
import re
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import rasterio
from rasterio.errors import NotGeoreferencedWarning, RasterioError

from data.raster.files import CACHE_BYTES
from data.readers.sidecars import leads_elsewhere
from data.uploads.errors import UploadError, shown

DRIVERS = {"tiff": "GTiff", "png": "PNG", "jpeg": "JPEG", "jp2": "JP2OpenJPEG", "grib": "GRIB",
           "asc": "AAIGrid", "mbtiles": "MBTiles"}  # fmt: skip
"""The one driver of GDAL's for each format."""

MAX_PIXELS = 4_000_000_000
"""About 63,000 x 63,000."""
MAX_BANDS = 1_000
MAX_PICTURE_PIXELS = 500_000_000
"""For PNG, JPEG and JPEG 2000, which have to be decoded to become a GeoTIFF."""
MAX_INTERLACED_PIXELS = 60_000_000
"""An interlaced PNG is decoded as a whole, in memory."""
MAX_BLOCK_BYTES = 1_000_000_000
"""A file that is stored in larger pieces cannot be read without holding one of them."""
MODEST_BYTES = 500_000_000
MAX_RATIO = 1_100
"""Unpacked bytes for each byte of the file: deflate reaches 1,032. Only what unpacks to more than
MODEST_BYTES is held to it."""
_MAX_CHECKED_BLOCKS = 200_000
_JP2_COMPONENT_BYTES = 4
_JPEG_TAIL_BYTES = 4_000_000
"""Phones put other pictures behind the first one."""


@contextmanager
def quiet_gdal() -> Iterator[None]:
    """GDAL without files beside the one that is opened, without a network, and with a small cache."""
    environment = rasterio.Env(
        GDAL_DISABLE_READDIR_ON_OPEN="EMPTY_DIR",
        GDAL_PAM_ENABLED="NO",
        CPL_CURL_ENABLED="NO",
        GDAL_CACHEMAX=CACHE_BYTES,
        GDAL_HTTP_MAX_RETRY=0,
        # Kelvin stay Kelvin: what a file says of its units is told, and not changed on the way.
        GRIB_NORMALIZE_UNITS="NO",
    )
    with environment, warnings.catch_warnings():
        warnings.simplefilter("ignore", NotGeoreferencedWarning)
        yield


@contextmanager
def opened(path: Path, form: str, name: str) -> Iterator[rasterio.DatasetReader]:
    """A raster of that format, its claims checked. Raises UploadError for one that is broken or a bomb."""
    check_header(path, form, name)
    with quiet_gdal():
        try:
            source = rasterio.open(path.resolve(), driver=DRIVERS[form], sharing=False)
        except (RasterioError, OSError, ValueError, OverflowError) as error:
            raise UploadError(
                f"{shown(name)} is cut off or broken and cannot be read as {form.upper()} "
                f"({reason_of(error)}); send it again."
            ) from None
        with source:
            if leads_elsewhere(source):
                raise UploadError(
                    f"{shown(name)} names another file as a part of it; send one that has everything in it."
                )
            check_claims(source, path, name)
            yield source


def check_header(path: Path, form: str, name: str) -> None:
    """Refuse a picture that is too large by its own first bytes, before any decoder sees it."""
    if form == "png":
        _check_png(path, name)
    elif form == "jp2":
        _check_jp2(path, name)
    elif form == "jpeg":
        _check_jpeg(path, name)


def check_claims(source: rasterio.DatasetReader, path: Path, name: str) -> None:
    """Refuse what claims more pixels than can be true or than can be read."""
    pixels = source.width * source.height
    size = f"{source.width:,} x {source.height:,} pixels"
    if not pixels or not source.count:
        raise UploadError(f"{shown(name)} has no pixels ({size}, {source.count} bands); send it again.")
    if source.count > MAX_BANDS:
        raise UploadError(f"{shown(name)} claims {source.count:,} bands; at most {MAX_BANDS:,} are read.")
    most = MAX_PIXELS if source.driver == "GTiff" else MAX_PICTURE_PIXELS
    if pixels > most:
        raise UploadError(
            f"{shown(name)} claims {size}; at most {most:,} pixels are read as {source.driver}, "
            "so send it in parts."
        )
    widths = [bytes_of(dtype, name) for dtype in source.dtypes]
    unpacked, packed = pixels * sum(widths), path.stat().st_size
    if unpacked > MODEST_BYTES and unpacked > packed * MAX_RATIO and source.driver != "JP2OpenJPEG":
        raise UploadError(
            f"{shown(name)} has {packed:,} bytes and claims {size}, more than so few bytes can hold; "
            "send the real file."
        )
    rows, columns = source.block_shapes[0]
    together = sum(widths) if source.interleaving and source.interleaving.name == "pixel" else max(widths)
    if rows * columns * together > MAX_BLOCK_BYTES:
        raise UploadError(
            f"{shown(name)} is stored in pieces of {columns:,} x {rows:,} pixels, too large to read; "
            "save it tiled, as a COG."
        )


def check_blocks(source: rasterio.DatasetReader, path: Path, name: str) -> None:
    """Refuse a TIFF whose pieces lie beyond its end: it was cut off. Reads the directory only."""
    size = path.stat().st_size
    for band in _separate_bands(source):
        rows, columns = source.block_shapes[band - 1]
        down, across = math.ceil(source.height / rows), math.ceil(source.width / columns)
        step = max(1, down * across // _MAX_CHECKED_BLOCKS)
        for number in range(down * across - 1, -1, -step):
            row, column = divmod(number, across)
            offset = source.get_tag_item(f"BLOCK_OFFSET_{column}_{row}", "TIFF", bidx=band)
            length = source.get_tag_item(f"BLOCK_SIZE_{column}_{row}", "TIFF", bidx=band)
            if offset is not None and length is not None and int(offset) + int(length) > size:
                raise UploadError(
                    f"{shown(name)} is cut off: it has {size:,} bytes and its pixels reach to "
                    f"{int(offset) + int(length):,}; send it again."
                )


def _separate_bands(source: rasterio.DatasetReader) -> range:
    pixel = source.interleaving is not None and source.interleaving.name == "pixel"
    return range(1, 2 if pixel else source.count + 1)


def bytes_of(dtype: str, name: str) -> int:
    """The bytes of one value. Raises UploadError for a type that nothing here computes with."""
    if dtype in ("complex_int16", "complex_int32"):
        return 4 if dtype == "complex_int16" else 8
    try:
        return np.dtype(dtype).itemsize
    except TypeError:
        raise UploadError(f"{shown(name)} has pixels of the type {dtype[:30]}, which is not read.") from None


def reason_of(error: BaseException) -> str:
    """GDAL's own words, short, on one line, without the folders of this machine and its functions' names."""
    lines = str(error).strip().splitlines()
    if not lines:
        return type(error).__name__
    plain = re.sub(r"'?/[^\s']*/", "", lines[0])
    plain = re.sub(r"^(?:[^\s:]+: )?(?:TIFF|GTIFF|JPEG|PNG|GDAL|OGR)\w*: ?(?=\w)", "", plain, flags=re.I)
    return plain[:120].rstrip(" .") or type(error).__name__


def _check_png(path: Path, name: str) -> None:
    with path.open("rb") as file:
        head = file.read(33)
    if len(head) < 33 or head[12:16] != b"IHDR":
        raise UploadError(f"{shown(name)} is cut off or broken and cannot be read as PNG; send it again.")
    width, height = struct.unpack(">II", head[16:24])
    interlaced = head[28] == 1
    most = MAX_INTERLACED_PIXELS if interlaced else MAX_PICTURE_PIXELS
    if width * height > most:
        raise UploadError(
            f"{shown(name)} claims {width:,} x {height:,} pixels; at most {most:,} are read from "
            f"{'an interlaced' if interlaced else 'a'} PNG, so send a GeoTIFF."
        )
    _check_png_end(path, name)


def _check_png_end(path: Path, name: str) -> None:
    """Walk from chunk to chunk to the end: the decoder takes a file that was cut off for a grey one."""
    size = path.stat().st_size
    with path.open("rb") as file:
        at = 8
        while at + 12 <= size:
            file.seek(at)
            length, kind = struct.unpack(">I4s", file.read(8))
            at += 12 + length
            if kind == b"IEND":
                return
    raise UploadError(f"{shown(name)} is cut off or broken and cannot be read as PNG; send it again.")


def _check_jpeg(path: Path, name: str) -> None:
    """As of a PNG: after the first scan there must be an end of the image."""
    broken = UploadError(f"{shown(name)} is cut off or broken and cannot be read as JPEG; send it again.")
    size = path.stat().st_size
    with path.open("rb") as file:
        at = 2
        while True:
            file.seek(at)
            head = file.read(4)
            if len(head) < 4 or head[0] != 0xFF:
                raise broken
            if head[1] == 0xDA:
                break
            alone = head[1] == 0xFF or head[1] == 0x01 or 0xD0 <= head[1] <= 0xD8
            at += (1 if head[1] == 0xFF else 2) if alone else 2 + int.from_bytes(head[2:4], "big")
        file.seek(max(at, size - _JPEG_TAIL_BYTES))
        if b"\xff\xd9" not in file.read():
            raise broken


def _check_jp2(path: Path, name: str) -> None:
    """A JPEG 2000 is decoded tile by tile: the tiles must fit into memory."""
    with path.open("rb") as file:
        head = file.read(1 << 16)
    at = head.find(b"\xff\x4f\xff\x51")
    if at < 0 or at + 42 > len(head):
        raise UploadError(
            f"{shown(name)} is cut off or broken and cannot be read as JPEG 2000; send it again."
        )
    right, bottom, left, top, tile_width, tile_height = struct.unpack(">6I", head[at + 8 : at + 32])
    (components,) = struct.unpack(">H", head[at + 40 : at + 42])
    width, height = max(0, right - left), max(0, bottom - top)
    if width * height > MAX_PICTURE_PIXELS:
        raise UploadError(
            f"{shown(name)} claims {width:,} x {height:,} pixels; at most {MAX_PICTURE_PIXELS:,} are read "
            "from a JPEG 2000, so send a GeoTIFF."
        )
    across, down = min(tile_width, width), min(tile_height, height)
    tile = across * down * components * _JP2_COMPONENT_BYTES
    if tile > MAX_BLOCK_BYTES:
        raise UploadError(
            f"{shown(name)} has JPEG 2000 tiles of {across:,} x {down:,} pixels, "
            "too large to decode at once; save it as a GeoTIFF."
        )
