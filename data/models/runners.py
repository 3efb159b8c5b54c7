"""What runs weights: each kind takes a batch of prepared windows and gives the arrays that come out."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from data.models.card import Layout
from data.models.registry import Model
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

THREADS_VARIABLE = "AZIMUTH_MODEL_THREADS"
"""How many threads one model may compute with; all cores when it is unset."""
_WORKING_BYTES = 64 * 1024**2
"""What a runtime holds beside the weights, about."""
_log = logging.getLogger(__name__)


class Runner(Protocol):
    """A model in memory."""

    layout: Layout
    """What comes out: the card's, or what the weights themselves turned out to give."""
    size_bytes: int
    """About how much memory it holds."""

    def __call__(self, batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        """(n, bands, rows, columns), prepared, in; the model's arrays, of n each, out. Raises RasterError."""


def load(model: Model) -> Runner:
    """The model in memory. Raises RasterError in one sentence for weights that are missing or broken."""
    if model.broken:
        raise RasterError(model.broken)
    if model.card.kind in ("method", "chat"):
        raise RasterError(f"{model.name} is of kind {model.card.kind} and has no weights to run.")
    if not model.ready or model.weights is None:
        raise RasterError(
            f"The weights of {model.name} are not here; `copilot models pull {model.name}` fetches them."
        )
    kind = model.card.kind
    if kind == "onnx":
        return OnnxRunner(model, model.weights)
    if kind in ("ultralytics", "torchscript", "transformers"):
        from data.models import torched

        return torched.load(model, model.weights)
    raise RasterError(f"{model.name} is of kind {kind}, which nothing here runs.")


def threads() -> int:
    """How many threads a model may compute with."""
    said = os.environ.get(THREADS_VARIABLE, "").strip()
    return int(said) if said.isdecimal() and 0 < int(said) <= 256 else os.cpu_count() or 1


class OnnxRunner:
    """ONNX Runtime: on the graphics processor where its provider is there, else on all cores."""

    def __init__(self, model: Model, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads()
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads that spin take the cores from whoever reads the next windows.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        there = onnxruntime.get_available_providers()
        wanted = [each for each in ("CUDAExecutionProvider", "CPUExecutionProvider") if each in there]
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=wanted)
        except Exception as error:  # its errors are of a dozen classes of its own
            _log.info("%s: %s", path, error)
            raise RasterError(f"{path.name} is no ONNX model that ONNX Runtime can run.") from None
        first = self._session.get_inputs()[0]
        self._input = first.name
        self._dtype = {"tensor(float16)": np.float16, "tensor(uint8)": np.uint8}.get(first.type, np.float32)
        self._batch = first.shape[0] if first.shape and isinstance(first.shape[0], int) else None
        self._name = model.name
        self.layout: Layout = model.card.output.layout
        self.size_bytes = 2 * path.stat().st_size + _WORKING_BYTES

    def __call__(self, batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        """The session's outputs; a model of a fixed batch is given that many at a time."""
        values = batch if self._dtype is np.float32 else batch.astype(self._dtype)
        step = self._batch or max(1, len(values))
        parts = [self._run(values[at : at + step], step) for at in range(0, len(values), step)]
        if len(parts) == 1:
            return parts[0]
        return tuple(np.concatenate(each) for each in zip(*parts, strict=True))

    def _run(self, values: NDArray[Any], step: int) -> tuple[NDArray[np.float32], ...]:
        count = len(values)
        if count < step:
            values = np.concatenate([values, np.zeros((step - count, *values.shape[1:]), values.dtype)])
        try:
            found = self._session.run(None, {self._input: values})
        except Exception as error:
            _log.info("%s: %s", self._name, error)
            shape = " x ".join(map(str, values.shape))
            raise RasterError(f"{self._name} cannot run on windows of {shape}; is its card right?") from None
        return tuple(np.asarray(each)[:count] for each in found)
