"""Weights that need PyTorch: Ultralytics' checkpoints, TorchScript, and Transformers segmentation models.

A checkpoint is a Python pickle, and loading a pickle may run what its maker put into it. So checkpoints are
loaded with `weights_only`, which builds plain values and tensors and, of classes, only the layers of PyTorch
and Ultralytics; one that names anything else is refused. A model of Transformers is loaded from safetensors
and without code of its own. TorchScript runs in PyTorch's own interpreter, which reaches no Python.
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from data.models.card import Layout
from data.models.registry import Model
from data.models.runners import Runner, threads
from data.raster.errors import RasterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LAYERS = ("torch.nn.modules.", "ultralytics.nn.")
"""Where the classes come from that a checkpoint may name."""
_PLAIN = {"builtins.set", "collections.OrderedDict", "ultralytics.utils.IterableSimpleNamespace"}
_RAW_LAYOUTS: dict[Layout, int] = {"boxes-final": 6, "oriented-final": 7, "segments-final": 38}
_log = logging.getLogger(__name__)


def load(model: Model, path: Path) -> Runner:
    """The model in memory. Raises RasterError without PyTorch, and for weights that are none."""
    kind = model.card.kind
    needed = {"ultralytics": ("torch", "ultralytics"), "transformers": ("torch", "transformers")}
    if any(find_spec(each) is None for each in needed.get(kind, ("torch",))):
        raise RasterError(
            f"{model.name} is of kind {kind}, which needs PyTorch; `make setup-torch` installs it."
        )
    try:
        module = {"ultralytics": _ultralytics, "torchscript": _script, "transformers": _transformers}[kind](
            path
        )
    except RasterError:
        raise
    except Exception as error:  # a broken file fails in any of three libraries
        _log.info("%s: %s", path, error)
        raise RasterError(f"{path.name} cannot be loaded as a model of kind {kind}; is it whole?") from None
    return TorchRunner(model, module, _bytes_of(path))


class TorchRunner:
    """A PyTorch module, on the graphics processor where there is one."""

    def __init__(self, model: Model, module: Any, size_bytes: int) -> None:
        import torch

        torch.set_num_threads(threads())
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self.module = module.to(self._device)
        self._name = model.name
        self.layout: Layout = model.card.output.layout
        self.size_bytes = 2 * size_bytes

    def __call__(self, batch: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        """What the module gives, as arrays."""
        import torch

        with torch.inference_mode():
            try:
                said = self.module(torch.from_numpy(np.ascontiguousarray(batch)).to(self._device))
            except RuntimeError as error:
                _log.info("%s: %s", self._name, error)
                shape = " x ".join(map(str, batch.shape))
                raise RasterError(
                    f"{self._name} cannot run on windows of {shape}; is its card right?"
                ) from None
        arrays = tuple(each.float().cpu().numpy() for each in _tensors(said))
        self._look(arrays)
        return arrays

    def _look(self, arrays: tuple[NDArray[np.float32], ...]) -> None:
        """A checkpoint gives candidates or finished boxes as its head was made: the shape tells which."""
        if not arrays or arrays[0].ndim != 3:
            return
        kind = self.layout.removesuffix("-final")
        final: Layout | None = next((each for each in _RAW_LAYOUTS if each == f"{kind}-final"), None)
        if final is not None:
            is_final = arrays[0].shape[2] == _RAW_LAYOUTS[final]
            self.layout = final if is_final else _raw(kind)


def _raw(kind: str) -> Layout:
    return "oriented" if kind == "oriented" else "segments" if kind == "segments" else "boxes"


def _tensors(said: Any) -> list[Any]:
    """The tensors that count: Ultralytics gives predictions and what training needs, or prototypes."""
    import torch

    if isinstance(said, torch.Tensor):
        return [said]
    if isinstance(said, dict):
        return [said["logits"]] if "logits" in said else list(said.values())[:1]
    if hasattr(said, "logits"):
        return [said.logits]
    first = said[0]
    if isinstance(first, (tuple, list)):
        return [each for each in first if isinstance(each, torch.Tensor)]
    more = [each for each in said[1:] if isinstance(each, torch.Tensor) and each.ndim == 4]
    return [first, *more[:1]]


def _ultralytics(path: Path) -> Any:
    """The module of a checkpoint, for inference."""
    record = checkpoint(path)
    module = record.get("ema") or record["model"]
    module = module.float().eval()
    for layer in module.modules():
        if hasattr(layer, "inplace"):
            layer.inplace = True
    return module.fuse(verbose=False).eval() if hasattr(module, "fuse") else module


def checkpoint(path: Path) -> dict[str, Any]:
    """What an Ultralytics checkpoint holds. Raises RasterError for one that names more than layers."""
    os.environ.setdefault("YOLO_OFFLINE", "true")
    import torch

    named = torch.serialization.get_unsafe_globals_in_checkpoint(path)
    strange = [each for each in named if not (each.startswith(_LAYERS) or each in _PLAIN)]
    if strange:
        raise RasterError(
            f"{path.name} names {strange[0][:80]}, which is no layer of a network, and so it is not loaded."
        )
    allowed: list[Callable[..., Any] | tuple[Callable[..., Any], str]] = [_named(each) for each in named]
    with torch.serialization.safe_globals(allowed):
        record: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return record


def _named(name: str) -> Any:
    """The class of that name, which is one of a layer."""
    module, _, inner = name.rpartition(".")
    found = getattr(importlib.import_module(module), inner)
    if not isinstance(found, type):
        raise RasterError(f"The checkpoint names {name[:80]}, which is no class of a layer.")
    return found


def _script(path: Path) -> Any:
    import torch

    return torch.jit.load(str(path), map_location="cpu").eval()


def _transformers(path: Path) -> Any:
    from transformers import AutoModelForSemanticSegmentation

    return AutoModelForSemanticSegmentation.from_pretrained(
        str(path), local_files_only=True, trust_remote_code=False, use_safetensors=True
    ).eval()


def _bytes_of(path: Path) -> int:
    if path.is_dir():
        return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return path.stat().st_size
