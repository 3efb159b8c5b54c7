"""Filter chains to time: a period, a place, classes and clouds, drawn from a seed like what people ask."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from data.catalogue.base import Attribute, Selection

SEED = 20_150_101
_DATASETS = ("bigearthnet", "fair1m", "fmow", "sarfish", "xview1", "xview2", "xview3")
_WORDS = ("vehicles", "aircraft", "ships", "buildings", "trucks", "Bus", "Helipad", "Storage Tank")
_PLACES = (
    (-80.0, 40.44), (2.35, 48.86), (103.8, 1.35), (55.27, 25.2), (-118.2, 33.7), (139.7, 35.7), (28.9, 41.0),
    (-46.6, -23.5), (18.4, -33.9), (151.2, -33.9), (77.2, 28.6), (-95.4, 29.8), (10.0, 53.5), (31.2, 30.0),
)  # fmt: skip
_DAYS = (31, 92, 365, 1461)
_RADII_KM = (40.0, 200.0, 1000.0)
_CLOUDS = (10.0, 30.0, 60.0)


@dataclass(frozen=True)
class Chain:
    """One chain: what is selected when all four filters stand."""

    start: date
    end: date
    center: tuple[float, float]
    radius_km: float
    classes: tuple[str, ...]
    cloud_below: float

    @property
    def selection(self) -> Selection:
        """The chain as the catalogue is asked it."""
        return Selection(
            start=self.start.isoformat(),
            end=self.end.isoformat(),
            center=self.center,
            radius_km=self.radius_km,
            classes=self.classes,
            attributes=(Attribute("cloud_pct", "<", self.cloud_below),),
        )

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """The chain as tool calls, ending with the count."""
        lon, lat = self.center
        return [
            ("filter_date", {"start": self.start.isoformat(), "end": self.end.isoformat()}),
            ("filter_coords", {"lon": lon, "lat": lat, "radius_km": self.radius_km}),
            ("filter_class", {"classes": list(self.classes)}),
            ("filter_attribute", {"field": "cloud_pct", "op": "<", "value": self.cloud_below}),
            ("db_count", {}),
        ]


LOAD = ("db_load", {"names": list(_DATASETS)})
"""What comes before every chain: all seven data sets."""

WIDEST = Selection(
    start="2015-01-01",
    bbox=(-179.0, -80.0, 179.0, 80.0),
    classes=("vehicles", "airport"),
    attributes=(Attribute("cloud_pct", "<", 30),),
)
"""The chain that narrows least: nothing can be passed over."""


def chains(count: int) -> list[Chain]:
    """That many chains, the same ones every time."""
    draw = random.Random(SEED)
    return [_chain(draw) for _ in range(count)]


def _chain(draw: random.Random) -> Chain:
    start = date(2015, 1, 1) + timedelta(days=draw.randrange(8 * 365))
    return Chain(
        start=start,
        end=start + timedelta(days=draw.choice(_DAYS) - 1),
        center=draw.choice(_PLACES),
        radius_km=draw.choice(_RADII_KM),
        classes=tuple(sorted(draw.sample(_WORDS, draw.choice((1, 1, 2))))),
        cloud_below=draw.choice(_CLOUDS),
    )
