"""What a file of weights says of itself, read without running anything that it holds.

A .pt is a Python pickle, and loading one runs what its maker put into it. Here its names are read by an
unpickler that knows no class and calls nothing; see https://docs.python.org/3/library/pickle.html.
"""

from __future__ import annotations

import ast
import json
import pickle
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from data.models.card import Card, Input, Kind, Layout, Output, Task, Weights

MAX_BYTES = 64 * 1024**2
"""Most bytes of a pickle or of metadata that are read; the numbers lie in files of their own."""
_ULTRALYTICS: dict[str, tuple[tuple[Task, ...], Layout]] = {
    "detect": (("object-detection",), "boxes"),
    "obb": (("oriented-object-detection", "object-detection"), "oriented"),
    "segment": (("instance-segmentation", "object-detection"), "segments"),
    "classify": (("scene-classification",), "scores"),
}
_FINAL: dict[Layout, Layout] = {
    "boxes": "boxes-final",
    "oriented": "oriented-final",
    "segments": "segments-final",
}


def inferred_card(path: Path) -> tuple[Card, str]:
    """A card made up for bare weights, and why they cannot be used: empty when they can."""
    from data.models.registry import plain_name

    name = plain_name(path.stem if path.is_file() else path.name)
    try:
        if path.is_dir():
            return _transformers(path, name), ""
        said = _metadata(path)
        if said.get("task") in _ULTRALYTICS:
            return _ultralytics(path, name, said), ""
        reason = f"{path.name} does not say what it does; put a card {path.stem}.toml beside it."
    except (OSError, ValueError, TypeError, KeyError, IndexError, zipfile.BadZipFile, pickle.PickleError):
        reason = f"{path.name} cannot be read as a model; is it whole?"
    return _unknown(path, name), reason


def _metadata(path: Path) -> dict[str, Any]:
    """`task`, `names`, `imgsz` and what else Ultralytics writes into its files; "kind" is the file's."""
    if path.suffix == ".onnx":
        return {"kind": "onnx", **_onnx(path)}
    with zipfile.ZipFile(path) as archive:
        inside = archive.namelist()
        script = any(each.endswith("/constants.pkl") for each in inside)
        notes = next((each for each in inside if each.endswith("extra/config.txt")), None)
        if script:
            return {"kind": "torchscript", **(json.loads(_bounded(archive, notes)) if notes else {})}
        record = next(each for each in sorted(inside) if each.endswith("data.pkl"))
        return {"kind": "ultralytics", **_checkpoint(_bounded(archive, record))}


def _onnx(path: Path) -> dict[str, Any]:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors are of a dozen classes of its own
        raise ValueError(str(error)) from None
    said: dict[str, Any] = {}
    for key, text in session.get_modelmeta().custom_metadata_map.items():
        try:
            said[key] = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError):
            said[key] = text
    said["input_shape"] = session.get_inputs()[0].shape
    said["output_shape"] = session.get_outputs()[0].shape
    return said


class _Anything:
    """What stands for every object of a pickle: it takes what it is given and does nothing."""

    def __init__(self, *ignored: Any, **more: Any) -> None:
        self.state: Any = None

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __call__(self, *ignored: Any, **more: Any) -> _Anything:
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def append(self, value: Any) -> None:
        """A list of another's class."""

    def extend(self, values: Any) -> None:
        """A list of another's class."""

    def add(self, value: Any) -> None:
        """A set of another's class."""


class _Reader(pickle.Unpickler):
    """Builds plain values and stand-ins; no class is looked up and no function is called."""

    def find_class(self, module: str, name: str) -> Any:
        return dict if (module, name) == ("collections", "OrderedDict") else _Anything

    def persistent_load(self, pid: Any) -> Any:
        return _Anything()


def _checkpoint(pickled: bytes) -> dict[str, Any]:
    """Task, class names and image size of an Ultralytics checkpoint."""
    import io

    record = _Reader(io.BytesIO(pickled)).load()
    if not isinstance(record, Mapping):
        return {}
    model = record.get("ema") or record.get("model")
    inner = getattr(model, "state", None)
    inner = inner if isinstance(inner, Mapping) else {}
    arguments = record.get("train_args")
    arguments = arguments if isinstance(arguments, Mapping) else {}
    return {
        "task": arguments.get("task") or inner.get("task"),
        "imgsz": arguments.get("imgsz"),
        "names": inner.get("names"),
        "license": record.get("license"),
        "version": record.get("version"),
        "description": arguments.get("model"),
    }


