"""Values that lie far from the others."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from state.model import State
from tools.artifacts import Call
from tools.base import Step, ToolError, World, tool
from tools.data.computed import Floats, as_floats, need_rows, rounded, rounded_all, rows_of
from tools.data.source import column_in, numbers, source_column
from tools.data.summaries import Column, TableOrSelection
from tools.phrases import number, number_of
from tools.tables import plain_rows, table_step

Method = Literal["iqr", "zscore", "mad"]
_LIMITS: dict[str, float] = {"iqr": 1.5, "zscore": 3.0, "mad": 3.5}
_RULES = {
    "iqr": "interquartile ranges beyond the quartiles",
    "zscore": "standard deviations from the mean",
    "mad": "robust standard deviations from the median",
}
LARGEST = 1e100
"""What is beyond it has no finite squares and differences."""
MAD_TO_SIGMA = 0.6745
"""The median absolute deviation of a normal distribution, in standard deviations."""


@tool("data", changes_state=True, gives=("table",))
def outliers(
    state: State,
    world: World,
    *,
    field: Column,
    method: Annotated[Method, Field(description="Quartiles (iqr), mean (zscore) or median (mad).")] = "iqr",
    limit: Annotated[
        float | None, Field(gt=0, le=1000, description="How far is too far: 1.5 for iqr, 3 zscore, 3.5 mad.")
    ] = None,
    table: TableOrSelection = None,
) -> Step:
    """Find the rows whose value of a column lies far from the others, into a table with how far each lies.

    iqr: more than 1.5 interquartile ranges beyond the quartiles (Tukey 1977; quartiles interpolate linearly).
    zscore: more than 3 standard deviations (of the sample) from the mean. mad: a modified z-score, 0.6745 (x
    − median) / MAD, beyond 3.5 (Iglewicz and Hoaglin 1993).

    Example: copilot call outliers field=detections method=mad

    Asked as: find the outliers in cloud cover | which images have unusual resolution | extreme values of the
    detections | anything odd in the column | values beyond three standard deviations | Tukey fences |
    anomalies by median deviation
    """
    name = source_column(state, world, table, field)
    frame = rows_of(state, world, table, name)
    need_rows(len(frame), 1, "to look at")
    name = column_in(frame, name)
    need_rows(len(numbers(frame, name)), 2, "with a value to compare")
    values = as_floats(frame[name])
    there = values[~np.isnan(values)]
    beyond = limit or _LIMITS[method]
    with np.errstate(all="ignore"):
        scores, low, high = _scored(values, there, method, beyond)
    if not np.isfinite([low, high]).all() or np.abs(there).max() > LARGEST:
        raise ToolError(f"{name} holds numbers too large to compare, up to {np.abs(there).max():.3g}.")
    far = np.flatnonzero((values < low) | (values > high))
    order = far[np.argsort(-np.abs(scores[far]), kind="stable")]
    result = frame.iloc[order].assign(score=rounded_all(scores[order])).reset_index(drop=True)
    said = (
        f"{number_of(len(result), 'outlier')} of {len(there):,} values of {name}: outside {number(low)} to "
        f"{number(high)}, more than {number(beyond)} {_RULES[method]}."
    )
    if len(result):
        shown = ["image_id"] if "image_id" in result else [str(result.columns[0])]
        first = plain_rows(result[list(dict.fromkeys([*shown, name]))].head(5))
        said += (
            " The farthest: " + "; ".join(" ".join(str(v)[:60] for v in row.values()) for row in first) + "."
        )
    call = Call.of(outliers, field=field, method=method, limit=limit, table=table)
    facts: dict[str, Any] = {"field": name, "method": method, "outliers": len(result), "values": len(there),
             "low": rounded(low), "high": rounded(high)}  # fmt: skip
    return table_step(state, world, result, call, f"Outliers of {name}", said, **facts)


def _scored(values: Floats, there: Floats, method: Method, limit: float) -> tuple[Floats, float, float]:
    """(how far each value lies, in the method's unit; the lowest and the highest that are usual)."""
    if method == "iqr":
        first, third = np.percentile(there, [25, 75])
        unit, low, high = third - first, first, third
    elif method == "zscore":
        low = high = there.mean()
        unit = there.std(ddof=1)
    else:
        low = high = np.median(there)
        unit = np.median(np.abs(there - low)) / MAD_TO_SIGMA
    away = np.where(values < low, values - low, np.where(values > high, values - high, 0.0))
    # Where most values are the same every other one is infinitely far: it is told by its distance alone.
    scores = away / unit if unit > 0 else away
    return scores, float(low - limit * unit), float(high + limit * unit)


TOOLS = (outliers,)
