"""Correlation, regression and principal components, against linear algebra and published examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from state.model import State
from tests.tools.data.made import TABLE, columns, having
from tests.tools.data.test_summaries import read
from tests.tools.world import after, run
from tools.base import World
from tools.data.relations import correlation, pca, regression
from tools.database.dates import filter_date

ANSCOMBE = columns(
    x=[10.0, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5],
    y=[8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68],
)
"""The first of Anscombe's quartet (1973): y = 3.00 + 0.500 x, R² 0.67."""
# NIST Statistical Reference Datasets, Longley: certified values of the least squares fit.
LONGLEY = pd.DataFrame(
    [
        [60323, 83.0, 234289, 2356, 1590, 107608, 1947], [61122, 88.5, 259426, 2325, 1456, 108632, 1948],
        [60171, 88.2, 258054, 3682, 1616, 109773, 1949], [61187, 89.5, 284599, 3351, 1650, 110929, 1950],
        [63221, 96.2, 328975, 2099, 3099, 112075, 1951], [63639, 98.1, 346999, 1932, 3594, 113270, 1952],
        [64989, 99.0, 365385, 1870, 3547, 115094, 1953], [63761, 100.0, 363112, 3578, 3350, 116219, 1954],
        [66019, 101.2, 397469, 2904, 3048, 117388, 1955], [67857, 104.6, 419180, 2822, 2857, 118734, 1956],
        [68169, 108.4, 442769, 2936, 2798, 120445, 1957], [66513, 110.8, 444546, 4681, 2637, 121950, 1958],
        [68655, 112.6, 482704, 3813, 2552, 123366, 1959], [69564, 114.2, 502601, 3931, 2514, 125368, 1960],
        [69331, 115.7, 518173, 4806, 2572, 127852, 1961], [70551, 116.9, 554894, 4007, 2827, 130081, 1962],
    ],
    columns=["y", "x1", "x2", "x3", "x4", "x5", "x6"],
)  # fmt: skip
CERTIFIED = {
    "intercept": -3482258.63459582, "x1": 15.0618722713733, "x2": -0.358191792925910e-01,
    "x3": -2.02022980381683, "x4": -1.03322686717359, "x5": -0.511041056535807e-01, "x6": 1829.15146461355,
}  # fmt: skip
CERTIFIED_ERRORS = [
    890420.383607373, 84.9149257747669, 0.334910077722432e-01, 0.488399681651699, 0.214274163161675,
    0.226073200069370, 455.478499142212,
]  # fmt: skip


def test_the_certified_fit_of_nist_is_reached(world: World) -> None:
    step = run(world, having(world, LONGLEY), regression, y="y", x="x1,x2,x3,x4,x5,x6", table=TABLE)
    assert step.data["coefficients"] == pytest.approx(CERTIFIED, rel=1e-6)
    table = read(world, step.data["table"])
    assert table["standard_error"].tolist() == pytest.approx(CERTIFIED_ERRORS, rel=1e-6)
    assert step.data["r2"] == pytest.approx(0.995479004577296, rel=1e-9)
    assert step.data["f"] == pytest.approx(330.285339234588, rel=1e-6)


def test_the_line_through_anscombes_first_is_said_in_words(world: World) -> None:
    step = run(world, having(world, ANSCOMBE), regression, y="y", x="x", table=TABLE)
    assert step.observation.startswith(
        "y = 3.0001 + 0.50009 × x, over 11 rows: R² 0.6665, F 17.99, p 0.00217."
    )


def test_rows_that_miss_a_number_are_not_fitted(world: World) -> None:
    frame = pd.concat([ANSCOMBE, columns(x=[99.0, None], y=[None, 99.0])])
    whole = run(world, having(world, ANSCOMBE), regression, y="y", x="x", table=TABLE)
    holed = run(world, having(world, frame), regression, y="y", x="x", table=TABLE)
    assert holed.data["coefficients"] == whole.data["coefficients"] and holed.data["n"] == 11


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (columns(y=[1.0, 2, 3, 4], x=[5.0] * 4, z=[1.0, 2, 3, 5]), "x has the one value 5"),
        (columns(y=[1.0, 2, 3, 5], x=[1.0, 2, 3, 4], z=[2.0, 4, 6, 8]), "say the same of every row"),
        (columns(y=[1.0, 2], x=[1.0, 2], z=[1.0, 3]), "too few rows"),
        (columns(y=[1.0] * 4, x=[1.0, 2, 3, 1e200], z=[1.0, 3, 4, 1]), "too large"),
    ],
)
def test_a_fit_that_cannot_be_is_told_why(world: World, frame: pd.DataFrame, said: str) -> None:
    step = run(world, having(world, frame), regression, y="y", x="x,z", table=TABLE)
    assert step.failed and said in step.observation, step.observation


