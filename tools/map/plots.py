"""Plots of the current selection: layers that hold its query, never its rows.

Without a name a plot is live: it follows the selection, its id is its kind, and plotting the kind
again fills it anew in the looks it has. With a name it stays as it was plotted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import Filters, Layer, LayerKind, Query, State
from tools.base import Step, ToolError, World, tool
from tools.database.attributes import known_field
from tools.database.reading import grouping_named
from tools.map.classes import STYLES
from tools.map.styles import KIND_COLORS, color_of, free_color, free_id, free_name, slug
from tools.phrases import listed, number_of
from tools.selection import counts_without, current_selection, noun
from tools.units import ColorText, NewName

Options = tuple[tuple[str, str | float | bool], ...]
LayerTitle = Annotated[
    NewName | None,
    Field(description="Keeps this plot as it is now, under this name; left out, it follows the selection."),
]
Resolution = Annotated[
    int | None,
    Field(
        ge=0, le=15, description="H3 resolution, or the zoom of square cells; follows the zoom when left out."
    ),
]
GroupField = Annotated[
    str,
    Field(min_length=1, max_length=100, description="country, or another column or property to count by."),
]
LabelField = Annotated[
    str, Field(min_length=1, max_length=100, description="The column or property that is written.")
]


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def scatter_plot(
    state: State, world: World, *, name: LayerTitle = None, color: ColorText | None = None
) -> Step:
    """Plot the selection as one point per image.

    Example: copilot call scatter_plot color=orange

    Asked as: plot them as points | dots on the map | one marker for each image | show the single positions |
    scatter them on the map | as points please | a dot per image | simple markers
    """
    return _plotted(state, world, "points", "points", name, color)


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def cluster_plot(
    state: State, world: World, *, name: LayerTitle = None, color: ColorText | None = None
) -> Step:
    """Plot the selection as clusters that show how many images lie there.

    Example: copilot call cluster_plot

    Asked as: show them on the map | cluster the images | plot the ships | map the results | display them
    grouped | markers with numbers | put them on the map | where are they | visualise the images | bubbles
    with counts
    """
    return _plotted(state, world, "clusters", "clusters", name, color)


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def heatmap_plot(
    state: State, world: World, *, name: LayerTitle = None, color: ColorText | None = None
) -> Step:
    """Plot the selection as a heat map of where images are many.

    Example: copilot call heatmap_plot

    Asked as: heat map | hot spots of images | where are they concentrated | show it as heat | a heat layer of
    the ships | intensity map | where is it busiest
    """
    return _plotted(state, world, "heatmap", "a heat map", name, color)


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def density_plot(
    state: State,
    world: World,
    *,
    cell: Annotated[
        Literal["h3", "square"], Field(description="The cells' shape: H3 hexagons or squares.")
    ] = "h3",
    resolution: Resolution = None,
    name: LayerTitle = None,
    color: ColorText | None = None,
) -> Step:
    """Plot the selection as counts per hexagon or square cell.

    Example: copilot call density_plot cell=h3 resolution=5

    Asked as: density per hexagon | count per grid cell | hexbin map | H3 cells | square cells coloured by
    count | image density | binned map
    """
    options: Options = (("cell", cell),)
    if resolution is not None:
        options = (*options, ("resolution", float(resolution)))
    shape = "hexagons" if cell == "h3" else "square cells"
    return _plotted(state, world, "density", f"counts per {shape}", name, color, options)


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def footprint_plot(
    state: State, world: World, *, name: LayerTitle = None, color: ColorText | None = None
) -> Step:
    """Plot the outline on the ground of each selected image.

    Example: copilot call footprint_plot

    Asked as: show the footprints | outlines of the scenes | what ground do the images cover | draw the image
    extents | coverage of the images | the frames of the images on the map
    """
    return _plotted(state, world, "footprints", "footprints", name, color)


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def detection_plot(
    state: State, world: World, *, name: LayerTitle = None, color: ColorText | None = None
) -> Step:
    """Plot the boxes of the objects in the selected images, of the selected classes where there are some.

    Example: copilot call detection_plot

    Asked as: show the boxes of the detected objects | plot the bounding boxes | draw the detections | mark
    every ship with its box | annotations on the map | labelled objects as boxes | object outlines
    """
    selection = current_selection(state, world)
    found = sum(n for _, n in world.catalogue.count_by(selection, "dataset", "detections"))
    if not found and state.database.count:
        raise ToolError(
            "The selected images have no detections to plot; footprint_plot shows where the images are."
        )
    step = _plotted(state, world, "detections", f"their {number_of(found, 'detection')}", name, color)
    return Step(step.state, step.observation, {**step.data, "detections": found})


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def choropleth_plot(
    state: State,
    world: World,
    *,
    by: GroupField = "country",
    name: LayerTitle = None,
    color: ColorText | None = None,
) -> Step:
    """Plot the selection as areas shaded by how many images each holds, by country or another field.

    Example: copilot call choropleth_plot by=country

    Asked as: countries coloured by count | shade the countries | choropleth by country | which countries have
    the most, as a map | colour areas by number of images | thematic map per country
    """
    key = grouping_named(by, world)
    return _plotted(state, world, "choropleth", f"areas by {key}", name, color, (("by", key),))


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def time_slider_plot(
    state: State,
    world: World,
    *,
    by: Annotated[Literal["year", "month", "day"], Field(description="One step of the slider.")] = "month",
    name: LayerTitle = None,
    color: ColorText | None = None,
) -> Step:
    """Plot the selection behind a slider that steps through time.

    Example: copilot call time_slider_plot by=year

    Asked as: a time slider | animate it over the months | step through time | play the images by year | how
    it developed over time on the map | timeline on the map | animation
    """
    return _plotted(state, world, "timeline", f"a timeline by {by}", name, color, (("by", by),))


@tool("map", changes_state=True, needs=("loaded",), gives=("layer",))
def label_plot(
    state: State,
    world: World,
    *,
    field: LabelField = "name",
    name: LayerTitle = None,
    color: ColorText | None = None,
) -> Step:
    """Plot a field's value as text beside each selected image.

    Example: copilot call label_plot field=sensor

    Asked as: label each image with its date | write the sensor beside the points | text labels on the map |
    show names next to the images | annotate them with the class | print the resolution at each image
    """
    key, _ = known_field(field, world)
    return _plotted(state, world, "labels", f"labels of {key}", name, color, (("field", key),))


def _plotted(
    state: State,
    world: World,
    kind: LayerKind,
    words: str,
    name: str | None,
    color: str | None,
    options: Options = (),
) -> Step:
    """The step to the selection's layer of a kind, replaced or new."""
    current_selection(state, world)
    count = state.database.count
    if not count:
        raise ToolError(nothing_to_plot(state, world))
    before = state.layer(kind) if name is None else None
    layer = before or Layer(
        id=kind if name is None else free_id(state, slug(name)),
        name=free_name(state, name or kind.capitalize()),
        kind=kind,
        color=KIND_COLORS[kind] if name is None else free_color(state),
        live=name is None,
    )
    # What is plotted again keeps its looks; one colour that is asked for is that of all.
    looks = () if color is not None else tuple(each for each in layer.options if each[0] in STYLES)
    layer = replace(
        layer,
        color=layer.color if color is None else color_of(color),
        query=Query(state.database.loaded, state.database.filters),
        visible=True,
        options=tuple(sorted((*options, *looks))),
        count=count,
    )
    said = f"Plotted {number_of(count, noun(state, world))} as {words} (layer {layer.id!r})."
    return Step(state.with_layer(layer), said, {"layer": layer.id, "kind": kind, "count": count})


