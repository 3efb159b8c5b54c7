"""How a model is loaded: the lines of Python for the library that holds it, and what is to be installed.

Facts as the libraries document them. Azimuth runs ONNX, TorchScript and Transformers files itself
(`copilot models`); what only a library loads has these lines, and can be exported to such a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from data.modelzoo.schema import Library, ModelRecord


@dataclass(frozen=True)
class Way:
    """One way to load a model."""

    library: Library
    name: str
    install: str
    """The package as pip names it."""
    code: str
    """Lines of Python that fetch the weights; all but TorchGeo's end in `model`."""


def ways(record: ModelRecord) -> tuple[Way, ...]:
    """The ways to load a model, in the order of its record; none where no library holds it by name."""
    return tuple(
        Way(each.library, each.name, _PACKAGES[each.library], _CODE[each.library](each.name))
        for each in record.loading
    )


def in_words(record: ModelRecord) -> str:
    """How a model is loaded, for a person: a sentence and the lines of each way, at most three."""
    found = ways(record)
    if not found:
        return next_step(record)
    shown = found[:3]
    said = [f"# {each.library}: pip install {each.install}\n{each.code}" for each in shown]
    more = f"\n# {len(found) - 3} more variants: copilot modelzoo show {record.model_id}" if found[3:] else ""
    return "\n".join(said) + more


def next_step(record: ModelRecord, modalities: Sequence[str] = ()) -> str:
    """What to do to get a model's weights, as one sentence; of several, those for the asked kinds of data."""
    found = ways(record)
    if found:
        marks = [mark for each in modalities for mark in _MARKS.get(each, ())]
        first = next((each for each in found if any(mark in each.name for mark in marks)), found[0])
        return f"`copilot models pull {record.model_id}` says how {first.install} loads it as {first.name}."
    if record.weights is not None:
        return f"Its weights are at {record.weights}; no library is known to load them by name."
    return "No source states where its weights are."


def _torchgeo(name: str) -> str:
    return (
        "from torchgeo.models import get_weight\n"
        f'weights = get_weight("{name}")\n'
        "state = weights.get_state_dict(progress=True)  # fetches them; weights.meta has their licence"
    )


def _transformers(name: str) -> str:
    return f'from transformers import AutoModel\nmodel = AutoModel.from_pretrained("{name}")'


def _terratorch(name: str) -> str:
    return (
        "from terratorch import BACKBONE_REGISTRY\n"
        f'model = BACKBONE_REGISTRY.build("{name}", pretrained=True)'
    )


def _timm(name: str) -> str:
    return f'import timm\nmodel = timm.create_model("{name}", pretrained=True)'


def _open_clip(name: str) -> str:
    architecture, _, file = name.partition(" (")
    pretrained = f', pretrained="{file.rstrip(")")}"' if file else ""
    return (
        "import open_clip\n"
        f'model, _, preprocess = open_clip.create_model_and_transforms("{architecture}"{pretrained})'
    )


def _torch_hub(name: str) -> str:
    repository, _, entry = name.partition(" ")
    return f'import torch\nmodel = torch.hub.load("{repository}", "{entry}", pretrained=True)'


def _onnx(name: str) -> str:
    return f'import onnxruntime\nmodel = onnxruntime.InferenceSession("{name}")'


_MARKS: Mapping[str, tuple[str, ...]] = {
    "sar": ("SENTINEL1",), "multispectral": ("SENTINEL2", "LANDSAT"), "rgb": ("AERIAL", "NAIP", "_RGB"),
}  # fmt: skip
"""What TorchGeo writes into the names of weights for a kind of data."""
_PACKAGES: Mapping[Library, str] = {
    "torchgeo": "torchgeo", "transformers": "transformers", "terratorch": "terratorch", "timm": "timm",
    "open_clip": "open_clip_torch", "torch.hub": "torch", "onnx": "onnxruntime",
}  # fmt: skip
_CODE: Mapping[Library, Callable[[str], str]] = {
    "torchgeo": _torchgeo, "transformers": _transformers, "terratorch": _terratorch, "timm": _timm,
    "open_clip": _open_clip, "torch.hub": _torch_hub, "onnx": _onnx,
}  # fmt: skip
