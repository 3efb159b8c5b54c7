"""Short trainings of networks."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from tests.real_files import real


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("script", "folder", "takes", "gives"),
    [
        ("segmenter", lambda: real("dubai_seg"), (1, 3, 64, 96), (1, 5, 64, 96)),
        ("upscaler", lambda: real("naip").parent, (2, 1, 20, 30), (2, 1, 40, 60)),
    ],
)
def test_a_short_training_writes_a_network_for_pictures_of_any_size(
    tmp_path: Path, script: str, folder: Callable[[], Path], takes: tuple[int, ...], gives: tuple[int, ...]
) -> None:
    pytest.importorskip("torch", reason="Training needs PyTorch.")
    import onnxruntime

    told = import_module(f"data.models.training.{script}").train(
        tmp_path / "made.onnx", minutes=0.02, seed=3, folder=folder()
    )
    assert (told["steps"] > 0, told["seed"]) == (True, 3)
    session = onnxruntime.InferenceSession(str(tmp_path / "made.onnx"), providers=["CPUExecutionProvider"])
    made = session.run(None, {session.get_inputs()[0].name: np.zeros(takes, np.float32)})[0]
    assert made.shape == gives and np.isfinite(made).all()
