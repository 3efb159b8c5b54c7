"""Country and state outlines: which country a point is in, and the polygon of a place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

HERE = Path(__file__).parent
KM_PER_DEGREE = 111.195  # of latitude, on a sphere of 6371.0088 km
TERRITORIAL_SEA_KM = 22.2  # 12 nautical miles


class Shapes:
    """The polygons of polygons.npz. Outlines are at 1:50 million: a coast is right to about 2 km."""

    def __init__(self, path: Path = HERE / "polygons.npz") -> None:
        with np.load(path) as columns:
            ids = columns["ids"].tobytes().decode().split("\n")
            ends = columns["ends"].tolist()
            block = columns["wkb"].tobytes()
        starts = [0, *ends[:-1]]
        self._wkb = {id_: block[a:b] for id_, a, b in zip(ids, starts, ends, strict=True)}

    def polygon(self, place_id: str) -> BaseGeometry | None:
        wkb = self._wkb.get(place_id)
        return None if wkb is None else shapely.from_wkb(wkb)

    @cached_property
    def _parts(self) -> tuple[shapely.STRtree, NDArray[np.object_], list[str]]:
        codes = [id_.removeprefix("country:") for id_ in self._wkb if id_.startswith("country:")]
        geometries = shapely.from_wkb([self._wkb[f"country:{code}"] for code in codes])
        parts, owner = shapely.get_parts(geometries, return_index=True)
        shapely.prepare(parts)
        return shapely.STRtree(parts), parts, [codes[i] for i in owner]

    def countries_at(
        self,
        lons: Sequence[float] | NDArray[np.float64],
        lats: Sequence[float] | NDArray[np.float64],
        sea_km: float = TERRITORIAL_SEA_KM,
    ) -> list[str | None]:
        """ISO alpha-2 of the country at each point; None on the high sea and where not finite."""
        lon, lat = np.asarray(lons, dtype=np.float64), np.asarray(lats, dtype=np.float64)
        lon = (np.where(np.isfinite(lon), lon, np.nan) + 180) % 360 - 180
        points = np.where(np.isfinite(lon + lat), shapely.points(lon, lat), None)
        tree, _, owner = self._parts
        found: list[str | None] = [None] * len(points)
        for point, part in zip(*tree.query(points, predicate="intersects"), strict=True):
            found[point] = owner[part]
        outside = np.array(
            [i for i, code in enumerate(found) if code is None and points[i] is not None], dtype=np.intp
        )
        for i, code in self._coast(lon, lat, outside, sea_km).items():
            found[i] = code
        return found

    def _coast(
        self, lon: NDArray[np.float64], lat: NDArray[np.float64], rows: NDArray[np.intp], sea_km: float
    ) -> dict[int, str]:
        """The nearest country within `sea_km` of the points at these rows, which are in none."""
        if sea_km <= 0 or len(rows) == 0:
            return {}
        x, y = lon[rows], lat[rows]
        dlat = sea_km / KM_PER_DEGREE
        dlon = dlat / np.maximum(0.05, np.cos(np.radians(np.minimum(89.0, np.abs(y) + dlat))))
        tree, parts, owner = self._parts
        windows = shapely.box(x - dlon, y - dlat, x + dlon, y + dlat)
        which, part = tree.query(windows, predicate="intersects")
        best: dict[int, tuple[float, str]] = {}
        for i, j in zip(which.tolist(), part.tolist(), strict=True):
            km = self._km_to(parts[j], float(x[i]), float(y[i]), windows[i])
            row = int(rows[i])
            if km <= sea_km and (row not in best or km < best[row][0]):
                best[row] = (km, owner[j])
        return {row: code for row, (_, code) in best.items()}

    @staticmethod
    def _km_to(part: BaseGeometry, lon: float, lat: float, window: BaseGeometry) -> float:
        """Kilometres from a point to the piece of a polygon inside the window, on a local plane."""
        piece = shapely.clip_by_rect(part, *window.bounds)
        if piece.is_empty:
            return float("inf")
        scale = np.array([KM_PER_DEGREE * np.cos(np.radians(lat)), KM_PER_DEGREE])
        local = shapely.transform(piece, lambda xy: (xy - [lon, lat]) * scale)
        return float(shapely.distance(local, shapely.Point(0.0, 0.0)))
