"""The network behind the policy, in numpy: an encoder of what is shown, and a decoder that writes frames.

The encoder is MiniLM (Wang et al. 2020, arXiv:2002.10957), published up to `KEPT` layers and trained on above
them. The decoder is a Transformer's (Vaswani et al. 2017, arXiv:1706.03762) that points at words (Vinyals et
al. 2015, arXiv:1506.03134) or takes a token of the vocabulary. Tools and arguments are known by their
descriptions, so that a tool which was never seen in training can be written too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from copilot.planner.encoder import DIMENSIONS, HEADS, LAYERS, Floats, gelu

KEPT = 0
"""How many of the encoder's layers are the published ones."""
NOTHING, TOOL, NAME, VALUE, FIRST, LAST = range(6)
"""What a written token is: nothing yet, a tool, an argument's name, a value, a pointer's two ends."""
NEVER = -1e4
"""The score of what cannot come."""
_WIDTH = DIMENSIONS // HEADS
_SCALE = np.float32(_WIDTH**-0.5)
_EPSILON = np.float32(1e-12)
_DECODER_EPSILON = np.float32(1e-5)
Ids = NDArray[np.intp]
Bools = NDArray[np.bool_]
PUBLISHED = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "n1": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "n2": "output.LayerNorm",
}
"""The parts of a layer, by their names in training and in the published file."""


@dataclass(frozen=True)
class Offers:
    """New tools that are read beside a request, behind what is shown."""

    pieces: Ids
    """The ids of what they say, tool after tool."""
    first: Ids
    """(offers,) Where each begins among all pieces."""
    tools: Ids
    """(offers,) Their numbers among the tools of the vocabulary."""


NO_OFFERS = Offers(np.zeros(0, np.intp), np.zeros(0, np.intp), np.zeros(0, np.intp))


@dataclass(frozen=True)
class Encoded:
    """What is shown, as vectors."""

    words: Floats
    """(words, 384): each word by its first piece."""
    memory: tuple[tuple[Floats, Floats], ...]
    """For each layer of the decoder the keys and values of all pieces, (heads, pieces, 32) each."""
    offered: Floats
    """(offers, 384): each new tool by its first piece."""
    tools: Ids
    """(offers,) Their numbers."""


@dataclass(frozen=True)
class Beams:
    """What the decoder remembers of frames that are being written: keys and values of each layer."""

    layers: tuple[tuple[Floats, Floats], ...]
    """(beams, heads, tokens, 32) each."""

    def chosen(self, rows: Sequence[int]) -> Beams:
        """The memories of these beams, in this order; one may be there twice."""
        kept = list(rows)
        return Beams(tuple((keys[kept], values[kept]) for keys, values in self.layers))


@dataclass(frozen=True)
class Scores:
    """How well each continuation fits, for each beam."""

    tokens: Floats
    """(beams, vocabulary)"""
    first: Floats
    """(beams, words): as the first word of a pointer."""
    last: Floats
    """(beams, words): as its last."""


