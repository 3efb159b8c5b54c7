"""The requests of a folder, asked for the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.requests.records import FOLDER, read_requests
from tests.requests.runner import NoSample, Verdict, judge_all

ROOT = FOLDER.parents[1]


def verdicts_on(folder: Path, catalogues: Path) -> list[Verdict]:
    """Every request of a folder, asked once, from the repository's root: real files are named from there."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        return judge_all(read_requests(folder), catalogues)
    except NoSample as error:
        pytest.skip(str(error))
    finally:
        os.chdir(before)
