from __future__ import annotations

import tomllib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copilot.engine import encode_texts
from data.modelzoo import clarifying
from data.modelzoo.agent import Collection
from data.modelzoo.lexicon import FOLDER, lexicon, phrase_key
from data.modelzoo.parsing import parse
from data.modelzoo.query import Query
from data.modelzoo.vectors import Floats, Vectors, phrases_of

VECTORS = Vectors(encode_texts)


def read(text: str) -> dict[str, object]:
    return parse(text, VECTORS).query.given()


def test_the_issue_s_own_request_is_read_whole() -> None:
    assert read("which foundation model for crop types from Sentinel-2 with 50 labels and no GPU?") == {
        "application": "crop type mapping",
        "modalities": ["multispectral"],
        "sensors": ["Sentinel-2"],
        "available_data": "few",
        "num_labels": 50,
        "deployment_device": "laptop",
    }


def test_numbers_are_read_with_their_units_however_they_are_written() -> None:
    assert read(
        "10m S2 on an 8GB GPU, at least 85% mIoU, fewer than 1.2 billion parameters, 512 px tiles"
    ) == {
        "modalities": ["multispectral"],
        "sensors": ["Sentinel-2"],
        "spatial_resolution_m": 10.0,
        "deployment_device": "gpu",
        "memory_gb": 8.0,
        "min_performance": {"metric": "mIoU", "value": 85.0},
        "max_parameters_m": 1200.0,
        "image_px": 512,
    }


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("F1 of 0.8 or better for floods", {"metric": "F1", "value": 80.0}),
        ("floods with accuracy above 90 per cent", {"metric": "accuracy", "value": 90.0}),
        ("biomass with an RMSE below 30", {"metric": "RMSE", "value": 30.0}),
        ("map 12 kinds of crops", None),
    ],
)
def test_the_least_performance_is_a_metric_with_the_number_beside_it(text: str, least: object) -> None:
    assert read(text).get("min_performance") == least


def test_a_kind_of_data_behind_a_not_is_not_wanted() -> None:
    parsed = parse("radar, not optical, for floods", VECTORS)
    assert (parsed.query.modalities, parsed.excluded) == (("sar",), ("optical",))


def test_a_kind_of_data_that_will_not_do_is_not_wanted() -> None:
    parsed = parse("active fires, radar will not do, so multispectral", VECTORS)
    assert (parsed.query.modalities, parsed.excluded) == (("multispectral",), ("sar",))


@pytest.mark.parametrize(
    ("text", "device"),
    [("floods with 8 GPUs", "cluster"), ("floods on 1 GPU", "gpu"), ("floods on two A100s", "cluster")],
)
def test_several_graphics_cards_are_a_cluster(text: str, device: str) -> None:
    assert read(text)["deployment_device"] == device


def test_the_number_of_a_sensor_is_no_number_of_pixels() -> None:
    assert "image_px" not in read("classify Sentinel-2 pixels")


@pytest.mark.parametrize(
    ("text", "application"),
    [
        ("change detection of buildings", "urban change detection"),
        ("change detection in forests after logging", "forest monitoring"),
        ("detect objects: ships", "ship detection"),
        ("segmentation of flooded areas", "flood mapping"),
        ("change detection", "change detection"),
    ],
)
def test_a_thing_and_a_kind_of_task_together_are_the_thing_s_own_task(text: str, application: str) -> None:
    assert read(text)["application"] == application


def test_what_no_phrase_names_is_read_by_likeness_and_told_to_be_less_sure() -> None:
    parsed = parse("which model tells me how tall the pines are", VECTORS)
    assert parsed.query.application == "canopy height estimation"
    assert 0.5 <= parsed.certainty < 1


def test_a_request_of_nothing_but_filler_names_no_application() -> None:
    parsed = parse("please help me pick a good foundation model", VECTORS)
    assert (parsed.query, parsed.certainty, parsed.near) == (Query(), 0.0, ())


def test_every_choice_of_a_question_reads_back_as_what_it_stands_for() -> None:
    for (slot, value), said in lexicon().choices.items():
        found = {(each.slot, each.value) for each in lexicon().phrases[phrase_key(said)]}
        assert (slot, value) in found, said
        assert parse(said, VECTORS).is_indifferent == (slot == "any")
    for modality in lexicon().modalities.values():
        if modality.choice is not None:
            assert read(modality.choice) == {"modalities": [modality.id]}
    for application in lexicon().applications:
        assert read(application[0].upper() + application[1:]).get("application") == application


def test_no_phrase_stands_for_two_applications_or_two_sensors() -> None:
    for slot in ("application", "sensor"):
        twice = [
            key
            for key, meanings in lexicon().phrases.items()
            if len({each.value for each in meanings if each.slot == slot}) > 1
        ]
        assert twice == []


def test_a_data_set_measures_one_application() -> None:
    names = [phrase_key(name) for each in lexicon().applications.values() for name in each.datasets]
    owners: dict[tuple[str, ...], set[str]] = {}
    for each in lexicon().applications.values():
        for name in each.datasets:
            owners.setdefault(phrase_key(name), set()).add(each.id)
    assert {key for key, held in owners.items() if len(held) > 1} == set()
    assert () not in names


def test_the_file_of_vectors_holds_every_phrase_so_that_none_is_encoded_while_somebody_waits() -> None:
    def refuse(texts: Sequence[str]) -> Floats:
        raise AssertionError(
            f"python -m scripts.modelzoo_vectors: {len(texts)} texts are new, as {texts[0]!r}"
        )

    held = Vectors(refuse)
    assert held.of([phrase for each in lexicon().applications for phrase in phrases_of(each)]).shape[1] == 384


def test_every_question_is_about_a_field_of_the_query(few: Collection) -> None:
    table = tomllib.loads((FOLDER / "questions.toml").read_text(encoding="utf-8"))
    assert set(table) == {"application", "modalities", *clarifying.OPTIONAL}
    assert set(table) <= set(Query.model_fields)


NEVER_NEW = Vectors(lambda texts: VECTORS.of(["a text"] * len(texts)))


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error_and_the_same_each_time(text: str) -> None:
    assert parse(text, NEVER_NEW) == parse(text, NEVER_NEW)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 5000))
def test_a_number_of_labels_is_few_up_to_500_and_enough_beyond(count: int) -> None:
    query = parse(f"{count:,} labelled samples", VECTORS).query
    assert (query.num_labels, query.available_data) == (count, "few" if count <= 500 else "enough")
