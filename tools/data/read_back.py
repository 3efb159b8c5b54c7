"""Files that were saved here, read back as another program reads them: all their layers, told as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from data.documents.errors import DocumentError
from data.members import json_type, members_of, members_said
from tools.data.flattening import free_name
from tools.data.layers_told import frame_told
from tools.phrases import listed, number_of, one_line
from tools.tables import have_shapes

if TYPE_CHECKING:
    import pandas as pd

MOST_LAYERS = 20
MOST_BYTES = 200_000_000
_MOST_MEMBERS = 40
_MEMBER_CHARS = 200
_NO_TYPES = "A CSV has no types: each column is text, and what its texts mean is told beside it."
_SHOWN_IDS = 3
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

    def read() -> _Read:
        # An empty cell alone is no value: NA is Namibia's code.
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
        return _Read(frame, notes=(_NO_TYPES,))

    return [("", read)]


def _xlsx(path: Path) -> list[_Part]:
    import pandas as pd

    with pd.ExcelFile(path, engine="openpyxl") as book:
        names = [str(each) for each in book.sheet_names]

    def sheet(name: str) -> _Read:
        frame = pd.read_excel(path, sheet_name=name, dtype=object, keep_default_na=False, na_values=[""])
        for column in frame.columns:
            # Whole numbers with gaps stay whole.
            whole = pd.api.types.infer_dtype(frame[column], skipna=True) == "integer"
            frame[column] = frame[column].astype("Int64") if whole else frame[column].infer_objects()
        return _Read(frame)

    return [(name if len(names) > 1 else "", partial(sheet, name)) for name in names]


def _parquet(path: Path) -> list[_Part]:
    import pyarrow.parquet as pq

    from data.uploads.frames import exact_frame
    from data.vector.files import read_geoparquet
    from tools.data.retyping import type_word

    table = pq.read_table(path)
    types = {each.name: type_word(each.type) for each in table.schema}
    if b"geo" not in (table.schema.metadata or {}):
        return [("", lambda: _Read(exact_frame(table), types))]

    def features() -> _Read:
        frame = read_geoparquet(path)
        shapes = [name for name in frame.columns if str(frame[name].dtype) == "geometry"]
        exact = exact_frame(table.drop_columns(shapes))
        for name in exact.columns:
            frame[name] = exact[name]
        return _Read(frame, types)

    return [("", features)]


def _layered(path: Path) -> list[_Part]:
    import pyogrio

    names = [str(name) for name, _ in pyogrio.list_layers(path)]
    return [(name if len(names) > 1 else "", partial(_layer, path, name)) for name in names]


def _layer(path: Path, name: str, **options: str) -> _Read:
    """The rows of a layer with the values that the file has: days, whole numbers with gaps, lists."""
    import geopandas as gpd
    import pandas as pd
    import pyogrio
    import shapely

    from data.uploads.declared import field_types
    from data.uploads.frames import exact_frame, moments_in

    about = pyogrio.read_info(path, layer=name, **options)
    types = field_types(about)
    # GDAL's Arrow stream breaks down on a FlatGeobuf's times as texts, and on its rows without a shape.
    times = [each for each, kind in types.items() if kind == "time"]
    plain = [each for each in types if each not in times]
    meta, _, wkb, cells = pyogrio.raw.read(
        path, layer=name, columns=times, datetime_as_string=True, **options
    )
    count = len(wkb) if wkb is not None else len(cells[0]) if times else max(0, about["features"])
    frame = pd.DataFrame(index=range(count))
    if plain:
        _, table = pyogrio.read_arrow(path, layer=name, columns=plain, read_geometry=False, **options)
        frame = exact_frame(table.select(plain))
    for each, texts in zip(meta["fields"], cells, strict=True):
        frame[str(each)] = moments_in(pd.Series(texts, dtype=object))
    frame = frame[list(types)]
    if wkb is None:
        return _Read(frame, types)
    shapes = shapely.from_wkb(wkb, on_invalid="ignore")
    place = free_name("geometry", list(frame.columns))
    frame[place] = gpd.GeoSeries(shapes, index=frame.index, crs=meta["crs"])
    return _Read(gpd.GeoDataFrame(frame, geometry=place), types)


def _days_as_text(path: Path) -> _Read:
    """A GeoJSON's features; what looks like a day is a text there, as JSON has no days.

    One that names no system is in EPSG:4326, though GDAL calls it EPSG:4979 where it has heights.
    """
    import pyogrio

    from data.readers.files import head
    from data.uploads.vectors import crs_member

    name = str(pyogrio.list_layers(path)[0][0])
    read = _layer(path, name, DATE_AS_STRING="YES")
    if have_shapes(read.frame) and crs_member(head(path)) is None:
        return replace(read, frame=read.frame.set_crs("EPSG:4326", allow_override=True))
    return read


def _collection(path: Path, value: dict[str, Any], features: list[dict[str, Any]]) -> _Read:
    """The features of a GeoJSON, with the members beside them and the ids that they have."""
    frame, types = _with_properties(_days_as_text(path).frame, features)
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
    return _Read(frame, types, more, tuple(notes))


def _with_properties(
    frame: pd.DataFrame, features: list[dict[str, Any]]
) -> tuple[pd.DataFrame, dict[str, str]]:
    """The features with their properties as the file has them, and the types of these.

    GDAL's reader guesses types, and makes the features' own ids a column, which is none of their properties.
    """
    import geopandas as gpd

    from data.uploads.frames import exact_records

    rows = [each.get("properties") or {} for each in features]
    if len(rows) != len(frame) or not have_shapes(frame):  # what GDAL leaves out
        own = {key for row in rows for key in row}
        return frame.drop(columns=[each for each in frame.columns if each == "id" and each not in own]), {}
    exact = exact_records(rows).reindex(range(len(rows)))
    place = free_name("geometry", [str(each) for each in exact.columns])
    exact[place] = gpd.GeoSeries(frame.geometry.to_numpy(), crs=frame.crs)
    return gpd.GeoDataFrame(exact, geometry=place), _types_of(rows)


def _types_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The types that the members of records have in JSON: `integer or text`."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for key, cell in row.items():
            found.setdefault(str(key), {})[json_type(cell)] = None
    return {key: " or ".join(_words(kinds)) for key, kinds in found.items()}


def _words(kinds: Mapping[str, None]) -> list[str]:
    """Types without what holds for a part of them: whole numbers among others, and what has no value."""
    few = [each for each in kinds if each != "null" and not (each == "integer" and "number" in kinds)]
    return few or ["null"]


def _json(path: Path) -> list[_Part]:
    """A GeoJSON's features, a list of records as a table; any other JSON is told as what it is."""
    from data.documents.structured import MAX_JSON_BYTES, read_json, records_of

    if path.suffix == ".geojson" and path.stat().st_size > MAX_JSON_BYTES:
        said = f"What stands beside its features is not told, as it has over {MAX_JSON_BYTES:,} bytes."
        return [("", lambda: replace(_days_as_text(path), notes=(said,)))]
    value = read_json(path)
    if records_of(value) is not None:
        return [("", partial(_records, value))]
    features = value.get("features") if isinstance(value, dict) else None
    if features and isinstance(features, list) and value.get("type") == "FeatureCollection":
        return [("", partial(_collection, path, value, features))]
    return [("", partial(_outlined, value))]


