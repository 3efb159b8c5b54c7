"""Requests, asked for the tests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tests.requests.records import FOLDER, Request
from tests.requests.runner import Verdict, judge_all

ROOT = FOLDER.parents[1]


def verdicts_on(requests: Sequence[Request], catalogues: Path) -> list[Verdict]:
    """Every request, asked once, from the repository's root, as real files are named. Raises NoSample."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return judge_all(requests, catalogues)
    finally:
        os.chdir(before)
