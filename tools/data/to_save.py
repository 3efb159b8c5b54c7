"""What is to be saved, as it is stored: all rows, their own columns in exact types, their shapes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from state.codec import canonical, filters_to_json
from state.model import Artifact, State
from tools.artifacts import FEATURES, newest_named
from tools.base import ToolError, World
from tools.data.pages import pages
from tools.data.provenance import source_infos
from tools.data.retyping import retyped, type_word
from tools.data.source import column_in
from tools.phrases import listed, number_of
from tools.row_shapes import geometries
from tools.rows import load_table
from tools.tables import OUTLINES
from tools.vectors import DRAWINGS, SELECTION, vector_of

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    import pyarrow as pa
    from pyproj import CRS

Shapes = NDArray[np.object_]
GEOMETRY = "geometry"
_SHAPE_WORDS = frozenset({"geometry", "geom", "the_geom", "wkb_geometry"})
_SINGLE = {"Point": "MultiPoint", "LineString": "MultiLineString", "Polygon": "MultiPolygon"}


@dataclass(frozen=True)
class Rows:
    """The rows of one layer that is to be saved."""

    handle: str
    name: str
    key: str
    table: pa.Table
    """The own columns, without the shapes."""
    shapes: Shapes | None = None
    """A shape a row, None for a row without a place; None where the rows have none at all."""
    crs: CRS | None = None
    placed: bool = False
    """Whether shapes are what they are, and not only made of two of their columns."""
    ids: str | None = None
    """The column of the features' ids, which GeoJSON has beside the properties."""
    as_text: frozenset[str] = frozenset()
    """Columns that were asked for as text: JSON in them stays text."""
    said: tuple[str, ...] = ()
    """What was changed on the way."""

    @property
    def count(self) -> int:
        """How many rows there are: a table without a column does not know."""
        return self.table.num_rows if self.shapes is None else len(self.shapes)

    def with_wkb(self, column: str) -> pa.Table:
        """The table with its shapes as WKB behind its columns."""
        import pyarrow as pa

        wkb = pa.array(shapely.to_wkb(self.shapes), pa.binary())
        return self.table.append_column(column, wkb) if self.table.num_columns else pa.table({column: wkb})

    def taken(self, index: NDArray[np.intp], shapes: Shapes) -> Rows:
        """The rows of that index, with other shapes."""
        table = self.table.take(index) if self.table.num_columns else self.table
        return replace(self, table=table, shapes=shapes)

    def telling(self, *sentences: str, **changes: Any) -> Rows:
        """The rows with those parts replaced, and more said of them."""
        return replace(self, said=(*self.said, *(each for each in sentences if each)), **changes)


@dataclass(frozen=True)
class Layer:
    """One layer of the file."""

    name: str
    rows: Rows
    as_text: bool = False
    """Whether shapes were asked for, where the format has them only as text."""
    as_object: bool = False
    """Whether JSON has its one row as an object, and not a list of it."""


def rows_to_save(state: State, world: World, handle: str) -> Rows:
    """All rows of features, a table, a layer, the selection or the drawings. Raises ToolError."""
    artifact = state.artifact(handle) or newest_named(state.artifacts, handle)
    layer = state.layer(handle) or newest_named(state.map.layers, handle)
    if artifact is None and layer is not None and layer.artifact is not None:
        artifact = state.artifact(layer.artifact)
    if artifact is not None:
        return _of_artifact(state, world, artifact)
    if layer is not None and layer.kind != "raster":
        found = vector_of(state, world, layer.id)
        return _of_frame(found.handle, found.name, found.key, found.frame)
    if handle == SELECTION:
        return _selected(state, world)
    if handle in (DRAWINGS, "drawing"):
        found = vector_of(state, world, DRAWINGS)
        return _of_frame(DRAWINGS, "drawings", found.key, found.frame)
    raise ToolError(_unknown(state, handle))


def with_columns(rows: Rows, asked: Sequence[Mapping[str, Any]] | None, ids: str | None = None) -> Rows:
    """The rows with the asked columns in the asked order, names and types. Raises ToolError.

    `ids` is the column of the features' own ids, by its name in `rows` or by the one that it gets.
    """
    import pandas as pd
    import pyarrow as pa

    header = pd.DataFrame(columns=rows.table.column_names)
    if ids is not None and asked is not None:
        called = {each["name"]: each.get("as") or each["name"] for each in asked}
        asked = asked if ids in (*called, *called.values()) else [{"name": ids}, *asked]
        ids = called.get(ids, ids)
    if asked is None:
        return replace(rows, ids=None if ids is None else column_in(header, ids))
    names: list[str] = []
    columns: list[Any] = []
    texts: set[str] = set()
    said: list[str] = []
    for wanted in asked:
        if wanted["name"].casefold() in _SHAPE_WORDS - {name.casefold() for name in header.columns}:
            continue  # the shapes come along, or not, by `geometry`
        own = column_in(header, wanted["name"])
        name = wanted.get("as") or own
        if name in names:
            raise ToolError(f"Two columns would be called {name!r}; give one of them another name in `as`.")
        column = rows.table.column(own)
        if (kind := wanted.get("type")) is not None:
            before = type_word(column.type)
            column, lost = retyped(column, kind, name)
            if lost or before != type_word(column.type):
                said.append(f"{name} was {before} and is {type_word(column.type)}{lost}")
            texts |= {name} if kind == "text" else set()
        names.append(name)
        columns.append(column)
    table = pa.table(columns, names=names) if columns else rows.table.select([])
    return rows.telling(*said, table=table, as_text=frozenset(texts), ids=ids)


