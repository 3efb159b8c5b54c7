"""The first request of each theme, asked for real; `exhaustive_requests.py` asks all of them."""

from __future__ import annotations

from pathlib import Path

from copilot.readers import PLANNER
from tests.requests.asked import verdicts_on
from tests.requests.records import FOLDER, read_requests
from tests.requests.runner import report


def test_the_first_request_of_each_theme_is_answered_rightly(tmp_path: Path) -> None:
    first = {each.theme: each for each in reversed([*read_requests(FOLDER)])}
    found = verdicts_on(list(first.values()), tmp_path, PLANNER)
    assert [each.request.theme for each in found if each.wrong] == [], report(found)
