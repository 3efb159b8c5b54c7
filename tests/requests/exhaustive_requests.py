"""The planner answers what people ask, measured by the state it leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from copilot.readers import PLANNER
from tests.requests.asked import verdicts_on
from tests.requests.records import FOLDER, read_requests
from tests.requests.runner import Verdict, report, share_right

THEMES = sorted(path.stem for path in FOLDER.glob("*.jsonl"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Verdict]]:
    """The verdicts on all but the held-out requests."""
    found = verdicts_on([*read_requests(FOLDER)], tmp_path_factory.mktemp("catalogue"), PLANNER)
    print("\n" + report(found))
    yield found


@pytest.mark.parametrize("theme", THEMES)
def test_enough_of_each_theme_are_answered_rightly(theme: str, verdicts: list[Verdict]) -> None:
    of_theme = [each for each in verdicts if each.request.theme == theme]
    assert share_right(of_theme) >= 0.85, report(of_theme)


def test_at_least_95_per_cent_of_all_requests_are_answered_rightly(verdicts: list[Verdict]) -> None:
    assert share_right(verdicts) >= 0.95, report(verdicts)
