"""Colours, names and ids of layers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import get_close_matches

from PIL import ImageColor

from state.model import Layer, LayerKind, State
from tools.base import ToolError

KIND_COLORS: dict[LayerKind, str] = {
    "points": "#2563eb",
    "clusters": "#7c3aed",
    "heatmap": "#dc2626",
    "density": "#0891b2",
    "footprints": "#16a34a",
    "detections": "#ea580c",
    "choropleth": "#4338ca",
    "timeline": "#be185d",
    "labels": "#334155",
    "vector": "#0d9488",
    "raster": "#57534e",
    "drawing": "#d97706",
}
OWN_COLORS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#a5336b", "#786048",
)  # fmt: skip
"""For features that were added and plots that were given a name: told apart with any colour vision.

The first six are those of `data.palette`, without the yellow, in which what is selected is drawn."""


def color_of(text: str) -> str:
    """A CSS colour name or hexadecimal colour as #rrggbb. Raises ToolError with the nearest names."""
    wanted = text.strip().lower()
    try:
        red, green, blue = ImageColor.getrgb(wanted)[:3]
    except ValueError as error:
        near = get_close_matches(wanted, ImageColor.colormap, n=2)
        hint = f"Did you mean {' or '.join(near)}?" if near else "Give a name such as orange, or #ff8800."
        raise ToolError(f"{text!r} is not a colour. {hint}") from error
    return f"#{red:02x}{green:02x}{blue:02x}"


def free_color(state: State) -> str:
    """The first of `OWN_COLORS` that no layer has; where all are taken, the first that the fewest have."""
    taken = Counter(each.color for each in state.map.layers)
    return min(OWN_COLORS, key=lambda each: taken[each])


def slug(name: str) -> str:
    """A name as an id: lower case, words joined by hyphens, letters of any script."""
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "-".join(re.findall(r"\w+", plain))[:60] or "layer"


def free_id(state: State, wanted: str) -> str:
    """`wanted`, or with the first number that makes it no layer's id and no plot's own."""
    taken = {each.id for each in state.map.layers} | set(KIND_COLORS)
    return _numbered(wanted, taken, "-")


def free_name(state: State, wanted: str, besides: Layer | None = None) -> str:
    """`wanted` trimmed, or with the first number that makes it no layer's name, whatever the case."""
    taken = {each.name.casefold() for each in state.map.layers if besides is None or each.id != besides.id}
    return _numbered(clean_name(wanted), taken, " ")


def clean_name(name: str) -> str:
    """A name on one line, without control characters. Raises ToolError when nothing is left."""
    plain = "".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in name)
    if not (trimmed := " ".join(plain.split())):
        raise ToolError(f"{name!r} is no name: it has nothing that can be read; give it some letters.")
    return trimmed


def _numbered(wanted: str, taken: set[str], joint: str) -> str:
    found, number = wanted, 2
    while found.casefold() in taken:
        found, number = f"{wanted}{joint}{number}", number + 1
    return found
