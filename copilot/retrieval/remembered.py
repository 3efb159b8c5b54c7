"""What was computed of a text once and is kept in the home folder: its vector, and what it costs in tokens.

Everything is keyed by the text itself, so that nothing is ever stale: a text that changed is a new one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO
from zipfile import BadZipFile

import numpy as np

from copilot.engine import default_home
from copilot.planner.encoder import DIMENSIONS, WEIGHTS_SHA256, Floats

FOLDER = "remembered"


def vectors_of(
    texts: Sequence[str],
    encode: Callable[[Sequence[str]], Floats],
    name: str,
    home: Path | None = None,
) -> Floats:
    """(texts, DIMENSIONS) float32: read from the file of that name, and what is new encoded and added to it.

    What no text asks for any more is dropped from the file when it is written next.
    """
    file = (home or default_home()) / FOLDER / f"{name}.npz"
    keys = [_key(text) for text in texts]
    known = _read_vectors(file)
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if new:
        known |= dict(zip(new, encode(list(new.values())), strict=True))
        _write(file, lambda out: _save_vectors(out, {key: known[key] for key in keys}))
    found = np.empty((len(keys), DIMENSIONS), dtype=np.float32)
    for row, key in zip(found, keys, strict=True):
        row[:] = known[key]
    return found


def numbers_of(
    texts: Sequence[str], count: Callable[[str], int], name: str, home: Path | None = None
) -> tuple[int, ...]:
    """`count` of each text: read from the file of that name, and what is new counted and added to it."""
    file = (home or default_home()) / FOLDER / f"{name}.json"
    keys = [_key(text) for text in texts]
    known = _read_numbers(file)
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if new:
        known |= {key: count(text) for key, text in new.items()}
        kept = {key: known[key] for key in keys}
        _write(file, lambda out: out.write(json.dumps(kept).encode()))
    return tuple(known[key] for key in keys)


def _key(text: str) -> str:
    """A text's name in the files: the encoder's weights are part of it, for they make the vector."""
    return hashlib.sha256(f"{WEIGHTS_SHA256}\n{text}".encode()).hexdigest()[:32]


def _read_vectors(file: Path) -> dict[str, Floats]:
    try:
        with file.open("rb") as raw, np.load(raw, allow_pickle=False) as stored:
            keys, vectors = stored["keys"], stored["vectors"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return {}  # absent, or cut short by a crash: encode again
    if vectors.shape != (len(keys), DIMENSIONS) or vectors.dtype != np.float32:
        return {}
    return {str(key): vector for key, vector in zip(keys, vectors, strict=True)}


def _save_vectors(out: IO[bytes], known: dict[str, Floats]) -> None:
    np.savez(out, keys=np.array(list(known)), vectors=np.stack(list(known.values())))


def _read_numbers(file: Path) -> dict[str, int]:
    try:
        stored = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(stored, dict):
        return {}
    return {key: value for key, value in stored.items() if isinstance(value, int)}


def _write(file: Path, save: Callable[[IO[bytes]], object]) -> None:
    """Write the file whole or not at all; a home that cannot be written costs the work at every start."""
    partial = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as out:
            save(out)
        partial.replace(file)
    except OSError:
        return
