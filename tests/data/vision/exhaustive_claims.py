"""More of the pictures in which no plane is claimed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.data.vision.test_claims import (
    test_no_plane_is_claimed_in_large_pictures_of_a_desert_town as none_claimed,
)


@pytest.mark.parametrize("part", [3, 8])
def test_no_plane_is_claimed_in_more_large_pictures_of_a_desert_town(part: int, tmp_path: Path) -> None:
    none_claimed(part, tmp_path)