def _records(value: list[dict[str, Any]]) -> _Read:
    from data.uploads.frames import exact_records

    return _Read(exact_records(value), _types_of(value))


def _outlined(value: Any) -> dict[str, Any]:
    """A JSON value that has no rows: what it is, and its top members."""
    if not isinstance(value, dict):
        return {"json": _value_told(value)}
    from data.documents.structured import outline

    said = f"Its members: {_members_said(value)}." if value else "It has no members."
    return {"json": outline(value), "members": _members(value), "notes": [said]}


def _members(value: Mapping[str, Any]) -> dict[str, str]:
    """What each member is, of the first of them: in full where that is short."""
    told = {}
    for key, each in list(value.items())[:_MOST_MEMBERS]:
        text = json.dumps(each, ensure_ascii=False)
        told[one_line(str(key))[:60]] = text if len(text) <= _MEMBER_CHARS else _value_told(each)
    return told


def _value_told(value: Any) -> str:
    """`a list of 18 objects (the first {"name": "A", …; their members: name text 'A', n integer 3)`."""
    from data.documents.structured import outline

    found = members_of(value if isinstance(value, list) else [value])
    several = any(each["path"] or len(each["types"]) > 1 for each in found.told)
    inner = members_said(found) if several else ""
    parts = []
    if isinstance(value, list) and value:
        first = json.dumps(value[0], ensure_ascii=False)
        parts.append(f"the first {first[:_MEMBER_CHARS]}{'…' if len(first) > _MEMBER_CHARS else ''}")
    if inner:
        parts.append(f"their members: {inner}" if isinstance(value, list) else f"its members: {inner}")
    return outline(value) + (f" ({'; '.join(parts)})" if parts else "")


def _members_said(value: Mapping[str, Any]) -> str:
    from data.documents.text import tidy

    said = [f"{key} {' '.join(tidy(each).split())}" for key, each in _members(value).items()]
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
