"""Real imagery, labels and vectors for tests: the repository's own, and those that stand beside it.

What is in the public domain or under a permissive licence is in `tests/real`, so that a test of it means the
same on every machine. What may not be given away stands in `../shared/data`, where there is such a folder.
"""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ROOT / "tests" / "real"
BESIDE = ROOT.parent / "shared" / "data"


def real(path: str) -> Path:
    """The real file or folder of that path. Skips the test where it is one that may not be given away.

    Raises AssertionError for one that is in neither folder, which no machine could test.
    """
    if (OURS / path).exists():
        return OURS / path
    if not BESIDE.is_dir():
        pytest.skip(f"{path} may not be given away, and there is no folder of such files at {BESIDE}.")
    found = BESIDE / path
    assert found.exists(), f"There is no real file {path}, neither in {OURS} nor in {BESIDE}."
    return found
