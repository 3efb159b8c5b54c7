"""What the editor of a layer's style shows: the columns, what is chosen, a histogram with the breaks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np

from copilot.messages import later, number, t, tn
from state.model import Layer, State
from tools.base import ToolError, World
from tools.map.classes import CONTINUOUS, Classes, Graded, drawn_by, label_field
from tools.map.columns import Column, Values, columns_of, values_of

METHODS = {
    "natural_breaks": later("Natural breaks"),
    "quantile": later("Quantiles"),
    "equal_interval": later("Equal intervals"),
    "pretty": later("Round numbers"),
    "standard_deviation": later("Standard deviation"),
    "continuous": later("Continuous"),
    "categories": later("Categories"),
}
_BINS = 32


@dataclass(frozen=True)
class Look:
    """How a layer is drawn now, as the editor's fields show it."""

    field: str | None
    method: str | None
    classes: int
    palette: str | None
    by_size: bool
    label: str | None


def look_of(layer: Layer) -> Look:
    """The look that a layer has."""
    style, label = drawn_by(layer), label_field(layer)
    if isinstance(style, Graded):
        count = 5 if style.method == CONTINUOUS else max(2, len(style.edges) - 1)
        return Look(style.field, style.method, count, style.palette or None, bool(style.sizes), label)
    if isinstance(style, Classes):
        return Look(style.field, "categories", 5, None, False, label)
    return Look(None, None, 5, None, False, label)


def columns(state: State, world: World, layer: Layer) -> tuple[Column, ...]:
    """What the layer may be drawn by; none where its features are not told apart or its file is gone."""
    try:
        return columns_of(state, world, layer)
    except ToolError:
        return ()


def methods_for(column: Column) -> tuple[str, ...]:
    """The methods that make sense for a column."""
    return ("categories",) if column.kind == "text" else tuple(METHODS)


def histogram(state: State, world: World, layer: Layer) -> str:
    """The values that a layer is drawn by as markup, each bar in its colour, with the breaks; else empty."""
    style = drawn_by(layer)
    if style is None:
        return ""
    column = next((each for each in columns(state, world, layer) if each.name == style.field), None)
    if column is None:
        return ""
    values = values_of(state, world, layer, column)
    if isinstance(style, Classes):
        return _bars(style, values)
    return _distribution(style, values, layer.color)


def _distribution(style: Graded, values: Values, color: str) -> str:
    if not len(values.numbers):
        return ""
    low, high = style.edges[0], max(style.edges[-1], style.edges[0] + 1e-12)
    counts, edges = np.histogram(values.numbers, bins=_BINS, range=(low, high))
    tallest = max(1, int(counts.max()))
    drawn = []
    for at, count in enumerate(counts.tolist()):
        # Their roots: a long tail stays in sight.
        tall = max(2.0, 100 * (count / tallest) ** 0.5) if count else 0.0
        fill = style.colour((edges[at] + edges[at + 1]) / 2) or color
        drawn.append(f'<i style="height:{tall:.1f}%;background:{fill}"></i>')
    for edge in style.edges[1:-1]:
        drawn.append(f'<b style="left:{(edge - low) / (high - low) * 100:.2f}%"></b>')
    texts = style.written
    span = {"field": style.field, "low": texts[0], "high": texts[-1]}
    if style.method == CONTINUOUS:
        said = t("{field} from {low} to {high}", **span)
    else:
        said = tn(
            "{n} class of {field} from {low} to {high}",
            "{n} classes of {field} from {low} to {high}",
            len(texts) - 1,
            **span,
        )
    ends = f"<span>{escape(texts[0])}</span><span>{escape(texts[-1])}</span>"
    return (
        '<div class="az-histogram" dir="ltr">'
        f'<div class="az-histogram-bars" role="img" aria-label="{escape(said)}">'
        f'{"".join(drawn)}</div><div class="az-histogram-ends">{ends}</div></div>'
    )


def _bars(style: Classes, values: Values) -> str:
    counts = dict(values.counts)
    rows = [(name, counts.get(name, 0), colour) for name, colour in style.colours.items()]
    rest = sum(counts.values()) - sum(count for _, count, _ in rows) + values.missing
    if rest > 0 and style.rest:
        rows.append((t("other"), rest, style.rest))
    most = max((count for _, count, _ in rows), default=1) or 1
    drawn = [
        f'<tr><th scope="row">{escape(_shortened(name))}</th><td><i style="width:'
        f'{max(1.0, 100 * count / most):.1f}%;background:{colour}"></i></td><td>{number(count)}</td></tr>'
        for name, count, colour in rows
    ]
    return f'<table class="az-histogram-rows">{"".join(drawn)}</table>'


def _shortened(text: str, most: int = 20) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2 - 1) :]}"