def with_parts(rows: Rows, geometry: str) -> Rows:
    """The rows with single parts, multi parts, their shapes as they are, or none."""
    if geometry == "none":
        return replace(rows, shapes=None, crs=None, placed=False)
    if rows.shapes is None or geometry == "keep":
        return rows
    if geometry == "multi":
        shapes = rows.shapes.copy()
        kinds = shapely.get_type_id(shapes)
        for at in np.flatnonzero(np.isin(kinds, (0, 1, 3))):
            parts = [] if shapes[at].is_empty else [shapes[at]]
            shapes[at] = getattr(shapely, _SINGLE[shapes[at].geom_type])(parts)
        return replace(rows, shapes=shapes)
    from data.vector.by_row import parts_of  # of PROJ, which a list of tools does without

    of_row, shapes = parts_of(rows.shapes)
    said = ""
    if len(of_row) != len(rows.shapes):
        said = f"{number_of(len(rows.shapes), 'row')} became {len(of_row):,}, one for each single part"
    return rows.taken(of_row, shapes).telling(said)


def kinds_of(shapes: Shapes) -> list[str]:
    """The types of shapes that there are, the most frequent first; Z of those with heights."""
    there = shapes[~shapely.is_missing(shapes)]
    names = [f"{each.geom_type}{' Z' if each.has_z else ''}" for each in there] if len(there) < 1000 else None
    if names is None:
        pairs, counts = np.unique(
            np.column_stack([shapely.get_type_id(there), shapely.has_z(there)]), axis=0, return_counts=True
        )
        order = np.argsort(-counts, kind="stable")
        return [_kind(int(pairs[each][0]), bool(pairs[each][1])) for each in order]
    found = {each: names.count(each) for each in dict.fromkeys(names)}
    return sorted(found, key=lambda each: -found[each])


def _kind(number: int, has_z: bool) -> str:
    name = shapely.GeometryType(number).name.title().replace("_", "")
    known = {"Linestring": "LineString", "Linearring": "LinearRing", "Multipoint": "MultiPoint",
             "Multilinestring": "MultiLineString", "Multipolygon": "MultiPolygon",
             "Geometrycollection": "GeometryCollection"}  # fmt: skip
    return f"{known.get(name, name)}{' Z' if has_z else ''}"


def _of_artifact(state: State, world: World, artifact: Artifact) -> Rows:
    if artifact.kind not in (*FEATURES, "table"):
        frame = load_table(state, world, artifact.id)  # a chart's values; anything else is refused
        return _of_frame(artifact.id, artifact.name, artifact.id, frame)
    path = world.artifacts.find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    table, shapes, crs = _read(path)
    rows = Rows(artifact.id, artifact.name, artifact.id, table, shapes, crs, shapes is not None)
    return rows if artifact.kind in FEATURES else _placed(rows)


def _read(path: Path) -> tuple[pa.Table, Shapes | None, CRS | None]:
    """What a file of the session's holds: its columns as they are stored, its shapes, their system."""
    from pyogrio.errors import DataSourceError

    try:
        return _parquet(path) if path.suffix in (".parquet", ".geoparquet") else _other(path)
    except (ValueError, OSError, DataSourceError) as error:
        raise ToolError(f"{path.name} cannot be read any more; make it again.") from error


def _parquet(path: Path) -> tuple[pa.Table, Shapes | None, CRS | None]:
    import pyarrow.parquet as pq

    from data.vector.files import read_geoparquet, stored_crs

    table = pq.read_table(path)
    about = table.schema.metadata or {}
    geo = json.loads(about.get(b"geo", b"{}"))
    index = json.loads(about.get(b"pandas", b"{}")).get("index_columns", [])
    own = [each for each in table.column_names if each not in index]
    primary = geo.get("primary_column")
    if primary is None:
        return plain_types(table.select(own)), None, None
    column = geo["columns"][primary]
    if column.get("encoding") != "WKB":
        frame = read_geoparquet(path)
        return _attributes(frame), np.asarray(frame.geometry.array, dtype=object), frame.crs
    shapes = shapely.from_wkb(table.column(primary).to_numpy())
    crs = stored_crs(json.dumps(column.get("crs", "OGC:CRS84")))
    return plain_types(table.select([each for each in own if each != primary])), shapes, crs


