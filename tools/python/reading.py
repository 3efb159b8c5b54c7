"""Read PDF files, Word documents, HTML pages and plain texts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.phrases import listed, number_of, one_line
from tools.python.documents import (
    Document,
    DocumentHandle,
    document_of,
    extract,
    read_apart,
    text_step,
)
from tools.python.sources import opened_as, source_or_document
from tools.tables import table_of_inputs

if TYPE_CHECKING:
    import pandas as pd

_SHOWN_HEADINGS = 12
_SHOWN_CHARS = 2_500
_SHOWN_LINKS = 100
_TEXTS = (".txt", ".md", ".csv", ".tsv", ".json", ".geojson", ".xml", ".html", ".log", ".py", ".prj")
"""What read_text takes: all that is text, whatever else it is."""


@tool("python", changes_state=True, needs=("document",), gives=("document",))
def read_pdf(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    first_page: Annotated[int, Field(ge=1, le=100_000, description="The first page to read.")] = 1,
    last_page: Annotated[
        int | None, Field(ge=1, le=100_000, description="The last page to read; all of them when left out.")
    ] = None,
) -> Step:
    """Read the text of a PDF, all of it or some pages.

    pypdf; pages of pictures have no text, and encrypted files are told. At most 500 pages a call.

    Example: copilot call read_pdf document=document-9df000 last_page=1

    Asked as: what does the PDF say | read the report | text of pages 2 to 5 | open the pdf file | extract the
    text from the PDF | how many pages has the report | who wrote this PDF
    """
    from data.documents.errors import DocumentError
    from data.documents.pdf import read_pdf as pdf_of

    found = document_of(state, world, document, ".pdf")
    try:
        pdf = read_apart(world, partial(pdf_of, found.path, first_page, last_page), found)
    except DocumentError as error:
        raise ToolError(str(error)) from None
    end = first_page + len(pdf.texts) - 1
    which = f"page {first_page}" if end == first_page else f"pages {first_page} to {end}"
    of = f", read {which}" if len(pdf.texts) < pdf.pages else ""
    titled = f", titled {extract(pdf.title)}" if pdf.title else ""
    empty = [first_page + at for at, text in enumerate(pdf.texts) if not text]
    without = f" {number_of(len(empty), 'page')} of them hold no text, only pictures." if empty else ""
    facts: dict[str, Any] = {
        "pages": pdf.pages,
        "first_page": first_page,
        "last_page": end,
        "title": pdf.title,
        "author": pdf.author,
        "pages_without_text": empty[:100],
        "source": found.handle,
    }
    call = Call.of(read_pdf, document=found.handle, first_page=first_page, last_page=last_page)
    said = f"{one_line(found.name)} has {number_of(pdf.pages, 'page')}{titled}{of}.{without}"
    text = "\n\n".join(f"[page {first_page + at}]\n{page}" for at, page in enumerate(pdf.texts) if page)
    return text_step(state, world, call, [found], text, name=f"Text of {found.name}", said=said, **facts)


@tool("python", changes_state=True, needs=("document",), gives=("document", "table"))
def read_docx(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    table: Annotated[
        int | None,
        Field(ge=1, le=1_000, description="Take this table out, the first is 1, instead of the text."),
    ] = None,
) -> Step:
    """Read a Word document: headings, paragraphs and tables as text, or one of its tables as a table.

    python-docx; macros and embedded objects are left alone. A table's first row names its columns.

    Example: copilot call read_docx document=document-d0c000

    Asked as: read the Word document | what is in the docx | headings of the notes | summarise the Word file |
    take the table out of the Word document | text of notes.docx
    """
    from data.documents.docx import read_docx as docx_of
    from data.documents.errors import DocumentError

    found = document_of(state, world, document, ".docx")
    try:
        docx = read_apart(world, partial(docx_of, found.path), found)
    except DocumentError as error:
        raise ToolError(str(error)) from None
    call = Call.of(read_docx, document=found.handle, table=table)
    name = one_line(found.name)
    if table is not None:
        if table > len(docx.tables):
            has = number_of(len(docx.tables), "table") if docx.tables else "no table"
            raise ToolError(f"There is no table {table} in {name}, which has {has}.")
        return _table(state, world, call, found, docx.tables[table - 1], f"Table {table} of {name}")
    headings = [text for _, text in docx.headings]
    told = f": {listed(headings, _SHOWN_HEADINGS)}" if headings else ""
    said = (
        f"{name} has {number_of(docx.paragraphs, 'paragraph')}, {number_of(len(docx.tables), 'table')} and "
        f"{number_of(len(headings), 'heading')}{told}."
    )
    facts: dict[str, Any] = {
        "paragraphs": docx.paragraphs,
        "tables": len(docx.tables),
        "headings": headings[:100],
        "title": docx.title,
        "author": docx.author,
        "source": found.handle,
    }
    return text_step(state, world, call, [found], docx.text, name=f"Text of {found.name}", said=said, **facts)


@tool("python", changes_state=True, needs=("document",), gives=("document",))
def read_html(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    main: Annotated[
        bool, Field(description="Only the main part, without menus and footers; else all of the text.")
    ] = True,
) -> Step:
    """Read a saved HTML page: its title, its text and its links. Scripts never run.

    BeautifulSoup, the main part by trafilatura. What the page hides from its reader is left out.

    Example: copilot call read_html document=document-b7b100

    Asked as: what does the html page say | read the saved web page | title of page.html | which links are in
    the html file | text of the page | open the html document
    """
    from data.documents.errors import DocumentError
    from data.documents.html import read_html as html_of

    found = document_of(state, world, document, ".html")
    try:
        page = read_apart(world, partial(html_of, found.path, main=main), found)
    except DocumentError as error:
        raise ToolError(str(error)) from None
    titled = f"is titled {extract(page.title)}" if page.title else "has no title"
    said = f"{one_line(found.name)} {titled} and has {number_of(len(page.links), 'link')}."
    links = [{"text": text, "address": address} for text, address in page.links[:_SHOWN_LINKS]]
    return text_step(
        state,
        world,
        Call.of(read_html, document=found.handle, main=main),
        [found],
        page.text,
        name=f"Text of {found.name}",
        said=said,
        title=page.title,
        links=links,
        language=page.language,
        source=found.handle,
    )


@tool("python", changes_state=True, gives=("document",))
def read_text(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    first_line: Annotated[int, Field(ge=1, le=10**9, description="The first line to read.")] = 1,
    lines: Annotated[
        int | None, Field(ge=1, le=10**9, description="How many lines; all of them when left out.")
    ] = None,
) -> Step:
    """Read a text file, whatever its encoding, all of it or some lines.

    By its byte order mark, else UTF-8, else the likeliest of the older encodings (charset-normalizer). Of a
    text file that became a layer or a table (CSV, GeoJSON, KML) it is the file as it came in, by its name or
    what it became.

    Example: copilot call read_text document=document-d0c0d0

    Asked as: read the text file | what does the note say | show the first ten lines of the log | open the
    txt | print the readme | which encoding has this file
    """
    from data.documents.errors import DocumentError
    from data.documents.text import read_text as text_of
    from data.documents.text import tidy

    opened = opened_as(state, world, document)
    found = source_or_document(state, world, document)
    if opened is None and found.path.suffix not in _TEXTS:
        document_of(state, world, document, ".txt")  # says which tool reads it
    try:
        read = read_apart(world, partial(text_of, found.path), found)
    except DocumentError as error:
        raise ToolError(str(error)) from None
    every = tidy(read.text).split("\n")
    if every[-1] == "":
        every.pop()
    if first_line > max(1, len(every)):
        raise ToolError(
            f"{one_line(found.name)} has {number_of(len(every), 'line')}; there is no {first_line}."
        )
    chosen = every[first_line - 1 : None if lines is None else first_line - 1 + lines]
    came = "" if opened is None else f", open as {one_line(opened.name)} ({opened.id}), as it came in"
    part = f", of which {number_of(len(chosen), 'line')} from line {first_line} on were read"
    said = (
        f"{one_line(found.name)}{came} has {number_of(len(every), 'line')} in {read.encoding}"
        f"{', as far as can be told' if read.guessed else ''}{part if len(chosen) < len(every) else ''}."
    )
    call = Call.of(read_text, document=found.handle, first_line=first_line, lines=lines)
    return text_step(
        state,
        world,
        call,
        [found],
        "\n".join(chosen),
        name=f"Text of {found.name}",
        said=said,
        shown=_SHOWN_CHARS,
        lines=len(every),
        encoding=read.encoding,
        source=found.handle,
    )


def _table(
    state: State, world: World, call: Call, source: Document, rows: tuple[tuple[str, ...], ...], name: str
) -> Step:
    """A document's table as one of the session; numbers become numbers where a column holds no others."""
    import pandas as pd

    if len(rows) < 2:
        raise ToolError(f"{name} has {number_of(len(rows), 'row')}, which leaves none below its header.")
    header = [each or f"column_{number}" for number, each in enumerate(rows[0], 1)]
    names = [each if header.index(each) == at else f"{each}_{at + 1}" for at, each in enumerate(header)]
    body = [tuple((*row, *[""] * len(names))[: len(names)]) for row in rows[1:]]
    frame = pd.DataFrame(body, columns=pd.Index(names)).apply(_numbers)
    said = f"{name} has {number_of(len(frame), 'row')} and the columns {listed(names)}."
    return table_of_inputs(state, world, [source], frame, call, name, said)


def _numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    import pandas as pd

    filled = column.where(column != "", None)
    numbers = pd.to_numeric(filled, errors="coerce")
    return numbers if numbers.notna().sum() == filled.notna().sum() and numbers.notna().any() else filled


TOOLS = (read_pdf, read_docx, read_html, read_text)
