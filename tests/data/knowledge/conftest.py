"""A small knowledge base of seven entries, made once a run by the real encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.engine import encode_texts
from data.knowledge.base import Base, Seen
from data.knowledge.built_in import parts_of, shelf_of
from data.knowledge.shelf import Shelf

ENTRIES = Path(__file__).parent / "entries.yaml"


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """The entries of `entries.yaml`, with a vector each."""
    folder = tmp_path_factory.mktemp("entries")
    (folder / "entries.yaml").write_bytes(ENTRIES.read_bytes())
    return shelf_of(parts_of(folder, folder), encode_texts)


@pytest.fixture(scope="session")
def base(shelf: Shelf) -> Base:
    """All of it, as one sees it."""
    return Base((Seen(shelf),), encode_texts)
