"""Texts as vectors and as tokens."""

from __future__ import annotations

import json
import warnings
from functools import cache, partial
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.artifacts import Call, write_about
from tools.base import Step, ToolError, World, tool
from tools.openai.asking import address_of, embedded
from tools.phrases import number_of, one_line
from tools.python.documents import DocumentHandle, document_of, read_apart, written
from tools.units import Words

EMBEDDED = "all-MiniLM-L6-v2"
_COMPARED = 12
"""Of no more texts than this the data hold how alike each two are."""
_MAX_TEXT_CHARS = 100_000
_TEXT_SUFFIXES = (".txt", ".md", ".csv", ".json", ".geojson", ".xml", ".html", ".log")


@tool("openai", changes_state=True, gives=("document",), external=True)
def embeddings(
    state: State,
    world: World,
    *,
    texts: Annotated[Words, Field(description="The texts, up to 100.")],
    source: Annotated[
        Literal["embedded", "endpoint"],
        Field(description="The model inside Azimuth, offline, or that of the configured server."),
    ] = "embedded",
    model: Annotated[str, Field(max_length=100, description="The endpoint's embedding model.")] = (
        "text-embedding-3-small"
    ),
) -> Step:
    """Turn texts into vectors, and tell how alike they are (cosine).

    The embedded model is all-MiniLM-L6-v2 with 384 dimensions, which reads the first 256 tokens of a text.
    The vectors become a JSON document with the texts beside them.

    Example: copilot call embeddings texts='["ships in the harbour", "vessels at the quay", "wheat fields"]'

    Asked as: embed these texts | embeddings of the descriptions | how similar are these two sentences |
    vector of this text | cosine similarity of the phrases | turn the notes into embeddings
    """
    if any(len(each) > _MAX_TEXT_CHARS for each in texts):
        raise ToolError(f"A text is longer than {_MAX_TEXT_CHARS:,} characters; split it first.")
    if not all(each.strip() for each in texts):
        raise ToolError("A text is empty; each must hold something to embed.")
    texts = [each.encode("utf-8", "replace").decode("utf-8") for each in texts]
    if source == "endpoint":
        vectors, name = embedded(address_of(world), texts, model), one_line(model)
    else:
        if world.encode is None:
            raise ToolError("The embedded encoder is not here; source=endpoint asks the configured server.")
        vectors, name = [[round(float(v), 7) for v in row] for row in world.encode(texts)], EMBEDDED
    call = Call.of(embeddings, texts=texts, source=source, model=model)
    summary = f"{number_of(len(texts), 'vector')} of {len(vectors[0])}"
    artifact = call.artifact("document", state, f"Embeddings of {number_of(len(texts), 'text')}", summary, [])
    kept = {"model": name, "dimensions": len(vectors[0]), "texts": texts, "embeddings": vectors}
    written(world.artifacts.path(artifact.id, ".json"), json.dumps(kept, ensure_ascii=False))
    write_about(world, artifact, call, [])
    alike = _alike(vectors)
    facts: dict[str, Any] = {"document": artifact.id, "model": name, "dimensions": len(vectors[0])}
    facts |= {"texts": len(texts), "similarity": alike if len(texts) <= _COMPARED else None}
    said = f"{number_of(len(texts), 'text')} became vectors of {len(vectors[0])} numbers by {name}."
    return Step(
        state.with_artifact(artifact), f"{said}{_nearest(texts, alike)} The document is {artifact.id}.", facts
    )


@tool("openai")
def token_count(
    state: State,
    world: World,
    *,
    text: Annotated[str | None, Field(max_length=1_000_000, description="The text to count.")] = None,
    document: Annotated[DocumentHandle | None, Field(description="A text document instead.")] = None,
    encoding: Annotated[
        Literal["o200k_base", "cl100k_base"],
        Field(description="The tokenizer: of gpt-4o and later models, or of gpt-4 and gpt-3.5."),
    ] = "o200k_base",
) -> Step:
    """Count the tokens that a text costs a model, offline.

    Byte-pair encodings by bpe-openai. What looks like a special token is counted as text.

    Example: copilot call token_count text="Ships in the harbour of Rotterdam"

    Asked as: how many tokens is this | token count of the text | what would this prompt cost in tokens |
    count tokens of the document | is this text too long for the model | tokens in the note
    """
    if (text is None) == (document is None):
        raise ToolError("token_count needs a text or a document, one of them.")
    if document is not None:
        from data.documents.errors import DocumentError
        from data.documents.text import read_text

        found = document_of(state, world, document)
        if found.path.suffix not in _TEXT_SUFFIXES:
            document_of(state, world, document, ".txt")  # says which tool reads it
        try:
            text = read_apart(world, partial(read_text, found.path), found).text
        except DocumentError as error:
            raise ToolError(str(error)) from None
    assert text is not None
    plain = text.encode("utf-8", "replace").decode("utf-8")
    count = len(_encoding(encoding).encode_ordinary(plain))
    of = one_line(document) if document is not None else "The text"
    said = f"{of} has {number_of(count, 'token')} in {encoding} for {number_of(len(plain), 'character')}."
    return Step(state, said, {"tokens": count, "characters": len(plain), "encoding": encoding})


def _alike(vectors: list[list[float]]) -> list[list[float]]:
    """The cosine of each two vectors, six decimals; -1 for opposite, 1 for alike."""
    import numpy as np

    rows = np.array(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = rows / np.where(lengths > 0, lengths, 1)
    return [[round(float(value), 6) + 0.0 for value in row] for row in unit @ unit.T]


def _nearest(texts: list[str], alike: list[list[float]]) -> str:
    pairs = [(alike[i][j], i, j) for i in range(len(texts)) for j in range(i + 1, len(texts))]
    if not pairs:
        return ""
    value, one, other = max(pairs, key=lambda each: (each[0], -each[1], -each[2]))
    return f" Most alike are texts {one + 1} and {other + 1}, with a cosine of {value:.3f}."


@cache
def _encoding(name: str) -> Any:
    with warnings.catch_warnings():
        # Its package reads its own data in a way that Python 3.11 has deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding(name)


TOOLS = (embeddings, token_count)
