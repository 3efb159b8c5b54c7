"""The policy: what is shown in, scored frames out."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from copilot.language.confidence import UNFITTED, Confidence
from copilot.language.coverage import NO_COVERAGE, Coverage
from copilot.language.decoding import Scored, decode
from copilot.language.frame import Frame
from copilot.language.grammar import Bools, Vocabulary
from copilot.language.known_texts import NO_TEXTS, Encodes, KnownTexts, Listening, Remembering
from copilot.language.network import KEPT, NEVER, PUBLISHED, Ids, Network, Offers, described
from copilot.language.new_tools import MOST_PIECES as MOST_OFFERED_PIECES
from copilot.language.new_tools import Leaflets, summary
from copilot.language.schema import Argument, schema_of
from copilot.language.shown import BREAK, Shown
from copilot.planner.encoder import DIMENSIONS, Encoder, Floats, model_folder, read_weights
from tools.toolbox import Toolbox

WEIGHTS = Path(__file__).with_name("policy.npz")
MAX_PIECES = 6
"""Of one word; the rest of a long one is not read."""
MAX_CHARS = 400
"""Of a request that is held against known ones."""
_SIGNS = re.compile(r"[.,;:!?()\n]")
_CLS, _SEP, _UNKNOWN = 101, 102, 100
_BYTE = 127
_STEPS = " steps"
_BESIDE = frozenset({"about", "known", "basis", "texts"})
KEPT_AXES = 192


@dataclass(frozen=True)
class Known:
    """Requests whose calls are known: a request like one of them wants its tools."""

    vectors: Floats
    """(requests, 384) of length one."""
    tools: tuple[tuple[str, ...], ...]
    """The tools of each."""

    def and_also(self, others: Known) -> Known:
        """These and others."""
        return Known(np.concatenate([self.vectors, others.vectors]), (*self.tools, *others.tools))

    def cosines(self, vectors: Floats) -> Floats:
        """(…, requests) How like each known request those of these vectors, (…, 384), are."""
        return vectors @ self.vectors.T

    def likeness(self, cosines: Floats, names: Sequence[str], without: Bools | None = None) -> Floats:
        """(…, names) For each tool the cosine of the request that is most like this one and wants it.

        `without` (…, requests): those that do not count.
        """
        rows, starts, wanted = self._by_tool
        best = np.zeros((*cosines.shape[:-1], len(names)), np.float32)
        if rows.size:
            counted = (cosines if without is None else np.where(without, 0, cosines))[..., rows]
            places = {name: n for n, name in enumerate(names)}
            there = [n for n, name in enumerate(wanted) if name in places]
            likest = np.maximum.reduceat(counted, starts, axis=-1)[..., there]
            best[..., [places[wanted[n]] for n in there]] = np.maximum(likest, 0)
        return best

    def nearest(self, cosines: Floats, count: int) -> list[tuple[float, frozenset[str]]]:
        """The requests that are most like this one: their cosines, of (requests,), and their tools."""
        rows = np.argpartition(-cosines, count)[:count] if count < len(cosines) else np.arange(len(cosines))
        return [(max(float(cosines[row]), 0), frozenset(self.tools[row])) for row in rows]

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
    texts: KnownTexts = NO_TEXTS
    """The vectors of what the tools said of themselves when it was learned."""

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> Learned:
        """From the file that `save` wrote."""
        with np.load(path) as file:
            about = json.loads(str(file["about"]))
            names = [name for name in file.files if name not in _BESIDE and not name.endswith(_STEPS)]
            weights = {name: _read(file, name) for name in names}
            vectors = _read(file, "known") @ _read(file, "basis")
            texts = _normed(_read(file, "texts"))
        known = Known(_normed(vectors), tuple(tuple(each) for each in about["tools"]))
        weights_of, constant, least = about["confidence"]
        return cls(
            weights,
            tuple(about["keys"]),
            tuple(about["tags"]),
            about["literals"],
            known,
            Coverage(about["coverage"]),
            Confidence(tuple(weights_of), constant, least),
            KnownTexts({key: n for n, key in enumerate(about["texts"])}, texts),
        )

    def save(self, path: Path, in_bytes: bool = True) -> None:
        """Into one file: tables as bytes, each row in steps of its own; what else there is in half precision.

        Without `in_bytes` all weights are in half precision, to go on from by steps smaller than those of
        bytes. Of the known requests the `KEPT_AXES` directions are kept in which they differ most.
        """
        about = {
            "keys": self.keys,
            "tags": self.tags,
            "literals": self.literals,
            "tools": self.known.tools,
            "coverage": _rounded(self.coverage.shares),
            "confidence": astuple(self.confidence),
            "texts": list(self.texts.rows),
        }
        basis = _axes(self.known.vectors)
        tables: dict[str, Floats] = {
            "known": self.known.vectors @ basis.T,
            "basis": basis,
            "texts": self.texts.vectors,
        }
        kept: dict[str, Any] = {"about": np.array(json.dumps(about))}
        if in_bytes:
            tables |= self.weights
        else:
            kept |= {name: values.astype(np.float16) for name, values in self.weights.items()}
        for name, values in tables.items():
            kept |= _written(name, values)
        np.savez_compressed(path, **kept)

    def with_texts(self, encoder: Encoder, toolbox: Toolbox) -> Learned:
        """With the vectors of what these tools say of themselves."""
        listening = Listening(encoder)
        descriptions(Vocabulary(schema_of(toolbox), self.literals), toolbox, listening)
        Leaflets(toolbox, listening, tokenizer())
        return replace(self, texts=KnownTexts.of(listening.asked, encoder))

    def own(self, vocabulary: Vocabulary) -> Floats:
        """(vocabulary, 384) The vector of each token; zeros for what training never knew or wanted."""
        rows = dict(zip(self.keys, self.weights["own.weight"], strict=True))
        wanted = {f"tool {name}" for name in self.known.wanted}
        rows = {key: row for key, row in rows.items() if not key.startswith("tool ") or key in wanted}
        unknown = np.zeros(DIMENSIONS, np.float32)
        return np.stack([rows.get(key, unknown) for key in vocabulary.keys])


def _normed(vectors: Floats) -> Floats:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return np.asarray(vectors / lengths, np.float32)


def _written(name: str, values: Floats) -> dict[str, Any]:
    """A table as bytes beside the step of each row; vectors and single numbers in half precision."""
    if values.ndim < 2:
        return {name: values.astype(np.float16)}
    steps = np.maximum(np.abs(values).max(axis=1, keepdims=True) / _BYTE, 1e-9).astype(np.float32)
    return {name: np.rint(values / steps).astype(np.int8), name + _STEPS: steps}


def _read(file: Mapping[str, Any], name: str) -> Floats:
    values = np.asarray(file[name], np.float32)
    return values * file[name + _STEPS] if name + _STEPS in file else values


def _axes(vectors: Floats) -> Floats:
    """(axes, 384) The directions in which some vectors are longest, by their second moments."""
    _, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    return np.ascontiguousarray(axes.T[::-1][:KEPT_AXES], np.float32)


def _rounded(shares: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    return {stem: {token: round(share, 3) for token, share in each.items()} for stem, each in shares.items()}


class Policy:
    """Scores frames. Holds no state of a conversation; safe to use from several threads."""

    def __init__(self, learned: Learned, encoder: Encoder, toolbox: Toolbox) -> None:
        self.vocabulary = Vocabulary(schema_of(toolbox), learned.literals)
        weights = published(learned.weights) | {"own.weight": learned.own(self.vocabulary)}
        self._tags = {name: n for n, name in enumerate(learned.tags, 1)}
        self._encoder, self._tokenizer = encoder, tokenizer()
        remembering = Remembering(encoder, learned.texts)
        known = descriptions(self.vocabulary, toolbox, remembering)
        self._leaflets, self._known = Leaflets(toolbox, remembering, self._tokenizer), learned.known
        self._leaflets.project(weights["like"])
        self._new = np.array([name not in learned.known.wanted for name in self.vocabulary.tools])
        new = np.zeros(self.vocabulary.size, bool)
        new[1 : self.vocabulary.first_name] = self._new
        self._network = Network(weights, described(weights, *known), new)
        self._counts = {name: weights[name] for name in ("alpha", "beta", "gamma", "delta")}

    def frames(self, shown: Shown) -> tuple[Scored, ...]:
        """The best frames of what is shown, the likeliest first."""
        pieces, first = pieces_of(self._tokenizer, shown.words)
        tags = np.array([self._tags.get(tag, 0) for tag in shown.tags])
        parts = self._encoder.recall(parts_of(shown))
        likeness = self._leaflets.likeness(parts)
        offers = self._leaflets.offers(self._new, likeness, parts, len(pieces))
        encoded = self._network.encode(pieces, first, tags, np.array(shown.kinds), offers)
        cosines = self._known.cosines(parts[0])
        known = self._known.likeness(cosines, self.vocabulary.tools)
        favour = favour_of(self._counts, self._new, likeness, known, offers)
        near = self._known.nearest(cosines, NEIGHBOURS)
        return tuple(
            replace(
                each, agreement=_agreement(each.frame, near), nearest=max((one for one, _ in near), default=0)
            )
            for each in decode(self._network, self.vocabulary, encoded, favour)
        )

    def has_room(self, shown: Shown) -> bool:
        """Whether all of what is shown can be read at once, with what is read beside it."""
        pieces, _ = pieces_of(self._tokenizer, shown.words)
        return len(pieces) + MOST_OFFERED_PIECES <= self._network.positions

    def likest(self, text: str, count: int) -> tuple[str, ...]:
        """The names of the tools whose docstrings are most like a text, the likest first."""
        likeness = self._leaflets.likeness(self._encoder.recall([text[:MAX_CHARS] or "."]))
        return tuple(self.vocabulary.tools[n] for n in np.argsort(-likeness, kind="stable")[:count])


MAX_PARTS = 6
NEIGHBOURS = 8
"""Known requests that are asked whether they want the same tools; the likest counts most."""


TAUGHT_NEW, EXPECTED_NEW = 0.7, 0.1
"""How often training wants one of the tools that it takes for new, and how often people will."""
PRIOR_SHIFT = math.log(EXPECTED_NEW / (1 - EXPECTED_NEW)) - math.log(TAUGHT_NEW / (1 - TAUGHT_NEW))
"""What the one adds to the log-odds of the other (Saerens et al. 2002, Neural Computation 14(1))."""


def favour_of(
    weights: Mapping[str, Floats], new: Bools, phrases: Floats, known: Floats, offers: Offers
) -> Floats:
    """(tools,) How much each tool is wanted by likeness alone; a `new` one that is not read is not."""
    read = np.full(len(phrases), NEVER, np.float32)
    read[offers.tools] = weights["gamma"] * phrases[offers.tools] + weights["delta"] + PRIOR_SHIFT
    favour: Floats = np.where(new, read, weights["alpha"] * phrases + weights["beta"] * known)
    return favour


def _agreement(frame: Frame, near: Sequence[tuple[float, frozenset[str]]]) -> float:
    """The mean overlap (Jaccard) of a frame's tools with those of known requests, the likest first of all."""
    own = {step.tool for step in frame}
    weights = [cosine**4 for cosine, _ in near]
    shared = [len(own & tools) / len(own | tools) if own | tools else 1.0 for _, tools in near]
    return float(np.dot(weights, shared)) / max(sum(weights), 1e-9)


