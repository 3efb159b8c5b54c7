"""Numbers and lists as sentences say them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_LONGEST_NAME = 100


def number_of(count: int, noun: str) -> str:
    """`1 row`, `1,200 rows`."""
    ends_in_y = noun.endswith("y") and noun[-2:-1] not in "aeiou"
    plural = f"{noun[:-1]}ies" if ends_in_y else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def listed(names: Iterable[str], most: int = 8, of: int | None = None) -> str:
    """`a, b and c`; what is beyond `most` is counted, of `of` where there are more than are given."""
    names = list(names)
    if (rest := max(len(names), of or 0) - min(len(names), most)) > 0 and names:
        return f"{', '.join(names[:most])} and {rest:,} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def groups_in_words(groups: Iterable[tuple[str, int]], most: int = 8, of: int | None = None) -> str:
    """`a 12, b 3`; what is beyond `most` is counted, of `of` where there are more than are given."""
    return listed([f"{one_line(key)} {count:,}" for key, count in groups], most, of)


def one_line(text: str) -> str:
    """A name out of a file as a sentence can hold it: on one line, without controls, not too long."""
    plain = "".join(" " if unicodedata.category(each)[0] == "C" else each for each in text[:_LONGEST_NAME])
    plain = " ".join(plain.split())
    return f"{plain}…" if len(text) > _LONGEST_NAME else plain


def number(value: float) -> str:
    """A number as people write it: `1,000,000`, `0.31`, `12.5`; `no value` for not-a-number."""
    if isinstance(value, int):
        return f"{value:,}"
    if value != value:
        return "no value"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    text = f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4g}"
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
