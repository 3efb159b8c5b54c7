"""Quality measures: numbers read from what a step made, and whether they keep to their limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copilot.workflows.model import Check

MEASURES: Mapping[str, str] = {
    "valid_pct": "raster",
    "share_pct": "raster",
    "mean": "raster",
    "std": "raster",
    "min": "raster",
    "max": "raster",
    "median": "raster",
    "classes": "raster",
    "width_px": "raster",
    "pixel_m": "raster",
    "count": "vector",
    "area_km2": "vector",
    "length_km": "vector",
    "rows": "table",
}
"""By name, the kind that it is measured on. share_pct: per cent of the valid pixels of band 1 that are not 0;
mean, std, min, max and median of band 1; classes: different values of band 1; detections count as a vector,
and both as a table."""


@dataclass(frozen=True)
class Reading:
    """What a check found."""

    check: Check
    value: float | None
    """None: it cannot be measured."""

    @property
    def met(self) -> bool:
        """Whether the limits are kept."""
        if self.value is None or math.isnan(self.value):
            return False
        low, high = self.check.low, self.check.high
        return (low is None or self.value >= low) and (high is None or self.value <= high)

    @property
    def side(self) -> str:
        """ "low" or "high" where a limit is not kept; "none" where nothing could be measured."""
        if self.value is None or math.isnan(self.value):
            return "none"
        return "low" if self.check.low is not None and self.value < self.check.low else "high"

    def __str__(self) -> str:
        low, high = self.check.low, self.check.high
        limits = (
            f"{low:g} to {high:g}"
            if low is not None and high is not None
            else f"at least {low:g}"
            if low is not None
            else f"at most {high:g}"
        )
        value = "nothing that can be measured" if self.side == "none" else f"{self.value:.6g}"
        why = f" ({self.check.why})" if self.check.why else ""
        return f"{self.check.measure} is {value}, and {limits} is due{why}"


def fits(measure: str, kind: str) -> bool:
    """Whether a measure is taken on things of that kind."""
    return (
        kind
        in {
            "raster": ("raster",),
            "vector": ("vector", "detections"),
            "table": ("table", "vector", "detections"),
        }[MEASURES[measure]]
    )


def reading(check: Check, path: Path | None, data: Mapping[str, Any]) -> Reading:
    """Measure what a check is about: the file at `path`, or a number that the tool gave in `data`."""
    if check.measure.startswith("figure."):
        return Reading(check, _figure(data, check.measure.removeprefix("figure.")))
    if path is None:
        return Reading(check, None)
    return Reading(check, measure(check.measure, path))


def measure(name: str, path: Path) -> float | None:
    """One measure of a file; None where it cannot be taken. Raises nothing for a file that is broken."""
    try:
        return _OF[MEASURES[name]](name, path)
    except Exception:  # a file of whatever kind: it then has no such measure, which is what is asked
        return None


def _figure(data: Mapping[str, Any], keys: str) -> float | None:
    value: Any = data
    for key in keys.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return float(value) if isinstance(value, (int, float)) else None


def _raster(name: str, path: Path) -> float | None:
    from data.raster.files import opened
    from data.raster.stats import band_stats

    if name in ("width_px", "pixel_m"):
        with opened(path) as source:
            return float(source.width) if name == "width_px" else pixel_m(source)
    if name in ("share_pct", "classes"):
        return _of_values(name, path)
    stats = band_stats(path, 1, (50,))
    values: dict[str, float] = {
        "valid_pct": stats.valid_pct,
        "mean": stats.moments.mean,
        "std": stats.moments.std,
        "min": stats.moments.minimum,
        "max": stats.moments.maximum,
        "median": stats.percentiles[0],
    }
    return float(values[name])


def _of_values(name: str, path: Path) -> float | None:
    import numpy as np

    from data.raster.scan import scan
    from data.raster.stats import valid
    from data.raster.windows import Band

    marked, seen, different = 0, 0, set[float]()
    for values in scan(Band(path, (1,)), lambda block, _: valid(block)):
        marked += int(np.count_nonzero(values))
        seen += int(values.size)
        if name == "classes" and len(different) < 1000:
            different |= set(np.unique(values)[:1000].tolist())
    if name == "classes":
        return float(len(different))
    return 100.0 * marked / seen if seen else None


def pixel_m(source: Any) -> float | None:
    """The size of an open raster's pixel, metres, from its grid; None without a place."""
    if source.crs is None:
        return None
    # Degrees along the meridian: 111,320 m each is near enough to tell resolutions apart.
    unit = 111_320.0 if source.crs.is_geographic else float(source.crs.linear_units_factor[1])
    a, b, d, e = source.transform.a, source.transform.b, source.transform.d, source.transform.e
    return float(unit * math.sqrt(abs(a * e - b * d)))


def _vector(name: str, path: Path) -> float | None:
    frame = frame_of(path)
    if name == "count":
        return float(len(frame))
    from data.vector.measuring import area_m2, length_m

    shapes = frame.geometry.to_crs("EPSG:4326") if frame.crs is not None else frame.geometry
    if name == "area_km2":
        return float(sum(area_m2(each) for each in shapes)) / 1e6
    return float(sum(length_m(each) for each in shapes)) / 1e3


def frame_of(path: Path) -> Any:
    """The features of a file as a GeoDataFrame. Raises what the reader raises."""
    if path.suffix == ".parquet":
        from data.vector.files import read_geoparquet

        return read_geoparquet(path)
    import geopandas as gpd

    return gpd.read_file(path)


def _table(name: str, path: Path) -> float | None:
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return float(pq.read_metadata(path).num_rows)
    return _vector("count", path)


_OF: Mapping[str, Callable[[str, Path], float | None]] = {
    "raster": _raster,
    "vector": _vector,
    "table": _table,
}

__all__ = ["MEASURES", "Reading", "fits", "frame_of", "measure", "pixel_m", "reading"]
