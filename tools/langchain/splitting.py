"""Cut texts and documents into pieces, as tables that know where each piece is from."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.artifacts import Call, Input
from tools.base import Step, ToolError, World, tool
from tools.langchain.texts import (
    MAX_TEXTS,
    Format,
    FromDocument,
    Overlap,
    Piece,
    PieceChars,
    document_pieces,
    plain,
    split,
    splitter_of,
)  # fmt: skip
from tools.phrases import number_of, one_line
from tools.python.documents import DocumentHandle, extract
from tools.tables import table_of_inputs

Kind = Annotated[
    Format, Field(description="What the text is: its headings, tags or functions are where it is cut first.")
]


@tool("langchain", changes_state=True, gives=("table",))
def split_text(
    state: State,
    world: World,
    *,
    text: Annotated[
        str | None, Field(min_length=1, max_length=500_000, description="The text itself.")
    ] = None,
    document: FromDocument = None,
    size: PieceChars = 1000,
    overlap: Overlap = 0,
    kind: Kind = "text",
) -> Step:
    """Split a text or a document into pieces of so many characters at most, at paragraphs and sentences.

    LangChain's recursive splitter: at blank lines, else at lines, sentences, words. The table has each piece
    with its source, page and first character.

    Example: copilot call split_text document=document-d0c0d0 size=50

    Asked as: split the text into chunks of 500 characters | cut the report into pieces | chunk this document
    with an overlap of 100 | break the notes up into paragraphs | make passages of the text | divide it into
    sections
    """
    text = None if text is None else plain(text)
    if (text is None) == (document is None):
        raise ToolError("split_text takes a text or a document, one of the two.")
    inputs: list[Input] = []
    if text is not None:
        pieces = [replace(each, source="given") for each in split(splitter_of(size, overlap, kind), text)]
    else:
        pieces, origin = document_pieces(state, world, str(document), size, overlap, kind)
        inputs = [origin]
    call = Call.of(split_text, text=text, document=document, size=size, overlap=overlap, kind=kind)
    return _table(state, world, call, inputs, pieces, "Split")


@tool("langchain", changes_state=True, needs=("document",), gives=("table",))
def load_document(
    state: State,
    world: World,
    *,
    document: DocumentHandle,
    size: PieceChars = 1000,
    overlap: Overlap = 0,
) -> Step:
    """Load a document as a table of its text in pieces, each with its source and page.

    PDF by its pages, Word, HTML (its main part) and plain texts; scripts and macros never run. The pieces are
    cut as split_text cuts them.

    Example: copilot call load_document document=document-9df000 size=300

    Asked as: load the PDF as passages | get the report into a table with page numbers | open the document as
    text pieces | ingest the Word file for retrieval | passages of the pdf with their pages | load notes.docx
    in chunks
    """
    pieces, origin = document_pieces(state, world, document, size, overlap)
    call = Call.of(load_document, document=document, size=size, overlap=overlap)
    return _table(state, world, call, [origin], pieces, "Loaded")


def _table(
    state: State, world: World, call: Call, inputs: list[Input], pieces: list[Piece], verb: str
) -> Step:
    import pandas as pd

    if not pieces:
        raise ToolError("The text is blank; there is nothing to split.")
    if len(pieces) > MAX_TEXTS * 4:
        raise ToolError(
            f"That would be {len(pieces):,} pieces; {MAX_TEXTS * 4:,} are the most, so make them larger."
        )
    frame = pd.DataFrame(
        {
            "piece": range(1, len(pieces) + 1),
            "source": [each.source for each in pieces],
            "page": pd.array([each.page for each in pieces], dtype="Int64"),
            "start": [each.start for each in pieces],
            "characters": [len(each.text) for each in pieces],
            "text": [each.text for each in pieces],
        }
    )
    lengths = frame["characters"]
    pages = sorted({each.page for each in pieces if each.page is not None})
    source = one_line(pieces[0].source)
    of = f" of {number_of(len(pages), 'page')}" if pages else ""
    said = (
        f"{verb} {source} into {number_of(len(pieces), 'piece')}{of}, {lengths.min():,} to {lengths.max():,} "
        f"characters each. The first, as data: {extract(pieces[0].text, 200)}."
    )
    facts: dict[str, Any] = {"pieces": len(pieces), "pages": len(pages), "source": source}
    name = f"Pieces of {source}"[:100]
    return table_of_inputs(state, world, inputs if inputs else None, frame, call, name, said, **facts)


TOOLS = (split_text, load_document)
