"""What the tools' tests share: the small catalogue, written once a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.bench.standin import web_settings
from tests.tools.world import small_world, write_small_catalogue
from tools.base import World


@pytest.fixture(scope="session")
def small_catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small catalogue. Tests that write use `tmp_path` and their own."""
    return write_small_catalogue(tmp_path_factory.mktemp("catalogue"))


@pytest.fixture
def world(small_catalogue: Path, tmp_path: Path) -> World:
    """A world over the small catalogue, with an artifact folder of its own."""
    return small_world(small_catalogue, tmp_path / "artifacts")


@pytest.fixture(autouse=True)
def web_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools that ask the web ask the benchmark's stand-in: a server of this machine, nothing else."""
    for variable, value in web_settings().items():
        monkeypatch.setenv(variable, value)
