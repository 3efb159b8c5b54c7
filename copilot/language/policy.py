"""The policy: what is shown in, scored frames out."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from copilot.language.confidence import UNFITTED, Confidence
from copilot.language.coverage import NO_COVERAGE, Coverage
from copilot.language.decoding import Scored, decode
from copilot.language.grammar import Bools, Vocabulary
from copilot.language.network import KEPT, PUBLISHED, Ids, Network, described
from copilot.language.schema import Argument, schema_of
from copilot.language.shown import BREAK, Shown
from copilot.planner.encoder import DIMENSIONS, Encoder, Floats, model_folder, read_weights
from tools.base import Tool
from tools.toolbox import Toolbox

WEIGHTS = Path(__file__).with_name("policy.npz")
MAX_PIECES = 6
"""Of one word; the rest of a long one is not read."""
MAX_CHARS = 400
"""Of a request that is held against known ones."""
_SIGNS = re.compile(r"[.,;:!?()\n]")
_CLS, _SEP, _UNKNOWN = 101, 102, 100
_BYTE = 127
_BESIDE = frozenset({"about", "known"})


@dataclass(frozen=True)
class Known:
    """Requests whose calls are known: a request like one of them wants its tools."""

    vectors: Floats
    """(requests, 384) of length one."""
    tools: tuple[tuple[str, ...], ...]
    """The tools of each."""

    def likeness(self, vector: Floats, names: Sequence[str], without: Bools | None = None) -> Floats:
        """(names,) For each tool the cosine of the request that is most like this one and wants it.

        `without` (requests,): those that do not count.
        """
        cosines = self.vectors @ vector
        rows, starts, wanted = self._by_tool
        best = dict.fromkeys(names, 0.0)
        if rows.size:
            counted = (cosines if without is None else np.where(without, 0, cosines))[rows]
            best |= zip(wanted, np.maximum.reduceat(counted, starts).tolist(), strict=True)
        return np.array([max(best[name], 0) for name in names], np.float32)

    @cached_property
    def wanted(self) -> frozenset[str]:
        """The tools that some request wants."""
        return frozenset(tool for each in self.tools for tool in each)

    @cached_property
    def _by_tool(self) -> tuple[Ids, Ids, tuple[str, ...]]:
        """The requests tool after tool, where each tool's begin, and the tools."""
        pairs = sorted((tool, row) for row, tools in enumerate(self.tools) for tool in set(tools))
        wanted, starts = np.unique([tool for tool, _ in pairs], return_index=True)
        return np.array([row for _, row in pairs], np.intp), starts, tuple(wanted.tolist())


@dataclass(frozen=True)
class Learned:
    """What training gives."""

    weights: Mapping[str, Floats]
    keys: tuple[str, ...]
    """Of the tokens that it knew, as `Vocabulary.keys`: the rows of `own.weight`."""
    tags: tuple[str, ...]
    literals: Mapping[str, Sequence[str]]
    """By argument, the values that are taken without being said, as JSON."""
    known: Known
    """The requests that it learned from."""
    coverage: Coverage = NO_COVERAGE
    confidence: Confidence = UNFITTED

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> Learned:
        """From the file that `save` wrote."""
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            weights = {name: file[name].astype(np.float32) for name in file.files if name not in _BESIDE}
            vectors = file["known"].astype(np.float32) / _BYTE
        known = Known(vectors, tuple(tuple(each) for each in about["tools"]))
        weights_of, constant, least = about["confidence"]
        return cls(
            weights,
            tuple(about["keys"]),
            tuple(about["tags"]),
            about["literals"],
            known,
            Coverage(about["coverage"]),
            Confidence(tuple(weights_of), constant, least),
        )

    def save(self, path: Path) -> None:
        """Into one file, the numbers in half precision; the known requests, of length one, in bytes."""
        about = {
            "keys": self.keys,
            "tags": self.tags,
            "literals": self.literals,
            "tools": self.known.tools,
            "coverage": _rounded(self.coverage.shares),
            "confidence": astuple(self.confidence),
        }
        kept: dict[str, Any] = {name: values.astype(np.float16) for name, values in self.weights.items()}
        known = np.rint(self.known.vectors * _BYTE).astype(np.int8)
        kept |= {"known": known, "about": np.array(json.dumps(about))}
        np.savez_compressed(path, **kept)

    def own(self, vocabulary: Vocabulary) -> Floats:
        """(vocabulary, 384) The vector of each token; zeros for what training never knew or wanted."""
        rows = dict(zip(self.keys, self.weights["own.weight"], strict=True))
        wanted = {f"tool {name}" for name in self.known.wanted}
        rows = {key: row for key, row in rows.items() if not key.startswith("tool ") or key in wanted}
        unknown = np.zeros(DIMENSIONS, np.float32)
        return np.stack([rows.get(key, unknown) for key in vocabulary.keys])


