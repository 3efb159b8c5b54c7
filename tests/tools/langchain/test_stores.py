"""Stores of texts: exact search, handles, undoing, and sessions apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.vectorstores import InMemoryVectorStore
from pypdf import PdfReader

from copilot.engine import Engine, encode_texts
from copilot.session import Session
from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.prepared import NOTE, prepared
from tests.tools.world import FolderStore, after, run
from tools.base import World
from tools.langchain.faiss_store import FaissStore, SentenceEmbeddings
from tools.langchain.stores import (
    vectorstore_add,
    vectorstore_create,
    vectorstore_delete,
    vectorstore_search,
)  # fmt: skip

TEXTS = [
    "Sea ice closed the strait in February.",
    "The container ship unloaded at the quay.",
    "Turbidity of the lake rose after the storm.",
    "Wheat ripens early in the south.",
]


@pytest.fixture
def notes(world: World) -> State:
    """A store `notes` of four texts."""
    return after(world, State(), (vectorstore_create, {"name": "notes", "texts": TEXTS}))


def test_the_nearest_texts_are_those_of_numpy_on_the_encoders_own_vectors(world: World, notes: State) -> None:
    step = run(world, notes, vectorstore_search, store="notes", query="muddy water", k=4)
    cosines = encode_texts(TEXTS) @ encode_texts(["muddy water"])[0]
    order = np.argsort(-cosines)
    assert [hit["text"] for hit in step.data["hits"]] == [TEXTS[row] for row in order]
    assert [hit["score"] for hit in step.data["hits"]] == pytest.approx(cosines[order].tolist(), abs=2e-4)
    assert step.data["hits"][0]["id"] == "3" and "Turbidity of the lake" in step.observation
    assert step.state == notes


def test_the_store_gives_what_langchains_own_gives() -> None:
    embedding = DeterministicFakeEmbedding(size=16)

    class Scaled(SentenceEmbeddings):
        def __init__(self) -> None:
            super().__init__(lambda texts: np.array([self._one(text) for text in texts], dtype=np.float32))

        def _one(self, text: str) -> list[float]:
            vector = np.array(embedding.embed_query(text))
            return (vector / np.linalg.norm(vector)).tolist()  # type: ignore[no-any-return]

    texts = [f"text {number}" for number in range(50)]
    ours, theirs = FaissStore.from_texts(texts, Scaled()), InMemoryVectorStore.from_texts(texts, Scaled())
    for query in ("text 3", "another", "text"):
        mine = ours.similarity_search_with_score(query, k=5)
        other = theirs.similarity_search_with_score(query, k=5)
        assert [each.page_content for each, _ in mine] == [each.page_content for each, _ in other]
        assert [score for _, score in mine] == pytest.approx([score for _, score in other], abs=1e-4)
    retrieved = ours.as_retriever(search_kwargs={"k": 1}).invoke("text 3")
    assert retrieved == [Document(page_content="text 3", id="4")]


def test_a_store_counts_its_texts_on_after_some_were_taken_out(world: World, notes: State) -> None:
    state = after(
        world,
        notes,
        (vectorstore_delete, {"store": "notes", "ids": [4, 1]}),
        (vectorstore_add, {"store": "NOTES", "texts": ["Snow fell.", TEXTS[1]]}),
    )
    step = run(world, state, vectorstore_search, store="notes", query="snow", k=50)
    assert sorted(hit["id"] for hit in step.data["hits"]) == ["2", "3", "4"]
    assert step.data["hits"][0]["text"] == "Snow fell."
    assert [each.summary for each in state.artifacts] == ["3 texts"]


def test_an_earlier_state_still_has_its_store(world: World, notes: State) -> None:
    smaller = after(world, notes, (vectorstore_delete, {"store": "notes", "ids": [1, 2, 3]}))
    for state, size in ((smaller, 1), (notes, 4)):
        assert run(world, state, vectorstore_search, store="notes", query="ice").data["texts"] == size
    gone = after(world, notes, (vectorstore_delete, {"store": "notes"}))
    assert gone.artifacts == ()
    assert (
        "There is no store 'notes'"
        in run(world, gone, vectorstore_search, store="notes", query="x").observation
    )


def test_a_document_is_stored_in_pieces_with_their_pages(world: World) -> None:
    state = prepared(world)
    step = run(world, state, vectorstore_create, name="report", document="report", size=300)
    assert not step.failed, step.observation
    pages = [page.extract_text() for page in PdfReader(str(world.artifacts.find("document-9df000"))).pages]
    last = max(number for number, text in enumerate(pages, 1) if text.strip())
    found = run(world, step.state, vectorstore_search, store="report", query=pages[last - 1][-200:], k=1)
    [hit] = found.data["hits"]
    assert (hit["source"], hit["page"]) == ("report", last) and len(hit["text"]) <= 300
    both = run(world, step.state, vectorstore_add, store="report", document=NOTE.id)
    assert both.data["sources"] == ["Note", "report"]
    left = run(world, both.state, vectorstore_delete, store="report", source="REPORT")
    assert (left.data["sources"], left.data["left"]) == (["Note"], 1)


def test_a_tables_column_is_stored_with_where_each_text_is_from(world: World) -> None:
    frame = columns(n=[1, 2, 3], comment=["A flooded road.", None, "A dry field."])
    step = run(world, having(world, frame), vectorstore_create, name="comments", table=TABLE)
    found = run(world, step.state, vectorstore_search, store=step.data["store"], query="water", k=1)
    assert found.data["hits"][0]["source"] == f"{TABLE} row 1"
    assert found.data["texts"] == 2


def test_only_texts_near_enough_are_given(world: World, notes: State) -> None:
    step = run(world, notes, vectorstore_search, store="notes", query="ship", least=0.3)
    assert [hit["id"] for hit in step.data["hits"]] == ["2"]
    none = run(world, notes, vectorstore_search, store="notes", query="ship", least=0.99)
    assert none.data["hits"] == [] and "no such text among 4 texts" in none.observation


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ({"name": "notes", "texts": ["x"]}, "There is already a store 'notes'"),
        ({"name": "more"}, "Name the texts in one way"),
        ({"name": "more", "texts": ["x"], "table": TABLE}, "Name the texts in one way"),
        ({"name": "more", "texts": [" ", "\n"]}, "There is no text in it"),
        ({"name": "\u200b", "texts": ["x"]}, "A store needs a name"),
        ({"name": "more", "document": "nothing"}, "There is no document 'nothing'"),
    ],
)
def test_a_store_that_cannot_be_made_is_told_why(
    world: World, notes: State, args: dict[str, object], said: str
) -> None:
    step = run(world, notes, vectorstore_create, **args)
    assert step.failed and said in step.observation, step.observation


@pytest.mark.parametrize(
    ("store", "args", "said"),
    [("note", {}, "Did you mean 'notes'?"), ("notes", {"ids": [9]}, "has no text 9; its last is 4"),
     ("notes", {"source": "moon"}, "is from 'moon'; there are given")],
)  # fmt: skip
def test_what_is_not_in_a_store_cannot_be_taken_out(
    world: World, notes: State, store: str, args: dict[str, object], said: str
) -> None:
    step = run(world, notes, vectorstore_delete, store=store, **args)
    assert step.failed and said in step.observation, step.observation


def test_without_an_encoder_it_is_said(world: World) -> None:
    step = run(replace(world, encode=None), State(), vectorstore_create, name="n", texts=["x"])
    assert step.failed and "no sentence encoder" in step.observation


def test_a_store_of_another_folder_is_not_found(world: World, notes: State, tmp_path: Path) -> None:
    elsewhere = replace(world, artifacts=FolderStore(tmp_path / "other"))
    step = run(elsewhere, notes, vectorstore_search, store="notes", query="ice")
    assert step.failed and "The file of document-" in step.observation


def test_sessions_have_stores_of_one_name_apart_and_replay_them(small_catalogue: Path) -> None:
    engine = Engine.in_memory(str(small_catalogue))
    first, second = Session.open(engine=engine), Session.open(engine=engine)
    for session, text in ((first, "mine"), (second, "yours")):
        session.call_tool("vectorstore_create", {"name": "notes", "texts": [text]})
    for session, text in ((first, "mine"), (second, "yours")):
        found = session.call_tool("vectorstore_search", {"store": "notes", "query": "whose"})
        assert [hit["text"] for hit in found.data["hits"]] == [text]
        assert session.replay() == session.state
