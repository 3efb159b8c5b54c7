"""Records as CSV, as JSON-LD (schema.org) and, where a model can be loaded, as STAC's MLM properties."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from data.modelzoo.comparing import FIELDS, plain
from data.modelzoo.schema import ModelRecord

_MLM_TASKS = {
    "classification": "scene-classification",
    "multilabel-classification": "scene-classification",
    "segmentation": "semantic-segmentation",
    "instance-segmentation": "instance-segmentation",
    "detection": "object-detection",
    "change-detection": "semantic-segmentation",
    "regression": "regression",
    "retrieval": "similarity-search",
    "captioning": "image-captioning",
    "generation": "generative",
    "restoration": "generative",
}
"""MLM's name of a kind of task."""
_FRAMEWORKS = {"transformers": "Hugging Face", "onnx": "ONNX"}
"""MLM's name of what runs a library's models; PyTorch for the others."""


def as_csv(records: Iterable[ModelRecord]) -> str:
    """A table with a row a model: lists joined by semicolons, empty for unknown, lowest confidence last."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(("model_id", *FIELDS, "flagged", "lowest_confidence"))
    for each in records:
        cells = [_cell(plain(getattr(each, name))) for name in FIELDS]
        lowest = min((known.confidence for known in each.provenance.values()), default=0.0)
        table.writerow((each.model_id, *cells, _cell(list(each.flagged())), f"{lowest:g}"))
    return out.getvalue()


def _cell(value: Any) -> str:
    """One cell; what a spreadsheet would take for a formula gets an apostrophe before it."""
    if value is None:
        text = ""
    elif isinstance(value, list):
        text = "; ".join(_cell(each) for each in value)
    elif isinstance(value, dict):
        text = ", ".join(f"{name} {_cell(inner)}" for name, inner in value.items())
    elif isinstance(value, float):
        text = f"{value:g}"
    else:
        text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def as_json_ld(records: Iterable[ModelRecord]) -> dict[str, Any]:
    """The records as schema.org software, with every value that is stated and where it was read."""
    return {
        "@context": {"@vocab": "https://schema.org/", "fmd": "https://arxiv.org/abs/2511.17442#"},
        "@graph": [_node(each) for each in records],
    }


def _node(record: ModelRecord) -> dict[str, Any]:
    properties = [
        {
            "@type": "PropertyValue",
            "propertyID": f"fmd:{path}",
            "value": plain(value),
            **({} if (known := record.source_of(path)) is None else _proof(record, known.sources)),
            **({} if known is None else {"fmd:confidence": known.confidence}),
        }
        for path, value in record.stated()
    ]
    node = {
        "@id": f"urn:azimuth:model:{record.model_id}",
        "@type": "SoftwareSourceCode",
        "identifier": record.model_id,
        "name": record.model_name,
        "description": record.short_description,
        "version": record.version,
        "datePublished": record.release_date,
        "dateModified": record.last_updated,
        "codeRepository": record.repository,
        "license": record.licence_code,
        "citation": record.paper_link,
        "applicationCategory": sorted({name for each in record.benchmarks if (name := each.application)}),
        "additionalProperty": properties,
    }
    return {key: value for key, value in node.items() if value not in (None, [])}


def _proof(record: ModelRecord, keys: tuple[str, ...]) -> dict[str, Any]:
    return {"isBasedOn": [record.sources[key].url for key in keys if key in record.sources]}


def as_mlm(record: ModelRecord) -> dict[str, Any] | None:
    """The properties of a STAC item with the machine-learning-model extension; None if nothing loads it.

    MLM wants more of the input and output than the records state: what is unknown is left out, never made up.
    """
    if not record.loading:
        return None
    tasks = {_MLM_TASKS[kind] for each in record.benchmarks if (kind := each.application_type) in _MLM_TASKS}
    side = next((each.image_resolution for each in record.pretraining if each.image_resolution), None)
    properties: dict[str, Any] = {
        "mlm:name": record.model_name,
        "mlm:architecture": record.backbone,
        "mlm:tasks": sorted(tasks) or None,
        "mlm:framework": _FRAMEWORKS.get(record.loading[0].library, "PyTorch"),
        "mlm:total_parameters": None if record.num_parameters is None else round(record.num_parameters * 1e6),
        "mlm:pretrained": True,
        "mlm:pretrained_source": next((each.dataset for each in record.pretraining if each.dataset), None),
        "mlm:input": [
            {
                "name": ", ".join(record.modalities) or "images",
                "bands": list(record.bands),
                "input": {
                    "shape": [-1, len(record.bands) or -1, side or -1, side or -1],
                    "dim_order": ["batch", "bands", "height", "width"],
                },
            }
        ],
        "license": record.licence_weights or record.licence_code,
        "title": record.short_description or record.model_name,
    }
    return {key: value for key, value in properties.items() if value is not None}
