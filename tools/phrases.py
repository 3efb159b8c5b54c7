"""Numbers and lists as sentences say them."""

from __future__ import annotations

from collections.abc import Iterable


def number_of(count: int, noun: str) -> str:
    """`1 row`, `1,200 rows`."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"


def listed(names: Iterable[str], most: int = 8) -> str:
    """`a, b and c`; what is beyond `most` is counted."""
    names = list(names)
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def groups_in_words(groups: Iterable[tuple[str, int]], most: int = 8) -> str:
    """`a 12, b 3`; what is beyond `most` is counted."""
    return listed([f"{key} {count:,}" for key, count in groups], most)
