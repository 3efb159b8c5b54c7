"""Train the land-cover network: a small U-Net that tells five classes apart in a colour picture.

Data: the aerial tiles of Dubai by MBRSC and Humans in the Loop (CC0). The split is by tile: what is measured
is measured on a tile of which no pixel was trained on. Within a training nothing is chosen by looking at that
tile; what was chosen by it between trainings stands on the card.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from data.models.evaluating.agreement import confusion, intersections, right
from data.models.preparing import stretched

CLASSES = ("building", "land", "road", "vegetation", "water")
COLOURS = ((0x3C, 0x10, 0x98), (0x84, 0x29, 0xF6), (0x6E, 0xC1, 0xE4), (0xFE, 0xDD, 0x3A), (0xE2, 0xA9, 0x29))
"""What the masks say a class with; everything else is unlabelled."""
FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "dubai_seg"
"""Where the tiles lie: beside the repository."""
TILES = (1, 2, 4, 5, 7)
KEPT_OUT = (2,)
"""Chosen before anything was trained: the tile whose shares of the classes are most even."""
RENDERED_SEED = 400_000
"""Rendered scenes are of this seed and those after it."""
CROP_PX = 256
BATCH = 8
CHANNELS = (32, 64, 96, 128)
UNLABELLED = 255
MEAN, SPREAD = 0.5, 0.251
"""What the network gets of `seen` is (value / 255 - MEAN) / SPREAD: `mean` and `std` of its card, whose
scaling is `percentile`."""
ENLARGED = 1.5
"""How much larger the network is shown a picture than it is: lanes and huts are a few pixels wide."""
MULTIPLE_PX = 32
"""Sides that are whole at a sixteenth of the enlarged picture; the card's `multiple_px`."""
RATE = 2e-3
WEIGHTS = (1.4, 0.7, 1.4, 1.4, 1.0)
"""Of the classes in the loss, so that rare ones are learned; what is exported is freed of them again."""

Picture = NDArray[np.uint8]


def block(inward: int, outward: int, dilation: int = 1) -> nn.Sequential:
    """A 3 x 3 convolution, normalised over the batch, with a leaky rectifier."""
    return nn.Sequential(
        nn.Conv2d(inward, outward, 3, padding=dilation, dilation=dilation, bias=False),
        nn.BatchNorm2d(outward),
        nn.LeakyReLU(0.1),
    )


class Unet(nn.Module):
    """An encoder and a decoder (Ronneberger et al. 2015) from half the resolution down to a sixteenth.

    Going in, 2 x 2 pixels become channels of one; coming out, channels become 2 x 2 pixels again (Shi et al.
    2016), so that the costly finest level is left out. The lowest level sees far by dilation rather than by
    a mean over the whole tile: what is said of a pixel does not depend on where a scene was cut.
    """

    def __init__(self, classes: int = len(CLASSES), channels: tuple[int, ...] = CHANNELS) -> None:
        super().__init__()
        self.down = nn.ModuleList()
        inward = 12
        for outward in channels:
            self.down.append(nn.Sequential(block(inward, outward), block(outward, outward)))
            inward = outward
        self.far = nn.ModuleList(block(inward, inward, dilation) for dilation in (2, 4))
        self.up = nn.ModuleList()
        for outward in reversed(channels[:-1]):
            self.up.append(nn.Sequential(block(inward + outward, outward), block(outward, outward)))
            inward = outward
        self.last = nn.Conv2d(inward, 4 * classes, 1)
        self.loose = nn.Dropout2d(0.1)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """(n, 3, rows, columns), normalised, sides a multiple of 16, to (n, classes, rows, columns)."""
        kept = []
        values = nn.functional.pixel_unshuffle(pictures, 2)
        for level, each in enumerate(self.down):
            values = each(nn.functional.max_pool2d(values, 2) if level else values)
            kept.append(values)
        for each in self.far:
            values = values + each(values)
        values = self.loose(values)
        for each, beside in zip(self.up, reversed(kept[:-1]), strict=True):
            values = nn.functional.interpolate(values, scale_factor=2.0, mode="nearest")
            values = each(torch.cat([values, beside], 1))
        return nn.functional.pixel_shuffle(self.last(values), 2)


def labels_of(mask: Picture) -> Picture:
    """(rows, columns, 3) of a mask's colours as class numbers, UNLABELLED elsewhere."""
    code = mask.astype(np.int32) @ np.array([65536, 256, 1], dtype=np.int32)
    labels = np.full(code.shape, UNLABELLED, dtype=np.uint8)
    for number, (red, green, blue) in enumerate(COLOURS):
        labels[code == red * 65536 + green * 256 + blue] = number
    return labels


