"""Features: what is measured between what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom


def _both_places(text: str, today: date) -> Arguments:
    match = re.search(
        r"\b(?:between|from)\s+(?P<start>.+?)\s+(?:and|to)\s+(?P<end>[^?,;]+?)(?:\s+in (?:km|kilomet\w+|miles|metres|meters|nautical miles))?\W*$",
        text,
        re.I,
    )
    return {"start": match["start"].strip(), "end": match["end"].strip()} if match else {}


IDIOMS: Mapping[str, Idiom] = {"distance_between": _both_places}
