"""Make an ONNX file of weights that need PyTorch, so that they run without it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from data.models.registry import Model, plain_name
from data.raster.errors import RasterError


def export_onnx(model: Model, folder: Path, *, size_px: int | None = None) -> Path:
    """Write `<name>-onnx.onnx` into the models folder; the file. Raises RasterError in one sentence.

    Ultralytics' own exporter writes class names, task and size into the file, so it needs no card. Others
    get one beside it, a copy of the model's with another kind.
    """
    from data.models.runners import load

    kind = model.card.kind
    if kind == "onnx":
        raise RasterError(f"{model.name} is an ONNX file already: {model.weights}.")
    if kind in ("method", "chat"):
        raise RasterError(f"{model.name} is of kind {kind} and has no weights to export.")
    runner = load(model)  # refuses what is no network, before Ultralytics unpickles the file
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{plain_name(model.name)}-onnx.onnx"
    side = size_px or model.card.input.size_px or 640
    part = target.with_name(f".{target.name}.part")
    try:
        if kind == "ultralytics" and model.weights is not None:
            _ultralytics(model.weights, part, side)
        else:
            _plain(runner, part, side, len(model.card.input.bands) or 3)
            _card_beside(model, target, side)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return target


def _ultralytics(weights: Path, part: Path, side: int) -> None:
    os.environ.setdefault("YOLO_OFFLINE", "true")
    from ultralytics.models import YOLO

    with tempfile.TemporaryDirectory(prefix="azimuth-export-") as scratch:
        copy = Path(shutil.copy(weights, scratch))
        made = YOLO(str(copy)).export(format="onnx", imgsz=side, dynamic=True, simplify=False, verbose=False)
        shutil.copy(str(made), part)


def _plain(runner: object, part: Path, side: int, bands: int) -> None:
    import torch

    module = getattr(runner, "module", None)
    if module is None:
        raise RasterError("This runner holds no PyTorch module to export.")
    example = torch.zeros(1, bands, side, side)
    free = {0: "n", 2: "rows", 3: "columns"}
    torch.onnx.export(
        _one_tensor(module), (example,), str(part), input_names=["images"], output_names=["output"],
        dynamic_axes={"images": free}, dynamo=False,
    )  # fmt: skip


def _one_tensor(module: Any) -> Any:
    """The module with one tensor out, whatever structure it answers with."""
    import torch

    class OneTensor(torch.nn.Module):
        def __init__(self, inner: Any) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, images: Any) -> Any:
            said = self.inner(images)
            if isinstance(said, torch.Tensor):
                return said
            return said["logits"] if isinstance(said, dict) else said.logits

    return OneTensor(module).eval()


def _card_beside(model: Model, target: Path, side: int) -> None:
    """The model's card for the ONNX file: JSON's strings, numbers and lists are TOML's too."""
    import json

    card = model.card.model_dump(mode="json", exclude_none=True)
    weights = {"file": target.name}
    tables = {"weights": weights, "input": {**card["input"], "size_px": side}, "output": card["output"]}
    flat = {key: value for key, value in card.items() if key not in (*tables, "measured")}
    flat |= {"name": target.stem, "kind": "onnx"}
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in flat.items()]
    for name, table in tables.items():
        lines += [
            f"[{name}]",
            *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items()),
        ]
    for each in card["measured"]:
        lines += [
            "[[measured]]",
            *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in each.items()),
        ]
    target.with_suffix(".toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
