"""One small catalogue on both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from data.catalogue.duck import DuckCatalogue
from data.catalogue.engine import SqlCatalogue
from data.catalogue.postgres import PostgresCatalogue
from tests.data.catalogue.small import write_small_catalogue
from tests.postgres import (  # noqa: F401  pytest looks fixtures up by name
    new_postgres_database,
    postgres_server,
    postgres_template,
    postgres_url,
)


@pytest.fixture(scope="session")
def small_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three data sets, 2,000 rows."""
    root = tmp_path_factory.mktemp("small")
    write_small_catalogue(root)
    return root


@pytest.fixture(scope="session")
def duck(small_root: Path) -> Iterator[DuckCatalogue]:
    """The small catalogue on DuckDB."""
    catalogue = DuckCatalogue(small_root)
    yield catalogue
    catalogue.close()


@pytest.fixture(scope="session")
def postgres(small_root: Path, new_postgres_database: Callable[[], str]) -> Iterator[PostgresCatalogue]:  # noqa: F811
    """The small catalogue on PostgreSQL."""
    catalogue = PostgresCatalogue(new_postgres_database())
    catalogue.load(small_root)
    yield catalogue
    catalogue.close()


@pytest.fixture(scope="session", params=["duck", "postgres"])
def catalogue(request: pytest.FixtureRequest) -> SqlCatalogue:
    """The small catalogue, on each engine in turn."""
    found: SqlCatalogue = request.getfixturevalue(request.param)
    return found
