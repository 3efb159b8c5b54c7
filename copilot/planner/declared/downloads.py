"""Taking features away in a format that no tool writes: where their download is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from copilot.planner.declared.things import SELECTION, Thing, meant
from tools.data.downloads import VECTOR

_TAKEN = re.compile(r"\b(?:export|save|download|write|give|get|need|want|convert|take)\b", re.I)
_FORMATS = re.compile(r"\b(?P<name>geopackage|gpkg|shape ?files?|shp|geoparquet)\b", re.I)
_TITLES = {"gpkg": "geopackage", "shp": "shapefile"}


def download_of(text: str, things: Sequence[Thing]) -> str:
    """Where the features that a text wants as a file are downloaded; nothing where it wants none of those here."""
    wanted = _FORMATS.search(text)
    made = [each for each in things if each.kind == "vector" and each.ref != SELECTION and not each.drawn]
    if wanted is None or not _TAKEN.search(text) or not made:
        return ""
    thing = meant(text, "vector", made)[0]
    name = wanted["name"].lower().replace(" ", "").removesuffix("s")
    title = next(each.title for each in VECTOR if each.name == _TITLES.get(name, name))
    called = f"«{thing.name}»" if thing.ref.startswith("@") else f"«{thing.name}» ({thing.ref})"
    return f"{called} can be taken away as {title}: open Download at its layer, or in the results, and choose it."
