"""Classes of numbers: those of mapclassify, by each method, and never worse than its natural breaks."""

from __future__ import annotations

from datetime import UTC, date, datetime

import geopandas as gpd
import mapclassify
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.real_files import real
from tools.map.breaks import breaks_of, number_of_value, repeated

METHODS = ("equal_interval", "quantile", "natural_breaks", "standard_deviation", "pretty")
COUNTS = (2, 3, 5, 9)


@pytest.fixture(scope="module")
def places() -> dict[str, NDArray[np.float64]]:
    """People and latitudes of the world's places."""
    frame = gpd.read_parquet(real("natural_earth/ne_10m_populated_places_simple.parquet"))
    column = "pop_max" if "pop_max" in frame else "POP_MAX"
    return {
        "people": frame[column].to_numpy(float),
        "lat": frame.geometry.y.to_numpy()[:1500],
        "days": np.random.default_rng(7).integers(16_000, 20_000, 900).astype(float),
    }


def spread(values: NDArray[np.float64], edges: tuple[float, ...]) -> float:
    """The squared distances of all values to the means of their classes."""
    classes = np.searchsorted(edges[1:-1], values, side="left")
    return sum(
        float(((part := values[classes == each]) - part.mean()).__pow__(2).sum()) for each in set(classes)
    )


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("column", ["people", "lat", "days"])
def test_equal_intervals_and_quantiles_are_those_of_mapclassify(
    places: dict[str, NDArray[np.float64]], column: str, count: int
) -> None:
    values = places[column]
    equal = breaks_of(values, "equal_interval", count)
    assert np.allclose(equal, [values.min(), *mapclassify.EqualInterval(values, count).bins])
    theirs = np.unique(mapclassify.Quantiles(values, count).bins)
    assert np.allclose(np.unique(breaks_of(values, "quantile", count)[1:]), theirs)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("column", ["lat", "days"])
def test_natural_breaks_are_as_tight_as_those_of_mapclassify_or_tighter(
    places: dict[str, NDArray[np.float64]], column: str, count: int
) -> None:
    values = places[column]
    theirs = (float(values.min()), *map(float, mapclassify.FisherJenks(values, count).bins))
    ours = breaks_of(values, "natural_breaks", count)
    assert len(ours) == count + 1
    assert spread(values, ours) <= spread(values, theirs) * (1 + 1e-9)


def test_standard_deviations_are_those_of_mapclassify(places: dict[str, NDArray[np.float64]]) -> None:
    values = places["lat"]
    theirs = mapclassify.StdMean(values, multiples=[-1.5, -0.5, 0.5, 1.5]).bins
    assert np.allclose(breaks_of(values, "standard_deviation", 5), [values.min(), *theirs])


def test_pretty_edges_are_round_and_hold_all_values() -> None:
    assert breaks_of(np.array([0.13, 0.3, 0.71]), "pretty", 5) == (0.0, 0.2, 0.4, 0.6, 0.8)
    assert breaks_of(np.array([3.0, 18_000.0, 47_000.0]), "pretty", 5) == (
        0.0, 20_000.0, 40_000.0, 60_000.0,
    )  # fmt: skip


@given(
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60),
    st.sampled_from(METHODS),
    st.integers(2, 9),
)
def test_edges_ascend_and_hold_every_value(values: list[float], method: str, count: int) -> None:
    edges = breaks_of(np.array(values), method, count)  # type: ignore[arg-type]
    assert list(edges) == sorted(edges) and len(edges) >= 2
    assert edges[0] <= min(values) and edges[-1] >= max(values)
    assert method == "pretty" or (edges[0], edges[-1]) == (min(values), max(values))
    assert method == "pretty" or len(edges) - 1 <= count


def test_counted_values_are_the_values_each_so_often() -> None:
    assert repeated([3.0, 1.0], [2, 3]).tolist() == [1.0, 1.0, 1.0, 3.0, 3.0]
    thin = repeated([float(each) for each in range(1000)], [100] * 1000, most=500)
    assert (len(thin), thin[0], thin[-1]) == (500, 0.0, 999.0)


def test_what_is_no_finite_number_has_none() -> None:
    found = [number_of_value(each) for each in (None, True, "12.5", "x", float("nan"), float("inf"), 3)]
    assert found == [None, None, 12.5, None, None, None, 3.0]
    assert number_of_value(np.datetime64("NaT")) is None


def test_a_day_and_its_midnight_are_one_number() -> None:
    assert number_of_value(date(1970, 1, 3)) == number_of_value(datetime(1970, 1, 3, tzinfo=UTC)) == 2.0
