from __future__ import annotations

import pytest

from data.modelzoo.filtering import apply, missed, reads, takes
from data.modelzoo.fitting import fit_of
from data.modelzoo.profile import profile_of
from data.modelzoo.query import LeastPerformance, Query
from tests.data.modelzoo.few import (
    ACRE,
    BARLEY,
    COVE,
    DELTA,
    EAGLE,
    FINCH,
    HAZE,
    ISLE,
    JETTY,
    RECORDS,
    record,
)

MODELS = tuple(profile_of(each) for each in RECORDS)


def kept(**fields: object) -> tuple[list[str], list[str]]:
    """Ids of the models that satisfy a query, and of those that do not tell."""
    found = apply(Query.model_validate(fields), MODELS)
    return [each.id for each in found.satisfying], [each.id for each in found.untold]


@pytest.mark.parametrize(
    ("fields", "satisfying", "untold"),
    [
        ({"modalities": ("sar",)}, ["cove", "delta"], ["jetty"]),
        ({"modalities": ("sar", "multispectral")}, ["delta"], ["jetty"]),
        ({"modalities": ("sar",), "max_parameters_m": 100}, ["cove"], ["jetty"]),
        (
            {"modalities": ("multispectral",), "deployment_device": "gpu", "memory_gb": 2},
            ["acre", "delta"],
            ["haze", "jetty"],
        ),
        ({"modalities": ("multispectral",), "commercial": True}, ["acre"], ["delta", "haze", "jetty"]),
        ({"modalities": ("sar",), "open_weights": True}, ["cove"], ["delta", "jetty"]),
        ({"modalities": ("multispectral",), "sensors": ("Landsat",)}, ["barley"], ["haze", "jetty"]),
    ],
)
def test_a_hard_constraint_keeps_who_satisfies_it_and_sets_apart_who_does_not_tell(
    fields: dict[str, object], satisfying: list[str], untold: list[str]
) -> None:
    assert kept(**fields) == (satisfying, untold)


def test_the_least_performance_is_that_of_the_asked_application() -> None:
    least = LeastPerformance(metric="mIoU", value=82)
    assert kept(application="flood mapping", min_performance=least)[0] == ["cove", "delta"]
    error = LeastPerformance(metric="RMSE", value=1.0)
    assert kept(application="soil mapping", min_performance=error)[0] == ["gneiss"]
    assert kept(application="crop type mapping", min_performance=least)[0] == []


def test_what_a_model_lacks_is_said_apart_by_what_is_known_of_it() -> None:
    query = Query(modalities=("sar",), commercial=True, max_parameters_m=50)
    assert missed(query, profile_of(BARLEY)).broken == (
        "SAR data", "at most 50 million parameters", "commercial use",
    )  # fmt: skip
    assert missed(query, profile_of(JETTY)).untold == (
        "SAR data", "at most 50 million parameters", "commercial use",
    )  # fmt: skip


def test_optical_is_red_green_and_blue_and_may_be_more() -> None:
    optical = profile_of(record("optic", modalities=["optical"]))
    assert (takes(optical, "rgb"), takes(optical, "multispectral"), takes(optical, "sar")) == (
        True, None, False,
    )  # fmt: skip


def test_a_sensor_is_taken_by_who_was_trained_on_it_or_on_one_that_stands_for_it() -> None:
    harmonised = profile_of(record("hls", modalities=["multispectral"], supported_sensors=["HLS"]))
    assert reads(harmonised, "Sentinel-2") is True
    assert reads(profile_of(COVE), "Sentinel-2") is False
    assert reads(profile_of(FINCH), "WorldView") is True
    assert reads(profile_of(HAZE), "Sentinel-2") is None


def test_memory_and_time_follow_the_number_of_parameters() -> None:
    small, large = fit_of(ACRE, Query()), fit_of(EAGLE, Query(deployment_device="laptop"))
    assert small is not None and large is not None
    # 1.2 × 4 bytes × 0.1 billion + 0.5 GB; 2 × 0.1 billion × 196 tokens at 8 TFLOP/s.
    assert (round(small.memory_gb, 3), round(small.train_gb, 3), round(small.seconds, 5)) == (
        0.98,
        2.42,
        0.0049,
    )
    assert (small.fits, small.trains) == (True, True)
    assert (round(large.memory_gb, 1), large.fits) == (10.1, False)
    assert fit_of(HAZE, Query()) is None


def test_larger_images_take_longer_by_their_area() -> None:
    usual, larger = fit_of(DELTA, Query()), fit_of(DELTA, Query(image_px=448))
    assert usual is not None and larger is not None
    assert round(larger.seconds / usual.seconds, 6) == 4.0


def test_a_profile_knows_what_the_record_s_own_words_stand_for() -> None:
    profile = profile_of(DELTA)
    assert profile.modalities == {"sar", "multispectral"}
    assert dict(profile.applications) == {
        "flood mapping": "benchmark Sen1Floods11",
        "urban change detection": "benchmark OSCD",
        "multi-label classification": "benchmark BigEarthNet",
    }
    assert profile.regions == {"global"}
    assert profile_of(ISLE).modalities == {"rgb", "text"}
