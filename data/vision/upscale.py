"""An image at twice its resolution: bicubic interpolation, and what a network says is missing from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.errors import RasterError

TASKS = ("super-resolution",)
WINDOW_PX = 512
"""Side of a window without its margin, coarse pixels; where the image is narrower it is as much longer."""
HALO_PX = 24
"""The margin: farther than the network looks, so that windows fit without a seam."""
MOST_BANDS = 16


@dataclass(frozen=True)
class Upscaled:
    """What was done."""

    model: str
    method: str
    factor: int
    pixel_before: tuple[float, float]
    """Width and height of a pixel in the units of the image's CRS."""
    detail_percent: float
    """How much of the image's spread the network added to bicubic interpolation, root mean square."""


def upscaled(
    progress: Progress, source: Path, target: Path, *, model: str | None = None, models: Path | None = None
) -> Upscaled:
    """Write the image with half the pixel, the same bands, data type, CRS and corner.

    Each band is brought to mean 0 and spread 1 (by the whole image), goes through the network in windows
    with a margin wider than it looks, and back. Detail finer than the image's pixels is estimated, not seen.
    Pixels without a value stay without one. Raises RasterError.
    """
    import rasterio
    from affine import Affine

    from data.models.choosing import choose, image_facts
    from data.models.registry import registry
    from data.models.serving import served
    from data.raster.files import geotiff_profile, opened
    from data.raster.windows import Grid, windows
    from data.vision.blocks import kept_type

    chosen = choose(registry(models), TASKS, image_facts(source), model)
    factor = chosen.card.output.scale
    if chosen.card.output.layout != "image" or len(chosen.card.input.bands) > 1:
        raise RasterError(f"{chosen.name} does not double one band at a time, which super_resolution needs.")
    network = served(chosen)
    dtype, nodata = kept_type(source)
    with opened(source) as reader:
        if reader.count > MOST_BANDS:
            raise RasterError(
                f"At most {MOST_BANDS} bands are upscaled at once; the image has {reader.count}, of which "
                "raster_bands picks some."
            )
        scales = _scales(source, reader.count)
        profile = geotiff_profile(
            factor * reader.width,
            factor * reader.height,
            count=reader.count,
            dtype=dtype,
            nodata=nodata,
            crs=reader.crs,
            transform=reader.transform * Affine.scale(1 / factor),
        )
        parts, added = list(windows(Grid.of(reader), WINDOW_PX**2)), np.zeros(2)
        with rasterio.open(target, "w", **profile) as writer:
            for done, window in enumerate(parts):
                progress.tell(done / len(parts), f"Doubled {done} of {len(parts)} windows.")
                added += _window(reader, writer, window, scales, network, factor)
            writer.descriptions = reader.descriptions
            writer.colorinterp = reader.colorinterp
            writer.update_tags(AZIMUTH_MODEL=chosen.name)
        pixel = (float(abs(reader.transform.a)), float(abs(reader.transform.e)))
    detail = 100 * float(np.sqrt(added[0] / max(added[1], 1)))
    return Upscaled(chosen.name, chosen.card.architecture, factor, pixel, round(detail, 2))


def _scales(source: Path, count: int) -> list[tuple[float, float]]:
    """Mean and spread of each band, over windows spread evenly."""
    from data.vision.blocks import samples

    parts, found = samples(source), []
    for band in range(count):
        values = np.concatenate([each[band].ravel() for each in parts]).astype(np.float64)
        values = values[np.isfinite(values)]
        mean, spread = (float(values.mean()), float(values.std())) if values.size else (0.0, 1.0)
        found.append((mean, spread if np.isfinite(spread) and spread > 0 else 1.0))
    return found


def _window(
    reader: Any, writer: Any, window: Any, scales: Sequence[tuple[float, float]], network: Any, factor: int
) -> NDArray[np.float64]:
    """Write one window; the sum of squares of what the network added, in spreads, and how many pixels."""
    from rasterio.windows import Window

    from data.raster.windows import Grid, Place, read_block
    from data.vision.blocks import nearest_filled

    block = read_block(reader, None, Place(Grid.of(reader), window, HALO_PX))
    rows, columns = int(window.height), int(window.width)
    inner = (
        slice(factor * HALO_PX, factor * (HALO_PX + rows)),
        slice(factor * HALO_PX, factor * (HALO_PX + columns)),
    )
    made, added = np.empty((len(block), factor * rows, factor * columns), dtype=np.float64), np.zeros(2)
    for band, (mean, spread) in enumerate(scales):
        missing = ~np.isfinite(block[band])
        # The margin beyond the image, and holes, go on with the nearest value.
        coarse = nearest_filled((block[band] - mean) / spread)
        fine = network.run(coarse[np.newaxis, np.newaxis])[0][0, 0]
        added += _detail(fine, coarse, factor, inner)
        values = fine[inner].astype(np.float64) * spread + mean
        values[_grown(missing, factor)[inner]] = np.nan
        made[band] = values
    out = Window(factor * window.col_off, factor * window.row_off, factor * columns, factor * rows)
    writer.write(_stored(made, writer.dtypes[0], writer.nodata), window=out)
    return added


def _detail(
    fine: NDArray[Any], coarse: NDArray[Any], factor: int, inner: tuple[slice, slice]
) -> NDArray[np.float64]:
    import cv2

    rows, columns = coarse.shape
    smooth = cv2.resize(coarse, (factor * columns, factor * rows), interpolation=cv2.INTER_CUBIC)
    more = (fine - np.asarray(smooth))[inner]
    return np.array([float(np.square(more, dtype=np.float64).sum()), more.size])


def _grown(missing: NDArray[np.bool_], factor: int) -> NDArray[np.bool_]:
    return np.asarray(missing.repeat(factor, axis=0).repeat(factor, axis=1))


def _stored(values: NDArray[np.float64], dtype: str, nodata: float | None) -> NDArray[Any]:
    """The values in the image's own type; nodata where there is none, and nowhere else."""
    kind = np.dtype(dtype)
    missing = np.isnan(values)
    if kind.kind == "f":
        return values.astype(kind)
    info = np.iinfo(kind)
    whole = np.clip(np.rint(np.nan_to_num(values)), info.min, info.max)
    if nodata is not None:
        whole[(whole == nodata) & ~missing] += 1 if nodata < info.max else -1
        whole[missing] = nodata
    return whole.astype(kind)
