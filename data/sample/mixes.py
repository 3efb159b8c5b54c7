"""Which classes are seen at which kind of site, and how often; and how large things are."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import numpy as np

from data.sample.rng import Ints
from data.vocabulary import CLASS_NAMES, classes_of
from data.vocabulary.words import data_lines

_LANDLOCKED = frozenset({"AT", "CH", "LU", "RS", "XK"})


def _read() -> dict[str, dict[str, dict[str, int]]]:
    found: dict[str, dict[str, dict[str, int]]] = {}
    for line in data_lines(Path(__file__).with_name("mixes.txt")):
        dataset, kind, text = (part.strip() for part in line.split("|"))
        entries = (entry.rsplit("=", 1) for entry in text.split(";"))
        mix = {name.strip(): int(weight) for name, weight in entries}
        unknown = set(mix) - set(CLASS_NAMES[dataset])
        if unknown:
            raise ValueError(f"{dataset} has no classes {sorted(unknown)}; a mix names published ones.")
        found.setdefault(dataset, {})[kind] = mix
        if kind == "city":
            found[dataset]["capital"] = mix
    return found


MIXES: MappingProxyType[str, dict[str, dict[str, int]]] = MappingProxyType(_read())
"""Weights of classes by data set and kind of site."""


def weights(dataset: str, kind: str) -> Ints:
    """The weight of each class id of a data set at a kind of site."""
    mix = MIXES[dataset][kind]
    return np.array([mix.get(name, 0) for name in CLASS_NAMES[dataset]], dtype=np.int64)


def _read_sizes() -> dict[str, tuple[int, int]]:
    rows = [line.split("|") for line in data_lines(Path(__file__).with_name("sizes.txt"))]
    return {group.strip(): (int(length), int(width)) for group, length, width in rows}


_SIZES = _read_sizes()


def sizes(dataset: str) -> tuple[Ints, Ints]:
    """Typical length and width, in decimetres, of each class id."""
    found = [
        next((size for group, size in _SIZES.items() if group in entry.groups), (250, 200))
        for entry in classes_of(dataset)
    ]
    return np.array([size[0] for size in found]), np.array([size[1] for size in found])


def landlocked(country: str | None) -> bool:
    """Whether a BigEarthNet country has no sea to show."""
    return country in _LANDLOCKED