def seen(picture: Picture) -> Picture:
    """A whole picture as the network is shown it: each band stretched between its ends, as bytes."""
    return np.asarray((stretched(picture) * 255.0).round(), dtype=np.uint8)


def examples(folder: Path, tiles: tuple[int, ...]) -> dict[int, list[tuple[Picture, Picture]]]:
    """The pictures, stretched, and labels of each tile. Raises FileNotFoundError where a tile is absent."""
    found: dict[int, list[tuple[Picture, Picture]]] = {}
    for tile in tiles:
        for path in sorted((folder / f"tile_{tile}" / "masks").glob("*.png")):
            image: Any = cv2.imread(str(path.parents[1] / "images" / f"{path.stem}.jpg"))
            mask: Any = cv2.imread(str(path))
            pair = (
                seen(np.ascontiguousarray(image[..., ::-1], dtype=np.uint8)),
                labels_of(mask[..., ::-1].astype(np.uint8)),
            )
            found.setdefault(tile, []).append(pair)
        if tile not in found:
            raise FileNotFoundError(f"There is no tile {tile} in {folder}.")
    return found


def rendered(count: int, first_seed: int = RENDERED_SEED) -> list[tuple[Picture, Picture]]:
    """Rendered scenes as pictures and labels: paved, burned and snow are unlabelled."""
    from data.scenes import COVERS, render

    classes = {
        "water": "water", "grass": "vegetation", "crops": "vegetation", "trees": "vegetation",
        "soil": "land", "sand": "land", "road": "road", "building": "building",
    }  # fmt: skip
    numbers = np.array(
        [CLASSES.index(classes[each]) if each in classes else UNLABELLED for each in COVERS], dtype=np.uint8
    )
    themes = ("town", "suburb", "fields", "town", "harbour", "suburb", "sea", "woods")
    found = []
    for at in range(count):
        gsd_m = 0.5 * 2.0 ** float(np.random.default_rng(first_seed + at).uniform(-0.5, 2.0))
        scene = render(first_seed + at, "optical", 384, gsd_m, theme=themes[at % len(themes)])
        picture = np.ascontiguousarray(scene.pixels[:3].transpose(1, 2, 0), dtype=np.uint8)
        found.append((seen(picture), numbers[scene.landcover]))
    return found


def sample(pairs: list[tuple[Picture, Picture]], random: np.random.Generator) -> tuple[Picture, Picture]:
    """A crop of one of the pictures, turned, mirrored, scaled by 0.5 to 2, and its colours changed."""
    sizes = np.array([labels.size for _, labels in pairs], dtype=float)
    image, labels = pairs[int(random.choice(len(pairs), p=sizes / sizes.sum()))]
    rows, columns = labels.shape
    scale = 2.0 ** random.uniform(-1.0, 1.0)
    angle = (
        random.uniform(0.0, 2.0 * math.pi) if random.random() < 0.5 else 0.5 * math.pi * random.integers(4)
    )
    mirror = 1.0 if random.random() < 0.5 else -1.0
    cosine, sine = math.cos(angle) / scale, math.sin(angle) / scale
    matrix = np.array([[cosine * mirror, -sine, 0.0], [sine * mirror, cosine, 0.0]])
    half = CROP_PX / 2.0
    centre = np.array([random.uniform(0, columns), random.uniform(0, rows)])
    reach = np.minimum(half / scale, np.array([columns, rows]) / 2.0)
    centre = np.clip(centre, reach, np.array([columns, rows]) - reach)
    first = np.maximum(0, (centre - 1.5 * half / scale).astype(int))
    image, labels = (each[first[1] :, first[0] :][: int(3 * half / scale) + 2, : int(3 * half / scale) + 2]
                     for each in (image, labels))  # fmt: skip
    matrix[:, 2] = centre - first - matrix[:, :2] @ np.array([half, half])
    if scale < 0.8:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.4 / scale), dtype=np.uint8)
    size, inverse = (CROP_PX, CROP_PX), cv2.WARP_INVERSE_MAP
    crop = cv2.warpAffine(
        image, matrix, size, flags=cv2.INTER_LINEAR | inverse, borderMode=cv2.BORDER_REFLECT_101
    )
    truth = cv2.warpAffine(
        labels, matrix, size, flags=cv2.INTER_NEAREST | inverse,
        borderMode=cv2.BORDER_CONSTANT, borderValue=UNLABELLED,
    )  # fmt: skip
    return recoloured(np.asarray(crop, dtype=np.uint8), random), np.asarray(truth, dtype=np.uint8)


