"""Noise taken out of an image: the method chosen by what the noise is, its strength by what it measures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from data.progress import Progress
from data.raster.errors import RasterError
from data.raster.files import opened
from data.raster.windows import Band, Block, Place, compute, grid_of
from data.vision.blocks import WINDOW_PX, followed, kept_type, nearest_filled, samples
from data.vision.noise import Noise, extremes, impulses, jump_of, local_median, noise_of, sigma_of

Method = Literal["auto", "dct", "nlm", "median", "refined_lee"]
_PATCH = 8
_HALO = 2 * _PATCH
_NLM_PATCH, _NLM_REACH = 5, 8
_IMPULSES = 0.01
"""From this share of lone extremes on, an image is taken to have impulse noise."""
_MAX_BANDS = 32


@dataclass(frozen=True)
class Denoised:
    """What was done, and the noise before and after it."""

    method: str
    """"dct", "nlm", "median", "median and dct" or "refined_lee"."""
    sigma_before: float
    """Mean over the bands, in the image's own numbers; of radar, 1 / sqrt(looks)."""
    sigma_after: float
    impulse_share: float
    looks: float | None = None


def denoise(
    progress: Progress,
    source: Path,
    target: Path,
    *,
    method: Method = "auto",
    strength: float = 1.0,
    radar: bool = False,
    tags: Mapping[str, str] | None = None,
) -> Denoised:
    """Write the image without its noise, in the data type that it has (radar: float32).

    "dct": Yu and Sapiro (2011), DCT image denoising: a simple and effective image denoising algorithm, Image
    Processing On Line 1, 292-296, with the bands rotated by their principal components once each has unit
    noise (Green et al. 1988, IEEE Transactions on Geoscience and Remote Sensing 26, 65-74) and a second,
    Wiener pass (as Dabov et al. 2007 have it). "nlm": non-local means, Buades, Coll and Morel (2005), by
    Darbon's fast form in scikit-image. "median": only lone extremes, each by the median of the others around.
    "refined_lee": for speckle, data.raster.speckle. "auto": refined Lee for `radar`, else median where there
    are impulses, and then dct. `strength` multiplies the noise that is taken off. Raises RasterError.
    """
    progress.tell(0.0, "Measuring the noise.")
    chosen = ("refined_lee" if radar else "dct") if method == "auto" else method
    if chosen == "refined_lee":
        return _despeckled(progress, source, target, tags)
    with opened(source) as reader:
        count = reader.count
    if count > _MAX_BANDS:
        raise RasterError(
            f"Noise is taken out of at most {_MAX_BANDS} bands at once; the image has {count}, of which "
            "raster_bands picks some."
        )
    before = noise_of(source)
    hit = before.impulse_share >= _IMPULSES
    said = {"dct": "dct", "nlm": "nlm", "median": "median"}[chosen]
    if method == "auto" and hit:
        said = f"median and {chosen}"
    plan = _plan(source, before, strength, chosen, said.startswith("median"))
    _filtered(progress, source, target, plan, tags)
    progress.tell(0.97, "Measuring what is left.")
    after = noise_of(target)
    return Denoised(said, _mean(before.sigma), _mean(after.sigma), before.impulse_share)


@dataclass(frozen=True)
class _Plan:
    """What is done to each block, the same for all of them."""

    method: str
    sigma: NDArray[np.float32]
    """(bands,), never 0."""
    rotation: NDArray[np.float32]
    """(bands, bands), orthonormal: from bands of unit noise to their principal components."""
    means: NDArray[np.float32]
    shot: tuple[tuple[float, float] | None, ...]
    """Of each band how its noise grows with its value, for the root that evens that out."""
    limits: tuple[tuple[float, float, float], ...] | None
    """The values that impulses have and how far they stand out, by band; None where there are none."""
    strength: float


def _plan(source: Path, noise: Noise, strength: float, method: str, medians: bool) -> _Plan:
    windows = samples(source, most=8, side=256)
    with opened(source) as reader:
        limits = [
            extremes([each[band] for each in windows], dtype) for band, dtype in enumerate(reader.dtypes)
        ]
    jumps = [jump_of(each, sigma, sure=False) for each, sigma in zip(limits, noise.sigma, strict=True)]
    windows = [_evened(each, noise.shot) for each in windows]
    sigma = [
        own if shot is None else sigma_of([each[band] for each in windows])
        for band, (own, shot) in enumerate(zip(noise.sigma, noise.shot, strict=True))
    ]
    known = np.array([each if math.isfinite(each) and each > 0 else 1e-6 for each in sigma], np.float64)
    pixels = np.concatenate([each.reshape(len(known), -1) for each in windows], axis=1).astype(np.float64)
    pixels = pixels[:, np.isfinite(pixels).all(axis=0)]
    if pixels.shape[1] == 0:
        raise RasterError("The image has no pixel with a value in all of its bands.")
    means = pixels.mean(axis=1)
    white = (pixels - means[:, None]) / known[:, None]
    _, vectors = np.linalg.eigh(white @ white.T / white.shape[1])
    # The sign of a component is free: fixed, so that the same image always gives the same numbers.
    vectors *= np.where(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(known))] < 0, -1.0, 1.0)
    return _Plan(
        method,
        known.astype(np.float32),
        vectors.T.astype(np.float32),
        means.astype(np.float32),
        noise.shot,
        tuple((*ends, jump) for ends, jump in zip(limits, jumps, strict=True)) if medians else None,
        strength,
    )


