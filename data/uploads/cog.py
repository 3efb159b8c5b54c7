"""Rasters become Cloud Optimized GeoTIFFs in the background, so that any zoom reads little of them.

    make_cog_later(path)      # returns at once; the file is replaced when its COG is whole and equal

One file at a time, in a process of its own (`data.apart`) with a low priority. The pixels are
compared before the file is replaced, and the replacement is one step, so whoever reads sees the old file
or the new one. Nothing depends on it: a program that ends early leaves the file as it came.
"""

from __future__ import annotations

import logging
import queue
import shutil
import tempfile
import threading
from functools import partial
from pathlib import Path

import numpy as np
import rasterio
import rasterio.shutil
from rasterio.enums import ColorInterp
from rasterio.errors import RasterioError
from rasterio.windows import Window

from data.apart.reader import Reader
from data.uploads.errors import UploadError
from data.uploads.gdal import quiet_gdal

SMALL_PX = 512
"""A raster of one tile needs no overviews."""
KEEP_FREE_BYTES = 1_000_000_000
_STRIP_PX = 4_000_000
_OWNER = "cog"
"""They wait for each other, and for nobody else's files."""
_log = logging.getLogger(__name__)


class _Converter:
    """A queue of files and the thread that works on it."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[Path] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def add(self, path: Path) -> None:
        """Work on this file after those before it."""
        with self._lock:
            self._waiting.put(path)
            if self._thread is None:
                # A daemon: a command line does not wait for it. What it had begun is swept away by the next.
                self._thread = threading.Thread(target=self._work, name="cog", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Until every file has been worked on."""
        self._waiting.join()

    def _work(self) -> None:
        while True:
            path = self._waiting.get()
            try:
                _replace(path)
            except (UploadError, OSError):
                # The raster stays as it came where this fails, which is only slower to look at.
                _log.info("no COG was made of %s", path.name, exc_info=True)
            finally:
                self._waiting.task_done()


def _replace(path: Path) -> None:
    """Have a raster's COG made apart, and put it in the raster's place."""
    if not path.is_file():
        return
    with tempfile.TemporaryDirectory(prefix=f".{path.stem}-", suffix=".cog", dir=path.parent) as folder:
        part = Path(folder) / "part.tif"
        made = Reader(_OWNER).read(
            partial(write_cog, path, part),
            about=path.name,
            error=UploadError,
            reads=[path],
            folder=Path(folder),
        )
        # Gone meanwhile: the session was deleted, and nothing of it is to come back.
        if made and path.is_file():
            part.replace(path)


_converter = _Converter()


def make_cog_later(path: Path) -> None:
    """Have a GeoTIFF replaced by its COG in the background; returns at once."""
    _converter.add(path)


def wait_for_cogs() -> None:
    """Until all that was asked for has been done, one way or the other."""
    _converter.wait()


def write_cog(path: Path, part: Path) -> bool:
    """Write the COG of a GeoTIFF to `part`; False where none is needed. Raises UploadError."""
    if not _needs(path) or shutil.disk_usage(path.parent).free < 2 * path.stat().st_size + KEEP_FREE_BYTES:
        return False
    try:
        with quiet_gdal(), rasterio.Env(GDAL_NUM_THREADS="1"), rasterio.open(path, driver="GTiff") as source:
            rasterio.shutil.copy(source, part, driver="COG", **_options(source))
            with rasterio.open(part, driver="GTiff") as made:
                if not _same_pixels(source, made):
                    raise UploadError(f"The copy of {path.name} has other pixels than it.")
    except (RasterioError, OSError, ValueError) as error:
        raise UploadError(f"No COG can be made of {path.name}: {error}.") from None
    return True


def is_cog(path: Path) -> bool:
    """Whether a GeoTIFF is laid out as a COG: tiled, its overviews in it."""
    with quiet_gdal(), rasterio.open(path, driver="GTiff") as source:
        return bool(source.get_tag_item("LAYOUT", "IMAGE_STRUCTURE") == "COG")


def _needs(path: Path) -> bool:
    try:
        with quiet_gdal(), rasterio.open(path, driver="GTiff") as source:
            rows, columns = source.block_shapes[0]
            small = source.width <= SMALL_PX and source.height <= SMALL_PX
            tiled = bool(source.overviews(1)) and rows < source.height and columns < source.width
            return not (small or tiled or source.dtypes[0].startswith("complex_int"))
    except RasterioError:
        return False


def _same_pixels(one: rasterio.DatasetReader, two: rasterio.DatasetReader) -> bool:
    """Every value of every band, strip by strip; not-a-number equals itself."""
    rows = max(1, _STRIP_PX // one.width // SMALL_PX) * SMALL_PX
    for band in range(1, one.count + 1):
        for row in range(0, one.height, rows):
            window = Window(0, row, one.width, min(rows, one.height - row))
            first, second = one.read(band, window=window), two.read(band, window=window)
            if not np.array_equal(first, second, equal_nan=first.dtype.kind in "fc"):
                return False
    return True


def _options(source: rasterio.DatasetReader) -> dict[str, str]:
    """Lossless, and overviews that fit the values: nearest where values are names, else means."""
    classes = source.colorinterp[0] == ColorInterp.palette or source.dtypes[0] == "bool"
    floating = source.dtypes[0].startswith(("float", "complex"))
    return {
        "COMPRESS": "DEFLATE",
        "LEVEL": "1",
        "PREDICTOR": "NO" if source.dtypes[0].startswith("complex") else "3" if floating else "2",
        "BLOCKSIZE": "512",
        "BIGTIFF": "IF_SAFER",
        "OVERVIEWS": "IGNORE_EXISTING",
        "OVERVIEW_RESAMPLING": "NEAREST" if classes else "AVERAGE",
        "WARP_RESAMPLING": "NEAREST",
    }
