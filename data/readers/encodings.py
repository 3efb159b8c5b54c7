"""Which encoding a text of unknown bytes is in: told by its letters, and said.

UTF-8 tells itself. Of the encodings of one byte a letter, those of other scripts than Latin are told by what
they make of the bytes (charset-normalizer); between the Latin ones, which differ in a few letters, Windows'
Western one is taken. A few words do not tell Chinese from Korean: who knows better says so.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from pathlib import Path

WESTERN, ANY_BYTE = "cp1252", "latin-1"
_CANDIDATES = [
    "cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp866", "koi8_r",
    "gb18030", "big5", "shift_jis", "euc_kr",
]  # fmt: skip
_SAMPLE_BYTES = 64_000
_BLOCK_BYTES = 2**20
_WORD = re.compile(rb"[A-Za-z\x80-\xff]+")
_NOT_IN_CP1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")


def encoding_of(path: Path) -> str:
    """The encoding of a text file, by a name that Python has for it: `utf8`, `utf-16`, `cp1251` …"""
    decoder = codecs.getincrementaldecoder("utf-8")()
    telling = bytearray()
    plain = True
    with path.open("rb") as stream:
        if stream.read(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
        stream.seek(0)
        while block := stream.read(_BLOCK_BYTES):
            if plain:
                try:
                    decoder.decode(block)
                except UnicodeDecodeError:
                    plain = False
            if len(telling) < _SAMPLE_BYTES:
                telling += _lines_with_letters(block)
    return "utf8" if plain else of_letters(bytes(telling[:_SAMPLE_BYTES]))


def of_letters(text: bytes) -> str:
    """The encoding of bytes that are no UTF-8."""
    from charset_normalizer import from_bytes

    # Words of other scripts are made of such bytes; in Latin ones they are the few with an accent.
    words = [each for each in _WORD.findall(text) if not each.isascii()]
    high = sum(byte > 127 for word in words for byte in word)
    other = high > sum(map(len, words)) / 2
    best = from_bytes(text, cp_isolation=_CANDIDATES).best() if other else None
    if best is not None and _mostly_other_letters(str(best)):
        return str(best.encoding)
    return ANY_BYTE if _NOT_IN_CP1252 & set(text) else WESTERN


def known_encoding(name: str) -> str | None:
    """The name that Python has for an encoding of texts; None where it has none."""
    try:
        found = codecs.lookup(name.strip())
        "a".encode(found.name)
    except (LookupError, ValueError, TypeError, UnicodeError):
        return None
    return "utf8" if found.name == "utf-8" else found.name


def _lines_with_letters(block: bytes) -> bytes:
    """The lines that hold more than ASCII, which alone tell."""
    return b"\n".join(each for each in block.split(b"\n") if not each.isascii())


def _mostly_other_letters(text: str) -> bool:
    letters = [each for each in text if each.isalpha() and not each.isascii()]
    other = sum(not unicodedata.name(each, "").startswith("LATIN") for each in letters)
    return bool(letters) and other > len(letters) / 2
