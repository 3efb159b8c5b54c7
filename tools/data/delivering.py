"""Files that somebody else's program takes: layers and tables in one, or a document as it is given."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Required, TypeVar

from pydantic import BeforeValidator, ConfigDict, Field
from typing_extensions import TypedDict  # of 3.12, which pydantic needs

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.composing import csv_text, geojson_text, json_text, plain_text
from tools.data.provenance import azimuth_version, provenance
from tools.data.retyping import type_word
from tools.data.to_save import Layer, Rows, kinds_of, rows_to_save, with_columns, with_parts
from tools.data.writing import WAYS, Way
from tools.kept import BESIDE, safe_file_name
from tools.phrases import listed, number_of, one_line
from tools.vectors import DRAWINGS

if TYPE_CHECKING:
    from pyproj import CRS

MAX_LAYERS = 50
_SHOWN_COLUMNS = 20
_ECHOED = 400
"""How much of a written document is told."""
_RESERVED = frozenset({"type", "features", "crs"})
_T = TypeVar("_T")
_STRICT = ConfigDict(extra="forbid")

_TYPE_WORDS = {
    "int": "integer", "int64": "integer", "long": "integer", "float": "number", "double": "number",
    "real": "number", "float64": "number", "string": "text", "str": "text", "bool": "boolean",
    "datetime": "time", "timestamp": "time",
}  # fmt: skip
"""What programs call the types."""


def _column(value: Any) -> Any:
    """A column by its name alone, or with a type as programs call it."""
    if isinstance(value, str):
        return {"name": value}
    if isinstance(value, Mapping) and isinstance(kind := value.get("type"), str):
        return {**value, "type": _TYPE_WORDS.get(kind.casefold(), kind)}
    return value


def _layers(value: Any) -> Any:
    """One layer that stands alone, or by its name alone, as a list of it."""
    several = value if isinstance(value, list) else [value]
    return [{"from": each} if isinstance(each, str) else each for each in several]


FileName = Annotated[
    str,
    Field(min_length=1, max_length=200, description="The file's name; its ending is the format."),
]
SavedName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="The file's name; its ending is the format: .gpkg .geojson .parquet .fgb .shp.zip .kml "
        ".csv .xlsx .json (records; lists and structs of a query stay nested).",
    ),
]
_ColumnParts = TypedDict(
    "_ColumnParts",
    {
        "name": Required[Annotated[str, Field(min_length=1, max_length=200, description="Its name there.")]],
        "as": Annotated[str | None, Field(max_length=200, description="What it is called in the file.")],
        "type": Annotated[
            Literal["text", "integer", "number", "boolean", "date", "time"] | None,
            Field(description="The type it is converted to."),
        ],
    },
    total=False,
)
_ColumnParts.__pydantic_config__ = _STRICT  # type: ignore[attr-defined]
_Parts = TypedDict(
    "_Parts",
    {
        "from": Required[
            Annotated[
                str,
                Field(
                    min_length=1,
                    max_length=200,
                    description="Features, a table or a layer by id or name, 'selection' or 'drawings'.",
                ),
            ]
        ],
        "layer": Annotated[str | None, Field(max_length=100, description="What the layer is called.")],
        "columns": Annotated[
            list[Annotated[_ColumnParts, BeforeValidator(_column)]] | None,
            Field(max_length=2000, description="Which, in this order and no others; all when left out."),
        ],
        "crs": Annotated[
            str | None,
            Field(
                max_length=8000,
                description="EPSG:32631, a name, utm, equal area, national grid of Egypt; as stored else.",
            ),
        ],
        "geometry": Annotated[
            Literal["keep", "multi", "single", "none"] | None,
            Field(description="Shapes as they are, all multi, a row a single part, or none."),
        ],
        "id": Annotated[
            str | None,
            Field(max_length=200, description="GeoJSON: the column that becomes the features' own id."),
        ],
        "rows": Annotated[
            Literal["list", "object"] | None,
            Field(description="JSON: rows as a list of records, or its one row as an object."),
        ],
    },
    total=False,
)
_Parts.__pydantic_config__ = _STRICT  # type: ignore[attr-defined]


@tool("data", changes_state=True, gives=("document",), long_running=True)
def save_file(
    state: State,
    world: World,
    *,
    name: SavedName,
    layers: Annotated[
        list[_Parts],
        BeforeValidator(_layers),
        Field(
            min_length=1,
            max_length=MAX_LAYERS,
            description="What goes in, a layer each: {from, layer, columns: [{name, as, type}], crs, "
            "geometry: keep, multi, single or none, id, rows}; all but `from` may be left out.",
        ),
    ],
    members: Annotated[
        dict[str, Any] | None,
        Field(max_length=100, description="GeoJSON and JSON: members beside the rows, such as a count."),
    ] = None,
) -> Step:
    """Save layers, tables, results or the selection as one file to hand on, under a name of its own.

    The name's ending is the format: .gpkg (several layers, each in its own system), .geojson (RFC 7946),
    .parquet, .fgb, .shp.zip, .kml, .csv, .xlsx (a sheet a layer), .json (a list of records; with members or
    several layers an object that has them by name). All rows, the asked columns and no others, in that order,
    under those names and types; ids, nulls and the order of rows stay. Shapes are left out of .csv, .xlsx and
    .json unless `geometry` asks for them. Where the rows came from stands in a file beside it. What was
    changed, or the format cannot hold, is said.

    Example: copilot call save_file name=harbours.gpkg layers='[{"from": "vector-1a2b3c", "crs": "utm"}]'

    Asked as: save the result as a GeoPackage | write it to parks.geojson | deliver the layers as one gpkg
    with three layers | give me a file with only the columns id and name | save as GeoParquet | shapefile of
    the layer please | write the table to results.csv | a typed Parquet file
    """
    plain, way, renamed = _named(name, WAYS, ".gpkg")
    call = Call.of(save_file, name=name, layers=layers, members=members)
    _check_members(members, way)
    if len(layers) > 1 and not way.many:
        raise ToolError(
            f"{way.title} holds one layer, and {len(layers)} are given; .gpkg and .xlsx hold several."
        )
    made = [_layer(state, world, each, way) for each in layers]
    _check_names(made)
    inputs = [_Source(each.rows.handle, each.rows.name, each.rows.key) for each in made]
    rows = sum(each.rows.count for each in made)
    artifact = call.artifact("document", state, plain, f"{number_of(rows, 'row')} as {way.title}", inputs)
    path = world.artifacts.named(artifact.id, plain)
    lost = _written(path, lambda target: way.write(target, made, members or {}))
    about = _about(state, world, plain, made, call)
    beside = path.with_name(f"{path.name}{BESIDE}")
    beside.write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")
    told = [_told(each) for each in made]
    notes = [*renamed, *_changes(made), *lost]
    facts = {
        "document": artifact.id, "name": path.name, "path": str(path), "format": way.title, "rows": rows,
        "bytes": path.stat().st_size, "layers": told, "notes": notes, "provenance": beside.name,
    }  # fmt: skip
    said = [f"Wrote {path.name} ({way.title}, {facts['bytes']:,} bytes).", *map(_in_words, told)]
    said += [f"What was changed: {'; '.join(notes)}."] if notes else []
    said += [
        f"Its rows are {each}." for each in dict.fromkeys(x["note"] for x in about["layers"] if "note" in x)
    ]
    told_members = json.dumps(members, ensure_ascii=False)[:_ECHOED]
    said += [f"Members beside the rows: {told_members}."] if members else []
    said.append(f"The document is {artifact.id}; where it came from is in {beside.name}.")
    return Step(state.with_artifact(artifact), " ".join(said), facts)


@tool("data", changes_state=True, gives=("document",))
def write_file(
    state: State,
    world: World,
    *,
    name: FileName,
    content: Annotated[
        str | list[Any] | dict[str, Any] | int | float | bool,
        Field(description="The text, or the value that the JSON file holds; of .csv a list of records."),
    ],
) -> Step:
    """Write a document that was put together here: JSON of any shape, GeoJSON, CSV, or a text.

    The name's ending is the format: .json, .geojson, .csv, .txt or .md; a call takes 256 KiB at most. JSON
    is checked and written with its keys in their order. For rows of a layer or a table, save_file writes
    all of them.

    Example: copilot call write_file name=summary.json content='{"count": 12, "total_ha": 340.5}'

    Asked as: write a JSON file with the keys count and total | make a manifest.json | put that in a text
    file | save the summary as JSON | write these records to a csv | a markdown file with what we found
    """
    writers: dict[str, Callable[[Any], tuple[str, str]]] = {
        ".json": json_text, ".geojson": geojson_text, ".csv": csv_text, ".txt": plain_text, ".md": plain_text,
    }  # fmt: skip
    plain, write, renamed = _named(name, writers, ".json")
    text, what = write(content)
    data = text.encode("utf-8", "replace")
    call = Call.of(write_file, name=name, content=content)
    artifact = call.artifact("document", state, plain, what, [])
    path = world.artifacts.named(artifact.id, plain)
    _written(path, lambda target: _put(target, data))
    said = f"Wrote {path.name}: {what}, {len(data):,} bytes. The document is {artifact.id}."
    begins = " ".join(text[:_ECHOED].split())
    said += f" It {'begins' if len(text) > _ECHOED else 'reads'}: {begins}"
    notes = f" {listed(renamed)}." if renamed else ""
    facts = {"document": artifact.id, "name": path.name, "path": str(path), "bytes": len(data), "what": what}
    return Step(state.with_artifact(artifact), f"{said}{notes}", facts)


@dataclass(frozen=True)
class _Source:
    handle: str
    name: str
    key: str


def _named(name: str, known: Mapping[str, _T], example: str) -> tuple[str, _T, list[str]]:
    """(the name as a file bears it, what its ending stands for, what was changed). Raises ToolError."""
    if "/" in name or "\\" in name or name.strip() in (".", ".."):
        raise ToolError(f"{one_line(name)[:60]!r} is a path; give a name alone, such as result{example}.")
    ending = max((each for each in known if name.strip().casefold().endswith(each)), key=len, default=None)
    if ending is None:
        raise ToolError(
            f"{one_line(name)[:60]!r} ends in no format that is written; {listed(sorted(known), 20)} are."
        )
    stem = safe_file_name(name.strip()[: -len(ending)], "result")
    plain = safe_file_name(f"{stem}{ending}", "result")
    return plain, known[ending], [f"the file is called {plain}"] if plain != name else []


def _check_members(members: Mapping[str, Any] | None, way: Way) -> None:
    if not members:
        return
    if way is WAYS[".json"]:
        return
    if way is not WAYS[".geojson"]:
        raise ToolError(f"{way.title} has no members beside its rows; a .geojson and a .json have.")
    if taken := _RESERVED & members.keys():
        raise ToolError(f"The member {sorted(taken)[0]!r} is GeoJSON's own; give it another name.")


def _check_names(made: Sequence[Layer]) -> None:
    called = [each.name.casefold() for each in made]
    if twice := [each.name for each in made if called.count(each.name.casefold()) > 1]:
        raise ToolError(
            f"Two layers would be called {one_line(twice[0])!r}; give each its own name in `layer`."
        )


def _layer(state: State, world: World, asked: Mapping[str, Any], way: Way) -> Layer:
    """One layer as it is to be written. Raises ToolError."""
    rows = rows_to_save(state, world, asked["from"])
    geometry = asked.get("geometry")
    wanted = geometry not in (None, "none")
    if wanted and rows.shapes is None:
        raise ToolError(f"{rows.name} has no shapes; leave `geometry` out.")
    shown = rows.placed or way.made_of if way.shapes else wanted
    if geometry == "none" or not (shown or wanted):
        rows = with_parts(rows, "none")
    if way.degrees and way.title != "GeoJSON" and asked.get("crs"):
        raise ToolError(f"{way.title} holds degrees only; leave `crs` out.")
    rows = _in_system(rows, asked.get("crs"), way)
    rows = with_parts(with_columns(rows, asked.get("columns"), asked.get("id")), geometry or "keep")
    if rows.ids is not None and way is not WAYS[".geojson"]:
        raise ToolError(
            f"Features have ids of their own in a .geojson only, not in {way.title}; leave `id` out."
        )
    as_object = asked.get("rows") == "object"
    if as_object and way is not WAYS[".json"]:
        raise ToolError(f"Rows are an object in a .json only, not in {way.title}; leave `rows` out.")
    if as_object and rows.count != 1:
        raise ToolError(
            f"{rows.name} has {rows.count:,} rows, and an object is made of one; rows=list takes them."
        )
    if rows.shapes is None and not rows.table.num_columns:
        raise ToolError(
            f"Nothing of {rows.name} would be in the file: it has no columns and no shapes there."
        )
    name = one_line(asked.get("layer") or rows.name).strip()[:100]
    return Layer(name or "layer", rows, as_text=wanted, as_object=as_object)


def _in_system(rows: Rows, asked: str | None, way: Way) -> Rows:
    """The rows in the system that is asked for, else degrees where the format has them, else as stored."""
    from data.vector.errors import VectorError
    from data.vector.systems import code_of, crs_named

    if rows.shapes is None:
        return rows
    if rows.crs is None:
        if asked:
            raise ToolError(f"The coordinate system of {rows.name} is not known, so it cannot be changed.")
        return rows.telling("its coordinate system is not known") if len(rows.shapes) else rows
    if asked:
        try:
            target, why = crs_named(asked, _degrees_box(rows))
        except VectorError as error:
            raise ToolError(str(error)) from error
        said = [why.rstrip(".")[:1].lower() + why.rstrip(".")[1:]] if "), " in why else []
    elif way.degrees:
        target, why = crs_named("EPSG:4326", None)
        said = []
    else:
        return rows
    if rows.crs.equals(target, ignore_axis_order=True):
        return rows.telling(*said)
    said.append(f"reprojected from {code_of(rows.crs)} to {code_of(target)}")
    return rows.telling(*said, shapes=_moved(rows, target), crs=target)


def _moved(rows: Rows, target: CRS) -> Any:
    import geopandas as gpd
    import numpy as np
    import shapely

    moved = np.asarray(gpd.GeoSeries(rows.shapes, crs=rows.crs).to_crs(target).array, dtype=object)
    before, after = (shapely.get_coordinates(each) for each in (rows.shapes, moved))
    if np.isfinite(before).all() and not np.isfinite(after).all():
        raise ToolError(f"{rows.name} reaches beyond where {target.name} is defined; choose another crs.")
    return moved


def _degrees_box(rows: Rows) -> tuple[float, ...] | None:
    import numpy as np
    import shapely
    from pyproj import Transformer

    if rows.shapes is None or not np.isfinite(bounds := shapely.total_bounds(rows.shapes)).all():
        return None
    return Transformer.from_crs(rows.crs, "EPSG:4326", always_xy=True).transform_bounds(*bounds)


def _written(path: Path, write: Callable[[Path], Any]) -> Any:
    """Write a file whole or not at all, in a folder of its own until it is. Raises ToolError."""
    from pyogrio.errors import DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError

    folder = Path(tempfile.mkdtemp(prefix=".", suffix=".part", dir=path.parent))
    part = folder / f"made{''.join(path.suffixes[-1:])}"
    try:
        found = write(part)
        os.replace(part, path)
    except (DataLayerError, DataSourceError, FeatureError, FieldError, GeometryError) as error:
        reason = one_line(str(error).splitlines()[0])[:160] if str(error) else type(error).__name__
        raise ToolError(f"{path.name} cannot be written: {reason.rstrip('.')}.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _about(state: State, world: World, name: str, made: Sequence[Layer], call: Call) -> dict[str, Any]:
    """Where a file came from, layer by layer."""
    from data.vector.systems import code_of

    told = []
    for each in made:
        rows, handle = each.rows, each.rows.handle
        source = None if handle == "selection" else handle
        found = provenance(state, world, source, rows.count, call)
        if handle == DRAWINGS:
            found = {**found, "data_sets": []}
            found.pop("note", None)
        crs = None if rows.shapes is None or rows.crs is None else code_of(rows.crs)
        kept = {key: value for key, value in found.items() if key not in ("generator", "made_by")}
        told.append({"layer": each.name, **kept, "crs": crs})
    return {"generator": f"Azimuth {azimuth_version()}", "file": name, "made_by": str(call), "layers": told}


def _told(layer: Layer) -> dict[str, Any]:
    """A layer as data: its rows, columns with types, system and types of shapes."""
    from data.vector.systems import code_of

    rows = layer.rows
    columns = [{"name": each.name, "type": type_word(each.type)} for each in rows.table.schema]
    found: dict[str, Any] = {"layer": layer.name, "rows": rows.count, "columns": columns}
    if rows.shapes is not None:
        import shapely

        found["crs"] = None if rows.crs is None else code_of(rows.crs)
        found["geometry_types"] = kinds_of(rows.shapes)
        found["without_place"] = int((shapely.is_missing(rows.shapes) | shapely.is_empty(rows.shapes)).sum())
    return found


def _in_words(told: Mapping[str, Any]) -> str:
    columns = [f"{one_line(each['name'])[:60]} ({each['type']})" for each in told["columns"]]
    said = f"{one_line(told['layer'])}: {number_of(told['rows'], 'row')}; "
    said += listed(columns, _SHOWN_COLUMNS) if columns else "no columns"
    if "crs" not in told:
        return f"{said}; no geometry."
    kinds = listed(told["geometry_types"]) or "no shapes"
    without = f", {number_of(told['without_place'], 'row')} without a place" if told["without_place"] else ""
    return f"{said}; {kinds}{without}; {told['crs'] or 'coordinate system unknown'}."


def _changes(made: Sequence[Layer]) -> list[str]:
    """What was changed on the way, and in which layers where there are several."""
    layers: dict[str, list[str]] = {}
    for each in made:
        for said in each.rows.said:
            layers.setdefault(said, []).append(one_line(each.name))
    if len(made) == 1:
        return list(layers)
    return [f"{listed(names)}: {said}" for said, names in layers.items()]


def _put(path: Path, data: bytes) -> list[str]:
    path.write_bytes(data)
    return []


TOOLS = (save_file, write_file)
