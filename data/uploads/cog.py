"""Rasters become Cloud Optimized GeoTIFFs in the background, so that any zoom reads little of them.

    make_cog_later(path)      # returns at once; the file is replaced when its COG is whole and equal

One file at a time, in a process of its own with a low priority and a limit on its memory. The pixels are
compared before the file is replaced, and the replacement is one step, so whoever reads sees the old file
or the new one. Nothing depends on it: a program that ends early leaves the file as it came.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import queue
import resource
import secrets
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import rasterio
import rasterio.shutil
from rasterio.enums import ColorInterp
from rasterio.errors import RasterioError
from rasterio.windows import Window

from data.uploads.apart import MEMORY_BYTES, ROOT, clean_environment
from data.uploads.gdal import quiet_gdal

SMALL_PX = 512
"""A raster of one tile needs no overviews."""
KEEP_FREE_BYTES = 1_000_000_000
_STRIP_PX = 4_000_000
_NICENESS = 10
_log = logging.getLogger(__name__)


class _Converter:
    """A queue of files and the thread that works on it."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[Path] = queue.Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._part: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def add(self, path: Path) -> None:
        """Work on this file after those before it."""
        with self._lock:
            self._waiting.put(path)
            if self._thread is None:
                # A daemon: a command line does not wait for it. What it had begun is then swept away.
                self._thread = threading.Thread(target=self._work, name="cog", daemon=True)
                self._thread.start()
                atexit.register(self._sweep)

    def wait(self) -> None:
        """Until every file has been worked on."""
        self._waiting.join()

    def _work(self) -> None:
        while True:
            path = self._waiting.get()
            self._part = path.with_name(f".{path.stem}-{secrets.token_hex(4)}.cog.tif")
            command = [sys.executable, "-W", "ignore", "-m", "data.uploads.cog", str(path), str(self._part)]
            try:
                self._process = subprocess.Popen(
                    command,
                    cwd=ROOT,
                    env=clean_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                # The raster stays as it came where this fails, which is only slower to look at.
                if self._process.wait() != 0:
                    _log.info("no COG was made of %s", path.name)
            except OSError:
                _log.info("no COG was made of %s", path.name, exc_info=True)
            finally:
                self._sweep()
                self._waiting.task_done()

    def _sweep(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._part is not None:
            with contextlib.suppress(OSError):
                self._part.unlink(missing_ok=True)


_converter = _Converter()


def make_cog_later(path: Path) -> None:
    """Have a GeoTIFF replaced by its COG in the background; returns at once."""
    _converter.add(path)


def wait_for_cogs() -> None:
    """Until all that was asked for has been done, one way or the other."""
    _converter.wait()


def make_cog(path: Path, part: Path) -> bool:
    """Replace a GeoTIFF by a COG of the same pixels, written to `part` first; False where none is needed."""
    if not path.is_file() or not _needs(path):
        return False
    if shutil.disk_usage(path.parent).free < 2 * path.stat().st_size + KEEP_FREE_BYTES:
        return False
    with quiet_gdal(), rasterio.Env(GDAL_NUM_THREADS="1"), rasterio.open(path, driver="GTiff") as source:
        rasterio.shutil.copy(source, part, driver="COG", **_options(source))
        with rasterio.open(part, driver="GTiff") as made:
            if not _same_pixels(source, made):
                raise RasterioError("the copy's pixels differ")
    # Gone meanwhile: the session was deleted, and nothing of it is to come back.
    if not path.is_file():
        return False
    part.replace(path)
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


def main() -> None:
    """Make the COG of one file: `python -m data.uploads.cog FILE PART`, 1 when it cannot be made."""
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        make_cog(Path(sys.argv[1]), Path(sys.argv[2]))
    except (RasterioError, OSError, ValueError, MemoryError):
        sys.exit(1)


if __name__ == "__main__":
    main()