def _rounded(shares: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {stem: {token: round(share, 3) for token, share in each.items()} for stem, each in shares.items()}


class Policy:
    """Scores frames. Holds no state of a conversation; safe to use from several threads."""

    def __init__(self, learned: Learned, encoder: Encoder, toolbox: Toolbox) -> None:
        self.vocabulary = Vocabulary(schema_of(toolbox), learned.literals)
        weights = published(learned.weights) | {"own.weight": learned.own(self.vocabulary)}
        self._tags = {name: n for n, name in enumerate(learned.tags, 1)}
        self._encoder, self._tokenizer = encoder, tokenizer()
        known = descriptions(self.vocabulary, toolbox, encoder)
        self._phrases, self._known = phrases(toolbox, encoder), learned.known
        self._new = np.array([name not in learned.known.wanted for name in self.vocabulary.tools])
        new = np.zeros(self.vocabulary.size, bool)
        new[1 : self.vocabulary.first_name] = self._new
        self._network = Network(weights, described(weights, *known), new)
        self._alpha, self._beta = float(weights["alpha"]), float(weights["beta"])
        self._gamma, self._delta = float(weights["gamma"]), float(weights["delta"])

    def frames(self, shown: Shown) -> tuple[Scored, ...]:
        """The best frames of what is shown, the likeliest first."""
        pieces, first = pieces_of(self._tokenizer, shown.words)
        tags = np.array([self._tags.get(tag, 0) for tag in shown.tags])
        encoded = self._network.encode(pieces, first, tags, np.array(shown.kinds))
        return decode(self._network, self.vocabulary, encoded, self._favour(shown))

    def _favour(self, shown: Shown) -> Floats:
        """(tools,) How much each tool is wanted by likeness alone."""
        tools = self.vocabulary.tools
        vectors = self._encoder.recall(parts_of(shown))
        phrases = likeness_of_parts(self._phrases, vectors, tools)
        known = self._known.likeness(vectors[0], tools)
        favour: Floats = np.where(
            self._new, self._gamma * phrases + self._delta, self._alpha * phrases + self._beta * known
        )
        return favour


MAX_PARTS = 6


def parts_of(shown: Shown) -> list[str]:
    """A request as a whole, then what stands between its signs, where that is some words."""
    text = shown.mentions.text[:MAX_CHARS]
    between = [each.strip() for each in _SIGNS.split(text)]
    parts = [each for each in between if len(each.split()) > 1] if len(between) > 1 else []
    return [text or ".", *parts[:MAX_PARTS]]


def likeness_of_parts(phrases: Known, vectors: Floats, names: Sequence[str]) -> Floats:
    """(names,) How alike the likest part of a request, (parts, 384), is to what each tool is asked for by."""
    likeness: Floats = np.max([phrases.likeness(vector, names) for vector in vectors], axis=0)
    return likeness


def tokenizer() -> Tokenizer:
    """The encoder's own, giving pieces of words."""
    read = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    read.no_padding()
    read.no_truncation()
    return read


def pieces_of(tokenizer: Tokenizer, words: Sequence[str]) -> tuple[Ids, Ids]:
    """The ids of all pieces between the marks of beginning and end, and each word's first piece."""
    pieces, first = [_CLS], []
    for word in words:
        first.append(len(pieces))
        known = [_SEP] if word == BREAK else tokenizer.encode(word, add_special_tokens=False).ids
        pieces += (known or [_UNKNOWN])[:MAX_PIECES]
    return np.array([*pieces, _SEP]), np.array(first)


def descriptions(vocabulary: Vocabulary, toolbox: Toolbox, encoder: Encoder) -> tuple[Floats, Ids]:
    """(vocabulary, 768) the sentence vectors of each token's description, and what kind of token it is.

    A tool is described by its summary and by the mean of what people say who want it.
    """
    kinds = np.zeros(vocabulary.size, np.intp)
    vectors = np.zeros((vocabulary.size, 2 * DIMENSIONS), np.float32)
    ends = (1, vocabulary.first_name, vocabulary.first_literal, vocabulary.first_result, vocabulary.size)
    for kind, (start, end) in enumerate(itertools.pairwise(ends), 1):
        kinds[start:end] = kind
    known = [toolbox.get(name) for name in vocabulary.tools]
    said = encoder.encode([_summary(each) for each in known])
    asked = [encoder.encode(each.phrases).mean(axis=0) if each.phrases else None for each in known]
    arguments = encoder.encode([_about(name, vocabulary.schema) for name in vocabulary.names])
    literals = encoder.encode([str(json.loads(text)).replace("_", " ") for text in vocabulary.literals])
    vectors[1 : vocabulary.first_name, :DIMENSIONS] = said
    vectors[1 : vocabulary.first_name, DIMENSIONS:] = [
        own if own is not None else summary for own, summary in zip(asked, said, strict=True)
    ]
    vectors[vocabulary.first_name : vocabulary.first_literal] = np.hstack([arguments, arguments])
    vectors[vocabulary.first_literal : vocabulary.first_result] = np.hstack([literals, literals])
    return vectors, kinds


def phrases(toolbox: Toolbox, encoder: Encoder) -> Known:
    """What each tool's docstring says that people ask for, and its summary."""
    said = [(text, tool.name) for tool in toolbox for text in (*tool.phrases, _summary(tool))]
    return Known(encoder.encode([text for text, _ in said]), tuple((name,) for _, name in said))


def _summary(tool: Tool) -> str:
    return f"{tool.name.replace('_', ' ')}: {tool.summary}"


def _about(name: str, schema: Mapping[str, Mapping[str, Argument]]) -> str:
    """An argument's name with what the first tool that describes it says."""
    said = (each[name].description for each in schema.values() if name in each)
    return f"{name.replace('_', ' ')}: {next((text for text in said if text), '')}"


def published(learned: Mapping[str, Floats]) -> dict[str, Floats]:
    """The weights that were learned beside MiniLM's own, all under the names of training."""
    own = read_weights(model_folder() / "model.safetensors")
    tables = {"word": "word_embeddings", "pos": "position_embeddings", "typ": "token_type_embeddings"}
    names = {f"{short}.weight": f"embeddings.{long}.weight" for short, long in tables.items()}
    for part in ("weight", "bias"):
        names[f"norm.{part}"] = f"embeddings.LayerNorm.{part}"
        for layer in range(KEPT):
            for short, long in PUBLISHED.items():
                names[f"enc.{layer}.{short}.{part}"] = f"encoder.layer.{layer}.{long}.{part}"
    return {**{short: own[long] for short, long in names.items()}, **learned}
