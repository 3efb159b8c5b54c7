"""What people say who want a tool: the tools' own phrases and the intents' wordings, with their vectors.

`python -m copilot.planner.declared.learn` encodes them beforehand; a phrase that is not in the file is encoded
when it is first needed, so that a new tool is planned with at once.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder
from tools.toolbox import toolbox

FILE = Path(__file__).with_name("phrases.npz")
DENSE = 0.6
"""Share of the encoder's cosine in a likeness; the rest is the cosine of the words, weighted by rarity."""
_WORD = re.compile(r"[a-z][a-z0-9]*|\d+")
_ENDING = re.compile(r"(?:ings?|ed|es|s)$")
_EMPTY = frozenset(
    "a an the of in on at to for by with from and or is are was it its this that these those me my i you we us "
    "please can could would do does give get make want need let show tell what which how s".split()
)


def words_of(text: str) -> tuple[str, ...]:
    """The words that carry meaning, without their endings."""
    found = (each for each in _WORD.findall(text.lower()) if each not in _EMPTY)
    return tuple(_ENDING.sub("", each) if len(each) > 4 else each for each in found)


@dataclass(frozen=True)
class Phrases:
    """Phrases with the tool that each wants."""

    tools: tuple[str, ...]
    texts: tuple[str, ...]
    vectors: Floats
    """(phrases, 384), each of length one."""

    @cached_property
    def _rarity(self) -> Mapping[str, float]:
        holders: dict[str, set[str]] = defaultdict(set)
        for tool, text in zip(self.tools, self.texts, strict=True):
            for word in words_of(text):
                holders[word].add(tool)
        count = len(set(self.tools))
        return {word: math.log(1 + count / len(tools)) for word, tools in holders.items()}

    @cached_property
    def _postings(self) -> Mapping[str, tuple[tuple[int, float], ...]]:
        found: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for number, text in enumerate(self.texts):
            for word, weight in self._weights(text).items():
                found[word].append((number, weight))
        return {word: tuple(each) for word, each in found.items()}

    def _weights(self, text: str) -> dict[str, float]:
        counts = Counter(words_of(text))
        # A word that no phrase has says that none is meant as surely as a rare one says which.
        unknown = max(self._rarity.values(), default=1.0)
        weights = {word: self._rarity.get(word, unknown) for word in counts}
        length = math.sqrt(sum(each**2 for each in weights.values())) or 1.0
        return {word: each / length for word, each in weights.items()}

    def ranked(self, text: str) -> list[tuple[str, float]]:
        """The tools by how like their likest phrase a text is, the likest first."""
        if not self.texts:
            return []
        likeness = DENSE * (self.vectors @ shared_encoder().encode([text])[0])
        for word, weight in self._weights(text).items():
            for number, own in self._postings.get(word, ()):
                likeness[number] += (1 - DENSE) * weight * own
        best: dict[str, float] = {}
        for number in np.argsort(-likeness, kind="stable"):
            best.setdefault(self.tools[number], float(likeness[number]))
        return sorted(best.items(), key=lambda each: -each[1])

    def without(self, texts: Sequence[str]) -> Phrases:
        """The phrases but for some: to measure what is not known yet."""
        gone = set(texts)
        kept = [number for number, text in enumerate(self.texts) if text not in gone]
        return Phrases(
            tuple(self.tools[n] for n in kept), tuple(self.texts[n] for n in kept), self.vectors[kept]
        )

    def save(self, path: Path = FILE) -> None:
        """Write them; the same phrases give the same bytes."""
        text = json.dumps([self.tools, self.texts], ensure_ascii=False)
        np.savez_compressed(
            path, phrases=np.frombuffer(text.encode(), np.uint8), vectors=self.vectors.astype(np.float16)
        )


@lru_cache(maxsize=1)
def known_phrases(path: Path = FILE) -> Phrases:
    """The file's phrases of tools that there are, and the tools' own that are not in it."""
    kept = _read(path)
    known = {(tool, text): vector for tool, text, vector in zip(*kept, strict=True)}
    own = [(tool.name, text) for tool in toolbox() for text in tool.phrases]
    wanted = list(dict.fromkeys([*own, *((tool, text) for tool, text in known if tool in toolbox())]))
    new = [pair for pair in wanted if pair not in known]
    if new:
        known.update(zip(new, shared_encoder().encode([text for _, text in new]), strict=True))
    vectors = np.array([known[pair] for pair in wanted], dtype=np.float32)
    return Phrases(tuple(tool for tool, _ in wanted), tuple(text for _, text in wanted), vectors)


def _read(path: Path) -> tuple[list[str], list[str], Floats]:
    if not path.is_file():
        return [], [], np.zeros((0, 384), dtype=np.float32)
    with np.load(path) as kept:
        tools, texts = json.loads(kept["phrases"].tobytes())
        return tools, texts, kept["vectors"].astype(np.float32)
