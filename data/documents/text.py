"""Bytes as text: the encoding is found out, and what is no text is told."""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from data.documents.errors import DocumentError

MAX_TEXT_BYTES = 50_000_000
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESS_BYTES = 200_000
_MIN_GUESSED_BYTES = 40
"""Of fewer bytes a guess at the alphabet is worse than Windows-1252."""


@dataclass(frozen=True)
class Decoded:
    """A text with the encoding that its bytes were read in."""

    text: str
    encoding: str
    guessed: bool
    """Whether the bytes themselves did not say it: neither a byte order mark nor UTF-8."""


def read_bytes(path: Path, most: int = MAX_TEXT_BYTES) -> bytes:
    """A file's content. Raises DocumentError for one that is larger than `most`."""
    size = path.stat().st_size
    if size > most:
        raise DocumentError(f"The file has {size:,} bytes; at most {most:,} are read, so split it first.")
    return path.read_bytes()


def read_text(path: Path) -> Decoded:
    """A text file. Raises DocumentError for what is too large or no text."""
    return decoded(read_bytes(path))


def decoded(content: bytes) -> Decoded:
    """Bytes as text: by their byte order mark, else UTF-8, else the likeliest of the older encodings.

    The guess is charset-normalizer's, among encodings that are in use; short texts are Windows-1252, the
    commonest of them (WHATWG's encoding standard reads `latin1` so too). Raises DocumentError for what
    is no text.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return Decoded(_strictly(content, encoding), encoding.removesuffix("-sig"), guessed=False)
    if (wide := _wide(content)) is not None:
        return Decoded(_strictly(content, wide), wide, guessed=True)
    if b"\0" in content:
        raise DocumentError("The file holds binary data and no text.")
    try:
        return Decoded(content.decode("utf-8"), "utf-8", guessed=False)
    except UnicodeDecodeError:
        encoding = _likeliest(content)
        return Decoded(content.decode(encoding, errors="replace"), encoding, guessed=True)


def tidy(text: str) -> str:
    """A text with line ends as one `\\n` and without control characters and halves of characters."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode("utf-8")
    return "".join(each for each in plain if each in "\n\t" or unicodedata.category(each) not in ("Cc", "Cs"))


def _strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise DocumentError(f"The file says that it is {encoding}, but is cut off or broken.") from None


def _wide(content: bytes) -> str | None:
    """UTF-16 without a mark: every second byte of Latin text is null."""
    head = content[:2000]
    if len(head) < 4 or len(content) % 2:
        return None
    even, odd = head[::2].count(0) / len(head[::2]), head[1::2].count(0) / len(head[1::2])
    if even < 0.1 and odd > 0.7:
        return "utf-16-le"
    return "utf-16-be" if odd < 0.1 and even > 0.7 else None


def _likeliest(content: bytes) -> str:
    if len(content) >= _MIN_GUESSED_BYTES:
        from charset_normalizer import from_bytes

        best = from_bytes(content[:_GUESS_BYTES], threshold=0.3).best()
        if best is not None and best.encoding not in ("ascii", "utf_8") and str(best) != _western(content):
            return str(best.encoding).replace("_", "-")
    return "cp1252"


def _western(content: bytes) -> str | None:
    """What the guess is compared with: of encodings that give the same text, the commonest is named."""
    try:
        return content[:_GUESS_BYTES].decode("cp1252")
    except UnicodeDecodeError:
        return None
