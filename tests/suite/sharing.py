"""A pytest plugin: how tests are shared out between the processes of a run.

A file is one process's, and so are all journeys together: they share the app, the browser and its pages.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdist.scheduler import LoadFileScheduling

from tests.suite.walkers import JOURNEYS


class Sharing(LoadFileScheduling):
    """By file, and the journeys as one."""

    def _split_scope(self, nodeid: str) -> str:
        return JOURNEYS if nodeid.startswith(JOURNEYS) else str(super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Sharing | None:
    """Take the place of `--dist loadfile`."""
    return Sharing(config, log) if config.getvalue("dist") == "loadfile" else None
