"""Figures of a table or of the selection, as Plotly JSON that the page draws."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.drawing import Drawing
from tools.data.provenance import own_files
from tools.data.source import NO_VALUE, UNKNOWN, frame_of, numbers, source_column
from tools.data.summaries import By, Column, TableOrSelection, aggregated, column_numbers, counted
from tools.database.reading import Unit
from tools.phrases import groups_in_words, listed, number, number_of
from tools.rows import load_table
from tools.selection import SAMPLE_WORDS, holds_sample
from tools.tables import plain_value

Reduction = Annotated[
    Literal["count", "mean", "sum", "min", "max", "median", "std"],
    Field(description="What each bar or point shows."),
]
Top = Annotated[int, Field(ge=1, le=200, description="How many groups are shown, the largest first.")]

MAX_POINTS = 20_000
MAX_PAIRS = 200_000
UNITS = {
    "gsd_m": "m", "cloud_pct": "%", "length_m": "m", "lon": "degrees", "lat": "degrees", "width_px": "px",
    "height_px": "px",     "west": "degrees", "south": "degrees", "east": "degrees", "north": "degrees",
}  # fmt: skip
TITLES = {"gsd_m": "ground sampling distance", "cloud_pct": "cloud cover", "length_m": "length"}
_ORDERED = ("year", "month", "day")


@tool("data", changes_state=True, gives=("figure",))
def histogram_figure(
    state: State,
    world: World,
    *,
    field: Column,
    bins: Annotated[int, Field(ge=1, le=500, description="How many equal bins.")] = 20,
    table: TableOrSelection = None,
) -> Step:
    """Draw the histogram of a column of numbers of a table or of the selection.

    Example: copilot call histogram_figure field=cloud_pct bins=10

    Asked as: histogram of cloud cover | distribution of the resolution as a chart | how are the gsd values
    spread | plot the frequency of values | bins of cloud percentage | distribution plot
    """
    name = source_column(state, world, table, field)
    values = column_numbers(state, world, name, table)
    need_rows(len(values))
    counts, edges = np.histogram(values, bins=bins)
    figure = empty_figure(state, world, table, f"Histogram of {titled(name)}", axis(name), "rows")
    centres = (edges[:-1] + edges[1:]) / 2
    figure.add("bar", x=centres.tolist(), y=counts.tolist(), width=np.diff(edges).tolist())
    figure.layout["bargap"] = 0
    facts = [
        {"from": float(low), "to": float(high), "count": int(n)}
        for low, high, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    said = (
        f"Histogram of {name}: {number_of(len(values), 'value')} from {number(values.min())} "
        f"to {number(values.max())}, "
        f"mean {number(values.mean())}, in {number_of(bins, 'bin')}."
    )
    call = Call.of(histogram_figure, field=field, bins=bins, table=table)
    return figure_step(state, world, figure, call, said, field=name, bins=facts, values=len(values))


@tool("data", changes_state=True, gives=("figure",))
def bar_figure(
    state: State,
    world: World,
    *,
    by: By,
    field: Column | None = None,
    function: Reduction = "count",
    unit: Unit = "images",
    top: Top = 20,
    table: TableOrSelection = None,
) -> Step:
    """Draw bars of the counts per group of a table or of the selection, or of a column's mean, sum and so on.

    Example: copilot call bar_figure by=class unit=detections

    Asked as: bar chart of images per year | bars by country | column chart of the classes | compare the data
    sets in a chart | plot counts per sensor as bars | chart the ten most frequent classes | a graph by group
    """
    key, label, groups = grouped(state, world, by, field, function, unit, table)
    there = len(groups)
    groups = sorted(groups)[-top:] if key in _ORDERED else groups[:top]
    part = _part("bars", "last" if key in _ORDERED else "largest", len(groups), there)
    title = f"{label.capitalize()} by {titled(key)}"
    figure = empty_figure(state, world, table, title, titled(key), label, part)
    names = [figure_text(k) for k, _ in groups]
    figure.add("bar", x=names, y=[plain_value(v) for _, v in groups])
    figure.across_groups(names)
    call = Call.of(bar_figure, by=by, field=field, function=function, unit=unit, top=top, table=table)
    said = _said("Bars", label, key, groups, there, part)
    return figure_step(state, world, figure, call, said, by=key, groups=_facts(groups))


@tool("data", changes_state=True, gives=("figure",))
def line_figure(
    state: State,
    world: World,
    *,
    by: By = "month",
    field: Column | None = None,
    function: Reduction = "count",
    unit: Unit = "images",
    table: TableOrSelection = None,
) -> Step:
    """Draw a line of the counts over time or another ordered column, or of a column's mean, sum and so on.

    Example: copilot call line_figure by=month

    Asked as: line chart over time | trend of acquisitions | images per month as a curve | how did the number
    develop | time series plot | plot the monthly counts | growth over the years
    """
    key, label, groups = grouped(state, world, by, field, function, unit, table)
    groups = sorted((each for each in groups if each[0] not in (UNKNOWN, NO_VALUE)), key=_natural)
    if function == "count" and key in ("year", "month"):
        groups = _without_gaps(groups, key)
    figure = empty_figure(state, world, table, f"{label.capitalize()} by {titled(key)}", titled(key), label)
    x, y = [figure_text(k) for k, _ in groups], [plain_value(v) for _, v in groups]
    figure.add("scatter", x=x, y=y, mode="lines+markers")
    figure.across_groups(x)
    call = Call.of(line_figure, by=by, field=field, function=function, unit=unit, table=table)
    said = _said("Line", label, key, groups, len(groups)) if len(groups) <= 8 else _course(label, key, groups)
    return figure_step(state, world, figure, call, said, by=key, groups=_facts(groups))


@tool("data", changes_state=True, gives=("figure",))
def pie_figure(
    state: State,
    world: World,
    *,
    by: By,
    unit: Unit = "images",
    top: Annotated[int, Field(ge=1, le=50, description="Slices; what is beyond is one slice, other.")] = 10,
    table: TableOrSelection = None,
) -> Step:
    """Draw the shares of the groups of a table or of the selection as a pie.

    Example: copilot call pie_figure by=dataset

    Asked as: pie chart of the sensors | shares as a pie | what percentage is each class, as a chart |
    proportion of the splits | donut chart | cake diagram
    """
    key, label, groups = grouped(state, world, by, None, "count", unit, table)
    there, largest = len(groups), groups[:top]
    part = _part("slices beside other", "largest", len(largest), there)
    if (rest := sum(value for _, value in groups[top:])) > 0:
        groups = [*largest, ("other", rest)]
    figure = empty_figure(state, world, table, f"{label.capitalize()} by {titled(key)}", None, None, part)
    labels, values = [figure_text(k) for k, _ in groups], [plain_value(v) for _, v in groups]
    figure.add("pie", labels=labels, values=values, sort=False)
    call = Call.of(pie_figure, by=by, unit=unit, top=top, table=table)
    said = _said("Pie", label, key, largest, there, part)
    return figure_step(state, world, figure, call, said, by=key, groups=_facts(groups))


@tool("data", changes_state=True, gives=("figure",))
def scatter_figure(
    state: State,
    world: World,
    *,
    x: Column,
    y: Column,
    table: TableOrSelection = None,
) -> Step:
    """Draw two columns of numbers of a table or of the selection against each other.

    Example: copilot call scatter_figure x=cloud_pct y=detections

    Asked as: cloud cover against resolution | plot gsd versus sun elevation | x y chart of two variables |
    how do the two columns relate | scatter chart | relationship between angle and cloud
    """
    across, up = (source_column(state, world, table, each) for each in (x, y))
    if table is None and state.database.count > MAX_PAIRS:
        rows = number_of(state.database.count, "row")
        raise ToolError(f"A scatter takes {MAX_PAIRS:,} rows at most, not {rows}; narrow it.")
    frame = frame_of(state, world, table, across, up)
    pairs = pd.DataFrame({"x": numbers(frame, across), "y": numbers(frame, up)}).dropna()
    need_rows(len(pairs))
    # Every k-th pair: a browser draws no more, and no chance is involved.
    shown = pairs.iloc[:: -(-len(pairs) // MAX_POINTS)]
    figure = empty_figure(
        state, world, table, f"{titled(up)} against {titled(across)}".capitalize(), axis(across), axis(up)
    )
    figure.add("scattergl", x=shown["x"].tolist(), y=shown["y"].tolist(), mode="markers")
    correlation = pairs["x"].corr(pairs["y"]) if pairs.nunique().min() > 1 else float("nan")
    said = f"{up} against {across}: {number_of(len(pairs), 'pair')}, correlation {number(correlation)}"
    said += f"; {len(shown):,} of them are drawn." if len(shown) < len(pairs) else "."
    call = Call.of(scatter_figure, x=x, y=y, table=table)
    facts = {
        "x": across,
        "y": up,
        "pairs": len(pairs),
        "shown": len(shown),
        "correlation": plain_value(correlation),
    }
    return figure_step(state, world, figure, call, said, **facts)


def grouped(
    state: State,
    world: World,
    by: str,
    field: str | None,
    function: str,
    unit: Literal["images", "detections"],
    table: str | None,
) -> tuple[str, str, list[tuple[str, float]]]:
    """(the grouping's name, what is shown, (key, value) by falling value).

    A table that already is a count per `by` (its keys differ and it has a column `count`) is shown
    as it is, not counted again. Raises ToolError when there is nothing to draw.
    """
    if field is None and function != "count":
        raise ToolError(f"function={function} needs a field of numbers, such as field=cloud_pct.")
    if field is not None:
        name, key, groups = aggregated(
            state, world, field, "sum" if function == "count" else function, by, table
        )
        need_rows(len(groups))
        return str(key), f"{'sum' if function == 'count' else function} of {axis(name)}", groups
    if table is not None:
        frame = load_table(state, world, table)
        if by in frame and "count" in frame and by != "count" and frame[by].is_unique:
            name, key, groups = aggregated(state, world, "count", "sum", by, table)
            return str(key), "count", groups
    key, counts = counted(state, world, by, unit, table)
    need_rows(len(counts))
    return key, "rows" if table is not None else unit, [(label, float(n)) for label, n in counts]


def figure_step(state: State, world: World, figure: Drawing, call: Call, said: str, **data: Any) -> Step:
    """Write a figure and say so, with the figure panel open on it."""
    title = html.unescape(figure.title)
    artifact = call.artifact("figure", state, title, said[:200])
    path = world.artifacts.path(artifact.id, ".json")
    path.write_text(figure.json(), encoding="utf-8")
    after = state.with_artifact(artifact).with_ui(figure=artifact.id).with_panel("figure")
    return Step(
        after, f"{said} The figure is {artifact.id}.", {"figure": artifact.id, "title": title, **data}
    )


def titled(name: str) -> str:
    """A column as a title says it."""
    return TITLES.get(name, name.replace("_", " "))


def axis(name: str) -> str:
    """A column as an axis says it, with its unit."""
    return f"{titled(name)} ({UNITS[name]})" if name in UNITS else titled(name)


def empty_figure(
    state: State,
    world: World,
    table: str | None,
    title: str,
    across: str | None,
    up: str | None,
    part: str = "",
) -> Drawing:
    """An empty figure with its title, and under it what it is drawn from, and of how much it is a part."""
    source = f"table {table}" if table is not None else listed(state.database.loaded)
    own = table is not None and own_files(state, world, table) is not None
    sample = holds_sample(state, world) and not own
    about = [source, *([SAMPLE_WORDS.capitalize()] if sample else [])]
    about += [f"The {part}"] if part else []
    layout: dict[str, Any] = {
        "showlegend": False,
        "margin": {"l": 60, "r": 20, "t": 80, "b": 60},
        "title": {"text": figure_text(title), "subtitle": {"text": figure_text(" · ".join(about))}},
    }
    figure = Drawing(figure_text(title), layout)
    if across is not None:
        figure.across(title={"text": figure_text(across)})
    if up is not None:
        figure.up(title={"text": figure_text(up)})
    return figure


def need_rows(count: int) -> None:
    """Raise ToolError when there is nothing to draw."""
    if count == 0:
        raise ToolError("There is nothing to draw: no row is selected or has a value; widen the filters.")


def figure_text(value: str) -> str:
    """A name as a figure takes it: Plotly reads a little HTML in texts, and names are text."""
    return html.escape(value, quote=False)


def _natural(group: tuple[str, float]) -> tuple[int, float, str]:
    try:
        return (0, float(group[0]), "")
    except ValueError:
        return (1, 0.0, group[0])


def _without_gaps(groups: list[tuple[str, float]], key: str) -> list[tuple[str, float]]:
    """A count for every year or month from the first to the last."""
    if not groups:
        return groups
    frequency = {"year": "Y", "month": "M"}[key]
    counts = dict(groups)
    periods = pd.period_range(groups[0][0], groups[-1][0], freq=frequency)
    return [(str(period), counts.get(str(period), 0.0)) for period in periods]


def _said(
    kind: str, label: str, key: str, groups: Sequence[tuple[str, float]], there: int, part: str = ""
) -> str:
    """The drawn groups in words; what is not named is counted of all that are `there`, drawn or not."""
    if all(float(value).is_integer() for _, value in groups):
        named = groups_in_words([(k, int(v)) for k, v in groups], of=there)
    else:
        named = listed([f"{k} {number(v)}" for k, v in groups], of=there)
    return f"{kind} of {label} by {key}: {named}.{f' The {part}.' if part else ''}"


def _part(what: str, which: str, drawn: int, there: int) -> str:
    """`bars are the 20 largest of 21`; nothing where all are drawn."""
    return f"{what} are the {drawn:,} {which} of {there:,}" if drawn < there else ""


def _course(label: str, key: str, groups: Sequence[tuple[str, float]]) -> str:
    """A long line in words: where it begins, ends, and is highest."""
    (first, start), (last, end) = groups[0], groups[-1]
    peak, most = max(groups, key=lambda group: group[1])
    return (
        f"Line of {label} by {key}: {number_of(len(groups), 'point')} from {first} ({number(start)}) "
        f"to {last} ({number(end)}), the most in {peak} ({number(most)})."
    )


def _facts(groups: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    return [
        {"key": key, "count": int(value) if float(value).is_integer() else plain_value(value)}
        for key, value in groups
    ]


TOOLS = (histogram_figure, bar_figure, line_figure, pie_figure, scatter_figure)
