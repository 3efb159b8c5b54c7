"""Rows in words, for whoever cannot see them: the columns with their types, and the first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from data.profiles import stored_type
from tools.phrases import listed
from tools.tables import SHOWN_ROWS, have_shapes, plain_rows, without_outlines

if TYPE_CHECKING:
    from pyproj import CRS

MOST_COLUMNS = 30
MOST_ROWS, MOST_CHARS = 30, 2_500
_CELL_CHARS = 300
_WIDE = 20
"""Columns of a row that are said, at most."""


def rows_said(frame: pd.DataFrame) -> str:
    """`Columns: name text, n int64; geometry Point in EPSG:4326. First rows: name=a, n=5; …`.

    As many rows as `MOST_CHARS` hold, up to `MOST_ROWS`; five at least.
    """
    table = without_outlines(frame)
    columns = [f"{str(name)[:40]} {stored_type(table[name])}" for name in table.columns]
    said = f"Columns: {listed(columns, MOST_COLUMNS)}" if columns else "Columns: none"
    if have_shapes(frame):
        kinds = sorted({str(each) for each in frame.geometry.geom_type.dropna()})
        said += f"; geometry {' and '.join(kinds[:4]) or 'empty'} in {system_said(frame.crs)}"
    if frame.empty or not len(table.columns):
        return f"{said}."
    told: list[str] = []
    left = f"; {len(table.columns) - _WIDE} more columns" if len(table.columns) > _WIDE else ""
    for row in plain_rows(table[table.columns[:_WIDE]].head(MOST_ROWS)):
        words = ", ".join(f"{key}={_cell(value)}" for key, value in row.items())
        if len(told) >= SHOWN_ROWS and sum(map(len, told)) + len(words) > MOST_CHARS:
            break
        told.append(words)
    first = "Rows" if len(told) == len(frame) else f"First {len(told)} rows"
    return f"{said}. {first}{left}: {'; '.join(told)}{'' if len(told) == len(frame) else ' …'}."


def _cell(value: object) -> str:
    text = str(value)
    return text if len(text) <= _CELL_CHARS else f"{text[:_CELL_CHARS]}… (cut, {len(text):,} characters)"


def system_said(crs: CRS | None) -> str:
    """`EPSG:4326`, else the name of a coordinate system."""
    from data.vector.systems import code_of

    return "no known coordinate system" if crs is None else code_of(crs)