def _ultralytics(path: Path, name: str, said: Mapping[str, Any]) -> Card:
    tasks, layout = _ULTRALYTICS[str(said["task"])]
    kind: Kind = said["kind"]
    if kind == "onnx" and (said.get("end2end") is True or _is_final(said, layout)):
        layout = _FINAL.get(layout, layout)
    side, fixed = _side(said)
    return Card(
        name=name,
        version=str(said.get("version") or "1")[:40],
        title=f"{str(said.get('description') or 'Ultralytics model').strip()[:150]} (from its own file)",
        tasks=tasks,
        architecture=_architecture(said),
        kind=kind,
        licence=_licence(said),
        weights=Weights(file=path.name),
        input=Input(
            modality=("optical",), bands=("red", "green", "blue"), size_px=side, fixed_size=fixed,
            batch=_batch(said),
        ),
        output=Output(layout=layout, classes=_names(said)),
        weak_points=("Nothing is known of how it was trained: the card was made up from the file.",),
    )  # fmt: skip


def _is_final(said: Mapping[str, Any], layout: Layout) -> bool:
    """Ultralytics says so in its metadata since 8.4; the shape tells before: few columns, one a candidate."""
    shape: Sequence[Any] = said.get("output_shape") or ()
    width = {"boxes": 6, "oriented": 7, "segments": 38}.get(layout)
    return len(shape) == 3 and shape[2] == width


def _side(said: Mapping[str, Any]) -> tuple[int, bool]:
    size = said.get("imgsz")
    side = max(size) if isinstance(size, (list, tuple)) and size else size
    side = side if isinstance(side, int) and 16 <= side <= 8192 else 640
    shape: Sequence[Any] = said.get("input_shape") or ()
    return side, said["kind"] != "ultralytics" and not (len(shape) == 4 and isinstance(shape[3], str))


def _batch(said: Mapping[str, Any]) -> int:
    shape: Sequence[Any] = said.get("input_shape") or ()
    return int(shape[0]) if shape and isinstance(shape[0], int) and 1 <= shape[0] <= 256 else 4


def _names(said: Mapping[str, Any]) -> tuple[str, ...]:
    names = said.get("names")
    if isinstance(names, Mapping):
        return tuple(str(names[key])[:60] for key in sorted(names, key=int))
    return tuple(str(each)[:60] for each in names) if isinstance(names, (list, tuple)) else ()


def _architecture(said: Mapping[str, Any]) -> str:
    words = [str(each) for each in (said.get("description"), "Ultralytics") if each]
    return words[0][:80]


def _licence(said: Mapping[str, Any]) -> str:
    text = str(said.get("license") or "")
    return "AGPL-3.0" if "AGPL" in text else (text[:60] or "unknown")


def _transformers(path: Path, name: str) -> Card:
    """A segmentation model as `save_pretrained` writes it: config.json, weights, perhaps a preprocessor."""
    said = json.loads((path / "config.json").read_text(encoding="utf-8")[:MAX_BYTES])
    preparing = path / "preprocessor_config.json"
    steps = json.loads(preparing.read_text(encoding="utf-8")[:MAX_BYTES]) if preparing.is_file() else {}
    labels = said.get("id2label") or {}
    size = steps.get("size") or {}
    side = size.get("height") if isinstance(size, Mapping) else None
    return Card(
        name=name,
        title=f"{(said.get('architectures') or ['Transformers model'])[0]} (from its own folder)",
        tasks=("semantic-segmentation", "land-cover"),
        architecture=str(said.get("model_type") or "Transformers"),
        kind="transformers",
        licence="unknown",
        weights=Weights(file=path.name),
        input=Input(
            modality=("optical",),
            bands=("red", "green", "blue"),
            size_px=side if isinstance(side, int) else 512,
            fixed_size=False,
            mean=tuple(steps.get("image_mean") or ()),
            std=tuple(steps.get("image_std") or ()),
        ),
        output=Output(layout="logits", classes=tuple(str(labels[key]) for key in sorted(labels, key=int))),
        weak_points=("Nothing is known of how it was trained: the card was made up from the folder.",),
    )


def _unknown(path: Path, name: str) -> Card:
    return Card(
        name=name,
        title=f"Weights without a card: {path.name}"[:200],
        tasks=("object-detection",),
        architecture="unknown",
        kind="onnx" if path.suffix == ".onnx" else "ultralytics",
        licence="unknown",
        weights=Weights(file=path.name),
        input=Input(modality=("optical",), bands=("red", "green", "blue")),
    )


def _bounded(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > MAX_BYTES:
        raise ValueError(f"{name} is too large")
    return archive.read(name)
