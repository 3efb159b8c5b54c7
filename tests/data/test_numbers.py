"""Columns of numbers that are stored as text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from data.numbers import numbers_of

NAN = float("nan")


@pytest.mark.parametrize(
    ("cells", "values", "said"),
    [
        ([1, 2.5, None], [1, 2.5, NAN], None),
        (["1", "2.5", None], [1, 2.5, NAN], "c is stored as text; its numbers were read."),
        (["12,5", "7,25", "1.250,75"], [12.5, 7.25, 1250.75],
         "c is stored as text; its numbers were read with a decimal comma."),
        (["12,5", "1.250", "3"], [12.5, 1250, 3],
         "c is stored as text; its numbers were read with a decimal comma."),
        (["12,5", "3.25"], [12.5, NAN],
         "c is stored as text; its numbers were read with a decimal comma, but 1 cell is none, such as "
         "'3.25'."),
        (["1,250.75", "12", "1,000,000"], [1250.75, 12, 1e6],
         "c is stored as text; its numbers were read with commas for thousands."),
        (["1 250,75", "3\u00a0000"], [1250.75, 3000],
         "c is stored as text; its numbers were read with a decimal comma."),
        (["1,250", "2,500", "7"], [NAN, NAN, 7],
         "c is stored as text; its numbers were read, but 2 cells are none, such as '1,250'."),
        (["12,5", "1,250.75"], [NAN, NAN], None),
        (["5", "n/a", ""], [5, NAN, NAN],
         "c is stored as text; its numbers were read, but 1 cell is none, such as 'n/a'."),
        (["wheat", "oats"], [NAN, NAN], None),
        ([float("inf"), 1], [NAN, 1], None),
    ],
    ids=["numbers", "plain", "commas", "a point of thousands", "a stray point", "thousands", "spaces",
         "either", "both", "some", "words", "infinite"],
)  # fmt: skip
def test_a_column_is_read_in_its_one_way(cells: list[object], values: list[float], said: str | None) -> None:
    found = numbers_of(pd.Series(cells, name="c", dtype=None if isinstance(cells[0], float) else object))
    np.testing.assert_array_equal(found.values, values)
    assert found.said("c") == said
