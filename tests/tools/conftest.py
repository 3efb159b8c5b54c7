"""What the tools' tests share: the small catalogue, written once a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from copilot.bench.standin import web_settings
from tests.openai_server import KEY, Asked, Reply, openai_server, says, vectors
from tests.tools.world import small_world, write_small_catalogue
from tools.base import ChatAddress, World


@pytest.fixture(scope="session")
def small_catalogue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small catalogue. Tests that write use `tmp_path` and their own."""
    return write_small_catalogue(tmp_path_factory.mktemp("catalogue"))


@pytest.fixture
def world(small_catalogue: Path, tmp_path: Path) -> World:
    """A world over the small catalogue, with an artifact folder of its own."""
    return small_world(small_catalogue, tmp_path / "artifacts")


@pytest.fixture(scope="session")
def chat() -> Iterator[ChatAddress]:
    """A chat model on this machine that always says the same."""
    with openai_server(same_answer) as served:
        yield ChatAddress("small", served.url, KEY)


def same_answer(asked: Asked) -> Reply:
    """What the examples of tools that ask a model are answered with."""
    if asked["path"].endswith("/embeddings"):
        return vectors(asked)
    return says('{"height_m": 4806}' if "response_format" in asked else "A lake, a park and a town.")


@pytest.fixture(autouse=True)
def web_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools that ask the web ask the benchmark's stand-in: a server of this machine, nothing else."""
    for variable, value in web_settings().items():
        monkeypatch.setenv(variable, value)
