"""Turns of phrase of single tools: "12 knots in km/h", "90 days after 3 May", "NDVI", "cafes in Lyon"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from copilot.planner.reading.dates import dates

Arguments = dict[str, Any]
Idiom = Callable[[str, date], Arguments]
"""From a clause and today's date to the arguments that it plainly says."""

_UNIT = r"[a-zA-Z°µ²³/%^0-9]+(?: (?:miles?|feet|foot|metres?|meters?|kilomet(?:re|er)s?|yards?|per \w+|celsius|fahrenheit|inch(?:es)?))?"
_CONVERSIONS = (
    rf"(?P<value>-?\d[\d,]*(?:\.\d+)?)\s*(?P<from>{_UNIT})\s+(?:in|to|into|as|is|are|equals?|=)\s+(?:how many |what in )?(?P<to>{_UNIT})",
    rf"how (?:many|much) (?P<to>{_UNIT}) (?:are(?: there)? (?:in )?|is|in|make|does|do)\s*(?P<value>-?\d[\d,]*(?:\.\d+)?|an?|one)\s*(?P<from>{_UNIT})",
    rf"(?P<from>{_UNIT}) (?:in)?to (?P<to>{_UNIT})\W+(?P<value>-?\d[\d,]*(?:\.\d+)?)",
    rf"(?P<value>-?\d[\d,]*(?:\.\d+)?)\s*(?P<from>{_UNIT})\W+(?:what is that |how much is that |give (?:me )?that |that )?in (?P<to>{_UNIT})",
)


def _conversion(text: str, today: date) -> Arguments:
    plain = text.strip().rstrip("?.! ")
    for pattern in _CONVERSIONS:
        match = re.search(pattern, plain, re.I)
        if match:
            said = match["value"].replace(",", "")
            value = 1.0 if not re.search(r"\d", said) else float(said)
            number = int(value) if value.is_integer() else value
            return {"value": number, "from_unit": match["from"].strip(), "to_unit": match["to"].strip()}
    return {}


_AFTER = re.compile(
    r"(?P<count>\d+|an?|one|two|three|four|five|six|ten)\s+(?P<unit>day|week|month|year)s?\s+(?P<way>after|from|before|prior to|ago|later|earlier|hence)\b",
    re.I,
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}


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
    count = _COUNTS.get(shift["count"].lower()) or int(shift["count"])
    back = shift["way"].lower() in ("before", "prior to", "ago", "earlier", "subtract", "minus", "-")
    found_date = {"date": days[0]} if days else {}
    return {**found_date, f"{shift['unit'].lower()}s": -count if back else count}


_COORDINATES = re.compile(
    r"\d{1,2}[C-HJ-NP-X] ?[A-HJ-NP-Z]{2} ?\d{2,5} ?\d{2,5}"
    r"|\b\d{1,2} ?[C-HJ-NP-X]\s+\d{5,7}(?:\.\d+)?\s*(?:m?E)?[, ]+\d{6,8}(?:\.\d+)?\s*(?:m?N)?"
    r"|-?\d{1,3}(?:\.\d+)?\s*[°º][^,;a-df-mo-rt-v]*[NS][, ]+-?\d{1,3}(?:\.\d+)?\s*[°º].*?[EW]"
    r"|-?\d{1,3}\.\d+\s*[NS]?\s*[, ]\s*-?\d{1,3}\.\d+\s*[EW]?"
)


def _coordinates(text: str, today: date) -> Arguments:
    match = _COORDINATES.search(text)
    found: Arguments = {"coordinates": match[0].strip()} if match else {}
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
    plain = re.sub(
        r"^\W*(?:what(?:'s| is| are)|how much is|calculate|compute|work out|evaluate|solve|please)\s+(?:the (?:value|result) of )?",
        "",
        text.strip(),
        flags=re.I,
    ).rstrip("?=. ")
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


def _index(text: str, today: date) -> Arguments:
    from data.raster.indices import INDICES

    found = [name for name in INDICES if re.search(rf"\b{re.escape(name)}\b", text, re.I)]
    if found:
        return {"index": max(found, key=len).upper()}
    for pattern, name in (
        (r"\b(?:burn|burned|burnt|fire scar)", "NBR"), (r"\bsnow\b", "NDSI"), (r"\bmodified (?:normali[sz]ed difference )?water", "MNDWI"),
        (r"\b(?:moisture|water stress)\b", "NDMI"), (r"\bwater\b", "NDWI"), (r"\b(?:built|urban|building)", "NDBI"), (r"\bbare (?:soil|ground|earth)", "BSI"),
        (r"\bsoil[- ]adjusted", "SAVI"), (r"\benhanced vegetation", "EVI"), (r"\b(?:vegetation|green(?:ness|ery)?|plants?|biomass)\b", "NDVI"),
    ):  # fmt: skip
        if re.search(pattern, text, re.I):
            return {"index": name}
    return {}


def _paper(text: str, today: date) -> Arguments:
    match = re.search(
        r"\b(?:arxiv:?\s*)?(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7})\b", text, re.I
    )
    return {"paper": match[1]} if match else {}


_WHAT = re.compile(
    r"(?:\b(?:get|download|fetch|find|show|load|add|list|give me|pull|all|every|any|the|openstreetmap|osm|of|me|from|map|features?|where are|which|put|plot|draw)\b\W*)*(?P<what>[\w' -]+?)"
    r"(?:\s+(?:from|in) (?:osm|openstreetmap))?(?:\s+(?:in|near|around|within|inside|from|for|at|here|there|on|of)\b.*|\W*)$",
    re.I,
)


def _features(text: str, today: date) -> Arguments:
    match = _WHAT.search(text.strip().rstrip("?.!"))
    what = (
        re.sub(r"\b(?:openstreetmap|osm|features?|please)\b", "", match["what"], flags=re.I).strip()
        if match
        else ""
    )
    return {"what": what.lower()} if what else {}


def _asset(text: str, today: date) -> Arguments:
    match = re.search(
        r"\b(?:the |an? )?(?P<asset>[\w-]+) (?:asset|band)\b|\basset (?P<named>[\w-]+)", text, re.I
    )
    return {"asset": (match["asset"] or match["named"]).lower()} if match else {}


def _both_places(text: str, today: date) -> Arguments:
    match = re.search(
        r"\b(?:between|from)\s+(?P<start>.+?)\s+(?:and|to)\s+(?P<end>[^?,;]+?)(?:\s+in (?:km|kilomet\w+|miles|metres|meters|nautical miles))?\W*$",
        text,
        re.I,
    )
    return {"start": match["start"].strip(), "end": match["end"].strip()} if match else {}


IDIOMS: Mapping[str, Idiom] = {
    "convert_units": _conversion,
    "date_arithmetic": _calendar,
    "convert_coordinates": _coordinates,
    "calculate": _sum,
    "spectral_index": _index,
    "arxiv_paper": _paper,
    "osm_features": _features,
    "stac_load": _asset,
    "distance_between": _both_places,
}
