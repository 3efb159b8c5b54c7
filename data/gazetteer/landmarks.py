"""Single buildings and monuments by name, which the table of places lacks or knows as something else.

The table is landmarks.csv: name, longitude and latitude in degrees (WGS 84), written down by hand.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True)
class Landmark:
    """A landmark named in a text: text[start:end]."""

    start: int
    end: int
    name: str
    lon: float
    lat: float


@lru_cache(maxsize=1)
def _table() -> dict[str, tuple[str, float, float]]:
    with Path(__file__).with_name("landmarks.csv").open(encoding="utf-8", newline="") as file:
        rows = [(row["name"], float(row["lon"]), float(row["lat"])) for row in csv.DictReader(file)]
    return {re.sub(r"[\s-]+", " ", name).lower(): (name, lon, lat) for name, lon, lat in rows}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    names = sorted(_table(), key=len, reverse=True)
    any_name = "|".join(re.escape(name).replace(r"\ ", r"[\s-]+") for name in names)
    return re.compile(rf"(?<!\w)(?:{any_name})(?!\w)", re.IGNORECASE)


def landmarks(text: str) -> list[Landmark]:
    """The landmarks of a text, left to right."""
    found = []
    for match in _pattern().finditer(text):
        if match[0].islower() and not text[: match.start()].lower().endswith("the "):
            continue  # "a white house" is any
        name, lon, lat = _table()[re.sub(r"[\s-]+", " ", match[0]).lower()]
        found.append(Landmark(match.start(), match.end(), name, lon, lat))
    return found
