"""One place written four ways: decimal degrees, degrees with minutes and seconds, UTM, MGRS."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field

from state.model import State
from tools.base import Step, ToolError, World, tool
from tools.units import Latitude, Longitude

_MGRS = re.compile(r"(?:\d{1,2}[C-HJ-NP-X]|[ABYZ])[A-HJ-NP-Z]{2}(?:\d\d){0,5}")
_UTM = re.compile(
    r"(?:UTM)?\s*+(?:ZONE\s*+)?(\d{1,2})(?:\s*([C-HJ-NP-X]))?[\s,:]++"
    r"([\d.]++)(?:\s*M)?(?:\s*E)?[\s,]++([\d.]++)(?:\s*M)?(?:\s*N)?"
)
_UPS = re.compile(r"UPS\s*+([NS])[\s,:]++([\d.]++)(?:\s*M)?(?:\s*E)?[\s,]++([\d.]++)(?:\s*M)?(?:\s*N)?")
_ANGLE = re.compile(
    r"""([-+]?)(\d{1,3}(?:\.\d+)?)\s*+(?:[°:]\s*+)?(?:(\d{1,2}(?:\.\d+)?)\s*+(?:[':]\s*+)?(?:(\d{1,2}(?:\.\d+)?)\s*"?)?)?"""
)
_WORDS = (
    (r"[º˚]|\bDEG(?:REES?)?\b", "°"),
    (r"[′’]|\bMIN(?:UTES?)?\b", "'"),
    (r"[″”]|''|\bSEC(?:ONDS?)?\b", '"'),
    ("[−–]", "-"),
    (r"\bLAT(?:ITUDE)?\b\s*[:=]?", "N"),
    (r"\b(?:LON(?:GITUDE)?|LNG)\b\s*[:=]?", "E"),
    (r"\bNORTH(?:ERN)?\b", "N"),
    (r"\bSOUTH(?:ERN)?\b", "S"),
    (r"\bEAST\b", "E"),
    (r"\bWEST\b", "W"),
)
_UTM_LIMITS_DEG = (-80.0, 84.0)
_UPS_CODES = {"north": 5041, "south": 5042}
_NOT_READ = "write 48.8584, 2.2945 or 40°26′46″N 79°58′56″W or 31U 448251 5411932 or 31UDQ4825111932"

LonLat = tuple[float, float]
Form = Literal["all", "decimal", "dms", "utm", "mgrs"]


@tool("python")
def convert_coordinates(
    state: State,
    world: World,
    *,
    coordinates: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=120,
            description="A place as text: decimal degrees, degrees minutes seconds, UTM or MGRS. Of two bare "
            "numbers the first is the latitude, unless it is beyond 90.",
        ),
    ] = None,
    lon: Annotated[
        Longitude | None, Field(description="Degrees east, WGS84; with lat, instead of text.")
    ] = None,
    lat: Annotated[Latitude | None, Field(description="Degrees north, WGS84.")] = None,
    to: Annotated[Form, Field(description="What the answer names first; the data hold all forms.")] = "all",
    mgrs_digits: Annotated[
        int, Field(ge=0, le=5, description="Digits of each half of an MGRS reference: 5 is 1 m, 3 is 100 m.")
    ] = 5,
) -> Step:
    """Write a place as decimal degrees, as degrees, minutes and seconds, in UTM and in MGRS.

    WGS84. North of 84° and south of 80°, UTM gives way to UPS (NGA.SIG.0012, PROJ's EPSG:5041 and 5042).
    MGRS by NGA's GeoTrans: a reference names a square, read as its middle and written by cutting off. In
    UTM the letter S alone is the southern hemisphere; zones follow Norway's and Svalbard's exceptions.

    Example: copilot call convert_coordinates lon=-79.9959 lat=40.4406 to=utm

    Asked as: what is 40.4406, -79.9959 in UTM | convert to MGRS | decimal degrees of 40°26′46″N 79°58′56″W
    | where is 31UDQ4825111932 | write that in degrees minutes seconds | which UTM zone is this point in
    """
    point, read_as = _point(coordinates, lon, lat)
    forms = _forms(point, mgrs_digits)
    names = {"decimal": forms["decimal"], "dms": forms["dms"], "utm": forms["utm"], "mgrs": forms["mgrs"]}
    wanted = [to] if to != "all" else ["decimal", "dms", "utm", "mgrs"]
    labels = {"decimal": "", "dms": "", "utm": "" if "UPS" in forms["utm"] else "UTM ", "mgrs": "MGRS "}
    said = "; ".join(f"{labels[form]}{names[form]}" for form in wanted)
    return Step(state, f"{read_as} is {said}.", {"lon": point[0], "lat": point[1], **forms})


