"""From a plan to reflectance: the ground's colour and texture, shadows, and the things on it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from data.scenes.model import COVERS
from data.scenes.noise import fractal, grain, waves
from data.scenes.plan import Plan, _fixed
from data.scenes.shapes import Colour
from data.scenes.spectra import REFLECTANCE, TEXTURE, beyond, colours

Image = NDArray[np.float32]
_EIGHT_BIT = 360.0
"""Things are drawn in 8 bits: this many steps for a reflectance of 1, so 0.7 is the whitest paint."""


@dataclass(frozen=True)
class Light:
    """Where the sun stands, and how dark its shadows are."""

    azimuth_deg: float
    elevation_deg: float
    depth: float
    """Share of light that a full shadow takes."""

    def shadow_px(self, gsd_m: float) -> tuple[float, float]:
        """Columns and rows that a shadow reaches per metre of height."""
        reach = 1.0 / np.tan(np.radians(max(self.elevation_deg, 10.0))) / gsd_m
        azimuth = np.radians(self.azimuth_deg)
        return float(-np.sin(azimuth) * reach), float(np.cos(azimuth) * reach)


def reflectance(
    plan: Plan, light: Light, season: str, bands: int, rng: np.random.Generator, variation: float = 1.0
) -> Image:
    """(h, w, bands) of surface reflectance, bands from blue on: what a perfect sensor would see without an
    atmosphere."""
    image = ground(plan, season, bands, rng, variation)
    shadow = shadows(plan, light)
    image *= (1.0 - light.depth * shadow)[..., None]
    return things(plan, image, rng)


def ground(plan: Plan, season: str, bands: int, rng: np.random.Generator, variation: float) -> Image:
    """The covers with their colours and textures."""
    size, gsd = plan.size, plan.gsd_m
    table = colours(rng, season, bands, variation)
    coarse = fractal(rng, size, float(np.clip(rng.uniform(15, 60) / gsd, 4, max(size))), 3)
    fine = grain(rng, size, float(np.clip(rng.uniform(0.15, 0.6) / gsd, 0.0, 3.0)))
    strengths = np.array([TEXTURE[name] for name in COVERS], np.float32) * np.float32(
        np.exp(variation * rng.normal(0, 0.45))
    )
    tint = np.exp(
        variation * 0.22 * rng.standard_normal((64, 1), np.float32)
        + variation * 0.07 * rng.standard_normal((64, bands), np.float32)
    )
    tint[0] = 1.0
    image = table[plan.covers]
    flat = plan.patches > 0
    if flat.any():
        image *= np.where(
            np.isin(plan.covers, (COVERS.index("building"), COVERS.index("water")))[..., None],
            1.0,
            tint[plan.patches],
        )
    covers = plan.covers
    texture = strengths[:, 0][covers] * coarse + strengths[:, 1][covers] * fine
    trees = covers == COVERS.index("trees")
    if trees.any():
        crowns = grain(rng, size, float(np.clip(1.6 / gsd, 0.6, 8.0)))
        texture += np.where(trees, 0.45 * crowns, 0)
    water = covers == COVERS.index("water")
    if water.any() and rng.uniform() < 0.5:
        texture += np.where(water, rng.uniform(0.02, 0.15) * waves(rng, size, rng.uniform(3, 25) / gsd), 0)
    image *= np.clip(1.0 + texture, 0.35, 2.2)[..., None]
    rows = covers == COVERS.index("crops")
    if rows.any() and rng.uniform() < 0.6 and gsd < 2:
        image *= (
            1.0 + np.where(rows, rng.uniform(0.03, 0.12) * waves(rng, size, rng.uniform(1.5, 6) / gsd), 0)
        )[..., None]
    return np.asarray(np.clip(image, 0.001, 1.0), np.float32)


def shadows(plan: Plan, light: Light) -> NDArray[np.float32]:
    """(h, w): 1 in the shadow of a thing, soft at the rim."""
    mask = np.zeros(plan.size, np.uint8)
    across, down = light.shadow_px(plan.gsd_m)
    for thing in plan.things:
        height = thing.shape.height_m
        offset = np.array([across, down]) * height
        if not height or abs(offset).max() < 0.4:
            continue
        if thing.shape.hollow:
            offset = offset * 0.45
            pieces = [piece + offset for piece in np.split(thing.corners, thing.splits[:-1])[:1]]
            pieces.append(np.split(thing.corners, thing.splits[:-1])[1] + offset)
            body = [
                piece
                for piece, part in zip(
                    np.split(thing.corners, thing.splits[:-1]), thing.shape.parts, strict=True
                )
                if len(part.points) == 14
            ]
            pieces += [piece + offset for piece in body]
        else:
            first = next(k for k, part in enumerate(thing.shape.parts) if part.solid)
            base = np.split(thing.corners, thing.splits[:-1])[first]
            if thing.shape.class_name == "ship":
                offset = offset * 0.5
            both = np.vstack([base, base + offset]).astype(np.float32)
            pieces = [cv2.convexHull(both)[:, 0, :].astype(np.float64)]
        for piece in pieces:
            cv2.fillPoly(mask, [_fixed(piece)], 255, cv2.LINE_8, 4)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.6)
    return np.asarray(soft, np.float32) / np.float32(255)


def things(plan: Plan, image: Image, rng: np.random.Generator) -> Image:
    """Marks and things drawn over the ground at twice its resolution, and brought down by area."""
    height, width = plan.size
    base = np.clip(image * _EIGHT_BIT, 0, 255).astype(np.uint8)
    groups = [(0, 3)] if image.shape[2] == 3 else [(0, 3), (3, 6)]
    result = image.copy()
    for first, last in groups:
        before = np.ascontiguousarray(base[..., first:last])
        doubled = cv2.resize(before, (2 * width, 2 * height), interpolation=cv2.INTER_NEAREST)
        canvas = np.asarray(doubled, np.uint8)
        _draw(plan, canvas, first == 0, rng)
        drawn = cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA)
        touched = (drawn != before).any(axis=2)
        wear = 1.0 + 0.04 * grain(rng, plan.size, 0.8)
        result[..., first:last][touched] = (
            drawn.astype(np.float32) / np.float32(_EIGHT_BIT) * wear[..., None]
        )[touched]
    return np.asarray(np.clip(result, 0.001, 1.0), np.float32)


def _draw(plan: Plan, canvas: NDArray[np.uint8], visible: bool, rng: np.random.Generator) -> None:
    for mark in plan.marks:
        corners = _double(mark.points)
        if mark.width_px == 0:
            cv2.fillPoly(canvas, [corners], _paint(mark.colour, visible), cv2.LINE_8, 4)
        elif mark.width_px > 0.12:
            faint = min(mark.width_px * 2, 1.0)
            colour = _paint(mark.colour, visible)
            if faint < 0.6:
                colour = tuple(0.45 * channel for channel in colour)
            cv2.polylines(canvas, [corners], False, colour, max(round(mark.width_px * 2), 1), cv2.LINE_8, 4)
    for thing in plan.things:
        shape = thing.shape
        size = np.array([shape.length_m, shape.width_m]) / plan.gsd_m
        slim = np.clip(1.0 - 0.5 / np.maximum(size, 1.0), 0.5, 1.0)
        own = (thing.corners - thing.centre) @ np.array(
            [thing.forward, [-thing.forward[1], thing.forward[0]]]
        ).T
        corners = (own * slim) @ np.array(
            [thing.forward, [-thing.forward[1], thing.forward[0]]]
        ) + thing.centre
        whole = _double(corners)
        start = 0
        living = 5.0 if not visible and shape.class_name == "tree" else 1.0
        for part, stop in zip(shape.parts, thing.splits, strict=True):
            colour = tuple(living * channel for channel in _paint(part.colour, visible))
            cv2.fillPoly(canvas, [whole[start:stop]], colour, cv2.LINE_8, 4)
            start = int(stop)


def _paint(colour: Colour, visible: bool) -> tuple[float, ...]:
    red, green, blue = colour
    channels = (blue, green, red) if visible else beyond(np.array(colour))
    return tuple(min(channel * _EIGHT_BIT, 255.0) for channel in channels)


def _double(points: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.asarray(np.round((points * 2 - 0.5) * 16), np.int32)


def water_colour() -> tuple[float, ...]:
    """The plain reflectance of water, blue to short-wave infrared."""
    return REFLECTANCE["water"]
