"""Places that stand for a missing one."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely.geometry import LineString, MultiPoint, Point, box

from data.uploads.suspects import at_null_island

END = " exactly 0, 0, a place in the open sea that is often written for a missing one."
TORN = shapely.Polygon([(10, 50), (11, 50), (0, 0)])


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([Point(0, 0), Point(10, 50), None], f"1 of its features lies at{END}"),
        ([Point(0, 0), Point(-0.0, 0), MultiPoint([(0, 0), (1, 1)])], f"3 of its features lie at{END}"),
        ([TORN], f"1 of its outlines and lines has a corner at{END}"),
        (
            [TORN, LineString([(0, 0), (5, 5)]), Point(0, 0)],
            f"1 of its features lies at, and 2 of its outlines and lines have a corner at{END}",
        ),
        ([box(0, 0, 1, 1), box(-1, -1, 0, 0), LineString([(-5, 0), (0, 0), (5, 0)])], None),
        ([Point(0, 1), Point(1, 0), Point(1e-9, 0), Point(), None], None),
        ([], None),
    ],
)
def test_what_lies_at_exactly_0_0_is_pointed_out_but_for_a_grids_corners(
    shapes: list[object], said: str | None
) -> None:
    assert at_null_island(np.array(shapes, dtype=object)) == said
