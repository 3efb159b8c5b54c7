from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.modelzoo import criteria
from data.modelzoo.agent import Collection
from data.modelzoo.explaining import fit_in_words, reasons, trade_offs
from data.modelzoo.profile import profile_of
from data.modelzoo.query import Query
from data.modelzoo.ranking import WEIGHTS, rank, rate, score_of
from data.modelzoo.retrieval import typed_fields
from tests.data.modelzoo.few import ACRE, BARLEY, COVE, DELTA, EAGLE, FINCH, JETTY, RECORDS, TODAY

RATINGS = st.fixed_dictionaries({name: st.floats(1, 5) for name in WEIGHTS})
FLOODS = Query(application="flood mapping", modalities=("sar",))


def test_the_weights_are_the_paper_s_and_sum_to_a_hundred() -> None:
    assert list(WEIGHTS.values()) == [25, 20, 20, 15, 10, 5, 5]


@settings(max_examples=50, deadline=None)
@given(RATINGS)
def test_the_score_is_between_1_and_100_and_higher_ratings_never_lower_it(ratings: dict[str, float]) -> None:
    score = score_of(ratings)
    assert 1 <= score <= 100
    for name in ratings:
        assert score_of({**ratings, name: 5.0}) >= score


def test_the_lowest_ratings_score_1_and_the_highest_100() -> None:
    assert (score_of(dict.fromkeys(WEIGHTS, 1.0)), score_of(dict.fromkeys(WEIGHTS, 5.0))) == (1.0, 100.0)


@pytest.mark.parametrize(
    ("application", "rating", "reason"),
    [
        ("flood mapping", 5.0, "flood mapping: benchmark Sen1Floods11"),
        ("change detection", 5.0, "urban change detection is change detection"),
        ("burned area mapping", 4.0, "flood mapping, the same field and kind of task"),
        ("road extraction", 3.0, "other segmentation tasks"),
        ("weather forecasting", 1.0, "no such task in its record"),
    ],
)
def test_application_compatibility_goes_from_the_benchmark_to_the_kind_of_task(
    application: str, rating: float, reason: str
) -> None:
    found = criteria.application_fit(Query(application=application), profile_of(DELTA))
    assert (found.value, found.reason) == (rating, reason)


@pytest.mark.parametrize(
    ("query", "rating"),
    [
        (Query(modalities=("multispectral",)), 5.0),
        (Query(modalities=("multispectral",), sensors=("Sentinel-2",), spatial_resolution_m=10), 5.0),
        (Query(modalities=("multispectral",), sensors=("Landsat",), spatial_resolution_m=10), 4.0),
        (Query(modalities=("multispectral",), spatial_resolution_m=4), 4.0),
        (Query(modalities=("multispectral",), spatial_resolution_m=0.5), 2.0),
        (Query(modalities=("multispectral",), unusual_data=True), 4.0),
        (Query(modalities=("multispectral", "sar")), 3.5),
        (Query(modalities=("sar",)), 1.0),
    ],
)
def test_modality_match_adds_kinds_of_data_sensor_and_resolution(query: Query, rating: float) -> None:
    assert criteria.modality_match(query, profile_of(ACRE)).value == rating


def test_reported_performance_is_the_place_among_those_who_report_the_same(few: Collection) -> None:
    best, middle, none = (
        criteria.reported_performance(FLOODS, profile_of(each), few.scales) for each in (DELTA, COVE, FINCH)
    )
    # Three report Sen1Floods11: 88 stands at 5/6, 85 at 1/2; each is averaged with one middling result.
    assert (round(best.value, 4), round(middle.value, 4)) == (round(1 + 4 * (5 / 6 + 1 / 2) / 2, 4), 3.0)
    assert (none.value, none.is_known) == (2.0, False)


def test_a_figure_on_another_task_of_the_kind_counts_for_less(few: Collection) -> None:
    roads = Query(application="road extraction", modalities=("sar",))
    rating = criteria.reported_performance(roads, profile_of(DELTA), few.scales)
    assert round(rating.value, 4) == round(1 + 2.5 * (5 / 6 + 1 / 2) / 2, 4)


