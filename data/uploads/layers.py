"""Files of layers that one driver of GDAL's reads: GPX, GML, FlatGeobuf, geodatabases and so on."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyogrio
from pyproj import CRS

from data.uploads.brought import Brought, Incoming
from data.uploads.declared import declared_layers
from data.uploads.errors import UploadError, shown
from data.uploads.frames import WGS84, features, read_bounded
from data.uploads.identify import TITLES, Format
from data.uploads.ogr import as_sentence, check_xml, read_layer
from data.uploads.rasters import link_or_copy
from data.uploads.rows import bring_frame
from data.uploads.suspects import lost_nodes
from data.uploads.unsent import unsent_said
from data.uploads.vectors import MAX_SINGLE_BYTES, check_depth, no_crs

MAX_XML_BYTES = 256_000_000
MAX_LAYERED_BYTES = 2_000_000_000


@dataclass(frozen=True)
class _Kind:
    """How one format is opened."""

    driver: str
    suffix: str
    """Of the private copy: some drivers look at it."""
    in_degrees: bool = False
    """By its standard, whether or not the file says so."""
    only_named: tuple[str, ...] = ()
    """Layers that say once more, in points, what others say; they are taken when they are asked for."""
    fixed_columns: bool = False
    """The columns are the driver's, of which a file fills some; those that are empty are not the file's."""
    fixed_layers: bool = False
    """So are the layers, whose names then say nothing without the file's."""
    text: str | None = None
    """"xml" and "json" are looked through before GDAL sees them."""
    needs: tuple[str, ...] = ()
    """The parts that lie beside it, without which it is none."""
    beside: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)


_KINDS: dict[Format, _Kind] = {
    "gpx": _Kind("GPX", ".gpx", True, ("route_points", "track_points"), True, True, "xml"),
    "gml": _Kind("GML", ".gml", text="xml", options={"DOWNLOAD_SCHEMA": "NO"}),
    "osm": _Kind("OSM", ".osm", True, fixed_columns=True, fixed_layers=True),
    "topojson": _Kind("TopoJSON", ".topojson", text="json"),
    "esrijson": _Kind("ESRIJSON", ".json", text="json"),
    "fgb": _Kind("FlatGeobuf", ".fgb"),
    "mapinfo": _Kind("MapInfo File", ".tab", needs=(".dat",), beside=(".map", ".id", ".ind")),
    "mif": _Kind("MapInfo File", ".mif", beside=(".mid",)),
    "dxf": _Kind("DXF", ".dxf", fixed_columns=True, fixed_layers=True),
    "gdb": _Kind("OpenFileGDB", ".gdb"),
}


