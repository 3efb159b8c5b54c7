"""Bring one file in: find out what it is, check it, and make it one artifact's file.

    with staged(path, folder, asked=Asked(crs="EPSG:32631")) as incoming:
        brought = bring(incoming)

Everything happens in a private folder that is gone afterwards, whatever went wrong.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from rasterio._err import CPLE_BaseError

from data.uploads.brought import Asked, Brought, Incoming
from data.uploads.errors import BROKEN, UploadError, shown
from data.uploads.gdal import DRIVERS, reason_of
from data.uploads.identify import LAYERED, PARTS_BESIDE, TITLES, Format, identify, misnamed
from data.uploads.rasters import bring_raster, link_or_copy

NOTHING = Asked()
_log = logging.getLogger(__name__)
_HASH_PIECE_BYTES = 1 << 22
_SCRATCH, _LOCK = ".upload-", ".lock"
_BESIDE = (
    ".tfw", ".tifw", ".tiffw", ".pgw", ".pngw", ".jgw", ".jpgw", ".jpegw", ".j2w", ".jp2w", ".wld", ".prj",
)  # fmt: skip


@contextmanager
def staged(path: Path, folder: Path, *, asked: Asked = NOTHING, ours: bool = False) -> Iterator[Incoming]:
    """The file with a private folder below `folder`, and the world file and projection beside it.

    `ours` is a file that nobody writes to again: it is held by a link, so that another upload of its name
    changes nothing half way, and a large GeoTIFF becomes an artifact without a copy.
    """
    if not path.is_file():
        raise UploadError(f"{shown(path.name)} is no file; give one file, or pack a folder as a ZIP.")
    scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder))
    try:
        with (scratch / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            _remove_abandoned(folder, scratch)
            inside = scratch / "in"
            inside.mkdir()
            held = path
            if ours:
                held = inside / path.name
                link_or_copy(path, held)
            yield Incoming(held, path.name, scratch, asked, beside(path), ours)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _remove_abandoned(folder: Path, mine: Path) -> None:
    """Remove what a process that was killed has left: a lock ends with its process, however that ends."""
    for each in folder.glob(f"{_SCRATCH}*"):
        if each != mine:
            with suppress(OSError), (each / _LOCK).open("r") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(each, ignore_errors=True)


def bring(incoming: Incoming) -> Brought:
    """The artifact that the file becomes. Raises UploadError, one sentence."""
    form = identify(incoming.path)
    if form == "archive":
        from data.uploads.bundles import bring_archive

        return bring_archive(incoming, bring)
    if incoming.asked.encoding is not None and form not in ("csv", "shapefile"):
        raise UploadError(
            f"{incoming.shown} is {TITLES[form]} file, which tells its encoding itself; leave encoding out."
        )
    try:
        found = _reader(form)(incoming)
    except (*BROKEN, CPLE_BaseError) as error:
        # The readers know what their libraries raise; broken bytes now and then call forth something else,
        # and GDAL's own errors come through where rasterio reads tags (of a broken EXIF).
        _log.info("reading %s as %s failed", incoming.name, form, exc_info=True)
        raise UploadError(
            f"{incoming.shown} is broken and cannot be read as {TITLES[form]} file ({reason_of(error)}); "
            "send it again."
        ) from None
    if incoming.asked.nodata is not None and found.kind != "raster":
        raise UploadError(f"{incoming.shown} is no raster and has no nodata; leave nodata out.")
    if incoming.asked.crs is not None and found.facts.get("crs") is None:
        raise UploadError(_without_use(incoming, found))
    return found.noted(misnamed(incoming.name, form))


def _without_use(incoming: Incoming, found: Brought) -> str:
    """Why a coordinate system that was asked for could not be used: nothing that is asked is dropped."""
    asked = shown(str(incoming.asked.crs))
    if found.kind == "table":
        columns = ", ".join(shown(str(each)) for each in found.facts["columns"][:8])
        return (
            f"{incoming.shown} is a table without columns of coordinates that are known, to which {asked} "
            f"could belong; it has {columns}. Name two of them x and y, or easting and northing, or "
            "leave crs out."
        )
    if found.kind == "raster":
        return (
            f"{incoming.shown} tells no grid of its pixels, to which {asked} could belong; leave crs out and "
            "say where it lies (place_raster)."
        )
    return f"{incoming.shown} is {found.what}, which has no coordinates; leave crs out."


def beside(path: Path) -> dict[str, Path]:
    """World files and projections of the same name in the same folder; links are not followed."""
    found: dict[str, Path] = {}
    for each in PARTS_BESIDE.get(path.suffix.lower(), _BESIDE):
        for suffix in (each, each.upper()):
            other = path.with_suffix(suffix)
            if other != path and other.is_file() and not other.is_symlink():
                found.setdefault(each, other)
    return found


def content_key(path: Path, beside_it: dict[str, Path], asked: Asked) -> str:
    """The SHA-256 of the content, and of all else that decides what becomes of it."""
    found = file_sha256(path)
    more = [f"{each}={file_sha256(other)}" for each, other in sorted(beside_it.items())]
    more += [f"{name}={value}" for name, value in asdict(asked).items() if value is not None]
    if not more:
        return found
    return hashlib.sha256("\n".join([found, *more]).encode("utf-8", "surrogatepass")).hexdigest()


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_HASH_PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _reader(form: Format) -> Callable[[Incoming], Brought]:
    """What brings a format in; each library is only loaded for the files that need it."""
    if form in DRIVERS:
        return lambda incoming: bring_raster(incoming, form)
    if form in ("netcdf3", "hdf5"):
        from data.uploads.arrays import bring_arrays

        return lambda incoming: bring_arrays(incoming, form)
    if form in ("geojson", "jsonl"):
        from data.uploads import vectors

        return vectors.bring_geojson if form == "geojson" else vectors.bring_lines
    if form in LAYERED:
        from data.uploads.layers import bring_layers

        return lambda incoming: bring_layers(incoming, form)
    if form in ("shapefile", "gpkg", "kml"):
        from data.uploads import ogr

        return {"shapefile": ogr.bring_shapefile, "gpkg": ogr.bring_gpkg, "kml": ogr.bring_kml}[form]
    if form in ("csv", "parquet"):
        from data.uploads import tables

        return tables.bring_csv if form == "csv" else tables.bring_parquet
    if form == "xlsx":
        from data.uploads.sheets import bring_xlsx

        return bring_xlsx
    from data.uploads import documents

    readers: dict[str, Callable[[Incoming], Brought]] = {
        "pdf": documents.bring_pdf,
        "docx": documents.bring_docx,
        "xml": documents.bring_xml,
        "json": documents.bring_json,
        "html": documents.bring_html,
        "text": documents.bring_text,
    }
    return readers[form]
