"""What the worker's tests share: a desk on this process, and one on a real cluster of this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from copilot.worker.desk import Desk
from copilot.worker.places import Here, OnDask, Place
from state.jobs import Caller
from state.store import Store

MEMORY = "600MB"


class Asked(threading.Thread):
    """A call's thread that waits for its job."""

    def __init__(self, desk: Desk, caller: Caller, function: Callable[..., Any], *args: Any) -> None:
        super().__init__(daemon=True)
        self.value: Any = None
        self.error: Exception | None = None
        self._work = lambda: desk.run(caller, "The work", function, *args)
        self.start()

    def run(self) -> None:
        """Keep what comes of it."""
        try:
            self.value = self._work()
        except Exception as error:
            self.error = error

    def end(self) -> Exception | None:
        """Wait for its end: what it raised."""
        self.join(60)
        assert not self.is_alive()
        return self.error


def desk_of(home: Path, open_place: Callable[[], Place]) -> Desk:
    home.mkdir(parents=True, exist_ok=True)
    return Desk(Store(f"sqlite:///{home / 'sessions.db'}"), home, open_place)


def caller_of(desk: Desk, name: str = "one", tool: str = "slope") -> Caller:
    """A call of a new session."""
    return Caller(desk.store.create("local", name).id, 1, 1, "", tool, {}, "script")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Desk]:
    """A desk whose jobs run in this process."""
    desk = desk_of(tmp_path / "home", Here)
    yield desk
    desk.close()
    assert list((desk.home / "jobs").iterdir()) == []


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk whose jobs run in a worker process with two threads."""
    desk = desk_of(tmp_path_factory.mktemp("home"), lambda: OnDask(threads=2, memory=MEMORY))
    yield desk
    desk.close()
    assert list((desk.home / "jobs").iterdir()) == []


@pytest.fixture
def dask(cluster: Desk) -> Desk:
    """The cluster, with nothing to do."""
    assert cluster.doing() == ()
    return cluster
