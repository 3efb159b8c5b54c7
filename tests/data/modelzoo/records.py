"""One small record, known by heart, that the tests vary."""

from __future__ import annotations

from typing import Any

from data.modelzoo.schema import ModelRecord

PAPER = {"title": "A paper", "url": "https://arxiv.org/abs/2401.00001", "kind": "paper", "read": "2026-11-24"}
LIST = {"title": "A list", "url": "https://github.com/some/list", "kind": "list", "read": "2026-11-24"}
TABLE = {"title": "A table", "url": "https://github.com/some/table", "kind": "table", "read": "2026-11-24"}


def plain(**changes: Any) -> dict[str, Any]:
    """The record as JSON has it, with some fields changed; what is None is left out."""
    record: dict[str, Any] = {
        "model_id": "tiny",
        "model_name": "Tiny",
        "release_date": "2024-01",
        "paper_link": "https://arxiv.org/abs/2401.00001",
        "num_parameters": 5.6,
        "modalities": ["sar", "multispectral"],
        "supported_sensors": ["Sentinel-1", "Sentinel-2"],
        "benchmarks": [
            {
                "application_type": "segmentation",
                "application": "flood mapping",
                "dataset": "Sen1Floods11",
                "metrics": ["mIoU"],
                "metrics_value": [90.5],
            }
        ],
        "sources": {"s1": PAPER, "s2": LIST},
        "provenance": {
            "model_name": {"sources": ["s1", "s2"], "confidence": 0.94},
            "release_date": {"sources": ["s1"], "confidence": 0.8},
            "paper_link": {"sources": ["s1"], "confidence": 0.8},
            "num_parameters": {"sources": ["s2"], "confidence": 0.7},
            "modalities": {"sources": ["s1"], "confidence": 0.8},
            "supported_sensors": {"sources": ["s1"], "confidence": 0.8},
            "benchmarks.0": {"sources": ["s1"], "confidence": 0.8},
        },
    }
    record |= changes
    return {name: value for name, value in record.items() if value is not None}


def record(**changes: Any) -> ModelRecord:
    """The same, read."""
    return ModelRecord.model_validate(plain(**changes))
