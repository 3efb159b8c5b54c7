"""A LangChain vector store over FAISS with exact search, in one Parquet file.

Not imported before it is used: LangChain costs most of a second. Vectors have length one, so that their
dot product is the cosine; FAISS's flat index compares with every one of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from numpy.typing import NDArray

from tools.base import Encode

Vectors = NDArray[np.float32]
SCORE_DIGITS = 4
"""What a cosine keeps: beyond that it differs with the machine and with what was encoded beside it."""


class SentenceEmbeddings(Embeddings):
    """The embedded encoder as LangChain has it."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One vector a text."""
        return [vector.tolist() for vector in self._encode(texts)]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        return self.embed_documents([text])[0]


class FaissStore(VectorStore):
    """Texts with their vectors, in the order in which they came."""

    def __init__(self, embedding: Embeddings) -> None:
        self._embedding = embedding
        self._documents: list[Document] = []
        self._vectors: Vectors = np.empty((0, 0), dtype=np.float32)

    @property
    def embeddings(self) -> Embeddings:
        """What makes its vectors."""
        return self._embedding

    @property
    def documents(self) -> tuple[Document, ...]:
        """The texts, each with its id and where it is from."""
        return tuple(self._documents)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Add texts and return their ids, which count on from the largest there is."""
        new = list(texts)
        if not new:
            return []
        largest = max(
            (int(each.id) for each in self._documents if each.id and each.id.isdecimal()), default=0
        )
        names = ids or [str(number) for number in range(largest + 1, largest + len(new) + 1)]
        about = metadatas or [{} for _ in new]
        vectors = np.asarray(self._embedding.embed_documents(new), dtype=np.float32)
        self._vectors = vectors if not self._documents else np.vstack([self._vectors, vectors])
        self._documents += [
            Document(page_content=text, metadata=each, id=name)
            for text, each, name in zip(new, about, names, strict=True)
        ]
        return names

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Remove texts by their ids, all of them without; whether there was anything to remove."""
        gone = {each.id for each in self._documents} if ids is None else set(ids)
        kept = [row for row, each in enumerate(self._documents) if each.id not in gone]
        changed = len(kept) < len(self._documents)
        self._documents = [self._documents[row] for row in kept]
        self._vectors = self._vectors[kept]
        return changed

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The texts of those ids, in the store's order."""
        return [each for each in self._documents if each.id in set(ids)]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The k nearest texts."""
        return [document for document, _ in self.similarity_search_with_score(query, k)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The k nearest texts with their cosines, nearest first, of equal ones the earlier."""
        import faiss

        if not self._documents:
            return []
        index = faiss.IndexFlatIP(self._vectors.shape[1])
        index.add(np.ascontiguousarray(self._vectors))
        asked = np.asarray([self._embedding.embed_query(query)], dtype=np.float32)
        cosines, rows = index.search(asked, len(self._documents))
        found = sorted(
            zip(cosines[0].tolist(), rows[0].tolist(), strict=True),
            key=lambda each: (-round(each[0], SCORE_DIGITS), each[1]),
        )
        return [(self._documents[row], round(cosine, SCORE_DIGITS)) for cosine, row in found[:k]]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> Self:
        """A store of these texts."""
        store = cls(embedding)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def save(self, path: Path) -> None:
        """Write the store whole or not at all."""
        import pandas as pd

        frame = pd.DataFrame(
            {
                "id": [each.id for each in self._documents],
                "text": [each.page_content for each in self._documents],
                "about": [json.dumps(each.metadata, ensure_ascii=False) for each in self._documents],
                "vector": list(self._vectors),
            }
        )
        part = path.with_name(f".{path.name}.writing")
        try:
            frame.to_parquet(part, index=False)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path, embedding: Embeddings) -> Self:
        """The store that was written there."""
        import pandas as pd

        frame = pd.read_parquet(path)
        store = cls(embedding)
        store._documents = [
            Document(page_content=text, metadata=json.loads(about), id=name)
            for name, text, about in zip(frame["id"], frame["text"], frame["about"], strict=True)
        ]
        if len(frame):
            store._vectors = np.vstack(frame["vector"].tolist()).astype(np.float32)
        return store


__all__ = ["FaissStore", "SentenceEmbeddings"]
