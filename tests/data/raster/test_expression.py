"""Sums over bands: what they give, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.raster.errors import RasterError
from data.raster.expression import MAX_CHARS, parse
from tests.suite.walking import walks

A = np.array([[1.0, 2.0, 4.0]], dtype=np.float32)
B = np.array([[2.0, 0.0, 4.0]], dtype=np.float32)
VALUES = {"A": A, "B": B}


@walks(
    "text, wanted",
    [
        ("A + B * 2", [5, 2, 12]),
        ("(A - B) / (A + B)", [-1 / 3, 1, 0]),
        ("A / B", [0.5, np.inf, 1]),
        ("A^2 + 1", [2, 5, 17]),
        ("A ** 3 - A ** 4", [0, -8, -192]),
        ("-A % 3", [2, 1, 2]),
        ("A // 3", [0, 0, 1]),
        ("where(A > B, 10, A)", [1, 10, 4]),
        ("10 if A > B else A", [1, 10, 4]),
        ("1 < A <= 4", [False, True, True]),
        ("(A > 1) & (B > 1)", [False, False, True]),
        ("A > 1 and not B > 1 or B == 2", [True, True, False]),
        ("(A > 1) + (B > 1)", [1, 1, 2]),
        ("-(A > 1)", [0, -1, -1]),
        ("max(A, B, 3)", [3, 3, 4]),
        ("min(A, B)", [1, 0, 4]),
        ("mean(A, B)", [1.5, 1, 4]),
        ("clip(A, 2, 3)", [2, 2, 3]),
        ("sqrt(A) + abs(-B)", [3, np.sqrt(2), 6]),
        ("ln(exp(A))", [1, 2, 4]),
        ("10 * log10(A)", [0, 10 * np.log10(2), 10 * np.log10(4)]),
        ("sin(pi / 2) * A", [1, 2, 4]),
        ("pow(A, 0.5)", [1, np.sqrt(2), 2]),
        ("sqrt(A > 1)", [0, 1, 1]),
        ("log(B - 3)", [np.nan, np.nan, 0]),
    ],
)
def test_an_expression_gives_what_it_says(text: str, wanted: list[float]) -> None:
    np.testing.assert_allclose(parse(text, frozenset("AB")).evaluate(VALUES), [wanted], rtol=1e-6)


def test_an_expression_keeps_the_precision_of_its_bands() -> None:
    for text in ("(A - B) / (A + B)", "2.5 * A ** 2 + 1", "10 * log10(A)", "A / 3 * (2 / 7)"):
        assert parse(text).evaluate(VALUES).dtype == np.float32, text


@pytest.mark.parametrize("text", ["A > 1", "not A > 1", "A > 1 and B < 2", "(A > 1) | (B > 2)", "~(A > 1)"])
def test_a_condition_is_told_from_a_number(text: str) -> None:
    assert parse(text).is_condition and parse(text).evaluate(VALUES).dtype == bool


def test_the_names_come_in_the_order_of_their_first_use_and_constants_are_none() -> None:
    assert parse("(nir - red) / (nir + red) * pi").names == ("nir", "red")
    assert parse("e + A", frozenset({"e", "A"})).names == ("e", "A")
    assert parse("1 + 2").names == ()


@walks(
    "text, said",
    [
        ("", "'' is not an expression such as (A - B) / (A + B)."),
        ("A +", "'A +' is not an expression such as (A - B) / (A + B)."),
        ("C + 1", "Nothing here is called 'C'; there are A, B."),
        ("open(A)", "There is no function 'open'; there are abs, sqrt,"),
        ("A.dtype", "An expression is made of numbers, band names, operators and functions such as"),
        ("__import__('os').system('ls')", "A function is called by its name with values in brackets"),
        ("[A for A in B]", "An expression is made of"),
        ("'A'", "An expression holds numbers and band names, not 'A'."),
        ("sqrt(A, B)", "sqrt takes 1 values, and was given 2."),
        ("where(A)", "where takes 3 values, and was given 1."),
        ("A > 1 & B > 2", "& and | join conditions in brackets, as in (A > 1) & (B < 2); `and` needs none."),
        ("A << 2", "An expression may use + - * / // % ** and &, |; not that operator."),
        ("A in B", "An expression may compare with < <= > >= == and !=, and with nothing else."),
        ("9" * 400, "A number in the expression is too large to compute with."),
        ("A" * (MAX_CHARS + 1), "An expression may have 1,000 characters, and this one has 1,001."),
        ("+".join(["A"] * 200), "An expression may have 300 parts, and this one has"),
        ("(" * 300 + "A" + ")" * 300, "is not an expression such as"),
    ],
)
def test_what_is_no_expression_is_refused_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(RasterError) as caught:
        parse(text, frozenset("AB"))
    assert said in str(caught.value) and str(caught.value).endswith(".") and "\n" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        expression = parse(text, frozenset("AB"))
    except RasterError as error:
        assert str(error).endswith(".")
    else:
        expression.evaluate(VALUES)


_SUMS = st.recursive(
    st.sampled_from(["A", "B", "2", "0.5"]),
    lambda part: (
        st.builds("({} {} {})".format, part, st.sampled_from("+-*/"), part)
        | st.builds("where({} > {}, {}, 1)".format, part, part, part)
    ),
    max_leaves=12,
)


@given(_SUMS)
def test_sums_agree_with_python_pixel_by_pixel(text: str) -> None:
    made = np.broadcast_to(parse(text).evaluate({k: v.astype(float) for k, v in VALUES.items()}), A.shape)
    for at in range(A.shape[1]):
        names = {"A": np.float64(A[0, at]), "B": np.float64(B[0, at]), "where": lambda c, a, b: a if c else b}
        with np.errstate(all="ignore"):
            try:
                wanted = eval(text, {"__builtins__": {}}, names)
            except ZeroDivisionError:
                continue  # of plain numbers, which Python refuses to divide
        np.testing.assert_allclose(made[0, at], wanted, rtol=1e-12)
