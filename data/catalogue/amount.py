"""How much the answer to a user's own SELECT may be, whichever engine gives it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from data.catalogue.base import CatalogueError

MOST_VALUE = 100_000
"""The most characters or bytes that one value of an answer may have."""
MOST_BYTES = 64_000_000
"""The most that all values of an answer may take together."""


def check_amount(frame: pd.DataFrame) -> None:
    """CatalogueError for an answer, or a value in it, that is too large to be kept."""
    total = 0
    for name, column in frame.items():
        if column.dtype != object and str(column.dtype) not in ("string", "str"):
            total += int(column.memory_usage(index=False, deep=False))
            continue
        for value in column:
            size = _size(value)
            total += size
            if size > MOST_VALUE:
                raise too_long(f"A value of the column '{str(name)[:80]}'", size)
    if total > MOST_BYTES:
        raise too_large(total)


def too_long(what: str, size: int) -> CatalogueError:
    """What is said of a value over the limit."""
    return CatalogueError(
        f"{what} has {size:,} characters, and {MOST_VALUE:,} are the most; take a part of it, such as "
        "left(…, 1000), or its length."
    )


def too_large(total: int) -> CatalogueError:
    """What is said of an answer over the limit."""
    return CatalogueError(
        f"The answer takes {total / 1e6:,.0f} MB, and {MOST_BYTES / 1e6:,.0f} MB are the most; "
        "select fewer columns or rows."
    )


def _size(value: Any) -> int:
    if isinstance(value, (str, bytes, bytearray)):
        return len(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return int(value.nbytes)
    if isinstance(value, (list, tuple, np.ndarray)):
        return sum(_size(each) for each in value)
    if isinstance(value, dict):
        return sum(_size(key) + _size(each) for key, each in value.items())
    return 8
