"""Train the detector of planes, ships, vehicles and tanks: an oriented-box YOLO26-n on rendered scenes,
from scratch.

What comes out is `oriented-objects.onnx`: input "images" (n, 3, h, w) float32 RGB from 0 to 1, h and w
multiples of 64 and at least 128 (else free; 512 is meant). Output "objects" (n, 600, 7) float32: x and y of
the middle, longer and shorter side in pixels of the input, score from 0 to 1, place of the class in
`data.scenes.CLASSES` (plane, ship, small-vehicle, large-vehicle, storage-tank), angle in radians of the
first side from the x axis towards y (clockwise as y runs down; not normalised). The network looks at the
image twice, as it is (the first 300 rows) and ENLARGED, where small objects are seen better, so rotated
suppression by class is needed (data.vision.boxes.TURNED_SAME). Rows under a score of 0.05 mean nothing.
Made for 0.1 to 3 m pixels.

YOLO26: Sapkota et al. (2025), YOLO26: key architectural enhancements, arXiv:2509.25164; as in Ultralytics'
yolo26-obb.yaml.
"""

from __future__ import annotations

import copy
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from data.models.training.streaming import FIRST_TRAINING_SEED, Stream, batch
from data.scenes import CLASSES

SCENE_PX = 416
POOL = 3000
SIZES = ((256, 16, 0.85), (384, 8, 0.15))
"""Side of the crops, how many at once, and how often."""
RATE = 1.5e-3
ENLARGED = 1.5
"""How much larger the second look at an image is: scenes that were neither trained nor measured on were found
best with it (mAP50 of 60: once 0.90, with 1.25 beside it 0.94, with 1.5 0.95, with 2 0.94)."""
DEFAULT_MINUTES = 50.0


def train(
    out: Path,
    minutes: float = DEFAULT_MINUTES,
    seed: int = 0,
    *,
    architecture: str = "yolo26n-obb.yaml",
    say: Callable[[str], None] | None = None,
    weights: Path | None = None,
) -> Path:
    """Train for so many minutes on one core and write the ONNX file to `out`. `weights`: go on from such a
    checkpoint.

    The scenes come from seeds beginning at FIRST_TRAINING_SEED + seed * 1,000,000. How many are seen
    depends on the machine's speed, so two runs give networks that are alike, not the same.
    """
    import torch

    model = fresh(architecture, seed)
    if weights is not None:
        model.load_state_dict(torch.load(weights, weights_only=True))
    average = copy.deepcopy(model).eval()
    stream = Stream(FIRST_TRAINING_SEED + seed * 1_000_000, SCENE_PX, POOL)
    out.parent.mkdir(parents=True, exist_ok=True)
    checkpoint = out.with_suffix(".checkpoint")
    try:
        stream.take(24)
        learn(model, average, stream, minutes * 60, seed, checkpoint, say or _tell)
    finally:
        stream.close()
    torch.save(average.state_dict(), checkpoint)
    return export(average, out)


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def fresh(architecture: str, seed: int) -> Any:
    """The network with random weights, for our classes; nothing is fetched and no settings are written to
    the home folder."""
    os.environ.setdefault("YOLO_CONFIG_DIR", tempfile.mkdtemp())
    os.environ["YOLO_AUTOINSTALL"] = "False"
    os.environ["YOLO_OFFLINE"] = "True"
    import torch
    from ultralytics.cfg import get_cfg
    from ultralytics.nn.tasks import OBBModel

    torch.manual_seed(seed)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    model: Any = OBBModel(architecture, nc=len(CLASSES), verbose=False)
    model.args = get_cfg(overrides={"epochs": 100})
    model.names = dict(enumerate(CLASSES))
    return model.to(memory_format=torch.channels_last)


