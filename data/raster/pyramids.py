"""Overviews of large rasters, made in the background as a `.ovr` beside the file.

GDAL holds Python's lock while it makes them, so they are made in a process of their own, one after the
other and at low priority; run as `python -m data.raster.pyramids FILE`. A file appears whole or not at all.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

import rasterio
from rasterio.enums import ColorInterp, Resampling
from rasterio.errors import RasterioError

from data.raster.errors import RasterError
from data.raster.files import CACHE_BYTES, opened

LARGE_PX = 4096
"""A raster whose longer side has no more pixels than this does without overviews."""
SMALLEST_PX = 256
LIMIT_S = 3600

_waiting: queue.Queue[Path] = queue.Queue()
_known: set[tuple[Path, int]] = set()
_being_made: set[Path] = set()
_lock = threading.Lock()
_worker: threading.Thread | None = None


def needed(path: Path) -> bool:
    """Whether a view of the whole raster would read all of its many pixels."""
    with opened(path) as source:
        large = max(source.width, source.height) > LARGE_PX
        return large and source.driver == "GTiff" and not source.overviews(1)


def build(path: Path) -> Path:
    """Make the overviews of a raster and return the file that holds them.

    Classes are thinned out, measured values averaged. Raises RasterError when they cannot be made.
    """
    folder = path.with_name(f".{path.name}.{os.getpid()}.overviews")
    before = path.stat().st_mtime_ns
    try:
        folder.mkdir()
        link = folder / path.name
        link.symlink_to(path.resolve())
        with opened(link) as source:
            longer, kind, meaning = max(source.shape), source.dtypes[0], source.colorinterp[0]
        classes = meaning is ColorInterp.palette or (source.count == 1 and not kind.startswith("float"))
        factors = [2**step for step in range(1, 16) if longer / 2 ** (step - 1) > SMALLEST_PX]
        options = {"COMPRESS_OVERVIEW": "DEFLATE", "BIGTIFF_OVERVIEW": "IF_SAFER"}
        # Opened for update since GDAL asks it; what is written goes beside the file all the same.
        env = rasterio.Env(TIFF_USE_OVR="YES", GDAL_CACHEMAX=CACHE_BYTES, **options)
        with env, rasterio.open(link, "r+", driver="GTiff") as source:
            made_in(source, factors, Resampling.nearest if classes else Resampling.average)
        made = folder / f"{path.name}.ovr"
        target = path.with_name(made.name)
        if path.stat().st_mtime_ns != before:
            raise RasterError(f"{path.name} changed while its overviews were made.")
        made.replace(target)
    except (RasterioError, OSError) as error:
        raise RasterError(f"The overviews of {path.name} cannot be made ({error}).") from error
    finally:
        for each in folder.glob("*"):
            each.unlink()
        folder.rmdir()
    return target


def made_in(source: rasterio.io.DatasetWriter, factors: list[int], how: Resampling) -> None:
    """Have GDAL make the overviews."""
    source.build_overviews(factors, how)


def wanted(path: Path) -> None:
    """Have the overviews of a raster made in the background, once, when it needs some."""
    key = (path, path.stat().st_mtime_ns)
    if any(path.parent.glob(f".{path.stem}-*.cog.tif")):
        return  # it is being made a COG, which has its overviews in it
    with _lock:
        if key in _known:
            return
        _known.add(key)
    if not needed(path):
        return
    with _lock:
        _being_made.add(path)
        _waiting.put(path)
        global _worker
        if _worker is None or not _worker.is_alive():
            _worker = threading.Thread(target=_make_all, name="overviews", daemon=True)
            _worker.start()


def building(path: Path) -> bool:
    """Whether the overviews of a raster are on their way."""
    return path in _being_made


def _make_all() -> None:
    while True:
        path = _waiting.get()
        try:
            command = [sys.executable, "-m", "data.raster.pyramids", str(path)]
            subprocess.run(
                command,
                cwd=Path(__file__).resolve().parents[2],
                check=False,
                capture_output=True,
                timeout=LIMIT_S,
            )
        except (OSError, subprocess.TimeoutExpired):
            pass  # the map goes on as it is, only slower
        finally:
            _being_made.discard(path)
            _waiting.task_done()


if __name__ == "__main__":
    os.nice(10)
    try:
        build(Path(sys.argv[1]))
    except RasterError as error:
        sys.exit(str(error))