class Network:
    """The weights, by their names in training (copilot/language/learning/network.py)."""

    def __init__(self, weights: Mapping[str, Floats], candidates: Floats, new: Bools) -> None:
        """`candidates`: (vocabulary, 384), as `described` gives them.

        `new` (vocabulary,): tools that no known request wants. They are all scored alike, so that only how
        the request is like their phrases, and what is read of them beside it, tells them apart: what a layer
        says of a description that it never met is no evidence.
        """
        self._weights = weights
        self._depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("dec."))
        self._candidates = candidates
        fresh = self._norm("cnorm", weights["fresh"], _DECODER_EPSILON)
        self._scored = np.where(new[:, None], fresh, candidates)

    @property
    def positions(self) -> int:
        """How many pieces are read at once, at most."""
        return len(self._weights["pos.weight"])

    def encode(self, pieces: Ids, first: Ids, tags: Ids, kinds: Ids, offers: Offers = NO_OFFERS) -> Encoded:
        """Read what is shown: the ids of its pieces; for each word its first piece, its tag and its kind.

        `offers` are read behind it.
        """
        weights, pieces = self._weights, np.concatenate([pieces, offers.pieces])
        values = weights["word.weight"][pieces] + weights["pos.weight"][: len(pieces)]
        values = self._norm("norm", values + weights["typ.weight"][0])
        for layer in range(LAYERS):
            if layer == KEPT:
                values[first] += weights["tag.weight"][tags] + weights["seg.weight"][kinds]
                values[offers.first] += weights["offer.weight"][0]
            values = self._read(f"enc.{layer}", values)
        memory = tuple(
            (_heads(self._linear(f"dec.{n}.x.k", values)), _heads(self._linear(f"dec.{n}.x.v", values)))
            for n in range(self._depth)
        )
        return Encoded(values[first], memory, values[offers.first], offers.tools)

    def begin(self) -> Beams:
        """One beam in which nothing is written."""
        empty = np.zeros((1, HEADS, 0, _WIDTH), np.float32)
        return Beams(((empty, empty),) * self._depth)

    def write(
        self, shown: Encoded, beams: Beams, tokens: Sequence[int], kinds: Sequence[int]
    ) -> tuple[Beams, Scores]:
        """Take in the last token of each beam (`kinds` says what it is) and score what may follow."""
        weights, size = self._weights, len(self._candidates)
        place = beams.layers[0][0].shape[2]
        pointed = self._linear("pin", shown.words)
        rows = [pointed[token - size] if token >= size else self._candidates[token] for token in tokens]
        values = np.stack(rows) + weights["kind.weight"][list(kinds)] + weights["dpos.weight"][place]
        values = self._norm("dnorm", values, _DECODER_EPSILON)
        layers = []
        for n, (memory, past) in enumerate(zip(shown.memory, beams.layers, strict=True)):
            values, now = self._written(f"dec.{n}", values, memory, past)
            layers.append(now)
        scale = weights["scale"]
        scores = self._linear("out", values) @ self._scored.T * scale
        wanted = self._linear("olook", values) @ self._linear("ohold", shown.offered).T * scale
        scores[:, 1 + shown.tools] += wanted
        first = self._linear("pst", values) @ self._linear("hst", shown.words).T * scale
        last = self._linear("pen", values) @ self._linear("hen", shown.words).T * scale
        return Beams(tuple(layers)), Scores(scores, first, last)

    def _read(self, name: str, values: Floats) -> Floats:
        query, key, value = (_heads(self._linear(f"{name}.{part}", values)) for part in "qkv")
        mixed = self._linear(f"{name}.o", _joined(_attended(query, key, value)))
        return self._forward(name, self._norm(f"{name}.n1", values + mixed))

    def _written(
        self, name: str, values: Floats, memory: tuple[Floats, Floats], past: tuple[Floats, Floats]
    ) -> tuple[Floats, tuple[Floats, Floats]]:
        """(beams, 384) of the last tokens, through one layer."""
        query, key, value = (_of_beams(self._linear(f"{name}.{part}", values)) for part in "qkv")
        now = (np.concatenate([past[0], key], axis=2), np.concatenate([past[1], value], axis=2))
        mixed = _attended(query, *now)[:, :, 0].reshape(len(values), DIMENSIONS)
        values = self._norm(f"{name}.n1", values + self._linear(f"{name}.o", mixed))
        looked = _attended(_heads(self._linear(f"{name}.x.q", values)), *memory)
        values = self._norm(f"{name}.n3", values + self._linear(f"{name}.x.o", _joined(looked)))
        return self._forward(name, values), now

    def _forward(self, name: str, values: Floats) -> Floats:
        inner = gelu(self._linear(f"{name}.f1", values))
        return self._norm(f"{name}.n2", values + self._linear(f"{name}.f2", inner))

    def _linear(self, name: str, values: Floats) -> Floats:
        product: Floats = values @ self._weights[f"{name}.weight"].T
        product += self._weights[f"{name}.bias"]
        return product

    def _norm(self, name: str, values: Floats, epsilon: np.float32 = _EPSILON) -> Floats:
        return normed(values, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"], epsilon)


def described(weights: Mapping[str, Floats], descriptions: Floats, kinds: Ids) -> Floats:
    """(vocabulary, 384) The candidates: two sentence vectors of each token's description, side by side.

    kinds: END, tool, argument, literal or result, as 0 to 4. A token that training knew has, beside what
    its description says, a vector of its own (`own.weight`); those of tools added later are zero there.
    """
    inner = gelu(descriptions @ weights["proj.0.weight"].T + weights["proj.0.bias"])
    values: Floats = inner @ weights["proj.2.weight"].T + weights["proj.2.bias"]
    values += weights["ktype.weight"][kinds] + weights["own.weight"]
    return normed(values, weights["cnorm.weight"], weights["cnorm.bias"], _DECODER_EPSILON)


def normed(values: Floats, scale: Floats, shift: Floats, epsilon: np.float32) -> Floats:
    """Layer normalisation (Ba et al. 2016, arXiv:1607.06450) over the last axis."""
    centred = values - values.mean(axis=-1, keepdims=True)
    centred /= np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + epsilon)
    even: Floats = np.asarray(centred * scale + shift, np.float32)
    return even


def _attended(query: Floats, key: Floats, value: Floats) -> Floats:
    scores: Floats = query @ key.swapaxes(-1, -2) * _SCALE
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed: Floats = scores @ value
    return mixed


def _heads(values: Floats) -> Floats:
    """(tokens, 384) as (heads, tokens, 32)."""
    return values.reshape(len(values), HEADS, _WIDTH).transpose(1, 0, 2)


def _of_beams(values: Floats) -> Floats:
    """(beams, 384) as (beams, heads, 1, 32)."""
    return values.reshape(len(values), HEADS, 1, _WIDTH)


def _joined(values: Floats) -> Floats:
    """(heads, tokens, 32) as (tokens, 384)."""
    return values.transpose(1, 0, 2).reshape(values.shape[1], DIMENSIONS)
