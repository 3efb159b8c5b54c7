"""What a data set's manifest says about its rows, gathered while they stream by."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from data.catalogue.base import Bbox
from data.catalogue.geo import narrowest_bbox


class Summary:
    """Running extremes and distinct values over batches of `data.schema.IMAGES`."""

    def __init__(self, properties: tuple[tuple[str, str], ...] | None = None) -> None:
        self._known_properties = properties
        self._property_kinds: dict[str, str] = {}
        self._distinct: dict[str, set[str]] = {"sensor": set(), "modality": set()}
        self._times: list[datetime] = []
        self._gsd: list[float] = []
        self._plain = _Span()  # longitudes in -180..180
        self._shifted = _Span()  # longitudes in 0..360, where a set around the antimeridian is narrow
        self._latitudes = _Span()

    def add(self, batch: pa.RecordBatch) -> None:
        """Take one batch into account."""
        if batch.num_rows == 0:
            return
        for name, seen in self._distinct.items():
            seen.update(v for v in pc.unique(batch.column(name)).to_pylist() if v)
        self._times = _extremes(self._times, batch.column("acquired"))
        self._gsd = _extremes(self._gsd, batch.column("gsd_m"))
        self._add_box(batch)
        if self._known_properties is None:
            self._add_properties(batch.column("properties"))

    def start(self) -> str | None:
        """First acquisition day."""
        return self._times[0].date().isoformat() if self._times else None

    def end(self) -> str | None:
        """Last acquisition day."""
        return self._times[-1].date().isoformat() if self._times else None

    def sensors(self) -> tuple[str, ...]:
        """Distinct sensors, sorted."""
        return tuple(sorted(self._distinct["sensor"]))

    def modalities(self) -> tuple[str, ...]:
        """Distinct modalities, sorted."""
        return tuple(sorted(self._distinct["modality"]))

    def gsd_m(self) -> tuple[float, float] | None:
        """Smallest and largest ground sampling distance, metres."""
        return (float(self._gsd[0]), float(self._gsd[-1])) if self._gsd else None

    def properties(self) -> tuple[tuple[str, str], ...]:
        """(key, "number" | "text"), by key."""
        if self._known_properties is not None:
            return tuple(sorted(self._known_properties))
        return tuple(sorted(self._property_kinds.items()))

    def bbox(self) -> Bbox | None:
        """The smaller of the two boxes around all rows: the plain one, and one across the antimeridian."""
        if self._plain.empty or self._latitudes.empty:
            return None
        plain, shifted = (self._plain.low, self._plain.high), (self._shifted.low, self._shifted.high)
        return narrowest_bbox(plain, shifted, self._latitudes.low, self._latitudes.high)

    def _add_box(self, batch: pa.RecordBatch) -> None:
        west, east = batch.column("west"), batch.column("east")
        self._latitudes.add(batch.column("south"), batch.column("north"))
        _add_intervals(self._plain, west, east, -180.0, 180.0)
        _add_intervals(self._shifted, _to_360(west), _to_360(east), 0.0, 360.0)

    def _add_properties(self, column: pa.Array) -> None:
        for text in pc.unique(column).to_pylist():
            if not text:
                continue
            for key, value in json.loads(text).items():
                if value is None:
                    continue
                number = isinstance(value, int | float) and not isinstance(value, bool)
                if not number or key not in self._property_kinds:
                    self._property_kinds[key] = "number" if number else "text"


class _Span:
    def __init__(self) -> None:
        self.low = float("inf")
        self.high = float("-inf")

    @property
    def empty(self) -> bool:
        return self.low > self.high

    def add(self, low: pa.Array, high: pa.Array) -> None:
        least, most = pc.min(low).as_py(), pc.max(high).as_py()
        if least is not None and most is not None:
            self.low, self.high = min(self.low, least), max(self.high, most)


def _add_intervals(span: _Span, west: pa.Array, east: pa.Array, least: float, most: float) -> None:
    span.add(west, east)
    if pc.any(
        pc.greater(west, east)
    ).as_py():  # it leaves this framing on one side and comes back on the other
        span.low, span.high = least, most


def _to_360(longitudes: pa.Array) -> pa.Array:
    return pc.if_else(pc.less(longitudes, 0.0), pc.add(longitudes, 360.0), longitudes)


def _extremes(seen: list[Any], column: pa.Array) -> list[Any]:
    values = [v for v in (*seen, *pc.min_max(column).as_py().values()) if v is not None]
    return [min(values), max(values)] if values else []