def learn(
    model: Any,
    average: Any,
    stream: Stream,
    seconds: float,
    seed: int,
    checkpoint: Path,
    say: Callable[[str], None],
) -> None:
    """AdamW with a warm-up and a cosine, bfloat16 where it is safe, and the average of the weights kept
    beside."""
    import torch

    rng = np.random.default_rng(seed)
    model.train()
    plain = [p for p in model.parameters() if p.ndim <= 1]
    heavy = [p for p in model.parameters() if p.ndim > 1]
    optimiser = torch.optim.AdamW(
        [{"params": heavy, "weight_decay": 5e-4}, {"params": plain, "weight_decay": 0.0}],
        lr=RATE,
        betas=(0.9, 0.999),
    )
    model.criterion = model.init_criterion()
    started = saved = time.monotonic()
    step, seen, updates, recent = 0, 0, 0, 0.0
    while (done := (time.monotonic() - started) / seconds) < 1:
        rate = RATE * min(1.0, (step + 1) / 100) * (0.02 + 0.98 * (1 + math.cos(math.pi * done)) / 2)
        for group in optimiser.param_groups:
            group["lr"] = rate
        while hasattr(model.criterion, "update") and updates < int(done * 99):
            model.criterion.update()
            updates += 1
        stream.take()
        size, count, _ = SIZES[int(rng.choice(len(SIZES), p=[share for _, _, share in SIZES]))]
        examples = batch(stream.pool, count, size, rng)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            predicted = model(examples["img"])
        loss, parts = model.loss(examples, as_float(predicted))
        optimiser.zero_grad(set_to_none=True)
        (loss.sum() / 16).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimiser.step()
        step, seen = step + 1, seen + count
        follow(average, model, 0.998 * (1 - math.exp(-step / 300)))
        recent += 0.05 * (float(loss.detach().sum()) / count - recent)
        if step % 50 == 0:
            terms = (
                " ".join(f"{name} {float(value):.3f}" for name, value in parts.items())
                if isinstance(parts, dict)
                else ""
            )
            held = f"pool {len(stream.pool)} of {stream.seen}"
            say(f"{done:6.1%} step {step} seen {seen} {held} loss {recent:.3f} {terms}")
        if time.monotonic() - saved > 180:
            torch.save(average.state_dict(), checkpoint)
            saved = time.monotonic()


def as_float(predicted: Any) -> Any:
    """Nested predictions in float32, in which the loss is computed."""
    if isinstance(predicted, dict):
        return {name: as_float(each) for name, each in predicted.items()}
    if isinstance(predicted, (list, tuple)):
        return type(predicted)(as_float(each) for each in predicted)
    return predicted.float() if hasattr(predicted, "float") else predicted


def follow(average: Any, model: Any, keep: float) -> None:
    """The exponential average of weights and statistics."""
    import torch

    with torch.no_grad():
        for mean, now in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
            if mean.dtype.is_floating_point:
                mean.mul_(keep).add_(now.detach(), alpha=1 - keep)
            else:
                mean.copy_(now)


def export(model: Any, out: Path) -> Path:
    """Write the network as ONNX, batch and size free, with what it is in the file's metadata."""
    import onnx
    import torch

    lone = copy.deepcopy(model).float().eval().to(memory_format=torch.contiguous_format)
    head = lone.model[-1]
    head.end2end = True
    lone = lone.fuse(verbose=False)
    head.export, head.dynamic, head.format, head.max_det = True, True, "onnx", 300
    for parameter in lone.parameters():
        parameter.requires_grad = False
    out.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        looking_twice(lone),
        (torch.zeros(1, 3, 512, 512),),
        str(out),
        opset_version=17,
        dynamo=False,
        input_names=["images"],
        output_names=["objects"],
        dynamic_axes={"images": {0: "n", 2: "h", 3: "w"}, "objects": {0: "n"}},
    )
    made = onnx.load(str(out))
    halve(made)
    told = {
        "classes": ",".join(CLASSES),
        "layout": "x,y,w,h,score,class,angle",
        "trained_on": "rendered scenes",
    }
    for name, value in told.items():
        made.metadata_props.add(key=name, value=value)
    onnx.save(made, str(out))
    return out


def looking_twice(network: Any) -> Any:
    """The network over an image and over the same image ENLARGED, all rows in pixels of the image."""
    import torch
    from torch.nn.functional import interpolate

    class Twice(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network
            self.register_buffer("scale", torch.tensor([ENLARGED] * 4 + [1.0] * 3))

        def forward(self, images: Any) -> Any:
            larger = interpolate(images, scale_factor=ENLARGED, mode="bilinear", align_corners=False)
            return torch.cat([self.network(images), self.network(larger) / self.scale], dim=1)

    return Twice().eval()


def halve(made: Any) -> None:
    """Keep large weights in 16 bits, widened where the file is read: half the size, computed in 32 bits."""
    import onnx
    from onnx import numpy_helper

    graph = made.graph
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < 1024:
            continue
        small = numpy_helper.from_array(values.astype(np.float16), tensor.name + "_half")
        graph.initializer.remove(tensor)
        graph.initializer.append(small)
        widen = onnx.helper.make_node("Cast", [small.name], [tensor.name], to=onnx.TensorProto.FLOAT)
        graph.node.insert(0, widen)
