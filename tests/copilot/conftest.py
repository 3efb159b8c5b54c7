"""What the agent's tests share: a small real catalogue, and an engine over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from copilot.engine import Engine
from copilot.session import Session
from tests.openai_server import KEY, OpenAIServer, Says, openai_server
from tests.postgres import new_postgres_database, postgres_server, postgres_template, postgres_url
from tests.tools.conftest import small_catalogue
from tests.tools.world import TODAY

__all__ = ["new_postgres_database", "postgres_server", "postgres_template", "postgres_url", "small_catalogue"]


@pytest.fixture
def engine(small_catalogue: Path, tmp_path: Path) -> Engine:
    """An engine with a home and a store of this test alone."""
    return Engine(home=tmp_path / "home", catalogue_url=str(small_catalogue), today=TODAY)


@pytest.fixture
def session(engine: Engine) -> Session:
    """A new session."""
    return Session.open(engine=engine)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., OpenAIServer]]:
    """Start a server with that script, and configure it as the model's."""
    with ExitStack() as running:

        def start(*script: Says) -> OpenAIServer:
            served = running.enter_context(openai_server(*script))
            monkeypatch.setenv("OPENAI_BASE_URL", served.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            monkeypatch.setenv("COPILOT_MODEL", "small")
            return served

        yield start
