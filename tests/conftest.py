"""What every test shares: a home of its own, a browser that starts, and where screenshots go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.chromium import find_chromium

ROOT = Path(__file__).resolve().parent.parent
# Before anything is imported from the app: no test reads or writes the user's own home folder, and
# the sample that `make sample` built for the tests is used again by the next run.
os.environ.setdefault("AZIMUTH_HOME", str(ROOT / ".azimuth" / "test"))
# A key in the environment would send the tests' requests to somebody's model.
for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "COPILOT_MODEL"):
    os.environ.pop(name, None)
# Nothing here speaks to a server outside, and a client for each of hundreds of servers of this machine would
# read all of its certificates, a tenth of a second each time: they are looked for where none are.
os.environ.pop("SSL_CERT_FILE", None)
os.environ["SSL_CERT_DIR"] = str(ROOT / "tests")
# Tests measure nothing: an example may take as long as a machine that does ten other things needs for it.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever drives a browser is marked so, by the fixture it asks for."""
    for item in items:
        if {"page", "context", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The Chromium of this machine, without the sandbox that root cannot have."""
    chromium = find_chromium()
    if chromium is None:
        pytest.fail("There is no Chromium on this machine; `make setup-tests` installs it.")
    return {**browser_type_launch_args, "executable_path": str(chromium), "args": ["--no-sandbox"]}


@pytest.fixture(scope="session")
def screenshot_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where browser tests put pictures: docs/screenshots under `make screenshots`, else a passing folder."""
    wanted = os.environ.get("AZIMUTH_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
