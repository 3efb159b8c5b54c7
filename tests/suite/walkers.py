"""Files of tests that walk over all there is of a kind: they may take longer, and are begun first."""

from __future__ import annotations

WALKERS = ("tests/tools/test_every_tool.py", "tests/test_docs.py")
