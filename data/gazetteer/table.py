"""The places and their names as columns, loaded once and read many times."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property, lru_cache
from math import cos, radians
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from data.gazetteer.model import Bbox, Place
from data.gazetteer.names import normalise

HERE = Path(__file__).parent
PRIMARY, CURATED, ALTERNATE = 0, 1, 2


class Texts:
    """A list of strings kept as one block of bytes: a tenth of the memory of a list.

    They sort by code point, and UTF-8 keeps that order, so `bisect` works on the bytes.
    """

    def __init__(self, block: NDArray[np.uint8]) -> None:
        self._bytes = block.tobytes()
        breaks = np.flatnonzero(block == ord("\n")).astype(np.int32)
        self._starts = np.concatenate([[0], breaks + 1]).astype(np.int32)
        self._ends = np.concatenate([breaks, [len(block)]]).astype(np.int32)

    def __len__(self) -> int:
        return len(self._starts)

    def raw(self, i: int) -> bytes:
        return self._bytes[int(self._starts[i]) : int(self._ends[i])]

    def __getitem__(self, i: int) -> str:
        return self.raw(i).decode()

    def __iter__(self) -> Iterator[str]:
        return iter(self._bytes.decode().split("\n"))

    def index(self, text: str) -> int:
        """Where the text stands in a sorted block, or -1."""
        wanted = text.encode()
        i = bisect_left(range(len(self)), wanted, key=self.raw)
        return i if i < len(self) and self.raw(i) == wanted else -1


def half_size_km(population: int) -> float:
    """Half the side of a box that fits a city, 8 to 40 km: 8 km at 15,000 people, 40 km at 15 million."""
    return float(min(40.0, max(8.0, 8.0 * (max(population, 1) / 15_000) ** 0.233)))


class Table:
    """The columns of gazetteer.npz. A row number stands for a place everywhere inside the package."""

    def __init__(self, path: Path = HERE / "gazetteer.npz") -> None:
        with np.load(path) as columns:
            self.keys = Texts(columns["keys"])
            self._starts: NDArray[np.int32] = columns["starts"]
            self._postings: NDArray[np.int32] = columns["postings"]
            self._names = Texts(columns["names"])
            self._ids = Texts(columns["ids"])
            self.kinds: list[str] = list(Texts(columns["kinds"]))
            self.countries: list[str] = list(Texts(columns["countries"]))
            self._kind: NDArray[np.uint8] = columns["kind"]
            self._country: NDArray[np.int16] = columns["country"]
            self._admin1: NDArray[np.int32] = columns["admin1"]
            self._population: NDArray[np.int64] = columns["population"]
            self.lonlat: NDArray[np.float64] = columns["lonlat"]
            self._boxes: NDArray[np.float64] = columns["boxes"]

    def __len__(self) -> int:
        return len(self._kind)

    @property
    def first_city(self) -> int:
        """Cities follow all places with bounds of their own, largest first."""
        return len(self._boxes)

    def rows(self, key: str) -> list[tuple[int, int]]:
        """(row, claim) of every place with this normalised name."""
        i = self.keys.index(key)
        return (
            []
            if i < 0
            else [divmod(int(p), 4) for p in self._postings[self._starts[i] : self._starts[i + 1]]]
        )

    def kind(self, row: int) -> str:
        return self.kinds[int(self._kind[row])]

    def of_kind(self, kind: str) -> list[int]:
        """The rows of that kind, in order."""
        kinds = [number for number, known in enumerate(self.kinds) if known == kind]
        rows: list[int] = np.flatnonzero(np.isin(self._kind, kinds)).tolist()
        return rows

    def name(self, row: int) -> str:
        return self._names[row]

    def country(self, row: int) -> str | None:
        i = int(self._country[row])
        return self.countries[i] if i >= 0 else None

    def admin1(self, row: int) -> int:
        """The row of the first-level area a city lies in, or -1."""
        return int(self._admin1[row])

    def population(self, row: int) -> int:
        return int(self._population[row])

    def bbox(self, row: int) -> Bbox:
        if row < self.first_city:
            west, south, east, north = self._boxes[row].tolist()
            return west, south, east, north
        lon, lat = self.lonlat[row].tolist()
        dlat = half_size_km(self.population(row)) / 111.2
        dlon = dlat / max(0.05, cos(radians(lat)))
        return _wrap(lon - dlon), max(-90.0, lat - dlat), _wrap(lon + dlon), min(90.0, lat + dlat)

    @cached_property
    def country_names(self) -> dict[str, str]:
        """ISO alpha-2 → the country's name."""
        rows = range(self.first_city)
        return {self.country(i) or "": self.name(i) for i in rows if self.kind(i) == "country"}

    @lru_cache(maxsize=4096)  # noqa: B019 - one table lives as long as the process
    def place(self, row: int) -> Place:
        kind, name, country, admin1 = self.kind(row), self.name(row), self.country(row), self.admin1(row)
        area = self.name(admin1) if admin1 >= 0 else (name if kind == "admin1" else None)
        parts = [name]
        if area is not None and kind == "city" and normalise(area) != normalise(name):
            parts.append(area)
        if country and kind != "country":
            parts.append(self.country_names.get(country, country))
        lon, lat = self.lonlat[row].tolist()
        return Place(
            id=self._ids[row],
            name=name,
            kind=kind,
            lon=lon,
            lat=lat,
            bbox=self.bbox(row),
            country=country,
            admin1=area,
            population=self.population(row) or None,
            label=", ".join(parts),
        )

    def holds(self, row: int, lon: float, lat: float) -> bool:
        """Whether the place's box holds the point."""
        west, south, east, north = self.bbox(row)
        across = west <= lon <= east if west <= east else lon >= west or lon <= east
        return across and south <= lat <= north

    @cached_property
    def fuzzy_keys(self) -> dict[str, list[str]]:
        """Names worth correcting to, by first letter: all areas, and cities from 30,000 people."""
        end = int(np.searchsorted(-self._population[self.first_city :], -30_000)) + self.first_city
        rows, claims = np.divmod(self._postings, 4)
        strong = np.flatnonzero((rows < end) & (claims <= CURATED))
        found: dict[str, list[str]] = {}
        for i in np.unique(np.searchsorted(self._starts, strong, side="right") - 1).tolist():
            key = self.keys[i]
            if len(key) >= 4:
                found.setdefault(key[0], []).append(key)
        return found


def _wrap(lon: float) -> float:
    return lon - 360 if lon > 180 else lon + 360 if lon < -180 else lon
