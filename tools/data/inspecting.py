"""What is in the session's own files, layers and tables, told as data before anything is done with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from data.profiles import profiles_of
from state.model import Artifact, State
from tools.artifacts import FEATURES, about, named, newest_named
from tools.base import Step, ToolError, World, tool
from tools.map.files import stored_vector
from tools.phrases import listed, number_of, one_line
from tools.rows import load_table
from tools.rows_said import system_said
from tools.tables import have_shapes, own_features, plain_rows, without_outlines

if TYPE_CHECKING:
    from pathlib import Path

    import geopandas as gpd
    import pandas as pd

MOST_LAYERS = 20
_ROWS = 3
_SAID_COLUMNS = 40
_SAMPLE = 40
_MOST_VALUES = 40


@tool("data")
def inspect(
    state: State,
    world: World,
    *,
    source: Annotated[
        str,
        Field(
            min_length=1,
            max_length=400,
            description="A layer, table or result by name or id; an added or a saved file: all its layers.",
            json_schema_extra={"format": "table"},
        ),
    ],
) -> Step:
    """Tell what is in a layer, a table or a file: coordinate systems, shapes, columns, first rows.

    Of each layer: how many rows, the coordinate system, bounds, geometry types, rows without a shape or left
    out, shapes with heights, invalid shapes, and of each column its type, what its texts mean (numbers with
    a decimal comma, dates), how many have no value, how many differ, the least and the most, and samples.
    Nothing is changed.

    Example: copilot call inspect source=table-1a2b3c

    Asked as: what is in my file | what columns does it have | which layers does the geopackage have | inspect
    the layer | what coordinate system is it in | show me the structure of the table | catalogue the contents
    of the file | what types are the fields
    """
    document = named(state, source, "document")
    path = None if document is None or document.kind != "document" else world.artifacts.find(document.id)
    more: list[str] = []
    facts: dict[str, Any] = {}
    if document is not None and path is not None:
        told = [_frame_told(f"{path.name}: {name}" if name else path.name, document.id, frame)
                for name, frame in _saved(path, more)]  # fmt: skip
    else:
        meant = _meant(state, world, source)
        told = [_told(state, world, handle, known) for handle, known in meant[:MOST_LAYERS]]
        more += [_called(state, handle) for handle, _ in meant[MOST_LAYERS:]]
        facts = {"not_added": left} if (left := _not_added(state, world, meant)) else {}
    said = " ".join(_said(each) for each in told)
    if len(told) > 1:
        said = f"{source}: {number_of(len(told) + len(more), 'layer')}. {said}"
    said += f" {_names_left(more, facts.get('not_added', {}))}" if more or facts else ""
    return Step(state, said, {"source": source, "layers": told, **facts})


def _names_left(more: Sequence[str], not_added: Mapping[str, Sequence[str]]) -> str:
    """The sentences about the layers of a file that are not told: too many, or never added."""
    from data.uploads.errors import all_shown, shown

    said = [f"Of its other layers each is told by its own name: {all_shown(more)}."] if more else []
    for file, names in not_added.items():
        were = "was" if len(names) == 1 else "were"
        said.append(
            f"{shown(file)} has {number_of(len(names), 'layer')} more that {were} not added: "
            f"{all_shown(names)}. add_file with part={shown(names[0])} adds that one."
        )
    return " ".join(said)


def _not_added(
    state: State, world: World, meant: Sequence[tuple[str, dict[str, Any]]]
) -> dict[str, list[str]]:
    """By the name of each file that is meant, its layers that the session has not added."""
    files = {_file_of(known) for _, known in meant if "upload" in known}
    added = [about(world, each.id) for each in state.artifacts] if files else []
    left = {}
    for file in sorted(files):
        of_file = [each["upload"] for each in added if "upload" in each and _file_of(each) == file]
        parts = dict.fromkeys(part for each in of_file for part in each.get("parts") or ())
        there = {each.get("part") for each in of_file}
        if names := [part for part in parts if part not in there]:
            left[file.rpartition("/")[2]] = names
    return left


def _file_of(known: Mapping[str, Any]) -> str:
    """What the file of an artifact was called when it was added."""
    return str(known["arguments"]["file"])


def _meant(state: State, world: World, source: str) -> list[tuple[str, dict[str, Any]]]:
    """(a handle, what is on record of the file that it came of) of each layer that is meant."""
    artifact = state.artifact(source) or newest_named(state.artifacts, source)
    if artifact is not None:
        return [(artifact.id, about(world, artifact.id))]
    if state.layer(source) is None and newest_named(state.map.layers, source) is None:
        wanted = source.strip().casefold()
        found = [(each.id, about(world, each.id)) for each in state.artifacts]
        of_file = [(handle, known) for handle, known in found if wanted in _files(known)]
        if of_file:
            return of_file
    return [(source, {})]


def _called(state: State, handle: str) -> str:
    artifact = state.artifact(handle)
    return artifact.name if artifact is not None else handle


def _files(known: dict[str, Any]) -> set[str]:
    """The names that the file of an artifact is called by: parks.gpkg, parks."""
    if "upload" not in known:
        return set()
    names = [str(each["name"]).casefold() for each in known.get("inputs", ())]
    return {*names, *(name.rpartition(".")[0] for name in names)}


def _told(state: State, world: World, handle: str, known: dict[str, Any]) -> dict[str, Any]:
    """What one layer or table is, as plain JSON."""
    artifact = state.artifact(handle)
    if artifact is not None and artifact.kind not in (*FEATURES, "table"):
        raise ToolError(
            f"{artifact.name} is a {artifact.kind} and has no rows; "
            + ("raster_info tells what it holds." if artifact.kind == "raster" else "read_text reads it.")
        )
    frame = _kept(state, world, handle, artifact)
    told = _frame_told(_called(state, handle), handle, frame)
    upload = known.get("upload")
    if upload is not None:
        facts = upload["facts"]
        told["file"] = str(known["inputs"][0]["name"]) if known.get("inputs") else ""
        told["layer"] = upload.get("part") or upload.get("title") or told["name"]
        told["what"] = upload["what"]
        told |= {f"file_{key}": facts[key] for key in _OF_FILE if facts.get(key) is not None}
        told["notes"] = [each for each in upload["notes"] if not each.startswith("Its columns")]
    return told


def _frame_told(name: str, handle: str, frame: pd.DataFrame) -> dict[str, Any]:
    table = without_outlines(frame)
    columns = [each | _values(table[each["name"]], each) for each in profiles_of(table)]
    told: dict[str, Any] = {
        "id": handle,
        "name": name,
        "rows": len(frame),
        "columns": columns,
        "first": plain_rows(frame.head(_ROWS)),
    }
    return told | _shapes(frame) if have_shapes(frame) else told


def _values(column: pd.Series[Any], profile: dict[str, Any]) -> dict[str, Any]:
    """All values of a column of words with how often each comes, where they are few and come again."""
    few = profile["distinct"] <= _MOST_VALUES and profile["distinct"] < len(column) / 2
    if profile["stored"] != "text" or profile["meant"] or not few:
        return {}
    counts = column.value_counts(sort=True)
    return {"values": {str(value)[:_SAMPLE]: int(count) for value, count in counts.items()}}


def _saved(path: Path, more: list[str]) -> list[tuple[str, pd.DataFrame]]:
    """(a layer's name, its rows) of a file that was saved here, as another program reads it.

    `more` gets the names of the layers that are too many to read.
    """
    import geopandas as gpd
    import pandas as pd
    import pyogrio

    if path.suffix not in _READ_BACK or path.stat().st_size > _MOST_BYTES:
        raise ToolError(f"{path.name} is a document and has no layers to read back; read_text reads texts.")
    if path.suffix == ".csv":
        return [("", pd.read_csv(path))]
    if path.suffix == ".parquet":
        try:
            return [("", stored_vector(path))]
        except ToolError:  # a plain table
            return [("", pd.read_parquet(path))]
    names = [str(name) for name, _ in pyogrio.list_layers(path)]
    more += names[MOST_LAYERS:]
    names = names[:MOST_LAYERS]
    read = [(name, gpd.read_file(path, layer=name)) for name in names]
    return [(name if len(names) > 1 else "", frame) for name, frame in read]


_READ_BACK = frozenset({".csv", ".parquet", ".gpkg", ".geojson", ".fgb", ".kml"})
_MOST_BYTES = 200_000_000
_COUNTED = {"without_shape": "without a shape", "with_heights": "with heights", "invalid": "invalid"}
_OF_FILE = ("crs", "left_out", "encoding", "members")


def _kept(state: State, world: World, handle: str, artifact: Artifact | None) -> pd.DataFrame:
    """The rows as they are kept, without what is measured of shapes."""
    if artifact is not None and artifact.kind in FEATURES:
        path = world.artifacts.find(artifact.id)
        if path is not None:
            features: pd.DataFrame = stored_vector(path)
            return features
    frame = load_table(state, world, handle)
    return own_features(frame) if have_shapes(frame) else frame


def _shapes(frame: gpd.GeoDataFrame) -> dict[str, Any]:
    shapes = frame.geometry
    there = shapes[~(shapes.isna() | shapes.is_empty)]
    kinds = there.geom_type.value_counts()
    return {
        "crs": system_said(frame.crs),
        "bounds": [float(each) for each in there.total_bounds] if len(there) else None,
        "geometry_types": {str(kind): int(count) for kind, count in sorted(kinds.items())},
        "without_shape": len(frame) - len(there),
        "with_heights": int(there.has_z.sum()),
        "invalid": int((~there.is_valid).sum()),
    }


def _said(told: dict[str, Any]) -> str:
    parts = [f"{one_line(str(told['name']))} ({told['id']}): {number_of(told['rows'], 'row')}"]
    if "geometry_types" in told:
        kinds = listed([f"{count:,} {kind}" for kind, count in told["geometry_types"].items()])
        parts.append(f"{kinds or 'no shapes'}, kept in {told['crs']}")
        if told["bounds"]:
            parts.append(f"bounds {_numbers(told['bounds'])}")
        for key, words in _COUNTED.items():
            if told[key]:
                parts.append(f"{told[key]:,} {words}")
    if "file" in told:
        parts.append(_file_said(told))
    columns = [_column_said(each) for each in told["columns"][:_SAID_COLUMNS]]
    left = len(told["columns"]) - _SAID_COLUMNS
    listed_columns = "; ".join(columns) + (f"; and {left} more" if left > 0 else "")
    first = "; ".join(
        ", ".join(f"{key}={str(value)[:60]}" for key, value in row.items()) for row in told["first"]
    )
    notes = " ".join(told.get("notes", ()))
    said = f"{', '.join(parts)}. Columns: {listed_columns or 'none'}."
    return " ".join(each for each in (said, f"First rows: {first}." if first else "", notes) if each)


def _file_said(told: dict[str, Any]) -> str:
    said = f"the layer {told['layer']!r} of {told['file']}"
    if "file_crs" in told and told["file_crs"] != told.get("crs"):
        said += f", stored in {told['file_crs']}"
    if told.get("file_left_out"):
        said += f", {told['file_left_out']:,} features left out"
    return said


def _numbers(values: list[float]) -> str:
    return "[" + ", ".join(f"{each:.10g}" for each in values) + "]"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < _SAMPLE else f"{text}…"  # a profile has cut it there


def _column_said(each: dict[str, Any]) -> str:
    meant = f" (all of it {each['meant']})" if each["meant"] else ""
    nulls = f", {each['nulls']:,} without a value" if each["nulls"] else ""
    said = f"{each['name']} {each['stored']}{meant}, {each['distinct']:,} different{nulls}"
    if "values" in each:
        return f"{said}: {', '.join(f'{value!r} {count:,}' for value, count in each['values'].items())}"
    if each["least"] is not None:
        text = each["stored"] == "text" and not each["meant"]
        said += "" if text else f", from {_short(each['least'])} to {_short(each['most'])}"
    samples = listed([repr(_short(value)) for value in each["samples"]])
    return (
        f"{said}, such as {samples}"
        if samples and each["stored"] in ("text", "mixed", "list", "object")
        else said
    )


TOOLS = (inspect,)
