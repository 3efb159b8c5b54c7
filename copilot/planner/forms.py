"""What people call a drawing by its form: a marker, a line, a box, a circle or another polygon."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

FORMS: Mapping[str, str] = {
    "marker": "marker pin",
    "line": "line",
    "box": "box rectangle",
    "circle": "circle",
    "polygon": "polygon",
}
"""Form: the words for it alone; "shape" and "area" may be any."""
_ROUND = 24
"""More corners than that are a circle's."""
_OF_A_BOX = 4
_SAID = (
    ("circle", re.compile(r"\b(?:circle|ring)s?\b", re.I)),
    ("box", re.compile(r"\b(?:box|boxes|rectangles?|bbox|aoi)\b", re.I)),
    ("marker", re.compile(r"\b(?:markers?|pins?|flags?|needles?)\b", re.I)),
    ("polygon", re.compile(r"\b(?:polygons?|triangles?|quadrilaterals?)\b", re.I)),
)


def form_of(geometry: Mapping[str, Any]) -> str:
    """The form of a GeoJSON geometry, one of FORMS; nothing for an empty one."""
    kind = str(geometry.get("type", ""))
    if kind in ("Point", "MultiPoint"):
        return "marker"
    if kind in ("LineString", "MultiLineString"):
        return "line"
    if kind not in ("Polygon", "MultiPolygon"):
        return ""
    rings = geometry["coordinates"] if kind == "Polygon" else geometry["coordinates"][0]
    corners = {tuple(each) for each in rings[0]}
    if len(corners) > _ROUND:
        return "circle"
    upright = len({lon for lon, *_ in corners}) == len({lat for _, lat, *_ in corners}) == 2
    return "box" if upright and len(corners) == _OF_A_BOX else "polygon"


def forms_said(text: str) -> list[str]:
    """The forms that a text names, in the order of FORMS' words."""
    return [form for form, pattern in _SAID if pattern.search(text)]
