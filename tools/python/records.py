"""Read delimited texts, JSON and XML."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.phrases import groups_in_words, listed, number_of, one_line
from tools.python.documents import DocumentHandle, document_of, extract, read_apart, text_step
from tools.python.sources import opened_as, opened_step, source_or_document
from tools.tables import (
    plain_value,
    rows_in_words,
    table_of_inputs,
)

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
_QUOTED_JSON_CHARS = 4_000
_SHOWN_ELEMENTS = 5


@tool("python", changes_state=True, gives=("table",))
def read_csv(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    delimiter: Annotated[
        Literal["comma", "semicolon", "tab", "bar"] | None,
        Field(description="What stands between the cells; found out when left out."),
    ] = None,
) -> Step:
    """Read a delimited text file (CSV, TSV) as a table; delimiter, encoding and header are found out.

    A file that is open as a layer or a table already is shown as that, and no second table is made, unless a
    delimiter is asked for. Decimal commas are read where the cells are not split by commas; ISO 8601 days and
    times become times, UTC.

    Example: copilot call read_csv document=document-c5f000

    Asked as: read the csv | load stations.csv as a table | open the tsv file | import the spreadsheet text |
    turn the csv into a table | what columns are in the csv file
    """
    from data.documents.errors import DocumentError
    from data.documents.tables import DELIMITERS, kept_csv, kept_table

    opened = opened_as(state, world, document)
    if opened is not None and delimiter is None:
        return opened_step(state, world, opened)
    found = source_or_document(state, world, document)
    if opened is None and found.path.suffix not in (".csv", ".tsv", ".txt", ".tab"):
        document_of(state, world, document, ".csv")  # says which tool reads it
    try:
        with TemporaryDirectory(prefix="azimuth-csv-") as folder:
            kept = Path(folder) / "table.arrow"
            asked = None if delimiter is None else _DELIMITERS[delimiter]
            how = read_apart(world, partial(kept_csv, found.path, kept, asked), found, Path(folder))
            read = kept_table(how, kept)
    except DocumentError as error:
        raise ToolError(f"{one_line(found.name)}: {error}") from None
    sign = DELIMITERS.get(read.delimiter, read.delimiter)
    columns = [one_line(str(each)) for each in read.frame.columns]
    said = (
        f"{one_line(found.name)} has {number_of(len(read.frame), 'row')} with the columns "
        f"{listed(columns, 12)}; "
        f"it is split by the {sign}, in {read.encoding}{'' if read.header else ', and has no header'}."
    )
    call = Call.of(read_csv, document=found.handle, delimiter=delimiter)
    facts = {"delimiter": sign, "encoding": read.encoding, "header": read.header, "source": found.handle}
    observation = f"{said}{_told(rows_in_words(read.frame))}"
    return table_of_inputs(
        state, world, [found], read.frame, call, one_line(found.name), observation, **facts
    )


@tool("python", changes_state=True, needs=("document",), gives=("document", "table"))
def read_json(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    path: Annotated[
        str | None,
        Field(max_length=200, description="What to take out: features[0].properties; all when left out."),
    ] = None,
) -> Step:
    """Read a JSON file, or what lies at a path in it; a list of objects becomes a table.

    A file that is open as a layer or a table already is shown as that, unless a path in it is asked for.

    Example: copilot call read_json document=document-150000 path=stations

    Asked as: what is in the json | read the json file | value of sensor.name in the JSON | list the stations
    from the json as a table | keys of the json document | open settings.json
    """
    from data.documents.errors import DocumentError
    from data.documents.structured import at_path, outline, records_of
    from data.documents.structured import read_json as value_of

    opened = opened_as(state, world, document)
    if opened is not None and not (path and path.strip()):
        return opened_step(state, world, opened)
    found = source_or_document(state, world, document, ".json", ".geojson", ".ipynb", ".txt")
    try:
        value = read_apart(world, partial(value_of, found.path), found)
        value = at_path(value, path) if path and path.strip() else value
        about = outline(value)
    except DocumentError as error:
        raise ToolError(str(error)) from None
    name = f"{path} of {found.name}" if path else found.name
    call = Call.of(read_json, document=found.handle, path=path)
    said = f"{one_line(name)} is {about}."
    if (rows := records_of(value)) is not None:
        frame = _frame(rows)
        observation = f"{said}{_told(rows_in_words(frame))}"
        return table_of_inputs(
            state, world, [found], frame, call, one_line(name), observation, source=found.handle
        )
    text = json.dumps(value, ensure_ascii=False, indent=1)
    small = value if len(text) <= _QUOTED_JSON_CHARS else None
    keys = list(value)[:100] if isinstance(value, dict) else None
    return text_step(
        state, world, call, [found], text, name=f"JSON of {name}", said=said,
        value=_plain(small), keys=keys, source=found.handle,
    )  # fmt: skip


@tool("python", changes_state=True, needs=("document",), gives=("document", "table"))
def read_xml(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    element: Annotated[
        str | None,
        Field(max_length=200, description="An element or attribute to look up: CLOUD_COVER or Image/Date."),
    ] = None,
) -> Step:
    """Read an XML file: its elements in outline, or the values of one element.

    defusedxml: files that define entities are refused. Namespaces and case do not matter in names. Values
    become a table with their paths.

    Example: copilot call read_xml document=document-e71000 element=CloudCover

    Asked as: read the xml | cloud cover in the metadata file | what does meta.xml say about the sensor | look
    up an element of the XML | outline of the xml document | acquisition date in the metadata
    """
    from data.documents.errors import DocumentError
    from data.documents.structured import found_in
    from data.documents.structured import read_xml as xml_of

    found = source_or_document(state, world, document, ".xml", ".html", ".txt")
    try:
        xml = read_apart(world, partial(xml_of, found.path), found)
        wanted = found_in(xml, element) if element and element.strip() else ()
    except DocumentError as error:
        raise ToolError(str(error)) from None
    call = Call.of(read_xml, document=found.handle, element=element)
    if wanted:
        rows = [{"path": each.path, "text": each.text or None, **_attributes(each)} for each in wanted]
        values = [_value(each.text, each.attributes, str(element)) for each in wanted]
        shown = listed([extract(each, 100) for each in values[:_SHOWN_ELEMENTS]], _SHOWN_ELEMENTS)
        more = f" and {len(values) - _SHOWN_ELEMENTS:,} more" if len(values) > _SHOWN_ELEMENTS else ""
        name = f"{one_line(str(element))} in {one_line(found.name)}"
        said = f"{name}, as data: {shown}{more}."
        return table_of_inputs(state, world, [found], _frame(rows), call, f"{one_line(str(element))} in "
                                              f"{one_line(found.name)}"[:100], said,
            value=values[0], values=values[:100], source=found.handle,
        )  # fmt: skip
    told = groups_in_words([(name, count) for name, count in xml.names])
    root = f"the root {one_line(xml.root)} and {number_of(xml.elements, 'element')}"
    said = f"{one_line(found.name)} has {root}: {told}."
    lines = [f"{each.path}: {_line(each)}" for each in xml.leaves]
    return text_step(
        state, world, call, [found], "\n".join(lines), name=f"Outline of {found.name}", said=said,
        root=xml.root, elements=xml.elements, names=dict(xml.names[:100]), source=found.handle,
    )  # fmt: skip


def _line(element: Any) -> str:
    """An element's text with its attributes behind."""
    return " ".join((element.text, *(f"[{name}={value}]" for name, value in element.attributes.items())))


