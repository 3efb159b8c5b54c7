"""Write rows as an Excel workbook (Office Open XML), the same bytes whenever the rows are the same."""

from __future__ import annotations

import math
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.exports import with_origin, written
from tools.data.pages import pages
from tools.data.provenance import provenance, source_infos
from tools.data.summaries import TableOrSelection
from tools.noting import note
from tools.tables import plain_value, without_outlines

MAX_SHEET_ROWS = 200_000
"""A sheet holds 1,048,576 rows; what is beyond this takes minutes to write and to open."""
MAX_SHEET_COLUMNS = 16_384
MAX_CELL_CHARS = 32_767
MAX_SHEET_NAME = 31
_NO_SHEET = re.compile(r"[\[\]:*?/\\]")
_FIRST_YEAR = 1900
"""Days of it and before are not what Excel says they are."""
_TAKEN_FOR_OTHERS = ("=", "+", "-", "@", "\t", "\r", "#")
"""What a text begins with that a program may read as a formula or an error."""
_MODIFIED = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*")
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@tool("data", changes_state=True, gives=("document",), long_running=True)
def export_xlsx(state: State, world: World, *, table: TableOrSelection = None) -> Step:
    """Write all rows of the selection or of a table as an Excel workbook, with where they came from.

    The sheet `rows` has one header line and the column `origin`; the sheet `about` says where the rows came
    from. Texts stay texts: one that begins like a formula is stored as text and marked as such, so that no
    program runs it. Times are text in ISO 8601, UTC.

    Example: copilot call export_xlsx

    Asked as: export to Excel | xlsx file please | save the table as a workbook | I need it in a spreadsheet
    for Excel | write an Excel sheet of the selection | download as xlsx
    """
    call = Call.of(export_xlsx, table=table)
    rows, found = pages(state, world, table)
    if rows > MAX_SHEET_ROWS:
        raise ToolError(
            f"There are {rows:,} rows, and a workbook is written of {MAX_SHEET_ROWS:,} at most; narrow the "
            "selection or use export_csv."
        )
    about = provenance(state, world, table, rows, call)
    marked = with_origin(found, source_infos(state, world, table))
    return written(
        state, world, call, ".xlsx", "Excel workbook", rows, lambda path: write_xlsx(path, marked, about)
    )


def write_xlsx(path: Path, found: Iterable[pd.DataFrame], about: dict[str, Any]) -> None:
    """Pages as one workbook, row by row, so that it needs little memory."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("rows")
    sheet.freeze_panes = "A2"
    names: list[str] | None = None
    changed: Counter[str] = Counter()
    for page in found:
        page = without_outlines(page)
        if names is None:
            names = [str(name) for name in page.columns]
            if len(names) > MAX_SHEET_COLUMNS:
                raise ToolError(f"There are {len(names):,} columns; a sheet holds {MAX_SHEET_COLUMNS:,}.")
            sheet.append(_cells(sheet, names, changed))
        for row in page.reindex(columns=names).itertuples(index=False, name=None):
            sheet.append(_cells(sheet, row, changed))
    notes = book.create_sheet("about")
    for line in _lines(about):
        notes.append(_cells(notes, line, Counter()))
    _told(changed)
    _save(book, path)


def write_sheets(path: Path, sheets: Iterable[tuple[str, list[str], Iterable[Sequence[Any]]]]) -> None:
    """(a name, the columns, the rows) each as a sheet; days and times without a zone are Excel's own."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    changed: Counter[str] = Counter()
    for name, columns, rows in sheets:
        if len(columns) > MAX_SHEET_COLUMNS:
            raise ToolError(f"There are {len(columns):,} columns; a sheet holds {MAX_SHEET_COLUMNS:,}.")
        sheet = book.create_sheet(name)
        sheet.freeze_panes = "A2"
        sheet.append(_cells(sheet, columns, changed))
        for row in rows:
            sheet.append(_cells(sheet, row, changed, dates=True))
    _told(changed)
    _save(book, path)


def sheet_names(wanted: Sequence[str]) -> list[str]:
    """Names as Excel takes them: 31 letters, none of its signs, different whatever their case."""
    names: list[str] = []
    taken = {"history"}  # Excel keeps it for itself
    for each in wanted:
        plain = _NO_SHEET.sub("-", _plain_text(each)).strip("'")[:MAX_SHEET_NAME] or "rows"
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain[: MAX_SHEET_NAME - len(str(number)) - 1]}_{number}"
        taken.add(name.casefold())
        names.append(name)
    return names


def _told(changed: Counter[str]) -> None:
    for what, count in sorted(changed.items()):
        note(f"{count:,} {'cell' if count == 1 else 'cells'} {what}.")


def _save(book: Any, path: Path) -> None:
    unsettled = path.with_name(f"{path.name}.unsettled")
    try:
        book.save(unsettled)
        _settle(unsettled, path)
    finally:
        unsettled.unlink(missing_ok=True)


def _cells(sheet: Any, values: Iterable[Any], changed: Counter[str], *, dates: bool = False) -> list[Any]:
    """Values as a sheet takes them: a text is a text, whatever it begins with; `changed` counts others."""
    from openpyxl.cell import WriteOnlyCell

    row: list[Any] = []
    for value in values:
        if dates and isinstance(value, date) and value.year > _FIRST_YEAR and _is_plain(value):
            row.append(value)
            continue
        if isinstance(value, float) and math.isinf(value):
            changed["with infinity, which Excel has not: a text instead"] += 1
            value = str(float(value))
        if not isinstance(value, str):
            value = plain_value(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
            value = str(value)
        if value is None or isinstance(value, bool | int | float):
            row.append(value)
            continue
        value = value if isinstance(value, str) else str(value)
        if len(value) > MAX_CELL_CHARS:
            changed[f"of over {MAX_CELL_CHARS:,} letters, the most that Excel holds: cut there"] += 1
        text = _plain_text(value)
        if text.startswith(_TAKEN_FOR_OTHERS):
            cell = WriteOnlyCell(sheet)
            cell.value = text
            cell.data_type = "s"  # openpyxl reads a text that starts with = as a formula
            cell.quotePrefix = True
            row.append(cell)
        else:
            row.append(text)
    return row


def _is_plain(value: date) -> bool:
    """Whether it is a day, or a time without a zone, which Excel has none for."""
    return not isinstance(value, datetime) or value.tzinfo is None


def _plain_text(text: str) -> str:
    """A text without what XML cannot hold, as long as a cell takes."""
    if not text.isprintable():
        text = _NO_XML.sub(" ", text.encode("utf-8", "replace").decode("utf-8"))
    return text[:MAX_CELL_CHARS]


def _lines(about: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Nested values as lines of a name and a value: `data_sets.0.name`."""
    for key, value in about.items():
        name = f"{prefix}{key}"
        if isinstance(value, list):
            value = {str(number): each for number, each in enumerate(value)}
        if isinstance(value, dict):
            yield from _lines(value, f"{name}.")
        else:
            yield name, "" if value is None else str(value)


def _settle(source: Path, target: Path) -> None:
    """Copy a workbook without the times at which it was written."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>2000-01-01T00:00:00Z", content)
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, content)


TOOLS = (export_xlsx,)
