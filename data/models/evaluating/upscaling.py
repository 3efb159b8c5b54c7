"""How much better than bicubic interpolation a network doubles an image."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.models.evaluating.objects import HELD_OUT_SEED, IMAGES, measured_on
from data.models.registry import Model
from data.progress import Unheard
from data.raster.errors import RasterError

MOST_PX = 1024
"""Of a larger image the middle is taken."""
EDGE_PX = 4
"""Left out all around: what lies beyond an image's edge is any method's guess."""


def evaluate_upscaling(
    model: Model,
    folder: Path | None,
    tell: Callable[[float, str], None],
    *,
    labels: Path | None = None,
    scenes: int = 20,
) -> dict[str, Any]:
    """Mean PSNR in dB and SSIM of images made coarser and doubled again, and those of bicubic interpolation.

    Each image is averaged over squares of the model's factor, as a coarser sensor sees it; the PSNR is of the
    image's own range. `labels`: a folder of images. Raises RasterError.
    """
    import cv2
    from skimage.metrics import peak_signal_noise_ratio, structural_similarity

    factor, rows = model.card.output.scale, []
    with tempfile.TemporaryDirectory(prefix="azimuth-evaluate-") as scratch:
        for done, fine in enumerate(_images(labels, scenes)):
            tell(min(0.99, done / max(scenes, 1)), f"Looked at {done:,} images.")
            height, width = (side // factor * factor for side in fine.shape[1:])
            fine = fine[:, :height, :width].astype(np.float32)
            shape = (len(fine), height // factor, factor, width // factor, factor)
            coarse = fine.reshape(shape).mean(axis=(2, 4))
            made = _doubled(model, folder, coarse, Path(scratch))
            for true, said, low in zip(fine, made, coarse, strict=True):
                smooth = np.asarray(cv2.resize(low, (width, height), interpolation=cv2.INTER_CUBIC))
                inner = slice(EDGE_PX, -EDGE_PX)
                one, *others = (each[inner, inner] for each in (true, said, smooth))
                span = float(one.max() - one.min())
                if span > 0:
                    rows.append(
                        [
                            measure(one, each, data_range=span)
                            for each in others
                            for measure in (peak_signal_noise_ratio, structural_similarity)
                        ]
                    )
    if not rows:
        raise RasterError(f"There are no images in {labels}.")
    psnr, ssim, bicubic_psnr, bicubic_ssim = (round(float(each), 4) for each in np.mean(rows, axis=0))
    return {
        "model": model.name,
        "data": measured_on(labels),
        "metric": "PSNR in dB",
        "value": psnr,
        "by_class": {"SSIM": ssim, "bicubic PSNR in dB": bicubic_psnr, "bicubic SSIM": bicubic_ssim},
        "images": done + 1,
    }


def _doubled(model: Model, folder: Path | None, coarse: NDArray[Any], scratch: Path) -> NDArray[Any]:
    import rasterio

    from data.vision.upscale import upscaled

    profile = {
        "driver": "GTiff", "dtype": "float32", "count": len(coarse), "height": coarse.shape[1],
        "width": coarse.shape[2], "crs": "EPSG:32633",
        "transform": rasterio.transform.from_origin(500_000, 5_000_000, 2.0, 2.0),
    }  # fmt: skip
    with rasterio.open(scratch / "coarse.tif", "w", **profile) as writer:
        writer.write(coarse)
    upscaled(Unheard(), scratch / "coarse.tif", scratch / "fine.tif", model=model.name, models=folder)
    with rasterio.open(scratch / "fine.tif") as reader:
        values: NDArray[Any] = reader.read()
    return values


def _images(folder: Path | None, scenes: int) -> Iterator[NDArray[Any]]:
    """(bands, rows, columns) of the images of a folder, or of rendered scenes."""
    if folder is None:
        from data.models.training.streaming import example_scene

        for seed in range(HELD_OUT_SEED, HELD_OUT_SEED + scenes):
            yield example_scene(seed, 256).pixels
        return
    from data.raster.files import opened
    from data.vision.upscale import MOST_BANDS

    if not folder.exists():
        raise RasterError(f"There is no folder {folder}.")
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in IMAGES:
            with opened(path) as source:
                values = source.read(list(range(1, min(source.count, MOST_BANDS) + 1)))
            top, left = (max(0, (side - MOST_PX) // 2) for side in values.shape[1:])
            yield values[:, top : top + MOST_PX, left : left + MOST_PX]
