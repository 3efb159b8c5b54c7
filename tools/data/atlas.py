"""Maps as figures: points or shaded countries over outlines of the land, without tiles or network."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.computed import Floats, as_floats, rounded_all, rows_of
from tools.data.drawing import Drawing
from tools.data.figures import (
    MAX_POINTS,
    axis,
    empty_figure,
    figure_step,
    figure_text,
    grouped,
    need_rows,
    titled,
)
from tools.data.points import Places, places_in
from tools.data.source import column_in, source_column
from tools.data.summaries import Column, TableOrSelection
from tools.phrases import listed, number, number_of
from tools.tables import plain_value

MARK, UNKNOWN_MARK = "#d94801", "#9e9e9e"
LAND, BORDER = "#ece8df", "#b9b2a3"
SHADES = ("#deebf7", "#9ecae1", "#6baed6", "#3182bd", "#08519c")
_MARGIN = 0.08
_SMALLEST_DEG = 0.2
_DETAIL = 800
"""Outlines are simplified to about this many steps across the map."""


@dataclass(frozen=True)
class View:
    """What the map shows, in degrees; east is above 180 where it crosses the antimeridian."""

    west: float
    south: float
    east: float
    north: float

    def seen(self, lon: Floats) -> Floats:
        """Longitudes as the map has them."""
        shown: Floats = (lon - self.west) % 360 + self.west
        return shown


@tool("data", changes_state=True, gives=("figure",))
def map_figure(
    state: State,
    world: World,
    *,
    kind: Annotated[
        Literal["points", "countries"],
        Field(description="A mark for each row, or countries shaded by value."),
    ] = "points",
    field: Annotated[
        Column | None, Field(description="Numbers that colour the marks or shade the countries.")
    ] = None,
    function: Annotated[
        Literal["count", "mean", "sum", "min", "max", "median", "std"],
        Field(description="How the field is summed up for a country."),
    ] = "mean",
    table: TableOrSelection = None,
) -> Step:
    """Draw a map as a figure: rows as points, or countries shaded by value, over outlines of the land.

    Plate carrée with true shape at the map's middle latitude; outlines are Natural Earth's at 1:50 million,
    and nothing is loaded from the network.

    Example: copilot call map_figure field=detections

    Asked as: a map figure of the points | draw the table on a map for my report | figure with countries
    shaded by mean cloud cover | static map of the sites | choropleth as a figure | plot the rows on an
    outline map
    """
    call = Call.of(map_figure, kind=kind, field=field, function=function, table=table)
    if kind == "points":
        return _points(state, world, call, field, table)
    return _countries(state, world, call, field, function, table)


def _points(state: State, world: World, call: Call, field: str | None, table: str | None) -> Step:
    name = None if field is None else source_column(state, world, table, field)
    frame = rows_of(state, world, table, *([name] if name else []))
    places = places_in(frame)
    need_rows(len(places))
    step = -(-len(places) // MAX_POINTS)
    shown = Places(places.lon[::step], places.lat[::step], places.row[::step])
    view = view_of(places)
    values = None
    if name is not None:
        name = column_in(frame, name)
        values = as_floats(frame[name])[shown.row]
        need_rows(int((~np.isnan(values)).sum()))
    title = f"{number_of(len(places), 'place')}{f' by {titled(name)}' if name else ''}"
    figure = _map(state, world, table, title, view)
    names = frame["image_id" if "image_id" in frame else frame.columns[0]].iloc[shown.row]
    texts = np.array([figure_text(str(plain_value(each))[:100]) for each in names], dtype=object)
    there = np.ones(len(shown), dtype=bool) if values is None else ~np.isnan(values)
    x, y = view.seen(shown.lon), shown.lat
    for rows, known in ((~there, False), (there, True)):
        if not rows.any():
            continue
        marker: dict[str, Any] = {"size": 7, "color": MARK if known else UNKNOWN_MARK}
        marker["line"] = {"width": 0.5, "color": "white"}
        if known and values is not None:
            scale = {"title": {"text": figure_text(axis(str(name)))}}
            marker |= {"color": rounded_all(values[rows]), "colorscale": _viridis(), "colorbar": scale}
        figure.add(
            "scattergl", x=rounded_all(x[rows]), y=rounded_all(y[rows]), mode="markers", marker=marker,
            text=texts[rows].tolist(), name="places" if known else "no value",
        )  # fmt: skip
    said = (
        f"Map of {number_of(len(places), 'place')}{f' coloured by {name}' if name else ''}, {_extent(view)}"
    )
    said += f"; {len(shown):,} of them are drawn." if step > 1 else "."
    facts = {"places": len(places), "shown": len(shown), "field": name, "bbox": _bbox(view)}
    return figure_step(state, world, figure, call, said, **facts)


def _countries(
    state: State, world: World, call: Call, field: str | None, function: str, table: str | None
) -> Step:
    # Without a field the rows are counted, whatever the function says.
    _, label, groups = grouped(
        state, world, "country", field, function if field else "count", "images", table
    )
    values = {key.upper(): value for key, value in groups if value == value}
    outlines: dict[str | None, tuple[str, Any]] = {
        place.country: (place.label, world.gazetteer.polygon(place))
        for place in world.gazetteer.places("country")
        if place.country in values
    }
    drawn = {code: found for code, found in outlines.items() if code and found[1] is not None}
    if not drawn:
        known = listed([key for key, _ in groups], 5)
        raise ToolError(f"There is no outline for any of {known}; countries are two letters, such as NL.")
    view = View(-180.0, -60.0, 180.0, 85.0)
    figure = _map(state, world, table, f"{label.capitalize()} by country", view)
    edges = _classes([values[code] for code in drawn])
    for number_, (low, high) in enumerate(edges):
        last = number_ == len(edges) - 1
        inside = [code for code in sorted(drawn) if low <= values[code] and (values[code] < high or last)]
        x, y = _rings([drawn[code][1] for code in inside], view, 360 / _DETAIL / 2)
        words = number(low) if low == high else f"{number(low)} to {number(high)}"
        colour = (
            SHADES[number_ * (len(SHADES) - 1) // max(1, len(edges) - 1)] if len(edges) > 1 else SHADES[2]
        )
        figure.add(
            "scatter", x=x, y=y, mode="lines", fill="toself", fillcolor=colour,
            line={"width": 0.5, "color": "white"}, hoverinfo="skip", name=words, showlegend=True,
        )  # fmt: skip
    order = sorted(drawn, key=lambda code: (-values[code], code))
    centres = [drawn[code][1].representative_point() for code in order]
    figure.add(
        "scatter",
        x=rounded_all(each.x for each in centres),
        y=rounded_all(each.y for each in centres),
        mode="markers",
        marker={"size": 12, "opacity": 0},
        text=[figure_text(f"{drawn[code][0]}: {number(values[code])}") for code in order],
        hoverinfo="text",
        name="values",
        showlegend=False,
    )
    figure.layout |= {"showlegend": True, "legend": {"title": {"text": figure_text(label)}}}
    words = listed([f"{drawn[code][0]} {number(values[code])}" for code in order])
    facts = [{"key": code, "value": plain_value(values[code])} for code in order]
    said = f"Map of {label} by country, {number_of(len(drawn), 'country')}: {words}."
    return figure_step(state, world, figure, call, said, groups=facts, bbox=_bbox(view))


def _viridis() -> list[list[Any]]:
    from plotly.colors import sequential

    return [
        [number_ / (len(sequential.Viridis) - 1), colour] for number_, colour in enumerate(sequential.Viridis)
    ]


def view_of(places: Places) -> View:
    """The smallest box around the points, with a margin; across the antimeridian where that is smaller."""
    lons = np.unique(places.lon)
    gaps = np.diff(np.append(lons, lons[0] + 360))
    widest = int(np.argmax(gaps))
    west = float(lons[(widest + 1) % len(lons)])
    width, height = 360 - float(gaps[widest]), float(np.ptp(places.lat))
    pad = max(_MARGIN * max(width, height), _SMALLEST_DEG)
    west, width = (west - pad, width + 2 * pad) if width + 2 * pad < 360 else (-180.0, 360.0)
    south, north = max(-90.0, float(places.lat.min()) - pad), min(90.0, float(places.lat.max()) + pad)
    return View(round(west, 6), round(south, 6), round(west + width, 6), round(north, 6))


def _map(state: State, world: World, table: str | None, title: str, view: View) -> Drawing:
    """An empty map: the land in sight, axes in degrees, shapes true at the middle latitude."""
    figure = empty_figure(
        state, world, table, title.capitalize(), "longitude (degrees)", "latitude (degrees)"
    )
    outlines = [world.gazetteer.polygon(place) for place in world.gazetteer.places("country")]
    x, y = _rings([each for each in outlines if each is not None], view, (view.east - view.west) / _DETAIL)
    figure.add(
        "scatter", x=x, y=y, mode="lines", fill="toself", fillcolor=LAND,
        line={"width": 0.5, "color": BORDER}, hoverinfo="skip", name="land", showlegend=False,
    )  # fmt: skip
    middle = float(np.cos(np.radians((view.south + view.north) / 2)))
    figure.across(range=[view.west, view.east], constrain="domain", zeroline=False)
    figure.up(
        range=[view.south, view.north], scaleanchor="x", scaleratio=round(1 / max(middle, 0.05), 6),
        constrain="domain", zeroline=False,
    )  # fmt: skip
    return figure


def _rings(
    shapes: list[Any], view: View, tolerance_deg: float
) -> tuple[list[float | None], list[float | None]]:
    """The outer rings in sight as one line each, a gap between them."""
    import shapely
    from shapely.affinity import translate

    digits = 2 if tolerance_deg > 0.02 else 4
    window = shapely.box(view.west, view.south, view.east, view.north)
    x: list[float | None] = []
    y: list[float | None] = []
    for shape in shapes:
        for shift in (-360, 0, 360):
            west, _, east, _ = shape.bounds
            if east + shift < view.west or west + shift > view.east:
                continue
            inside = shapely.intersection(translate(shape, xoff=shift), window)
            inside = inside.simplify(tolerance_deg)
            for part in shapely.get_parts(inside):
                if part.geom_type == "Polygon" and not part.is_empty:
                    corners = np.asarray(part.exterior.coords).round(digits)
                    x += [*corners[:, 0].tolist(), None]
                    y += [*corners[:, 1].tolist(), None]
    return x, y


def _classes(values: list[float]) -> list[tuple[float, float]]:
    """Up to five classes with about as many countries each."""
    edges = np.unique(np.quantile(values, np.linspace(0, 1, len(SHADES) + 1), method="nearest"))
    if len(edges) == 1:
        return [(float(edges[0]), float(edges[0]))]
    return [(float(low), float(high)) for low, high in pairwise(edges)]


def _bbox(view: View) -> list[float]:
    """The view as [west, south, east, north], west > east across the antimeridian."""
    if view.east - view.west >= 360:
        return [-180.0, view.south, 180.0, view.north]
    sides = [round((side + 180) % 360 - 180, 6) for side in (view.west, view.east)]
    return [sides[0], view.south, sides[1], view.north]


def _extent(view: View) -> str:
    west, south, east, north = _bbox(view)
    return f"from {west:.2f}, {south:.2f} to {east:.2f}, {north:.2f} degrees"


TOOLS = (map_figure,)
