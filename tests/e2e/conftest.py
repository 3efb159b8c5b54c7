"""The app, started once for the tests that take it as it is, and a browser that reaches this machine only."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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
from tests.e2e.gated import NAME, GatedModel
from tests.openai_server import openai_server

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
def browsers(browser: Browser) -> Iterator[Browsers]:
    """The browsers of all these tests."""
    all_of_them = Browsers(browser)
    yield all_of_them
    all_of_them.close()


@pytest.fixture(scope="package")
def app(
    tmp_path_factory: pytest.TempPathFactory, sample_catalogue: Path, browsers: Browsers
) -> Iterator[Server]:
    """The app with the sample, in a home that its users share as they do: each test is somebody else.

    It takes ten seconds of work to start, and ends with the last of these files: idle, it still takes some.
    """
    with running_app(tmp_path_factory.mktemp("home"), sample_catalogue) as server:
        yield server
        browsers.leave(server)


@pytest.fixture(scope="package")
def gated() -> GatedModel:
    """The model behind `served`."""
    return GatedModel()


@pytest.fixture(scope="package")
def served(
    tmp_path_factory: pytest.TempPathFactory,
    sample_catalogue: Path,
    encoded_texts: None,
    browsers: Browsers,
    gated: GatedModel,
) -> Iterator[Server]:
    """The app on a streaming model with a price, and the way to a slow page."""
    home = tmp_path_factory.mktemp("served")
    prices = home / "prices.toml"
    prices.write_text(f"[models]\n{NAME} = {{ input = 2.5, output = 10.0 }}\n")
    with openai_server(gated) as model, gated.slow_page() as slow_page:
        environment = {
            "OPENAI_BASE_URL": model.url,
            "COPILOT_MODEL": NAME,
            "COPILOT_STREAM": "1",
            "COPILOT_PRICES": str(prices),
            "AZIMUTH_ALLOWED_HOSTS": f"slow.example:80={slow_page}",
        }
        with running_app(home, sample_catalogue, **environment) as server:
            yield server
            browsers.leave(server)


@pytest.fixture
def model(gated: GatedModel) -> Iterator[GatedModel]:
    """The model behind `served`, which has been asked nothing yet, with its gate shut."""
    gated.asked.clear()
    gated.gate.clear()
    gated.page_asked.clear()
    yield gated
    gated.gate.set()


@pytest.fixture
def new_tab(browsers: Browsers, app: Server) -> Iterator[Callable[..., Tab]]:
    """Open a browser as somebody new on the app; at the end nothing may have gone outside or failed."""
    with ExitStack() as opened:
        yield lambda server=app, **options: opened.enter_context(browsers.stranger(server, **options))


@pytest.fixture
def visit(browsers: Browsers, app: Server, request: pytest.FixtureRequest) -> Iterator[Callable[..., Tab]]:
    """A new session in a page that is open already; for what neither needs a new browser nor changes it."""
    failed_before = request.session.testsfailed
    with ExitStack() as opened:
        tabs: list[Tab] = []

        def visited(server: Server = app, **options: object) -> Tab:
            tabs.append(opened.enter_context(browsers.visitor(server, **options)))
            return tabs[-1]

        yield visited
        for each in tabs:
            each.broken = request.session.testsfailed > failed_before


@pytest.fixture
def tab(visit: Callable[..., Tab]) -> Tab:
    """A new session on the home page."""
    return visit()
