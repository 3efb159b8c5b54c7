"""One scene from a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.scenes.model import CLASSES, Kind, Placed, Scene, Where
from data.scenes.paint import Light, reflectance
from data.scenes.place import placement
from data.scenes.plan import Plan, Thing, placed
from data.scenes.radar import backscatter, speckled
from data.scenes.sensor import PLAIN, Tone, compressed, eight_bit, noisy, random_tone
from data.scenes.spectra import BANDS, SEASONS
from data.scenes.themes import COMMON, THEMES, plan_of
from data.scenes.weather import blurred, clouded, hazed

LOOKS = 4.0


@dataclass(frozen=True)
class View:
    """How a plan is seen: light, air and sensor."""

    kind: Kind
    season: str
    light: Light
    tone: Tone
    clouds: float
    haze: float
    noise: float
    blur_px: float
    jpeg: int | None
    looks: float
    variation: float


def render(
    seed: int,
    kind: Kind = "optical",
    size: int | tuple[int, int] = 512,
    gsd_m: float | None = None,
    *,
    theme: str | None = None,
    where: Where = "utm",
    season: str | None = None,
    clouds: float = 0.0,
    haze: float | None = None,
    noise: float | None = None,
    blur_px: float | None = None,
    jpeg: int | None = None,
    looks: float = LOOKS,
    plain: bool = False,
    maps: bool = True,
) -> Scene:
    """A scene, the same for the same arguments in every process.

    `size` is pixels (or height and width), `gsd_m` the metres of a pixel; what is None is drawn from the
    seed. `clouds` is the share hidden, `haze` the share of light lost, `noise` the deviation in 255ths
    (optical) or in hundredths of reflectance (multispectral), `blur_px` the sigma of the sensor's blur,
    `jpeg` a quality up to 100, `looks` the radar's. `plain` turns off what is random about light, tone,
    colour, haze, noise and blur (what is asked for is still done). `maps=False` leaves the maps of
    instances empty and `clean` as it is seen, which is faster.
    """
    height, width = (size, size) if isinstance(size, int) else size
    layout = np.random.default_rng([seed, 1])
    if theme is None:
        theme = str(layout.choice(list(THEMES), p=COMMON))
    if theme not in THEMES:
        raise ValueError(f"There is no theme {theme!r}: {', '.join(THEMES)} would have worked.")
    gsd = gsd_m if gsd_m is not None else drawn_gsd(layout, theme, kind)
    plan = plan_of(layout, theme, (height, width), gsd)
    view = view_of(
        np.random.default_rng([seed, 2]),
        kind,
        plain=plain,
        season=season,
        clouds=clouds,
        haze=haze,
        noise=noise,
        blur_px=blur_px,
        jpeg=jpeg,
        looks=looks,
    )
    transform, crs = placement(np.random.default_rng([seed, 3]), where, gsd)
    scene = seen(plan, view, np.random.default_rng([seed, 4]), np.random.default_rng([seed, 5]), maps=maps)
    return replace(scene, transform=transform, crs=crs, theme=theme)


def drawn_gsd(rng: np.random.Generator, theme: str, kind: Kind) -> float:
    """A pixel's size at which the theme's objects can be seen."""
    if kind == "multispectral":
        return float(rng.uniform(2.0, 10.0))
    low, high = {
        "sea": (0.3, 3.0),
        "harbour": (0.25, 1.6),
        "marina": (0.12, 0.5),
        "airport": (0.2, 1.6),
        "parking": (0.1, 0.4),
        "town": (0.12, 0.6),
        "depot": (0.25, 2.0),
        "fields": (0.2, 2.0),
        "woods": (0.2, 2.0),
        "suburb": (0.2, 0.6),
    }[theme]
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def view_of(
    rng: np.random.Generator,
    kind: Kind,
    *,
    plain: bool,
    season: str | None,
    clouds: float,
    haze: float | None,
    noise: float | None,
    blur_px: float | None,
    jpeg: int | None,
    looks: float,
) -> View:
    """Light, air and sensor, by chance where nothing is asked for."""
    drawn = {
        "season": str(rng.choice(SEASONS)),
        "light": Light(float(rng.uniform(0, 360)), float(rng.uniform(22, 75)), float(rng.uniform(0.35, 0.8))),
        "tone": random_tone(rng),
        "haze": float(rng.choice([0.0, rng.uniform(0.0, 0.35)])),
        "noise": float(rng.choice([0.0, rng.uniform(0.5, 6.0)])),
        "blur": float(rng.choice([0.0, rng.uniform(0.3, 1.2)])),
        "jpeg": rng.choice([0, int(rng.integers(35, 96))]),
    }
    if plain:
        drawn |= {
            "season": "summer",
            "light": Light(135.0, 50.0, 0.6),
            "tone": PLAIN,
            "haze": 0.0,
            "noise": 0.0,
            "blur": 0.0,
            "jpeg": 0,
        }
    if kind != "optical":
        drawn |= {"haze": 0.0, "noise": 0.0, "blur": 0.0, "jpeg": 0}
    quality = jpeg if jpeg is not None else (int(drawn["jpeg"]) or None)
    return View(
        kind,
        season or drawn["season"],
        drawn["light"],
        drawn["tone"],
        clouds,
        drawn["haze"] if haze is None else haze,
        drawn["noise"] if noise is None else noise,
        drawn["blur"] if blur_px is None else blur_px,
        quality if kind == "optical" else None,
        looks,
        0.0 if plain else 1.0,
    )


def seen(
    plan: Plan, view: View, rng: np.random.Generator, air: np.random.Generator, *, maps: bool = True
) -> Scene:
    """A plan under a view: `rng` for the ground, `air` for clouds, haze, noise and speckle.

    The scene's transform, CRS and theme are left to the caller.
    """
    from affine import Affine

    facts: dict[str, float] = {
        "sun_azimuth_deg": view.light.azimuth_deg,
        "sun_elevation_deg": view.light.elevation_deg,
    }
    clear = np.ones(plan.size, np.float32)
    if view.kind == "sar":
        mean = backscatter(plan, rng)
        clean: NDArray[Any] = np.sqrt(mean)[None]
        pixels: NDArray[Any] = np.sqrt(speckled(mean, view.looks, air))[None]
        bands: tuple[str, ...] = ("vv",)
        through = lit = clear
        facts["looks"] = view.looks
    else:
        count = 3 if view.kind == "optical" else 6
        surface = reflectance(plan, view.light, view.season, count, rng, view.variation)
        under, through = clouded(surface, view.clouds, air)
        under, lit = hazed(under, view.haze, air)
        under = blurred(under, view.blur_px)
        if view.kind == "optical":
            bands = ("red", "green", "blue")
            shown = compressed(noisy(eight_bit(under, view.tone), view.noise, air), view.jpeg)
            pixels = np.ascontiguousarray(shown[..., ::-1].transpose(2, 0, 1))
            clean = pixels
            if maps:
                clean = np.ascontiguousarray(eight_bit(surface, view.tone)[..., ::-1].transpose(2, 0, 1))
        else:
            bands = BANDS
            clean = _reflectance16(surface)
            grainy = under + air.standard_normal(under.shape, np.float32) * np.float32(view.noise / 100)
            pixels = _reflectance16(grainy)
    objects = [thing for thing in plan.things if thing.shape.class_name in CLASSES]
    buildings = [thing for thing in plan.things if thing.shape.class_name == "building"]
    return Scene(
        pixels,
        bands,
        Affine.identity(),
        "",
        view.kind,
        "",
        view.season,
        plan.gsd_m,
        truth(objects, plan),
        truth(buildings, plan),
        numbered(objects, plan.size, maps),
        numbered(buildings, plan.size, maps),
        plan.covers.copy(),
        clean,
        through,
        lit,
        facts,
    )


def truth(things: list[Thing], plan: Plan) -> tuple[Placed, ...]:
    """What the things are, in their order."""
    return tuple(placed(thing, plan.size) for thing in things)


def numbered(things: list[Thing], size: tuple[int, int], wanted: bool = True) -> NDArray[np.int32]:
    """(h, w) with n where the middle of a pixel lies in a solid part of the n-th thing, 0 elsewhere."""
    result = np.zeros(size, np.int32)
    if not wanted:
        return result
    from skimage.draw import polygon

    for number, thing in enumerate(things, start=1):
        start = 0
        for part, stop in zip(thing.shape.parts, thing.splits, strict=True):
            if part.solid:
                corners = thing.corners[start:stop] - 0.5
                rows, columns = polygon(corners[:, 1], corners[:, 0], size)  # type: ignore[no-untyped-call]
                result[rows, columns] = number
            start = int(stop)
    return result


def _reflectance16(image: NDArray[np.float32]) -> NDArray[np.uint16]:
    scaled = np.clip(np.round(image * 10_000), 1, 65_535).astype(np.uint16)
    return np.ascontiguousarray(scaled.transpose(2, 0, 1))
