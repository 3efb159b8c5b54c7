"""What an idiom is: a turn of phrase of a single tool, read into its arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

Arguments = dict[str, Any]
Idiom = Callable[[str, date], Arguments]
"""From a clause and today's date to the arguments that it plainly says; the rest is read by their types."""
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}


def quotes(text: str) -> list[str]:
    """What stands in quotes in a text."""
    return [
        (each["a"] or each["b"]).strip()
        for each in re.finditer(r"[\"“”](?P<a>[^\"“”]+)[\"“”]|(?<!\w)'(?P<b>[^']+)'(?!\w)", text)
    ]
