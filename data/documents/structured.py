"""JSON and XML: what they hold, in outline and at a path. Entities and addresses are not followed."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.documents.errors import DocumentError
from data.documents.text import decoded, read_bytes, tidy

MAX_JSON_BYTES = 50_000_000
MAX_XML_BYTES = 50_000_000
MAX_FOUND = 1_000
_MAX_DEPTH = 200
_STEP = re.compile(r"([^.\[\]]+)|\[(-?\d+)\]")


def read_json(path: Path) -> Any:
    """The value that a JSON file holds; NaN and infinities, which JSON has not, are None."""
    text = decoded(read_bytes(path, MAX_JSON_BYTES)).text.lstrip("\ufeff")
    try:
        value = json.loads(text, parse_constant=lambda _: None, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"The file is no JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    except (RecursionError, ValueError):
        raise DocumentError("The JSON is nested too deep or holds a number too long to be read.") from None
    if _depth(value) > _MAX_DEPTH:
        raise DocumentError(f"The JSON is nested more than {_MAX_DEPTH} deep and is not read.")
    return value


def at_path(value: Any, path: str) -> Any:
    """What lies at `a.b[0].c`. Raises DocumentError with what there is instead."""
    done = ""
    for match in _STEP.finditer(path):
        name, index = match[1], match[2]
        if name is not None and isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _is_index(index if name is None else name, len(value)):
            value = value[int(index if name is None else name)]
        else:
            there = _short_list(value) if isinstance(value, dict) else outline(value)
            raise DocumentError(
                f"There is nothing at {match[0][:60]!r} in {done or 'the file'}; there is {there}."
            )
        done = f"{done}{match[0] if name is None else f'.{name}' if done else name}"
    return value


def outline(value: Any) -> str:
    """What a value is, in a few words: `an object with 3 keys (a, b, c)`, `a list of 12 objects`."""
    if isinstance(value, dict):
        return f"an object with {len(value):,} key{'' if len(value) == 1 else 's'} ({_short_list(value)})"
    if isinstance(value, list):
        kinds = Counter(_kind(each) for each in value)
        of = next(iter(kinds)) if len(kinds) == 1 else "value"
        return f"a list of {len(value):,} {of}{'' if len(value) == 1 else 's'}" if value else "an empty list"
    shown = json.dumps(value, ensure_ascii=False)
    return f"the {_kind(value)} {tidy(shown)[:100]}" if value is not None else "null"


def records_of(value: Any) -> list[dict[str, Any]] | None:
    """A list of objects as rows; what is an object or a list in them becomes its JSON. Else None."""
    if not isinstance(value, list) or not value or not all(isinstance(each, dict) for each in value):
        return None
    return [
        {
            str(key): json.dumps(each, ensure_ascii=False) if isinstance(each, (dict, list)) else each
            for key, each in row.items()
        }
        for row in value
    ]


@dataclass(frozen=True)
class Element:
    """An element of an XML file."""

    path: str
    """Names from the root on, without namespaces: `Metadata/Product/Cloud`."""
    text: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class Xml:
    """What an XML file holds."""

    root: str
    elements: int
    names: tuple[tuple[str, int], ...]
    """(name, how many), the most frequent first."""
    leaves: tuple[Element, ...]
    """Elements with a text or attributes, in their order."""


def read_xml(path: Path) -> Xml:
    """An XML file in outline. Raises DocumentError for one with entities or a broken one."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    content = read_bytes(path, MAX_XML_BYTES)
    try:
        root = fromstring(content, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except DefusedXmlException:
        raise DocumentError(
            "The XML defines entities, which can be bombs or reach for other files; it is not read."
        ) from None
    except (ParseError, ValueError, LookupError) as error:
        raise DocumentError(f"The file is no XML that can be read: {str(error)[:120]}.") from None
    leaves: list[Element] = []
    counts: Counter[str] = Counter()
    waiting = [(root, _local(root.tag))]
    while waiting:
        element, where = waiting.pop()
        counts[where.rpartition("/")[2]] += 1
        text = " ".join(tidy(element.text or "").split())
        if text or element.attrib:
            attributes = {
                _local(name): " ".join(tidy(value).split()) for name, value in element.attrib.items()
            }
            leaves.append(Element(where, text, attributes))
        if where.count("/") >= _MAX_DEPTH:
            raise DocumentError(f"The XML is nested more than {_MAX_DEPTH} deep and is not read.")
        waiting.extend((child, f"{where}/{_local(child.tag)}") for child in reversed(element))
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return Xml(_local(root.tag), sum(counts.values()), tuple(ordered), tuple(leaves))


def found_in(xml: Xml, name: str) -> tuple[Element, ...]:
    """The elements of that name or with an attribute of that name; case and namespaces do not matter.

    `a/b` finds b in a. Raises DocumentError when there is none.
    """
    wanted = name.strip("/").casefold()
    found = tuple(
        each
        for each in xml.leaves
        if f"/{each.path}".casefold().endswith(f"/{wanted}")
        or wanted in (attribute.casefold() for attribute in each.attributes)
    )
    if not found:
        from difflib import get_close_matches

        known = {each.casefold(): each for each, _ in xml.names}
        near = get_close_matches(wanted, known, n=1)
        hint = f"Did you mean {known[near[0]]}?" if near else f"The root is {xml.root}."
        raise DocumentError(f"The XML has no element {name[:60]!r} with a text or attributes. {hint}")
    return found[:MAX_FOUND]


def _local(tag: Any) -> str:
    return str(tag).rpartition("}")[2] if isinstance(tag, str) else "comment"


def _finite(text: str) -> float | None:
    value = float(text)
    return value if abs(value) != float("inf") else None


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth value"
    names = {dict: "object", list: "list", str: "text", int: "number", float: "number"}
    return names.get(type(value), "null")


def _is_index(text: str, length: int) -> bool:
    return re.fullmatch(r"-?\d{1,9}", text) is not None and -length <= int(text) < length


def _short_list(value: dict[str, Any], most: int = 12) -> str:
    names = [" ".join(tidy(str(each)).split())[:40] for each in list(value)[:most]]
    more = f" and {len(value) - most:,} more" if len(value) > most else ""
    return f"{', '.join(names)}{more}" if names else "nothing"


def _depth(value: Any) -> int:
    """How deep lists and objects lie in one another."""
    deepest, waiting = 0, [(value, 0)]
    while waiting:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        if isinstance(each, (dict, list)) and depth <= _MAX_DEPTH:
            inner = each.values() if isinstance(each, dict) else each
            waiting.extend((item, depth + 1) for item in inner if isinstance(item, (dict, list)))
    return deepest
