"""Coordinate systems by what people call them: a code, a definition, a name, or what they are to be good for.

Where there is a choice, it is made by where the data lie, and said. PROJ's database tells names and areas of
use (EPSG Geodetic Parameter Dataset, IOGP); nothing is fetched.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from data.readers.sidecars import names_a_file
from data.vector.errors import VectorError

if TYPE_CHECKING:
    from pyproj import CRS

Box = tuple[float, float, float, float]
"""West, south, east, north in degrees."""
MAX_CHARS = 20_000
_FILES = ("GRIDS", "PARAMETERFILE")
"""What stands in a definition before the name of a file: nadgrids, geoidgrids, PROJ4_GRIDS."""
EXAMPLES = "EPSG:32631, 'WGS 84 / UTM zone 33N', UTM, 'equal area' or 'national grid of Egypt' would work"
_POLAR_DEG = 60.0
_POLES = {3571: 180.0, 3572: -150.0, 3573: -100.0, 3574: -40.0, 3575: 10.0, 3576: 90.0}
"""North Pole LAEA, by the meridian in its middle."""
_HALF_SECTOR_DEG = 60.0
_EQUAL_AREA: tuple[tuple[str, Box, str], ...] = (
    ("EPSG:3035", (-25.0, 34.5, 44.83, 72.0), "Europe"),
    ("EPSG:5070", (-124.79, 24.41, -66.91, 49.38), "the United States"),
    ("EPSG:3338", (-180.0, 51.3, -129.99, 71.4), "Alaska"),
    ("ESRI:102007", (-160.3, 18.87, -154.74, 22.29), "Hawaii"),
    ("EPSG:9473", (112.85, -43.7, 153.69, -9.86), "Australia"),
    ("EPSG:9221", (13.33, -38.17, 36.54, -22.13), "South Africa"),
    ("ESRI:102001", (-141.01, 41.0, -52.0, 84.0), "Canada"),
    ("ESRI:102022", (-25.0, -35.0, 55.0, 38.0), "Africa"),
    ("ESRI:102033", (-91.72, -55.96, -25.28, 12.52), "South America"),
    ("ESRI:102028", (25.0, -10.0, 165.0, 30.0), "the south of Asia"),
    ("ESRI:102025", (25.0, 10.0, 180.0, 85.0), "the north of Asia"),
    ("ESRI:102008", (-172.54, 23.81, -47.74, 84.0), "North America"),
)
"""The national and regional systems of equal areas, the nearest first."""
_GRIDS = {
    "austria": 31287, "belgium": 31370, "bulgaria": 7801, "croatia": 3765, "czechia": 5514,
    "czech republic": 5514, "denmark": 25832, "estonia": 3301, "finland": 3067, "france": 2154,
    "germany": 25832, "great britain": 27700, "britain": 27700, "greece": 2100, "hong kong": 2326,
    "hungary": 23700, "iceland": 3057, "ireland": 2157, "israel": 2039, "latvia": 3059,
    "liechtenstein": 2056, "lithuania": 3346, "luxembourg": 2169, "netherlands": 28992,
    "new zealand": 2193, "norway": 25833, "poland": 2180, "portugal": 3763, "romania": 3844,
    "singapore": 3414, "slovakia": 5514, "slovenia": 3794, "south korea": 5179, "sweden": 3006,
    "switzerland": 2056, "taiwan": 3826, "uk": 27700, "united kingdom": 27700,
}  # fmt: skip
"""What the mapping agencies of countries with one system for all of it use."""
_ALIASES = {
    "web mercator": 3857, "google mercator": 3857, "pseudo mercator": 3857, "lat lon": 4326,
    "lat/lon": 4326, "lon lat": 4326, "longitude latitude": 4326, "latitude longitude": 4326,
    "degrees": 4326, "wgs84": 4326, "gps": 4326,
}  # fmt: skip
_EQUAL = frozenset({"equal area", "best equal area", "equal area best"})
_GRID = "national grid"


def crs_named(text: str, bbox: Sequence[float] | None) -> tuple[CRS, str]:
    """(the coordinate system that is meant, a sentence that says which and, where it was chosen, why).

    `bbox` is where the data lie, in degrees; None for data without a place. Raises VectorError.
    """
    wanted = text.strip()
    box = _box(bbox)
    words = _words(wanted)
    names_files = names_a_file(wanted) or any(each in wanted.upper() for each in _FILES)
    if not wanted or len(wanted) > MAX_CHARS or names_files:
        raise _unknown(text)
    if words == "utm":
        return _utm(_there(box, "a UTM zone"))
    if words in _EQUAL:
        return _equal_area(_there(box, "a system of equal areas"))
    if words == _GRID or (_GRID in words and not any(words in _words(each[1]) for each in _projected())):
        found = _national(words, box)
        if found is not None:
            return found
    if words in _ALIASES:
        return _said(_of_code(f"EPSG:{_ALIASES[words]}"))
    try:
        return _said(_of_text(wanted))
    except ValueError:
        return _by_part_of_a_name(wanted, words, box)


def code_of(crs: CRS) -> str:
    """`EPSG:32631`, or the name of a system that has no code; of one without either, its projection's."""
    if (code := authority_code(crs.to_wkt())) is not None:
        return code
    if crs.name.casefold() not in ("", "unknown", "unnamed"):
        return str(crs.name)[:80]
    operation = crs.coordinate_operation
    kind = operation.method_name if operation is not None else "longitude and latitude"
    return f"a system without a name ({kind})"[:80]


