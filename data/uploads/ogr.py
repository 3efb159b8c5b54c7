"""Shapefiles, GeoPackages and KML, read by GDAL from a private folder after they were looked through."""

from __future__ import annotations

import shutil
import sqlite3
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
import pyogrio
import shapely
from defusedxml import DefusedXmlException
from defusedxml import ElementTree as SafeTree
from numpy.typing import NDArray
from pyogrio.errors import DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError
from pyproj import CRS
from pyproj.exceptions import CRSError

from data.readers.encodings import known_encoding, of_letters
from data.uploads.brought import Brought, Incoming
from data.uploads.declared import declared_layers
from data.uploads.encodings import asked_encoding, encoding_said
from data.uploads.errors import BROKEN, UploadError, shown
from data.uploads.frames import MAX_COLUMNS, MAX_FEATURES, exact_frame, features, moments_in
from data.uploads.gdal import reason_of
from data.uploads.measures import measured_in
from data.uploads.rasters import link_or_copy
from data.uploads.rows import bring_frame
from data.uploads.vectors import no_crs, no_part

SHAPEFILE_PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg")
MAX_KML_BYTES = 256_000_000
_DBF_LANGUAGE = 29
"""The byte of a table's head that says its encoding; 0 where it does not."""
_DBF_SAMPLE_BYTES = 256_000
_OWN_COPY_BYTES = 64_000_000
_OF_PROGRAMS = frozenset({"layer_styles", "qgis_projects"})
"""Tables that a program keeps for itself in a GeoPackage."""
_SAFE_MODULES = ("rtree", "fts5", "fts4", "fts3")
"""Virtual tables of SQLite that stay inside the file."""
_SKIPPED = "Skipping field "
"""What pyogrio's warning about a column that it does not read begins with."""
_STEPS = 20_000_000
"""How many steps SQLite may take to list what is in a file."""
NO_OPTIONS: Mapping[str, str] = {}
_ERRORS = (DataSourceError, DataLayerError, FeatureError, FieldError, GeometryError, *BROKEN)


@dataclass(frozen=True)
class Layer:
    """What GDAL read of one layer."""

    shapes: NDArray[np.object_]
    attributes: pd.DataFrame
    crs: CRS | None
    left_out: str | None = None
    """A sentence about what GDAL's reader does not give of it."""


def bring_shapefile(incoming: Incoming) -> Brought:
    """A shapefile, whose parts lie beside it; they are copied where nothing else does."""
    no_part(incoming)
    if ".shx" not in incoming.beside or ".dbf" not in incoming.beside:
        raise UploadError(
            f"{incoming.shown} is one part of a shapefile; send .shp, .shx, .dbf and .prj as one ZIP."
        )
    with incoming.path.open("rb") as file:
        head = file.read(100)
    if len(head) < 100:
        raise UploadError(f"{incoming.shown} is cut off or broken and is no shapefile; export it again.")
    claimed = int.from_bytes(head[24:28], "big") * 2
    if claimed > incoming.path.stat().st_size:
        raise UploadError(
            f"{incoming.shown} is cut off: it has {incoming.path.stat().st_size:,} bytes of {claimed:,}; "
            "send it again."
        )
    folder = incoming.folder / "shape"
    folder.mkdir()
    for suffix, part in ((".shp", incoming.path), *incoming.beside.items()):
        if suffix in SHAPEFILE_PARTS:
            shutil.copyfile(part, folder / f"own{suffix}")
    encoding, notes = asked_encoding(incoming), []
    if encoding is None:
        encoding, belied = _dbf_encoding(folder / "own.dbf", incoming.beside.get(".cpg"))
        notes += [belied] if belied else []
    layer = read_layer(incoming, folder / "own.shp", None, ("ESRI Shapefile",), encoding=encoding)
    if encoding not in (None, "utf8") and not notes:
        notes.append(encoding_said(incoming, str(encoding)))
    found = features(incoming, layer.shapes, layer.attributes, layer.crs, "a shapefile")
    return found.noted(*notes, layer.left_out)


def _dbf_encoding(path: Path, cpg: Path | None) -> tuple[str | None, str | None]:
    """The encoding that the letters of a table's cells tell; None where the table says it, or has none.

    And a sentence where the .cpg beside it says another one, which its letters cannot be in.
    """
    found = _of_cells(path, said=cpg is not None)
    if cpg is None or found is None:
        return found, None
    told = cpg.read_bytes()[:100].decode("ascii", "replace").strip()
    known = known_encoding({"65001": "utf-8"}.get(told, f"cp{told}" if told.isdigit() else told))
    if known == "utf8" or (found == "utf8" and known is not None):
        if known == found:
            return None, None
        return found, f"Its .cpg says {shown(told)}, but its letters are {found}, and were read so."
    return None, None


