"""What a file of features says of those that it does not hold: servers send them in parts."""

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
_KEY = re.compile(r'"(?:numberMatched|totalFeatures|exceededTransferLimit|properties|metadata|links)"\s*:')
_FEATURES = re.compile(r'"features"\s*:')


def unsent_said(path: Path, held: int) -> str | None:
    """A sentence where a JSON of `held` features tells that there are more of them; None otherwise."""
    told: dict[str, Any] = {**_before(head(path)), **_after(_tail(path))}
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


def _before(text: str) -> dict[str, Any]:
    """The members of a JSON object before its features."""
    if (match := _FEATURES.search(text)) is None:
        return {}
    return _object(f"{text[: match.start()].rstrip().rstrip(',')}}}")


def _after(text: str) -> dict[str, Any]:
    """The members after its features: from the first key on that leads to the end of the object."""
    starts = [match.start() for match in _KEY.finditer(text)]
    # Those of features come first, and do not end with the object.
    for start in starts[-12:]:
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
