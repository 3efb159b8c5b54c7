"""Reading times out of tags, names and columns. Everything is UTC without a zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime

FIRST_YEAR, LAST_YEAR = 1960, 2035
"""A four-digit number in a file name is a year only between these (the first satellite image is of 1959)."""

_NUMERIC = (
    "%Y:%m:%d %H:%M:%S",
    "%Y%m%dT%H%M%S",
    "%Y%m%d",
    "%Y/%m/%d",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y",
    "%Y-%m",
    "%Y",
)

_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"
_YEAR = r"(?:19[6-9]\d|20[0-3]\d)"
_STAMP = re.compile(
    rf"(?<!\d)({_YEAR})[-_]?({_MONTH})[-_]?({_DAY})[T_ ]([01]\d|2[0-3])[-:]?([0-5]\d)[-:]?([0-5]\d)?(?!\d)"
)
_DATE = re.compile(rf"(?<!\d)({_YEAR})([-_]?)({_MONTH})\2({_DAY})(?!\d)")
_ONLY_YEAR = re.compile(rf"(?<![0-9A-Za-z])({_YEAR})(?![0-9A-Za-z])")


def parse_time(text: object) -> datetime | None:
    """A time as metadata writes it (ISO 8601, TIFF's colons, compact digits), or None."""
    value = str(text).strip() if text is not None else ""
    if len(value) < 4:
        return None
    try:
        found = datetime.fromisoformat(value.replace(" +00", "+00:00") if value.endswith("+00") else value)
    except ValueError:
        return _by_pattern(value)
    return _utc(found)


def day_in_name(name: str) -> datetime | None:
    """A whole date in a file name: 20090818, 2015-03-04, S2A_20170613T101031."""
    for match in _STAMP.finditer(name):
        found = _build(match[1], match[2], match[3], match[4], match[5], match[6] or "0")
        if found is not None:
            return found
    for match in _DATE.finditer(name):
        found = _build(match[1], match[3], match[4])
        if found is not None:
            return found
    return None


def year_in_name(name: str) -> datetime | None:
    """A year standing alone in a file name (1985.tif), as its first day."""
    match = _ONLY_YEAR.search(name)
    if match is None or not FIRST_YEAR <= int(match[1]) <= LAST_YEAR:
        return None
    return datetime(int(match[1]), 1, 1)


def told_by_name(name: str) -> str:
    """When an image was taken as its name tells, by day or by year, as ISO 8601; empty where it does not."""
    found = day_in_name(name) or year_in_name(name)
    return "" if found is None else found.isoformat()


def _by_pattern(value: str) -> datetime | None:
    for pattern in _NUMERIC:
        try:
            found = datetime.strptime(value, pattern)
        except ValueError:
            continue
        return found if found.year >= 1 else None
    return None


def _utc(found: datetime) -> datetime:
    return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found


def _build(*parts: str) -> datetime | None:
    year, month, day, hour, minute, second = (int(part) for part in (*parts, "0", "0", "0")[:6])
    try:
        return datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
