"""What kinds of places there are."""

from __future__ import annotations

from collections.abc import Callable

from data.scenes.inland import airport, depot, fields, parking, suburb, town, woods
from data.scenes.plan import Plan
from data.scenes.sites import Rng
from data.scenes.waterside import harbour, marina, sea


def plan_of(rng: Rng, theme: str, size: tuple[int, int], gsd_m: float) -> Plan:
    """A plan of that theme."""
    return THEMES[theme](rng, size, gsd_m)


THEMES: dict[str, Callable[[Rng, tuple[int, int], float], Plan]] = {
    "sea": sea,
    "harbour": harbour,
    "marina": marina,
    "airport": airport,
    "parking": parking,
    "town": town,
    "depot": depot,
    "fields": fields,
    "woods": woods,
    "suburb": suburb,
}
COMMON = (0.11, 0.15, 0.13, 0.21, 0.12, 0.1, 0.11, 0.04, 0.03, 0.0)
"""How often each theme is drawn when none is asked for."""
