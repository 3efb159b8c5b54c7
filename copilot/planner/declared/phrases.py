"""What people say who want a tool: the tools' own phrases and the intents' wordings, with their vectors.

`python -m copilot.planner.declared.learn` encodes them beforehand; a phrase that is not in the file is encoded
when it is first needed, so that a new tool is planned with at once.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from copilot.planner.encoder import Floats
from copilot.planner.head import shared_encoder
from tools.toolbox import toolbox

FILE = Path(__file__).with_name("phrases.npz")
_SAID, _NAMED = 1.0, 1.2
"""How much a word counts that a phrase, or the tool's name, has."""
_WEIGHT = 3.5
"""What the parts of a likeness add up to at most, about."""
_LIKEST = 3
Numbers = NDArray[np.intp]
_WORD = re.compile(r"[a-z][a-z0-9]*|\d+")
_ENDING = re.compile(r"(?:ings?|ed|es|s)$")
_EMPTY = frozenset(
    "any some a an the of in on at to for by with from and or is are was it its this that these those me my i you we us "
    "please can could would do does give get make want need let show tell what which how s".split()
)


def words_of(text: str) -> tuple[str, ...]:
    """The words that carry meaning, without their endings."""
    found = (each for each in _WORD.findall(text.lower()) if each not in _EMPTY)
    return tuple(_ENDING.sub("", each) if len(each) > 4 else each for each in found)


@dataclass(frozen=True)
class Phrases:
    """Phrases with the tool that each wants; a tool's name and its summary are phrases of a kind of their own."""

    tools: tuple[str, ...]
    texts: tuple[str, ...]
    vectors: Floats
    """(phrases, 384), each of length one."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The tools, each once."""
        return tuple(dict.fromkeys(self.tools))

    @cached_property
    def _table(self) -> Numbers:
        """(tools, most phrases of one): which phrases are each tool's; one past the last where it has no more."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, tool in enumerate(self.tools):
            found[tool].append(number)
        widest = max(_LIKEST, *map(len, found.values()))
        rows = [numbers + [len(self.tools)] * (widest - len(numbers)) for numbers in found.values()]
        return np.array(rows)

    @cached_property
    def _words(self) -> Mapping[str, Mapping[str, float]]:
        """Word -> tool -> how much a tool's texts are of it: 1 where a phrase has it, more for its name."""
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for tool, text in zip(self.tools, self.texts, strict=True):
            weight = _NAMED if text == name_of(tool) else _SAID
            for word in words_of(text):
                found[word][tool] = max(weight, found[word].get(tool, 0.0))
        return found

    def _rarity(self, word: str) -> float:
        # A word that no tool has says as surely as a rare one that none is meant.
        return math.log(1 + len(self.names) / len(self._words.get(word, {"": 0})))

    def ranked(self, text: str) -> list[tuple[str, float]]:
        """The tools by how like a text is to what people say who want them, the likest first.

        The mean of the cosine with the likest phrase, with the three likest, with the tool's summary, and
        of the share of the text's words, weighted by rarity, that the tool's phrases have.
        """
        if not self.texts:
            return []
        cosine = np.append(shared_encoder().cosines(self.vectors, text), np.float32(0))
        likest = -np.partition(-cosine[self._table], _LIKEST - 1, axis=1)[:, :_LIKEST]
        dense = likest.max(axis=1) + 0.5 * likest.mean(axis=1) + cosine[self._about]
        shared = self._shared_words(text)
        found = [
            (tool, (float(like) + shared.get(tool, 0.0)) / _WEIGHT)
            for tool, like in zip(self.names, dense, strict=True)
        ]
        return sorted(found, key=lambda each: -each[1])

    @cached_property
    def _about(self) -> Numbers:
        """Where each tool's summary stands; its first phrase where it has none."""
        summary = {(tool, summary_of(tool)) for tool in self.names}
        found: dict[str, int] = {}
        for number, pair in enumerate(zip(self.tools, self.texts, strict=True)):
            if pair in summary:
                found[pair[0]] = number
            found.setdefault(pair[0], number)
        return np.array([found[tool] for tool in self.names])

    def _shared_words(self, text: str) -> dict[str, float]:
        weights = {word: self._rarity(word) ** 2 for word in set(words_of(text))}
        total = sum(weights.values()) or 1.0
        found: dict[str, float] = defaultdict(float)
        for word, weight in weights.items():
            for tool, own in self._words.get(word, {}).items():
                found[tool] += own * weight / total
        return found

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


def name_of(tool: str) -> str:
    """A tool's name as words."""
    return tool.replace("_", " ")


def summary_of(tool: str) -> str:
    """A tool's name and what it does."""
    return f"{name_of(tool)}: {toolbox().get(tool).summary}"


def own_phrases() -> list[tuple[str, str]]:
    """(tool, phrase) as the tools themselves have them: their names, summaries and phrases."""
    return [
        (tool.name, text)
        for tool in toolbox()
        for text in (name_of(tool.name), summary_of(tool.name), *tool.phrases)
    ]


@lru_cache(maxsize=1)
def known_phrases(path: Path = FILE) -> Phrases:
    """The file's phrases of tools that there are, and the tools' own that are not in it."""
    kept = _read(path)
    known = {(tool, text): vector for tool, text, vector in zip(*kept, strict=True)}
    wanted = list(
        dict.fromkeys([*own_phrases(), *((tool, text) for tool, text in known if tool in toolbox())])
    )
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