def recoloured(picture: Picture, random: np.random.Generator) -> Picture:
    """The picture under other light, seen by another sensor: tone, hue, contrast, haze, blur and noise."""
    values = picture.astype(np.float32) / 255.0
    if random.random() < 0.8:
        values = np.clip(values, 0.0, 1.0) ** np.float32(2.0 ** random.uniform(-0.6, 0.6))
        grey = values.mean(axis=2, keepdims=True)
        values = grey + (values - grey) * np.float32(random.uniform(0.4, 1.6))
        gains = random.uniform(0.85, 1.15, 3) * random.uniform(0.75, 1.25)
        values = values * gains.astype(np.float32) + random.uniform(-0.08, 0.08, 3).astype(np.float32)
        middle = np.float32(values.mean())
        values = middle + (values - middle) * np.float32(random.uniform(0.7, 1.3))
    if random.random() < 0.25:
        values = np.asarray(cv2.GaussianBlur(values, (0, 0), random.uniform(0.4, 1.5)), dtype=np.float32)
    if random.random() < 0.25:
        noise = random.standard_normal(values.shape, dtype=np.float32)
        values = values + noise * np.float32(random.uniform(0.005, 0.04))
    return np.clip(np.asarray(values) * 255.0, 0.0, 255.0).astype(np.uint8)