def test_efficiency_is_the_size_and_on_a_laptop_the_time_that_an_image_takes_there(few: Collection) -> None:
    laptop = Query(deployment_device="laptop")
    lowest = criteria.Rating(1.0, "")
    # 25 million parameters × 2 × 196 tokens at 0.1 TFLOP/s are 0.098 s of the 0.4 s that an image may take.
    found = criteria.efficiency(laptop, profile_of(FINCH), few.scales, lowest)
    assert (round(found.value, 4), found.reason) == (
        round(1 + 4 * math.log10(0.4 / 0.098), 4),
        "25 million parameters, some 0.098 s an image",
    )
    assert criteria.efficiency(laptop, profile_of(EAGLE), few.scales, lowest).value == 1.0
    assert criteria.efficiency(Query(), profile_of(FINCH), few.scales, lowest).value == pytest.approx(11 / 3)
    unknown = criteria.efficiency(laptop, profile_of(JETTY), few.scales, lowest)
    assert (unknown.value, unknown.is_known) == (2.0, False)


@pytest.mark.parametrize(
    ("query", "other"),
    [
        (Query(application="vehicle detection"), "trained at 10 m, too coarse for vehicle detection"),
        (Query(application="vehicle detection", sensors=("WorldView",)), "trained at 10 m, far from 0.5 m"),
        (Query(application="vehicle detection", spatial_resolution_m=20), None),
        (Query(application="flood mapping"), None),
    ],
)
def test_images_of_another_scale_are_told_from_what_is_asked_or_from_what_the_thing_needs(
    query: Query, other: str | None
) -> None:
    assert criteria.other_scale(query, profile_of(ACRE)) == other
    assert criteria.other_scale(query, profile_of(JETTY)) is None


def test_recency_loses_a_point_a_year_after_the_last() -> None:
    models = [profile_of(each) for each in (ACRE, BARLEY, COVE, DELTA, FINCH)]
    assert [criteria.recency(each, TODAY).value for each in models] == [5.0, 5.0, 4.0, 3.0, 1.0]


def test_popularity_is_five_for_the_most_cited(few: Collection) -> None:
    assert criteria.popularity(profile_of(FINCH), few.scales).value == 5.0
    assert criteria.popularity(profile_of(JETTY), few.scales) == criteria.Rating(
        1.0, "citations not stated", False
    )


def test_generalizability_is_the_mean_of_geography_kinds_of_data_and_scale() -> None:
    found = criteria.generalizability(Query(), profile_of(DELTA))
    assert round(found.value, 4) == round((5.0 + 3.0 + 5.0 - 0.7 * (8 - 6.30103)) / 3, 4)
    assert criteria.generalizability(Query(region="asia"), profile_of(COVE)).value > (
        criteria.generalizability(Query(), profile_of(COVE)).value
    )


def test_ranking_is_the_same_whatever_the_order_of_the_models(few: Collection) -> None:
    there = rank(FLOODS, few.models, few.scales, TODAY)
    back = rank(FLOODS, tuple(reversed(few.models)), few.scales, TODAY)
    assert [each.id for each in there] == [each.id for each in back]
    assert [each.id for each in there][:2] == ["delta", "cove"]


def test_reasons_are_what_brings_most_points_and_trade_offs_what_another_does_better(few: Collection) -> None:
    delta, cove = (rate(FLOODS, profile_of(each), few.scales, TODAY) for each in (DELTA, COVE))
    assert reasons(delta)[0] == "flood mapping: benchmark Sen1Floods11"
    assert [(each.other, each.criterion) for each in trade_offs(delta, [cove])] == [("cove", "recency")]


def test_a_size_that_is_not_stated_is_said_and_not_guessed() -> None:
    assert fit_in_words(None).startswith("its number of parameters is not stated")


def test_the_model_that_has_all_fields_of_a_query_is_retrieved_first(few: Collection) -> None:
    query = Query(application="flood mapping", modalities=("sar",), sensors=("Sentinel-1",))
    found = few.retriever.search(query, 3)
    assert {each.model.id for each in found[:2]} == {"cove", "delta"}
    assert found[0].likeness == pytest.approx(1.0, abs=0.01)
    assert len(few.retriever.search(query)) == len(RECORDS)


def test_what_is_embedded_of_a_model_is_typed() -> None:
    assert list(typed_fields(profile_of(COVE))) == [
        ("application", "flood mapping"),
        ("task", "segmentation"),
        ("modality", "sar"),
        ("sensor", "Sentinel-1"),
        ("region", "asia"),
        ("region", "europe"),
    ]
