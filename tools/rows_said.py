"""Rows in words, for whoever cannot see them: the columns with their types, and the first rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from data.profiles import nested_text, stored_type
from tools.phrases import listed
from tools.tables import SHOWN_ROWS, have_shapes, plain_rows, without_outlines

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

MOST_COLUMNS = 30
MOST_ROWS, MOST_CHARS = 200, 3_500
_CELL_CHARS = 300
"""How long a cell may be where there are many."""
_WIDE = 20
"""Columns of a row that are said, at most."""


def rows_said(frame: pd.DataFrame) -> str:
    """`Columns: name text, n int64; geometry Point in EPSG:4326 within [1, 2, 3, 4]. Rows: name=a, n=5; …`.

    As many rows as `MOST_CHARS` hold, up to `MOST_ROWS`; five at least. Of one column the values alone. How
    many there are, and how others are seen, is said where these are not all.
    """
    table = without_outlines(frame)
    columns = [f"{str(name)[:40]} {stored_type(table[name])}" for name in table.columns]
    said = f"Columns: {listed(columns, MOST_COLUMNS)}" if columns else "No columns"
    if have_shapes(frame):
        said += f"; geometry {_shapes_said(frame)}"
    if frame.empty or not len(table.columns):
        return f"{said}."
    told: list[str] = []
    left = f"; {len(table.columns) - _WIDE} more columns" if len(table.columns) > _WIDE else ""
    shown = table[table.columns[:_WIDE]].head(MOST_ROWS)
    longest = max(_CELL_CHARS, MOST_CHARS // (min(len(frame), SHOWN_ROWS) * len(shown.columns)))
    for row in plain_rows(shown):
        cells = [f"{key}={_cell(value, longest)}" for key, value in row.items()]
        words = ", ".join(cells) if len(row) > 1 else cells[0].partition("=")[2]
        if len(told) >= SHOWN_ROWS and sum(map(len, told)) + len(words) > MOST_CHARS:
            break
        told.append(words)
    whole = len(told) == len(frame)
    first = "Rows" if whole else f"First {len(told)} of {len(frame):,} rows"
    return f"{said}. {first}{left}: {'; '.join(told)}{'' if whole else ' … (OFFSET shows others)'}."


def _shapes_said(frame: gpd.GeoDataFrame) -> str:
    """`Point Z and Polygon in EPSG:3035 within [4321000, 3210000, 4322000, 3211000]`."""
    import numpy as np

    shapes = frame.geometry
    there = shapes[~shapes.isna()]
    heights = there.has_z.map({True: " Z", False: ""})
    kinds = sorted(set(there.geom_type + heights)) if len(there) else []
    said = f"{' and '.join(kinds[:4]) or 'empty'} in {system_said(frame.crs)}"
    bounds = there.total_bounds if len(there) else np.full(4, np.nan)
    if np.isfinite(bounds).all():
        said += f" within [{', '.join(f'{each:.9g}' for each in bounds)}]"
    return said


def _cell(value: object, longest: int) -> str:
    text = nested_text(value) if isinstance(value, dict | list) else str(value)
    return text if len(text) <= longest else f"{text[:longest]}… (cut, {len(text):,} characters)"


def system_said(crs: CRS | None) -> str:
    """`EPSG:4326`, else the name of a coordinate system."""
    from data.vector.systems import code_of

    return "no known coordinate system" if crs is None else code_of(crs)