def loss_of(scores: torch.Tensor, truth: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Weighted cross-entropy and the mean of 1 - Dice over the classes that are there."""
    entropy = nn.functional.cross_entropy(
        scores, truth, weights, ignore_index=UNLABELLED, label_smoothing=0.03
    )
    known = (truth != UNLABELLED).unsqueeze(1)
    likely = scores.softmax(1) * known
    there = (
        nn.functional.one_hot(torch.where(known[:, 0], truth, 0), len(CLASSES)).permute(0, 3, 1, 2) * known
    )
    both = (likely * there).sum((0, 2, 3))
    sizes = there.sum((0, 2, 3))
    dice = 1.0 - (2.0 * both + 1.0) / (likely.sum((0, 2, 3)) + sizes + 1.0)
    present = sizes > 0
    return entropy + (dice * present).sum() / present.sum().clamp(min=1)


def train(
    out: Path,
    minutes: float = 30.0,
    seed: int = 1,
    *,
    folder: Path = FOLDER,
    scenes: int = 0,
    start: Path | None = None,
    kept_out: tuple[int, ...] = KEPT_OUT,
) -> dict[str, Any]:
    """Train for so many minutes on one thread, write `out` (ONNX), and measure on the tiles kept out.

    With `scenes`, a fifth of the crops is of so many rendered ones; `start` is a checkpoint to go on from.
    Beside `out` a checkpoint (.pt) is kept. Gives what was measured. Raises FileNotFoundError without data.
    """
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    swa_utils: Any = torch.optim.swa_utils
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    tiles = [each for each in TILES if each not in kept_out]
    pairs = examples(folder, tuple(tiles))
    areas = np.array([sum(labels.size for _, labels in pairs[tile]) for tile in tiles], dtype=float)
    often = np.sqrt(areas) / np.sqrt(areas).sum()
    if scenes:
        tiles, pairs[0] = [*tiles, 0], rendered(scenes)
        often = np.append(0.8 * often, 0.2)
    weights = torch.tensor(WEIGHTS)
    network: Any = Unet().to(memory_format=torch.channels_last)
    if start is not None:
        network.load_state_dict(torch.load(start, weights_only=True))
    kept = swa_utils.AveragedModel(
        network, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.995), use_buffers=True
    )
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-2)
    began, step, total = time.monotonic(), 0, 0.0
    while (share := (time.monotonic() - began) / (minutes * 60.0)) < 1.0:
        for group in optimiser.param_groups:
            warm = min(1.0, (step + 1) / 200.0)
            group["lr"] = RATE * warm * (0.5 + 0.5 * math.cos(math.pi * share)) + 1e-6
        crops = [sample(pairs[tiles[int(random.choice(len(tiles), p=often))]], random) for _ in range(BATCH)]
        pictures = torch.from_numpy(np.stack([each for each, _ in crops]).transpose(0, 3, 1, 2).copy())
        truth = torch.from_numpy(np.stack([each for _, each in crops]).astype(np.int64))
        inputs = ((pictures.float() / 255.0 - MEAN) / SPREAD).contiguous(memory_format=torch.channels_last)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            scores = network(inputs)
        loss: Any = loss_of(scores.float(), truth, weights)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        kept.update_parameters(network)
        step, total = step + 1, total + loss.item()
        if step % 100 == 0:
            rate = step * BATCH / (time.monotonic() - began)
            print(f"{share:6.1%}  step {step}  loss {total / 100:.3f}  {rate:.1f} crops/s", flush=True)
            total = 0.0
            torch.save(kept.module.state_dict(), out.with_suffix(".pt"))
    torch.save(kept.module.state_dict(), out.with_suffix(".pt"))
    export(unweighted(kept.module, weights), out)
    found = measured(out, folder, kept_out) if kept_out else {}
    return {"steps": step, "crops": step * BATCH, "seed": seed, "kept_out": list(kept_out), **found}


def averaged(out: Path, checkpoints: Sequence[Path]) -> None:
    """Write the network whose weights are the mean of those of one training at several times.

    Stochastic weight averaging (Izmailov et al. 2018, arXiv:1803.05407).
    """
    every = [torch.load(each, weights_only=True) for each in checkpoints]
    mean = {name: torch.stack([each[name].float() for each in every]).mean(0) for name in every[0]}
    network = Unet()
    network.load_state_dict(mean)
    export(unweighted(network, torch.tensor(WEIGHTS)), out)


class Enlarged(nn.Module):
    """A network that is shown pictures ENLARGED, its scores in the picture's own pixels."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        """(n, 3, rows, columns) to (n, classes, rows, columns); sides are multiples of MULTIPLE_PX."""
        larger = nn.functional.interpolate(
            pictures, scale_factor=ENLARGED, mode="bilinear", align_corners=False
        )
        scores = self.network(larger)
        return nn.functional.interpolate(
            scores, size=pictures.shape[2:], mode="bilinear", align_corners=False
        )


def export(network: nn.Module, out: Path) -> None:
    """Write the network as ONNX with sides and batch left open: input "picture", output "scores"."""
    network = Enlarged(network).eval().float().to(memory_format=torch.contiguous_format)
    sides = {0: "batch", 2: "rows", 3: "columns"}
    torch.onnx.export(
        network,
        (torch.zeros(1, 3, CROP_PX, CROP_PX),),
        str(out),
        input_names=["picture"],
        output_names=["scores"],
        dynamic_axes={"picture": sides, "scores": sides},
        opset_version=17,
        dynamo=False,
    )


def unweighted(network: nn.Module, weights: torch.Tensor) -> nn.Module:
    """The network with scores for classes as often as they are: a weight in the loss is an odds factor."""
    with torch.no_grad():
        last: Any = network.last
        last.bias.view(len(CLASSES), 4).sub_(weights.log()[:, None])
    return network


def measured(weights: Path, folder: Path, tiles: tuple[int, ...]) -> dict[str, Any]:
    """How the exported network does on whole pictures of these tiles."""
    import onnxruntime

    session = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
    table = np.zeros((len(CLASSES), len(CLASSES) + 1), dtype=np.int64)
    for pairs in examples(folder, tiles).values():
        for image, labels in pairs:
            rows, columns = labels.shape
            margin = ((0, -rows % MULTIPLE_PX), (0, -columns % MULTIPLE_PX), (0, 0))
            padded = np.pad(image, margin, mode="reflect")[np.newaxis].transpose(0, 3, 1, 2)
            shown = (padded.astype(np.float32) / 255.0 - MEAN) / SPREAD
            scores = session.run(None, {"picture": shown.astype(np.float32)})[0]
            table += confusion(labels, scores[0].argmax(0)[:rows, :columns], len(CLASSES))
    found = intersections(table, CLASSES)
    found |= {"mean": float(np.mean(list(found.values()))), "right": right(table)}
    return {"iou": {name: round(value, 4) for name, value in found.items()}}


if __name__ == "__main__":
    import sys

    target = Path(sys.argv[1])
    told = train(
        target,
        float(sys.argv[2]),
        int(sys.argv[3]) if len(sys.argv) > 3 else 1,
        start=Path(sys.argv[4]) if len(sys.argv) > 4 else None,
    )
    target.with_suffix(".json").write_text(json.dumps(told))
    print(json.dumps(told))
