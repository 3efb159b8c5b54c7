"""How well the knowledge base finds and answers: recall, nDCG, refusals, over question sets.

A set is a JSONL file, a question a line:

    {"id", "question", "kind", "passages": [ids of the passages that hold the answer], "answer": "…"}

`kind` is one of KINDS; an unanswerable question has no passages. `answer` may be empty.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import Any

from data.knowledge.answer import answered
from data.knowledge.base import Base, Mode
from data.knowledge.dualrag import GLOBAL, KEYWORD, RELATION, Guidance, embedded_keywords, retrieve
from data.knowledge.errors import KnowledgeError
from data.knowledge.keywords import MOST, Keyword
from data.knowledge.words import content_stems

KINDS = ("one_hop", "two_hops", "comparison", "list", "number", "unanswerable")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Asked:
    """A question with what is right."""

    id: str
    question: str
    kind: str
    passages: tuple[str, ...]
    answer: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the knowledge base says it."""
        return self.kind != "unanswerable"


def questions_of(file: Path) -> tuple[Asked, ...]:
    """A set's questions. Raises KnowledgeError for a line that is none."""
    found = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
            each = Asked(
                str(raw["id"]), str(raw["question"]), str(raw["kind"]), tuple(map(str, raw["passages"])),
                str(raw.get("answer") or ""),
            )  # fmt: skip
        except (ValueError, KeyError, TypeError) as error:
            raise KnowledgeError(f"{file.name}, line {number}, is no question ({error}).") from None
        if each.kind not in KINDS or each.answerable != bool(each.passages):
            raise KnowledgeError(
                f"{file.name}, {each.id}: the kind {each.kind!r} does not go with its passages."
            )
        found.append(each)
    return tuple(found)


def unknown_passages(asked: Iterable[Asked], base: Base) -> list[str]:
    """Questions whose passages are not there, a sentence each."""
    return [
        f"{each.id}: there is no passage {name!r}."
        for each in asked
        for name in each.passages
        if base.named(name) is None
    ]


def recall_at(found: Sequence[str], gold: Sequence[str], k: int) -> float:
    """The share of the gold passages (of `k` of them, where there are more) among the first `k`."""
    return len(set(found[:k]).intersection(gold)) / min(len(gold), k)


def ndcg_at(found: Sequence[str], gold: Sequence[str], k: int) -> float:
    """Normalised discounted cumulative gain with a gain of 1 for each gold passage."""
    gains = [1 / math.log2(rank + 1) for rank, each in enumerate(found[:k], start=1) if each in gold]
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(gold), k) + 1))
    return sum(gains) / best


@dataclass(frozen=True)
class Variant:
    """A way to retrieve, for the ablation."""

    name: str
    paths: tuple[str, ...] = (GLOBAL, KEYWORD, RELATION)
    equal: bool = False
    """All weights the same."""
    mode: Mode = "hybrid"


VARIANTS = (
    Variant("both"),
    Variant("union as published", (GLOBAL, KEYWORD)),
    Variant("global only", (GLOBAL,)),
    Variant("keyword only", (KEYWORD,)),
    Variant("equal weights", (GLOBAL, KEYWORD), equal=True),
    Variant("both, mode local", mode="local"),
    Variant("both, mode global", mode="global"),
    Variant("both, mode passages", mode="passages"),
)


def measure(
    base: Base,
    asked: Sequence[Asked],
    n: int,
    variant: Variant = VARIANTS[0],
    keep: MutableMapping[str, Guidance] | None = None,
) -> dict[str, Any]:
    """recall@5 and nDCG@10 over the answerable questions, in all and by kind, with milliseconds of each.

    What was found goes into `keep` by the questions' ids: `refusals` need not look for it again.
    """
    recalls: dict[str, list[float]] = defaultdict(list)
    gains: dict[str, list[float]] = defaultdict(list)
    times: list[float] = []
    for each in asked:
        if not each.answerable:
            continue
        began = perf_counter()
        guides = guidance(base, each.question, n, variant)
        times.append(1000 * (perf_counter() - began))
        if keep is not None:
            keep[each.id] = guides
        found = [guide.passage.id for guide in guides.guides]
        for kind in ("all", each.kind):
            recalls[kind].append(recall_at(found, each.passages, 5))
            gains[kind].append(ndcg_at(found, each.passages, 10))
    return {
        "variant": variant.name,
        "n": n,
        "questions": len(times),
        "recall_at_5": {kind: _mean(values) for kind, values in recalls.items()},
        "ndcg_at_10": {kind: _mean(values) for kind, values in gains.items()},
        "p50_ms": quantile(times, 0.5),
        "p95_ms": quantile(times, 0.95),
    }


def guidance(base: Base, question: str, n: int, variant: Variant) -> Guidance:
    """What a variant finds."""
    keywords: Sequence[Keyword] | None = None
    if variant.equal:
        keywords = [Keyword(each.text, MOST) for each in embedded_keywords(base, question)]
    return retrieve(base, question, n=n, mode=variant.mode, keywords=keywords, paths=variant.paths)


def refusals(
    base: Base, asked: Sequence[Asked], n: int, found: Mapping[str, Guidance] = MappingProxyType({})
) -> dict[str, Any]:
    """How often it is rightly said that nothing is said, how often wrongly, and how often the answer is held.

    An answer is held when four fifths of the gold answer's words, and each of its figures, stand in what is
    quoted.
    """
    right: list[float] = []
    answered_: list[float] = []
    held: list[float] = []
    for each in asked:
        answer = answered(base, found.get(each.id) or retrieve(base, each.question, n=n))
        if not each.answerable:
            right.append(float(not answer.said))
            continue
        answered_.append(float(answer.said))
        if each.answer:
            held.append(float(holds(answer.in_words(), each.answer)))
    return {
        "unanswerable": len(right),
        "right_refusals": _mean(right),
        "answerable": len(answered_),
        "answered": _mean(answered_),
        "with_gold_answer": len(held),
        "answer_held": _mean(held),
    }


def holds(said: str, gold: str) -> bool:
    """Whether what is said holds a gold answer."""
    figures = set(_FIGURE.findall(gold))
    if not figures <= set(_FIGURE.findall(said)):
        return False
    wanted = set(content_stems(gold))
    return len(wanted & set(content_stems(said))) >= 0.8 * len(wanted)


def quantile(values: Sequence[float], share: float) -> float:
    """The value under which that share lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def by_name(variants: Sequence[Variant] = VARIANTS) -> Mapping[str, Variant]:
    """The variants by their names."""
    return {each.name: each for each in variants}
