"""What sessions, people and texts are called where they are kept."""

from __future__ import annotations

import os
import unicodedata
from hashlib import sha256

from copilot.owners import HASHED
from tools.bounds import cut

UNTITLED = "Untitled session"
MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 64_000
"""How much of a request, a thought or a reply is kept."""


def reviewer(owner: str) -> str:
    """Who a verdict is by: $COPILOT_USER, else a name that gives the browser's cookie away to nobody."""
    if named := os.environ.get("COPILOT_USER", "").strip():
        return named[:80]
    if owner == "local":
        return owner
    # An owner from the web is the hash of a cookie already (copilot/owners.py).
    hashed = owner[1:] if HASHED.fullmatch(owner) else sha256(owner.encode()).hexdigest()
    return f"analyst-{hashed[:6]}"


def session_name(name: str) -> str:
    """A session's name as it is kept: one line of plain text, whatever came in."""
    plain = "".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in name)
    return " ".join(plain.split())[:MAX_NAME_CHARS].strip() or UNTITLED


def kept_text(text: str) -> str:
    """A text that any encoder and database takes: half a surrogate pair becomes a question mark.

    One that is longer than anybody reads is cut, and says so.
    """
    return cut(text, MAX_TEXT_CHARS).encode("utf-8", "replace").decode("utf-8")