def _of_cells(path: Path, *, said: bool) -> str | None:
    with path.open("rb") as file:
        head = file.read(32)
        if len(head) < 32 or (head[_DBF_LANGUAGE] and not said):
            return None
        file.seek(int.from_bytes(head[8:10], "little"))
        cells = file.read(_DBF_SAMPLE_BYTES)
    if cells.isascii():
        return None
    try:
        cells.decode("utf-8")
    except UnicodeDecodeError as error:
        # The sample may end in the middle of a letter.
        return "utf8" if error.start > len(cells) - 4 else of_letters(cells)
    return "utf8"


def bring_gpkg(incoming: Incoming) -> Brought:
    """One layer of a GeoPackage: the part that was asked for, else the first with features."""
    layers, tables, filled, views, tiles = _gpkg_layers(incoming)
    wanted = incoming.asked.part
    if wanted in views:
        raise UploadError(
            f"{incoming.shown} has {shown(str(wanted))} as a view, which is not read; save it as a layer."
        )
    if wanted is not None and wanted not in (*layers, *tables):
        known = ", ".join(shown(each) for each in (*layers, *tables)[:8])
        raise UploadError(f"{incoming.shown} has no layer {shown(wanted)}; it has {known}.")
    whole = [*filled, *(each for each in tables if each not in _OF_PROGRAMS)]
    chosen = wanted or next(iter((*whole, *layers, *tables)), None)
    if chosen is None:
        raise UploadError(f"{incoming.shown} holds no layer of features; export one into it.")
    empty = [name for name in layers if name not in filled and name != chosen]
    parts = [f"views ({', '.join(map(shown, views[:6]))})"] if views else []
    parts += [f"empty layers ({', '.join(map(shown, empty[:6]))})"] if empty else []
    parts += [f"map tiles ({', '.join(map(shown, tiles[:6]))})"] if tiles else []
    unread = f"Its {' and '.join(parts)} were left out." if parts and wanted is None else None
    own = incoming.folder / "own.gpkg"
    if incoming.path.stat().st_size > _OWN_COPY_BYTES and incoming.ours:
        link_or_copy(incoming.path, own)
    else:
        shutil.copyfile(incoming.path, own)
    tried = whole if wanted is None and chosen in whole else [chosen]
    for name in tried:
        try:
            found = _gpkg_part(incoming, own, name, has_place=name not in tables)
        except UploadError:
            if name == tried[-1]:
                raise
            continue  # it is told of beside the others, which are added next
        if wanted is None:
            found = replace(
                found, facts={**found.facts, "file_layers": declared_layers(own, [*layers, *tables])}
            )
        return found.of_several(name, whole, tables).noted(unread)
    raise AssertionError("a layer was chosen")


def _gpkg_part(incoming: Incoming, own: Path, name: str, *, has_place: bool) -> Brought:
    if not has_place:
        frame = read_layer(incoming, own, name, ("GPKG",), geometry=False).attributes
        return bring_frame(incoming, frame, "a GeoPackage")
    layer = read_layer(incoming, own, name, ("GPKG",))
    found = features(incoming, layer.shapes, layer.attributes, layer.crs, "a GeoPackage layer")
    return found.noted(layer.left_out or _undeclared_measures(own, name))


def _undeclared_measures(own: Path, layer: str) -> str | None:
    """The sentence about measures of which GDAL does not warn, since the layer does not declare them."""
    try:
        count = measured_in(own, layer)
    except sqlite3.Error:  # what GDAL reads all the same
        return None
    return f"The measures (M) of {count:,} of its features were left out." if count else None


