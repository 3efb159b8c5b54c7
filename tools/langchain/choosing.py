"""Pick examples for a task: those nearest in meaning to what is asked."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.langchain.stores import encoder_of
from tools.langchain.texts import MAX_TEXTS, FromColumn, FromTable, Texts, plain, text_column
from tools.phrases import number_of, one_line
from tools.python.documents import extract
from tools.rows import load_table
from tools.tables import plain_rows

_QUOTED_CHARS = 2_000


@tool("langchain")
def select_examples(
    state: State,
    world: World,
    *,
    query: Annotated[str, Field(min_length=1, max_length=2_000, description="What examples are wanted for.")],
    texts: Texts = None,
    table: FromTable = None,
    column: FromColumn = None,
    k: Annotated[int, Field(ge=1, le=50, description="How many examples.")] = 3,
) -> Step:
    """Select the examples nearest in meaning to a request, from given texts or the rows of a table.

    LangChain's selector by semantic similarity, over the embedded encoder's vectors, exact. Of a table the
    whole rows are given, compared by one column of texts.

    Example: copilot call select_examples query="ships in port" texts='["vessels at a quay", "wheat"]' k=1

    Asked as: pick the examples most like this request | which of these is closest to my question | few-shot
    examples for this task | select three similar rows from the table | find the best matching example | the
    most similar texts to this one
    """
    if (texts is None) == (table is None):
        raise ToolError("select_examples takes texts or a table, one of the two.")
    asked = plain(query)
    if not asked.strip():
        raise ToolError("The request is blank; say what examples are wanted for.")
    if table is not None:
        frame = load_table(state, world, table)
        name = text_column(frame, column)
        frame = frame[frame[name].notna()].head(MAX_TEXTS + 1)
        rows = plain_rows(frame)
    else:
        name, rows = "text", [{"text": plain(each)} for each in texts or ()]
    rows = [row for row in rows if str(row[name]).strip()]
    if not rows:
        raise ToolError("There is no example to choose from: everything is empty or blank.")
    if len(rows) > MAX_TEXTS:
        raise ToolError(f"There are more than {MAX_TEXTS:,} examples to choose from; take fewer.")
    chosen = _chosen(world, asked, [plain(str(row[name])) for row in rows], k)
    examples: list[dict[str, Any]] = [
        {
            "number": number + 1,
            "score": score,
            "text": str(rows[number][name])[:_QUOTED_CHARS],
            "row": rows[number],
        }
        for number, score in chosen
    ]
    words = "; ".join(f"{each['score']:.2f} {extract(each['text'], 200)}" for each in examples)
    said = (
        f"The {number_of(len(examples), 'example')} of {len(rows):,} nearest to {one_line(asked)!r}: {words}."
    )
    return Step(state, said, {"examples": examples, "of": len(rows), "column": name})


def _chosen(world: World, query: str, texts: list[str], k: int) -> list[tuple[int, float]]:
    """(which text, its cosine), nearest first; texts that are the same come in their order."""
    from langchain_core.example_selectors import SemanticSimilarityExampleSelector

    from tools.langchain.faiss_store import FaissStore, SentenceEmbeddings

    store = FaissStore.from_texts(
        texts,
        SentenceEmbeddings(encoder_of(world)),
        metadatas=[{"text": text, "number": str(number)} for number, text in enumerate(texts)],
    )
    selector = SemanticSimilarityExampleSelector(vectorstore=store, k=k, input_keys=["text"])
    scores = {
        int(document.metadata["number"]): score
        for document, score in store.similarity_search_with_score(query, len(texts))
    }
    return [
        (int(example["number"]), scores[int(example["number"])])
        for example in selector.select_examples({"text": query})
    ]


TOOLS = (select_examples,)
