"""Records as CSV, JSON-LD and MLM."""

from __future__ import annotations

import csv
import io
import json

from data.modelzoo.exporting import as_csv, as_json_ld, as_mlm
from data.modelzoo.reading import zoo
from tests.data.modelzoo.records import plain, record


def test_a_table_has_a_row_a_model_and_reads_back() -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv([record()]))))
    assert len(rows) == 1
    told = {
        name: rows[0][name] for name in ("model_id", "num_parameters", "modalities", "backbone", "flagged")
    }
    assert told == {
        "model_id": "tiny",
        "num_parameters": "5.6",
        "modalities": "sar; multispectral",
        "backbone": "",
        "flagged": "num_parameters",
    }
    assert rows[0]["lowest_confidence"] == "0.7"


def test_every_record_is_one_row_of_as_many_cells_as_the_head() -> None:
    rows = list(csv.reader(io.StringIO(as_csv(zoo().records))))
    assert {len(row) for row in rows} == {len(rows[0])} and len(rows) == len(zoo().records) + 1


def test_a_cell_is_never_a_formula() -> None:
    row = next(csv.DictReader(io.StringIO(as_csv([record(model_name="=1+1", bands=["@SUM(A1)", "-2"])]))))
    assert (row["model_name"], row["bands"]) == ("'=1+1", "'@SUM(A1); '-2")


def test_json_ld_says_of_each_value_where_it_was_read() -> None:
    whole = as_json_ld([record()])
    node = json.loads(json.dumps(whole))["@graph"][0]
    size = next(each for each in node["additionalProperty"] if each["propertyID"] == "fmd:num_parameters")
    assert (node["name"], node["citation"], node["applicationCategory"]) == (
        "Tiny",
        "https://arxiv.org/abs/2401.00001",
        ["flood mapping"],
    )
    assert size == {
        "@type": "PropertyValue",
        "propertyID": "fmd:num_parameters",
        "value": 5.6,
        "isBasedOn": ["https://github.com/some/list"],
        "fmd:confidence": 0.7,
    }
    assert "license" not in node


def test_mlm_is_for_what_a_library_loads() -> None:
    provenance = plain()["provenance"] | {"loading": {"sources": ["s1"], "confidence": 0.8}}
    loadable = record(loading=[{"library": "torchgeo", "name": "X"}], provenance=provenance)
    assert as_mlm(record()) is None
    assert as_mlm(loadable) == {
        "mlm:name": "Tiny",
        "mlm:tasks": ["semantic-segmentation"],
        "mlm:framework": "PyTorch",
        "mlm:total_parameters": 5_600_000,
        "mlm:pretrained": True,
        "mlm:input": [
            {
                "name": "sar, multispectral",
                "bands": [],
                "input": {"shape": [-1, -1, -1, -1], "dim_order": ["batch", "bands", "height", "width"]},
            }
        ],
        "title": "Tiny",
    }
