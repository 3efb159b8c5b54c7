"""All rows of the selection or of a table, page by page, so that an export needs little memory."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from data.catalogue.base import Selection
from state.model import State
from tools.base import ToolError, World
from tools.phrases import number_of
from tools.rows import load_table
from tools.selection import current_selection

MAX_EXPORT_ROWS = 5_000_000
_LEFT_OUT = ("image_num", "quicklook")


def pages(state: State, world: World, table: str | None) -> tuple[int, Iterator[pd.DataFrame]]:
    """(how many rows, the rows in pages). Raises ToolError when there are none, or too many."""
    if table is not None:
        frame = load_table(state, world, table)
        rows, found = len(frame), iter((frame,))
    else:
        selection = current_selection(state, world)
        rows, found = world.catalogue.count(selection), _selected(selection, world)
    if rows == 0:
        raise ToolError("There is no row to export; widen the filters, or choose a table that has some.")
    if rows > MAX_EXPORT_ROWS:
        most = number_of(MAX_EXPORT_ROWS, "row")
        raise ToolError(
            f"There are {number_of(rows, 'row')}, and an export holds {most} at most; narrow the selection."
        )
    return rows, found


def _selected(selection: Selection, world: World) -> Iterator[pd.DataFrame]:
    """Pages of the selected rows, by data set and in the order in which they were brought in."""
    columns = tuple(
        name for name in world.catalogue.rows(selection, None, (), 0).columns if name not in _LEFT_OUT
    )
    return world.catalogue.scan(selection, columns)
