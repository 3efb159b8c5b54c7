"""Thousands of changed files, where `test_fuzz.py` has some."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from tests.data.uploads.test_fuzz import broken, is_told_or_brought

long = settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
# What GDAL says while it closes a broken file reaches Python where nobody can catch it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@long
@given(broken())
def test_thousands_of_changed_files_are_brought_in_or_told(made: tuple[str, bytes]) -> None:
    is_told_or_brought(*made)
