from __future__ import annotations

from data.modelzoo.query import Query, in_words

RADAR = Query(
    application="flood mapping", modalities=("sar",), sensors=("Sentinel-1",), deployment_device="laptop"
)


def test_a_follow_up_replaces_what_it_says_and_keeps_the_rest() -> None:
    later = Query(application="change detection")
    assert RADAR.refined(later) == RADAR.model_copy(update={"application": "change detection"})


def test_another_kind_of_data_takes_the_sensor_of_the_one_before_with_it() -> None:
    assert RADAR.refined(Query(modalities=("rgb",))) == RADAR.model_copy(
        update={"modalities": ("rgb",), "sensors": ()}
    )


def test_what_does_not_matter_is_known_and_a_later_word_takes_it_back() -> None:
    open_to_all = Query(application="flood mapping", declined=("modalities",))
    assert open_to_all.missing == ()
    assert open_to_all.refined(Query(modalities=("sar",))).declined == ()


def test_application_and_kind_of_data_are_mandatory() -> None:
    assert Query().missing == ("application", "modalities")
    assert RADAR.missing == ()


def test_a_query_goes_through_json_and_back() -> None:
    assert Query.model_validate(RADAR.given()) == RADAR


def test_a_query_in_words_names_everything_that_was_said() -> None:
    query = RADAR.model_copy(update={"num_labels": 50, "available_data": "few", "commercial": True})
    assert in_words(query) == (
        "flood mapping · SAR, Sentinel-1 · 50 labels · laptop without a GPU · commercial use"
    )
