"""Changes of buildings in a larger scene."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.vision.test_building_change import (
    test_what_was_built_and_lost_does_not_depend_on_where_the_image_is_cut as the_same_wherever_it_is_cut,
)


def test_a_larger_scene_does_not_depend_on_where_it_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    the_same_wherever_it_is_cut(tmp_path, monkeypatch, 33, 1.0, 300, 512 * 64)
