"""Rasters: the index that is meant, what is told by the way it is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from copilot.planner.declared.idioms.base import Arguments, Idiom


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


IDIOMS: Mapping[str, Idiom] = {"spectral_index": _index}
