"""What a side-looking radar sees of a plan: mean backscatter with bright targets, sidelobes and shadows,
and speckle."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from data.scenes.model import COVERS
from data.scenes.noise import fractal, waves
from data.scenes.plan import Plan, _fixed
from data.scenes.spectra import BACKSCATTER_DB

Image = NDArray[np.float32]
BODY_DB = {
    "ship": (-6.0, 2.0),
    "plane": (-10.0, 3.0),
    "small-vehicle": (-4.0, 3.0),
    "large-vehicle": (0.0, 3.0),
    "storage-tank": (-6.0, 2.0),
    "building": (-5.0, 3.0),
    "container": (-2.0, 3.0),
    "tree": (-7.0, 1.0),
}
"""Mean and deviation of a thing's backscatter between its corners."""
GLINT_DB = {
    "ship": 12.0,
    "plane": 8.0,
    "small-vehicle": 4.0,
    "large-vehicle": 8.0,
    "storage-tank": 10.0,
    "building": 8.0,
    "container": 8.0,
}
HIGHEST_LOBE_DB = 18.0
"""Only points this bright get visible sidelobes."""


def backscatter(plan: Plan, rng: np.random.Generator) -> Image:
    """(h, w) of mean sigma nought, linear; the radar looks from the left, range runs along the rows."""
    size = plan.size
    decibels = np.array([BACKSCATTER_DB[name] for name in COVERS], np.float32) + rng.normal(
        0, 1.2, len(COVERS)
    ).astype(np.float32)
    decibels[COVERS.index("building")] = decibels[COVERS.index("paved")]
    image = decibels[plan.covers] + 1.2 * fractal(rng, size, 40 / plan.gsd_m if plan.gsd_m < 10 else 4.0, 3)
    water = plan.covers == COVERS.index("water")
    if water.any():
        image += np.where(water, 0.8 * waves(rng, size, float(np.clip(80 / plan.gsd_m, 4, 60))), 0)
    linear = np.power(np.float32(10), image / np.float32(10))
    _shadow(plan, linear)
    for thing in plan.things:
        name = thing.shape.class_name
        if name in BODY_DB:
            mean, deviation = BODY_DB[name]
            value = 10 ** (rng.normal(mean, deviation) / 10)
            start = 0
            for part, stop in zip(thing.shape.parts, thing.splits, strict=True):
                if part.solid:
                    cv2.fillPoly(linear, [_fixed(thing.corners[start:stop])], value, cv2.LINE_8, 4)
                start = int(stop)
    _glints(plan, linear, rng)
    return linear


def _shadow(plan: Plan, linear: Image) -> None:
    reach = 1.0 / plan.gsd_m
    for thing in plan.things:
        height = thing.shape.height_m
        if height * reach > 1.0 and thing.shape.class_name in ("building", "storage-tank", "tree"):
            base = thing.corners[: thing.splits[0]]
            both = np.vstack([base, base + np.array([height * reach, 0.0])]).astype(np.float32)
            cv2.fillPoly(
                linear, [_fixed(cv2.convexHull(both)[:, 0, :].astype(np.float64))], 0.002, cv2.LINE_8, 4
            )


def _glints(plan: Plan, linear: Image, rng: np.random.Generator) -> None:
    """Corners that shine, and the cross of sidelobes (sinc squared) about the brightest."""
    height, width = plan.size
    offsets = np.arange(-16, 17)
    lobe = np.sinc(offsets * 0.63) ** 2
    for thing in plan.things:
        shape = thing.shape
        if shape.class_name not in GLINT_DB or len(shape.glints) == 0:
            continue
        right = np.array([-thing.forward[1], thing.forward[0]])
        spots = thing.centre + (shape.glints @ np.array([thing.forward, right])) / plan.gsd_m
        strengths = rng.normal(GLINT_DB[shape.class_name], 4.0, len(spots))
        for (column, row), decibel in zip(spots.astype(int), strengths, strict=True):
            if not (0 <= column < width and 0 <= row < height):
                continue
            power = 10 ** (decibel / 10)
            linear[row, column] += power
            if decibel > HIGHEST_LOBE_DB:
                across, down = column + offsets, row + offsets
                fits, falls = (across >= 0) & (across < width), (down >= 0) & (down < height)
                linear[row, across[fits]] += power * lobe[fits] * (offsets[fits] != 0)
                linear[down[falls], column] += power * lobe[falls] * (offsets[falls] != 0)


def speckled(linear: Image, looks: float, rng: np.random.Generator) -> Image:
    """Intensity under fully developed speckle: gamma distributed, mean 1, variance 1 / looks (Goodman,
    1976)."""
    return np.asarray(linear * rng.gamma(looks, 1.0 / looks, linear.shape), np.float32)
