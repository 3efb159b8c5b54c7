"""What a camera wrote into a photo: EXIF 2.32 (CIPA DC-008), as GDAL lists it among a raster's tags.

A photo that was brought in keeps these tags as a GeoTIFF, so both are read alike.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from data.raster.files import opened

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)")
_SHOWN_CHARS = 100


@dataclass(frozen=True)
class Photo:
    """What is known of a photo; None is what the camera did not write."""

    camera: str | None
    lens: str | None
    taken_local: str | None
    """The camera's own clock, `YYYY-MM-DDTHH:MM:SS`."""
    taken_utc: str | None
    """In UTC, by the offset that the camera wrote, else by the time of its GPS."""
    lon: float | None
    lat: float | None
    altitude_m: float | None
    direction_deg: float | None
    """Where the camera looked, clockwise from north."""
    exposure_s: float | None
    f_number: float | None
    iso: float | None
    focal_length_mm: float | None
    tags: int
    """How many EXIF tags there are."""


def read_exif(path: Path) -> Photo:
    """The EXIF of a photo or of a raster made of one. Raises RasterError for what is no raster."""
    with opened(path) as source:
        tags = {key[5:]: value for key, value in source.tags().items() if key.startswith("EXIF_")}
    local = _moment(tags.get("DateTimeOriginal") or tags.get("DateTime"))
    offset = _OFFSET.fullmatch((tags.get("OffsetTimeOriginal") or tags.get("OffsetTime") or "").strip())
    return Photo(
        camera=_line(" ".join(_words(tags.get("Make"), tags.get("Model")))),
        lens=_line(tags.get("LensModel")),
        taken_local=None if local is None else local.isoformat(timespec="seconds"),
        taken_utc=_utc(local, offset, tags),
        lon=_degrees(tags, "GPSLongitude", "W", 180),
        lat=_degrees(tags, "GPSLatitude", "S", 90),
        altitude_m=_altitude(tags),
        direction_deg=_number(tags.get("GPSImgDirection"), 0, 360),
        exposure_s=_number(tags.get("ExposureTime"), 0, 1e5),
        f_number=_number(tags.get("FNumber"), 0, 1e3),
        iso=_number(tags.get("ISOSpeedRatings") or tags.get("PhotographicSensitivity"), 0, 1e7),
        focal_length_mm=_number(tags.get("FocalLength"), 0, 1e5),
        tags=len(tags),
    )


def _words(make: str | None, model: str | None) -> list[str]:
    """The maker and the model; many models begin with their maker's name."""
    first, second = (make or "").strip("\0 "), (model or "").strip("\0 ")
    return [second] if first and second.casefold().startswith(first.casefold()) else [first, second]


def _utc(local: datetime | None, offset: re.Match[str] | None, tags: Mapping[str, str]) -> str | None:
    if local is not None and offset is not None:
        hours, minutes = int(offset[2]), int(offset[3])
        shift = timedelta(hours=hours, minutes=minutes)
        try:
            moment = local - shift if offset[1] == "+" else local + shift
        except OverflowError:
            return None
        return f"{moment.isoformat(timespec='seconds')}Z"
    clock = _NUMBER.findall(tags.get("GPSTimeStamp", ""))
    day = _NUMBER.findall(tags.get("GPSDateStamp", "").replace("-", ":"))
    try:
        year, month, date = (int(each) for each in day)
        hour, minute, second = (float(each) for each in clock)
        moment = datetime(year, month, date, int(hour), int(minute), int(second), tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.strptime((text or "").strip("\0 "), "%Y:%m:%d %H:%M:%S")
    except ValueError:
        return None


def _degrees(tags: Mapping[str, str], name: str, negative: str, most: float) -> float | None:
    """Degrees, minutes and seconds as one number, south and west below 0."""
    parts = [float(each) for each in _NUMBER.findall(tags.get(name, ""))]
    side = tags.get(f"{name}Ref", "").strip("\0 ").upper()[:1]
    if not 1 <= len(parts) <= 3 or not side:
        return None
    value = math.fsum(part / 60**power for power, part in enumerate(parts))
    if not math.isfinite(value) or not 0 <= value <= most:
        return None
    return round(-value if side == negative else value, 7)


def _altitude(tags: Mapping[str, str]) -> float | None:
    """Metres above sea level; the reference 1 is below it."""
    value = _number(tags.get("GPSAltitude"), -20_000, 1e6)
    below = tags.get("GPSAltitudeRef", "").strip("\0 ").removeprefix("0x0") == "1"
    return None if value is None else -value if below else value


def _number(text: str | None, least: float, most: float) -> float | None:
    found = _NUMBER.findall(text or "")
    if not found:
        return None
    value = float(found[0])
    return value if math.isfinite(value) and least <= value <= most else None


def _line(text: str | None) -> str | None:
    plain = "".join(each if each.isprintable() else " " for each in text or "")
    return " ".join(plain.split())[:_SHOWN_CHARS] or None
