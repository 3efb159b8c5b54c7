"""Draw a layer's features by a column: categories, classes, a ramp, sizes; and write one beside each."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import Layer, State
from tools.base import Step, ToolError, World, tool
from tools.map.breaks import Method, breaks_of
from tools.map.classes import (
    CONTINUOUS,
    GRADED,
    KINDS,
    LABELLED,
    NO_VALUE,
    OPTION,
    Classes,
    Graded,
    without_styles,
)
from tools.map.columns import Values, column_named, has_size, values_of
from tools.map.find import layer_named
from tools.map.palettes import CATEGORIES, NUMBERS, STOPS, Palette, colours
from tools.phrases import listed, number_of
from tools.units import LayerName

ColumnName = Annotated[
    str, Field(min_length=1, max_length=200, description="A column of the layer's features.")
]
How = Annotated[
    Literal["categories", "continuous"] | Method,
    Field(description="categories of any values; or a number: in classes, or continuous without classes."),
]
ClassCount = Annotated[int, Field(ge=2, le=9, description="How many classes of a number.")]
Shown = Annotated[Literal["color", "size"], Field(description="What shows the value.")]
PaletteName = Annotated[Palette, Field(description="Colours; all are told apart with any colour vision.")]
LEAST_PX, MOST_PX = 3.0, 15.0
"""The sizes of the least and of the greatest value."""
MOST_CATEGORIES = len(KINDS)


@tool("map", changes_state=True, needs=("layer",))
def style_by_field(
    state: State,
    world: World,
    *,
    layer: LayerName,
    field: ColumnName,
    method: How | None = None,
    classes: ClassCount = 5,
    palette: PaletteName | None = None,
    show_by: Shown = "color",
) -> Step:
    """Colour or size a layer's features by one of their columns, with classes and a legend.

    Text becomes categories, numbers become natural breaks when nothing is said. Classes are of the rows
    there are now and stay until the layer is styled again; style_layer with a color takes them away.

    Example: copilot call style_by_field layer=clusters field=sensor

    Asked as: colour the layer by its type | colour the points by sensor | graduated colours by population |
    size the circles by magnitude | classify the polygons by area in five quantiles | natural breaks by
    height | proportional symbols | thematic map of this column | shade the parcels by value in viridis
    """
    found = layer_named(state, layer)
    column = column_named(state, world, found, field)
    if show_by == "size" and not has_size(state, world, found):
        raise ToolError(f"The layer {found.name!r} draws areas, which have no size of their own; colours do.")
    values = values_of(state, world, found, column)
    if not values.counts and not len(values.numbers):
        raise ToolError(f"The column {column.name!r} has no values in the layer {found.name!r}.")
    how = method or ("categories" if column.kind == "text" else "natural_breaks")
    if how == "categories":
        if show_by == "size":
            raise ToolError("Categories have no size; show_by=size needs a number and another method.")
        style: Classes | Graded = _categories(values, palette or CATEGORIES)
    else:
        style = _graded(values, how, classes, palette, show_by)
    kept = without_styles(found, OPTION, GRADED)
    styled = replace(found, options=tuple(sorted({**dict(kept), **style.option}.items())))
    return Step(state.with_layer(styled), _said(found, style, values), _facts(found, style, values))


@tool("map", changes_state=True, needs=("layer",))
def label_layer(state: State, world: World, *, layer: LayerName, field: ColumnName | None = None) -> Step:
    """Write a column's value beside each of a layer's features; without a field, take the labels away.

    Example: copilot call label_layer layer=clusters field=sensor

    Asked as: label the features with their name | write the value of the column on the polygons | label the
    layer by its id | put the names on the vector layer | take the labels off the layer
    """
    found = layer_named(state, layer)
    kept = dict(without_styles(found, LABELLED))
    if field is None:
        was = LABELLED in dict(found.options)
        said = f"The layer {found.name!r} {'has no labels any more' if was else 'had no labels'}."
        return Step(_with_options(state, found, kept), said, {"layer": found.id, "field": None})
    column = column_named(state, world, found, field)
    said = f"The features of {found.name!r} are labelled by {column.name}."
    labelled = _with_options(state, found, {**kept, LABELLED: column.name})
    return Step(labelled, said, {"layer": found.id, "field": column.name})


def _with_options(state: State, layer: Layer, options: dict[str, str | float | bool]) -> State:
    return state.with_layer(replace(layer, options=tuple(sorted(options.items()))))


def _categories(values: Values, palette: Palette) -> Classes:
    """A colour for each value; of more than there are colours the most frequent, and one for the others."""
    names = [name for name, _ in values.counts]
    if len(names) > MOST_CATEGORIES:
        names = names[: MOST_CATEGORIES - 1]
    shades = colours(palette, len(names))
    rest = NO_VALUE if len(names) < len(values.counts) or values.missing else None
    return Classes(values.column.name, dict(zip(sorted(names, key=_natural), shades, strict=True)), rest)


def _natural(name: str) -> tuple[int, float, str]:
    """Numbers by size, then texts by name."""
    try:
        return (0, float(name), name)
    except ValueError:
        return (1, 0.0, name.casefold())


def _graded(values: Values, how: str, count: int, palette: Palette | None, show_by: str) -> Graded:
    if not len(values.numbers):
        raise ToolError(
            f"The column {values.column.name!r} holds no numbers, so there is no {how.replace('_', ' ')} "
            "of it; method=categories colours each of its values."
        )
    if palette == "okabe_ito":
        raise ToolError("okabe_ito has no order, so it cannot show more and less; viridis or blues can.")
    used = palette or NUMBERS
    if how == CONTINUOUS:
        edges: tuple[float, ...] = (float(values.numbers.min()), float(values.numbers.max()))
        steps = STOPS
    else:
        edges = breaks_of(values.numbers, how, count)  # type: ignore[arg-type]
        steps = len(edges) - 1
    by_size = show_by == "size"
    return Graded(
        field=values.column.name,
        method=how,
        edges=edges,
        colours=() if by_size else colours(used, steps),
        sizes=_sizes(2 if how == CONTINUOUS else steps) if by_size else (),
        dates=values.column.kind == "time",
        palette="" if by_size else used,
    )


def _sizes(count: int) -> tuple[float, ...]:
    """Pixels of so many classes: what is drawn grows by the same area from one to the next."""
    least, most = LEAST_PX**2, MOST_PX**2
    return tuple(round((least + (most - least) * at / max(1, count - 1)) ** 0.5, 1) for at in range(count))


def _said(layer: Layer, style: Classes | Graded, values: Values) -> str:
    without = f" {number_of(values.missing, 'row')} without a value." if values.missing else ""
    if isinstance(style, Classes):
        rest = len(values.counts) - len(style.colours)
        others = f", {rest:,} more in grey" if rest else ""
        said = f"{number_of(len(style.colours), 'category')}{others}: {listed(style.colours, 6)}"
        return f"The layer {layer.name!r} is coloured by {style.field}, {said}.{without}"
    word = "sized" if style.sizes else "coloured"
    if style.method == CONTINUOUS:
        low, high = style.written
        return f"The layer {layer.name!r} is {word} by {style.field}, from {low} to {high}.{without}"
    how = f"{number_of(len(style.edges) - 1, 'class')} by {style.method.replace('_', ' ')}"
    ranges = listed(style.labels, 9)
    return f"The layer {layer.name!r} is {word} by {style.field} in {how}: {ranges}.{without}"


def _facts(layer: Layer, style: Classes | Graded, values: Values) -> dict[str, Any]:
    facts: dict[str, Any] = {"layer": layer.id, "field": style.field, "missing": values.missing}
    if isinstance(style, Classes):
        return {**facts, "method": "categories", "classes": [list(each) for each in style.legend]}
    return {**facts, "method": style.method, "edges": list(style.edges), "palette": style.palette or None}


TOOLS = (style_by_field, label_layer)
