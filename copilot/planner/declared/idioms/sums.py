"""Sums, units, dates and coordinates: "12 knots in km/h", "90 days after 3 May", "52.1, 4.3 in UTM"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom
from copilot.planner.reading.dates import dates
from copilot.planner.reading.text import COUNT, whole_number

_UNIT = r"[a-zA-Z°µ²³/%^0-9]+(?: (?:miles?|feet|foot|metres?|meters?|kilomet(?:re|er)s?|yards?|per \w+|celsius|fahrenheit|inch(?:es)?))?"
_CONVERSIONS = (
    rf"(?P<value>-?\d[\d,]*(?:\.\d+)?)\s*(?P<from>{_UNIT})\s+(?:in|to|into|as|is|are|equals?|=)\s+(?:how many |what in )?(?P<to>{_UNIT})",
    rf"(?P<value>-?\d[\d,]*(?:\.\d+)?)\s*(?P<from>{_UNIT})\W+(?:and )?(?:i )?need (?:it in )?(?P<to>{_UNIT})",
    rf"how (?:many|much) (?P<to>{_UNIT}) (?:are(?: there)? (?:in )?|is|in|make|does|do)\s*(?P<value>-?\d[\d,]*(?:\.\d+)?|an?|one)\s*(?P<from>{_UNIT})",
    rf"(?P<from>{_UNIT}) (?:in)?to (?P<to>{_UNIT})\W+(?P<value>-?\d[\d,]*(?:\.\d+)?)",
    rf"(?P<value>-?\d[\d,]*(?:\.\d+)?)\s*(?P<from>{_UNIT})\W+(?:what is that |how much is that |give (?:me )?that |that )?in (?P<to>{_UNIT})",
)


def _conversion(text: str, today: date) -> Arguments:
    plain = re.sub(r",?\s*\bplease\W*$", "", text.strip().rstrip("?.! "), flags=re.I)
    plain = re.sub(r"\s*(?:->|→)\s*", " to ", plain)
    if ratio := re.search(r"(?P<level>-?\d+(?:\.\d+)?) ?db\b.*\b(?:ratio|linear)\b", plain, re.I):
        level = float(ratio["level"])
        value = int(level) if level.is_integer() else level
        return {"value": value, "from_unit": "dB", "to_unit": "power ratio"}
    for pattern in _CONVERSIONS:
        match = re.search(pattern, plain, re.I)
        if match:
            said = match["value"].replace(",", "")
            value = 1.0 if not re.search(r"\d", said) else float(said)
            number = int(value) if value.is_integer() else value
            return {"value": number, "from_unit": match["from"].strip(), "to_unit": match["to"].strip()}
    return {}


_AFTER = re.compile(
    rf"(?P<count>an?\b|{COUNT})\s+(?P<unit>day|week|month|year)s?\s+(?P<way>after|from|before|prior to|ago|later|earlier|hence)\b",
    re.I,
)


def _calendar(text: str, today: date) -> Arguments:
    shift = _AFTER.search(text)
    rest = text[shift.end() :] if shift else text
    if shift is None and (
        added := re.search(
            r"\b(?P<way>add|plus|subtract|minus|\+|-)\s*(?P<count>\d+)\s*(?P<unit>day|week|month|year)s?\b",
            text,
            re.I,
        )
    ):
        shift, rest = added, text[: added.start()] + " " + text[added.end() :]
    found = [each for each in dates(rest, today) if each.start is not None]
    days = [each.start.isoformat() for each in found if each.start is not None]
    if shift is None:
        if len(days) > 1:
            return {"date": days[0], "until": days[1]}
        if (
            len(found) == 1
            and found[0].end not in (None, found[0].start)
            and re.search(r"\b(?:between|from)\b", text, re.I)
        ):
            return {"date": days[0], "until": str(found[0].end)}
        if days and re.search(r"\b(?:how long ago|since|until|till|ago|to go|left)\b", text, re.I):
            return {"date": days[0], "until": today.isoformat()}
        asked = re.search(r"\b(?:what|which|when|how|week ?day|week|day of)\b", text, re.I)
        return {"date": days[0]} if days and asked else {}
    count = whole_number(shift["count"]) or 1
    back = shift["way"].lower() in ("before", "prior to", "ago", "earlier", "subtract", "minus", "-")
    found_date = {"date": days[0]} if days else {}
    return {**found_date, f"{shift['unit'].lower()}s": -count if back else count}


_COORDINATES = re.compile(
    r"\d{1,2}[C-HJ-NP-X] ?[A-HJ-NP-Z]{2} ?\d{2,5} ?\d{2,5}"
    r"|\b\d{1,2} ?[C-HJ-NP-X]\s+\d{5,7}(?:\.\d+)?\s*(?:m?E)?[, ]+\d{6,8}(?:\.\d+)?\s*(?:m?N)?"
    r"|-?\d{1,3}(?:\.\d+)?\s*[°º][^,;a-df-mo-rt-v]*[NS][, ]+-?\d{1,3}(?:\.\d+)?\s*[°º].*?[EW]"
    r"|\b\d{1,3}(?:\.\d+)?\s*[NS]\s*[, ]\s*\d{1,3}(?:\.\d+)?\s*[EW]\b"
    r"|-?\d{1,3}\.\d+\s*[NS]?\s*[, ]\s*-?\d{1,3}\.\d+\s*[EW]?"
)


def _coordinates(text: str, today: date) -> Arguments:
    match = _COORDINATES.search(text)
    found: Arguments = {"coordinates": match[0].strip()} if match else {}
    if not match and not re.search(
        r"\d|\b(?:this|that|the) (?:point|position|place|location|marker)\b", text, re.I
    ):
        return {}
    for word, form in (
        ("mgrs", "mgrs"),
        ("utm", "utm"),
        ("dms", "dms"),
        ("minutes", "dms"),
        ("decimal", "decimal"),
    ):
        if re.search(rf"\b(?:to|in|as|into|the|which|what)\b[^.?]*\b{word}\b", text, re.I):
            return {**found, "to": form}
    return found


def _sum(text: str, today: date) -> Arguments:
    if speed := _SPEED.search(text):
        way = re.sub(r"nautical miles?", "nautical_mile", speed["way"], flags=re.I)
        return {"expression": f"{way} / {speed['time']}", "unit": speed["unit"]}
    if added := _ADDED.search(text):
        numbers = re.findall(r"-?\d+(?:,\d{3})*(?:\.\d+)?", added["numbers"] or added["more"])
        if len(numbers) > 1:
            return {"expression": " + ".join(each.replace(",", "") for each in numbers)}
    plain = re.sub(
        r"^\W*(?:what(?:'s| is| are)|how much is|calculate|compute|work out|evaluate|solve|please)\s+(?:the (?:value|result) of )?",
        "",
        text.strip(),
        flags=re.I,
    ).rstrip("?=. ")
    plain = re.sub(r"^\W*i need (?:the )?(?:value|result) of ", "", plain, flags=re.I)
    plain = re.sub(r",?\s*\b(?:please|for me)\W*$", "", plain, flags=re.I)
    for words, sign in (
        (r"\bthe square root of ([\d.]+)", r"sqrt(\1)"),
        (r"\bsquare root of ([\d.]+)", r"sqrt(\1)"),
        (r"(\d[\d.]*) ?(?:%|percent|per cent) of (\d[\d.,]*)", r"\1 / 100 * \2"),
        (r"\btimes\b|\bmultiplied by\b|(?<=\d)\s*[×x]\s*(?=\d)", " * "),
        (r"\bdivided by\b|\bover\b|÷", " / "),
        (r"\bplus\b", " + "),
        (r"\bminus\b|−", " - "),
        (r"\bto the power of\b|\^", " ** "),
        (r"\bsquared\b", " ** 2"),
        (r"\bcubed\b", " ** 3"),
    ):
        plain = re.sub(words, sign, plain, flags=re.I)
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", plain)
    plain = re.sub(r"\s+", " ", plain).strip()
    return {"expression": plain} if re.search(r"\d", plain) else {}


_SPEED = re.compile(
    r"(?P<way>\d[\d.,]*\s*(?:km|m|mi|nmi|miles?|nautical miles?|kilomet(?:re|er)s?|met(?:re|er)s?))\s*(?:/|in|within|took|by|over|,)\s*"
    r"(?P<time>\d[\d.,]*\s*(?:s|sec(?:ond)?s?|min(?:ute)?s?|h|hours?|hrs?|days?))\b.*?\b(?P<unit>km/h|kmh|kph|m/s|mph|knots?|kn)(?!\w)",
    re.I,
)
_ADDED = re.compile(
    r"\b(?:sum|total) of (?P<numbers>-?\d[\d., and-]*\d)|\badd (?:up )?(?P<more>-?\d[\d., and-]*\d)", re.I
)
_SIGN = r"(?:\*\*|[-+*/%])"
_PLAIN_SUM = re.compile(
    rf"(?:(?:sqrt|log10|log2|log|ln|exp|sin|cos|tan|abs|round)(?=\s*\()|pi|[\d.\s()eE,]|{_SIGN}|\bof\b)+",
    re.I,
)
_WORKED = re.compile(
    rf"[\d)%]\s*{_SIGN}\s*[-(\d.a-z]|(?:sqrt|log|exp|sin|cos|tan|abs)\w*\s*\(|%\s*of\b", re.I
)
_UNITS = re.compile(
    r"(?:square |sq\.? |cubic )?(?:k|kilo|centi|milli|c|m|nautical )?(?:met(?:re|er)s?|m|mi|miles?|nmi|feet|foot|ft|yards?|yd|inch(?:es)?|in)[23²³]?"
    r"|acres?|hectares?|ha|knots?|kn|mph|kmh|kph|km/h|m/s|ft/s|kilomet(?:re|er)s? per hour|miles per hour|met(?:re|er)s per second"
    r"|(?:degrees? )?(?:celsius|fahrenheit|kelvin)|°[cfk]|db|decibels?|(?:linear |power )*ratio|linear(?: power)?(?: ratio| units)?"
    r"|k?g|tons?|tonnes?|kilograms?|pounds?|lbs?|lit(?:re|er)s?|gallons?|h?pa|bar|seconds?|minutes?|hours?|days?|weeks?|degrees?|deg|radians?|rad|[kmg]?b(?:ytes)?|k?w|joules?|[kmg]?hz",
    re.I,
)
_GRID = re.compile(r"\b\d{1,2}[C-HJ-NP-X] ?[A-HJ-NP-Z]{2} ?(?:\d{2,5} ?\d{2,5})\b")
_FORMS = re.compile(
    r"\b(?:utm|mgrs|dms|minutes(?:,? and)? seconds|decimal degrees|grid reference|in decimal)\b", re.I
)


def told(text: str, today: date) -> str | None:
    """The tool that the wording alone tells: a sum, a conversion, or a position in another form."""
    if _GRID.search(text) or (_COORDINATES.search(text) and _FORMS.search(text)):
        return "convert_coordinates"
    if _SPEED.search(text) or _ADDED.search(text):
        return "calculate"
    if (units := _conversion(text, today)) and all(
        _UNITS.fullmatch(units[each].strip()) for each in ("from_unit", "to_unit")
    ):
        return "convert_units"
    plain = _sum(text, today).get("expression", "")
    if re.search(r"\d{4}-\d{2}", plain) or not _PLAIN_SUM.fullmatch(plain):
        return None
    return "calculate" if _WORKED.search(plain) else None


IDIOMS: Mapping[str, Idiom] = {
    "convert_units": _conversion,
    "date_arithmetic": _calendar,
    "convert_coordinates": _coordinates,
    "calculate": _sum,
}