@lru_cache(maxsize=256)
def authority_code(wkt: str) -> str | None:
    """The code of a coordinate system; kept, since one without its own is looked up for a second."""
    from pyproj import CRS

    found = CRS.from_wkt(wkt)
    epsg = found.to_epsg()
    if epsg is not None:
        return f"EPSG:{epsg}"
    authority = found.to_authority(min_confidence=100)
    return ":".join(authority) if authority else None


def _words(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("_", " ").split())


def _box(bbox: Sequence[float] | None) -> Box | None:
    if bbox is None or not all(math.isfinite(each) for each in bbox):
        return None
    west, south, east, north = (float(each) for each in bbox)
    return west, south, east, north


def _there(box: Box | None, what: str) -> Box:
    if box is None:
        raise VectorError(f"There is no place to choose {what} for; name it by its code, such as EPSG:32631.")
    return box


def _unknown(text: str) -> VectorError:
    shown = text.encode("utf-8", "replace").decode()
    return VectorError(f"{' '.join(shown.split())[:60]!r} is no coordinate system; {EXAMPLES}.")


def _said(crs: CRS, why: str = "") -> tuple[CRS, str]:
    code = code_of(crs)
    named = code if code == crs.name else f"{code} ({crs.name})"
    return crs, f"The coordinate system is {named}{why}."


def _of_code(code: str) -> CRS:
    from pyproj import CRS

    return CRS.from_user_input(code)


def _of_text(text: str) -> CRS:
    """A system by code, definition or whole name. Raises ValueError, also for what could name a file."""
    from pyproj import CRS
    from pyproj.exceptions import CRSError

    plain: Any = text
    if text.isdecimal() and text.isascii():
        plain = f"EPSG:{text}"
    elif text.startswith("{"):
        plain = json.loads(text)
    elif "=" in text and "[" not in text:  # PROJ's own strings, which may name grids and files
        raise ValueError(text)
    elif " " not in text and ":" in text:
        plain = text.upper() if text.count(":") == 1 else text
    try:
        found = CRS.from_user_input(plain)
    except (CRSError, UnicodeError, TypeError) as error:
        raise ValueError(str(error)) from error
    if found.is_vertical or found.is_geocentric:
        raise ValueError(text)
    return found


