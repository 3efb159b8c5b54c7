"""The encoding of a text that comes in: as asked, else as its letters tell, and said."""

from __future__ import annotations

from data.readers.encodings import known_encoding
from data.uploads.brought import Incoming
from data.uploads.errors import UploadError, shown


def asked_encoding(incoming: Incoming) -> str | None:
    """The encoding that was asked for. Raises UploadError for one that is not known."""
    if incoming.asked.encoding is None:
        return None
    found = known_encoding(incoming.asked.encoding)
    if found is None:
        raise UploadError(
            f"{shown(incoming.asked.encoding)} is no encoding that is known; utf-8 or cp1251 would work."
        )
    return found


def encoding_said(incoming: Incoming, encoding: str) -> str:
    """The sentence about the encoding of a text that is no UTF-8."""
    if incoming.asked.encoding is not None:
        return f"Its text was read as {encoding}, as was asked."
    return (
        f"Its text was read as {encoding}, as its letters tell; where they look wrong, add it again with "
        "encoding, such as encoding=cp1250."
    )
