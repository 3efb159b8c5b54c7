"""What the data tools' tests start from."""

from __future__ import annotations

import pytest

from state.model import State
from tests.tools.world import NAMES, after
from tools.base import World
from tools.database.loading import db_load


@pytest.fixture
def full(world: World) -> State:
    """Everything loaded, nothing filtered: 26 images."""
    return after(world, State(), (db_load, {"names": list(NAMES)}))