def nothing_to_plot(state: State, world: World) -> str:
    """Why the selection is empty: the filters that are set, and which to drop for how many rows."""
    filters = state.database.filters
    if filters == Filters():
        has = "has" if len(state.database.loaded) == 1 else "have"
        return f"{listed(state.database.loaded)} {has} no rows to plot."
    said_filters = "; ".join(filters_in_words(filters))
    said = f"Nothing is selected, so there is nothing to plot. The filters: {said_filters}."
    ways = [f"without the {part} filter {n:,}" for part, n in counts_without(state, world).items()]
    return (
        f"{said} There would be {listed(ways)}."
        if ways
        else f"{said} No single one of them is in the way; filter_clear drops all."
    )


def filters_in_words(filters: Filters) -> list[str]:
    """Each filter in a few words."""
    said: list[str] = []
    if filters.start or filters.end:
        said.append(f"date {filters.start or 'any'} to {filters.end or 'any'}")
    if filters.bbox is not None:
        place: Any = filters.place or list(filters.bbox)
        within = f" within {filters.radius_km:g} km" if filters.radius_km else ""
        said.append(f"place {place}{within}")
    if filters.classes:
        said.append(f"classes {listed(filters.classes)}{' (all)' if filters.match == 'all' else ''}")
    for each in filters.attributes:
        value = listed([str(part) for part in each.value]) if isinstance(each.value, tuple) else each.value
        said.append(f"{each.field} {each.op} {value}")
    return said


TOOLS = (
    scatter_plot,
    cluster_plot,
    heatmap_plot,
    density_plot,
    footprint_plot,
    detection_plot,
    choropleth_plot,
    time_slider_plot,
    label_plot,
)
