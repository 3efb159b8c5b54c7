"""What is in the session's own files, layers and tables, told as data before anything is done with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from data.documents.errors import DocumentError
from data.members import said_of
from data.profiles import missing_said
from state.model import Artifact, State
from tools.artifacts import FEATURES, about, named, newest_named
from tools.base import Step, ToolError, World, tool
from tools.data.layers_told import SAMPLE_CHARS, frame_told
from tools.data.read_back import MOST_LAYERS, can_be_read_back, layers_of_file
from tools.map.files import stored_vector
from tools.phrases import listed, number_of, one_line
from tools.rows import load_table
from tools.tables import have_shapes, own_features

if TYPE_CHECKING:
    import pandas as pd

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
            description="A layer, table or result by name or id; an added or a saved file: all its layers.",
            json_schema_extra={"format": "table"},
        ),
    ],
) -> Step:
    """Tell what is in a layer, a table or a file: coordinate systems, shapes, columns, first rows.

    Of each layer: how many rows, the coordinate system, bounds, geometry types, rows without a shape or left
    out, shapes with heights, invalid shapes with the rows of the first and why, and of each column its type,
    what its texts mean (numbers with a decimal comma, dates), how many have no value or a blank text, how
    many differ, and without case and blanks, in what forms they are written (99/99/9999 for dates: a for
    letters, 9 for a digit, 9+ for digits), the least and the most, samples, and the members of objects.
    A saved file is read back: all its layers or sheets, in an archive too, the types that it has for its
    columns, and what stands beside the features of a GeoJSON. Nothing is changed.

    Example: copilot call inspect source=table-1a2b3c

    Asked as: what is in my file | what columns does it have | which layers does the geopackage have | inspect
    the layer | what coordinate system is it in | show me the structure of the table | catalogue the contents
    of the file | what types are the fields
    """
    document = named(state, source, "document")
    more: list[str] = []
    facts: dict[str, Any] = {}
    if document is not None and document.kind == "document":
        told = _saved(world, document)
    else:
        meant = _meant(state, world, source)
        told = [_told(state, world, handle, known) for handle, known in meant[:MOST_LAYERS]]
        more += [_called(state, handle) for handle, _ in meant[MOST_LAYERS:]]
        facts = {"not_added": names} if (names := _not_added(state, world, meant)) else {}
        if state.artifact(source) is None and (declared := _declared(meant)):
            facts["file_layers"] = declared
    said = " ".join(_said(each) for each in told)
    if len(told) > 1:
        said = f"{source}: {number_of(len(told) + len(more), 'layer')} here. {said}"
    said += _declared_said(facts.get("file_layers", []))
    left = _names_left(more, facts.get("not_added", {}))
    said += f" {left}" if left else ""
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


def _declared(meant: Sequence[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """What the file of these layers says of all of its layers, where that was kept when it came in."""
    kept = (known.get("upload", {}).get("facts", {}).get("file_layers") for _, known in meant)
    return next((each for each in kept if each), [])


def _declared_said(layers: Sequence[Mapping[str, Any]]) -> str:
    """` The file has 1 layer, as it declares them: parks: Polygon in EPSG:4326, 5 rows (name text).`"""
    told = []
    for each in layers:
        system = f" in {each['crs']}" if each["crs"] else " without a coordinate system"
        kind = f"{each['geometry']}{system}" if each["geometry"] else "a table"
        fields = [f"{one_line(field['name'])[:40]} {field['type']}" for field in each["fields"]]
        rows = number_of(each["rows"], "row")
        told.append(f"{one_line(each['name'])}: {kind}, {rows} ({listed(fields, _SAID_COLUMNS)})")
    if not told:
        return ""
    return f" The file has {number_of(len(told), 'layer')}, as it declares them: {'; '.join(told)}."


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


def _saved(world: World, document: Artifact) -> list[dict[str, Any]]:
    """What each layer of a file that was saved here is. Raises ToolError."""
    path = world.artifacts.find(document.id)
    if path is None:
        raise ToolError(f"The file of {document.id} is gone; {document.made_by} makes it again.")
    if not can_be_read_back(path):
        raise ToolError(f"{path.name} is a document and has no layers to read back; read_text reads texts.")
    try:
        return world.reader.read(
            partial(layers_of_file, path, document.id), about=path.name, error=DocumentError, reads=[path]
        )
    except DocumentError as error:
        raise ToolError(str(error)) from None


def _told(state: State, world: World, handle: str, known: dict[str, Any]) -> dict[str, Any]:
    """What one layer or table is, as plain JSON."""
    artifact = state.artifact(handle)
    if artifact is not None and artifact.kind not in (*FEATURES, "table"):
        raise ToolError(
            f"{artifact.name} is a {artifact.kind} and has no rows; "
            + ("raster_info tells what it holds." if artifact.kind == "raster" else "read_text reads it.")
        )
    frame = _kept(state, world, handle, artifact)
    told = frame_told(_called(state, handle), handle, frame)
    upload = known.get("upload")
    if upload is not None:
        facts = upload["facts"]
        told["file"] = str(known["inputs"][0]["name"]) if known.get("inputs") else ""
        told["layer"] = upload.get("part") or upload.get("title") or told["name"]
        told["what"] = upload["what"]
        told |= {f"file_{key}": facts[key] for key in _OF_FILE if facts.get(key) is not None}
        told["notes"] = [each for each in upload["notes"] if not each.startswith("Its columns")]
    return told


_COUNTED = {"without_shape": "without a shape", "with_heights": "with heights", "invalid": "invalid"}
_WORDS = {
    "text": "text", "int64": "integer", "int32": "integer", "float64": "number", "bool": "boolean",
    "date": "date", "time": "time", "list": "list", "object": "object",
}  # fmt: skip
"""What a file calls the types that columns are stored as here."""
_SAMPLED = frozenset({"text", "mixed", "list", "object"})
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


def _said(told: dict[str, Any]) -> str:
    begins, notes = f"{one_line(str(told['name']))} ({told['id']})", " ".join(told.get("notes", ()))
    if "json" in told:
        return f"{begins}: {told['json']}. {notes}".rstrip()
    parts = [f"{begins}: {number_of(told['rows'], 'row')}"]
    if "geometry_types" in told:
        kinds = listed([f"{count:,} {kind}" for kind, count in told["geometry_types"].items()])
        parts.append(f"{kinds or 'no shapes'}, kept in {told['crs']}")
        if told["bounds"]:
            parts.append(f"bounds {_numbers(told['bounds'])}")
        for key, words in _COUNTED.items():
            if told[key]:
                why = _why_invalid(told) if key == "invalid" else ""
                parts.append(f"{told[key]:,} {words}{why}")
    if "file" in told:
        parts.append(_file_said(told))
    columns = [_column_said(each) for each in told["columns"][:_SAID_COLUMNS]]
    left = len(told["columns"]) - len(columns) + told.get("columns_not_told", 0)
    listed_columns = "; ".join(columns) + (f"; and {left} more" if left > 0 else "")
    first = "; ".join(
        ", ".join(f"{key}={str(value)[:60]}" for key, value in row.items()) for row in told["first"]
    )
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
    return "[" + ", ".join(f"{each:.15g}" for each in values) + "]"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < SAMPLE_CHARS else f"{text}…"  # a profile has cut it there


def _column_said(each: dict[str, Any]) -> str:
    meant = f" (all of it {each['meant']})" if each["meant"] else ""
    in_file = each.get("in_file")
    meant += f" ({in_file} in the file)" if in_file and in_file != _WORDS.get(each["stored"]) else ""
    alike = f" ({each['alike']:,} without case and blanks)" if each["alike"] is not None else ""
    missing = f", {missing_said(each)}" if missing_said(each) else ""
    said = f"{each['name']} {each['stored']}{meant}, {each['distinct']:,} different{alike}{missing}"
    if each["forms"] and not each.get("values"):
        said += f", in the forms {', '.join(f'{form} {count:,}' for form, count in each['forms'].items())}"
    if each.get("values"):
        return f"{said}: {', '.join(f'{value!r} {count:,}' for value, count in each['values'].items())}"
    if each["least"] is not None:
        text = each["stored"] == "text" and not each["meant"]
        said += "" if text else f", from {_short(each['least'])} to {_short(each['most'])}"
    if each.get("members"):
        few = each.get("members_of_the_first")
        of = f" of the first {few:,}" if few else ""
        return f"{said}, members{of}: {said_of(each['members'], each['members_not_told'])}"
    samples = listed([repr(_short(value)) for value in each["samples"]])
    return f"{said}, such as {samples}" if samples and each["stored"] in _SAMPLED else said


def _why_invalid(told: dict[str, Any]) -> str:
    """` (row 17: Self-intersection at 24.9, 60.2; …)`."""
    rows = [f"row {each['row']:,}: {each['reason']}" for each in told["invalid_rows"]]
    return f" ({'; '.join(rows)}{'; …' if told['invalid'] > len(rows) else ''})"


TOOLS = (inspect,)
