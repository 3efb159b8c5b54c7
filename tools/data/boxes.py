"""Box plots: how values are spread, group by group."""

from __future__ import annotations

from typing import Annotated, Any

import pandas as pd
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, World, tool
from tools.data.computed import rounded
from tools.data.figures import axis, empty_figure, figure_step, figure_text, need_rows, titled
from tools.data.series import with_times
from tools.data.source import frame_of, key_columns, keys_of, numbers, source_column, table_key
from tools.data.summaries import By, Column, TableOrSelection
from tools.database.reading import grouping_named
from tools.phrases import listed, number, number_of

WHISKER = 1.5
"""Whiskers end at the last value within this many interquartile ranges of the box (Tukey 1977)."""


@tool("data", changes_state=True, gives=("figure",))
def box_figure(
    state: State,
    world: World,
    *,
    field: Column,
    by: By | None = None,
    top: Annotated[int, Field(ge=1, le=60, description="How many groups are shown, the largest first.")] = 20,
    table: TableOrSelection = None,
) -> Step:
    """Draw box plots of a column of numbers, one box a group: median, quartiles, whiskers.

    Quartiles interpolate linearly; whiskers reach to the last value within 1.5 interquartile ranges of the
    box (Tukey 1977).

    Example: copilot call box_figure field=cloud_pct by=sensor

    Asked as: box plot of cloud cover by sensor | boxplots per data set | box and whisker chart | compare the
    spread of gsd between groups | quartiles per year as a figure | how do the medians differ, drawn
    """
    name, key, parts = _parts(state, world, table, field, by)
    need_rows(sum(len(each) for _, each in parts))
    parts = sorted(parts, key=lambda part: (-len(part[1]), part[0]))[:top]
    boxes = [{"key": label, **_box(values)} for label, values in sorted(parts)]
    title = f"{titled(name)} by {titled(key)}" if key else titled(name)
    figure = empty_figure(state, world, table, title.capitalize(), titled(key) if key else "", axis(name))
    names = [figure_text(str(each["key"])) for each in boxes]
    figure.add(
        "box",
        x=names,
        lowerfence=[each["low"] for each in boxes],
        q1=[each["q1"] for each in boxes],
        median=[each["median"] for each in boxes],
        q3=[each["q3"] for each in boxes],
        upperfence=[each["high"] for each in boxes],
        mean=[each["mean"] for each in boxes],
    )
    figure.across_groups(names)
    words = [
        f"{each['key']} {number(each['median'])} ({number(each['q1'])} to {number(each['q3'])})"
        for each in boxes
    ]
    said = f"Boxes of {name}, {number_of(len(boxes), 'group')}; medians with quartiles: {listed(words)}."
    call = Call.of(box_figure, field=field, by=by, top=top, table=table)
    return figure_step(state, world, figure, call, said, field=name, by=key, boxes=boxes)


def _parts(
    state: State, world: World, table: str | None, field: str, by: str | None
) -> tuple[str, str | None, list[tuple[str, pd.Series[float]]]]:
    """(the column's name, the grouping's, (key, that group's numbers))."""
    name = source_column(state, world, table, field)
    if table is not None:
        frame = with_times(frame_of(state, world, table))
        key = None if by is None else table_key(frame, by)
    else:
        key = None if by is None else grouping_named(by, world)
        frame = frame_of(state, world, None, name, *(() if key is None else key_columns(key, world)))
    values = numbers(frame, name)
    if key is None:
        return name, None, [("all", values)] if len(values) else []
    return name, key, [
        (str(label), part) for label, part in values.groupby(keys_of(frame, key).loc[values.index])
    ]  # fmt: skip


def _box(values: pd.Series[float]) -> dict[str, Any]:
    first, middle, third = (float(values.quantile(each)) for each in (0.25, 0.5, 0.75))
    reach = WHISKER * (third - first)
    usual = values[(values >= first - reach) & (values <= third + reach)]
    return {
        "count": len(values),
        "low": rounded(float(usual.min())),
        "q1": rounded(first),
        "median": rounded(middle),
        "q3": rounded(third),
        "high": rounded(float(usual.max())),
        "mean": rounded(float(values.mean())),
        "outside": len(values) - len(usual),
    }


TOOLS = (box_figure,)
