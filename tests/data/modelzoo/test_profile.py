"""What a profile tells of a model beyond its record's own words."""

from __future__ import annotations

from data.modelzoo.profile import profile_of
from tests.data.modelzoo.few import ACRE, EAGLE, JETTY, figure, record


def test_the_scale_is_as_stated_and_else_that_of_the_sensors() -> None:
    sensors = record("two", modalities=["multispectral"], supported_sensors=["Sentinel-2", "Landsat"])
    assert [profile_of(each).scale_m for each in (ACRE, EAGLE, sensors, JETTY)] == [
        (10, 10),
        (0.1, 1),
        (10, 30),
        None,
    ]


def test_a_data_set_tells_of_kind_and_scale_only_where_the_record_says_nothing() -> None:
    silent = profile_of(record("silent", benchmarks=[figure("LEVIR-CD", "F1", 90.0)]))
    assert (silent.modalities, silent.scale_m) == (frozenset({"rgb"}), (0.5, 0.5))
    used = profile_of(record("used", benchmarks=[figure("DIOR (linear probing)", "mAP", 70.0)]))
    assert (used.modalities, used.scale_m) == (frozenset({"rgb"}), (0.5, 0.5))
    stated = profile_of(record("stated", modalities=["SAR"], benchmarks=[figure("LEVIR-CD", "F1", 90.0)]))
    assert stated.modalities == {"sar"}
