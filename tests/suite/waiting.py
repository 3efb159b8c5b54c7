"""Waiting in tests: for a condition, with one generous limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

LIMIT_S = 120.0
"""How long anything may take on a machine that does ten other things; nothing here measures time."""
STEP_S = 0.02
Seen = TypeVar("Seen")


def wait_until(seen: Callable[[], Seen], what: str = "it") -> Seen:
    """Wait until `seen` gives something true, and give that. Raises AssertionError after LIMIT_S."""
    ends = time.monotonic() + LIMIT_S
    while not (found := seen()):
        assert time.monotonic() < ends, f"{what} did not come within {LIMIT_S:g} s"
        time.sleep(STEP_S)
    return found
