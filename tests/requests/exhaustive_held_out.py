"""The planner on the requests that nobody made it for, in a file of their own: files are shared out
among the processes that test."""

from __future__ import annotations

from pathlib import Path

import pytest

from copilot.readers import PLANNER
from tests.requests.asked import verdicts_on
from tests.requests.records import HELD_OUT, read_requests
from tests.requests.runner import report, share_right

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def test_at_least_85_per_cent_of_the_held_out_requests_are_answered_rightly(tmp_path: Path) -> None:
    found = verdicts_on([*read_requests(HELD_OUT)], tmp_path, PLANNER)
    print("\n" + report(found))
    assert share_right(found) >= 0.85, report(found)