def _point(text: str | None, lon: float | None, lat: float | None) -> tuple[LonLat, str]:
    """(longitude, latitude) in degrees, and what was read, as a sentence begins with it."""
    if text is None:
        if lon is None or lat is None:
            raise ToolError("convert_coordinates needs coordinates as text, or a lon and a lat in degrees.")
        return (lon, lat), f"Longitude {lon:.9g}, latitude {lat:.9g}"
    if lon is not None or lat is not None:
        raise ToolError("convert_coordinates takes coordinates as text or lon and lat, not both.")
    plain = " ".join(text.upper().split())
    point = _of_mgrs(plain) or _of_metres(plain) or _of_degrees(plain, text)
    if not (math.isfinite(point[0]) and abs(point[0]) <= 180 and abs(point[1]) <= 90):
        raise ToolError(f"{text!r} lies beyond longitude 180 or latitude 90; {_NOT_READ}.")
    lon, lat = (round(each, 9) + 0.0 for each in point)
    return (lon, lat), " ".join(text.split())


def _of_mgrs(plain: str) -> LonLat | None:
    compact = plain.removeprefix("MGRS").replace(" ", "")
    if not _MGRS.fullmatch(compact):
        return None
    from mgrs.core import MGRSError

    try:
        lat, lon = _mgrs().toLatLon(compact)
    except MGRSError:
        raise ToolError(f"No square of MGRS is named {compact}; one is 31UDQ4825111932.") from None
    return float(lon), float(lat)


def _of_metres(plain: str) -> LonLat | None:
    """A place in UTM or UPS, by PROJ; a letter other than N and S is a latitude band."""
    for pattern, word in _WORDS[6:8]:
        plain = re.sub(pattern, word, plain)
    if found := _UPS.fullmatch(plain):
        code = _UPS_CODES["north" if found[1] == "N" else "south"]
        return _projected(code, found[2], found[3], plain)
    found = _UTM.fullmatch(plain)
    if found is None or (found[2] is None and "UTM" not in plain and "ZONE" not in plain):
        return None
    zone, letter = int(found[1]), found[2] or "N"
    if not 1 <= zone <= 60:
        raise ToolError(f"There is no UTM zone {zone}; they go from 1 to 60.")
    south = letter == "S" or letter < "N"
    return _projected((32700 if south else 32600) + zone, found[3], found[4], plain)


def _projected(code: int, easting: str, northing: str, plain: str) -> LonLat:
    try:
        x, y = float(easting), float(northing)
    except ValueError:
        raise ToolError(f"{plain!r} has no easting and northing in metres; {_NOT_READ}.") from None
    lon, lat = _transformer(code, inverse=True).transform(x, y)
    if not (math.isfinite(lon) and math.isfinite(lat)) or x > 4_000_000 or y > 10_000_000:
        raise ToolError(
            f"{plain!r} lies outside its zone; eastings are near 500,000 m, northings under 10,000,000."
        )
    return float(lon), float(lat)


def _of_degrees(plain: str, text: str) -> LonLat:
    for pattern, word in _WORDS:
        plain = re.sub(pattern, word, plain)
    letters = re.findall("[NSEW]", plain)
    if letters:
        parts = _lettered(plain)
        if sorted("NS".find(each) >= 0 for each in letters) != [False, True] or len(parts) != 2:
            raise ToolError(f"{text!r} does not name one latitude and one longitude; {_NOT_READ}.")
        named = {letter: _angle(body, letter, text) for letter, body in parts}
        lat = next(value for letter, value in named.items() if letter in "NS")
        lon = next(value for letter, value in named.items() if letter in "EW")
        return lon, lat
    halves = [each for each in re.split(r"[,;/]", plain) if each.strip()]
    if len(halves) != 2:
        halves = plain.split() if "°" not in plain else re.findall(r"[-+]?[^-+°]+°[^-+°]*(?=\s|$)", plain)
    if len(halves) != 2:
        raise ToolError(f"{text!r} cannot be read as coordinates; {_NOT_READ}.")
    first, second = (_angle(each, "", text) for each in halves)
    return (first, second) if abs(first) > 90 else (second, first)


