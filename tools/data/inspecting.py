"""What is in the session's own files, layers and tables, told as data before anything is done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from data.profiles import profiles_of
from state.model import Artifact, State
from tools.artifacts import FEATURES, about, newest_named
from tools.base import Step, ToolError, World, tool
from tools.map.files import stored_vector
from tools.phrases import listed, number_of, one_line
from tools.rows import load_table
from tools.rows_said import system_said
from tools.tables import have_shapes, own_features, plain_rows, without_outlines

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

MOST_LAYERS = 20
_ROWS = 3
_SAID_COLUMNS = 40


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
            description="A layer, table or result by name or id, or an added file's name: all its layers.",
            json_schema_extra={"format": "table"},
        ),
    ],
) -> Step:
    """Tell what is in a layer, a table or an added file: coordinate systems, shapes, columns, first rows.

    Of each layer: how many rows, the coordinate system and bounds of the file and those it is kept in, the
    geometry types, rows without a shape or left out, invalid shapes, and of each column its type, what its
    texts mean (numbers with a decimal comma, dates), how many have no value, how many differ, the least and
    the most, and samples. Nothing is changed.

    Example: copilot call inspect source=table-1a2b3c

    Asked as: what is in my file | what columns does it have | which layers does the geopackage have | inspect
    the layer | what coordinate system is it in | show me the structure of the table | catalogue the contents
    of the file | what types are the fields
    """
    told = [_told(state, world, handle, known) for handle, known in _meant(state, world, source)]
    said = " ".join(_said(each) for each in told)
    return Step(state, said, {"source": source, "layers": told})


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
            return of_file[:MOST_LAYERS]
    return [(source, {})]


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
    told: dict[str, Any] = {
        "id": handle,
        "name": artifact.name if artifact is not None else handle,
        "rows": len(frame),
        "columns": profiles_of(without_outlines(frame)),
        "first": plain_rows(frame.head(_ROWS)),
    }
    if have_shapes(frame):
        told |= _shapes(frame)
    upload = known.get("upload")
    if upload is not None:
        facts = upload["facts"]
        told["file"] = str(known["inputs"][0]["name"]) if known.get("inputs") else ""
        told["layer"] = upload.get("part") or upload.get("title") or told["name"]
        told["what"] = upload["what"]
        told |= {f"file_{key}": facts[key] for key in _OF_FILE if facts.get(key) is not None}
        told["notes"] = [each for each in upload["notes"] if not each.startswith("Its columns")]
    return told


_OF_FILE = ("crs", "stored_bounds", "geometry_types", "without_geometry", "left_out", "encoding")


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
        "invalid": int((~there.is_valid).sum()),
    }


def _said(told: dict[str, Any]) -> str:
    parts = [f"{one_line(str(told['name']))} ({told['id']}): {number_of(told['rows'], 'row')}"]
    if "geometry_types" in told:
        kinds = listed([f"{count:,} {kind}" for kind, count in told["geometry_types"].items()])
        parts.append(f"{kinds or 'no shapes'}, kept in {told['crs']}")
        if told["bounds"]:
            parts.append(f"bounds {_numbers(told['bounds'])}")
        for key, words in (("without_shape", "without a shape"), ("invalid", "invalid")):
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
    if "file_crs" in told:
        said += f", stored in {told['file_crs']}"
    if "file_geometry_types" in told:
        said += f" as {listed(told['file_geometry_types'])}"
    if "file_stored_bounds" in told:
        said += f" with bounds {_numbers(told['file_stored_bounds'])}"
    if told.get("file_left_out"):
        said += f", {told['file_left_out']:,} features left out"
        if told.get("file_without_geometry"):
            said += f" ({told['file_without_geometry']:,} without a geometry)"
    return said


def _numbers(values: list[float]) -> str:
    return "[" + ", ".join(f"{each:.10g}" for each in values) + "]"


def _column_said(each: dict[str, Any]) -> str:
    meant = f" ({each['meant']})" if each["meant"] else ""
    nulls = f", {each['nulls']:,} without a value" if each["nulls"] else ""
    ends = "" if each["least"] is None else f", from {each['least']!s:.40} to {each['most']!s:.40}"
    samples = listed([str(value)[:40] for value in each["samples"]])
    shown = f", such as {samples}" if samples and each["stored"] in ("text", "mixed") else ""
    return f"{each['name']} {each['stored']}{meant}, {each['distinct']:,} different{nulls}{ends}{shown}"


TOOLS = (inspect,)
