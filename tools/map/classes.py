"""Layers whose features are drawn by a column: in the colour of their class, or as a number says."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from data.palette import CATEGORIES
from data.profiles import nested_text
from state.codec import canonical
from state.model import Layer
from tools.map.breaks import number_of_value

OPTION = "classes"
"""The option of a layer that keeps its classes, as JSON text."""
GRADED = "graded"
"""The option of a layer that is drawn by a number, as JSON text."""
LABELLED = "label_by"
"""The option of a layer whose features are labelled: the column that is written."""
STYLES = (OPTION, GRADED, LABELLED)
LADDER = ("#0072b2", "#f7e84a", "#e8830c", "#7a0019")
"""Four steps from harmless to worst: told apart with any colour vision."""
KINDS = (*CATEGORIES, "#4d4d4d", "#7f3c8d", "#a5aa99")
"""For classes without an order: those of Okabe and Ito (2008), and three more."""
REST = "other"
NO_VALUE = "#9ca3af"
"""The colour of what is of no class, or has no value."""
CONTINUOUS = "continuous"


@dataclass(frozen=True)
class Classes:
    """The field that says what class a feature is of, and the colour of each."""

    field: str
    colours: Mapping[str, str]
    """By class, in the order of a legend."""
    rest: str | None = None
    """The colour of every other class; None for the layer's own."""

    @property
    def option(self) -> dict[str, str]:
        """As a layer's options keep it."""
        rest = [] if self.rest is None else [self.rest]
        return {OPTION: canonical([self.field, list(self.colours.items()), *rest])}

    def colour(self, value: object) -> str | None:
        """The colour of a feature of that class; None for the layer's."""
        return self.colours.get(class_text(value), self.rest)

    def size(self, value: object) -> float | None:
        """Of the layer's size, whatever the class."""
        return None

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Each class and its colour."""
        rest = [] if self.rest is None else [(REST, self.rest)]
        return [*self.colours.items(), *rest]


@dataclass(frozen=True)
class Graded:
    """A number that features are coloured or sized by: in classes, or without."""

    field: str
    method: str
    """Of `breaks.Method`, or `continuous`."""
    edges: tuple[float, ...]
    """The least value and the upper end of each class; without classes, the two ends."""
    colours: tuple[str, ...] = ()
    """Of each class, or at even steps from one end to the other; empty where the size says it."""
    sizes: tuple[float, ...] = ()
    """Pixels, of each class or of the two ends; empty where the colour says it."""
    dates: bool = False
    """Whether the numbers are days since 1970."""
    palette: str = ""

    @property
    def option(self) -> dict[str, str]:
        """As a layer's options keep it."""
        kept = {
            "field": self.field, "method": self.method, "edges": list(self.edges), "palette": self.palette,
            "colours": list(self.colours), "sizes": list(self.sizes), "dates": self.dates,
        }  # fmt: skip
        return {GRADED: canonical(kept)}

    def colour(self, value: object) -> str | None:
        """The colour of a feature of that value; grey without one, None where the layer's own holds."""
        if not self.colours:
            return None
        number = number_of_value(value)
        if number is None:
            return NO_VALUE
        if self.method != CONTINUOUS:
            return self.colours[self._class(number)]
        return _between(self.colours, self._part(number) * (len(self.colours) - 1))

    def size(self, value: object) -> float | None:
        """The size in pixels of a feature of that value; without one, the least. None for the layer's own."""
        if not self.sizes:
            return None
        number = number_of_value(value)
        if number is None:
            return self.sizes[0]
        if self.method != CONTINUOUS:
            return self.sizes[self._class(number)]
        least, most = self.sizes[0] ** 2, self.sizes[-1] ** 2  # the area grows with the value
        return round(float((least + (most - least) * self._part(number)) ** 0.5), 2)

    @property
    def labels(self) -> list[str]:
        """The range of each class, or the two ends."""
        ends = self.written
        if self.method == CONTINUOUS:
            return ends
        return [low if low == high else f"{low} – {high}" for low, high in pairwise(ends)]

    @property
    def written(self) -> list[str]:
        """The edges, with no more digits than tell them apart."""
        if self.dates:
            return [(date(1970, 1, 1) + timedelta(days=each)).isoformat() for each in self.edges]
        for digits in range(3, 9):
            texts = [_short(each, digits) for each in self.edges]
            if len(set(texts)) == len(set(self.edges)):
                break
        return texts

    def _class(self, number: float) -> int:
        return min(bisect_left(self.edges[1:-1], number), max(0, len(self.edges) - 2))

    def _part(self, number: float) -> float:
        low, high = self.edges[0], self.edges[-1]
        return 0.5 if high <= low else min(1.0, max(0.0, (number - low) / (high - low)))


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
    field, colours, *rest = json.loads(said)
    return Classes(
        str(field), {str(name): str(colour) for name, colour in colours}, str(rest[0]) if rest else None
    )


def graded_of(layer: Layer) -> Graded | None:
    """The number that a layer is drawn by; None where there is none."""
    said = dict(layer.options).get(GRADED)
    if not isinstance(said, str):
        return None
    kept = json.loads(said)
    return Graded(
        field=str(kept["field"]),
        method=str(kept["method"]),
        edges=tuple(float(each) for each in kept["edges"]),
        colours=tuple(str(each) for each in kept["colours"]),
        sizes=tuple(float(each) for each in kept["sizes"]),
        dates=bool(kept["dates"]),
        palette=str(kept["palette"]),
    )


def drawn_by(layer: Layer) -> Classes | Graded | None:
    """What says how each feature of a layer is drawn; None where all are drawn alike."""
    return graded_of(layer) or classes_of(layer)


def label_field(layer: Layer) -> str | None:
    """The column that is written beside each feature; None without."""
    said = dict(layer.options).get(LABELLED)
    return said if isinstance(said, str) else None


def without_styles(layer: Layer, *styles: str) -> tuple[tuple[str, str | float | bool], ...]:
    """The layer's options without those that say how each feature is drawn."""
    return tuple(each for each in layer.options if each[0] not in styles)


def class_text(value: object) -> str:
    """A value as the name of a class: a whole number without a point, whatever holds it; a list as JSON."""
    if isinstance(value, dict | list) or getattr(value, "ndim", False):
        return nested_text(value)
    number = value if isinstance(value, float) or hasattr(value, "is_integer") else None
    return str(int(number)) if number is not None and float(number).is_integer() else str(value)  # type: ignore[call-overload, arg-type]


def _between(stops: tuple[str, ...], place: float) -> str:
    """The colour at a place between stops, counted from the first."""
    at = min(int(place), len(stops) - 2)
    one, other = ([int(stops[step][part : part + 2], 16) for part in (1, 3, 5)] for step in (at, at + 1))
    mixed = [round(a + (b - a) * (place - at)) for a, b in zip(one, other, strict=True)]
    return "#" + "".join(f"{each:02x}" for each in mixed)


def _short(value: float, digits: int) -> str:
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e15:
        rounded = float(f"{value:.{digits}g}")
        return f"{rounded:,.0f}" if rounded.is_integer() else f"{rounded:,.10f}".rstrip("0").rstrip(".")
    return f"{value:.{digits}g}"
