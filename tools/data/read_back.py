"""Files that were saved here, read back as another program reads them: all their layers, told as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from data.documents.errors import DocumentError
from tools.data.layers_told import frame_told
from tools.phrases import listed, number_of, one_line

if TYPE_CHECKING:
    import pandas as pd

MOST_LAYERS = 20
MOST_BYTES = 200_000_000
_MOST_MEMBERS = 40
_MEMBER_CHARS = 200
_SHOWN_IDS = 3
_TYPES = {
    "OFTString": "text", "OFTInteger": "integer", "OFTInteger64": "integer", "OFTReal": "number",
    "OFTDate": "date", "OFTDateTime": "time", "OFTTime": "time of day", "OFTBinary": "bytes",
}  # fmt: skip
_SUBTYPES = {"OFSTBoolean": "boolean", "OFSTJSON": "JSON"}
_OF_COLUMNS = frozenset({"type", "features"})


@dataclass(frozen=True)
class _Read:
    """The rows of a layer, the types of its columns in the file, and what else is told of it."""

    frame: pd.DataFrame
    types: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_Part = tuple[str, Callable[[], _Read | dict[str, Any]]]
"""(a layer's name, empty where the file has but one; what reads it, or tells it where it has no rows)."""


def layers_of_file(path: Path, handle: str) -> list[dict[str, Any]]:
    """What each layer of a file is, as plain JSON; a JSON without rows is told as what it is.

    Of more than `MOST_LAYERS` the first are told, and the last of them says so. It runs in a process of its
    own. Raises DocumentError for a file that has no layers or cannot be read.
    """
    import pandas as pd
    from pyogrio.errors import DataLayerError, DataSourceError

    from data.uploads.errors import UploadError

    size = path.stat().st_size
    if size > MOST_BYTES:
        raise DocumentError(
            f"{path.name} has {size:,} bytes, and {MOST_BYTES:,} at most are read back; what it was made of "
            "is told by its own name."
        )
    told = []
    try:
        parts = _parts(path)
        for name, read in parts[:MOST_LAYERS]:
            called = f"{path.name}: {name}" if name else path.name
            told.append(_told(called, handle, read()))
    except (DataSourceError, DataLayerError, UploadError, pd.errors.EmptyDataError, ValueError, OSError,
            KeyError) as error:  # fmt: skip
        why = one_line(str(error)).rstrip(".")[:200]
        raise DocumentError(f"{path.name} cannot be read back: {why}.") from error
    if left := [name for name, _ in parts[MOST_LAYERS:]]:
        said = f"Left out here: {number_of(len(left), 'more layer')} of the file ({listed(left, 12)})."
        told[-1]["notes"] = [*told[-1].get("notes", ()), said]
    return told


def can_be_read_back(path: Path) -> bool:
    """Whether a file has an ending of those that are read back."""
    return path.suffix in _READERS


def _told(name: str, handle: str, read: _Read | dict[str, Any]) -> dict[str, Any]:
    if isinstance(read, dict):
        return {"id": handle, "name": name, **read}
    told = frame_told(name, handle, read.frame) | read.more
    for column in told["columns"]:
        if column["name"] in read.types:
            column["in_file"] = read.types[column["name"]]
    return told | ({"notes": list(read.notes)} if read.notes else {})


def _parts(path: Path) -> list[_Part]:
    return _READERS.get(path.suffix, _layered)(path)


def _csv(path: Path) -> list[_Part]:
    import pandas as pd

    # An empty cell alone is no value: NA is Namibia's code.
    return [("", lambda: _Read(pd.read_csv(path, keep_default_na=False, na_values=[""])))]


def _xlsx(path: Path) -> list[_Part]:
    import pandas as pd

    with pd.ExcelFile(path, engine="openpyxl") as book:
        names = [str(each) for each in book.sheet_names]

    def sheet(name: str) -> _Read:
        return _Read(pd.read_excel(path, sheet_name=name, keep_default_na=False, na_values=[""]))

    return [(name if len(names) > 1 else "", partial(sheet, name)) for name in names]


def _parquet(path: Path) -> list[_Part]:
    import pandas as pd
    import pyarrow.parquet as pq

    from data.vector.files import read_geoparquet
    from tools.data.retyping import type_word

    schema = pq.read_schema(path)
    types = {each.name: type_word(each.type) for each in schema}
    read = read_geoparquet if b"geo" in (schema.metadata or {}) else pd.read_parquet
    return [("", lambda: _Read(read(path), types))]


def _layered(path: Path) -> list[_Part]:
    import pyogrio

    names = [str(name) for name, _ in pyogrio.list_layers(path)]
    return [(name if len(names) > 1 else "", partial(_layer, path, name)) for name in names]


def _layer(path: Path, name: str, **options: str) -> _Read:
    import geopandas as gpd
    import pyogrio

    about = pyogrio.read_info(path, layer=name, **options)
    kinds = zip(about["fields"], about["ogr_types"], about["ogr_subtypes"], strict=True)
    types = {str(each): _SUBTYPES.get(sub) or _TYPES.get(kind, kind) for each, kind, sub in kinds}
    return _Read(gpd.read_file(path, layer=name, **options), types)


def _days_as_text(path: Path) -> _Read:
    """A GeoJSON's features; what looks like a day is a text there, as JSON has no days."""
    import pyogrio

    name = str(pyogrio.list_layers(path)[0][0])
    return _layer(path, name, DATE_AS_STRING="YES")


def _collection(path: Path, value: dict[str, Any], features: list[dict[str, Any]]) -> _Read:
    """The features of a GeoJSON, with the members beside them and the ids that they have."""
    frame = _days_as_text(path).frame
    own = {key for each in features for key in each.get("properties") or {}}
    # The reader makes the features' own ids a column, which is none of their properties.
    frame = frame.drop(columns=[each for each in frame.columns if each == "id" and each not in own])
    beside = {key: each for key, each in value.items() if key not in _OF_COLUMNS}
    ids = [each["id"] for each in features if each.get("id") is not None]
    different = len({json.dumps(each) for each in ids})
    more = {"members": _members(beside), "feature_ids": {"features": len(ids), "different": different}}
    members = _members_said(beside)
    notes = [f"Beside its features stand {members}." if beside else "No member stands beside its features."]
    shown = listed([one_line(str(each))[:40] for each in ids[:_SHOWN_IDS]])
    notes.append(
        f"{len(ids):,} of its {number_of(len(features), 'feature')} have an id, {different:,} different, "
        f"such as {shown}."
        if ids
        else "Its features have no id."
    )
    return _Read(frame, more=more, notes=tuple(notes))


def _json(path: Path) -> list[_Part]:
    """A GeoJSON's features, a list of records as a table; any other JSON is told as what it is."""
    from data.documents.structured import MAX_JSON_BYTES, read_json, records_of

    if path.suffix == ".geojson" and path.stat().st_size > MAX_JSON_BYTES:
        said = f"What stands beside its features is not told, as it has over {MAX_JSON_BYTES:,} bytes."
        return [("", lambda: replace(_days_as_text(path), notes=(said,)))]
    value = read_json(path)
    if (rows := records_of(value)) is not None:
        return [("", partial(_records, value, rows))]
    features = value.get("features") if isinstance(value, dict) else None
    if features and isinstance(features, list) and value.get("type") == "FeatureCollection":
        return [("", partial(_collection, path, value, features))]
    return [("", partial(_outlined, value))]


def _records(value: list[dict[str, Any]], rows: list[dict[str, Any]]) -> _Read:
    import pandas as pd

    kinds: dict[type, str] = {list: "list", dict: "object"}
    types = {str(key): kinds[type(cell)] for row in value for key, cell in row.items() if type(cell) in kinds}
    return _Read(pd.DataFrame(rows), types)


def _outlined(value: Any) -> dict[str, Any]:
    """A JSON value that has no rows: what it is, and its top members."""
    from data.documents.structured import outline

    if not isinstance(value, dict):
        return {"json": outline(value)}
    said = f"Its members: {_members_said(value)}." if value else "It has no members."
    return {"json": outline(value), "members": _members(value), "notes": [said]}


def _members(value: Mapping[str, Any]) -> dict[str, str]:
    """What each member is, of the first of them: in full where that is short."""
    from data.documents.structured import outline

    told = {}
    for key, each in list(value.items())[:_MOST_MEMBERS]:
        text = json.dumps(each, ensure_ascii=False)
        told[one_line(str(key))[:60]] = text if len(text) <= _MEMBER_CHARS else outline(each)
    return told


def _members_said(value: Mapping[str, Any]) -> str:
    said = [f"{key} {one_line(each)}" for key, each in _members(value).items()]
    return listed(said, _MOST_MEMBERS, len(value))


def _zip(path: Path) -> list[_Part]:
    """Each layer of each file in an archive; what has none is named in a note of the last."""
    from data.uploads.archive import extract

    files = sorted(extract(path, Path(mkdtemp())))
    shapes = {each.with_suffix("") for each in files if each.suffix == ".shp"}
    parts: list[_Part] = []
    for file in files:
        if file.suffix == ".dbf" and file.with_suffix("") in shapes:
            continue
        if file.suffix in _IN_ARCHIVES:
            found = _parts(file)
            parts += [(f"{file.stem}: {name}" if name else file.stem, read) for name, read in found]
    if not parts:
        names = listed([one_line(each.name) for each in files], 12)
        raise DocumentError(f"{path.name} holds no layers: {names or 'it is empty'}.")
    return parts


_READERS: dict[str, Callable[[Path], list[_Part]]] = {
    ".csv": _csv, ".xlsx": _xlsx, ".parquet": _parquet, ".geoparquet": _parquet, ".json": _json,
    ".geojson": _json, ".gpkg": _layered, ".fgb": _layered, ".kml": _layered, ".zip": _zip,
}  # fmt: skip
_IN_ARCHIVES = frozenset(_READERS) - {".zip"} | {".shp", ".dbf"}