def bring_kml(incoming: Incoming) -> Brought:
    """All folders of a KML together, or the one that was asked for."""
    if incoming.path.stat().st_size > MAX_KML_BYTES:
        raise UploadError(
            f"{incoming.shown} has {incoming.path.stat().st_size / 1e6:,.0f} MB, and at most "
            f"{MAX_KML_BYTES / 1e6:g} MB are read as KML; send a GeoPackage."
        )
    no_crs(incoming, "a KML")
    elements = check_xml(incoming)
    if "Placemark" not in elements:
        raise UploadError(f"{incoming.shown} holds no placemark with a place; export some into it.")
    # What lies in no folder is told by the name of the file, which is the user's.
    (folder := incoming.folder / "kml").mkdir()
    own = folder / f"{Path(incoming.name).stem[:80].lstrip('.') or 'file'}.kml"
    shutil.copyfile(incoming.path, own)
    drivers = ("LIBKML", "KML")
    with as_sentence(incoming, own):
        names = [str(name) for name, _ in pyogrio.list_layers(own)]
    wanted = incoming.asked.part
    if wanted is not None and wanted not in names:
        known = ", ".join(shown(each) for each in names[:8])
        raise UploadError(f"{incoming.shown} has no folder {shown(wanted)}; it has {known}.")
    read = [(name, read_layer(incoming, own, name, drivers)) for name in ([wanted] if wanted else names)]
    full = [(name, layer) for name, layer in read if len(layer.shapes)]
    if not full:
        raise UploadError(f"{incoming.shown} holds no placemark with a place; export some into it.")
    shapes = np.concatenate([layer.shapes for _, layer in full])
    frames = [layer.attributes.dropna(axis="columns", how="all") for _, layer in full]
    if len(full) > 1:
        frames = [frame.assign(folder=name) for frame, (name, _) in zip(frames, full, strict=True)]
    attributes = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    # KML is in degrees by its standard (OGC 07-147r2), whatever else is said of it.
    found = features(incoming, shapes, attributes, CRS.from_epsg(4326), "a KML")
    linked = (
        "It links to other files or addresses, which were not read." if "NetworkLink" in elements else None
    )
    return found.noted(linked)


def check_xml(incoming: Incoming) -> set[str]:
    """Read an XML through once: its elements' names. Raises UploadError for a broken one and for entities."""
    names: set[str] = set()
    try:
        for _, element in SafeTree.iterparse(str(incoming.path), forbid_dtd=True):
            names.add(str(element.tag).rpartition("}")[2])
            element.clear()
    except DefusedXmlException:
        raise UploadError(
            f"{incoming.shown} declares a document type or entities, as an XML bomb does; save it without."
        ) from None
    except (SafeTree.ParseError, ValueError, LookupError, RecursionError) as error:
        raise UploadError(f"{incoming.shown} is broken XML ({reason_of(error)}); export it again.") from None
    return names


def read_layer(
    incoming: Incoming,
    path: Path,
    layer: str | None,
    drivers: tuple[str, ...],
    *,
    geometry: bool = True,
    encoding: str | None = None,
    options: Mapping[str, str] = NO_OPTIONS,
) -> Layer:
    """One layer (the first without a name) by one of the drivers, with `options` for its opening.

    Raises UploadError for a file of another driver, a broken one, and one that is too large.
    """
    with as_sentence(incoming, path):
        info = pyogrio.read_info(path, layer=layer, force_feature_count=True, encoding=encoding, **options)
    if info["driver"] not in drivers:
        raise UploadError(f"{incoming.shown} is a {info['driver']}, whatever its name says; export it again.")
    if info["features"] > MAX_FEATURES:
        raise UploadError(
            f"{incoming.shown} has {info['features']:,} features, and at most {MAX_FEATURES:,} are read; "
            "ingest it as a data set instead."
        )
    if len(info["fields"]) > MAX_COLUMNS:
        raise UploadError(
            f"{incoming.shown} has {len(info['fields']):,} columns; at most {MAX_COLUMNS:,} are read."
        )
    with as_sentence(incoming, path), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        meta, _, wkb, fields = pyogrio.raw.read(
            path,
            layer=layer,
            read_geometry=geometry,
            datetime_as_string=True,
            encoding=encoding,
            **options,
        )
    columns = {str(name): values for name, values in zip(meta["fields"], fields, strict=True)}
    frame = pd.DataFrame(columns, index=range(len(fields[0]) if len(fields) else len(wkb)))
    _make_exact(frame, path, layer, info, options)
    for name, kind in zip(meta["fields"], meta["dtypes"], strict=True):
        if str(kind).startswith("datetime64"):
            frame[str(name)] = moments_in(frame[str(name)])
    if not geometry or wkb is None:
        return Layer(np.full(len(frame), None, dtype=object), frame, None)
    with np.errstate(invalid="ignore"):  # coordinates that are not numbers are told further down
        shapes = shapely.from_wkb(wkb, on_invalid="ignore")
    return Layer(shapes, frame, _crs(meta["crs"], incoming), _left_out(warned))


def _left_out(warned: list[warnings.WarningMessage]) -> str | None:
    """The sentence about columns and measures that pyogrio warned of leaving out."""
    messages = [str(each.message) for each in warned]
    fields = [each.removeprefix(_SKIPPED).partition(":")[0] for each in messages if each.startswith(_SKIPPED)]
    parts = [f"column {shown(each)}" for each in dict.fromkeys(fields)]
    parts += ["measures (M)"] if any(each.startswith("Measured") for each in messages) else []
    return f"Its {' and '.join(parts)} were left out." if parts else None


