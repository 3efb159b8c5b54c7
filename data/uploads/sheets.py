"""Sheets of Excel workbooks as they come in: titles above a header and merged cells are read, and said."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from data.uploads.archive import listing, read_member
from data.uploads.brought import Brought, Incoming
from data.uploads.errors import BROKEN, UploadError, all_shown, shown
from data.uploads.frames import MAX_COLUMNS
from data.uploads.gdal import reason_of
from data.uploads.rows import bring_frame

MAX_CELLS = 20_000_000
MAX_MERGED = 100_000
_DTD_LOOK_BYTES = 4_096
_MERGED = re.compile(rb"""<(?:\w+:)?mergeCell\s[^>]*?ref=["']([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})["']""")
_FORMULA = re.compile(
    rb"<(?:\w+:)?c [^<>]*>\s*+<(?:\w+:)?f\b(?:[^<>]*/>|[^<>]*>[^<>]*</(?:\w+:)?f>)\s*+"
    rb"(?:<(?:\w+:)?v\s?/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*+</(?:\w+:)?c>"
)
_HIDDEN_ROW = re.compile(rb"""<(?:\w+:)?row [^<>]*?hidden=["'](?:1|true)["'][^<>]*(?<!/)>""")
_HIDDEN_COLUMN = re.compile(rb"""<(?:\w+:)?col [^<>]*?hidden=["'](?:1|true)["']""")
MAX_HELD_BYTES = 1 << 24
Range = tuple[int, int, int, int]
"""(left column, top row, right column, bottom row) of a block of cells, from 1."""


@dataclass(frozen=True)
class _Marks:
    """What a sheet's XML tells beside the values of its cells."""

    merged: list[Range]
    empty: int
    """Formulas without a stored value."""
    rows: int
    """Hidden rows."""
    columns: int
    """Groups of hidden columns."""

    def said(self) -> list[str]:
        """The sentences about formulas without a value, and about what is hidden."""
        found = []
        if self.empty:
            are = "1 of its cells is a formula" if self.empty == 1 else f"{self.empty:,} cells are formulas"
            found.append(f"{are} without a stored value and left empty: open it in Excel and save it again.")
        hidden = [f"{self.rows:,} hidden row{'' if self.rows == 1 else 's'}"] if self.rows else []
        hidden += ["hidden columns"] if self.columns else []
        if hidden:
            found.append(f"Its {' and '.join(hidden)} were read too.")
        return found


def bring_xlsx(incoming: Incoming) -> Brought:
    """One sheet of an Excel workbook: the part that was asked for, else the first that is seen.

    `parts` has all that are seen; the first bears the file's name.
    """
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    check_office(incoming)
    wanted = incoming.asked.part
    try:
        book = openpyxl.load_workbook(incoming.path, read_only=True, data_only=True, keep_links=False)
        try:
            names = [sheet.title for sheet in book.worksheets]
            if wanted is not None and wanted not in names:
                known = ", ".join(shown(each) for each in names[:8])
                raise UploadError(f"{incoming.shown} has no sheet {shown(wanted)}; it has {known}.")
            if not names:
                raise UploadError(f"{incoming.shown} has no sheet of cells; save it with one.")
            hidden = {each.title for each in book.worksheets if each.sheet_state != "visible"}
            taken = wanted or next((each for each in names if each not in hidden), names[0])
            sheet = book[taken]
            sheet.reset_dimensions()
            marks = _marks(incoming, sheet)
            frame, notes = _sheet_frame(sheet.iter_rows(values_only=True), marks.merged, incoming)
            notes += marks.said()
        finally:
            book.close()
    except UploadError:
        raise
    except (InvalidFileException, *BROKEN) as error:
        raise UploadError(
            f"{incoming.shown} is broken and no Excel workbook ({reason_of(error)}); save it again."
        ) from None
    seen = [each for each in names if each not in hidden] or names[:1]
    found = bring_frame(incoming, frame, "an Excel").noted(*notes)
    stem = Path(incoming.name).stem
    unseen = [each for each in names if each not in seen and each != taken]
    if unseen and wanted is None:
        hides = "sheet is" if len(unseen) == 1 else "sheets are"
        found = found.noted(
            f"Its hidden {hides} left out: {all_shown(unseen)}; add_file with part adds such a one."
        )
    found = found.noted(f"It is the sheet {shown(taken)}.") if len(names) > 1 else found
    return found.of_several(taken, seen, title=stem if taken == seen[0] else f"{stem} {taken}")


def check_office(incoming: Incoming) -> None:
    """An Office file is a ZIP of XML: held to an archive's limits, and no part may declare entities."""
    for member in listing(incoming.path):
        if member.is_folder or not member.name.endswith((".xml", ".rels")):
            continue
        start = _start_of(incoming, member.name, member.size_bytes)
        if b"<!DOCTYPE" in start or b"<!ENTITY" in start:
            raise UploadError(
                f"{incoming.shown} declares a document type in {shown(member.name)}, as a bomb does; "
                "save it again."
            )


def _start_of(incoming: Incoming, name: str, size: int) -> bytes:
    if size <= _DTD_LOOK_BYTES:
        return read_member(incoming.path, name, _DTD_LOOK_BYTES).upper()
    try:
        with zipfile.ZipFile(incoming.path) as archive, archive.open(name) as part:
            return part.read(_DTD_LOOK_BYTES).upper()
    except (zipfile.BadZipFile, KeyError, OSError, zlib.error, EOFError, RuntimeError, NotImplementedError):
        raise UploadError(f"{incoming.shown} is cut off or broken; save it again.") from None


def _sheet_frame(
    rows: Iterable[tuple[Any, ...]], merged: Sequence[Range], incoming: Incoming
) -> tuple[pd.DataFrame, list[str]]:
    """The cells below the row that names the columns, merged ones filled; and what to say of it."""
    cells: list[list[Any]] = []
    widest = 0
    for row in rows:
        widest = max(widest, len(row))
        if (len(cells) + 1) * widest > MAX_CELLS or widest > MAX_COLUMNS:
            raise UploadError(f"{incoming.shown} has over {MAX_CELLS:,} cells; send it as CSV or Parquet.")
        cells.append(list(row))
    for wide in cells:
        wide += [None] * (widest - len(wide))
    if sum(_area(each, len(cells), widest) for each in merged) > len(cells) * widest:
        raise UploadError(f"{incoming.shown} has merged cells that lie over each other; save it again.")
    filled = _fill_merged(cells, merged)
    full_rows = [number for number, row in enumerate(cells) if any(cell is not None for cell in row)]
    kept = [cells[number] for number in full_rows]
    if not kept:
        raise UploadError(f"{incoming.shown} holds no cells in that sheet; send one with a table.")
    header, above, names = _header(kept)
    columns = {at: [_cell(row[at]) for row in kept[header + 1 :]] for at in range(widest)}
    frame = pd.DataFrame(columns).set_axis(names, axis=1)
    notes = []
    if above:
        notes.append(
            f"Above its header stands {', '.join(shown(each) for each in above[:3])}, which was left out."
        )
    if within := sum(1 for row in filled if row > full_rows[header]):
        are = "1 of its cells is a part of a merged one and was" if within == 1 else (
            f"{within:,} of its cells are parts of merged ones and were")  # fmt: skip
        notes.append(f"{are} filled with its value.")
    full = [bool(name) or frame.iloc[:, at].notna().any() for at, name in enumerate(names)]
    return frame.loc[:, full], notes


def _area(merged: Range, rows: int, columns: int) -> int:
    """How many cells of a sheet a block has."""
    left, top, right, bottom = merged
    return max(0, min(bottom, rows) - top + 1) * max(0, min(right, columns) - left + 1)


def _fill_merged(cells: list[list[Any]], merged: Sequence[Range]) -> list[int]:
    """Write the value of each merged cell into all of its cells; the rows, from 0, of those filled."""
    filled = []
    for left, top, right, bottom in merged:
        if top > len(cells) or left > len(cells[0]):
            continue
        value = cells[top - 1][left - 1]
        for number, row in enumerate(cells[top - 1 : bottom], start=top - 1):
            for column in range(left - 1, min(right, len(row))):
                if row[column] is None and value is not None:
                    row[column] = value
                    filled.append(number)
    return filled


def _header(rows: Sequence[Sequence[Any]]) -> tuple[int, list[str], list[str]]:
    """(the row that names the columns, the titles above it, the names).

    It is the first with at least half as many different cells as the widest of the first fifty rows has: a
    title fills one cell, merged or not. A row of groups above it, with texts alone as it has, goes before its
    names: "2020 births".
    """
    wide = [len({str(cell) for cell in row if cell is not None}) for row in rows[:50]]
    header = next(at for at, count in enumerate(wide) if count >= max(wide) / 2)
    groups: Sequence[Any] = ()
    after = rows[header + 1] if header + 1 < len(rows) else ()
    texts = [each for each in rows[header] if each is not None]
    below = [each for each in after if each is not None]
    repeated = len({str(each) for each in texts}) < len(texts)
    if (
        repeated
        and below
        and all(isinstance(each, str) for each in (*texts, *below))
        and header + 2 < len(rows)
    ):
        groups, header = rows[header], header + 1
    first = header - (1 if groups else 0)
    above = list(dict.fromkeys(str(cell) for row in rows[:first] for cell in row if cell is not None))
    names = []
    for at, cell in enumerate(rows[header]):
        group = groups[at] if groups else None
        name = "" if cell is None else str(cell).strip()
        names.append(
            name if group is None or str(group).strip() == name else f"{str(group).strip()} {name}".strip()
        )
    return header, above, names


def _marks(incoming: Incoming, sheet: Any) -> _Marks:
    """What a sheet's own XML tells of it: a workbook read row by row tells neither of these."""
    from openpyxl.utils.cell import range_boundaries

    merged: list[Range] = []
    empty = rows = columns = 0
    held = b""
    name = str(sheet._worksheet_path).lstrip("/")
    with zipfile.ZipFile(incoming.path) as archive, archive.open(name) as part:
        while True:
            piece = part.read(1 << 20)
            whole = held + piece
            # A cell or another element that the piece cuts in two is held back for the next one.
            cut = (whole.rfind(b"<c ") if b"<c " in whole else whole.rfind(b"<")) if piece else len(whole)
            whole, held = whole[:cut], whole[cut:]
            merged += [range_boundaries(each.decode()) for each in _MERGED.findall(whole)]
            empty += sum(1 for each in _FORMULA.finditer(whole) if b't="str"' not in each[0])
            rows += len(_HIDDEN_ROW.findall(whole))
            columns += len(_HIDDEN_COLUMN.findall(whole))
            if not piece or len(merged) >= MAX_MERGED or len(held) > MAX_HELD_BYTES:
                break
    return _Marks(merged, empty, rows, columns)


def _cell(value: Any) -> Any:
    """A cell as a table holds it: times as text in ISO 8601."""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value) if isinstance(value, timedelta) else value
