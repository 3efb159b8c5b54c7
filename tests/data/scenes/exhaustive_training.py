"""Training the detector from the command's own function: it runs, and what it writes is a detector."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from data.models.training.scoring import Detector


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_short_training_writes_a_detector_and_no_weights_but_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("ultralytics", reason="Training needs PyTorch and Ultralytics.")
    from data.models.training.detector import train

    # Streamlit leaves a script of its own as the process's main one: what is started must not run it anew.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "gone.py"), raising=False)
    told: list[str] = []
    out = train(tmp_path / "made" / "oriented-objects.onnx", minutes=0.05, seed=3, say=told.append)
    assert out.stat().st_size < 10_000_000
    assert [each.name for each in out.parent.iterdir() if each.suffix == ".pt"] == []
    found = Detector(out).find(np.full((3, 128, 192), 90, np.uint8), least=0.0)
    assert found.corners.shape[1:] == (4, 2) and len(found.scores) > 0
    assert np.isfinite(found.corners).all()
