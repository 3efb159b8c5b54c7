"""The record: what it holds, what it refuses, and where a value's source is found."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from tests.data.modelzoo.records import plain, record


def test_what_no_source_states_is_unknown() -> None:
    tiny = record()
    assert (tiny.backbone, tiny.weights, tiny.bands, tiny.citations) == (None, None, (), None)


def test_stated_values_come_with_their_paths() -> None:
    assert [path for path, _ in record().stated()] == [
        "model_name",
        "release_date",
        "paper_link",
        "num_parameters",
        "supported_sensors",
        "modalities",
        "benchmarks.0.application_type",
        "benchmarks.0.application",
        "benchmarks.0.dataset",
        "benchmarks.0.metrics",
        "benchmarks.0.metrics_value",
    ]


def test_a_value_has_its_own_source_before_that_of_the_part_that_holds_it() -> None:
    own = {"sources": ["s2"], "confidence": 0.7}
    provenance = plain()["provenance"] | {"benchmarks.0.metrics_value": own}
    known = record(provenance=provenance)
    sources = {
        path: found.sources if (found := known.source_of(path)) else None
        for path in ("benchmarks.0.metrics_value", "benchmarks.0.dataset", "backbone")
    }
    assert sources == {
        "benchmarks.0.metrics_value": ("s2",),
        "benchmarks.0.dataset": ("s1",),
        "backbone": None,
    }


def test_what_is_less_sure_than_three_quarters_or_without_a_source_is_flagged() -> None:
    provenance = plain()["provenance"]
    del provenance["modalities"]
    assert record(provenance=provenance).flagged() == ("num_parameters", "modalities")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"model_id": "Tiny Model"}, "model_id"),
        ({"num_parameters": 0}, "num_parameters"),
        ({"num_parameters": float("nan")}, "num_parameters"),
        ({"release_date": "May 2024"}, "release_date"),
        ({"paper_link": "javascript:alert(1)"}, "paper_link"),
        ({"repository": 'https://a.b/"><script>'}, "repository"),
        ({"spatial_resolution": [30, 10]}, "spatial_resolution"),
        ({"pretraining": [{"masking_ratio": 75}]}, "pretraining"),
        ({"benchmarks": [{"metrics": ["mIoU", "F1"], "metrics_value": [1.0]}]}, "benchmarks"),
        ({"invented": "field"}, "invented"),
    ],
)
def test_a_record_that_cannot_be_right_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as told:
        record(**changes)
    assert told.value.errors()[0]["loc"][0] == field
