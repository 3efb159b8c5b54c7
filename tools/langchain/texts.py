"""Where the texts of a call come from: given ones, a table's column, or a document read in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from state.model import State
from tools.artifacts import Input
from tools.base import ToolError, World
from tools.data.source import column_in
from tools.phrases import number_of
from tools.python.documents import DocumentHandle, document_of, read_apart
from tools.rows import load_table
from tools.tables import plain_value
from tools.units import TableId

if TYPE_CHECKING:
    from langchain_text_splitters import TextSplitter

MAX_TEXTS = 5_000
MAX_CHARS = 2_000_000
"""How much text one call reads, from a document or given."""
Format = Literal["text", "markdown", "html", "latex", "python"]


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


GivenTexts = Annotated[
    list[Annotated[str, Field(max_length=20_000)]],
    BeforeValidator(_one_or_more),
    Field(min_length=1, max_length=1_000),
]
Texts = Annotated[GivenTexts | None, Field(description="The texts themselves.")]
FromTable = Annotated[TableId | None, Field(description="A table whose column holds the texts.")]
FromColumn = Annotated[
    str | None,
    Field(
        min_length=1, max_length=100, description="The table's column of texts; `text`, else its first one."
    ),
]
FromDocument = Annotated[DocumentHandle | None, Field(description="A document, which is read in pieces.")]
PieceChars = Annotated[int, Field(ge=50, le=10_000, description="Longest piece, characters.")]
Overlap = Annotated[
    int, Field(ge=0, le=5_000, description="Characters that a piece repeats of the one before it.")
]


@dataclass(frozen=True)
class Piece:
    """A text with where it is from."""

    text: str
    source: str
    page: int | None = None
    start: int = 0
    """Characters from the beginning of the page or the whole."""


@dataclass(frozen=True)
class Origin:
    """What texts were taken from, as an artifact's input."""

    handle: str
    name: str
    key: str


def plain(text: str) -> str:
    """A text that any encoder and file takes: half a surrogate pair becomes a question mark, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


def clean(texts: Sequence[str] | None) -> list[str] | None:
    """Given texts as they may be kept and hashed."""
    return None if texts is None else [plain(each) for each in texts]


def pieces_from(
    state: State,
    world: World,
    texts: Sequence[str] | None,
    table: str | None,
    column: str | None,
    document: str | None,
    size: int = 1000,
    overlap: int = 0,
) -> tuple[list[Piece], list[Input]]:
    """(the texts without blank ones, what they were taken from). ToolError unless one source is named."""
    if sum(each is not None for each in (texts, table, document)) != 1:
        raise ToolError("Name the texts in one way: texts, or a table with its column, or a document.")
    origins: list[Input] = []
    if texts is not None:
        found = [Piece(each, "given") for each in texts]
    elif table is not None:
        found = list(_of_table(state, world, table, column))
        artifact = state.artifact(table)
        origins = [Origin(table, artifact.name if artifact else table, table)]
    else:
        read, origin = document_pieces(state, world, str(document), size, overlap)
        found, origins = read, [origin]
    found = [each for each in found if each.text.strip()]
    if not found:
        raise ToolError("There is no text in it: everything named is empty or blank.")
    if len(found) > MAX_TEXTS:
        raise ToolError(
            f"There are {number_of(len(found), 'text')}, and {MAX_TEXTS:,} are the most; take fewer "
            "or larger ones."
        )
    return found, origins


def document_pieces(
    state: State, world: World, handle: str, size: int, overlap: int, kind: Format = "text"
) -> tuple[list[Piece], Input]:
    """(a document's text in pieces with their pages, the document). Raises ToolError."""
    found = document_of(state, world, handle)
    pages = document_pages(state, world, handle)
    splitter = splitter_of(size, overlap, kind)
    pieces = [
        replace(piece, source=found.name, page=page)
        for page, text in pages
        for piece in split(splitter, text)
    ]
    return pieces, found


def document_pages(state: State, world: World, handle: str) -> list[tuple[int | None, str]]:
    """A document's text, (page, text) by page where it has pages. Raises ToolError for what holds no text."""
    from data.documents.docx import read_docx
    from data.documents.errors import DocumentError
    from data.documents.html import read_html
    from data.documents.pdf import read_pdf
    from data.documents.text import read_text, tidy

    found = document_of(state, world, handle)
    suffix = found.path.suffix
    try:
        if suffix == ".pdf":
            pdf = read_apart(world, partial(read_pdf, found.path, 1, None), found)
            pages: list[tuple[int | None, str]] = [
                (pdf.first + at, plain(text)) for at, text in enumerate(pdf.texts)
            ]
        elif suffix == ".docx":
            pages = [(None, plain(read_apart(world, partial(read_docx, found.path), found).text))]
        elif suffix == ".html":
            pages = [(None, plain(read_apart(world, partial(read_html, found.path, main=True), found).text))]
        elif suffix in (".zip", ".xlsx", ".parquet"):
            raise ToolError(
                f"{found.handle} ({found.name}) is a {suffix[1:]} file and holds no running text."
            )
        else:
            pages = [(None, plain(tidy(read_apart(world, partial(read_text, found.path), found).text)))]
    except DocumentError as error:
        raise ToolError(str(error)) from None
    characters = sum(len(text) for _, text in pages)
    if characters == 0:
        raise ToolError(f"{found.name} holds no text; pages that are pictures have none.")
    if characters > MAX_CHARS:
        raise ToolError(
            f"{found.name} has {number_of(characters, 'character')}; {MAX_CHARS:,} are the most, so read "
            "a part of it into a document first."
        )
    return pages


def splitter_of(size: int, overlap: int, kind: Format = "text") -> TextSplitter:
    """LangChain's splitter: at paragraphs, else lines, sentences, words. Too much overlap is a ToolError."""
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    if overlap >= size:
        raise ToolError(
            f"An overlap of {overlap} leaves nothing new in pieces of {size} characters; take less."
        )
    shape: dict[str, Any] = {"chunk_size": size, "chunk_overlap": overlap, "add_start_index": True}
    if kind == "text":
        separators = ["\n\n", "\n", ". ", "! ", "? ", "; ", ", ", " ", ""]
        return RecursiveCharacterTextSplitter(separators=separators, keep_separator="end", **shape)
    return RecursiveCharacterTextSplitter.from_language(Language(kind), **shape)


def split(splitter: TextSplitter, text: str) -> list[Piece]:
    """A text in pieces, each with where it starts."""
    return [
        Piece(each.page_content, "", start=int(each.metadata["start_index"]))
        for each in splitter.create_documents([text])
        if each.page_content.strip()
    ]


def text_column(frame: Any, column: str | None) -> str:
    """The column of texts that is named, else `text`, else the first that holds texts. Raises ToolError."""
    import pandas as pd

    if column is not None:
        return column_in(frame, column)
    names = [str(name) for name in frame.columns]
    for name in (*[each for each in names if each.casefold() == "text"], *names):
        values = frame[name].dropna()
        if not pd.api.types.is_numeric_dtype(values) and all(
            isinstance(each, str) for each in values.head(50)
        ):
            return name
    raise ToolError("The table has no column of texts; name one in column.")


def _of_table(state: State, world: World, table: str, column: str | None) -> Iterator[Piece]:
    frame = load_table(state, world, table)
    name = text_column(frame, column)
    sources = (
        frame["source"] if "source" in frame else [f"{table} row {row}" for row in range(1, len(frame) + 1)]
    )
    for value, source in zip(frame[name], sources, strict=True):
        shown = plain_value(value)
        if shown is not None:
            yield Piece(plain(str(shown)), str(source))
