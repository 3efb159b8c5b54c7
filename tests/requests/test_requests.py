"""The embedded planner answers what people ask, measured by the state it leaves behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.requests.records import FOLDER, HELD_OUT, read_requests
from tests.requests.runner import NoSample, Verdict, judge_all, report, share_right

ROOT = FOLDER.parents[1]
THEMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


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


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Verdict]]:
    """The verdicts on all but the held-out requests."""
    found = verdicts_on(FOLDER, tmp_path_factory.mktemp("catalogue"))
    print("\n" + report(found))
    yield found


@pytest.mark.parametrize("theme", THEMES)
def test_enough_of_each_theme_are_answered_rightly(theme: str, verdicts: list[Verdict]) -> None:
    of_theme = [each for each in verdicts if each.request.theme == theme]
    assert share_right(of_theme) >= 0.85, report(of_theme)


def test_at_least_95_per_cent_of_all_requests_are_answered_rightly(verdicts: list[Verdict]) -> None:
    assert share_right(verdicts) >= 0.95, report(verdicts)


def test_at_least_85_per_cent_of_the_held_out_requests_are_answered_rightly(tmp_path: Path) -> None:
    found = verdicts_on(HELD_OUT, tmp_path)
    print("\n" + report(found))
    assert share_right(found) >= 0.85, report(found)