def _lettered(plain: str) -> list[tuple[str, str]]:
    """The two angles with their letters, which stand before both or behind both."""
    if plain[0] in "NSEW":
        return re.findall(r"([NSEW])([^NSEW]+)", plain)
    return [(letter, body) for body, letter in re.findall(r"(?<![^NSEW])([^NSEW]+)([NSEW])", plain)]


def _angle(body: str, letter: str, text: str) -> float:
    """Degrees from `40°26'46"`, `40 26.77`, `40:26:46` or `40.446`, south and west below 0."""
    found = _ANGLE.fullmatch(body.strip(" ,;"))
    if found is None:
        raise ToolError(f"{text!r} cannot be read as coordinates; {_NOT_READ}.")
    degrees, minutes, seconds = (float(part or 0) for part in found.groups()[1:])
    if minutes >= 60 or seconds >= 60 or (found[1] == "-" and letter in ("S", "W")):
        raise ToolError(f"{text!r} has minutes or seconds of 60 or more, or two signs; {_NOT_READ}.")
    size = degrees + minutes / 60 + seconds / 3600
    return -size if found[1] == "-" or letter in ("S", "W") else size


def _forms(point: LonLat, mgrs_digits: int) -> dict[str, Any]:
    """The place in every form, with zone, easting and northing (m) apart."""
    lon, lat = point
    south = lat < 0
    if _UTM_LIMITS_DEG[0] <= lat <= _UTM_LIMITS_DEG[1]:
        zone = utm_zone(lon, lat)
        easting, northing = _transformer((32700 if south else 32600) + zone).transform(lon, lat)
        name = f"zone {zone} {'south' if south else 'north'}"
        facts: dict[str, int | None] = {"zone": zone, "epsg": (32700 if south else 32600) + zone}
    else:
        pole = "south" if south else "north"
        easting, northing = _transformer(_UPS_CODES[pole]).transform(lon, lat)
        name, facts = f"UPS {pole}", {"zone": None, "epsg": _UPS_CODES[pole]}
    easting, northing = round(float(easting), 3), round(float(northing), 3)
    reference = str(_mgrs().toMGRS(lat, lon, MGRSPrecision=mgrs_digits))
    return {
        "decimal": f"longitude {lon:.6f}, latitude {lat:.6f}",
        "dms": f"{_dms(lat, 'NS')} {_dms(lon, 'EW')}",
        "utm": f"{name}, {easting:.1f} m E, {northing:.1f} m N",
        "mgrs": reference,
        "easting_m": easting,
        "northing_m": northing,
        "hemisphere": "south" if south else "north",
        **facts,
    }


def utm_zone(lon: float, lat: float) -> int:
    """The UTM zone of a place, with the exceptions of bands V (Norway) and X (Svalbard)."""
    if 56 <= lat < 64 and 3 <= lon < 12:
        return 32
    if lat >= 72 and 0 <= lon < 42:
        return 31 + 2 * int((lon + 3) // 12)
    return int((lon + 180) // 6) % 60 + 1


def _dms(angle: float, letters: str) -> str:
    """`40°26′46.30″N`; rounding carries over into minutes and degrees."""
    hundredths = round(abs(angle) * 360_000)
    minutes, rest = divmod(hundredths, 6000)
    return f"{minutes // 60}°{minutes % 60:02d}′{rest / 100:05.2f}″{letters[angle < 0]}"


@cache
def _transformer(code: int, *, inverse: bool = False) -> Any:
    from pyproj import Transformer

    ends = (f"EPSG:{code}", "EPSG:4326") if inverse else ("EPSG:4326", f"EPSG:{code}")
    return Transformer.from_crs(*ends, always_xy=True)


@cache
def _mgrs() -> Any:
    import mgrs

    return mgrs.MGRS()


TOOLS = (convert_coordinates,)
