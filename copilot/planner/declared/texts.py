"""Texts that arguments ask for by their names: addresses, files, reference systems, sums, topics, columns, colours."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from copilot.planner.declared.said import Said
from copilot.planner.declared.signature import Parameter


def quoted(parameter: Parameter, said: Said) -> str | None:
    """What stands in quotes."""
    match = re.search(r"[\"“”`](?P<in>[^\"“”`]+)[\"“”`]|(?<!\w)'(?P<one>[^']+)'(?!\w)", said.text)
    if match is None or not said.free(match.start(), match.end()):
        return None
    said.take(match.start(), match.end())
    return (match["in"] or match["one"]).strip()


def _url(parameter: Parameter, said: Said) -> str | None:
    match = re.search(
        r"https?://[^\s,;\"'<>]+|\bwww\.[^\s,;\"'<>]+|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:org|com|net|int|gov|edu|io|eu)\b(?:/[^\s,;\"']*)?",
        said.text,
        re.I,
    )
    if match is None:
        return None
    said.take(match.start(), match.end())
    found = match[0].rstrip(".,;:!?)")
    return found if "://" in found else f"https://{found}"


def _file(parameter: Parameter, said: Said) -> str | None:
    if not parameter.required:
        return None  # a path inside a file is no file
    match = re.search(r"[\"'“]?(?P<path>(?:[~./]|\w)[\w./~+-]*\.[a-z]\w{1,7})\b[\"'”]?", said.text, re.I)
    if match is None:
        return None
    said.take(match.start(), match.end())
    return match["path"]


def _title(parameter: Parameter, said: Said) -> str | None:
    """The title of an article that is looked up; the name of a figure that is made."""
    return _topic(parameter, said) if parameter.required else _named(parameter, said)


def _crs(parameter: Parameter, said: Said) -> str | None:
    text = said.text
    if (code := re.search(r"\bepsg[:\s-]*(\d{4,6})", text, re.I)) is not None:
        said.take(code.start(), code.end())
        return f"EPSG:{code[1]}"
    for pattern, value in (
        (r"\bweb[ -]?mercator\b|\bgoogle mercator\b", "EPSG:3857"),
        (
            r"\bwgs ?-?84\b|\blat(?:itude)?[/ -]?(?:and )?lon(?:gitude)?\b|\b(?:lon|longitude)[/ -]?(?:and )?lat(?:itude)?\b|\bgeographic\b",
            "EPSG:4326",
        ),
        (r"\betrs ?-?89\b|\blaea\b", "EPSG:3035"),
    ):
        if re.search(pattern, text, re.I):
            return value
    zone = re.search(r"\butm(?: zone)? (\d{1,2}) ?([ns])?\b", text, re.I)
    if zone:
        return f"EPSG:{(327 if (zone[2] or 'n').lower() == 's' else 326)}{int(zone[1]):02d}"
    return "utm" if re.search(r"\butm\b", text, re.I) else None


def _expression(parameter: Parameter, said: Said) -> str | None:
    if (found := quoted(parameter, said)) is not None:
        return found
    # From the first to the last sign of a sum: names, numbers and brackets joined by operators.
    atom = r"(?:-?\d+(?:\.\d+)?(?:e-?\d+)?|[A-Za-z_]\w*(?:\([^()]*\))?|\((?:[^()]|\([^()]*\))*\))"
    operator = r"\s*(?:\*\*|[-+*/^%]|[<>]=?|==)\s*"
    match = max(
        re.finditer(rf"(?:[A-Za-z_]\w*\s*=(?!=)\s*)?{atom}(?:{operator}{atom})+", said.text),
        key=lambda each: len(each[0]),
        default=None,
    )
    if match is None:
        call = re.search(r"\b(?:sqrt|log|log10|exp|sin|cos|tan|abs)\([^()]*\)", said.text)
        return call[0] if call else None
    said.take(match.start(), match.end())
    return match[0].strip()


_ABOUT = re.compile(
    r"^.*?\b(?:for|about|on|of|regarding|concerning|called|titled|:)\s+(?:(?:information|papers?|articles?|pages?) (?:on|about) )?(?P<rest>.+)$",
    re.I | re.S,
)
_TAIL = re.compile(
    r"\s+(?:please|on (?:the )?(?:web|internet|wikipedia|arxiv)|in (?:wikipedia|arxiv)|from (?:wikipedia|arxiv))\W*$",
    re.I,
)


def _topic(parameter: Parameter, said: Said) -> str | None:
    if (found := quoted(parameter, said)) is not None:
        return found
    text = _TAIL.sub("", said.text.strip().rstrip(".?!"))
    match = _ABOUT.match(text)
    rest = match["rest"] if match else _proper_name(text) or re.sub(r"^\W*(?:\w+)\s+", "", text)
    return _TAIL.sub("", rest).strip(" ,:\"'") or None


_SERVICE = r"(?:Wikipedia|OpenStreetMap|OSM|STAC|arXiv|I|The|What|Who|Where|Which)\b"


def _proper_name(text: str) -> str | None:
    """The longest run of capitalised words after the first word."""
    rest = re.sub(r"^\W*\w+", "", text)
    found = re.findall(
        rf"\b(?!{_SERVICE})[A-Z][\w'-]*(?: (?:of|the|de|la) (?=[A-Z]))?(?:[ -](?!{_SERVICE})[A-Z0-9][\w'-]*)*",
        rest,
    )
    return max(found, key=len, default=None)


def _named(parameter: Parameter, said: Said) -> str | None:
    match = re.search(
        r"\b(?:call(?:ed)?(?: it| them| that| the result)?|named?(?: it| them)?|as|title[d]?)\s+[\"'“]?(?P<name>[\w][\w .-]*?)[\"'”]?\s*(?:$|[,;.])",
        said.text,
        re.I,
    )
    within = quoted(parameter, said)
    return within or (match["name"].strip() if match else None)


def _column(parameter: Parameter, said: Said) -> str | None:
    by = parameter.name in ("by", "group_by", "index", "rows", "field_by")
    spans = said.of("field")
    if by:
        match = re.search(
            r"\b(?:by|per|for each|across|grouped by)\s+(?:the )?(?P<word>\w+)", said.text, re.I
        )
        if match:
            at = match.start("word")
            span = next((each for each in spans if each.start <= at < each.end), None)
            said.take(match.start("word"), match.end("word"))
            return str(span.value) if span else match["word"].lower()
    if spans:
        said.take(spans[0].start, spans[0].end)
        return str(spans[0].value)
    match = re.search(
        r"\b(?:column|field|attribute|of|in|the)\s+[\"'`]?(?P<word>[a-z]+(?:_[a-z0-9]+)+|[a-z]\w*)[\"'`]?\s*$|\b(?P<snake>[a-z]+(?:_[a-z0-9]+)+)\b",
        said.text,
        re.I,
    )
    if match is None or not parameter.required:
        return match["snake"] if match and match["snake"] else None
    return match["word"] or match["snake"]


def _columns(parameter: Parameter, said: Said) -> list[str] | None:
    found = [str(each.value) for each in said.of("field")]
    found += [each for each in re.findall(r"\b[a-z]+(?:_[a-z0-9]+)+\b", said.text) if each not in found]
    return found or None


def _colour(parameter: Parameter, said: Said) -> str | None:
    spans = said.of("color")
    return str(spans[0].value) if spans else None


TextReader = Callable[[Parameter, Said], Any]
READERS: tuple[tuple[frozenset[str], TextReader], ...] = (
    (frozenset({"url", "link", "address", "page"}), _url),
    (frozenset({"file", "path"}), _file),
    (frozenset({"crs", "target_crs", "epsg", "to_crs", "dst_crs"}), _crs),
    (frozenset({"expression", "formula", "condition", "where"}), _expression),
    (frozenset({"query", "question", "topic", "search", "prompt", "term"}), _topic),
    (frozenset({"title"}), _title),
    (frozenset({"name", "new_name", "store", "label"}), _named),
    (frozenset({"columns", "fields"}), _columns),
    (frozenset({"column", "field", "by", "value", "values", "x", "y", "time", "index", "group_by", "on", "target"}), _column),
    (frozenset({"color", "colour"}), _colour),
)  # fmt: skip
