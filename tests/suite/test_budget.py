"""What takes too much computing time is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.suite.budget import main, over_budget
from tests.suite.record import TIMES, Cost
from tests.suite.walkers import JOURNEYS, WALKERS

FEW = [Cost(f"tests/test_many.py::test_{number}", 30.0, 15.5) for number in range(4)]


def test_what_takes_too_long_is_named_but_for_walkers_and_journeys() -> None:
    longer = [Cost(f"{each}::test_all", 99.0, 99.0) for each in (WALKERS[0], f"{JOURNEYS}test_map.py")]
    costs = [Cost("tests/test_one.py::test_a", 5.0, 20.5), *longer, *FEW]
    assert over_budget(costs) == [
        "tests/test_one.py::test_a: 20.5 CPU seconds; a test may take 20",
        "tests/test_many.py: 62.0 CPU seconds; a file may take 60",
    ]


def test_time_that_is_only_waited_costs_nothing() -> None:
    assert over_budget([Cost("tests/test_one.py::test_a", 500.0, 1.0)]) == []


def test_the_command_fails_when_something_is_over_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(tmp_path) == 0
    (tmp_path / TIMES).parent.mkdir()
    (tmp_path / TIMES).write_text(json.dumps([["tests/test_one.py::test_a", 1.0, 2.0]]))
    assert main(tmp_path) == 0
    (tmp_path / TIMES).write_text(json.dumps([["tests/test_one.py::test_a", 1.0, 21.0]]))
    assert main(tmp_path) == 1
    assert capsys.readouterr().out.splitlines() == [
        "test-budget: the suite has not run here yet, so there is nothing to judge.",
        "test-budget: all 1 tests of the last run are within it.",
        "tests/test_one.py::test_a: 21.0 CPU seconds; a test may take 20",
    ]


def test_every_walker_is_a_file_of_tests() -> None:
    root = Path(__file__).resolve().parents[2]
    assert [each for each in WALKERS if not (root / each).is_file()] == []
