"""What every test shares: a home of its own, a browser that starts, and where screenshots go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.chromium import ARGUMENTS, find_chromium
from tests.suite.walkers import JOURNEYS, WALKERS

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
# And they leave nothing to chance, so that a test that fails does so each time: `make test-all` alone, which
# sets AZIMUTH_CHANCE, draws other examples in each run, and more of them.
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("chance", deadline=None)
settings.load_profile("chance" if os.environ.get("AZIMUTH_CHANCE") else "steady")

LONGEST_ID = 40
pytest_plugins = ("tests.suite.record", "tests.suite.sharing", "tests.suite.stacks")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever drives a browser is marked so, by the fixture it asks for; what takes long is begun first."""
    for item in items:
        if {"page", "context", "browser"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.browser)
    items.sort(key=_when)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A parameter that is a text names its test by its beginning, one of bytes by what it is for.

    Bytes may say something else in each run, and what cannot be printed cannot be asked for again.
    """
    if isinstance(val, bytes):
        return argname
    if not isinstance(val, str):
        return None
    said = "".join(each if each.isprintable() and each != "\\" else "·" for each in val)
    return said if len(said) <= LONGEST_ID else said[: LONGEST_ID - 1] + "…"


def _when(item: pytest.Item) -> int:
    """Files are shared out in this order: what drives the app, what walks over everything, the rest."""
    file = item.nodeid.partition("::")[0]
    return 0 if file.startswith(JOURNEYS) else 1 if file in WALKERS else 2


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The Chromium of this machine, which reaches this machine alone."""
    chromium = find_chromium()
    if chromium is None:
        pytest.fail("There is no Chromium on this machine; `make setup-tests` installs it.")
    return {**browser_type_launch_args, "executable_path": str(chromium), "args": list(ARGUMENTS)}


@pytest.fixture(scope="session")
def screenshot_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where browser tests put pictures: docs/screenshots under `make screenshots`, else a passing folder."""
    wanted = os.environ.get("AZIMUTH_SCREENSHOTS")
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