def _other(path: Path) -> tuple[pa.Table, Shapes | None, CRS | None]:
    import pyogrio
    from pyproj import CRS

    about, table = pyogrio.read_arrow(path)
    column = about["geometry_name"] or "wkb_geometry"
    crs = CRS.from_user_input(about["crs"]) if about["crs"] else None
    if column not in table.column_names:
        return plain_types(table), None, None
    shapes = shapely.from_wkb(table.column(column).to_numpy())
    return plain_types(table.drop_columns([column])), shapes, crs


def _attributes(frame: gpd.GeoDataFrame | pd.DataFrame) -> pa.Table:
    import geopandas as gpd
    import pyarrow as pa

    plain = frame.drop(columns=frame.geometry.name) if isinstance(frame, gpd.GeoDataFrame) else frame
    return plain_types(pa.Table.from_pandas(plain.rename(columns=str), preserve_index=False))


def _of_frame(handle: str, name: str, key: str, frame: gpd.GeoDataFrame | pd.DataFrame) -> Rows:
    import geopandas as gpd

    if isinstance(frame, gpd.GeoDataFrame):
        shapes = np.asarray(frame.geometry.array, dtype=object)
        return Rows(handle, name, key, _attributes(frame), shapes, frame.crs, placed=True)
    return _placed(Rows(handle, name, key, _attributes(frame)))


def _selected(state: State, world: World) -> Rows:
    import pyarrow as pa

    from tools.data.exports import arrow_columns

    infos = source_infos(state, world, None)
    tables, shapes = [], []
    for page in pages(state, world, None)[1]:
        shapes.append(geometries(page))
        tables.append(arrow_columns(page, infos))
    database = state.database
    parts = canonical([database.loaded, filters_to_json(database.filters)])
    key = sha256(parts.encode()).hexdigest()[:12]
    table = plain_types(pa.concat_tables(tables, promote_options="permissive"))
    return Rows(SELECTION, SELECTION, key, table, np.concatenate(shapes), _degrees(), placed=True)


def _placed(rows: Rows) -> Rows:
    """A table with the places that its columns tell: outlines, sides of boxes, or lon and lat, in degrees."""
    import pyarrow as pa

    names = rows.table.column_names
    outlined = OUTLINES in names and pa.types.is_binary(rows.table.schema.field(OUTLINES).type)
    sides = [each for each in ("lon", "lat", "west", "south", "east", "north") if each in names]
    needed = rows.table.select([*sides, *([OUTLINES] if outlined else [])])
    plain = rows.table.drop_columns([OUTLINES]) if outlined else rows.table
    try:
        shapes = geometries(needed.to_pandas())
    except (ToolError, ValueError, TypeError):  # no places, or text in their columns
        return replace(rows, table=plain)
    return replace(rows, table=plain, shapes=shapes, crs=_degrees(), placed=outlined)


def plain_types(table: pa.Table) -> pa.Table:
    """The same values in types that every format has a word for; not-a-number is no value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, field in enumerate(table.schema):
        column, kind = table.column(at), field.type
        if isinstance(kind, pa.BaseExtensionType):
            column, kind = pa.chunked_array([each.storage for each in column.chunks], kind.storage_type), None
        elif pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        if pa.types.is_large_string(column.type) or pa.types.is_null(column.type):
            column = column.cast(pa.string())
        elif str(column.type) in ("string_view", "large_binary", "binary_view"):
            column = column.cast(pa.string() if "string" in str(column.type) else pa.binary())
        elif pa.types.is_duration(column.type):
            column = pa.chunked_array([pa.array([None if each is None else str(each) for each in
                                                 column.to_pylist()], pa.string())])  # fmt: skip
        elif pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        if column is not table.column(at):
            table = table.set_column(at, field.name, column)
    return table.replace_schema_metadata(None)


def _degrees() -> CRS:
    from pyproj import CRS

    return CRS.from_epsg(4326)


def _unknown(state: State, asked: str) -> str:
    there = [each for each in state.artifacts if each.kind in (*FEATURES, "table", "figure")]
    layers = [each for each in state.map.layers if each.kind != "raster" and each.artifact is None]
    known = [*(each.id for each in there), *(each.id for each in layers)]
    names = [*(each.name for each in there), *(each.name for each in layers)]
    near = get_close_matches(asked, [*names, *known, SELECTION, DRAWINGS], n=1)
    problem = f"There is nothing to save that is called {asked[:60]!r}."
    if near:
        return f"{problem} Did you mean {near[0]!r}?"
    return f"{problem} There are {listed([repr(each) for each in [*known[-6:], SELECTION, DRAWINGS]])}."
