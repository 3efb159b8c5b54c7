"""The values a gazetteer answers with. Longitude first, degrees, WGS84."""

from __future__ import annotations

from dataclasses import dataclass

Bbox = tuple[float, float, float, float]
"""West, south, east, north. A box across the antimeridian has west > east."""


@dataclass(frozen=True)
class Place:
    """One place of the gazetteer."""

    id: str  # "city:5206379", "country:FR", "admin1:US-PA", "sea:red-sea"
    name: str
    kind: str  # city, country, admin1, continent, ocean, sea, strait, island, desert, airport, port, region …
    lon: float
    lat: float
    bbox: Bbox
    country: str | None  # ISO 3166-1 alpha-2
    admin1: str | None  # the first-level area's name
    population: int | None
    label: str  # "Pittsburgh, Pennsylvania, United States"


@dataclass(frozen=True)
class Candidate:
    """A place that a name may mean, and why it stands where it does."""

    place: Place
    score: float  # 0..1, higher is likelier
    reason: str


@dataclass(frozen=True)
class Resolution:
    """What a name may mean, likeliest first; no candidates when nothing fits."""

    query: str
    candidates: tuple[Candidate, ...]
    ambiguous: bool  # no candidate is dominant: ask
    corrected: bool  # found by a misspelling

    @property
    def best(self) -> Place | None:
        """The likeliest place, or None when nothing fits."""
        return self.candidates[0].place if self.candidates else None


@dataclass(frozen=True)
class Mention:
    """A place named in a text: text[start:end] and what it resolves to."""

    start: int
    end: int
    text: str
    resolution: Resolution
