"""Vectors of the short texts that the selection agent compares: remembered in a file, made when they are
new.

The file is made by `python -m scripts.modelzoo_vectors` with the embedded encoder; it only saves time, for
what it does not have is encoded when it is first met.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from data.modelzoo.lexicon import lexicon

Floats = NDArray[np.float32]
FILE = Path(__file__).parent / "vectors.npz"
_REMEMBERED = 20_000
_SHARPNESS = 3
"""How many of an application's likest phrases are averaged: one alone may be alike by chance."""


class Encode(Protocol):
    """Turns texts into vectors whose dot product is their cosine."""

    def __call__(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) of length one, in the order of the texts."""


class Vectors:
    """Vectors by their text. Safe to use from several threads."""

    def __init__(self, encode: Encode, file: Path | None = FILE) -> None:
        self._encode = encode
        self._known: dict[str, Floats] = dict(_kept(file)) if file is not None else {}
        self._lock = threading.Lock()

    def of(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) of length one; those that are new are encoded together."""
        keys = [text_key(text) for text in texts]
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            found |= dict(zip(new, self._encode(list(new.values())), strict=True))
            with self._lock:
                if len(self._known) < _REMEMBERED:
                    self._known.update((key, found[key]) for key in new)
        return np.array([found[key] for key in keys], dtype=np.float32)

    def likest_applications(self, text: str) -> list[tuple[str, float]]:
        """Every application with its cosine to a text, the likest first."""
        applications = lexicon().applications
        owners = [each.id for each in applications.values() for _ in phrases_of(each.id)]
        cosines = (
            self.of([phrase for each in applications for phrase in phrases_of(each)]) @ self.of([text])[0]
        )
        best: dict[str, list[float]] = {}
        for owner, cosine in zip(owners, cosines.tolist(), strict=True):
            best.setdefault(owner, []).append(cosine)
        scored = [(owner, _top(each)) for owner, each in best.items()]
        return sorted(scored, key=lambda each: (-each[1], each[0]))


def _top(cosines: Sequence[float]) -> float:
    """Three quarters the likest phrase, one quarter the next ones."""
    first, *others = sorted(cosines, reverse=True)[:_SHARPNESS]
    return 0.75 * first + 0.25 * (sum(others) / len(others) if others else first)


@cache
def phrases_of(application: str) -> tuple[str, ...]:
    """How an application is said, its name first."""
    return tuple(dict.fromkeys((application, *lexicon().applications[application].said)))


def text_key(text: str) -> str:
    """What a text is remembered by."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]


@cache
def _kept(file: Path) -> tuple[tuple[str, Floats], ...]:
    if not file.is_file():
        return ()
    with np.load(file) as held:
        vectors = held["vectors"].astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return tuple(zip(held["keys"].tolist(), vectors, strict=True))


def write_vectors(texts: Sequence[str], encode: Encode, file: Path = FILE) -> None:
    """Write the vectors of texts, in half precision: the cosines differ by less than 0.001."""
    unique = sorted(dict.fromkeys(texts))
    values: Any = encode(unique).astype(np.float16)
    np.savez_compressed(file, keys=np.array([text_key(text) for text in unique]), vectors=values)
