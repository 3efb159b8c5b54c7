"""Columns of numbers that are stored as text, in whatever way they are written: one way for a whole column.

1.250,75 and 1,250.75 are the same number in two countries. A lone comma before three digits does not tell
which is meant; another row of the column does. What no row tells is not guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

EXACT = 2**53
"""Whole numbers up to this have a float of their own."""
Way = Literal["decimal comma", "commas between thousands"]
_COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:[. ]\d{3})+|\d+),\d+")
_COMMA_WHOLE = re.compile(r"[+-]?\d{1,3}(?:\.\d{3}){2,}")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_EITHER = re.compile(r"[+-]?\d{1,3},\d{3}")
_SPACES = re.compile(r"(?<=\d)[\u00a0\u202f ](?=\d{3})")


@dataclass(frozen=True)
class Numbers:
    """What a column means as numbers."""

    values: NDArray[np.float64]
    """Not-a-number where a cell has none, or none that is finite."""
    stored: bool
    """Whether they are stored as numbers."""
    way: Way | None = None
    """How they are written, where that is not plainly."""
    unread: int = 0
    """Cells of text that were not read as a number."""
    first_unread: str = ""
    long: bool = False
    """Whether some are whole numbers that a float has not all digits of."""

    @property
    def how(self) -> str:
        """How they are written, to go after "numbers"; empty where plainly."""
        return {
            None: "",
            "decimal comma": " with a decimal comma",
            "commas between thousands": " with commas for thousands",
        }[self.way]

    def said(self, column: str) -> str | None:
        """The sentence for who computes with a column of text, or of long numbers; None for any other."""
        if self.long:
            return f"{column[:60]} holds whole numbers over 2^53; their first 15 digits are computed with."
        if self.stored or not np.isfinite(self.values).any():
            return None
        read = f"{column[:60]} is stored as text; its numbers were read{self.how}"
        if not self.unread:
            return f"{read}."
        cells = "1 cell is" if self.unread == 1 else f"{self.unread:,} cells are"
        return f"{read}, but {cells} none, such as {self.first_unread[:40]!r}."


def numbers_of(column: pd.Series[Any]) -> Numbers:
    """A column as numbers, whether it is stored so or as text."""
    import pandas as pd

    kind = pd.api.types.infer_dtype(column, skipna=True)
    stored = kind not in ("string", "mixed", "mixed-integer", "categorical", "unknown-array")
    values = np.array(pd.to_numeric(column, errors="coerce").astype(float), dtype=np.float64)
    values[~np.isfinite(values)] = np.nan
    if stored:
        whole = pd.api.types.is_integer_dtype(column)
        return Numbers(values, True, long=bool(whole and (np.abs(values) >= EXACT).any()))
    lost = np.flatnonzero(np.isnan(values) & column.notna().to_numpy())
    texts = [str(each).strip() for each in column.iloc[lost]]
    plain = {each: _SPACES.sub("", each) for each in dict.fromkeys(texts)}
    way = _way(list(plain.values()))
    known = {each: _number(text, way) for each, text in plain.items()}
    unread: list[str] = []
    for at, cell in zip(lost, texts, strict=True):
        number = known[cell]
        if number is not None:
            values[at] = number
        elif cell:
            unread.append(cell)
    if way == "decimal comma":
        # What is written with a point means thousands in such a column, or is a mistake.
        unread += _undone(column, values, lost)
    return Numbers(values, False, way, len(unread), unread[0] if unread else "")


def _way(texts: list[str]) -> Way | None:
    commas = [each for each in texts if _COMMA.fullmatch(each) and not _THOUSANDS.fullmatch(each)]
    commas += [each for each in texts if _COMMA_WHOLE.fullmatch(each)]
    thousands = [
        each
        for each in texts
        if _THOUSANDS.fullmatch(each) and not _EITHER.fullmatch(each) and not _COMMA.fullmatch(each)
    ]
    if commas and thousands:
        return None
    return "decimal comma" if commas else "commas between thousands" if thousands else None


def _number(text: str, way: Way | None) -> float | None:
    if way == "decimal comma" and (_COMMA.fullmatch(text) or _COMMA_WHOLE.fullmatch(text)):
        return float(text.replace(".", "").replace(",", "."))
    if way == "commas between thousands" and _THOUSANDS.fullmatch(text):
        return float(text.replace(",", ""))
    try:
        return float(text) if "," not in text else None
    except ValueError:
        return None


def _undone(column: pd.Series[Any], values: NDArray[np.float64], lost: NDArray[np.intp]) -> list[str]:
    """Make not-a-number of the cells that were read with a decimal point; those cells."""
    found = []
    others = np.setdiff1d(np.flatnonzero(np.isfinite(values)), lost)
    for at in others:
        text = str(column.iloc[at]).strip()
        if "." in text:
            if re.fullmatch(r"[+-]?\d{1,3}\.\d{3}", text):
                values[at] = float(text.replace(".", ""))
            else:
                values[at] = np.nan
                found.append(text)
    return found
