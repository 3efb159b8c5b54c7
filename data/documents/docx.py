"""Word documents: headings, paragraphs and tables in their order, by python-docx. Macros are never run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.documents.errors import DocumentError
from data.documents.text import tidy
from data.uploads.archive import Limits, listing
from data.uploads.errors import UploadError

_LIMITS = Limits(members=5_000, total_bytes=300_000_000, small_bytes=20_000_000)
MAX_BLOCKS = 200_000

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Docx:
    """What a Word document holds."""

    text: str
    """Markdown: headings with #, tables with their cells between bars."""
    headings: tuple[tuple[int, str], ...]
    """(level, text); the title has level 0."""
    paragraphs: int
    tables: tuple[Rows, ...]
    title: str | None = None
    author: str | None = None


def read_docx(path: Path) -> Docx:
    """The text, headings and tables of a document. Raises DocumentError for one that is broken."""
    try:
        listing(path, _LIMITS)
    except UploadError as error:
        raise DocumentError(f"The document cannot be unpacked: {error}") from None
    try:
        return _read(path)
    except (DocumentError, MemoryError):
        raise
    except Exception as error:
        # Broken XML and missing parts come as errors of lxml, zipfile, KeyError, ValueError …
        raise DocumentError("The Word document is broken and cannot be read; save it again.") from error


def _read(path: Path) -> Docx:
    import docx
    from docx.table import Table

    document = docx.Document(str(path))
    lines: list[str] = []
    headings: list[tuple[int, str]] = []
    tables: list[Rows] = []
    paragraphs = 0
    for number, block in enumerate(document.iter_inner_content()):
        if number >= MAX_BLOCKS:
            raise DocumentError(f"The document has more than {MAX_BLOCKS:,} paragraphs; split it first.")
        if isinstance(block, Table):
            tables.append(_rows(block))
            lines.extend((_bars(tables[-1]), ""))
            continue
        text = _line(block.text)
        if not text:
            continue
        level = _level(block.style.name if block.style is not None else None)
        if level is None:
            paragraphs += 1
            lines.extend((text, ""))
        else:
            headings.append((level, text))
            lines.extend((f"{'#' * max(1, level)} {text}", ""))
    about = document.core_properties
    return Docx(
        text="\n".join(lines).strip(),
        headings=tuple(headings),
        paragraphs=paragraphs,
        tables=tuple(tables),
        title=_line(about.title)[:200] or None,
        author=_line(about.author)[:200] or None,
    )


def _rows(table: Any) -> Rows:
    """The cells; one that spans several columns stands in the first of them."""
    found = []
    for row in table.rows:
        cells, seen = [], None
        for cell in row.cells:
            cells.append("" if cell._tc is seen else _line(cell.text))
            seen = cell._tc
        found.append(tuple(cells))
    return tuple(found)


def _bars(rows: Rows) -> str:
    lines = [f"| {' | '.join(each.replace('|', '/') for each in row)} |" for row in rows]
    if lines:
        lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


def _level(style: str | None) -> int | None:
    """The level of a heading's style: `Heading 2` is 2, `Title` 0."""
    if style == "Title":
        return 0
    found = re.fullmatch(r"[Hh]eading ([1-9])", style or "")
    return int(found[1]) if found else None


def _line(text: str | None) -> str:
    return " ".join(tidy(text or "").split())