def _attributes(element: Any) -> dict[str, str]:
    return {f"@{name}": value for name, value in element.attributes.items()}


def _value(text: str, attributes: dict[str, str], name: str) -> str:
    """The attribute of that name, else the text, else the attributes."""
    wanted = name.strip("/").casefold()
    own = next((value for key, value in attributes.items() if key.casefold() == wanted), None)
    return own or text or ", ".join(f"{key}={value}" for key, value in attributes.items())


def _frame(rows: list[dict[str, Any]]) -> Any:
    import pandas as pd

    from data.documents.tables import typed

    return pd.DataFrame(rows).apply(lambda column: typed(_whole(column)))


def _whole(column: Any) -> Any:
    """A column of mixed values, or of whole numbers beyond 64 bits, as texts."""
    kinds = {type(each) for each in column.dropna()}
    if column.dtype == object and kinds <= {bool}:
        return column.astype("boolean")
    return column.astype(object) if column.dtype == object else column


def _told(rows: str) -> str:
    return f" First rows, as data:{rows}" if rows else ""


def _plain(value: Any) -> Any:
    """A JSON value with whole numbers that JSON's readers hold exactly, others as their text."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, int) and abs(value) >= 2**53 else plain_value(value)


TOOLS = (read_csv, read_json, read_xml)
