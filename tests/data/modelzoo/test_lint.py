"""The lint: each rule finds its slip, and nothing in a clean record."""

from __future__ import annotations

from typing import Any

import pytest

from data.modelzoo.lint import lint
from tests.data.modelzoo.records import LIST, PAPER, plain, record


def provenance(**changes: Any) -> dict[str, Any]:
    """That of the small record with some paths changed; `__` stands for a point, None takes a path away."""
    known = plain()["provenance"] | {path.replace("__", "."): value for path, value in changes.items()}
    return {path: value for path, value in known.items() if value is not None}


def test_a_clean_record_has_no_findings() -> None:
    assert lint([record()]) == ()


ONE = {"sources": ["s1"], "confidence": 0.8}


@pytest.mark.parametrize(
    ("changes", "path", "says"),
    [
        ({"provenance": provenance(modalities=None)}, "modalities", "it is stated without a source."),
        (
            {"provenance": provenance(modalities={"sources": ["s9"], "confidence": 0.8})},
            "modalities",
            "its source 's9' is not among the record's sources.",
        ),
        (
            {"provenance": provenance(modalities={"sources": ["s1"], "against": ["s1"], "confidence": 0.4})},
            "modalities",
            "one source states it and something else.",
        ),
        ({"provenance": provenance(backbone=ONE)}, "backbone", "it has a source, but no value is stated."),
        (
            {"provenance": provenance(modalities={"sources": ["s1"], "confidence": 0.95})},
            "modalities",
            "its confidence is 0.95, but the sources make 0.8.",
        ),
        (
            {"sources": {"s1": PAPER, "s2": LIST, "s3": PAPER | {"url": "https://b.example/x"}}},
            "sources.s3",
            "nothing is stated from this source.",
        ),
        (
            {"repository": "https://localhost/x", "provenance": provenance(repository=ONE)},
            "repository",
            "'https://localhost/x' names no host.",
        ),
        (
            {"repository": "https://github.com/a/b?tab=readme", "provenance": provenance(repository=ONE)},
            "repository",
            "'https://github.com/a/b?tab=readme' carries a mark that leads nowhere; leave it out.",
        ),
        ({"release_date": "2012"}, "release_date", "2012 is before there were such models."),
        (
            {"last_updated": "2023", "provenance": provenance(last_updated=ONE)},
            "last_updated",
            "it was updated before it was released.",
        ),
        (
            {"benchmarks": [{"metrics": ["mIoU"], "metrics_value": [905.0]}]},
            "benchmarks.0.metrics_value",
            "mIoU is 905; a share is 0 to 100 per cent.",
        ),
        (
            {"modalities": ["radar"]},
            "modalities",
            "'radar' is none of the modalities of vocabulary.toml.",
        ),
        (
            {"supported_sensors": ["Sentinel 2"]},
            "supported_sensors",
            "'Sentinel 2' is none of the sensors of vocabulary.toml.",
        ),
        (
            {"benchmarks": [{"application_type": "guessing", "dataset": "x"}]},
            "benchmarks.0.application_type",
            "'guessing' is none of the kinds of task.",
        ),
        (
            {"benchmarks": [{"application_type": "captioning", "application": "flood mapping"}]},
            "benchmarks.0.application",
            "'flood mapping' is no application of the kind 'captioning'.",
        ),
        ({"modalities": ["sar", "sar"]}, "modalities", "'sar' is listed 2 times."),
    ],
)
def test_a_slip_is_found(changes: dict[str, Any], path: str, says: str) -> None:
    assert [(each.path, each.says) for each in lint([record(**changes)])] == [(path, says)]


def test_two_records_of_one_model_are_found() -> None:
    way = {"loading": [{"library": "torchgeo", "name": "X"}], "provenance": provenance(loading=ONE)}
    twins = [record(model_name="T.I.N.Y", **way), record(model_id="other", model_name="Tiny", **way)]
    assert [str(each) for each in lint(twins)] == [
        "other: loading: tiny is loaded as X too.",
        "other: model_name: tiny has the same name.",
    ]
