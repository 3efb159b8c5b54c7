"""A nest of brackets is given up where it begins."""

from __future__ import annotations

import io

import pytest

from data.readers.base import BadRecord
from data.readers.geojson import _shallow_items


class Counted(io.BytesIO):
    """A file that counts what is read of it."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        self.taken += len(piece)
        return piece


def test_a_nest_of_a_hundred_thousand_lists_is_given_up_after_its_first_pieces() -> None:
    # Parsed in large pieces, the names of what lies so deep took the square of the depth: 8 s for 200 KB.
    nest = b'{"features": [{"properties": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}]}"
    file = Counted(nest)
    with pytest.raises(BadRecord, match="nested more than 60 levels deep"):
        list(_shallow_items(file))  # type: ignore[arg-type]
    assert file.taken <= 8_192
