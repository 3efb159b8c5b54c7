"""Services of the web: papers by their number, map features by what they are, assets by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom


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


IDIOMS: Mapping[str, Idiom] = {
    "arxiv_paper": _paper,
    "osm_features": _features,
    "stac_load": _asset,
}
