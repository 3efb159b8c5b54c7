"""Filters keep what is stated, and leave out what is unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.modelzoo.finding import Wanted, choices, find
from data.modelzoo.reading import zoo
from tests.data.modelzoo.records import record

TINY = record()
DARK = record(model_id="dark", model_name="Dark", num_parameters=None, modalities=None, benchmarks=None)


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (Wanted(), ["tiny", "dark"]),
        (Wanted(words="TIN"), ["tiny"]),
        (Wanted(modalities=("sar",)), ["tiny"]),
        (Wanted(modalities=("sar", "lidar")), []),
        (Wanted(sensor="Sentinel-1"), ["tiny", "dark"]),
        (Wanted(application="flood mapping"), ["tiny"]),
        (Wanted(application="segmentation"), ["tiny"]),
        (Wanted(largest=5.6), ["tiny"]),
        (Wanted(largest=5.5), []),
        (Wanted(weights=True), []),
        (Wanted(loadable=True), []),
    ],
)
def test_a_filter_keeps_what_is_stated(wanted: Wanted, kept: list[str]) -> None:
    assert [each.model_id for each in find([TINY, DARK], wanted)] == kept


@given(st.sampled_from(["sar", "text", "hyperspectral"]), st.floats(1, 1000), st.booleans())
def test_two_filters_together_keep_what_both_keep(modality: str, largest: float, weights: bool) -> None:
    everything = zoo().records
    one, two = Wanted(modalities=(modality,)), Wanted(largest=largest, weights=weights)
    both = Wanted(modalities=(modality,), largest=largest, weights=weights)
    assert find(find(everything, one), two) == find(find(everything, two), one) == find(everything, both)


def test_choices_are_what_the_records_state_the_most_frequent_first() -> None:
    other = record(model_id="other", modalities=["sar"])
    found = choices([TINY, other])
    assert (found.modalities, found.sensors, found.applications) == (
        ("sar", "multispectral"),
        ("Sentinel-1", "Sentinel-2"),
        ("flood mapping",),
    )
