"""Layouts, the serving of models, and weights of every kind, with networks made here from a seed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rasterio
from affine import Affine
from numpy.typing import NDArray

from data.models.card import Input, read_card
from data.models.layouts import decoded
from data.models.peek import inferred_card
from data.models.preparing import preparation
from data.models.registry import CARDS, Model
from data.models.runners import load
from data.models.serving import Served, Serving
from data.raster.errors import RasterError


def model_of(name: str, **more: Any) -> Model:
    card = read_card(CARDS / "oriented-objects.toml").model_copy(update={"name": name, **more})
    return Model(card, Path("/nowhere"))


def test_candidates_are_decoded_to_the_best_box_of_each_object() -> None:
    # Two candidates on one plane, one ship elsewhere, one below the score: (1, 4 + 2 + 1, 4).
    rows = np.array(
        [
            [50, 40, 30, 10, 0.9, 0.0, 0.5],
            [51, 40, 30, 10, 0.8, 0.0, 0.5],
            [10, 10, 8, 4, 0.0, 0.6, 0.0],
            [90, 90, 8, 4, 0.1, 0.1, 0.0],
        ],
        dtype=np.float32,
    )
    found = decoded([rows.T[None]], "oriented", 0.25, (128, 128))[0]
    assert found.classes.tolist() == [0, 1]
    assert found.scores.round(3).tolist() == [0.9, 0.6]
    assert found.corners[1].tolist() == [[6, 8], [14, 8], [14, 12], [6, 12]]
    along = found.corners[0][1] - found.corners[0][0]
    assert np.arctan2(along[1], along[0]) == pytest.approx(0.5)
    assert np.hypot(*along) == pytest.approx(30)


def test_finished_boxes_are_taken_as_they_are() -> None:
    rows = np.array([[[1, 2, 5, 8, 0.7, 1], [0, 0, 1, 1, 0.1, 0]]], dtype=np.float32)
    found = decoded([rows], "boxes-final", 0.25, (16, 16))[0]
    assert found.corners.tolist() == [[[1, 2], [5, 2], [5, 8], [1, 8]]]
    assert (found.classes.tolist(), found.scores.round(3).tolist()) == ([1], [0.7])


def test_segments_are_outlined_by_their_prototypes_inside_their_box() -> None:
    protos = np.full((1, 32, 16, 16), -1.0, dtype=np.float32)
    protos[0, 0, 4:10, 2:12] = 5
    numbers = np.zeros(32, dtype=np.float32)
    numbers[0] = 1
    row = np.concatenate([[32, 28, 60, 60, 0.9], numbers]).astype(np.float32)  # one class
    found = decoded([row[None, :, None], protos], "segments", 0.25, (64, 64))[0]
    assert found.outlines is not None
    low, high = found.outlines[0].min(axis=0), found.outlines[0].max(axis=0)
    assert (low.tolist(), high.tolist()) == ([10, 18], [46, 38])


def test_arrays_of_another_layout_are_refused() -> None:
    with pytest.raises(ValueError, match="7 numbers a candidate"):
        decoded([np.zeros((1, 3, 9), np.float32)], "oriented-final", 0.5, (8, 8))


class Doubling:
    """A runner that takes a while the first time, so that others queue up behind it."""

    layout = "vector"
    size_bytes = 10

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.started, self.go_on = threading.Event(), threading.Event()

    def __call__(self, batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        self.sizes.append(len(batch))
        self.started.set()
        assert self.go_on.wait(10)
        if (batch < 0).any():
            raise RasterError("A negative window.")
        return (batch.sum(axis=(1, 2, 3)) * 2,)


def test_what_waits_for_one_model_goes_through_together_and_each_gets_its_own() -> None:
    runner = Doubling()
    served = Served(model_of("m", input=Input(modality=("optical",), batch=4)), runner)  # type: ignore[arg-type]
    first = served.submit(np.ones((1, 1, 1, 1), np.float32))
    assert runner.started.wait(10)
    others = [served.submit(np.full((1, 1, 1, 1), value, np.float32)) for value in (2, 3, 4, 5, 6)]
    runner.go_on.set()
    assert [each.result(10)[0].tolist() for each in (first, *others)] == [[2], [4], [6], [8], [10], [12]]
    assert runner.sizes == [1, 4, 1]
    served.stop()
    assert served.run(np.full((1, 1, 1, 1), 7, np.float32))[0].tolist() == [14]


def test_a_batch_that_fails_tells_every_caller_and_the_model_goes_on() -> None:
    runner = Doubling()
    runner.go_on.set()
    served = Served(model_of("m"), runner)  # type: ignore[arg-type]
    with pytest.raises(RasterError, match="negative"):
        served.run(np.full((1, 1, 1, 1), -1, np.float32))
    assert served.run(np.ones((1, 1, 1, 1), np.float32))[0].tolist() == [2]
    served.stop()


def test_models_are_loaded_once_and_the_one_used_longest_ago_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads: list[str] = []

    def loading(model: Model) -> Doubling:
        loads.append(model.name)
        return Doubling()

    monkeypatch.setattr("data.models.serving.load", loading)
    serving = Serving(most_bytes=25)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(serving.served, [model_of("a")] * 4))
    serving.served(model_of("b"))
    serving.served(model_of("a"))
    serving.served(model_of("c"))
    assert loads == ["a", "b", "c"]
    assert [each.model.name for each in serving.loaded()] == ["a", "c"]
    serving.clear()


def test_weights_that_are_no_onnx_file_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"not a model")
    card, reason = inferred_card(tmp_path / "broken.onnx")
    assert (card.name, reason) == ("broken", "broken.onnx cannot be read as a model; is it whole?")
    with pytest.raises(RasterError, match=r"^broken\.onnx is no ONNX model that ONNX Runtime can run\.$"):
        load(Model(card, tmp_path / "broken.onnx"))


def test_without_torch_one_sentence_names_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data.models.torched.find_spec", lambda name: None)
    (tmp_path / "x.pt").write_bytes(b"x")
    model = model_of("x", kind="ultralytics")
    with pytest.raises(RasterError, match=r"^x is of kind ultralytics.*`make setup-torch`"):
        load(Model(model.card, tmp_path / "x.pt"))


@pytest.mark.parametrize(
    ("scaling", "dtype", "stored", "wanted"),
    [
        ("bytes", "uint8", 51, 0.2),
        ("reflectance", "uint16", 2500, 0.25),
        ("reflectance", "float32", 0.25, 0.25),
        ("decibel", "float32", 0.01, (-20 + 30) / 35),
        ("decibel", "float32", -20.0, (-20 + 30) / 35),
        ("raw", "float32", 7.5, 7.5),
    ],
)
def test_pixels_become_what_the_network_was_trained_on(
    tmp_path: Path, scaling: str, dtype: str, stored: float, wanted: float
) -> None:
    path = tmp_path / "one.tif"
    values = np.full((1, 8, 8), stored, dtype=dtype)
    place = Affine(1, 0, 5, 0, -1, 5)
    with rasterio.open(
        path, "w", driver="GTiff", width=8, height=8, count=1, dtype=dtype, transform=place
    ) as target:
        target.write(values)
    takes = Input.model_validate({"modality": ["optical"], "bands": ["pan"], "scaling": scaling})
    prepared = preparation(path, (1,), takes)(values, None)
    assert prepared.dtype == np.float32
    np.testing.assert_allclose(prepared, wanted, rtol=1e-5)
