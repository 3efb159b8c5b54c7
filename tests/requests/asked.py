"""Requests, asked for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from copilot.readers import VARIABLE
from tests.requests.records import FOLDER, Request
from tests.requests.runner import Verdict, judge_all

ROOT = FOLDER.parents[1]


def verdicts_on(requests: Sequence[Request], catalogues: Path, reader: str) -> list[Verdict]:
    """Every request, asked a reader once, from the repository's root, where real files are."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(ROOT)
        patched.setenv(VARIABLE, reader)
        return judge_all(requests, catalogues)
