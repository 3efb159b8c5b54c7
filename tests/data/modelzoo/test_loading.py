"""How a model is loaded: lines for each library, and the step that leads on."""

from __future__ import annotations

import ast

from data.modelzoo.loading import in_words, next_step, ways
from data.modelzoo.reading import zoo
from tests.data.modelzoo.few import ACRE, JETTY, record


def test_the_lines_of_every_model_that_can_be_loaded_are_python_that_fetches_its_weights() -> None:
    found = [way for each in zoo().records for way in ways(each)]
    assert len(found) > 100
    for way in found:
        assigned = [
            target.id
            for node in ast.parse(way.code).body
            if isinstance(node, ast.Assign)
            for target in ast.walk(node.targets[0])
            if isinstance(target, ast.Name)
        ]
        assert {"model", "state"} & set(assigned), way
        assert way.name.split(" ")[0] in way.code


def test_the_next_step_names_weights_for_the_asked_kind_of_data() -> None:
    both = record(
        "both",
        loading=[
            {"library": "torchgeo", "name": "ResNet50_Weights.SENTINEL2_ALL_MOCO"},
            {"library": "torchgeo", "name": "ResNet50_Weights.SENTINEL1_GRD_MOCO"},
        ],
    )
    assert next_step(both, ("sar",)).endswith("torchgeo loads it as ResNet50_Weights.SENTINEL1_GRD_MOCO.")
    assert next_step(both).endswith("torchgeo loads it as ResNet50_Weights.SENTINEL2_ALL_MOCO.")
    assert in_words(both).count("pip install torchgeo") == 2


def test_what_no_library_holds_is_said_with_what_is_known() -> None:
    assert next_step(ACRE) == (
        "Its weights are at https://example.org/acre; no library is known to load them by name."
    )
    assert in_words(JETTY) == "No source states where its weights are."
