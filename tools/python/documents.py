"""Documents that tools read, and the texts that they make of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field

from state.model import Artifact, State
from tools.artifacts import Call, Input, write_about
from tools.base import Step, ToolError, World
from tools.phrases import listed, number_of, one_line

Found = TypeVar("Found")

EXTRACT_CHARS = 600
"""How much of a text goes into an observation; the document holds all of it."""
QUOTED_CHARS = 4_000
"""How much goes into the data, for an answer to quote."""

DocumentHandle = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="A document: its id, or the name of the file that it was.",
        json_schema_extra={"format": "document"},
    ),
]


@dataclass(frozen=True)
class Document:
    """A document that a call works on."""

    handle: str
    path: Path
    name: str
    key: str


def document_of(state: State, world: World, handle: str, *suffixes: str) -> Document:
    """The document of that id or name, of one of those suffixes when any are given.

    Raises ToolError with the nearest ones, or with what the document is instead.
    """
    artifact = state.artifact(handle) or _named(state, world, handle)
    if artifact is None or artifact.kind != "document":
        raise ToolError(_no_document(state, handle, artifact))
    path = world.artifacts.find(artifact.id)
    if path is None:
        raise ToolError(f"The file of {artifact.id} is gone; {artifact.made_by} makes it again.")
    if suffixes and path.suffix not in suffixes:
        kind, wanted = _a(path.suffix.lstrip(".") or "nameless"), _a(suffixes[0].lstrip("."))
        reader = _READERS.get(path.suffix, "another tool")
        raise ToolError(
            f"{artifact.id} ({one_line(artifact.name)}) is {kind}, not {wanted}; {reader} reads it."
        )
    return Document(artifact.id, path, artifact.name, artifact.id)


def read_apart(world: World, work: partial[Found], found: Document, folder: Path | None = None) -> Found:
    """What reading a document gives, in a process of its own (`data.apart`). Raises DocumentError.

    What it makes is written in `folder`.
    """
    from data.documents.errors import DocumentError

    return world.reader.read(
        work, about=one_line(found.name), error=DocumentError, reads=[found.path], folder=folder
    )


def text_step(
    state: State,
    world: World,
    call: Call,
    inputs: Sequence[Input],
    text: str,
    *,
    name: str,
    said: str,
    shown: int = EXTRACT_CHARS,
    **data: Any,
) -> Step:
    """Keep a text as a document (.txt, UTF-8) and say how it begins.

    What a file says is data: the observation marks it as such, on one line, and never as its own words.
    """
    summary = number_of(len(text), "character")
    artifact = call.artifact("document", state, name[:100], summary, inputs)
    written(world.artifacts.path(artifact.id, ".txt"), text)
    write_about(world, artifact, call, inputs)
    words = len(text.split())
    facts = {"document": artifact.id, "characters": len(text), "words": words, "text": text[:QUOTED_CHARS]}
    quoted = f" Text of the file, as data: {extract(text, shown)}" if text.strip() else " It holds no text."
    observation = f"{said} The text, {number_of(words, 'word')}, is {artifact.id}.{quoted}"
    return Step(state.with_artifact(artifact), observation, {**facts, **data})


def written(path: Path, text: str) -> None:
    """Write a text whole or not at all."""
    part = path.with_name(f".{path.name}.writing")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def extract(text: str, most: int = EXTRACT_CHARS) -> str:
    """The beginning of a text between quotation marks, on one line, without control characters."""
    plain = " ".join("".join(each if each.isprintable() else " " for each in text[: most * 2]).split())
    cut = plain[:most].rpartition(" ")[0] if len(plain) > most else plain
    return f"«{cut or plain[:most]}{' …' if len(cut) < len(plain) or len(text) > most * 2 else ''}»"


_READERS = {
    ".pdf": "read_pdf", ".docx": "read_docx", ".html": "read_html", ".txt": "read_text", ".csv": "read_csv",
    ".json": "read_json", ".xml": "read_xml", ".zip": "list_archive", ".md": "read_text",
    ".geojson": "read_json", ".ipynb": "read_json",
}  # fmt: skip


def _a(word: str) -> str:
    return f"{'an' if word[:1] in 'aeiou' or word in ('html', 'xml') else 'a'} {word} file"


def _named(state: State, world: World, name: str) -> Artifact | None:
    """The newest document of that name, with or without its file's suffix, else the newest artifact of it."""
    wanted = name.strip().casefold()
    same = [each for each in reversed(state.artifacts) if each.name.casefold() == wanted]
    documents = [each for each in reversed(state.artifacts) if each.kind == "document"]
    found = next((each for each in same if each in documents), None)
    return found or next(
        (each for each in documents if _file_name(world, each) == wanted), same[0] if same else None
    )


def _file_name(world: World, artifact: Artifact) -> str:
    """What the file was called that became the artifact: `report.pdf` of `report`."""
    path = world.artifacts.find(artifact.id)
    return f"{artifact.name}{'' if path is None else path.suffix}".casefold()


def _no_document(state: State, asked: str, found: Artifact | None) -> str:
    known = {each.id: each.name for each in state.artifacts if each.kind == "document"}
    if found is not None:
        problem = f"{asked!r} is a {found.kind}, not a document."
    else:
        problem = f"There is no document {asked!r}."
    if not known:
        return f"{problem} There is no document yet; add_file brings one in from a file."
    near = get_close_matches(asked, [*known, *known.values()], n=1)
    if near:
        return f"{problem} Did you mean {near[0]!r}?"
    names = [f"{key} ({one_line(name)})" for key, name in list(known.items())[-6:]]
    return f"{problem} There are {listed(names)}."
