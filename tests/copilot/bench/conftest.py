"""What the tests of the model checker share: a player over the small catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from copilot.bench.check import Player
from tests.tools.world import small_world


@pytest.fixture(scope="module")
def player(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    """A player over the small catalogue."""
    played = Player(small_world(small_catalogue, tmp_path_factory.mktemp("artifacts")))
    yield played
    played.close()
