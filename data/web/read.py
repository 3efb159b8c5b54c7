"""Reading what strangers sent: texts on one line and of a bounded length, numbers that are finite."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

JSON_KINDS = ("application/json", "application/geo+json", "text/json", "+json")
MAX_LINE_CHARS = 300


def line(value: Any, most: int = MAX_LINE_CHARS) -> str:
    """A stranger's text on one line, without controls and invisible letters; nothing for what is no text."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    plain = "".join(_letter(each) for each in value[: most * 4])
    plain = " ".join(plain.split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def paragraphs(text: str, most: int) -> str:
    """A stranger's text in its paragraphs, without controls and invisible letters."""
    lines = (
        " ".join("".join(_letter(each) for each in one).split()) for one in text[: most * 4].splitlines()
    )
    joined = "\n".join(one for one in lines if one)
    return joined if len(joined) <= most else f"{joined[: most - 1]}…"


def finite(value: Any) -> float | None:
    """A number, or a text that is one; None for anything else, and for what is not finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def whole(value: Any) -> int | None:
    """A whole number that a 64-bit column can hold, else None."""
    number = finite(value)
    return int(number) if number is not None and number.is_integer() and abs(number) < 2**53 else None


def items(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, whatever else is in it; nothing for what is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def part(value: Any, *keys: str) -> Any:
    """What lies under those keys, one in the other; None where one of them is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _letter(each: str) -> str:
    """Itself; a blank for a control or a line's end; nothing for a format character or half a surrogate."""
    category = unicodedata.category(each)
    if category in ("Cf", "Cs", "Co"):
        return ""
    return " " if category[0] in "CZ" else each
