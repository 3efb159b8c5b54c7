"""Train the network that doubles an image's resolution, one band at a time.

Data: aerial pictures of Dubai (CC0) without tile 2, and the western part of the NAIP scene of North Dakota
(US public domain). What is measured is measured on tile 2, on the scene's eastern part and on a scene of
which nothing was trained on. The coarse picture is made from the fine one as a sensor with pixels twice as
wide would see it: blurred by a Gaussian of 0 to 0.9 fine pixels, averaged over 2 x 2, a little noise added.
"""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import rasterio
import torch
from numpy.typing import NDArray
from torch import nn

CROP_PX = 96
BATCH = 16
CHANNELS = 32
BLOCKS = 4
RATE = 1.5e-3
FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data"
"""Where the pictures lie: beside the repository."""
DUBAI = (1, 4, 5, 7)
WEST = 0.6
"""The share of the NAIP scene's columns, from the west, that is trained on; a gap of 32 columns follows."""

Plane = NDArray[np.float32]


class Upscaler(nn.Module):
    """Convolutions at the coarse resolution and a pixel shuffle (ESPCN, Shi et al. 2016) that say what to
    add to bicubic interpolation (residual learning as in VDSR, Kim et al. 2016)."""  # fmt: skip

    def __init__(self, channels: int = CHANNELS, blocks: int = BLOCKS) -> None:
        super().__init__()
        self.first = nn.Conv2d(1, channels, 5, padding=2)
        self.middle = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(channels, channels, 3, padding=1),
                nn.LeakyReLU(0.1),
                nn.Conv2d(channels, channels, 3, padding=1),
            )
            for _ in range(blocks)
        )
        self.last = nn.Conv2d(channels, 4, 3, padding=1)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, coarse: torch.Tensor) -> torch.Tensor:
        """(n, 1, rows, columns), mean about 0 and spread about 1, to (n, 1, 2 rows, 2 columns)."""
        values = nn.functional.leaky_relu(self.first(coarse), 0.1)
        for each in self.middle:
            values = values + each(values)
        more = nn.functional.pixel_shuffle(self.last(values), 2)
        smooth = nn.functional.interpolate(coarse, scale_factor=2.0, mode="bicubic", align_corners=False)
        return smooth + more.to(smooth.dtype)


def coarser(fine: Plane, blur_px: float = 0.0) -> Plane:
    """What a sensor with pixels twice as wide sees: (2n, 2m) to (n, m)."""
    soft = cv2.GaussianBlur(fine, (0, 0), blur_px) if blur_px > 0.05 else fine
    rows, columns = fine.shape[0] // 2, fine.shape[1] // 2
    mean: Plane = np.asarray(soft)[: 2 * rows, : 2 * columns].reshape(rows, 2, columns, 2).mean((1, 3))
    return mean


def planes(folder: Path, *, trained: bool) -> list[tuple[str, Plane]]:
    """The bands to train on, or those kept out, each with mean 0 and spread 1, and the name of its place."""
    found: list[tuple[str, NDArray[Any]]] = []
    for tile in DUBAI if trained else (2,):
        for path in sorted((folder / "dubai_seg" / f"tile_{tile}" / "images").glob("*.jpg")):
            image: Any = cv2.imread(str(path))
            found += [("dubai", image[..., at]) for at in range(3)]
    for path in sorted((folder / "naip").glob("*.tif")):
        with rasterio.open(path) as source:
            bands = source.read()
        edge = int(bands.shape[2] * WEST)
        part = bands[:, :, :edge] if trained else bands[:, :, edge + 32 :]
        found += [("naip", each) for each in part]
    if not trained and (folder / "joplin" / "0_pre.tif").is_file():
        with rasterio.open(folder / "joplin" / "0_pre.tif") as source:
            found += [("joplin", each) for each in source.read((1, 2, 3))]
    if not found:
        raise FileNotFoundError(f"There are no dubai_seg and naip in {folder}.")
    return [(name, scaled(each.astype(np.float32))) for name, each in found]


def scaled(values: Plane) -> Plane:
    """The values less their mean, over their spread."""
    return np.asarray((values - values.mean()) / (values.std() + 1e-6), dtype=np.float32)


