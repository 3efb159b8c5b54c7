"""The offline gazetteer: cities, countries, first-level areas and named regions of the world.

>>> from data.gazetteer import gazetteer
>>> gazetteer().resolve("Pittsburgh, PA").best.label
'Pittsburgh, Pennsylvania, United States'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from data.gazetteer.mentions import Finder
from data.gazetteer.model import Bbox, Candidate, Mention, Place, Resolution
from data.gazetteer.names import normalise
from data.gazetteer.resolve import Resolver
from data.gazetteer.table import Table

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from data.gazetteer.shapes import Shapes

__all__ = ["Bbox", "Candidate", "Gazetteer", "Mention", "Place", "Resolution", "gazetteer"]

TERRITORIAL_SEA_KM = 22.2  # 12 nautical miles
EARTH_KM = 6371.0088


class Gazetteer:
    """Read-only; one instance, from `gazetteer()`, serves every thread."""

    def __init__(self) -> None:
        self._table = Table()
        self._resolver = Resolver(self._table)
        self._finder = Finder(self._resolver)

    @cached_property
    def _shapes(self) -> Shapes:
        from data.gazetteer.shapes import Shapes  # shapely costs 0.1 s, and most questions do without

        return Shapes()

    def resolve(self, name: str, limit: int = 8) -> Resolution:
        """What a name may mean, likeliest first, at most `limit` candidates.

        Case, accents and punctuation do not matter; alternative names, qualifiers ("Paris, Texas",
        "Georgia (country)", "the port of Rotterdam") and small misspellings are understood. Never
        raises: a name that fits nothing has no candidates.
        """
        return self._resolver.resolve(name, limit)

    def mentions(self, text: str) -> list[Mention]:
        """The places named in a text, in order, longest first where they overlap. Never raises."""
        return self._finder.mentions(text)

    def polygon(self, place: Place) -> BaseGeometry | None:
        """The outline of a country or a US state, longitude first; None for any other place."""
        return self._shapes.polygon(place.id)

    def country_at(self, lon: float, lat: float, sea_km: float = TERRITORIAL_SEA_KM) -> str | None:
        """ISO alpha-2 of the country at a point, its waters up to `sea_km` from the coast included."""
        return self._shapes.countries_at([lon], [lat], sea_km)[0]

    def countries_at(
        self, lons: Sequence[float] | NDArray[np.float64], lats: Sequence[float] | NDArray[np.float64]
    ) -> list[str | None]:
        """`country_at` for many points at once."""
        return self._shapes.countries_at(lons, lats)

    def nearest_city(self, lon: float, lat: float) -> tuple[Place, float]:
        """The nearest city of 5,000 people or more, and how many kilometres away its centre is."""
        first = self._table.first_city
        cosines = self._city_vectors @ _vectors(np.array([[lon, lat]]))[0]
        row = int(np.argmax(cosines))
        # The chord keeps its precision for near points, where the arc cosine loses it.
        chord = float(np.linalg.norm(self._city_vectors[row] - _vectors(np.array([[lon, lat]]))[0]))
        return self._table.place(first + row), 2 * EARTH_KM * float(np.arcsin(min(1.0, chord / 2)))

    @cached_property
    def _city_vectors(self) -> NDArray[np.float64]:
        return _vectors(self._table.lonlat[self._table.first_city :])

    def places(self, kind: str | None = None) -> Iterator[Place]:
        """Every place, or every place of a kind; cities come last, largest first."""
        rows = range(len(self._table)) if kind is None else self._table.of_kind(kind)
        yield from map(self._table.place, rows)

    def suggest(self, name: str, n: int = 3) -> list[str]:
        """The names nearest to one that was not found, for an error message."""
        key = normalise(name)
        if not key:
            return []
        found: list[str] = []
        for near in self._resolver.near_keys(key, slack=1, limit=4 * n):
            best = self._resolver.resolve(near, 1).best
            if best is not None and best.name not in found:
                found.append(best.name)
        return found[:n]


def _vectors(lonlat: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors of points, shape (n, 3)."""
    lon, lat = np.radians(lonlat[:, 0]), np.radians(lonlat[:, 1])
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


@cache
def gazetteer() -> Gazetteer:
    """The one shared gazetteer, loaded at the first call."""
    return Gazetteer()
