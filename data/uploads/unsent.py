"""What a file of features says beside them: of others that it does not hold, and members of its own."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from data.readers.files import head

_LOOK_BYTES = 65_536
_COUNTS = ("numberMatched", "totalFeatures")
"""How many features a request has by what a server says (OGC API Features, WFS)."""
_CUT = "exceededTransferLimit"
"""What an ArcGIS server says where it left features out."""
_END_OF_LIST = re.compile(r'\]\s*,\s*(")')
_MOST_ENDS = 100
_OWN = frozenset({"type", "features", "crs", "bbox"})
"""Members of a FeatureCollection that say nothing which the features do not."""
_MOST_CHARS = 4_000
_SAID_CHARS = 300
_FEATURES = re.compile(r'"features"\s*:')


def unsent_said(path: Path, held: int) -> str | None:
    """A sentence where a JSON of `held` features tells that there are more of them; None otherwise."""
    told = _beside(path)
    inner = [told, *(told[each] for each in ("properties", "metadata") if isinstance(told.get(each), dict))]
    counts = [each[key] for each in inner for key in _COUNTS if isinstance(each.get(key), int)]
    if counts and max(counts) > held:
        return f"It holds {held:,} of {max(counts):,} features, as it says: the others were not sent with it."
    if any(each.get(_CUT) is True for each in inner):
        return "It says that its server left features out (exceededTransferLimit): it holds not all of them."
    links = told.get("links") if not counts else None
    pages = [each.get("rel") for each in links if isinstance(each, dict)] if isinstance(links, list) else []
    if "next" in pages:
        return "It links to a next page: its server has more features than it holds."
    return None


def members_beside(path: Path) -> dict[str, Any]:
    """The members that a FeatureCollection has beside its features; of many, as long as they are short."""
    found = {key: value for key, value in _beside(path).items() if key not in _OWN}
    kept: dict[str, Any] = {}
    room = _MOST_CHARS
    for key, value in found.items():
        room -= len(json.dumps({key: value}, ensure_ascii=False))
        kept[key] = value if room >= 0 else "(too long to be kept)"
    return kept


def members_said(members: dict[str, Any]) -> str | None:
    """`Beside its features it says: {"source": "survey"}.`; None where there is nothing."""
    if not members.keys() - {"name"}:  # which GDAL gives each file, after its layer
        return None
    text = json.dumps(members, ensure_ascii=False)
    return f"Beside its features it says: {text[:_SAID_CHARS]}{'…' if len(text) > _SAID_CHARS else ''}."


def _beside(path: Path) -> dict[str, Any]:
    start, end = head(path), _tail(path)
    return {**_before(start), **_after(end)} if _FEATURES.search(start) or _FEATURES.search(end) else {}


def _before(text: str) -> dict[str, Any]:
    """The members of a JSON object before its features."""
    if (match := _FEATURES.search(text)) is None:
        return {}
    return _object(f"{text[: match.start()].rstrip().rstrip(',')}}}")


def _after(text: str) -> dict[str, Any]:
    """The members after its features: what follows the first list that ends outside of all of them."""
    # Only there does the rest of the file close one object.
    ends = [match.start(1) for match in _END_OF_LIST.finditer(text)][-_MOST_ENDS:]
    for start in ends:
        if found := _object(f"{{{text[start:]}"):
            return found
    return {}


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        size = path.stat().st_size
        file.seek(max(0, size - _LOOK_BYTES))
        return file.read().decode("utf-8", "replace")
