"""What is told of the columns of a table."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from data.members import members_of, members_said
from data.profiles import columns_said, profiles_of


def profile(cells: list[Any]) -> dict[str, Any]:
    [found] = profiles_of(pd.DataFrame({"c": pd.Series(cells, dtype=object)}))
    return found


def test_blank_texts_are_counted_apart_and_so_are_texts_that_differ_in_case_and_blanks_alone() -> None:
    cells = ["São Paulo", " são  paulo", "SÃO PAULO", "", "  ", "\u00a0", "b", None]
    found = profile(cells)
    told = {"nulls": 1, "blank": 3, "distinct": 4, "alike": 2, "least": " são  paulo", "most": "b"}
    assert {key: found[key] for key in told} == told
    assert columns_said([found], 1) == "Its columns: c text (1 without a value, 3 blank)."
    assert [profile(each)["meant"] for each in (["1", "", "2"], ["", " "], [])] == ["numbers", None, None]


@pytest.mark.parametrize(
    ("cells", "forms"),
    [
        (["13-02-2020"] * 3 + ["14/02/2020", "2020-04-01", "20200301"],
         {"99-99-9999": 3, "99/99/9999": 1, "9999-99-99": 1, "99999999": 1}),
        (["9'999 m", "9’999 m", "12 m", "1.5 km", "about 3 m", "4 m", "", "n/a", "- 3", "(5)", "6?"]
         + ["7 m²"] * 40,
         {"9+ a²": 40, "9+ a": 2, "(9+)": 1, "- 9+": 1, "9+'9+ a": 1, "9+.9+ a": 1, "9+?": 1, "others": 3}),
        (["01001", "1002", "01003"], {"99999": 2, "9999": 1}),
        (["1", "22", "3.5"], {}),
        (["2020-01-01", "2021-01-01"], {}),
        (["a", "b 1", "c", "d-e"], {}),
        ([f"{'x-' * each}1" for each in range(20)], {}),
    ],
    ids=["dates", "units", "codes", "numbers", "one form", "words", "a form each"],
)  # fmt: skip
def test_the_forms_that_texts_are_written_in_are_told_where_they_are_few(
    cells: list[str], forms: dict[str, int]
) -> None:
    assert profile(cells)["forms"] == forms


def test_the_least_and_the_most_of_texts_that_mean_times_are_those_in_time() -> None:
    found = profile(["13-02-2020", "02/01/2021", "2019-04-01", " "])
    assert (found["meant"], found["least"], found["most"]) == (
        "times with the day first",
        "2019-04-01",
        "02/01/2021",
    )
    found = profile(["2019-04-01T10:00Z", "2019-04-01T09:00Z"])
    assert (found["least"], found["most"]) == ("2019-04-01T09:00Z", "2019-04-01T10:00Z")


def test_the_members_of_objects_and_lists_are_told_by_their_paths_and_types() -> None:
    long = "Fonte " * 20
    values = [
        {"info": {"name": {"pt": long}}, "taps": 2, "tags": ["a", 1], "none": [], "parts": [{"x": 1.5}]},
        {"info": "x", "taps": None, "tags": None},
    ]
    assert members_said(members_of(values)) == (
        f"info object or text 'x', info.name.pt text '{long[:40]}…', taps integer or null 2, "
        "tags list or null, tags[] text or integer 'a', none list, parts[].x number 1.5"
    )
    assert members_said(members_of([["a"], [None]])) == "[] text or null 'a'"
    many = members_of([{str(each): each for each in range(40)}])
    assert (len(many.told), many.left) == (30, 10)