def _filtered(
    progress: Progress, source: Path, target: Path, plan: _Plan, tags: Mapping[str, str] | None
) -> None:
    dtype, nodata = kept_type(source)
    with opened(source) as reader:
        descriptions = [text or "" for text in reader.descriptions]
    grid = grid_of(source)

    def clean(blocks: list[Block], _: Place) -> NDArray[Any]:
        return _clean(blocks[0], plan)

    compute(
        [Band(source)],
        target,
        followed(progress, "Removing noise", grid.width * grid.height, clean, (0.05, 0.95)),
        halo=_HALO,
        count=len(plan.sigma),
        dtype=dtype,
        nodata=nodata,
        descriptions=descriptions,
        tags=tags,
        pixels=WINDOW_PX // max(1, len(plan.sigma) // 3),
    )


def _clean(block: Block, plan: _Plan) -> NDArray[Any]:
    values = block.astype(np.float32)
    missing = ~np.isfinite(values)
    if plan.limits is not None:
        for band, (low, high, jump) in zip(values, plan.limits, strict=True):
            hit = impulses(band, (low, high), jump)
            band[hit] = local_median(band, hit, hit)[hit]
    if plan.method == "median":
        return values
    filled = _evened(np.stack([nearest_filled(each) for each in values]), plan.shot)
    white = (filled - plan.means[:, None, None]) / plan.sigma[:, None, None]
    parts = np.tensordot(plan.rotation, white, axes=1)
    if plan.method == "nlm":
        made = _non_local(parts, plan.strength)
    else:
        made = np.stack([_dct(each, plan.strength) for each in parts])
    back = np.tensordot(plan.rotation.T, made, axes=1) * plan.sigma[:, None, None]
    back = _uneven(back + plan.means[:, None, None], plan.shot)
    back[missing] = np.nan
    return back


def _evened(values: NDArray[Any], shot: tuple[tuple[float, float] | None, ...]) -> NDArray[Any]:
    """Bands with noise that grows with the value as bands with noise of 1 (Anscombe 1948, generalized).

    2 sqrt(z + 3/8 + s²) with z = value / a and s² = b / a²; below 0, where b says that counting starts
    elsewhere, z is counted from there.
    """
    made = values.astype(np.float32)
    for band, own in enumerate(shot):
        if own is not None:
            z, floor = _counts(made[band], own)
            made[band] = 2.0 * np.sqrt(np.maximum(z + 0.375 + floor, 0.0))
    return made


def _uneven(values: NDArray[Any], shot: tuple[tuple[float, float] | None, ...]) -> NDArray[Any]:
    """Back, by the closed form of the exact unbiased inverse.

    Makitalo and Foi (2013), Optimal inversion of the generalized Anscombe transformation for Poisson-Gaussian
    noise, IEEE Transactions on Image Processing 22, 91-103.
    """
    for band, own in enumerate(shot):
        if own is not None:
            slope, offset = own
            d = np.maximum(values[band], 2.0 * math.sqrt(0.375))
            root = math.sqrt(1.5)
            z = d**2 / 4 + root / (4 * d) - 11 / (8 * d**2) + 5 * root / (8 * d**3) - 0.125
            values[band] = slope * (z - max(offset, 0.0) / slope**2) - min(offset, 0.0) / slope
    return values


def _counts(values: NDArray[Any], own: tuple[float, float]) -> tuple[NDArray[Any], float]:
    slope, offset = own
    if offset >= 0:
        return values / slope, offset / slope**2
    return (values + offset / slope) / slope, 0.0


def _non_local(parts: NDArray[Any], sigma: float) -> NDArray[Any]:
    from skimage.restoration import denoise_nl_means

    # One band alone is no channel: with an axis for it, that axis would be lost.
    alone = len(parts) == 1
    made: NDArray[Any] = denoise_nl_means(
        parts[0] if alone else parts,
        patch_size=_NLM_PATCH,
        patch_distance=_NLM_REACH,
        h=0.8 * sigma,
        sigma=sigma,
        fast_mode=True,
        channel_axis=None if alone else 0,
        preserve_range=True,
    )
    return made.astype(np.float32).reshape(parts.shape)


