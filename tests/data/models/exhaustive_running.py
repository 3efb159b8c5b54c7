"""Weights that PyTorch and its libraries make and run."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.models.card import Output, Weights
from data.models.exporting import export_onnx
from data.models.peek import inferred_card
from data.models.registry import Model, registry
from data.models.runners import load
from data.raster.errors import RasterError
from tests.data.models.test_running import model_of


@pytest.mark.slow
def test_a_pickle_that_would_run_code_is_neither_run_nor_loaded(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")

    class Evil:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "was-run",))

    torch.save({"model": Evil(), "train_args": {"task": "detect"}}, tmp_path / "evil.pt", pickle_protocol=2)
    card, _ = inferred_card(tmp_path / "evil.pt")
    with pytest.raises(RasterError, match=r"no layer of a network, and so it is not loaded|cannot be loaded"):
        load(Model(card.model_copy(update={"kind": "ultralytics"}), tmp_path / "evil.pt"))
    assert not (tmp_path / "was-run").exists()
    assert pickle.HIGHEST_PROTOCOL >= 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_ultralytics_weights_dropped_into_the_folder_run_and_their_onnx_file_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("ultralytics")
    monkeypatch.setenv("YOLO_OFFLINE", "true")
    from ultralytics.models import YOLO

    torch.manual_seed(3)
    torch.set_num_threads(1)
    YOLO("yolo26n-obb.yaml", task="obb").save(tmp_path / "mine.pt")
    found = registry(tmp_path).get("mine")
    assert (found.card.tasks[0], found.card.kind) == ("oriented-object-detection", "ultralytics")
    window = np.random.default_rng(0).random((1, 3, 64, 64), dtype=np.float32)
    by_torch = load(found)(window)[0]
    export_onnx(found, tmp_path, size_px=64)
    exported = registry(tmp_path).get("mine-onnx")
    by_onnx = load(exported)(window)[0]
    assert by_torch.shape == by_onnx.shape
    np.testing.assert_allclose(by_torch, by_onnx, rtol=1e-2, atol=5e-2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_a_script_of_torch_runs_by_its_card(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    layer = torch.nn.Conv2d(3, 2, 1)
    torch.jit.trace(layer.eval(), torch.zeros(1, 3, 8, 8)).save(str(tmp_path / "two.torchscript"))
    card = model_of("two", kind="torchscript", weights=Weights(file="two.torchscript"),
                    output=Output(layout="logits", classes=("a", "b"))).card  # fmt: skip
    window = np.random.default_rng(0).random((2, 3, 8, 8), dtype=np.float32)
    found = load(Model(card, tmp_path / "two.torchscript"))(window)[0]
    weights = layer.weight.detach().numpy()[:, :, 0, 0]
    wanted = np.einsum("oc,nchw->nohw", weights, window) + layer.bias.detach().numpy()[None, :, None, None]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_a_transformers_model_in_a_folder_is_found_and_segments(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    config = transformers.SegformerConfig(
        num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[8, 16],
        num_attention_heads=[1, 2], patch_sizes=[7, 3],
        strides=[4, 2], mlp_ratios=[2, 2], decoder_hidden_size=16,
        id2label={0: "land", 1: "water", 2: "road"}, label2id={"land": 0, "water": 1, "road": 2},
    )  # fmt: skip
    transformers.SegformerForSemanticSegmentation(config).save_pretrained(tmp_path / "tiny")
    found = registry(tmp_path).get("tiny")
    assert (found.card.kind, found.card.output.classes) == ("transformers", ("land", "water", "road"))
    outputs = load(found)(np.zeros((1, 3, 64, 64), np.float32))
    assert outputs[0].shape[:2] == (1, 3)


def test_the_metadata_of_an_export_becomes_its_card(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    shape = [1, 3, 64, 64]
    graph = helper.make_graph(
        [helper.make_node("Identity", ["images"], ["output0"])], "g",
        [helper.make_tensor_value_info("images", onnx.TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("output0", onnx.TensorProto.FLOAT, shape)],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    said = {"task": "detect", "names": "{0: 'plane', 1: 'ship'}", "imgsz": "[64, 64]",
            "license": "AGPL-3.0 License (x)", "description": "A detector", "version": "8.4.190"}  # fmt: skip
    helper.set_model_props(made, said)
    onnx.save(made, tmp_path / "Harbour Net.onnx")
    found = registry(tmp_path).get("harbour-net")
    assert found.ready and found.own
    assert json.loads(found.card.model_dump_json(include={"tasks", "kind", "licence", "output"})) == {
        "tasks": ["object-detection"],
        "kind": "onnx",
        "licence": "AGPL-3.0",
        "output": {"layout": "boxes", "classes": ["plane", "ship"], "min_score": 0.25, "scale": 1},
    }
    assert (found.card.input.size_px, found.card.input.fixed_size) == (64, True)
