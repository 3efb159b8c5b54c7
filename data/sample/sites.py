"""The real places that the sample's scenes are scattered around: sites.csv and disasters.csv."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path

import numpy as np

from data.sample.rng import Ints

_HERE = Path(__file__).parent
MICRO = 1_000_000


@dataclass(frozen=True)
class Site:
    """One place."""

    name: str
    kind: str
    """city, capital, airport, port, fishing_ground, shipping_lane, or a kind of European landscape."""
    country: str | None
    """ISO 3166-1 alpha-2; None at sea."""
    lon: int
    """Millionths of a degree."""
    lat: int
    spread_m: int
    weight: int


@dataclass(frozen=True)
class Disaster:
    """One of xBD's 19 disasters."""

    name: str
    type: str
    site: Site
    day: date
    """When it struck, or began to."""
    days_after: int
    """Within how many days the images after it were taken."""
    sensor: str


def _micro(text: str) -> int:
    """A decimal in a CSV as millionths, without passing through a float."""
    whole, _, part = text.lstrip("-").partition(".")
    value = int(whole) * MICRO + int(part.ljust(6, "0")[:6])
    return -value if text.startswith("-") else value


def _rows(name: str) -> list[dict[str, str]]:
    with (_HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@lru_cache(maxsize=1)
def all_sites() -> tuple[Site, ...]:
    """Every site, in the file's order: by country and name, then the other kinds."""
    return tuple(
        Site(
            row["name"],
            row["kind"],
            row["country"] or None,
            _micro(row["lon"]),
            _micro(row["lat"]),
            int(row["spread_km"]) * 1000,
            int(row["weight"]),
        )
        for row in _rows("sites.csv")
    )


def sites_of(*kinds: str) -> tuple[Site, ...]:
    """The sites of these kinds, from west to east: rows that lie together are stored together."""
    found = [site for site in all_sites() if site.kind in kinds]
    return tuple(sorted(found, key=lambda site: (site.lon, site.lat, site.name)))


@lru_cache(maxsize=1)
def disasters() -> tuple[Disaster, ...]:
    """xBD's 19 disasters, by name."""
    return tuple(
        Disaster(
            row["name"],
            row["type"],
            Site(
                row["place"],
                "disaster",
                row["country"],
                _micro(row["lon"]),
                _micro(row["lat"]),
                int(row["spread_km"]) * 1000,
                int(row["weight"]),
            ),
            date.fromisoformat(row["date"]),
            int(row["days"]),
            row["sensor"],
        )
        for row in _rows("disasters.csv")
    )


def column(sites: Sequence[Site], field: str) -> Ints:
    """One whole-number field of sites as an array."""
    return np.array([getattr(site, field) for site in sites], dtype=np.int64)
