"""The requests of a folder, asked for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.readers import VARIABLE
from tests.requests.records import FOLDER, read_requests
from tests.requests.runner import NoSample, Verdict, judge_all

ROOT = FOLDER.parents[1]


def verdicts_on(folder: Path, catalogues: Path, reader: str) -> list[Verdict]:
    """Every request of a folder, asked a reader once, from the repository's root: real files are named from
    there."""
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(ROOT)
        patched.setenv(VARIABLE, reader)
        try:
            return judge_all(read_requests(folder), catalogues)
        except NoSample as error:
            pytest.skip(str(error))