def test_a_matrix_of_correlations_is_numpys(world: World) -> None:
    step = run(world, having(world, LONGLEY), correlation, table=TABLE)
    table = read(world, step.data["table"])
    assert table["column"].tolist() == list(LONGLEY.columns)
    assert table.drop(columns="column").to_numpy() == pytest.approx(np.corrcoef(LONGLEY.T), rel=1e-10)
    assert len(step.data["pairs"]) == 21
    assert abs(step.data["pairs"][0]["r"]) == max(abs(each["r"]) for each in step.data["pairs"])


@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_a_pair_has_its_coefficient_and_p_value_over_the_rows_with_both(world: World, method: str) -> None:
    frame = pd.concat([ANSCOMBE, columns(x=[99.0, None], y=[None, 99.0])])
    step = run(world, having(world, frame), correlation, columns="x,y", method=method, table=TABLE)
    r = {
        "pearson": np.corrcoef(ANSCOMBE["x"], ANSCOMBE["y"])[0, 1],
        "spearman": np.corrcoef(ANSCOMBE["x"].rank(), ANSCOMBE["y"].rank())[0, 1],
        # 11 values without ties: concordant minus discordant pairs over 55.
        "kendall": sum(
            np.sign(x2 - x1) * np.sign(y2 - y1)
            for i, (x1, y1) in enumerate(ANSCOMBE.to_numpy())
            for x2, y2 in ANSCOMBE.to_numpy()[:i]
        ) / 55,
    }[method]  # fmt: skip
    assert (step.data["r"], step.data["n"]) == (pytest.approx(r), 11)
    if method == "pearson":
        t = r * np.sqrt(9 / (1 - r**2))
        assert step.data["p"] == pytest.approx(2 * stats.t.sf(t, 9))


def test_a_column_that_never_changes_correlates_with_nothing(world: World) -> None:
    frame = columns(a=[1.0, 2, 3], b=[4.0, 4, 4])
    step = run(world, having(world, frame), correlation, table=TABLE)
    assert (step.data["r"], step.data["p"]) == (None, None)
    assert "one of them never changes" in step.observation


def test_components_are_the_eigenvectors_of_the_correlations(world: World) -> None:
    names = ["x1", "x2", "x3", "x4"]
    step = run(world, having(world, LONGLEY), pca, columns=names, components=3, table=TABLE)
    values, vectors = np.linalg.eigh(np.corrcoef(LONGLEY[names].T))
    for number, part in enumerate(step.data["components"]):
        expected = vectors[:, -1 - number]
        expected = expected * np.sign(expected[np.abs(expected).argmax()])
        assert list(part["loadings"].values()) == pytest.approx(expected.tolist(), abs=1e-9)
        assert part["share"] == pytest.approx(values[-1 - number] / 4)
    scaled = (LONGLEY[names] - LONGLEY[names].mean()) / LONGLEY[names].std(ddof=0)
    first = np.array(list(step.data["components"][0]["loadings"].values()))
    scores = read(world, step.data["table"])["pc1"]
    assert scores.tolist() == pytest.approx((scaled.to_numpy() @ first).tolist(), abs=1e-9)


def test_without_scaling_the_covariances_decide(world: World) -> None:
    frame = columns(a=[0.0, 1, 2, 3], b=[0.0, 10, 20, 30])
    step = run(world, having(world, frame), pca, columns="a,b", scale=False, table=TABLE)
    first = step.data["components"][0]
    assert first["loadings"] == pytest.approx({"a": 1 / np.sqrt(101), "b": 10 / np.sqrt(101)})
    assert first["share"] == pytest.approx(1.0)


def test_a_row_that_misses_a_number_has_no_scores_and_stays(world: World) -> None:
    frame = columns(a=[0.0, 1, 2, None], b=[0.0, 1, 4, 9])
    table = read(world, run(world, having(world, frame), pca, table=TABLE).data["table"])
    assert table["pc1"].isna().tolist() == [False, False, False, True]


def test_what_never_changes_is_left_out_unless_it_was_named(world: World) -> None:
    state = having(world, columns(a=[0.0, 1, 2], b=[0.0, 1, 4], c=[7.0, 7, 7]))
    assert list(run(world, state, pca, table=TABLE).data["components"][0]["loadings"]) == ["a", "b"]
    named = run(world, state, pca, columns="a,c", table=TABLE)
    assert named.failed and "c has the one value 7" in named.observation


@pytest.mark.parametrize("tool", [correlation, pca])
def test_nothing_selected_gives_a_sentence(world: World, full: State, tool: Any) -> None:
    state = after(world, full, (filter_date, {"start": "1990-01-01", "end": "1990-12-31"}))
    step = run(world, state, tool)
    assert step.failed and step.observation.startswith("There is nothing to compute with")
