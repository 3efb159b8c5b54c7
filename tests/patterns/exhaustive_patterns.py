"""No pattern outside the planner takes long over a hostile text, which would hold up everybody else."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from tests.patterns.collecting import BOUNDED, ROOT, Found, too_slow


@pytest.mark.slow
def test_every_pattern_takes_time_in_proportion_to_a_hostile_text():
    """In a process of its own, as every module is imported there, and which the kernel ends."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.patterns.collecting"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["failed"] == [] and said["not_imported"] == []
    assert said["patterns"] > 250
    assert set(said["bounded"]) == set(BOUNDED)


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r"\s*,\s*", "finditer"),
        (r"\s*[,; ]\s*x", "match"),
        (r"(a|a)*b", "fullmatch"),
        (r"<[^>]*>", "search"),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str, way: str):
    assert too_slow(Found(pattern, re.DOTALL, "here:1", (way,))) is not None


@pytest.mark.parametrize(
    "pattern", [r"\d{4}-\d{2}", r"(?<!\s)\s*+,\s*+", r"\b(?:ship|boat)s?\b", r"^(.+) (?:city|state)$"]
)
def test_a_linear_pattern_passes(pattern: str):
    assert too_slow(Found(pattern, 0, "here:1", ("search", "fullmatch", "finditer"))) is None
