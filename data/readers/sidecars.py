"""Files beside a raster that GDAL would open with it, and whether they could lead it elsewhere.

`x.tif.ovr` and `x.tif.msk` are opened with whatever driver their bytes call for, so that a VRT of that name
reads any file of the machine; `x.tif.aux.xml` may name a file of overviews; an Imagine file (`.aux`) names
others. Where one of them does, the raster is opened as if it lay alone. One that names a file itself, as its
overviews, its places or its coordinate system, is not opened at all.
"""

from __future__ import annotations

import re
from pathlib import Path

from rasterio import DatasetReader

_TIFF = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_DOMAINS = ("OVERVIEWS", "GEOLOCATION")
"""Where GDAL keeps the names of files that it reads a raster's smaller copies and its coordinates from."""
_MOST_BYTES = 4_000_000
_LEADS = re.compile(rb"_FILE|FILENAME|/vsi|XINCLUDE|<!", re.I)
_NAMES_A_FILE = re.compile(
    r"=\s*[@\"']?[^\s\"'=]*[/\\]|PARAMETERFILE\s*[\[(]\s*\"[^\"]*\"\s*,\s*\"[^\"]*[/\\]"
    r"|\"value\"\s*:\s*\"[^\"]*[/\\]",
    re.I,
)


def is_alone(path: Path) -> bool:
    """Whether a raster has to be opened without what lies beside it, since some of that leads elsewhere."""
    return not (
        all(_is_tiff(each) for each in _with(path, ".ovr", ".msk"))
        and all(_is_plain(each) for each in _with(path, ".aux.xml"))
        and not any(each.exists() for each in _with(path, ".aux", ".rrd"))
    )


def names_a_file(crs: str) -> bool:
    """Whether a coordinate system in PROJ, WKT or PROJJSON names a file by a path, which PROJ would open."""
    return _NAMES_A_FILE.search(crs) is not None


def leads_elsewhere(source: DatasetReader) -> bool:
    """Whether an open raster names another file as part of itself; nothing of it has been read by then."""
    named = any(source.tags(ns=each) for each in _DOMAINS if each in source.tag_namespaces())
    return named or (source.crs is not None and names_a_file(source.crs.to_wkt()))


def _with(path: Path, *suffixes: str) -> list[Path]:
    """The names beside a raster that GDAL tries: `x.tif.ovr`, `x.ovr`, in small letters and capitals."""
    cases = (*suffixes, *(each.upper() for each in suffixes))
    return [name for each in cases for name in (path.with_name(path.name + each), path.with_suffix(each))]


def _is_tiff(path: Path) -> bool:
    """Whether a file is a TIFF of itself, or not there at all."""
    if path.is_symlink():
        return False
    try:
        with path.open("rb") as file:
            return file.read(4) in _TIFF
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _is_plain(path: Path) -> bool:
    """Whether GDAL's own notes name no file, or are not there at all."""
    if path.is_symlink():
        return False
    try:
        text = path.read_bytes()[: _MOST_BYTES + 1]
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return (
        len(text) <= _MOST_BYTES
        and _LEADS.search(text) is None
        and not names_a_file(text.decode("utf-8", "replace").replace("&quot;", '"'))
    )
