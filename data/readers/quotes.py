"""Delimited text whose quotes all close, so that one slip does not swallow the rows after it."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path

MAX_LINES = 1000
"""A cell that goes on for more lines than this was opened by mistake."""
_BLOCK_BYTES = 2**20
_ESCAPE = re.compile(rb'\\(["\\])')


class ClosedQuotes(io.RawIOBase):
    """A file as it is, but for quotes that open a cell and never close it: those are left out.

    A cell over several lines stays, when its row has `columns` cells in the end. For encodings in which
    ASCII is ASCII. Quotes that are `escaped` by a backslash are doubled. Not for writing, nor for seeking.
    """

    def __init__(self, path: Path, delimiter: str, columns: int, *, escaped: bool = False) -> None:
        super().__init__()
        self._escaped = escaped
        self._file = path.open("rb")
        self._delimiter = delimiter
        self._columns = columns
        self._opening = re.compile(rb"(^|" + re.escape(delimiter.encode()) + rb')[ ]*+"')
        self._parts = self._mended()
        self._rest = b""

    def readable(self) -> bool:
        """True."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes; all that is left when it is negative."""
        parts, held = [self._rest], len(self._rest)
        while (size < 0 or held < size) and (part := next(self._parts, None)) is not None:
            parts.append(part)
            held += len(part)
        whole = b"".join(parts)
        end = len(whole) if size < 0 else size
        self._rest = whole[end:]
        return whole[:end]

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _mended(self) -> Iterator[bytes]:
        waiting: deque[bytes] = deque()
        for block in self._blocks():
            if not waiting and b'"' not in block:
                yield block
                continue
            lines: list[bytes] = []
            for line in block.splitlines(keepends=True):
                waiting.append(line)
                lines += self._settled(waiting, at_end=False)
            yield b"".join(lines)
        yield b"".join(self._settled(waiting, at_end=True))

    def _settled(self, waiting: deque[bytes], *, at_end: bool) -> Iterator[bytes]:
        """Take the lines off that are known to be whole rows, or that will never be."""
        while waiting:
            if _is_even(waiting[0]):
                yield waiting.popleft()
                continue
            closing = next((n for n, line in enumerate(waiting) if n and not _is_even(line)), None)
            if closing is not None and self._fits(record := b"".join(list(waiting)[: closing + 1])):
                for _ in range(closing + 1):
                    waiting.popleft()
                yield record
            elif closing is not None or at_end or len(waiting) > MAX_LINES:
                # Only what opens a cell would swallow rows: the sign for inches stays.
                yield self._opening.sub(rb"\1", waiting.popleft())
            else:
                return

    def _fits(self, record: bytes) -> bool:
        text = record.decode("utf-8", errors="replace")
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter))
        return len(rows) == 1 and len(rows[0]) == self._columns

    def _blocks(self) -> Iterator[bytes]:
        """The file in blocks of whole lines."""
        kept = b""
        while block := self._file.read(_BLOCK_BYTES):
            block = kept + block
            end = block.rfind(b"\n") + 1
            kept = block[end:]
            if end:
                yield self._doubled(block[:end])
        if kept:
            yield self._doubled(kept)

    def _doubled(self, lines: bytes) -> bytes:
        if not self._escaped:
            return lines
        return _ESCAPE.sub(lambda match: b'""' if match[1] == b'"' else match[1], lines)


def _is_even(line: bytes) -> bool:
    return line.count(b'"') % 2 == 0
