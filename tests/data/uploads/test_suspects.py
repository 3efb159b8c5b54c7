"""Places that stand for a missing one."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely.geometry import LineString, MultiPoint, Point, box

from data.uploads.suspects import at_null_island, exchanged

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


LISBON = [Point(-9.15 + each / 100, 38.7 + each / 50) for each in range(12)]
FAR = "far from all others, and would lie among them with x and y exchanged:"


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([*LISBON, None, Point(38.71, -9.14)], f"1 of its features lies {FAR} it is row 14."),
        ([Point(38.71, -9.14), *LISBON, box(38.7, -9.2, 38.8, -9.1)],
         f"2 of its features lie {FAR} the first is row 1."),
        ([*LISBON, Point(10, 50), Point(0, 0), Point(-9, 38)], None),
        ([*LISBON, *(Point(each.y, each.x) for each in LISBON)], None),
        ([Point(31 + each / 100, 30 + each / 100) for each in range(9)] + [Point(29.9, 31.1)], None),
        ([Point(each * 15 - 170, each * 7 - 80) for each in range(23)] + [Point(80, 10)], None),
        ([Point(0, 0), Point(38.7, -9.1)], None),
    ],
    ids=["one", "two, and an outline", "elsewhere", "half of all", "near", "over the world", "too few"],
)  # fmt: skip
def test_what_lies_among_the_others_once_x_and_y_are_exchanged_is_pointed_out(
    shapes: list[object], said: str | None
) -> None:
    assert exchanged(np.array(shapes, dtype=object), in_degrees=True) == said