def batch(
    found: dict[str, list[Plane]], random: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Coarse and fine crops, (BATCH, 1, rows, columns)."""
    coarse: list[Plane] = []
    fine: list[Plane] = []
    names = sorted(found)
    while len(fine) < BATCH:
        bands = found[names[int(random.integers(len(names)))]]
        band = bands[int(random.integers(len(bands)))]
        row = int(random.integers(band.shape[0] - CROP_PX + 1))
        column = int(random.integers(band.shape[1] - CROP_PX + 1))
        crop = band[row : row + CROP_PX, column : column + CROP_PX]
        if crop.std() < 0.05:
            continue
        crop = np.rot90(crop, int(random.integers(4)))
        crop = np.ascontiguousarray(crop[:, ::-1] if random.random() < 0.5 else crop)
        crop = crop * np.float32(2.0 ** random.uniform(-1, 1) * random.choice([-1.0, 1.0], p=[0.1, 0.9]))
        low = coarser(crop, 0.0 if random.random() < 0.4 else float(random.uniform(0.3, 0.9)))
        low = low + random.standard_normal(low.shape, dtype=np.float32) * np.float32(random.uniform(0, 0.01))
        fine.append(crop)
        coarse.append(low)
    return np.stack(coarse)[:, np.newaxis], np.stack(fine)[:, np.newaxis]


def train(out: Path, minutes: float = 12.0, seed: int = 1, *, folder: Path = FOLDER) -> dict[str, Any]:
    """Train for so many minutes on one thread, write `out` (ONNX), and measure on what was kept out."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    swa_utils: Any = torch.optim.swa_utils
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    found: dict[str, list[Plane]] = {}
    for name, band in planes(folder, trained=True):
        found.setdefault(name, []).append(band)
    network: Any = Upscaler().to(memory_format=torch.channels_last)
    kept = swa_utils.AveragedModel(network, multi_avg_fn=swa_utils.get_ema_multi_avg_fn(0.998))
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-4)
    began, step, total = time.monotonic(), 0, 0.0
    while (share := (time.monotonic() - began) / (minutes * 60.0)) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 100.0) * (0.5 + 0.5 * math.cos(math.pi * share)) + 1e-6
        coarse, fine = (torch.from_numpy(each) for each in batch(found, random))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            made = network(coarse)
        loss = (made.float() - fine).abs().mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        kept.update_parameters(network)
        step, total = step + 1, total + loss.item()
        if step % 200 == 0:
            print(f"{share:6.1%}  step {step}  loss {total / 200:.4f}", flush=True)
            total = 0.0
            torch.save(kept.module.state_dict(), out.with_suffix(".pt"))
    export(kept.module, out)
    return {"steps": step, "seed": seed, **measured(out, folder)}


def export(network: nn.Module, out: Path) -> None:
    """Write the network as ONNX, sides and batch left open: input "coarse", output "fine"."""
    network = network.eval().float().to(memory_format=torch.contiguous_format)
    sides = {0: "batch", 2: "rows", 3: "columns"}
    torch.onnx.export(
        network,
        (torch.zeros(1, 1, CROP_PX, CROP_PX),),
        str(out),
        input_names=["coarse"],
        output_names=["fine"],
        dynamic_axes={"coarse": sides, "fine": sides},
        opset_version=17,
        dynamo=False,
    )


def measured(weights: Path, folder: Path, blur_px: float = 0.0) -> dict[str, Any]:
    """Mean PSNR (dB, of the 8-bit range of the fine band) and SSIM per place, of the network and bicubic."""
    import onnxruntime
    from skimage.metrics import peak_signal_noise_ratio, structural_similarity

    session = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
    rows: dict[str, list[list[float]]] = {}
    for name, band in planes(folder, trained=False):
        fine = band[: band.shape[0] // 2 * 2, : band.shape[1] // 2 * 2]
        coarse = coarser(fine, blur_px)
        made = session.run(None, {"coarse": coarse[np.newaxis, np.newaxis]})[0][0, 0]
        smooth = cv2.resize(coarse, fine.shape[::-1], interpolation=cv2.INTER_CUBIC)
        span = float(fine.max() - fine.min())
        row = [
            measure(fine, each, data_range=span)
            for each in (made, smooth)
            for measure in (peak_signal_noise_ratio, structural_similarity)
        ]
        rows.setdefault(name, []).append(row)
    names = ("psnr_db", "ssim", "bicubic_psnr_db", "bicubic_ssim")
    return {
        place: {
            key: round(float(value), 4) for key, value in zip(names, np.mean(found, axis=0), strict=True)
        } | {"bands": len(found)}
        for place, found in rows.items()
    }  # fmt: skip


if __name__ == "__main__":
    import sys

    target = Path(sys.argv[1])
    told = train(target, float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    target.with_suffix(".json").write_text(json.dumps(told))
    print(json.dumps(told, indent=1))
