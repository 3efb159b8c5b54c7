"""Ten invented models, small enough to know by heart: who takes which data, how large, how good at what."""

from __future__ import annotations

from datetime import date
from typing import Any

from data.modelzoo.schema import ModelRecord

TODAY = date(2026, 11, 20)
_SOURCE = {
    "s1": {"title": "By hand", "url": "https://example.org/by-hand", "kind": "paper", "read": "2026-11-20"}
}


def record(model_id: str, **fields: Any) -> ModelRecord:
    """A record whose every value was read in the same place."""
    return ModelRecord.model_validate(
        {
            "model_id": model_id,
            "model_name": model_id.title(),
            "sources": _SOURCE,
            "provenance": {name: {"sources": ["s1"], "confidence": 0.8} for name in ("model_name", *fields)},
            **fields,
        }
    )


def figure(dataset: str, metric: str, value: float, **more: Any) -> dict[str, Any]:
    """A benchmark with one metric."""
    return {"dataset": dataset, "metrics": [metric], "metrics_value": [value], **more}


def phase(images: int, *regions: str) -> dict[str, Any]:
    """A phase of pretraining."""
    return {"dataset": "Some", "num_images": images, "regions_coverage": list(regions)}


ACRE = record(
    "acre", num_parameters=100, modalities=["multispectral"], supported_sensors=["Sentinel-2"],
    spatial_resolution=[10, 10], release_date="2026-02", citations=50, licence_weights="Apache-2.0",
    weights="https://example.org/acre", paper_link="https://example.org/acre.pdf",
    pretraining=[phase(10_000_000, "global")],
    benchmarks=[figure("PASTIS", "mIoU", 62.0), figure("Sen1Floods11", "mIoU", 80.0)],
)  # fmt: skip
BARLEY = record(
    "barley", num_parameters=600, modalities=["multispectral"], supported_sensors=["Sentinel-2", "Landsat"],
    spatial_resolution=[10, 30], release_date="2025-06", citations=500, licence_weights="CC-BY-NC-4.0",
    pretraining=[phase(1_000_000, "global")],
    benchmarks=[figure("PASTIS", "mIoU", 66.0), figure("DynamicEarthNet", "mIoU", 40.0)],
)  # fmt: skip
COVE = record(
    "cove", num_parameters=90, modalities=["SAR"], supported_sensors=["Sentinel-1"],
    spatial_resolution=[10, 10], release_date="2024-03", citations=20, licence_weights="MIT",
    weights="https://example.org/cove", pretraining=[phase(500_000, "Europe", "Asia")],
    benchmarks=[figure("Sen1Floods11", "mIoU", 85.0)],
)  # fmt: skip
DELTA = record(
    "delta", num_parameters=300, modalities=["SAR", "multispectral"],
    supported_sensors=["Sentinel-1", "Sentinel-2"], spatial_resolution=[10, 10], release_date="2023-11",
    citations=200, pretraining=[phase(2_000_000, "global")],
    benchmarks=[
        figure("Sen1Floods11", "mIoU", 88.0), figure("OSCD", "F1", 55.0), figure("BigEarthNet", "mAP", 86.0),
    ],
)  # fmt: skip
EAGLE = record(
    "eagle", num_parameters=2000, modalities=["RGB"], supported_sensors=["aerial"],
    spatial_resolution=[0.1, 1], release_date="2025-01", citations=100,
    pretraining=[phase(3_000_000, "United States")],
    benchmarks=[figure("DIOR", "mAP", 79.0), figure("LEVIR-CD", "F1", 92.0)],
)  # fmt: skip
FINCH = record(
    "finch", num_parameters=25, modalities=["RGB"], spatial_resolution=[0.3, 10], release_date="2021-05",
    citations=900, licence_weights="MIT", weights="https://example.org/finch",
    pretraining=[phase(200_000)],
    benchmarks=[figure("EuroSAT", "accuracy", 96.0), figure("DIOR", "mAP", 71.0)],
)  # fmt: skip
GNEISS = record(
    "gneiss", num_parameters=40, modalities=["hyperspectral"], supported_sensors=["EnMAP"],
    spatial_resolution=[30, 30], release_date="2025-09", pretraining=[phase(800_000, "global")],
    benchmarks=[figure("HYPERVIEW", "RMSE", 0.9)],
)  # fmt: skip
HAZE = record(
    "haze", modalities=["multispectral"], release_date="2026-01", short_description="For cloud masking."
)
ISLE = record(
    "isle", num_parameters=150, modalities=["RGB", "text"], release_date="2024-09", citations=60,
    benchmarks=[figure("RSITMD", "mean recall", 45.0), figure("AID", "accuracy", 90.0)],
)  # fmt: skip
JETTY = record("jetty", short_description="Of which nothing is known.")

RECORDS = (ACRE, BARLEY, COVE, DELTA, EAGLE, FINCH, GNEISS, HAZE, ISLE, JETTY)
