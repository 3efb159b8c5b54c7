"""What a tool says, as a person reads it: names in place of ids, and numbers written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

SHORT = 6
"""Words of a clause that only says which id something has; a longer one says more."""
PLACES = 9
"""Zeros that are written out, before and behind the point; what has more is given as a power of ten."""
_CLAUSES = re.compile(r"(?<=[.;]) ")
_NUMBER = re.compile(r"(?<![\w.])\d{1,20}(?:\.\d{1,20})?e[+-]?\d{1,3}(?![\w.]*\w)")
_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def readable(text: str, names: Mapping[str, str]) -> str:
    """What a tool says, for people; `names` of artifacts by their ids.

    A short clause that ends in an id ("The raster is raster-5d1f.") is left out: what has that id shows by
    itself. Any other id becomes the name.
    """
    known = {each: name for each, name in names.items() if each in text}
    if known:
        text = " ".join(_without_ids(text, known))
        for each, name in sorted(known.items(), key=lambda one: -len(one[0])):
            text = text.replace(f" ({each})", "").replace(f"{each} ({name})", name).replace(each, f"“{name}”")
    return _NUMBER.sub(_in_full, text)


def names_of(state: Mapping[str, Any]) -> dict[str, str]:
    """The names of the artifacts in a state's JSON, by their ids."""
    return {str(each["id"]): str(each["name"]) for each in state.get("artifacts", ())}


def _without_ids(text: str, ids: Mapping[str, str]) -> Iterator[str]:
    """The clauses of a text but those that only say an id; what comes before one ends in its stop."""
    kept: list[str] = []
    for clause in _CLAUSES.split(text):
        words = clause.split()
        if kept and len(words) <= SHORT and words[-1].rstrip(".;") in ids:
            kept[-1] = kept[-1][:-1] + clause[-1] if clause[-1] in ".;" else kept[-1]
        else:
            kept.append(clause)
    yield from kept


def _in_full(number: re.Match[str]) -> str:
    """1e-06 as 0.000001, 3.1e+21 as 3.1 × 10²¹."""
    digits, _, power = number[0].partition("e")
    if abs(int(power)) > PLACES:
        return f"{digits} × 10{str(int(power)).translate(_RAISED)}"
    return f"{Decimal(number[0]):,f}"
