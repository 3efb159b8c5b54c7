"""Files of tests that may take longer than others; they are begun first."""

from __future__ import annotations

WALKERS = (
    "tests/tools/test_every_tool.py",
    "tests/test_docs.py",
    "tests/copilot/server/test_every_tool_confined.py",
    "tests/tools/test_bounds.py",
    "tests/patterns/test_patterns.py",
)
"""They walk over all there is of a kind."""

JOURNEYS = "tests/e2e/"
"""Journeys through the whole app. Most of what they take is the app's and the browser's: they are not held to
the budget of a test yet."""


def may_take_longer(file: str) -> bool:
    """Whether a file of tests is not held to the budget."""
    return file in WALKERS or file.startswith(JOURNEYS)
