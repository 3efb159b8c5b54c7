"""The app, started once for the tests that take it as it is, and a browser that reaches this machine only."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from copilot.agents.shots import examples
from copilot.engine import Engine
from copilot.retrieval import shown_tools
from copilot.session import Session
from copilot.solutions import search_solutions
from state.model import State
from tests.e2e.app import ROOT, Browsers, Server, Tab, running_app

pytestmark = [pytest.mark.e2e]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here starts the app and drives a browser."""
    for item in items:
        if "tests/e2e" in str(item.path):
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.slow)
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def sample_catalogue() -> Path:
    """The whole sample, built once and kept for the next run."""
    home = Path(os.environ["AZIMUTH_HOME"])
    catalogue = home / "catalogue"
    home.mkdir(parents=True, exist_ok=True)
    with (home / "sample.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (catalogue / "bigearthnet" / "dataset.json").is_file():
            subprocess.run(
                [sys.executable, "-m", "data.sample", str(catalogue)],
                cwd=ROOT,
                check=True,
                capture_output=True,
            )
    return catalogue


@pytest.fixture(scope="session")
def encoded_texts(sample_catalogue: Path) -> None:
    """What a served model's requests are matched with, encoded once and kept for the next run."""
    shown_tools("load everything around Paris from 2019", State())
    search_solutions("load everything around Paris from 2019", ())
    examples(Session.open(engine=Engine.in_memory(str(sample_catalogue))), "load fair1m", 1)


@pytest.fixture(scope="package")
def app(tmp_path_factory: pytest.TempPathFactory, sample_catalogue: Path) -> Iterator[Server]:
    """The app with the sample, in a home that its users share as they do: each test is somebody else.

    It takes ten seconds of work to start, and ends with the last of these files: idle, it still takes some.
    """
    with running_app(tmp_path_factory.mktemp("home"), sample_catalogue) as server:
        yield server


@pytest.fixture(scope="module")
def browsers(browser: Browser) -> Iterator[Browsers]:
    """The browsers of a file of tests."""
    all_of_them = Browsers(browser)
    yield all_of_them
    all_of_them.close()


@pytest.fixture
def new_tab(browsers: Browsers, app: Server) -> Iterator[Callable[..., Tab]]:
    """Open a browser as somebody new on the app; at the end nothing may have gone outside or failed."""
    opened: list[Tab] = []

    def open_tab(server: Server = app, **options: object) -> Tab:
        opened.append(browsers.tab(server, **options))
        return opened[-1]

    yield open_tab
    for each in opened:
        browsers.leave(each)


@pytest.fixture
def tab(new_tab: Callable[..., Tab]) -> Tab:
    """A fresh browser on the home page."""
    return new_tab().open()
