"""What the axes of an array tell: its times and its levels."""

from __future__ import annotations

from typing import Any

import numpy as np

from data.uploads.errors import BROKEN


def first_time(data: Any) -> str | None:
    """The first time on the file's axis of time, in ISO 8601; None when it has none that is understood."""
    name = next((each for each in data if each.rpartition("/")[2].lower() in ("time", "t")), None)
    if name is None or data[name].size == 0:
        return None
    return _time(data[name], data[name].values.ravel()[:1])


def steps_said(variable: Any, data: Any) -> list[str]:
    """The sentence about what each band of a variable of several stands for: its times, its levels."""
    told = []
    for dim in variable.dims[:-2]:
        if dim in data and data[dim].ndim == 1 and data[dim].size > 1:
            first, last = (_step(data[dim], data[dim].values[at]) for at in (0, -1))
            told.append(f"{str(dim)[:40]} ({data[dim].size:,}: {first} to {last})")
    return [f"Its bands go through {' and '.join(told)}."] if told else []


def _step(axis: Any, value: Any) -> str:
    """One place on an axis: a time where it is one, else the number with its unit."""
    when = _time(axis, np.asarray([value]))
    if when is not None:
        return when.removesuffix("T00:00:00")
    said = f"{value:,.6g}" if axis.dtype.kind in "iuf" else str(value)[:40]
    return f"{said} {str(axis.attrs.get('units', ''))[:40]}".strip()


def _time(axis: Any, values: Any) -> str | None:
    """The first of an axis' values as a time in ISO 8601, where its units say that it is one."""
    import xarray

    if "units" not in axis.attrs:
        return None
    plain = xarray.Dataset({"time": ("time", values, dict(axis.attrs))})
    try:
        return str(xarray.decode_cf(plain)["time"].dt.strftime("%Y-%m-%dT%H:%M:%S").values[0])
    except BROKEN:
        return None
