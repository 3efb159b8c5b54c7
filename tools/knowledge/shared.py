"""What the knowledge tools share: the base as the session's owner sees it, and how answers are said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from tools.base import Encode, ToolError, World
from tools.phrases import listed, number_of, one_line

if TYPE_CHECKING:
    from data.knowledge.answer import Answer
    from data.knowledge.base import Base
    from data.knowledge.dualrag import Guidance
    from data.knowledge.keywords import Keyword
    from data.knowledge.model import Passage
    from data.knowledge.own import People

QUOTED_CHARS = 4_000
Question = Annotated[
    str, Field(min_length=1, max_length=1_000, description="A question in words, or what to look for.")
]
Scope = Literal["all", "mine", "azimuth", "entries"]
InScope = Annotated[
    Scope,
    Field(
        description="all: everything; mine: documents that were added; azimuth: Azimuth's own manual; "
        "entries: what is written down of remote sensing."
    ),
]
Depth = Annotated[int, Field(ge=1, le=50, description="N of DualRAG: how many passages each path takes.")]


@contextmanager
def knowing() -> Iterator[None]:
    """Turn what goes wrong with the knowledge base into the tool's own sentence."""
    from data.knowledge.errors import KnowledgeError

    try:
        yield
    except KnowledgeError as error:
        raise ToolError(str(error)) from None


def encoder_of(world: World) -> Encode:
    """The embedded encoder. Raises ToolError where there is none."""
    if world.encode is None:
        raise ToolError("There is no sentence encoder here, so nothing can be looked up by its meaning.")
    return world.encode


def owner_of(world: World) -> str:
    """Whose documents are searched and added to."""
    from data.knowledge.own import MY_OWN

    return world.owner or MY_OWN


def people_of(world: World) -> People:
    """The documents of people. Raises ToolError where none can be kept."""
    from data.knowledge.own import People

    if world.knowledge is None:
        raise ToolError("No documents can be kept here; start Azimuth with a home folder of its own.")
    return People(world.knowledge)


def base_of(world: World, scope: Scope = "all") -> Base:
    """The knowledge base as the session's owner sees it. Raises ToolError for a scope that holds nothing."""
    from data.knowledge.base import Base, Seen
    from data.knowledge.built_in import built_in

    encode = encoder_of(world)
    with knowing():
        shelves: list[Seen] = []
        if scope in ("all", "entries", "azimuth"):
            shelf = built_in(encode)
            shelves.append(Seen(shelf, None if scope == "all" else shelf.documented(scope == "azimuth")))
        if scope in ("all", "mine") and world.knowledge is not None:
            shelves += people_of(world).seen(owner_of(world))
    if not shelves:
        raise ToolError(
            "No document was added yet; knowledge_add adds one, and the scope 'all' searches the rest."
        )
    return Base(tuple(shelves), encode)


def asked(text: str) -> str:
    """A question on one line. Raises ToolError for one of no words."""
    from data.knowledge.words import words_of

    plain = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    plain = plain.encode("utf-8", "replace").decode("utf-8")
    if not words_of(plain):
        raise ToolError(f"There are no words in {one_line(text)[:40]!r}; ask a question in words.")
    return plain


def source_data(number: int, passage: Passage) -> dict[str, Any]:
    """A passage as plain JSON, for a source card."""
    return {
        "n": number,
        "id": passage.id,
        "title": passage.title,
        "cited": passage.cited,
        "document": passage.document,
        "page": passage.page,
        "heading": passage.heading,
        "text": passage.text[:QUOTED_CHARS],
        "licence": passage.licence,
        "sources": list(passage.sources),
    }


def guidance_data(found: Guidance) -> dict[str, Any]:
    """A guidance as plain JSON."""
    return {
        "question": found.question,
        "keywords": keywords_data(found.keywords),
        "passages": [
            {**source_data(number, each.passage), "score": round(each.score, 4), "paths": list(each.paths)}
            for number, each in enumerate(found.guides, start=1)
        ],
    }


def keywords_data(keywords: tuple[Keyword, ...]) -> list[dict[str, Any]]:
    """Keywords as plain JSON."""
    return [{"text": each.text, "weight": each.weight} for each in keywords]


def answer_data(answer: Answer, found: Guidance) -> dict[str, Any]:
    """An answer as plain JSON."""
    return {
        "question": answer.question,
        "said": answer.said,
        "answer": answer.in_words(),
        "confidence": round(answer.confidence, 3),
        "quotes": [{"text": each.text, "source": each.source} for each in answer.quotes],
        "sources": [source_data(number, each) for number, each in enumerate(answer.sources, start=1)],
        "missing": list(answer.missing),
        "keywords": keywords_data(found.keywords),
    }


def said_answer(answer: Answer) -> str:
    """An answer with the list of its sources; what was not found where there is none."""
    if answer.said:
        names = "; ".join(f"[{n}] {one_line(each.cited)}" for n, each in enumerate(answer.sources, start=1))
        return f"{answer.in_words()} Sources: {names}."
    missing = (
        f" Nothing that was found speaks of {listed(map(repr, answer.missing), 4)}." if answer.missing else ""
    )
    return f"{answer.in_words()}{missing}"


def passages_in_words(count: int) -> str:
    """`1 passage`, `1,200 passages`."""
    return number_of(count, "passage")
