"""What the tests of making tasks share: a bench over the small catalogue, and its rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from copilot.bench.build.fill import Drawer
from copilot.bench.build.rows import Pool, draw_pool
from copilot.bench.build.slots import Filler
from copilot.bench.spread import Bench
from copilot.engine import Engine


@pytest.fixture(scope="session")
def bench(small_catalogue: Path) -> Iterator[Bench]:
    """The small catalogue on the benchmark's day."""
    made = Bench.over(str(small_catalogue))
    yield made
    made.player.close()


@pytest.fixture(scope="session")
def pool(bench: Bench) -> Pool:
    """The rows of the small catalogue."""
    return draw_pool(bench.world)


@pytest.fixture(scope="session")
def drawer(pool: Pool, bench: Bench) -> Drawer:
    """Draws from the small catalogue."""
    return Drawer(pool, Filler(bench.world.gazetteer, pool.words))


@pytest.fixture
def engine(small_catalogue: Path, tmp_path: Path) -> Engine:
    """An engine over the small catalogue with a home of its own."""
    return Engine(home=tmp_path / "home", catalogue_url=str(small_catalogue))
