"""Pivot, cross tabulation and join."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from state.model import State
from tests.tools.data.made import OTHER, TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import SCENES, after, run
from tools.base import World
from tools.data.shaping import crosstab, join_tables, pivot
from tools.data.summaries import aggregate, group_count
from tools.database.attributes import filter_attribute
from tools.database.dates import filter_date

SALES = columns(
    shop=["a", "a", "b", "b", "b", None], year=[2019, 2020, 2019, 2019, 2020, 2020], sum=[1.0, 2, 3, 5, 8, 13]
)


def test_a_pivot_of_a_table_sums_each_cell_up_and_leaves_out_what_has_no_rows(world: World) -> None:
    state = having(world, SALES)
    step = run(world, state, pivot, rows="shop", columns="year", field="sum", function="sum", table=TABLE)
    table = read(world, step.data["table"])
    assert table.columns.tolist() == ["shop", "2019", "2020"]
    assert table.fillna(-1).values.tolist() == [["a", 1.0, 2.0], ["b", 8.0, 8.0], ["no value", -1.0, 13.0]]


def test_a_pivot_without_a_field_counts_with_nought_where_there_is_none(world: World) -> None:
    step = run(world, having(world, SALES), pivot, rows="shop", columns="year", table=TABLE)
    assert read(world, step.data["table"]).values.tolist() == [["a", 1, 1], ["b", 2, 1], ["no value", 0, 1]]
    assert step.data["function"] == "count"


def test_a_pivot_of_the_selection_has_the_means_that_aggregate_gives(world: World, full: State) -> None:
    step = run(world, full, pivot, rows="sensor", columns="split", field="detections", function="mean")
    wide = read(world, step.data["table"]).set_index("sensor")
    scenes = [(name, scene) for name, group in SCENES.items() for scene in group if name == "fair1m"]
    train = [sum(scene.classes.values()) for _, scene in scenes if scene.split == "train"]
    assert wide.loc["Gaofen-2", "train"] == pytest.approx(np.mean(train), rel=1e-11)


def test_a_pivot_by_one_grouping_twice_is_told_off(world: World) -> None:
    step = run(world, having(world, SALES), pivot, rows="shop", columns="Shop", field="sum", table=TABLE)
    assert step.failed and "two different groupings" in step.observation


def test_a_spread_of_cells_of_one_row_each_is_refused_in_a_sentence(world: World) -> None:
    frame = columns(shop=["a", "b"], year=[2019, 2020], sum=[1.0, 2])
    told = {"rows": "shop", "columns": "year", "field": "sum", "function": "std", "table": TABLE}
    step = run(world, having(world, frame), pivot, **told)
    assert step.failed
    assert step.observation == (
        "No cell of shop by year has rows enough for the std of sum; choose groupings with fewer values, or "
        "another function."
    )


def test_dates_that_are_texts_can_be_grouped_by_year(world: World) -> None:
    frame = columns(month=["2019-01", "2019-07", "2020-01"], v=[1.0, 2, 5])
    step = run(world, having(world, frame), pivot, rows="year", columns="season", field="v", table=TABLE)
    assert read(world, step.data["table"]).fillna(0).values.tolist() == [
        ["2019", 2.0, 1.0],
        ["2020", 0.0, 5.0],
    ]


def test_crosstab_counts_and_tests_as_a_text_book_does(world: World) -> None:
    # Agresti, An Introduction to Categorical Data Analysis (1996), table 2.5: party by gender in the General
    # Social Survey of 1991, X² = 7.01 with 2 degrees of freedom, P = 0.03.
    counts = {
        ("f", "D"): 279,
        ("f", "I"): 73,
        ("f", "R"): 225,
        ("m", "D"): 165,
        ("m", "I"): 47,
        ("m", "R"): 191,
    }
    rows = [key for key, n in counts.items() for _ in range(n)]
    state = having(world, pd.DataFrame(rows, columns=["sex", "party"]))
    step = run(world, state, crosstab, rows="sex", columns="party", table=TABLE)
    assert read(world, step.data["table"]).values.tolist() == [["f", 279, 73, 225], ["m", 165, 47, 191]]
    assert (round(step.data["chi2"], 2), step.data["degrees"], round(step.data["p"], 2)) == (7.01, 2, 0.03)
    assert step.data["cramers_v"] == pytest.approx(np.sqrt(step.data["chi2"] / 980), rel=1e-11)


@pytest.mark.parametrize(
    ("share", "expected"),
    [("row", [[25.0, 75.0], [50.0, 50.0]]), ("column", [[50.0, 75.0], [50.0, 25.0]]),
     ("all", [[100 / 6, 50.0], [100 / 6, 100 / 6]])],
)  # fmt: skip
def test_crosstab_gives_shares_in_per_cent(world: World, share: str, expected: list[list[float]]) -> None:
    frame = columns(a=list("xxxxyy"), b=list("pqqqpq"))
    step = run(world, having(world, frame), crosstab, rows="a", columns="b", share=share, table=TABLE)
    assert read(world, step.data["table"])[["p", "q"]].to_numpy() == pytest.approx(np.array(expected))


def test_crosstab_of_one_value_has_no_test(world: World, full: State) -> None:
    state = after(world, full, (filter_attribute, {"field": "sensor", "op": "=", "value": "Gaofen-2"}))
    step = run(world, state, crosstab, rows="dataset", columns="year")
    assert step.data["chi2"] is None and "no test" in step.observation and step.data["total"] == 5


def test_crosstab_of_nothing_says_so(world: World, full: State) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    step = run(world, state, crosstab, rows="dataset", columns="split")
    assert step.failed and step.observation.startswith("There is nothing to tabulate")


def test_two_results_of_the_selection_join_on_their_group(world: World, full: State) -> None:
    state = after(
        world, full, (group_count, {"by": "sensor"}), (aggregate, {"field": "cloud_pct", "by": "sensor"})
    )
    counts, means = (each.id for each in state.artifacts)
    step = run(world, state, join_tables, table=counts, other=means, on="sensor", how="left")
    joined = read(world, step.data["table"])
    assert joined.columns.tolist() == ["sensor", "count", "sensor_2", "mean"]
    assert (len(joined), step.data["matched"]) == (5, 4)  # Sentinel-1 sees through clouds
    assert (
        joined.set_index("sensor")["count"].to_dict()
        == read(world, counts).set_index("sensor")["count"].to_dict()
    )


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("inner", [[1.0, 10.0], [1.0, 11.0]]),
        ("left", [[1.0, 10.0], [1.0, 11.0], [2.0, None], [None, None]]),
        ("right", [[1.0, 10.0], [1.0, 11.0], [None, 12.0], [None, 13.0]]),
        ("outer", [[1.0, 10.0], [1.0, 11.0], [2.0, None], [None, None], [None, 12.0], [None, 13.0]]),
    ],
)
def test_missing_keys_match_nothing_whatever_the_join(
    world: World, how: str, expected: list[list[object]]
) -> None:
    left, right = columns(k=[1.0, 2.0, None]), columns(key=["1", "1", None, "7"], v=[10, 11, 12, 13])
    state = having(world, right, OTHER, having(world, left))
    step = run(world, state, join_tables, table=TABLE, other=OTHER, on="k", other_on="key", how=how)
    found = read(world, step.data["table"])[["k", "v"]].astype(object)
    rows = [[None if pd.isna(each) else float(each) for each in row] for row in found.to_numpy().tolist()]
    assert sorted(map(str, rows)) == sorted(map(str, expected))


def test_a_join_that_would_fill_the_memory_is_refused_before_it_is_made(world: World) -> None:
    frame = columns(k=["same"] * 3000)
    step = run(
        world,
        having(world, frame, OTHER, having(world, frame)),
        join_tables,
        table=TABLE,
        other=OTHER,
        on="k",
    )
    assert step.failed and "9,000,000 rows" in step.observation


def test_a_join_of_numbers_with_texts_says_both_types_and_how_to_make_them_alike(world: World) -> None:
    state = having(world, columns(code=["001", "002"]), OTHER, having(world, columns(k=[1, 2])))
    step = run(world, state, join_tables, table=TABLE, other=OTHER, on="k", other_on="code")
    assert step.observation == (
        "k of table-00000a is int64 (such as 1) and code of table-00000b is text (such as '001'): they were "
        'compared as text. edit_columns table=table-00000b types={"code": "integer"} makes numbers of both. '
        "Joined 2 rows with 2 rows by k: 0 rows; 0 of the first table's rows have a partner. "
        f"The table is {step.data['table']}."
    )


def test_a_join_of_numbers_with_texts_that_are_none_says_that_only_texts_fit(world: World) -> None:
    state = having(world, columns(code=["1", "x"]), OTHER, having(world, columns(k=[1, 2])))
    step = run(world, state, join_tables, table=TABLE, other=OTHER, on="k", other_on="code")
    assert "compared as text. Not all of code are numbers ('x' is none), so only texts fit all: " in (
        step.observation
    )
    assert step.data["matched"] == 1


def test_whole_numbers_of_64_bits_without_a_sign_are_joined(world: World) -> None:
    frame = columns(u=pd.Series([2**64 - 1, 1], dtype="uint64"))
    state = having(world, frame.head(1), OTHER, having(world, frame))
    step = run(world, state, join_tables, table=TABLE, other=OTHER, on="u", how="left")
    found = read(world, step.data["table"])
    assert [None if pd.isna(each) else int(each) for each in found["u_2"]] == [2**64 - 1, None]
