"""The encoder with its last layers tuned to tell tasks, the direction of each task, and the known phrases.

`copilot.solutions.tune` makes the weights; reading them needs numpy only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from copilot.planner.encoder import Adapters, Encoder, Floats
from copilot.planner.head import HeadError, shared_encoder, softmax
from copilot.solutions.near import Neighbours

WEIGHTS = Path(__file__).with_name("tuned.npz")
_DENSE = 4
"""Matrices of a layer: query, key and value as one, after attention, and the two behind it."""


@dataclass(frozen=True)
class Tuned:
    """The changes with the tasks' directions."""

    names: tuple[str, ...]
    weights: Floats
    """(384, tasks)."""
    bias: Floats
    adapters: Adapters
    known: Neighbours
    digest: str
    """Of the phrases that were learnt."""

    @cached_property
    def encoder(self) -> Encoder:
        """The process's encoder with the changes; what was not changed is in memory once."""
        return shared_encoder().adapted(self.adapters)

    def shares(self, texts: Sequence[str]) -> Floats:
        """(texts, tasks): how likely each task is, all of a text's coming to one."""
        return softmax(self.encoder.recall(texts) @ self.weights + self.bias)

    def votes(self, texts: Sequence[str]) -> Floats:
        """(texts, tasks): what the known phrases nearest to each text say, all of a text's coming to one."""
        return self.known.votes(self.encoder.recall(texts), len(self.names))

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> Tuned:
        """Read the committed weights. HeadError when they cannot be read."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                layers = tuple(
                    tuple(
                        (stored[f"down_{layer}_{part}"].astype(np.float32),
                         stored[f"up_{layer}_{part}"].astype(np.float32))
                        for part in range(_DENSE)
                    )
                    for layer in range(int(stored["layers"]))
                )  # fmt: skip
                return cls(
                    tuple(str(name) for name in stored["names"]),
                    stored["weights"].astype(np.float32),
                    stored["bias"].astype(np.float32),
                    layers,
                    Neighbours.read(stored),
                    str(stored["digest"]),
                )
        except (OSError, ValueError, KeyError) as error:
            raise HeadError(
                f"{path} cannot be read; make it with: python -m copilot.solutions.tune"
            ) from error

    def save(self, path: Path = WEIGHTS) -> None:
        """Write what `load` reads, the matrices in half precision."""
        matrices = {
            f"{name}_{layer}_{part}": matrix.astype(np.float16)
            for layer, changes in enumerate(self.adapters)
            for part, change in enumerate(changes)
            for name, matrix in zip(("down", "up"), change, strict=True)
        }
        np.savez_compressed(
            path,
            allow_pickle=False,
            names=np.array(self.names),
            weights=self.weights.astype(np.float16),
            bias=self.bias,
            digest=np.array(self.digest),
            layers=np.int64(len(self.adapters)),
            **matrices,
            **self.known.stored(),
        )


@cache
def tuned() -> Tuned:
    """The committed weights. Raises HeadError when they cannot be read."""
    return Tuned.load()