def _utm(box: Box) -> tuple[CRS, str]:
    lon, lat = _middle(box)
    if not -80 <= lat <= 84:
        raise VectorError("UTM ends at 84 degrees north and 80 south; EPSG:32661 and EPSG:32761 are beyond.")
    zone = int((lon + 180) // 6) % 60 + 1
    if 56 <= lat < 64 and 3 <= lon < 12:
        zone = 32  # Norway's wider zone
    elif lat >= 72 and 0 <= lon < 42:
        zone = 31 + 2 * sum(lon >= each for each in (9, 21, 33))  # Svalbard's
    crs = _of_code(f"EPSG:{(32600 if lat >= 0 else 32700) + zone}")
    wide = " It is for 6 degrees, and the data are wider" if box[2] - box[0] > 6 else ""
    return _said(crs, f", the zone of the data's middle at {lon:.2f}, {lat:.2f}.{wide}".rstrip("."))


def _equal_area(box: Box) -> tuple[CRS, str]:
    lon, _ = _middle(box)
    if box[1] >= _POLAR_DEG:
        code = min(_POLES, key=lambda each: abs(_turn(lon - _POLES[each])))
        if box[2] - box[0] > 2 * _HALF_SECTOR_DEG:
            code = 6931
        return _said(_of_code(f"EPSG:{code}"), ", of equal areas around the North Pole, where the data lie")
    if box[3] <= -_POLAR_DEG:
        return _said(_of_code("EPSG:6932"), ", of equal areas around the South Pole, where the data lie")
    for name, around, where in _EQUAL_AREA:
        if _holds(around, box):
            return _said(_of_code(name), f", of equal areas for {where}, where the data lie")
    return _said(_of_code("EPSG:6933"), ", of equal areas for the globe, as no regional one holds the data")


def _national(words: str, box: Box | None) -> tuple[CRS, str] | None:
    """The grid of the country that is named beside the words; None where it is a system's own name."""
    rest = words.replace(_GRID, " ").replace("'s", " ").replace("\u2019s", " ")
    country = " ".join(each for each in rest.split() if each not in ("of", "the", "for", "in"))
    if not country:
        there = _there(box, "a national grid")
        known = [name for name, code in _GRIDS.items() if _holds(_use(f"EPSG:{code}"), there)]
        if len({_GRIDS[each] for each in known}) != 1:
            raise VectorError("Say whose: 'national grid of Egypt', or a code such as EPSG:27700.")
        country = known[0]
    others = [
        each for each in _projected() if each[2].casefold().startswith(country) and "UTM" not in each[1]
    ]
    if (code := _GRIDS.get(country)) is not None and (box is None or _holds(_use(f"EPSG:{code}"), box)):
        return _said(_of_code(f"EPSG:{code}"), f", what {country.title()} is mapped in")
    if not others:
        return None
    holding = [each for each in others if box is None or _holds(each[3], box)]
    if not holding and box is not None:
        middle = _middle(box)
        holding = [each for each in others if _holds(each[3], (*middle, *middle))]
    if not holding:
        names = "; ".join(f"{each[0]} ({each[1]})" for each in others[:6])
        raise VectorError(f"No grid of {country.title()} covers where the data lie; there are {names}.")
    best = min(holding, key=lambda each: (not _bears(each, country), each[0].split(":")[0], -_size(each[3])))
    beside = [each for each in (*holding, *others) if each is not best]
    more = "; ".join(dict.fromkeys(f"{each[0]} ({each[1]})" for each in beside[:8]))
    why = f", the grid of {country.title()} that is for where the data lie"
    return _said(_of_code(best[0]), f"{why}; others are {more}" if more else why)


def _by_part_of_a_name(text: str, words: str, box: Box | None) -> tuple[CRS, str]:
    """The system whose name has those words, among several the one for where the data lie."""
    found = [each for each in _projected() if words in _words(each[1])] if len(words) > 3 else []
    holding = [each for each in found if box is None or _holds(each[3], box)] or found
    if not holding:
        raise _unknown(text)
    best = min(holding, key=lambda each: (len(each[0]), each[0]))
    others = [f"{each[0]} ({each[1]})" for each in holding if each is not best][:4]
    why = f", which has {text[:60]!r} in its name"
    return _said(_of_code(best[0]), f"{why}; so have {'; '.join(others)}" if others else why)


@cache
def _projected() -> tuple[tuple[str, str, str, Box], ...]:
    """(code, name, area of use, its box) of every projected system of EPSG's that is in use, by its code."""
    from pyproj.database import query_crs_info
    from pyproj.enums import PJType

    found = [
        (int(each.code), each.name, each.area_of_use.name or "", each.area_of_use.bounds)
        for each in query_crs_info("EPSG", [PJType.PROJECTED_CRS])
        if not each.deprecated and each.area_of_use is not None
    ]
    return tuple((f"EPSG:{code}", name, where, bounds) for code, name, where, bounds in sorted(found))


def _bears(system: tuple[str, str, str, Box], country: str) -> bool:
    """Whether a system's own name begins with the country: its datum is the country's."""
    return system[1].casefold().startswith(country)


@cache
def _use(code: str) -> Box:
    area = _of_code(code).area_of_use
    return (-180.0, -90.0, 180.0, 90.0) if area is None else area.bounds


def _holds(around: Box, box: Box) -> bool:
    return around[0] <= box[0] and around[1] <= box[1] and around[2] >= box[2] and around[3] >= box[3]


def _size(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _turn(degrees: float) -> float:
    """An angle from -180 to 180."""
    return (degrees + 180) % 360 - 180
