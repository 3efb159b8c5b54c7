"""The files of rendered records, each made once and known by what it was made from."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from data.rendered.drawing import scene_of
from data.rendered.subject import Subject
from data.rendered.window import MOST_PX, Window, close_up, whole
from data.scenes.model import Scene
from data.schema import RENDERED

VERSION = 1
"""Counts up when the same record is drawn otherwise."""
RASTER_PX = 1024
"""A side of what is opened as a raster, at the record's own pixels."""
MOST_BYTES = 400_000_000
"""Of pictures and rasters that are kept; the oldest go first."""


@dataclass(frozen=True)
class Kept:
    """A picture that is there, and what it shows."""

    path: Path
    window: Window


def keep_picture(folder: Path, subject: Subject, *, near: bool = False, most_px: int = MOST_PX) -> Kept:
    """The record as a JPEG: all of it, or from near at its own pixels."""
    window = (close_up if near else whole)(subject, most_px)
    return Kept(_kept(folder, subject, window, ".jpg", _write_jpeg), window)


def keep_raster(folder: Path, subject: Subject) -> Kept:
    """The record as a GeoTIFF at its own pixels, the part with most objects where it is too large."""
    window = close_up(subject, RASTER_PX)
    return Kept(_kept(folder, subject, window, ".tif", _write_raster), window)


def eight_bits(scene: Scene) -> NDArray[np.uint8]:
    """(h, w, 3) blue, green, red as people look at it: radar in decibels, reflectance in true colour."""
    if scene.kind == "sar":
        decibels = 20 * np.log10(np.maximum(scene.pixels[0], 1e-4))
        grey = np.clip((decibels + 28) / 32 * 255, 0, 255).astype(np.uint8)
        return np.dstack([grey] * 3)
    if scene.kind == "multispectral":
        bright = np.clip(scene.pixels[:3].astype(np.float32) / 10_000 * 4.2, 0, 1) ** np.float32(0.75)
        return np.ascontiguousarray((bright * 255).astype(np.uint8).transpose(1, 2, 0))
    return np.ascontiguousarray(scene.pixels[::-1].transpose(1, 2, 0))


@lru_cache(maxsize=4096)
def is_rendered(path: Path) -> bool:
    """Whether a raster says of itself that it is a rendered scene, or was made of one."""
    import rasterio
    from rasterio.errors import RasterioError

    from data.uploads.gdal import quiet_gdal

    try:
        with quiet_gdal(), rasterio.open(path) as source:
            return str(source.tags().get("source", "")) == RENDERED
    except (RasterioError, OSError):
        return False


def _kept(
    folder: Path,
    subject: Subject,
    window: Window,
    suffix: str,
    write: Callable[[Path, Subject, Window], None],
) -> Path:
    about = repr((VERSION, asdict(subject), asdict(window))).encode()
    path = folder / f"{sha256(about).hexdigest()[:32]}{suffix}"
    if path.is_file():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{secrets.token_hex(6)}{suffix}"
    try:
        write(part, subject, window)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _make_room(folder, path)
    return path


def _make_room(folder: Path, made: Path) -> None:
    """Remove the oldest files beyond so many bytes, and never what was just made."""
    with os.scandir(folder) as entries:
        files = [(each.stat(), each.path) for each in entries if not each.name.startswith(".")]
    taken = sum(about.st_size for about, _ in files)
    for about, path in sorted(files, key=lambda each: each[0].st_mtime):
        if taken <= MOST_BYTES:
            break
        if Path(path) == made:
            continue
        Path(path).unlink(missing_ok=True)
        taken -= about.st_size


def _write_jpeg(path: Path, subject: Subject, window: Window) -> None:
    quality = [cv2.IMWRITE_JPEG_QUALITY, 90]
    done, packed = cv2.imencode(".jpg", eight_bits(scene_of(subject, window)), quality)
    if not done:
        raise OSError(f"{path.name} could not be written.")
    path.write_bytes(packed.tobytes())


def _write_raster(path: Path, subject: Subject, window: Window) -> None:
    import rasterio

    scene_of(subject, window).write(path)
    with rasterio.open(path, "r+") as target:
        target.update_tags(record=subject.image_id, acquired=subject.taken.isoformat(), sensor=subject.sensor)
