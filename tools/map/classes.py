"""Layers whose features have the colour of their class: the field that says it, and the colours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from state.codec import canonical
from state.model import Layer

OPTION = "classes"
"""The option of a layer that keeps its classes, as JSON text."""
LADDER = ("#0072b2", "#f7e84a", "#e8830c", "#7a0019")
"""Four steps from harmless to worst: told apart with any colour vision."""
KINDS = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#f0e442", "#4d4d4d",
    "#7f3c8d", "#a5aa99",
)  # fmt: skip
"""For classes without an order: those of Okabe and Ito (2008), and two more."""


@dataclass(frozen=True)
class Classes:
    """The field that says what class a feature is of, and the colour of each."""

    field: str
    colours: Mapping[str, str]
    """By class, in the order of a legend."""

    @property
    def option(self) -> dict[str, str]:
        """As a layer's options keep it."""
        return {OPTION: canonical([self.field, list(self.colours.items())])}

    def colour(self, value: object) -> str | None:
        """The colour of a feature of that class; None for one that is none of them."""
        return self.colours.get(str(value))


def ladder(field: str, names: tuple[str, ...]) -> Classes:
    """Classes from harmless to worst; of more or fewer than four the steps are spread."""
    steps = [round(at * (len(LADDER) - 1) / max(1, len(names) - 1)) for at in range(len(names))]
    return Classes(field, {name: LADDER[step] for name, step in zip(names, steps, strict=True)})


def kinds(field: str, names: tuple[str, ...]) -> Classes:
    """Classes without an order, in as many colours as there are."""
    return Classes(field, {name: KINDS[at % len(KINDS)] for at, name in enumerate(names)})


def classes_of(layer: Layer) -> Classes | None:
    """The classes that a layer is coloured by; None where all its features have the layer's colour."""
    said = dict(layer.options).get(OPTION)
    if not isinstance(said, str):
        return None
    field, colours = json.loads(said)
    return Classes(str(field), {str(name): str(colour) for name, colour in colours})
