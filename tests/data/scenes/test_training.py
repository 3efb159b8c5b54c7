"""Training the detector from the command's own function: it runs, and what it writes is a detector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from data.models.training.scoring import Detector


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_short_training_writes_a_detector_and_no_weights_but_its_own(tmp_path: Path):
    pytest.importorskip("ultralytics", reason="Training needs PyTorch and Ultralytics.")
    from data.models.training.detector import train

    told: list[str] = []
    out = train(tmp_path / "made" / "oriented-objects.onnx", minutes=0.05, seed=3, say=told.append)
    assert out.stat().st_size < 10_000_000
    assert [each.name for each in out.parent.iterdir() if each.suffix == ".pt"] == []
    found = Detector(out).find(np.full((3, 128, 160), 90, np.uint8), least=0.0)
    assert found.corners.shape[1:] == (4, 2) and len(found.scores) > 0
    assert np.isfinite(found.corners).all()
