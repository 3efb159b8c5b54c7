"""A packed stream read forwards within a limit: what gzip, bzip2 and xz hide is counted as it comes."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

_INPUT_BYTES = 1 << 16
_PIECE_BYTES = 1 << 18
_MAX_READ_BYTES = 4 << 20
"""The most that is asked for at once: a TAR's header that claims to be larger is a bomb."""
_XZ_MEMORY_BYTES = 256 << 20


class UnpackError(Exception):
    """The stream is broken (no text), or over its limit (the sentence that was given for that)."""


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class Unpacked(io.RawIOBase):
    """The unpacked bytes of a file, forwards only; `seek` goes forwards by reading."""

    def __init__(self, file: IO[bytes], packing: str, limit_bytes: int, too_large: str) -> None:
        self._file = file
        self._packing = packing
        self._limit = limit_bytes
        self._too_large = too_large
        self._decoder = _decoder(packing)
        self._input = b""
        self._ready = b""
        self._at = 0

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True, forwards."""
        return True

    def tell(self) -> int:
        """How many bytes have been read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Read on to `offset` from the start. Raises UnpackError for anything else."""
        if whence != io.SEEK_SET or offset < self._at:
            raise UnpackError
        while self._at < offset and self.read(min(offset - self._at, _PIECE_BYTES)):
            pass
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, fewer only at the end. Raises UnpackError when broken or over the limit."""
        if size < 0 or size > _MAX_READ_BYTES:
            raise UnpackError
        pieces, missing = [], size
        while missing and (self._ready or self._fill()):
            piece, self._ready = self._ready[:missing], self._ready[missing:]
            pieces.append(piece)
            missing -= len(piece)
        found = b"".join(pieces)
        self._at += len(found)
        if self._at > self._limit:
            raise UnpackError(self._too_large)
        return found

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """As of a raw stream."""
        found = self.read(min(len(buffer), _MAX_READ_BYTES))
        buffer[: len(found)] = found
        return len(found)

    def _fill(self) -> bool:
        """Unpack the next piece; False at the end."""
        if self._decoder is None:
            self._ready = self._file.read(_PIECE_BYTES)
            return bool(self._ready)
        while not self._ready:
            if self._decoder.eof:
                # Files of several streams one after the other are read on, as the packers do.
                self._input = (self._decoder.unused_data or self._file.read(_INPUT_BYTES)).lstrip(b"\0")
                if not self._input:
                    return False
                self._decoder = _decoder(self._packing)
                assert self._decoder is not None
            needs = getattr(self._decoder, "needs_input", not self._input)
            if needs and not self._input:
                self._input = self._file.read(_INPUT_BYTES)
                if not self._input:
                    raise UnpackError
            try:
                self._ready = self._decoder.decompress(self._input, _PIECE_BYTES)
            except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError, MemoryError):
                raise UnpackError from None
            self._input = self._left()
        return True

    def _left(self) -> bytes:
        # zlib hands back what it has not read yet; the others keep it to themselves.
        return getattr(self._decoder, "unconsumed_tail", b"")


@contextmanager
def open_unpacked(path: Path, packing: str, limit_bytes: int, too_large: str = "") -> Iterator[Unpacked]:
    """The content of a file packed by "gz", "bz2", "xz" or "none", of which `limit_bytes` can be read."""
    with path.open("rb") as file, Unpacked(file, packing, limit_bytes, too_large) as stream:
        yield stream


def _decoder(packing: str) -> _Decoder | None:
    if packing == "gz":
        return zlib.decompressobj(wbits=31)
    if packing == "bz2":
        return bz2.BZ2Decompressor()
    if packing == "xz":
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)
    return None