def _dct(values: NDArray[Any], sigma: float) -> NDArray[np.float32]:
    """(rows, columns) with white noise of `sigma` taken off: 8 x 8 cosines at every place, in two passes."""
    first = _pass(values, values, sigma, wiener=False)
    return _pass(values, first, sigma, wiener=True)


def _pass(values: NDArray[Any], pilot: NDArray[Any], sigma: float, *, wiener: bool) -> NDArray[np.float32]:
    """One pass: each patch shrunk, weighed by how few cosines it needs, and laid over the others.

    Hard thresholds at 2.7 sigma, or with the pilot's cosines p the Wiener factor p² / (p² + sigma²).
    """
    import cv2

    basis = _cosines()
    border = cv2.BORDER_REFLECT_101
    start, end = (0, 0), (_PATCH - 1, _PATCH - 1)
    values, pilot = np.ascontiguousarray(values), np.ascontiguousarray(pilot)
    energy = np.zeros(values.shape, np.float32)
    kept: list[NDArray[np.float32]] = []
    for row in basis:
        for column in basis:
            found = cv2.sepFilter2D(values, cv2.CV_32F, column, row, anchor=start, borderType=border)
            if wiener:
                known = cv2.sepFilter2D(pilot, cv2.CV_32F, column, row, anchor=start, borderType=border)
                np.square(known, out=known)
                share = known / (known + np.float32(sigma * sigma))
                if not kept:
                    share[:] = 1.0
                energy += share * share
                kept.append(np.asarray(found * share, np.float32))
            else:
                strong = np.abs(found) > np.float32(2.7 * sigma)
                if not kept:
                    strong[:] = True
                energy += strong
                kept.append(np.asarray(found * strong, np.float32))
    weight = 1.0 / energy
    total = np.zeros(values.shape, np.float32)
    index = 0
    for row in basis:
        for column in basis:
            total += cv2.sepFilter2D(
                kept[index] * weight,
                cv2.CV_32F,
                np.ascontiguousarray(column[::-1]),
                np.ascontiguousarray(row[::-1]),
                anchor=end,
                borderType=cv2.BORDER_CONSTANT,
            )
            index += 1
    spread = cv2.boxFilter(
        weight, cv2.CV_32F, (_PATCH, _PATCH), anchor=end, normalize=False, borderType=cv2.BORDER_CONSTANT
    )
    made: NDArray[np.float32] = total / spread
    return made


def _cosines() -> list[NDArray[np.float32]]:
    """The eight orthonormal cosines of the discrete cosine transform (type II)."""
    at = np.arange(_PATCH)
    rows = [np.cos(math.pi * (2 * at + 1) * each / (2 * _PATCH)) for each in range(_PATCH)]
    return [
        (row * math.sqrt((1 if each == 0 else 2) / _PATCH)).astype(np.float32)
        for each, row in enumerate(rows)
    ]


def _despeckled(progress: Progress, source: Path, target: Path, tags: Mapping[str, str] | None) -> Denoised:
    from data.raster.speckle import despeckle, estimate_looks

    values = speckle_values(source)
    progress.tell(0.1, "Filtering the speckle.")
    done = despeckle(source, target, method="refined_lee", values=values, tags=tags)
    progress.tell(0.9, "Measuring what is left.")
    after = estimate_looks(target, values)
    return Denoised("refined_lee", done.looks**-0.5, after**-0.5, 0.0, done.looks)


def speckle_values(source: Path) -> Literal["intensity", "amplitude"]:
    """Whether a radar image holds intensities or amplitudes, by its names, units and numbers.

    Raises RasterError for decibels, whose speckle adds and does not multiply.
    """
    with opened(source) as reader:
        said = " ".join(
            [*(text or "" for text in reader.descriptions), *(text or "" for text in reader.units)]
        )
        kind = np.dtype(reader.dtypes[0]).kind
    text = said.casefold()
    values = np.concatenate([each[0][np.isfinite(each[0])] for each in samples(source, most=4, numbers=(1,))])
    if values.size and float(np.median(values)) < 0:
        raise RasterError(
            "The radar image is in decibels, where speckle filters do not work; raster_calc brings it "
            'back with "10 ** (b1 / 10)".'
        )
    if "intensity" in text or "power" in text or any(each in text for each in ("sigma0", "beta0", "gamma0")):
        return "intensity"
    if "amplitude" in text or kind in "iuc":
        return "amplitude"
    # Backscatter coefficients of land lie well under 1; amplitudes are counts.
    return "intensity" if values.size and float(np.median(values)) < 1.0 else "amplitude"


def _mean(values: tuple[float, ...]) -> float:
    there = [each for each in values if math.isfinite(each)]
    return sum(there) / len(there) if there else math.nan
