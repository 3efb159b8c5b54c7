"""Coordinates as people write them into cells: degrees and minutes, pairs, WKT, EWKT, WKB, GeoJSON."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
import shapely
from numpy.typing import NDArray

Axis = Literal["longitude", "latitude"]

_SIGNS = str.maketrans(
    {
        "º": "°",
        "˚": "°",
        "′": "'",
        "’": "'",
        "‘": "'",
        "´": "'",
        "″": '"',
        "”": '"',
        "“": '"',
        "−": "-",
        "–": "-",
    }
)
_NUMBER = r"\d+(?:[.,]\d+)?"
_ANGLE = re.compile(
    rf"([NSEW]?)\s*+([-+]?)({_NUMBER})\s*+[°:]?\s*+"
    rf"(?:({_NUMBER})\s*+[':]?\s*+(?:({_NUMBER})\s*+(?:\"|'')?)?)?\s*+([NSEW]?)",
    re.I,
)
_LETTERS: dict[Axis, str] = {"longitude": "EW", "latitude": "NS"}
_LIMIT_DEG: dict[Axis, float] = {"longitude": 360.0, "latitude": 90.0}
_PLAIN = r"[-+]?\d+(?:\.\d+)?"
_PAIR = re.compile(rf"\s*[(\[]?\s*({_PLAIN})\s*[,; ]\s*({_PLAIN})\s*[)\]]?\s*")
_EWKT = re.compile(r"\s*SRID\s*=\s*(\d{1,6})\s*;\s*", re.I)
_HEX = re.compile(r"0[01][0-9A-Fa-f]{16,}")


def degrees_of(text: str | None, axis: Axis) -> float:
    """A longitude or latitude, written as a number (also with a decimal comma) or in degrees and minutes.

    Not-a-number for anything else: 75 minutes, a letter of the other axis, two letters.
    """
    plain = (text or "").translate(_SIGNS).strip()
    try:
        # A comma is the decimal sign of half of Europe's spreadsheets.
        return float(plain.replace(",", "."))
    except ValueError:
        pass
    match = _ANGLE.fullmatch(plain)
    if match is None:
        return math.nan
    before, sign, *numbers, after = match.groups()
    letter = (before + after).upper()
    if len(letter) > 1 or (letter and (letter not in _LETTERS[axis] or sign)):
        return math.nan
    parts = [float(each.replace(",", ".")) for each in numbers if each is not None]
    if any(part >= 60 for part in parts[1:]) or any(part % 1 for part in parts[:-1]):
        return math.nan
    found = math.fsum(part / 60**power for power, part in enumerate(parts))
    if found > _LIMIT_DEG[axis]:
        return math.nan
    return -found if sign == "-" or letter in ("W", "S") else found


def pairs_of(texts: Sequence[str | None]) -> tuple[NDArray[np.float64], NDArray[np.float64], bool] | None:
    """(longitudes, latitudes, whether the latitude stands first) of cells such as "48.85, 2.35".

    The latitude stands first, as people write it, unless some first number is none. None where under nine of
    ten cells that are not empty hold two numbers.
    """
    found = [_PAIR.fullmatch(text) if text else None for text in texts]
    filled = sum(1 for text in texts if text and text.strip())
    if not filled or sum(1 for each in found if each is not None) < 0.9 * filled:
        return None
    numbers = np.array(
        [(float(each[1]), float(each[2])) if each is not None else (math.nan, math.nan) for each in found]
    )
    first, second = numbers[:, 0], numbers[:, 1]
    latitude_first = not bool((np.abs(first) > 90).any())
    return (second, first, True) if latitude_first else (first, second, False)


def shapes_of(texts: Sequence[str | None]) -> tuple[NDArray[np.object_], int | None]:
    """The geometries of cells in WKT, EWKT, hexadecimal WKB or GeoJSON; None for others. And their one SRID.

    Raises ValueError for a column of several SRIDs, whose cells cannot be told apart by a coordinate system.
    """
    first = next((text.strip() for text in texts if text and text.strip()), "")
    found = np.full(len(texts), None, dtype=object)
    if _HEX.match(first):
        good = [
            bool(text) and len(str(text)) % 2 == 0 and _HEX.fullmatch(str(text)) is not None for text in texts
        ]
        found[good] = shapely.from_wkb(
            [bytes.fromhex(str(text)) for text, fits in zip(texts, good, strict=True) if fits],
            on_invalid="ignore",
        )
        return found, _one({int(each) for each in shapely.get_srid(found[~shapely.is_missing(found)])} - {0})
    if first.startswith("{"):
        found[:] = shapely.from_geojson(
            np.array([text if text else None for text in texts], dtype=object), on_invalid="ignore"
        )
        return found, None
    srids: set[int] = set()
    plain: list[str | None] = []
    for text in texts:
        match = _EWKT.match(text) if text else None
        if match is not None:
            srids.add(int(match[1]))
        plain.append(text[match.end() :] if match is not None and text else text)
    found[:] = shapely.from_wkt(np.array(plain, dtype=object), on_invalid="ignore")
    return found, _one(srids)


def _one(srids: set[int]) -> int | None:
    if len(srids) > 1:
        raise ValueError(f"its geometries are in several coordinate systems: {sorted(srids)[:6]}")
    return next(iter(srids), None)
