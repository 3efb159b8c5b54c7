"""What comes with Azimuth: the entries are sound, and their vectors are kept."""

from __future__ import annotations

import pytest

from data.knowledge.built_in import VECTORS, parts_of
from data.knowledge.entries import lint, read_entries
from data.knowledge.shelf import Remembered, text_key


def test_no_built_in_entry_has_anything_wrong_with_it() -> None:
    assert lint(read_entries()) == []


@pytest.mark.slow
def test_nearly_every_vector_of_what_is_built_in_is_kept() -> None:
    """`copilot knowledge build` adds those of new texts; a few are encoded when the base is first used."""
    texts = set(parts_of().texts)
    known = Remembered.load(VECTORS).keys
    new = [each for each in texts if text_key(each) not in known]
    assert len(new) <= 0.05 * len(texts), new[:3]
