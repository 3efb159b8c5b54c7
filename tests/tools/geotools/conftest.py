"""What the geotools' tests share: the state in which every tool has what it needs, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.model import State
from tests.tools.prepared import prepared
from tests.tools.world import small_world
from tools.base import World


@pytest.fixture(scope="session")
def ready(small_catalogue: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[World, State]:
    """A world, and the state to begin with."""
    world = small_world(small_catalogue, tmp_path_factory.mktemp("geotools"))
    return world, prepared(world)
