"""LightRAG over the corpora of a JSON file; run by its own interpreter, see `beside_lightrag`.

python lightrag_run.py CORPORA.json FOUND.json

No model: the entities and relations are given (`ainsert_custom_kg`), the keywords of a question too. Vectors
are all-MiniLM-L6-v2's, by Azimuth's own encoder. Writes for each corpus and mode the ids of the passages
found for each question, the milliseconds of each, and seconds and memory of the insertion.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from lightrag import LightRAG, QueryParam
from lightrag.utils import EmbeddingFunc, Tokenizer

from copilot.engine import encode_texts

MODES = ("naive", "local", "global", "hybrid", "mix")
_TOP = 10


class _Words:
    """Counts words for tokens: LightRAG only bounds contexts by them, and its own tokenizer downloads."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.back: list[str] = []

    def encode(self, content: str) -> list[int]:
        """A number for each word."""
        for each in content.split(" "):
            if each not in self.words:
                self.words[each] = len(self.back)
                self.back.append(each)
        return [self.words[each] for each in content.split(" ")]

    def decode(self, tokens: list[int]) -> str:
        """The words of numbers."""
        return " ".join(self.back[each] for each in tokens)


async def _embedded(texts: list[str], **_: Any) -> np.ndarray:
    return np.asarray(encode_texts(texts))


async def _no_model(*_: Any, **__: Any) -> str:
    raise RuntimeError("a model was asked, and none is configured")


async def measured(corpus: dict[str, Any]) -> dict[str, Any]:
    """What LightRAG finds in one corpus."""
    with tempfile.TemporaryDirectory() as folder:
        rag = LightRAG(
            working_dir=folder,
            llm_model_func=_no_model,
            embedding_func=EmbeddingFunc(embedding_dim=384, max_token_size=256, func=_embedded),
            tokenizer=Tokenizer("words", _Words()),
            enable_llm_cache=False,
        )
        await rag.initialize_storages()
        began = perf_counter()
        await rag.ainsert_custom_kg(_graph(corpus))
        seconds = perf_counter() - began
        by_text = {" ".join(each["text"].split()): each["id"] for each in corpus["passages"]}
        modes = {mode: await _asked(rag, corpus, mode, by_text) for mode in MODES}
        await rag.finalize_storages()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"name": corpus["name"], "insert_s": seconds, "peak_mib": peak, "modes": modes}


def _graph(corpus: dict[str, Any]) -> dict[str, Any]:
    return {
        "chunks": [
            {"content": each["text"], "source_id": each["id"], "file_path": each["id"]}
            for each in corpus["passages"]
        ],
        "entities": [
            {
                "entity_name": each["name"], "entity_type": "thing", "description": each["about"],
                "source_id": each["passage"], "file_path": each["passage"],
            }
            for each in corpus["entities"]
        ],
        "relationships": [
            {
                "src_id": each["subject"], "tgt_id": each["object"], "keywords": each["predicate"],
                "description": f"{each['subject']} {each['predicate']} {each['object']}",
                "weight": 1.0, "source_id": each["passage"], "file_path": each["passage"],
            }
            for each in corpus["relations"]
        ],
    }  # fmt: skip


async def _asked(
    rag: LightRAG, corpus: dict[str, Any], mode: str, by_text: dict[str, str]
) -> list[dict[str, Any]]:
    found = []
    for each in corpus["questions"]:
        words = each["keywords"]
        param = QueryParam(
            mode=mode, ll_keywords=words, hl_keywords=words, chunk_top_k=_TOP, enable_rerank=False
        )
        began = perf_counter()
        answer = await rag.aquery_data(each["question"], param)
        spent = 1000 * (perf_counter() - began)
        chunks = (answer.get("data") or {}).get("chunks") or []
        ids = [by_text.get(" ".join(str(one.get("content")).split()), "") for one in chunks]
        found.append({"id": each["id"], "found": [one for one in ids if one], "ms": spent})
    return found


def main() -> None:
    """Read the corpora, write what was found."""
    corpora = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = [asyncio.run(measured(each)) for each in corpora]
    Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