def bring_layers(incoming: Incoming, form: Format) -> Brought:
    """The layer that was asked for, else the first with anything in it; `parts` has all of these."""
    kind, title = _KINDS[form], TITLES[form]
    if kind.in_degrees:
        no_crs(incoming, title)
    own = _own_copy(incoming, kind, form)
    with as_sentence(incoming, own):
        # Names are the file's; GDAL lists those of a fixed set even where they are empty.
        listed = [(str(name), bool(shape)) for name, shape in pyogrio.list_layers(own)]
    wanted = incoming.asked.part
    if wanted is not None and wanted not in [name for name, _ in listed]:
        known = ", ".join(shown(name) for name, _ in listed[:8])
        raise UploadError(f"{incoming.shown} has no layer {shown(wanted)}; it has {known}.")
    full = []
    if wanted is not None:
        # To count the others takes as long as to read them, in a text.
        chosen = next(each for each in listed if each[0] == wanted)
    else:
        full = [(name, has_shape) for name, has_shape in listed if _count(incoming, own, name, kind)]
        first = [each for each in full if each[0] not in kind.only_named] or full
        if not first:
            raise UploadError(f"{incoming.shown} is {title} file without anything in it; export it again.")
        chosen = first[0]
    layer = read_layer(incoming, own, chosen[0], (kind.driver,), geometry=chosen[1], options=kind.options)
    frame = layer.attributes
    if kind.fixed_columns:
        frame = frame.dropna(axis="columns", how="all")
    if not chosen[1]:
        brought = bring_frame(incoming, frame, f"{title} table's")
    else:
        brought = features(
            incoming,
            layer.shapes,
            frame,
            _crs(layer.crs, kind),
            title,
            in_degrees_by_rule=kind.text == "json",
        )
        if kind.text == "json":
            brought = brought.noted(unsent_said(own, len(layer.shapes)))
        brought = brought.noted(layer.left_out, _lost(incoming, own, form, chosen[0]))
    parts = [name for name, _ in full if name not in kind.only_named]
    named = f"{Path(incoming.name).stem} {chosen[0]}" if kind.fixed_layers else chosen[0]
    if wanted is not None:
        # Of a fixed set most layers are empty, and none of them was looked into.
        there = () if kind.fixed_layers else tuple(name for name, _ in listed)
        return replace(brought, part=wanted, parts=there, title=named) if len(listed) > 1 else brought
    if not kind.fixed_layers:
        names = [name for name, _ in listed]
        brought = replace(brought, facts={**brought.facts, "file_layers": declared_layers(own, names)})
    return brought.of_several(chosen[0], parts, [name for name, _ in full], named)


def _lost(incoming: Incoming, own: Path, form: Format, layer: str) -> str | None:
    """The sentence about what GDAL loses of an OpenStreetMap's lines and outlines."""
    if form != "osm" or layer == "points":
        return None
    with as_sentence(incoming, own):
        return lost_nodes(own)


def _crs(told: CRS | None, kind: _Kind) -> CRS | None:
    return WGS84 if told is None and kind.in_degrees else told


def _own_copy(incoming: Incoming, kind: _Kind, form: Format) -> Path:
    """The file and what belongs to it in a folder of their own, looked through as far as it can be."""
    folder = incoming.folder / "layered"
    folder.mkdir()
    own = folder / f"own{kind.suffix}"
    if incoming.path.is_dir():
        shutil.copytree(incoming.path, own, symlinks=True)
        return own
    size = incoming.path.stat().st_size
    most = {"xml": MAX_XML_BYTES, "json": MAX_SINGLE_BYTES}.get(kind.text or "", MAX_LAYERED_BYTES)
    if size > most:
        raise UploadError(
            f"{incoming.shown} has {size / 1e6:,.0f} MB, and at most {most / 1e6:,.0f} MB are read as "
            f"{TITLES[form]} file; send a GeoPackage."
        )
    if kind.text == "xml":
        check_xml(incoming)
    elif kind.text == "json":
        _check_json(incoming)
    missing = [each for each in kind.needs if each not in incoming.beside]
    if missing:
        parts = ", ".join((kind.suffix, *kind.needs, *kind.beside))
        raise UploadError(f"{incoming.shown} is one part of {TITLES[form]} file; send {parts} as one ZIP.")
    if incoming.ours:
        link_or_copy(incoming.path, own)
    else:
        shutil.copyfile(incoming.path, own)
    for suffix in (*kind.needs, *kind.beside):
        if suffix in incoming.beside:
            shutil.copyfile(incoming.beside[suffix], own.with_suffix(suffix))
    return own


def _check_json(incoming: Incoming) -> None:
    text = read_bounded(incoming.path, MAX_SINGLE_BYTES, incoming.shown).decode("utf-8-sig", "replace")
    check_depth(text, incoming)
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        raise UploadError(f"{incoming.shown} is broken JSON; export it again.") from None


def _count(incoming: Incoming, own: Path, layer: str, kind: _Kind) -> int:
    with as_sentence(incoming, own):
        found: dict[str, Any] = pyogrio.read_info(own, layer=layer, force_feature_count=True, **kind.options)
    return int(found["features"])
