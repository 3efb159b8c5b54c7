"""Texts as the page shows them: plain, without control characters."""

from __future__ import annotations

import unicodedata

from tools.base import ToolError


def clean_text(text: str, what: str) -> str:
    """A text with its line breaks and without control characters. Raises ToolError when nothing is left."""
    kept = "".join(each for each in text if each == "\n" or unicodedata.category(each)[0] != "C")
    if not (trimmed := kept.strip()):
        raise ToolError(f"The {what} {text!r} has nothing that can be read; write some words.")
    return trimmed
