"""What the state's tests share: both kinds of store."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.engine import Engine
from tests.postgres import new_postgres_database, postgres_server, postgres_template, postgres_url
from tests.tools.conftest import small_catalogue
from tests.tools.world import TODAY

__all__ = ["new_postgres_database", "postgres_server", "postgres_template", "postgres_url", "small_catalogue"]


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store of this test alone."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'sessions.db'}"


@pytest.fixture(scope="session")
def engine(small_catalogue: Path) -> Engine:
    """An engine over the small catalogue whose sessions are gone with the tests."""
    return Engine.in_memory(str(small_catalogue), TODAY)
