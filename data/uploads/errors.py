"""The one error of this package, and how a file's own words are repeated in it."""

from __future__ import annotations

import re
import struct
import zipfile
import zlib

_SHOWN_CHARS = 80

BROKEN = (
    OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError,
    AssertionError, EOFError, SyntaxError, zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
"""What libraries raise on bytes that are not what they take them for, beside errors of their own."""


class UploadError(Exception):
    """A file that cannot be used: one sentence with what came in and what would have worked."""


def shown(text: str) -> str:
    """A name or a value out of a file, in quotes, on one line and cut short."""
    plain = re.sub(r"\s+", " ", text.encode("utf-8", "replace").decode("utf-8"))
    return repr(plain if len(plain) <= _SHOWN_CHARS else f"{plain[: _SHOWN_CHARS - 1]}…")
