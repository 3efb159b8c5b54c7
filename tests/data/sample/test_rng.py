"""The sample's random integers and its exact geometry."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.sample.geometry import cos_latitude, wrapped
from data.sample.rng import Draw, shares
from data.sample.sites import all_sites, disasters


def test_a_stream_starts_with_these_numbers_on_every_machine() -> None:
    assert Draw(1, 2).below(1000, 6).tolist() == [448, 430, 419, 277, 821, 49]


@given(st.integers(0, 10**6), st.lists(st.integers(1, 1000), min_size=1, max_size=50))
def test_shares_add_up_and_differ_from_proportion_by_less_than_one(total: int, weights: list[int]) -> None:
    parts = shares(total, np.array(weights))
    assert parts.sum() == total
    assert all(abs(part - total * w / sum(weights)) < 1 for part, w in zip(parts, weights, strict=True))


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(0, 99))
def test_draws_stay_in_their_range(low: int, more: int, key: int) -> None:
    found = Draw(key).between(low, low + more, 50)
    assert low <= found.min() <= found.max() <= low + more


def test_a_weight_of_nothing_is_never_picked() -> None:
    assert set(Draw(7).pick(np.array([0, 3, 0, 1, 0]), 2000).tolist()) == {1, 3}


@pytest.mark.parametrize(("lat", "cosine"), [(0, 1.0), (30, 0.8660), (45, 0.7071), (60, 0.5), (-80, 0.1736)])
def test_the_cosine_without_trigonometry_is_near_the_true_one(lat: int, cosine: float) -> None:
    assert cos_latitude(np.array([lat * 1_000_000]))[0] == pytest.approx(cosine, abs=0.002)


def test_longitudes_wrap_at_the_antimeridian() -> None:
    assert wrapped(np.array([180_000_001, -180_000_001, 5])).tolist() == [-179_999_999, 179_999_999, 5]


def test_sites_are_in_the_world_and_the_disasters_are_xbds_19() -> None:
    assert all(abs(site.lon) <= 180_000_000 and abs(site.lat) <= 85_000_000 for site in all_sites())
    assert len(disasters()) == 19
    assert {site.country for site in all_sites() if site.kind in ("fishing_ground", "shipping_lane")} == {
        None
    }
