"""New columns by expressions, and what an expression may not do."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from state.model import State
from tests.suite.walking import walks
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import run
from tools.base import World
from tools.data.columns import add_column
from tools.data.editing import edit_columns
from tools.data.rows import filter_rows
from tools.data.values import BEYOND, LONG

FRAME = columns(
    a=[4.0, 9.0, None],
    b=[2, 0, 5],
    name=["Port", None, "sea"],
    seen=pd.to_datetime(["2020-02-29 12:00", "2021-03-01 00:00", None]),
    good=[True, False, True],
).rename(columns={"b": "mean of b"})


def values(world: World, expression: str) -> list[Any]:
    step = run(world, having(world, FRAME), add_column, name="new", expression=expression, table=TABLE)
    assert not step.failed, step.observation
    found = read(world, step.data["table"])["new"]
    return [None if pd.isna(each) else each for each in found.tolist()]


@walks(
    "expression, expected",
    [
        ("a + 1", [5, 10, None]),
        ("sqrt(a) * -2", [-4, -6, None]),
        ("a / `mean of b`", [2, None, None]),
        ("a ** 2 // 3 % 4", [1, 3, None]),
        ("round(a / 3, 2)", [1.33, 3, None]),
        ("min(a, `mean of b`, 3)", [2, 0, None]),
        ("where(a > 5, 'much', 'little')", ["little", "much", "little"]),
        ("'much' if 3 < a < 5 and not good == 0 else name", ["much", None, "sea"]),
        ("coalesce(a, 0)", [4, 9, 0]),
        ("is_missing(name)", [False, True, False]),
        ("name is None", [False, True, False]),
        ("a is not None and a > 5", [False, True, False]),
        ("name in ('sea', 'lake')", [False, False, True]),
        ("a not in (4, -1)", [False, True, False]),
        ("lower(name) + '!'", ["port!", None, "sea!"]),
        ("length(name)", [4, None, 3]),
        ("year(seen) * 1000 + day_of_year(seen)", [2020060, 2021060, None]),
        ("seen - '2020-02-28'", [1.5, 367, None]),
        ("seen >= '2021-01-01'", [False, True, False]),
        ("text(`mean of b`) + text(good)", ["2true", "0false", "5true"]),
        ("log(0 * a)", [None, None, None]),
        ("1", [1, 1, 1]),
    ],
)
def test_an_expression_is_computed_row_by_row_with_missing_values_kept(
    world: World, expression: str, expected: list[Any]
) -> None:
    assert values(world, expression) == expected


def test_arithmetic_is_that_of_python_for_every_operator(world: World) -> None:
    frame = columns(x=[7.5, -7.5, 3.0], y=[2.0, 2.0, -1.5])
    for text in ("x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "x * x ** 2 - -y"):
        step = run(world, having(world, frame), add_column, name="z", expression=text, table=TABLE)
        expected = [eval(text, {}, {"x": x, "y": y}) for x, y in zip(frame["x"], frame["y"], strict=True)]
        assert read(world, step.data["table"])["z"].tolist() == pytest.approx(expected, rel=1e-12), text


WHOLE = columns(
    n=pd.array([2**53 + 1, -7, None], dtype="Int64"), m=[3, 2, 0], name=["Port", None, "sea"],
    seen=pd.to_datetime(["2020-02-29", "2021-03-01", None]), x=[0.5, 2.0, 1.0],
)  # fmt: skip


@walks(
    "expression, expected, kind",
    [
        ("n + 0", [2**53 + 1, -7, None], "Int64"),
        ("n * 2 - 1", [2**54 + 1, -15, None], "Int64"),
        ("n // m", [(2**53 + 1) // 3, -4, None], "Int64"),
        ("n % m", [(2**53 + 1) % 3, 1, None], "Int64"),
        ("m // m", [1, 1, None], "Int64"),
        ("m ** 2", [9, 4, 0], "int64"),
        ("-abs(n)", [-(2**53) - 1, -7, None], "Int64"),
        ("where(m > 1, 1, 0)", [1, 1, 0], "int64"),
        ("coalesce(n, m)", [2**53 + 1, -7, 0], "int64"),
        ("min(n, m)", [3, -7, None], "Int64"),
        ("round(x * 3)", [2, 6, 3], "int64"),
        ("floor(n) + sign(x)", [2**53 + 2, -6, None], "Int64"),
        ("length(name)", [4, None, 3], "Int64"),
        ("year(seen)", [2020, 2021, None], "Int64"),
        ("text(n)", ["9007199254740993", "-7", None], "str"),
        ("m + (name == 'sea')", [3, 2, 1], "int64"),
        ("m / 1", [3.0, 2.0, 0.0], "float64"),
        ("m * x", [1.5, 4.0, 0.0], "float64"),
        ("m ** -1", [0.333333333333, 0.5, None], "float64"),
        ("round(x, 1)", [0.5, 2.0, 1.0], "float64"),
    ],
)
def test_what_is_computed_of_whole_numbers_is_whole_with_all_digits(
    world: World, expression: str, expected: list[Any], kind: str
) -> None:
    step = run(world, having(world, WHOLE), add_column, name="new", expression=expression, table=TABLE)
    found = read(world, step.data["table"])["new"]
    assert ([None if pd.isna(each) else each for each in found], str(found.dtype)) == (expected, kind)
    edited = run(world, having(world, WHOLE), edit_columns, table=TABLE, compute={"new": expression})
    assert read(world, edited.data["table"])["new"].dtype == found.dtype
    assert "digits" not in step.observation


@walks(
    "expression, expected, said",
    [
        ("n * n", [8.11296384146e31, 49.0, math.nan], BEYOND),
        ("n + 9223372036854775807", [9.23237923611e18, 9.22337203685e18, math.nan], BEYOND),
        ("n / 1", [9.00719925474e15, -7.0, math.nan], LONG),
    ],
)
def test_whole_numbers_that_lose_digits_are_told(
    world: World, expression: str, expected: list[Any], said: str
) -> None:
    step = run(world, having(world, WHOLE), add_column, name="new", expression=expression, table=TABLE)
    found = read(world, step.data["table"])["new"].tolist()
    assert found == pytest.approx(expected, nan_ok=True)
    assert step.observation.startswith(f"{said} Added new = ")


def test_rows_are_compared_by_all_digits_of_whole_numbers(world: World) -> None:
    frame = columns(n=[2**53, 2**53 + 1, 2**53 + 2])
    step = run(world, having(world, frame), filter_rows, table=TABLE, where="n == 9007199254740993")
    assert read(world, step.data["table"])["n"].tolist() == [2**53 + 1]


@walks(
    "expression, said",
    [
        ("a.real", "Attribute"),
        ("().__class__", "Attribute"),
        ("a[0]", "Subscript"),
        ("[a]", "List"),
        ("lambda: 1", "Lambda"),
        ("(a for a in a)", "GeneratorExp"),
        ("f'{a}'", "JoinedStr"),
        ("open('x')", "no function 'open'"),
        ("__import__('os')", "no function '__import__'"),
        ("sqr(a)", "did you mean sqrt"),
        ("sqrt(a, a)", "sqrt takes 1 values"),
        ("sqrt(x=a)", "sqrt takes 1"),
        ("a +", "is no expression"),
        ("a = 1", "'a = 1' is no expression; write a == 1"),
        ("\x00", "is no expression; write one such as"),
        ("'", "is no expression; write one such as"),
        (
            "name IS NOT NULL AND `mean of b` <> 2",
            "is no expression; write name is not None and `mean of b` != 2",
        ),
        (
            "`mean of b` BETWEEN 1 AND 2",
            "'`mean of b` BETWEEN 1 AND 2' is no expression, but SQL, which the tool sql takes: "
            'SELECT *, "mean of b" BETWEEN 1 AND 2 AS new FROM table_00000a',
        ),
        ("a == None", "takes None after is alone"),
        ("a is 1", "is takes None alone"),
        ("name in ('Port')", "in takes several values in brackets"),
        ("name * 10", "which is no number"),
        ("a and 1", "A condition is a comparison"),
        ("a == name", "on the other"),
        ("a in a", "in takes several values in brackets"),
        ("a | b", "no column 'b'"),
        ("~a", "no ~"),
        ("1e999 ** a ** a", None),
        ("9" * 400, "too large"),
        ("(" * 200 + "a" + ")" * 200, None),
        ("-" * 450 + "a", None),
        ("b'x'", "cannot hold"),
        ("seen > 'yesterday'", "no time"),
        ("where(good, 1, 'x')", "must be of a kind"),
        ("aa + 1", "no column 'aa'"),
    ],
)
def test_what_is_not_allowed_is_refused_in_a_sentence(
    world: World, expression: str, said: str | None
) -> None:
    step = run(world, having(world, FRAME), add_column, name="new", expression=expression, table=TABLE)
    assert "bug" not in step.data, step.observation
    if said is not None:
        assert step.failed and said in step.observation and "\n" not in step.observation, step.observation


def test_a_column_of_the_selection_reads_the_catalogues_columns(world: World, full: State) -> None:
    step = run(world, full, add_column, name="area", expression="width_px * gsd_m * height_px * gsd_m / 1e6")
    table = read(world, step.data["table"])
    assert len(table) == 26 and (step.data["min"], step.data["max"]) == (
        pytest.approx((1024 * 0.3) ** 2 / 1e6), pytest.approx((1024 * 10.0) ** 2 / 1e6),
    )  # fmt: skip
    assert math.isclose(table.set_index("dataset").loc["fmow", "area"].iloc[0], (1024 * 2.4) ** 2 / 1e6)
