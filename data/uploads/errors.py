"""The one error of this package, and how a file's own words are repeated in it."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Sequence

_SHOWN_CHARS = 80
MOST_NAMED = 40
"""So many parts of a file are named, for who is to choose one; of more how many there are is said."""

BROKEN = (
    OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError,
    AssertionError, EOFError, SyntaxError, zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
"""What libraries raise on bytes that are not what they take them for, beside errors of their own."""


class UploadError(Exception):
    """A file that cannot be used: one sentence with what came in and what would have worked."""


class NoSystem(UploadError):
    """Coordinates of a system that nobody has named."""


def shown(text: str) -> str:
    """A name or a value out of a file, in quotes, on one line and cut short."""
    plain = re.sub(r"\s+", " ", text.encode("utf-8", "replace").decode("utf-8"))
    return repr(plain if len(plain) <= _SHOWN_CHARS else f"{plain[: _SHOWN_CHARS - 1]}…")


def all_shown(names: Sequence[str]) -> str:
    """The parts of a file as a list to choose from: `'a', 'b' and 3 more`."""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(shown(each) for each in names[:MOST_NAMED])}{more}"
