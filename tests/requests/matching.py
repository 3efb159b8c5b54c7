"""When two names, numbers, lists or places count as the same."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

EARTH_RADIUS_KM = 6371.0088


def fold(text: str) -> str:
    """A word without what does not matter when names are compared."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    words = re.sub(r"[-_/\s]+", " ", plain).strip().split(" ")
    return " ".join(word[:-1] if word.endswith("s") and len(word) > 2 else word for word in words)


def alternatives(wanted: str) -> list[str]:
    """The folded readings of "a|b"."""
    return [fold(word) for word in wanted.split("|")]


def same(wanted: object, got: object) -> bool:
    """Whether a value is the wanted one; numbers within a thousandth, words folded, lists item by item."""
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, int | float) and isinstance(got, int | float):
        return math.isclose(wanted, got, rel_tol=1e-3, abs_tol=1e-6)
    if isinstance(wanted, str) and isinstance(got, str):
        return fold(got) in alternatives(wanted)
    if isinstance(wanted, list) and isinstance(got, list | tuple):
        return len(wanted) == len(got) and all(same(a, b) for a, b in zip(wanted, got, strict=True))
    return wanted == got


def paired(wanted: Sequence[object], got: Sequence[object], match: Callable[[Any, Any], bool]) -> bool:
    """Whether each wanted thing has its own match and nothing is left over, in any order."""
    if len(wanted) != len(got):
        return False
    if not wanted:
        return True
    first, rest = wanted[0], wanted[1:]
    return any(
        match(first, one) and paired(rest, [*got[:i], *got[i + 1 :]], match) for i, one in enumerate(got)
    )


def distance_km(a: Sequence[float], b: Sequence[float]) -> float:
    """Great-circle distance between two [lon, lat] points."""
    lon1, lat1, lon2, lat2 = map(math.radians, (*a, *b))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(h)))


def width_deg(bbox: Sequence[float]) -> float:
    """Degrees of longitude from west to east, also across the antimeridian."""
    width = bbox[2] - bbox[0]
    return width if width >= 0 else width + 360


def inside(point: Sequence[float], bbox: Sequence[float]) -> bool:
    """Whether a [lon, lat] point lies in [w, s, e, n], also across the antimeridian."""
    return (point[0] - bbox[0]) % 360 <= width_deg(bbox) and bbox[1] <= point[1] <= bbox[3]
