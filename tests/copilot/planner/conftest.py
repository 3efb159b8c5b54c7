"""The planner's own tests ask the planner, whichever reader answers by itself."""

from __future__ import annotations

import pytest

from copilot.readers import PLANNER, VARIABLE


@pytest.fixture(autouse=True)
def planner_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the planner."""
    monkeypatch.setenv(VARIABLE, PLANNER)