def parts_of(shown: Shown) -> list[str]:
    """A request as a whole, then what stands between its signs, where that is some words."""
    text = shown.mentions.text[:MAX_CHARS]
    between = [each.strip() for each in _SIGNS.split(text)]
    parts = [each for each in between if len(each.split()) > 1] if len(between) > 1 else []
    return [text or ".", *parts[:MAX_PARTS]]


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
        pieces += _pieces(tokenizer, word)
    return np.array([*pieces, _SEP]), np.array(first)


@lru_cache(maxsize=1 << 16)
def _pieces(tokenizer: Tokenizer, word: str) -> tuple[int, ...]:
    known = [_SEP] if word == BREAK else tokenizer.encode(word, add_special_tokens=False).ids
    return tuple((known or [_UNKNOWN])[:MAX_PIECES])


def descriptions(vocabulary: Vocabulary, toolbox: Toolbox, encoder: Encodes) -> tuple[Floats, Ids]:
    """(vocabulary, 768) the sentence vectors of each token's description, and what kind of token it is.

    A tool is described by its summary and by the mean of what people say who want it.
    """
    kinds = np.zeros(vocabulary.size, np.intp)
    vectors = np.zeros((vocabulary.size, 2 * DIMENSIONS), np.float32)
    ends = (1, vocabulary.first_name, vocabulary.first_literal, vocabulary.first_result, vocabulary.size)
    for kind, (start, end) in enumerate(itertools.pairwise(ends), 1):
        kinds[start:end] = kind
    known = [toolbox.get(name) for name in vocabulary.tools]
    said = encoder.encode([summary(each) for each in known])
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