_WHOLE = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
"""Types of fields, as pyogrio names them, that come as floats where a value is missing."""


def _make_exact(
    frame: pd.DataFrame, path: Path, layer: str | None, info: Mapping[str, Any], options: Mapping[str, str]
) -> None:
    """Read whole numbers and truths with gaps once more as they are, where they came as floats."""
    told = {str(name) for name, kind in zip(info["fields"], info["dtypes"], strict=True) if kind in _WHOLE}
    for name in told & set(frame.columns[frame.dtypes == "float64"]):
        _, table = pyogrio.read_arrow(path, layer=layer, columns=[name], read_geometry=False, **options)
        frame[name] = exact_frame(table.select([name]))[name]


def _crs(text: Any, incoming: Incoming) -> CRS | None:
    if not text:
        return None
    try:
        crs = CRS.from_user_input(text)
    except CRSError:
        raise UploadError(
            f"{incoming.shown} is in {shown(str(text))}, which is no coordinate system that is known; "
            "name it with crs."
        ) from None
    # What a GeoPackage calls undefined is a local system with such a name.
    return None if "undefined" in crs.name.lower() else crs


@contextmanager
def as_sentence(incoming: Incoming, own: Path) -> Iterator[None]:
    """Whatever GDAL says of our copy of a file, as an UploadError about the file."""
    try:
        yield
    except _ERRORS as error:
        reason = reason_of(error).replace(own.name, incoming.name)
        raise UploadError(f"{incoming.shown} is cut off or broken ({reason}); export it again.") from None


def _gpkg_layers(incoming: Incoming) -> tuple[list[str], list[str], list[str], list[str], list[str]]:
    """The layers of features, those without a place, the first that have rows, the views, and the tiles.

    Raises UploadError for a GeoPackage that reaches for anything outside itself.
    """
    broken = UploadError(f"{incoming.shown} is cut off or broken and is no GeoPackage; send it again.")
    size = incoming.path.stat().st_size
    with incoming.path.open("rb") as file:
        head = file.read(100)
    page_bytes = int.from_bytes(head[16:18], "big")
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    if len(head) < 100 or page_bytes * int.from_bytes(head[28:32], "big") > size:
        raise broken
    address = f"file:{quote(str(incoming.path.resolve()))}?mode=ro&immutable=1"
    try:
        with sqlite3.connect(address, uri=True) as opened:
            opened.set_progress_handler(lambda: 1, _STEPS)
            opened.execute("PRAGMA trusted_schema=OFF")
            parts = opened.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
            kinds = {str(name): str(kind) for kind, name, _ in parts}
            _check_parts(parts, incoming)
            if "gpkg_contents" not in kinds:
                raise UploadError(
                    f"{incoming.shown} is an SQLite database and no GeoPackage; export it as a GeoPackage."
                )
            rows = opened.execute("SELECT table_name, data_type FROM gpkg_contents LIMIT 1000").fetchall()
            filled = {
                str(name) for name, _ in rows if kinds.get(str(name)) == "table" and _has_rows(opened, name)
            }
        opened.close()
    except (sqlite3.Error, UnicodeError, MemoryError):
        raise broken from None
    views = [str(name) for name, kind in rows if kinds.get(str(name)) == "view"]
    contents = [(str(name), str(kind)) for name, kind in rows if kinds.get(str(name)) == "table"]
    found = [name for name, kind in contents if kind == "features"]
    tables = [name for name, kind in contents if kind == "attributes"]
    tiles = [str(name) for name, kind in rows if str(kind).endswith("tiles") or "coverage" in str(kind)]
    if not found and not tables and tiles:
        raise UploadError(f"{incoming.shown} holds map tiles and no features; send the raster as a GeoTIFF.")
    return found, tables, [name for name in found if name in filled], views, tiles


def _has_rows(opened: sqlite3.Connection, table: str) -> bool:
    named = str(table).replace('"', '""')
    return bool(opened.execute(f'SELECT EXISTS(SELECT 1 FROM "{named}")').fetchone()[0])


def _check_parts(parts: list[tuple[Any, Any, Any]], incoming: Incoming) -> None:
    for _, name, sql in parts:
        words = str(sql or "").lower().split()
        if words[:3] == ["create", "virtual", "table"]:
            module = " ".join(words).partition(" using ")[2].partition("(")[0].strip().strip("\"'`[]")
            if module not in _SAFE_MODULES:
                raise UploadError(
                    f"{incoming.shown} holds the virtual table {shown(str(name))}, which may read elsewhere; "
                    "export its layers into a new GeoPackage."
                )
