"""A test that walks reports every failure by its name, and fails where there is nothing to walk over."""

from __future__ import annotations

from pathlib import Path

from tests.suite.test_record import run

WALKS = """
from tests.suite.walking import walks

@walks("number, name", [(1, "one"), (2, "two"), (3, "three")], lambda number, name: name)
def test_even(number, name, tmp_path):
    assert number % 2 == 0

@walks("number", [])
def test_nothing(number):
    assert number
"""


def test_every_failure_of_a_walk_is_reported_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    (tmp_path / "test_walks.py").write_text(WALKS)
    said = [each.partition(" - ")[0] for each in run(tmp_path).splitlines() if "FAILED" in each]
    assert said == [
        "SUBFAILED[one] test_walks.py::test_even",
        "SUBFAILED[three] test_walks.py::test_even",
        "FAILED test_walks.py::test_even",
        "FAILED test_walks.py::test_nothing",
    ]
